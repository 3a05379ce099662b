"""Results in a notebook are those of the command and the page, to the last digit, from wherever a campaign is read."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import goldmark as gm
from goldmark.cli import run
from goldmark.notebook.campaigns import NotForThese, ProtocolNotSaid
from goldmark.notebook.result import NoSuchTable
from goldmark.notebook.results import WhichTable
from goldmark.observations.given_tables import NoObservations
from goldmark.plugins import UnknownPlugin
from goldmark.records.tidy.columns import MissingColumn
from goldmark.samples.campaigns import fill
from goldmark.store import open_store
from goldmark.store.migrate import upgrade
from goldmark.texts.readers.tidy import NoSuchFile

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
SAMPLES = ("accuracy", "rating-qa", "pairwise")
RATINGS = [
    {"system": system, "item": item, "annotator": who, "score": score}
    for system, scores in {"alder": (4, 5, 3, 4), "birch": (1, 2, 2, 3)}.items()
    for (item, who), score in zip((("i1", "Ann"), ("i1", "Bo"), ("i2", "Ann"), ("i2", "Bo")), scores, strict=True)
]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> str:
    address = str(tmp_path_factory.mktemp("samples") / "goldmark.db")
    store = open_store(address)
    upgrade(store)
    fill(store, now=NOW)
    store.close()
    return address


def told(capsys: pytest.CaptureFixture[str], database: str, name: str, *options: str) -> dict[str, Any]:
    assert run(["campaign", "results", name, "--json", "--database", database, *options]) == 0
    return {one["name"]: one for one in json.loads(capsys.readouterr().out)["tables"]}


def export(database: str, name: str, target: Path, form: str) -> Path:
    assert run(["campaign", "export", name, str(target), "--format", form, "--database", database]) == 0
    return target


@pytest.mark.parametrize("sample", SAMPLES)
def test_of_a_database_all_tables_are_those_of_the_command(
    database: str, capsys: pytest.CaptureFixture[str], sample: str
) -> None:
    name = f"sample-{sample}"
    same = told(capsys, database, name)
    found = gm.results(gm.read_campaign(database, name))
    assert list(found) == list(same)
    for table in found:
        assert found[table].to_dicts() == same[table]["rows"]
        assert list(found[table].table.notes) == same[table]["notes"]


@pytest.mark.parametrize("form", ["jsonl", "csv", "tidy", "tidy.zip", "tidy-parquet"])
def test_of_exports_the_figures_are_the_same(
    database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    name = "sample-rating-qa"
    same = told(capsys, database, name)
    kind, _, archived = form.partition(".")
    path = export(database, name, tmp_path / f"out{'.zip' if archived else ''}", kind)
    campaign = gm.read_campaign(path, format="csv" if form == "csv" else None)
    found = gm.results(campaign)
    assert {"ratings", "differences", "agreement"} <= set(found)
    assert set(same) - set(found) <= {"exclusions"}  # of which tidy tables know nothing
    for table in found:
        rows = found[table].to_dicts()
        assert rows == same[table]["rows"], table
    if form.startswith("tidy") and form != "tidy-parquet":
        assert gm.results(path)["ratings"].to_dicts() == found["ratings"].to_dicts()


def test_one_chooses_as_the_command_does(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    name = "sample-rating-qa"
    options = ["--by", "annotator", "--system", "alder", "birch", "--seed", "5", "--resamples", "300"]
    same = told(capsys, database, name, *options, "--table", "ratings", "agreement")
    chosen: dict[str, Any] = {"by": "annotator", "system": ["alder", "birch"], "seed": 5, "resamples": 300}
    found = gm.results(gm.read_campaign(database, name), table=["ratings", "agreement"], **chosen)
    assert {table: found[table].to_dicts() for table in found} == {table: one["rows"] for table, one in same.items()}
    one = gm.results(gm.read_campaign(database, name), table="ratings", **chosen)
    assert one.to_dicts() == found["ratings"].to_dicts()


def test_observations_are_tables_of_their_types(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    campaign = gm.read_campaign(database, "sample-accuracy")
    assert {"texts", "spans", "people"} <= set(campaign)
    assert repr(campaign).startswith("Campaign 'sample-accuracy' (accuracy/1): ")
    spans = campaign["spans"].to_pandas()
    assert {spans["start"].dtype.kind, spans["error_weight"].dtype.kind} <= {"i", "f", "O"}
    assert isinstance(campaign["spans"].to_dicts()[0]["test"], bool)
    assert any(row["marked"] for row in campaign["spans"].to_dicts())
    assert campaign["texts"].to_dicts()[0]["text"]
    assert campaign["ratings"].to_dicts() == []
    with pytest.raises(NoSuchTable, match=r"'scores'.*ratings"):
        campaign["scores"]
    rated = gm.read_campaign(database, "sample-rating-qa")
    question = rated["ratings"].to_dicts()[0]["question"]
    alpha = gm.agreement(rated["ratings"], level="interval", keep={"question": str(question)}).row(measure="alpha")
    same = gm.results(rated)["agreement"].to_dicts()
    expected = next(row for row in same if row["question"] == question and row["measure"] == "alpha")
    assert expected["level"] in ("interval", "ordinal")
    if expected["level"] == "interval":
        assert (alpha["value"], alpha["low"], alpha["high"]) == (expected["value"], expected["low"], expected["high"])


@pytest.mark.parametrize("made", [pd.DataFrame, pl.DataFrame, list], ids=["pandas", "polars", "rows"])
def test_rows_need_be_no_more_than_the_ratings(made: Any) -> None:
    found = gm.results(made(RATINGS), resamples=50)
    # Items count alike: alder (4.5 + 3.5) / 2, birch (1.5 + 2.5) / 2.
    assert {row["system"]: row["value"] for row in found["ratings"].to_dicts()} == {"alder": 4.0, "birch": 2.0}
    alpha = found["agreement"].row(measure="alpha", label="")
    assert (alpha["level"], alpha["n"]) == ("interval", 4)


def test_rows_may_have_names_of_their_own() -> None:
    theirs = pd.DataFrame(RATINGS).rename(columns={"system": "model", "score": "stars"})
    names = {"system": "model", "value": "stars"}
    found = gm.results(theirs, names=names, resamples=50)
    assert [row["system"] for row in found["ratings"].to_dicts()] == ["alder", "birch"]
    assert gm.results(ratings=theirs, names=names, resamples=50)["ratings"].to_dicts() == found["ratings"].to_dicts()


def test_comparisons_and_marks() -> None:
    pairs = [
        {"item": f"i{n}", "a": "alder", "b": "birch", "preferred": "ab"[n % 2], "annotator": "Ann"} for n in range(4)
    ]
    wins = gm.results([*pairs, {**pairs[0], "item": "i4", "preferred": "tie"}], table="win-rates", resamples=50)
    assert {row["system"]: row["value"] for row in wins.to_dicts()} == {"alder": 0.5, "birch": 0.5}
    spans = [
        {"unit": "u1", "system": "alder", "annotator": "Ann", "start": 0.0, "end": 2.0, "label": "NAME"},
        {"unit": "u2", "system": "alder", "annotator": "Ann", "start": None, "end": None, "label": None},
    ]
    # As pandas has them: whole numbers with a point, because a cell is missing.
    found = gm.results(pd.DataFrame(spans), resamples=50)
    assert {row["label"]: row["value"] for row in found["errors"].to_dicts()} == {"total": 0.5, "NAME": 0.5}
    with pytest.raises(NoSuchTable, match=r"'agreement'.*needs 'tokens'"):
        found["agreement"]


def test_what_cannot_be_is_told(database: str, tmp_path: Path) -> None:
    with pytest.raises(WhichTable, match="the columns item, mood do not tell"):
        gm.results([{"item": "i1", "mood": "good"}])
    with pytest.raises(TypeError, match="'rating'"):
        gm.results(rating=RATINGS)
    with pytest.raises(UnknownPlugin):
        gm.results(RATINGS, table="rating")
    with pytest.raises(NoSuchTable, match="there are no rows of comparisons to make it of"):
        gm.results(RATINGS, table="win-rates")
    with pytest.raises(NotForThese, match="choose rows of your tables instead"):
        gm.results(RATINGS, system="alder")
    with pytest.raises(NotForThese, match="gold"):
        gm.results(RATINGS, marks="gold")
    with pytest.raises(MissingColumn, match="'unit' or 'item'"):
        gm.results([{"annotator": "Ann", "value": 3}])
    with pytest.raises(NoSuchFile):
        gm.read_campaign(tmp_path / "none.db", "sample-accuracy")
    assert not (tmp_path / "none.db").exists()
    with pytest.raises(gm.GoldmarkError, match="sample-acuracy"):
        gm.read_campaign(database, "sample-acuracy")
    with pytest.raises(NoObservations):
        gm.read_campaign(tmp_path)


def test_files_of_other_tools_need_a_protocol_or_bring_it(database: str, tmp_path: Path) -> None:
    path = export(database, "sample-accuracy", tmp_path / "lists", "gsml")
    with pytest.raises(ProtocolNotSaid):
        gm.read_campaign(path, format="gsml")
    campaign = gm.read_campaign(path, format="gsml", protocol="accuracy")
    both = (campaign, gm.read_campaign(database, "sample-accuracy"))
    marks = [sum(row["start"] is not None for row in one["spans"].to_dicts()) for one in both]
    assert marks[0] == marks[1] > 0
    assert gm.results(campaign, table="errors", resamples=50).to_dicts()


def test_protocols_load_by_name() -> None:
    assert gm.load_protocol("accuracy").id == "accuracy/1"
