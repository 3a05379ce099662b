"""Every built-in protocol from a campaign's file through answers to results.

Figures are as pandas has them, and the same from every door.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sqlalchemy import Connection, update

from goldmark.campaigns.transfer.observe import write_observations
from goldmark.cli import run
from goldmark.protocols import Protocol, builtin_names, load
from goldmark.protocols.answers import giving, marking
from goldmark.protocols.kinds import Question
from goldmark.records.answers import Choice, Comparison, Marks, Rating, Words
from goldmark.results.all_tables import Results, results_of
from goldmark.results.catalogue import RESULTS
from goldmark.results.one_table import of_campaign, of_files
from goldmark.results.options import AnalysisOptions
from goldmark.store import Store, open_store
from goldmark.store.tables import annotator
from tests.databases import fresh
from tests.results.filled import CONDITIONS, Said, fill_from_files

SETTINGS = AnalysisOptions(resamples=60)


class Filled:
    """A campaign of one protocol, what was answered in it, and its results."""

    def __init__(self, store: Store, address: str, folder: Path, protocol: Protocol) -> None:
        self.store, self.address, self.folder, self.protocol = store, address, folder, protocol
        self.said: list[Said] = fill_from_files(address, folder, "filled", protocol)
        store.write(_randomise)
        self.results: Results = results_of(store, "filled", SETTINGS)
        write_observations(store, "filled", folder / "tidy")

    def rows(self, name: str) -> list[dict[str, Any]]:
        table = self.results.table(name)
        return [] if table is None else table.records()

    def frame(self, question: str) -> pd.DataFrame:
        """The answers to one question, straight from what was submitted."""
        return pd.DataFrame(
            [
                {"unit": one.unit, "item": one.item, "system": one.system or "all", "annotator": one.annotator}
                | {"answer": one.answers[question], "hidden": one.hidden}
                for one in self.said
                if question in one.answers
            ]
        )


# One for each way of asking; what is asked in the same way by others is for the slow run.
WAYS = {
    "accuracy-severity/1",
    "explanation-coding/1",
    "humanlike/1",
    "mqm/1",
    "pairwise/1",
    "rating-qa/1",
    "tgea/1",
    "verification/1",
}


def _randomise(connection: Connection) -> None:
    """Who answered elsewhere was randomised there."""
    for person, condition in CONDITIONS.items():
        connection.execute(update(annotator).where(annotator.c.name == person).values(condition=condition))


@pytest.fixture(
    scope="module",
    params=[name if name in WAYS else pytest.param(name, marks=pytest.mark.slow) for name in builtin_names()],
)
def filled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Filled]:
    folder = tmp_path_factory.mktemp(str(request.param).replace("/", "-"))
    address = fresh(folder)
    store = open_store(address)
    yield Filled(store, address, folder, load(request.param))
    store.close()


def mean_over_items(frame: pd.DataFrame, column: str) -> dict[str, float]:
    """By system: an item's mean over its readers, then the mean over items."""
    of_items = frame.groupby(["system", "item"])[column].mean()
    return dict(of_items.groupby("system").mean())


def test_ratings(filled: Filled) -> None:
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for row in filled.rows("ratings"):
        found.setdefault(row["question"], {})[row["system"]] = row
    assert set(found) == {one.id for one in giving(filled.protocol, Rating)}
    for question in found:
        frame = filled.frame(question)
        numbers = filled.protocol.numbers[question]
        frame["value"] = [float(numbers.get(said, said) if isinstance(said, str) else said) for said in frame["answer"]]
        for system, mean in mean_over_items(frame, "value").items():
            row = found[question][system]
            own = frame[frame["system"] == system]
            assert row["value"] == pytest.approx(mean, rel=1e-12)
            assert (row["n"], row["items"], row["annotators"]) == (len(own), own["item"].nunique(), 3)
            assert row["low"] <= row["value"] <= row["high"]
        ranks = [row["value"] for row in filled.rows("ratings") if row["question"] == question]
        assert ranks == sorted(ranks, reverse=True)


def test_shares_of_options(filled: Filled) -> None:
    table = {(row["question"], row["system"], row["label"]): row for row in filled.rows("choices")}
    asked = giving(filled.protocol, Choice)
    assert {key[0] for key in table} == {one.id for one in asked if len(filled.frame(one.id))}
    for question in asked:
        frame = filled.frame(question.id)
        for system, own in frame.groupby("system") if len(frame) else ():
            said = own["answer"].map(lambda one: one if isinstance(one, list) else [one])
            for label in sorted({label for one in said for label in one}):
                row = table[question.id, str(system), label]
                assert row["value"] == pytest.approx(np.mean([label in one for one in said]), rel=1e-12)
                assert (row["count"], row["n"]) == (sum(label in one for one in said), len(own))
                assert 0 <= row["low"] <= row["value"] <= row["high"] <= 1


