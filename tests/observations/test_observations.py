"""A campaign as flat tables: from the database, from a record and from files, the same cells."""

from __future__ import annotations

import tracemalloc
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import polars
import pytest

from goldmark.campaigns.transfer.export import record_of
from goldmark.campaigns.transfer.observe import observe, write_observations
from goldmark.campaigns.transfer.restore import restore
from goldmark.observations import frames
from goldmark.observations.files import FolderInUse
from goldmark.observations.filter import Filter
from goldmark.observations.frames import collect
from goldmark.observations.schema import SHARED, TABLES
from goldmark.observations.source import ObservedPerson, ObservedResponse, ObservedUnit, RecordSource, ShownSurface
from goldmark.protocols import parse
from goldmark.records.campaigns import (
    AnnotatorRecord,
    AssignmentRecord,
    CampaignRecord,
    ProtocolRecord,
    ResponseRecord,
)
from goldmark.records.tidy.packed import PackedTexts
from goldmark.records.units import ShownText, ShownUnit, Unit
from goldmark.samples import samples
from goldmark.samples.campaigns import fill
from goldmark.store import Store, open_store
from goldmark.texts.readers.tidy import read_tidy
from goldmark.texts.segmentation.text import make_text
from tests.databases import fresh, on_sqlite
from tests.observations import page

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)

PROTOCOL = """
protocol: mixed/1
title: Mixed
steps:
  - questions:
      - {id: good, kind: choice, options: {no: 0, yes: 1}}
      - {id: topic, kind: choices, options: [sport, art]}
      - {id: odd, kind: spans, attributes: [{id: fix, kind: text, required: false}], rewrites: fix}
      - {id: why, kind: text, required: false}
"""


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """The sample campaigns, to be read only."""
    store = open_store(fresh(tmp_path_factory.mktemp("samples")))
    fill(store, now=NOW)
    yield store
    store.close()


def small() -> CampaignRecord:
    """Two texts, a test question, two people of whom one is excluded; somebody marks nothing."""
    texts = {"u1": "=Anna won the game .", "u2": "Bo lost it .", "q1": "A test ."}
    hidden: dict[str, dict[str, object]] = {
        "u1": {"system": "alder", "item": "i1", "domain": "sport", "reference": "x" * 200},
        "u2": {"system": "birch", "item": "i1", "domain": "sport"},
        "q1": {"test": "negative", "expected": {"good": "no"}},
    }
    units = tuple(
        Unit(name, ShownUnit({"text": ShownText(make_text(name, text))}), hidden[name]) for name, text in texts.items()
    )
    mark = {"id": "e1", "start": 0, "end": 2, "fix": "Bo\n"}
    said: list[tuple[str, str, dict[str, object]]] = [
        ("u1", "ann", {"good": "yes", "topic": ["art"], "odd": [mark], "why": " -1, really "}),
        ("u2", "ann", {"good": "no", "topic": ["art", "sport"], "odd": []}),
        ("q1", "ann", {"good": "no", "topic": ["art"], "odd": []}),
        ("u1", "bob", {"good": "no", "topic": ["art"], "odd": []}),
    ]
    return CampaignRecord(
        settings={"campaign": "small", "title": "Small", "state": "running", "created_at": NOW.isoformat()},
        protocol="mixed/1",
        protocols=(ProtocolRecord("mixed", 1, PROTOCOL),),
        units=units,
        annotators=(AnnotatorRecord("ann", "active", NOW), AnnotatorRecord("bob", "excluded", NOW)),
        assignments=tuple(AssignmentRecord(unit, who, "done", NOW, NOW) for unit, who, _ in said),
        responses=tuple(
            ResponseRecord(unit, who, 1, True, answers, "mixed/1", f"key-{place}", NOW, NOW, 10.0 + place)
            for place, (unit, who, answers) in enumerate(said)
        ),
    )


