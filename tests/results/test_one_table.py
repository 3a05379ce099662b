"""Tables of campaigns and of files: completed where something is missing, refused where it is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from goldmark.campaigns.transfer.observe import write_observations
from goldmark.cli import run
from goldmark.errors import ProblemsFound
from goldmark.observations.given_tables import NoObservations, UnknownObservations
from goldmark.protocols import load
from goldmark.results.catalogue import RESULTS
from goldmark.results.one_table import of_campaign, of_files
from goldmark.results.options import AnalysisOptions
from goldmark.store import Store, open_store
from tests.databases import fresh
from tests.results.filled import fill

SETTINGS = AnalysisOptions(resamples=50)
RATINGS = [
    {"system": system, "item": item, "annotator": who, "score": score}
    for system, scores in {"alder": (4, 5, 3, 4), "birch": (1, 2, 2, 3)}.items()
    for (item, who), score in zip((("i1", "Ann"), ("i1", "Bo"), ("i2", "Ann"), ("i2", "Bo")), scores, strict=True)
]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    opened = open_store(fresh(tmp_path_factory.mktemp("made")))
    fill(opened, "marked", load("accuracy-severity"))
    fill(opened, "rated", load("rating-summary"))
    yield opened
    opened.close()


def test_wrong_cells_are_told_all_at_once(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text("unit,annotator,value\nu1,Ann,good\nu2,Ann,3\nu3,Ann,NA\nu4,Ann,x\n", encoding="utf-8")
    with pytest.raises(ProblemsFound) as found:
        of_files("ratings", [path], SETTINGS)
    assert [problem.where for problem in found.value.problems] == ["ratings.csv:2", "ratings.csv:5"]
    path.write_text("unit,annotator,value\nu1,Ann,1\nu2,Ann,3\nu3,Ann,NA\n", encoding="utf-8")
    (table,) = of_files("ratings", [path], SETTINGS)
    assert table.records()[0]["n"] == 2
    assert "left out: 1 rating without a value" in table.notes


def test_test_questions_and_excluded_people_are_left_out_of_files_too(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    rows = [{**row, "test": n == 0, "excluded": n == 1} for n, row in enumerate(RATINGS)]
    pd.DataFrame(rows).to_csv(path, index=False)  # pandas writes True and False
    (table,) = of_files("ratings", [path], SETTINGS)
    assert sum(row["n"] for row in table.records()) == 6  # type: ignore[misc]
    assert "left out: 1 row of answers to test questions" in table.notes
    (everything,) = of_files("ratings", [path], SETTINGS, tests=True, excluded=True)
    assert sum(row["n"] for row in everything.records()) == 8  # type: ignore[misc]


def test_single_files_of_either_kind_give_the_same_digits(store: Store, tmp_path: Path) -> None:
    """That folders do, for every protocol and table, test_every_protocol.py shows."""
    for campaign, alone, own in (("marked", "spans", "errors"), ("rated", "ratings", "ratings")):
        known = [table.rows for table in of_campaign(store, own, campaign, SETTINGS)]
        for kind in ("csv", "parquet"):
            folder = tmp_path / campaign / kind
            write_observations(store, campaign, folder, kind=kind)
            assert [table.rows for table in of_files(own, [folder], SETTINGS)] == known
            assert [table.rows for table in of_files(own, [folder / f"{alone}.{kind}"], SETTINGS)] == known


def test_every_table_of_one_sort_of_rows_can_be_made_of_its_file_alone(store: Store, tmp_path: Path) -> None:
    write_observations(store, "rated", tmp_path / "tidy")
    names = [name for name, one in RESULTS.items() if one.reads == ("ratings",) and name != "ordinal-model"]
    assert len(names) > 4
    for name in names:
        known = [table.rows for table in of_campaign(store, name, "rated", SETTINGS)]
        assert [table.rows for table in of_files(name, [tmp_path / "tidy" / "ratings.csv"], SETTINGS)] == known


def test_what_pandas_writes_again_gives_the_same_digits(store: Store, tmp_path: Path) -> None:
    write_observations(store, "marked", tmp_path / "tidy")
    again = tmp_path / "again.csv"
    pd.read_csv(tmp_path / "tidy" / "spans.csv").to_csv(again, index=False)
    known = of_campaign(store, "errors", "marked", SETTINGS)
    assert of_files("errors", [again], SETTINGS)[0].rows == known[0].rows


def test_by_command(store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_observations(store, "rated", tmp_path / "tidy")
    folder = tmp_path / "tidy"
    for command in (
        ["table", "ratings", str(folder / "ratings.csv")],
        ["table", "agreement", str(folder)],
        ["table", "ratings", str(folder), "--by", "annotator"],
        ["table", "people", str(folder)],
    ):
        assert run([*command, "--json", "--resamples", "50"]) == 0
        assert json.loads(capsys.readouterr().out)["tables"][0]["rows"]
    assert run(["table", "ratings", str(folder), "--by", "planet"]) == 1
    assert "there is no column 'planet' to compare by; there are" in capsys.readouterr().err
    assert run(["table", "ratings"]) == 2
    assert "a campaign that asks for numbers or scales (--campaign NAME); or the folder" in capsys.readouterr().err
    assert run(["table", "reviews", str(folder)]) == 1
    assert "it is made of a single campaign in a database" in capsys.readouterr().err


def test_what_is_no_table_of_observations_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("unit,annotator,value\nu1,Ann,1\n", encoding="utf-8")
    with pytest.raises(UnknownObservations, match="name it after one of them: texts, ratings"):
        of_files("agreement", [tmp_path / "mine.csv"], SETTINGS)
    with pytest.raises(NoObservations, match="holds none of the tables"):
        of_files("agreement", [tmp_path], SETTINGS)
