"""Errors of finished gold lists instead of everybody's marks, counted by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from goldmark.campaigns.transfer.restore import restore
from goldmark.cli import run
from goldmark.curation.gold_lists.versions import gold_to_json
from goldmark.observations.filter import Filter
from goldmark.protocols import load
from goldmark.records.campaigns import CampaignRecord, GoldVersionRecord
from goldmark.records.gold import AnnotatorReport, GoldMistake, GoldText
from goldmark.records.spans import Span
from goldmark.results.all_tables import results_of
from goldmark.results.inputs.gold import NobodysList, NoFrozenGold
from goldmark.results.inputs.several_campaigns import results_of_all
from goldmark.results.options import AnalysisOptions
from goldmark.store import Store
from tests.campaigns.house import unit
from tests.results.filled import Said, record_of_answers

NOW = datetime(2026, 5, 5, tzinfo=UTC)
SETTINGS = AnalysisOptions(resamples=50)
PROTOCOL = load("accuracy-severity")
UNITS = {"a1": ("alder", "i1"), "a2": ("alder", "i2"), "b1": ("birch", "i1"), "b2": ("birch", "i2")}
SEVERITIES = {"critical": 2, "reduces_trust": 1, "non_critical": 0}


def mark(number: int, start: int, end: int, label: str = "NAME", severity: str = "critical") -> dict[str, Any]:
    return {"id": f"e{number}", "start": start, "end": end, "label": label, "correction": "x", "severity": severity}


# Ann finds 6 and Bo 3 errors in four texts of seven tokens; a2 has no gold list.
MARKS = {
    ("a1", "Ann"): [mark(1, 1, 2), mark(2, 4, 5, "NUMBER", "non_critical"), mark(3, 5, 6)],
    ("a1", "Bo"): [mark(1, 0, 2)],
    ("a2", "Ann"): [mark(1, 1, 2)],
    ("a2", "Bo"): [mark(1, 1, 2)],
    ("b1", "Ann"): [mark(1, 2, 3)],
    ("b1", "Bo"): [],
    ("b2", "Ann"): [mark(1, 4, 5)],
    ("b2", "Bo"): [mark(1, 4, 5)],
}


def mistake(text: str, start: int, end: int, label: str, severity: str, *found: tuple[str, int, int]) -> GoldMistake:
    sources = tuple(AnnotatorReport(who, Span(first, last), label) for who, first, last in found)
    return GoldMistake(text, Span(start, end), label, sources=sources, attributes=(("severity", severity),))


# In a1 Bo's "The Foxes" is another form of Ann's "Foxes"; her third mark was left out. Nothing is wrong with b1.
GOLD = (
    GoldText(
        "a1",
        (
            mistake("a1", 1, 2, "NAME", "critical", ("Ann", 1, 2), ("Bo", 0, 2)),
            mistake("a1", 4, 5, "NUMBER", "non_critical", ("Ann", 4, 5)),
        ),
    ),
    GoldText("b1", ()),
    GoldText("b2", (mistake("b2", 4, 5, "NAME", "reduces_trust", ("Ann", 4, 5), ("Bo", 4, 5)),)),
)


def record(name: str = "curated", gold: tuple[GoldText, ...] = GOLD) -> CampaignRecord:
    units = [unit(name, system=system, item=item) for name, (system, item) in UNITS.items()]
    said = [Said(text, "", "", who, {}, {"mistakes": marks}) for (text, who), marks in MARKS.items()]
    versions = tuple(GoldVersionRecord(one.text_id, "mistakes", 1, 1, gold_to_json(one), "Cur", NOW) for one in gold)
    return replace(record_of_answers(name, PROTOCOL, units, said), gold_versions=versions)


def rows(results: Any, name: str, *key: str) -> dict[Any, dict[str, Any]]:
    table = results.table(name)
    assert table is not None
    return {tuple(row[one] for one in key): row for row in table.records()}


def test_raw_marks_count_unless_gold_is_asked_for(store: Store) -> None:
    restore(store, record(), author="test")
    raw = results_of(store, "curated", SETTINGS)
    # alder: i1 (3 + 1) / 2, i2 (1 + 1) / 2; birch: i1 (1 + 0) / 2, i2 (1 + 1) / 2.
    found = rows(raw, "errors", "system", "label")
    assert found["alder", "total"]["value"] == 1.5
    assert found["birch", "total"]["value"] == 0.75
    assert any("3 texts also have a gold list (--marks gold)" in note for note in raw.notes)


def test_gold_lists_count_where_they_are_finished(store: Store) -> None:
    restore(store, record(), author="test")
    gold = results_of(store, "curated", SETTINGS, marks="gold")
    found = rows(gold, "errors", "system", "label")
    # alder: a1 has 2; birch: b1 none and b2 one.
    assert found["alder", "total"]["value"] == 2.0
    assert found["birch", "total"]["value"] == 0.5
    assert found["birch", "NAME"]["value"] == 0.5
    assert found["birch", "NUMBER"]["value"] == 0.0
    assert found["birch", "total"]["n"] == 2
    assert found["birch", "total"]["annotators"] is None
    assert found["birch", "total"]["reason"] == "differences between people are not in the interval"
    assert rows(gold, "texts-with-errors", "system")["birch",]["value"] == 0.5
    # Weights: alder critical 2 + non-critical 0; birch nothing and reduces trust 1.
    weighted = rows(gold, "weighted-errors", "system")
    assert (weighted["alder",]["value"], weighted["birch",]["value"]) == (2.0, 0.5)
    assert rows(gold, "severities", "system", "severity")["alder", "critical"]["value"] == 1.0
    (note,) = [note for note in gold.notes if "gold" in note]
    assert note == "errors are those of the gold lists of 3 texts; left out: 1 text without a finished list"
    # How far people agree is about their own marks, whichever errors are counted.
    raw = results_of(store, "curated", SETTINGS)
    assert gold.table("agreement") == raw.table("agreement")


def test_what_sets_of_annotators_find_of_the_gold_list(store: Store) -> None:
    restore(store, record(), author="test")
    found = results_of(store, "curated", SETTINGS)
    recall = rows(found, "combinations", "combination")
    # Three gold errors: Ann found all, Bo two of them, one in another form.
    assert (recall["Ann",]["any"], recall["Bo",]["any"], recall["Ann-Bo",]["all"]) == (
        1.0,
        pytest.approx(2 / 3),
        pytest.approx(2 / 3),
    )
    # In texts with a list Ann reported 5, of which 3 are in it; Bo 2, both.
    precision = rows(found, "combinations-precision", "combination")
    assert (precision["Ann",]["any"], precision["Bo",]["any"]) == (pytest.approx(3 / 5), 1.0)
    assert (precision["Ann",]["any_reports"], precision["Bo",]["any_reports"]) == (5, 2)


def test_a_gold_list_is_nobodys(store: Store) -> None:
    restore(store, record(), author="test")
    with pytest.raises(NobodysList, match="by annotators"):
        results_of(store, "curated", SETTINGS, marks="gold", wanted=Filter(annotators=frozenset({"Ann"})))
    only = results_of(store, "curated", SETTINGS, marks="gold", wanted=Filter(systems=frozenset({"birch"})))
    assert {key[0] for key in rows(only, "errors", "system", "label")} == {"birch"}


def test_without_a_gold_list_there_is_nothing_to_count(store: Store) -> None:
    restore(store, record(gold=()), author="test")
    with pytest.raises(NoFrozenGold, match="no finished gold list"):
        results_of(store, "curated", SETTINGS, marks="gold")
    assert results_of(store, "curated", SETTINGS).reasons["combinations"].startswith("it has no finished gold list")


def test_gold_lists_of_two_campaigns_are_pooled(store: Store) -> None:
    restore(store, record("one"), author="test")
    restore(store, record("two", GOLD[:1]), author="test")
    both = results_of_all(store, ["one", "two"], SETTINGS, marks="gold", pool=True)
    found = rows(both, "errors", "system", "label")
    # The same texts in both: a1 has 2 errors in either list, b1 and b2 are finished in the first only.
    assert (found["alder", "total"]["value"], found["birch", "total"]["value"]) == (2.0, 0.5)


def test_by_command(sqlite_database: str, capsys: pytest.CaptureFixture[str]) -> None:
    from goldmark.store import open_store

    store = open_store(sqlite_database)
    restore(store, record(), author="test")
    store.close()
    command = ["--database", sqlite_database, "--marks", "gold", "--resamples", "50", "--json"]
    assert run(["campaign", "results", "curated", "--table", "errors", *command]) == 0
    (shown,) = json.loads(capsys.readouterr().out)["tables"]
    assert run(["table", "errors", "--campaign", "curated", *command]) == 0
    (asked,) = json.loads(capsys.readouterr().out)["tables"]
    assert [{**row, "signature": asked["signature"]} for row in asked["rows"]] == shown["rows"]
    assert any("gold lists of 3 texts" in note for note in asked["notes"])
