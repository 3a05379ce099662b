"""Every function gives the digits of its command, from a data frame as from the file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import goldmark as gm
from goldmark.cli import run

SYSTEMS, ITEMS, PEOPLE = ("alder", "birch", "cedar"), 8, ("Ann", "Bo", "Cy")
Frames = [pd.DataFrame, pl.DataFrame, list]


def judgements() -> list[dict[str, Any]]:
    rng = np.random.default_rng(5)
    return [
        {
            "unit": f"{item}-{system}",
            "system": system,
            "item": f"i{item}",
            "annotator": who,
            "question": question,
            "value": None if rng.random() < 0.05 else int(np.clip(round(3 + place + rng.normal()), 1, 5)),
        }
        for place, system in enumerate(SYSTEMS)
        for item in range(ITEMS)
        for who in PEOPLE
        for question in ("clear", "true")
    ]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    pd.DataFrame(judgements()).astype({"value": "Int64"}).to_csv("ratings.csv", index=False)
    return tmp_path


def command(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert run([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("made", Frames)
def test_agreement(folder: Path, capsys: pytest.CaptureFixture[str], made: Any) -> None:
    told = command(capsys, "agreement", "ratings.csv", "--level", "ordinal", "--keep", "question=clear", "--seed", "3")
    found = gm.agreement(made(judgements()), level="ordinal", keep={"question": "clear"}, seed=3)
    for measure in ("alpha", "percent", "fleiss"):
        row = found.row(measure=measure)
        assert row["value"] == told[measure]["value"]
        assert (row["low"], row["high"]) == tuple(told[measure]["interval"] or (None, None))
        assert row["n"] == told[measure]["units_used"]
    assert found.row(measure="cohen")["value"] == told["cohen"]["value"]
    assert [row["kappa"] for row in found["pairs"].to_dicts()] == [pair["value"] for pair in told["cohen"]["pairs"]]
    assert found.signature == told["signature"].replace("data:ratings.csv", "data:table")
    assert gm.agreement("ratings.csv", level="ordinal", keep="question=clear", seed=3).signature == told["signature"]


@pytest.mark.parametrize("made", Frames)
def test_rank(folder: Path, capsys: pytest.CaptureFixture[str], made: Any) -> None:
    told = command(capsys, "rank", "ratings.csv", "--keep", "question=true", "--test", "permutation")
    found = gm.rank(made(judgements()), keep={"question": ["true"]}, test="permutation")
    rows = found.to_dicts()
    assert [row["system"] for row in rows] == [row["system"] for row in told["systems"]]
    assert [row["mean"] for row in rows] == [row["mean"] for row in told["systems"]]
    assert [[row["mean_low"], row["mean_high"]] for row in rows] == [row["interval"] for row in told["systems"]]
    assert [row["p_adjusted"] for row in found["pairs"].to_dicts()] == [row["p_adjusted"] for row in told["pairs"]]
    assert found.signature == told["signature"]


@pytest.mark.parametrize("kind", ["linear", "ordinal"])
def test_rating_model(folder: Path, capsys: pytest.CaptureFixture[str], kind: Any) -> None:
    told = command(capsys, "model", "fit", "ratings.csv", "--keep", "question=true", "--kind", kind)["tables"]
    found = gm.rating_model(pd.DataFrame(judgements()), keep={"question": "true"}, kind=kind)
    assert [row["value"] for row in found.to_dicts()] == [row["value"] for row in told[0]["rows"]]
    assert [row["p"] for row in found["differences"].to_dicts()] == [row["p"] for row in told[1]["rows"]]
    assert found.signature == told[0]["signature"]
    assert "3 people rated" in str(found.to_dicts()[0]["reason"])


def test_reliability(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = command(capsys, "model", "reliability", "ratings.csv", "--keep", "question=true")["tables"]
    found = gm.reliability(pd.DataFrame(judgements()), keep={"question": "true"})
    assert [row["agreement"] for row in found.to_dicts()] == [row["agreement"] for row in told[0]["rows"]]
    by_table = gm.results("ratings.csv")["reliability"]
    assert by_table.row(question="true", people=3)["agreement"] == told[0]["rows"][2]["agreement"]


def mistakes(rng: np.random.Generator) -> pd.DataFrame:
    rows = []
    for text in range(6):
        for start in sorted(rng.choice(np.arange(1, 19, 3), size=3, replace=False).tolist()):
            tokens = " ".join(f"w{place}" for place in range(start, start + 2))
            kind = str(rng.choice(["NAME", "NUMBER", "WORD"]))
            rows.append({"TEXT_ID": f"t{text}", "TOKENS": tokens, "DOC_TOKEN_START": start, "TYPE": kind})
    return pd.DataFrame(rows).assign(DOC_TOKEN_END=lambda frame: frame["DOC_TOKEN_START"] + 1)


@pytest.fixture
def lists(folder: Path) -> dict[str, pd.DataFrame]:
    (folder / "texts").mkdir()
    for text in range(6):
        (folder / "texts" / f"t{text}.txt").write_text(" ".join(f"w{place}" for place in range(1, 21)))
    columns = "TEXT_ID SENTENCE_ID ANNOTATION_ID TOKENS SENT_TOKEN_START SENT_TOKEN_END DOC_TOKEN_START DOC_TOKEN_END"
    made = {name: mistakes(np.random.default_rng(seed)) for seed, name in enumerate(("gold", "first", "second"))}
    for name, frame in made.items():
        whole = frame.reindex(columns=[*columns.split(), "TYPE", "CORRECTION", "COMMENT"])
        whole.to_csv(folder / f"{name}.csv", index=False)
    return made


@pytest.mark.parametrize("texts", ["folder", "mapping", "table"])
def test_score(lists: dict[str, pd.DataFrame], capsys: pytest.CaptureFixture[str], texts: str) -> None:
    told = command(capsys, "score", "gold.csv", "first.csv", "--texts", "texts", "--list")
    words = " ".join(f"w{place}" for place in range(1, 21))
    mapping = {f"t{text}": words for text in range(6)}
    given: Any = {"folder": "texts", "mapping": mapping}.get(
        texts, pd.DataFrame(list(mapping.items()), columns=["id", "text"])
    )
    found = gm.score(lists["gold"], lists["first"], texts=given)
    for row in found.to_dicts():
        same = told["rows"][row["mistakes"]]
        for measure in ("recall", "precision", "token_recall", "token_precision"):
            assert row[measure] == same[measure]
            ends = [row[f"{measure}_low"], row[f"{measure}_high"]]
            assert ends == (same["intervals"][measure] or [None, None])
    verdicts = [row["verdict"] for row in found["mistakes"].to_dicts()]
    assert verdicts.count("missed") == len(told["missed"])
    assert verdicts.count("invented") == len(told["invented"])
    assert gm.score("gold.csv", "first.csv", texts="texts").signature == told["signature"]


def test_compare(lists: dict[str, pd.DataFrame], capsys: pytest.CaptureFixture[str]) -> None:
    told = command(
        capsys, "score", "compare", "gold.csv", "first.csv", "second.csv", "--texts", "texts", "--resamples", "500"
    )
    found = gm.compare(lists["gold"], pl.from_pandas(lists["first"]), lists["second"], texts="texts", resamples=500)
    for row in found.to_dicts():
        same = told["rows"][row["mistakes"]][str(row["measure"]).replace(" ", "_")]
        assert (row["difference"], row["p"]) == (same["difference"], same["p"])


@pytest.mark.parametrize("method", ["majority", "dawid-skene", "mace"])
def test_aggregate(folder: Path, capsys: pytest.CaptureFixture[str], method: Any) -> None:
    told = command(capsys, "aggregate", "ratings.csv", "--keep", "question=clear", "--method", method)
    found = gm.aggregate(pd.DataFrame(judgements()).astype({"value": "Int64"}), keep="question=clear", method=method)
    assert [(row["item"], row["label"]) for row in found.to_dicts()] == [
        (item["item"], item["label"]) for item in told["items"]
    ]
    assert [row["reliability"] for row in found["annotators"].to_dicts()] == [
        one["reliability"] for one in told["annotators"]
    ]
    plain = pd.DataFrame(judgements()).query("question == 'clear'").drop(columns="question")
    assert gm.aggregate(plain.astype({"value": "Int64"}), method=method).to_dicts() == [
        {**row, "signature": str(row["signature"]).replace("keep-question:clear|", "")} for row in found.to_dicts()
    ]


def test_noisy_annotators(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tests = pd.DataFrame({"worker": list("abcde"), "correct": [19, 18, 3, 20, 9], "n": [20, 20, 20, 20, 10]})
    tests.to_csv("tests.csv", index=False)
    told = command(capsys, "annotators", "fit", "tests.csv", "--seed", "4")
    found = gm.noisy_annotators(tests.rename(columns={"worker": "annotator"}), seed=4)
    assert [(row["worker"], row["probability_noisy"], row["flagged"]) for row in found.to_dicts()] == [
        (one["worker"], one["probability_noisy"], one["flagged"]) for one in told["workers"]
    ]
    assert found.signature == told["signature"]
    assert [row["weight"] for row in found["mixture"].to_dicts()] == told["kinds"]["all"]["mixture"]["weights"]


def test_span_agreement(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spans = pd.DataFrame(
        [
            ("u1", "Ann", 0, 2, "NAME", 9),
            ("u1", "Bo", 1, 2, "NAME", 9),
            ("u2", "Ann", 3, 5, "WORD", 7),
            ("u2", "Bo", None, None, None, 7),
            ("u3", "Ann", 2, 3, "WORD", 5),
            ("u3", "Bo", 2, 3, "NAME", 5),
        ],
        columns=["unit", "annotator", "start", "end", "label", "tokens"],
    )
    spans.to_csv("spans.csv", index=False)
    told = command(capsys, "agreement", "spans", "spans.csv")
    found = gm.span_agreement(spans)
    assert {row["measure"]: row["value"] for row in found.to_dicts()} == {
        measure: told[measure]["value"] for measure in [str(row["measure"]) for row in found.to_dicts()]
    }
    assert [row["token_f1"] for row in found["pairs"].to_dicts()] == [pair["token_f1"] for pair in told["pairs"]]


@pytest.mark.parametrize(
    ("call", "given", "words"),
    [
        (gm.agreement, {"level": "metric"}, "level is 'metric'; it can be nominal or ordinal"),
        (gm.aggregate, {"method": "mean"}, "method is 'mean'; it can be majority or dawid-skene"),
        (gm.rank, {"test": "t"}, "test is 't'; it can be permutation or signed-rank or rank-sum or mcnemar or None"),
        (gm.rank, {"seed": None}, "seed is None; it can be a whole number from 0"),
        (gm.agreement, {"seed": True}, "seed is True"),
        (gm.agreement, {"resamples": 0}, "resamples is 0; it can be a whole number from 1"),
        (gm.agreement, {}, "holds several values of 'question': clear, true; choose one"),
        (gm.agreement, {"unit": "text", "keep": "question=clear"}, "needs 'text'; table has unit, system"),
        (gm.rank, {"keep": {"question": "tru"}}, "leaves no scores to rank"),
    ],
)
def test_what_cannot_be_is_told(call: Any, given: dict[str, Any], words: str) -> None:
    with pytest.raises(gm.GoldmarkError, match=words):
        call(judgements(), **given)


def test_a_traceback_tells_every_problem() -> None:
    rows = [{"unit": "u", "annotator": "a", "value": "high"}, {"unit": "u", "annotator": "b", "value": "low"}]
    with pytest.raises(gm.GoldmarkError) as found:
        gm.agreement(rows, level="interval")
    assert found.value.__notes__ == [
        "table, row 1  column 'value' holds 'high'; a number is needed",
        "table, row 2  column 'value' holds 'low'; a number is needed",
    ]


def test_nothing_gives_no_figure_but_a_reason() -> None:
    alpha = gm.agreement({"unit": [], "annotator": [], "value": []}).row(measure="alpha")
    assert (alpha["value"], alpha["n"]) == (None, 0)
    assert alpha["reason"]
    nothing: list[Any] = [[], pd.DataFrame(columns=["unit"])]
    for empty in nothing:
        with pytest.raises(gm.GoldmarkError, match="needs"):
            gm.agreement(empty)
    with pytest.raises(gm.GoldmarkError, match="leaves no scores to rank"):
        gm.rank({"system": [], "item": [], "score": []})


@pytest.mark.parametrize("level", ["nominal", "interval"])
def test_what_is_missing_is_missing_in_every_kind_of_table(tmp_path: Path, level: str) -> None:

    columns: dict[str, list[Any]] = {
        "unit": list("aabbccc"),
        "annotator": list("xyxyxyz"),
        "value": [1.0, 1.0, 2.0, 1.0, 2.0, 2.0, None],
    }
    (tmp_path / "na.csv").write_text(
        "unit,annotator,value\n"
        + "\n".join(f"{u},{a},{'NA' if v is None else v}" for u, a, v in zip(*columns.values(), strict=True))
    )
    nan = {**columns, "value": [float("nan") if value is None else value for value in columns["value"]]}
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    words = {**columns, "value": ["NaN" if value is None else str(value) for value in columns["value"]]}
    given = [
        pd.DataFrame(columns),
        pl.DataFrame(columns),
        pl.DataFrame(nan),
        rows,
        nan,
        words,
        tmp_path / "na.csv",
    ]
    found = [gm.agreement(one, level=level).row(measure="alpha") for one in given]  # type: ignore[arg-type]
    for row in found:
        assert {**row, "signature": ""} == {**found[0], "signature": ""}
    assert found[0]["n"] == 3