def test_test_questions_and_excluded_people_are_left_out_and_counted() -> None:
    found = collect(RecordSource(small()))
    assert found["ratings"].cells["annotator"] == ["ann", "ann"]
    assert (found.left.tests, dict(found.left.excluded)) == (1, {"bob": 1})
    everything = collect(RecordSource(small()), Filter(tests=True, excluded=True))
    rows = zip(*(everything["ratings"].cells[name] for name in ("unit", "annotator", "test", "excluded")), strict=True)
    assert sorted(rows) == [
        ("q1", "ann", "true", "false"),
        ("u1", "ann", "false", "false"),
        ("u1", "bob", "false", "true"),
        ("u2", "ann", "false", "false"),
    ]


def test_every_table_has_the_shared_columns_and_short_facts() -> None:
    found = collect(RecordSource(small()))
    for name, frame in found.frames.items():
        assert list(frame.cells)[: len(SHARED)] == list(SHARED)
        assert ("domain" in frame.cells) == (name != "people")
        assert ("reference" in frame.cells) == (name == "texts")  # long: once is enough


def test_who_marked_nothing_has_a_row_of_its_own() -> None:
    spans = collect(RecordSource(small()))["spans"]
    rows = zip(*(spans.cells[name] for name in ("unit", "start", "end", "correction", "tokens")), strict=True)
    assert list(rows) == [("u1", "0", "2", "Bo", "6"), ("u2", "", "", "", "4")]


def test_options_of_several_choices_are_told_chosen_or_not() -> None:
    choices = collect(RecordSource(small()))["choices"]
    rows = zip(*(choices.cells[name] for name in ("unit", "label", "chosen")), strict=True)
    expected = [("u1", "sport", "false"), ("u1", "art", "true"), ("u2", "sport", "true"), ("u2", "art", "true")]
    assert list(rows) == expected


def test_only_some_systems_people_or_days() -> None:
    record = small()
    assert set(collect(RecordSource(record), Filter(systems=frozenset({"birch"})))["ratings"].cells["unit"]) == {"u2"}
    later = Filter(since=datetime(2026, 5, 5, tzinfo=UTC))
    left = collect(RecordSource(record), later)
    assert (len(left["ratings"]), left.left.unchosen) == (0, 2)
    nobody = Filter(annotators=frozenset({"zoe"}))
    assert len(collect(RecordSource(record), nobody)["ratings"]) == 0


@on_sqlite
def test_database_and_record_give_the_same_cells(store: Store) -> None:
    restore(store, small(), author="test")
    assert observe(store, "small").frames == collect(RecordSource(record_of(store, "small"))).frames


@pytest.mark.parametrize("sample", [one.name for one in samples()])
def test_samples_are_the_same_from_database_and_files(sample: str, filled: Store, tmp_path: Path) -> None:
    name = f"sample-{sample}"
    found = observe(filled, name)
    assert found.left.unread == {}
    assert found.frames == collect(RecordSource(record_of(filled, name))).frames
    write_observations(filled, name, tmp_path / "tidy")
    for table, frame in found.frames.items():
        if len(frame):
            cells = read_tidy(tmp_path / "tidy" / f"{table}.csv").cells
            assert {column: list(cells[column]) for column in frame.cells} == frame.cells


@on_sqlite
def test_files_hold_every_table_also_those_without_rows(store: Store, tmp_path: Path) -> None:
    restore(store, small(), author="test")
    write_observations(store, "small", tmp_path / "csv")
    write_observations(store, "small", tmp_path / "parquet", kind="parquet")
    assert sorted(path.stem for path in (tmp_path / "csv").iterdir()) == sorted([*TABLES, "protocol"])
    for table in TABLES:
        typed = polars.read_parquet(tmp_path / "parquet" / f"{table}.parquet")
        header = (tmp_path / "csv" / f"{table}.csv").read_text().split("\n", 1)[0]
        assert typed.columns == header.split(",")
    ratings = polars.read_parquet(tmp_path / "parquet" / "ratings.parquet")
    assert ratings["value"].to_list() == [1.0, 0.0]
    assert ratings["test"].to_list() == [False, False]
    with pytest.raises(FolderInUse):
        write_observations(store, "small", tmp_path / "csv")
    write_observations(store, "small", tmp_path / "all.zip")
    with zipfile.ZipFile(tmp_path / "all.zip") as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == {
            path.name: path.read_bytes() for path in (tmp_path / "csv").iterdir()
        }