def _points(said: str, own: str) -> list[float]:
    """What an answer is worth to a text: of two, one comparison; of four, those with the best and the worst."""
    best, _, worst = said.partition(">")
    if not worst:
        return [0.5 if said == "tie" else float(said == own)]
    return [1.0] * 3 if own == best else [0.0] * 3 if own == worst else [0.0, 1.0]


def test_win_rates(filled: Filled) -> None:
    table = {(row["question"], row["system"]): row for row in filled.rows("win-rates")}
    asked = giving(filled.protocol, Comparison)
    assert {key[0] for key in table} == {one.id for one in asked}
    for question in asked:
        frame = filled.frame(question.id)
        for system in {hidden[f"system_{name}"] for hidden in frame["hidden"] for name in filled.protocol.texts}:
            role = [
                next(name for name in filled.protocol.texts if hidden[f"system_{name}"] == system)
                for hidden in frame["hidden"]
            ]
            points = [one for said, own in zip(frame["answer"], role, strict=True) for one in _points(said, own)]
            row = table[question.id, system]
            assert row["value"] == pytest.approx(np.mean(points), rel=1e-12)
            assert (row["wins"], row["ties"], row["losses"]) == tuple(points.count(one) for one in (1.0, 0.5, 0.0))


def readings(filled: Filled, question: str) -> pd.DataFrame:
    """Everybody who read a text for a question about passages: also who was not asked because the text is fine."""
    aside = filled.protocol.set_aside
    rows = [
        {"unit": one.unit, "item": one.item, "system": one.system or "all", "annotator": one.annotator}
        | {"marks": one.answers.get(question, [])}
        for one in filled.said
        if not any(one.answers.get(name) in options for name, options in aside.items())
    ]
    return pd.DataFrame(rows)


def test_errors_per_text(filled: Filled) -> None:
    table = {(row["question"], row["system"], row["label"]): row for row in filled.rows("errors")}
    with_errors = {(row["question"], row["system"]): row for row in filled.rows("texts-with-errors")}
    assert {key[0] for key in table} == {one.id for one in marking(filled.protocol)}
    for question in marking(filled.protocol):
        frame = readings(filled, question.id)
        labels = sorted({mark.get("label", "") for marks in frame["marks"] for mark in marks})
        frame["total"] = frame["marks"].map(len)
        for label in labels:
            frame[label] = frame["marks"].map(
                lambda marks, label=label: sum(one.get("label") == label for one in marks)
            )
        for label in ["total", *labels]:
            for system, mean in mean_over_items(frame, label).items():
                assert table[question.id, system, label]["value"] == pytest.approx(mean, abs=1e-12)
        for named, own in frame.groupby("system"):
            row = with_errors[question.id, str(named)]
            assert row["value"] == pytest.approx((own["total"] > 0).mean(), rel=1e-12)
            assert table[question.id, str(named), "total"]["n"] == len(own)


def test_weighted_errors(filled: Filled) -> None:
    weighted = {(row["question"], row["system"]): row["value"] for row in filled.rows("weighted-errors")}
    ranked = [one for one in marking(filled.protocol) if one.ranks]
    assert {key[0] for key in weighted} == {one.id for one in ranked}
    for question in ranked:
        severity = str(question.ranks)
        options = next(one for one in question.attributes if one.id == severity).options_with_numbers()
        number = {option: float(value or 0) for option, value in (options or {}).items()}
        frame = readings(filled, question.id)
        # MQM's exceptions, as published: the protocol declares them, the test knows them.
        exceptions = {("non_translation", one): 25.0 for one in number} | {("fluency.punctuation", "minor"): 0.1}
        known = exceptions if question.weights else {}
        frame["weight"] = [
            sum(known.get((one.get("label", ""), one[severity]), number[one[severity]]) for one in marks)
            for marks in frame["marks"]
        ]
        for system, mean in mean_over_items(frame, "weight").items():
            assert weighted[question.id, system] == pytest.approx(mean, abs=1e-12)


def test_people_and_coverage(filled: Filled) -> None:
    frame = pd.DataFrame(
        [{"unit": one.unit, "system": one.system or "all", "who": one.annotator} for one in filled.said]
    )
    assert {row["annotator"]: row["responses"] for row in filled.rows("people")} == dict(frame["who"].value_counts())
    assert sum(row["responses"] for row in filled.rows("progress")) == len(frame)
    if len(filled.protocol.texts) == 1:
        covered = {row["system"]: (row["answered"], row["responses"]) for row in filled.rows("coverage")}
        own = frame.groupby("system")["unit"].agg(["nunique", "count"])
        assert covered == {name: (row["nunique"], row["count"]) for name, row in own.iterrows()}