def test_an_answer_that_was_kept_although_it_is_wrong_is_counted() -> None:
    record = small()
    wrong = replace(record.responses[0], answers={"good": "maybe", "odd": [{"id": "e", "start": 1, "end": 99}]})
    left = collect(RecordSource(replace(record, responses=(wrong,)))).left
    assert sum(left.unread.values()) == 2
    assert left.notes()[0].startswith("2 parts of answers could not be read")


def test_the_page_of_the_tables_is_up_to_date() -> None:
    assert page.PAGE.read_text(encoding="utf-8") == page.page(), "run: python -m tests.observations.page"


def test_a_column_of_many_different_cells_is_packed_and_reads_the_same(
    filled: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = observe(filled, "sample-tgea", without=()).frames
    monkeypatch.setattr(frames, "MANY", 2)
    few = observe(filled, "sample-tgea", without=()).frames
    assert isinstance(few["spans"].coded("at").names, PackedTexts)
    for table, frame in usual.items():
        assert list(frame.cells) == list(few[table].cells)
        for name, column in frame.cells.items():
            assert list(column) == list(few[table].cells[name]), (table, name)
            assert list(frame.coded(name).names) == list(few[table].coded(name).names), (table, name)


def test_cells_that_are_written_alike_keep_their_rows_when_a_column_is_packed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A text without marks has no correction, and one that deletes words has an empty one: both are empty cells."""
    monkeypatch.setattr(frames, "MANY", 3)
    cells = [None, "", "c0", "c1", "c1", "", None, "c2", "c0"]
    for taken in range(1, len(cells)):
        column = frames._Column("spans", "correction")
        column.extend(cells[:taken])
        column.extend(cells[taken:])
        assert list(column.coded()) == [cell or "" for cell in cells]


class _Marked:
    """A source of so many answers with four marks each, which holds none of them."""

    campaign = "many"
    protocol = parse(PROTOCOL)

    def __init__(self, texts: int) -> None:
        self._texts = texts

    def people(self) -> Iterator[ObservedPerson]:
        return (ObservedPerson(name, "person", "active", "", NOW) for name in ("Ann", "Bo", "Cai"))

    def facts(self) -> Iterator[dict[str, str]]:
        return ({"item": f"i{number // 4}", "system": f"s{number % 4}"} for number in range(self._texts))

    def units(self) -> Iterator[tuple[ObservedUnit, list[ObservedResponse]]]:
        shown = ShownUnit({"text": ShownText(make_text("t", "word " * 40))}).surface()
        for number, facts in enumerate(self.facts()):
            marks = [{"id": f"e{one}", "start": 2 * one, "end": 2 * one + 1, "fix": "so"} for one in range(4)]
            given = [
                ObservedResponse(
                    one.name,
                    {"odd": marks},
                    self.protocol,
                    NOW + timedelta(seconds=3 * number + turn, microseconds=1),
                    7.0 * turn,
                )
                for turn, one in enumerate(self.people())
            ]
            yield ObservedUnit(f"u{number}", facts, shown, {"text": ShownSurface("", 1)}), given


def test_a_row_of_a_table_takes_few_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of every mark and its share of an answer, at the most; before, 227 bytes."""
    monkeypatch.setattr(frames, "MANY", 100)

    def held(texts: int) -> int:
        tracemalloc.start()
        found = collect(_Marked(texts))
        size = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert len(found["spans"]) == 12 * texts
        return size

    held(10)  # whatever is made once
    assert (held(600) - held(200)) / (400 * 12) < 110