def test_what_is_known_to_be_true(filled: Filled) -> None:
    rows = [row for row in filled.rows("study") if row["domain"] == "all"]
    assert bool(rows) == (filled.protocol.name == "humanlike")
    if not rows:
        return
    frame = filled.frame("source")
    frame["right"] = [hidden["source"] in said for hidden, said in zip(frame["hidden"], frame["answer"], strict=True)]
    frame["condition"] = frame["annotator"].map(CONDITIONS)
    expected = dict(frame.groupby("condition")["right"].mean())
    assert {row["condition"]: row["accuracy"] for row in rows} == pytest.approx(expected)


def test_what_explanations_are_about(filled: Filled) -> None:
    rows = filled.rows("coding")
    assert bool(rows) == (filled.protocol.name == "explanation-coding")
    if not rows:
        return
    question = next(one for one in filled.protocol.questions() if one.kind == "choices")
    group = {option.id: option.group for option in question.options if not option.alone}  # type: ignore[attr-defined]
    frame = filled.frame(question.id).explode("answer")
    frame["condition"] = frame["annotator"].map(CONDITIONS)
    frame["group"] = frame["answer"].map(group)
    shares = dict(frame.groupby("condition")["group"].value_counts(normalize=True) * 100)
    for row in rows:  # a group that nobody chose in one condition has a row all the same
        assert row["percent"] == pytest.approx(shares.pop((row["condition"], row["group"]), 0.0))
    assert not shares


def test_every_door_gives_the_same_digits(filled: Filled) -> None:
    """Results, the table of the campaign, and the table of the exported files: the same rows and signature."""
    shown: dict[str, list[Any]] = {}
    for one in filled.results.tables:
        shown.setdefault(_entry(one.name, one.table.name), []).append(_figures(one.table))
    for name, expected in shown.items():
        if name == "ordinal-model":  # fitted when somebody asks for it: Results say where
            continue
        asked = of_campaign(filled.store, name, "filled", SETTINGS)
        assert [_figures(table) for table in asked if table.rows] == expected
        if RESULTS[name].reads:
            read = of_files(name, [filled.folder / "tidy"], SETTINGS)
            assert [_figures(table) for table in read if table.rows] == expected
    assert {"coverage", "people", "agreement"} <= set(shown)


def _entry(name: str, part: str) -> str:
    return name.removesuffix(f"-{part}") if part else name


def _figures(table: Any) -> tuple[Any, ...]:
    return table.title, table.columns, table.rows, table.signature


def test_ranks_of_the_files_have_the_same_digits(filled: Filled, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(filled.folder / "tidy" / "ratings.csv")
    for question in dict.fromkeys(row["question"] for row in filled.rows("ratings")):
        assert run(["rank", file, "--keep", f"question={question}", "--resamples", "60", "--json"]) == 0
        made = {row["system"]: row for row in json.loads(capsys.readouterr().out)["systems"]}
        for row in filled.rows("ratings"):
            if row["question"] == question:
                own = made[row["system"] if row["system"] != "all" else ""]
                assert (own["mean"], own["interval"]) == (row["value"], [row["low"], row["high"]])


def test_every_measure_of_agreement_of_the_files_has_the_same_digits(
    filled: Filled, capsys: pytest.CaptureFixture[str]
) -> None:
    expected: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
    for row in filled.rows("agreement"):
        expected.setdefault((row["question"], row["label"]), {})[row["measure"]] = row
    compared = 0
    for (question, label), measures in expected.items():
        asked = next(one for one in filled.protocol.questions() if one.id == question)
        if asked.gives is Words:  # which nobody compares, and the table says so
            continue
        if asked.gives is Comparison and label:  # several rows an answer, which only the table puts together
            of_folder = of_files("agreement", [filled.folder / "tidy"], SETTINGS)[0].records()
            assert [row for row in of_folder if row["label"] == label] == list(measures.values())
            compared += 1
            continue
        assert run(["agreement", *_of_tidy(filled.folder / "tidy", asked, label, measures), "--json"]) == 0
        made = json.loads(capsys.readouterr().out)
        for measure, row in measures.items():
            interval = None if row["low"] is None else [row["low"], row["high"]]
            assert (made[measure]["value"], made[measure]["interval"]) == (row["value"], interval), measure
            compared += row["value"] is not None
    assert compared


def _of_tidy(folder: Path, asked: Question, label: str, measures: dict[str, dict[str, Any]]) -> list[str]:
    """How the command finds the answers to a question in exported files."""
    kept = ["--keep", f"question={asked.id}", "--seed", str(SETTINGS.seed)]
    if asked.gives is Marks:
        return ["spans", str(folder / "spans.csv"), *kept]
    if asked.gives is Comparison:
        return [str(folder / "comparisons.csv"), *kept, "--value", "preferred"]
    if label:  # one of several options that could be chosen
        return [str(folder / "choices.csv"), *kept, "--keep", f"label={label}", "--value", "chosen"]
    table = "ratings" if asked.gives is Rating else "choices"
    return [str(folder / f"{table}.csv"), *kept, "--level", measures["alpha"]["level"]]
