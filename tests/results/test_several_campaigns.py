"""Several campaigns: side by side, and pooled, by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from goldmark.campaigns.transfer.restore import restore
from goldmark.cli import run
from goldmark.observations.frames import Observations, collect
from goldmark.observations.pooling import AnsweredTwice, NotTheSameQuestions, pooled
from goldmark.observations.source import RecordSource
from goldmark.protocols import load, parse
from goldmark.records.campaigns import CampaignRecord
from goldmark.results.all_tables import results_of
from goldmark.results.inputs.several_campaigns import NamedTwice, results_of_all
from goldmark.results.options import AnalysisOptions
from goldmark.store import Store, open_store
from tests.campaigns.house import unit
from tests.results.filled import Said, record_of_answers

SETTINGS = AnalysisOptions(resamples=50)
PROTOCOL = parse(
    """
protocol: liking/1
title: Liking
steps:
  - questions:
      - {id: good, kind: choice, options: {bad: 0, fair: 1, fine: 2}}
"""
)
# Two campaigns on the same two items. In the second "a1" is the same text again, and "a2" another, longer one.
FIRST = {("a1", "Ann"): "bad", ("a1", "Bo"): "fine", ("a2", "Ann"): "fine"}
SECOND = {("a1", "Ann"): "fine", ("a1", "Cai"): "fine", ("a2", "Cai"): "bad", ("b1", "Cai"): "fair"}


def campaign(name: str, said: dict[tuple[str, str], str], **texts: str) -> CampaignRecord:
    hidden = {"a1": ("alder", "i1"), "a2": ("alder", "i2"), "b1": ("birch", "i1")}
    units = [
        unit(text, texts.get(text, "The Foxes won ."), system=hidden[text][0], item=hidden[text][1])
        for text in dict.fromkeys(text for text, _ in said)
    ]
    answers = [Said(text, "", "", who, {}, {"good": option}) for (text, who), option in said.items()]
    return record_of_answers(name, PROTOCOL, units, answers)


def both() -> list[CampaignRecord]:
    return [campaign("one", FIRST), campaign("two", SECOND, a2="Quite another text , and longer .")]


def observed() -> list[Observations]:
    return [collect(RecordSource(record)) for record in both()]


def cells(found: Observations, table: str, *columns: str) -> list[tuple[str, ...]]:
    return list(zip(*(found[table].cells[column] for column in columns), strict=True))


def test_people_of_two_campaigns_are_not_the_same_unless_somebody_says_so() -> None:
    found = pooled(observed())
    assert cells(found, "ratings", "campaign", "unit", "item", "annotator", "label") == [
        ("one", "a1", "i1", "one/Ann", "bad"),
        ("one", "a1", "i1", "one/Bo", "fine"),
        ("one", "one/a2", "i2", "one/Ann", "fine"),
        ("two", "a1", "i1", "two/Ann", "fine"),
        ("two", "a1", "i1", "two/Cai", "fine"),
        ("two", "two/a2", "i2", "two/Cai", "bad"),
        ("two", "b1", "i1", "two/Cai", "fair"),
    ]
    assert found.campaign == "one + two"
    assert sorted(found["people"].cells["annotator"]) == ["one/Ann", "one/Bo", "two/Ann", "two/Cai"]


def test_the_same_people_cannot_answer_the_same_text_twice() -> None:
    with pytest.raises(AnsweredTwice, match="Ann answered 'a1' in 'one' and in 'two'"):
        pooled(observed(), same_people=True)


def test_the_same_people_are_counted_once() -> None:
    records = [campaign("one", FIRST), campaign("two", {("b1", "Ann"): "fine", ("b1", "Cai"): "bad"})]
    found = pooled([collect(RecordSource(record)) for record in records], same_people=True)
    people = {row[0]: row[1:] for row in cells(found, "people", "annotator", "responses", "seconds_median")}
    assert people["Ann"] == ("3", "")  # of two campaigns' medians nobody knows the median
    assert people["Bo"][0] == "1"
    total = {row[0]: row[1] for row in cells(found, "people", "annotator", "seconds_total")}
    # 20 and 22 seconds in the first campaign (every answer takes a second longer), 20 in the second.
    assert total["Ann"] == "62.0"


def test_what_asks_something_else_cannot_be_pooled() -> None:
    other = collect(RecordSource(record_of_answers("other", load("pairwise"), [], [])))
    with pytest.raises(NotTheSameQuestions, match="good, preferred, why"):
        pooled([observed()[0], other])
    # The same question with other options is the same question: a scale is a scale.
    wider = parse(PROTOCOL.source.replace("fine: 2", "fine: 2, great: 3").replace("liking/1", "liking/2"))
    record = replace(campaign("three", FIRST), protocol=wider.id)
    asked = record_of_answers("three", wider, list(record.units), [])
    assert pooled([observed()[0], collect(RecordSource(asked))]).protocol.id == "liking/1"


def rating(results: Any, **key: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = results.table("ratings").records()
    (row,) = [row for row in found if all(row[name] == value for name, value in key.items())]
    return row


def test_pooled_means_by_hand(store: Store) -> None:
    for record in both():
        restore(store, record, author="test")
    pool = results_of_all(store, ["one", "two"], SETTINGS, pool=True)
    # alder: item i1 has bad fine fine fine, 6 / 4; i2 fine and bad, 1. birch: i1 fair.
    assert rating(pool, system="alder")["value"] == np.mean([6 / 4, 1])
    assert rating(pool, system="alder")["annotators"] == 4
    assert rating(pool, system="birch")["value"] == 1.0
    assert any(note.startswith("pooled: nobody is taken to have worked in two campaigns") for note in pool.notes)
    # a1 is the same text in both, so that four people agree on it or not: of six pairs, three are equal.
    percent = next(row for row in pool.table("agreement").records() if row["measure"] == "percent")  # type: ignore[union-attr]
    assert percent["value"] == 0.5
    by_campaign = results_of_all(store, ["one", "two"], SETTINGS, pool=True, by="campaign")
    assert rating(by_campaign, campaign="one")["value"] == np.mean([1, 2])
    assert rating(by_campaign, campaign="two")["value"] == np.mean([np.mean([2, 2, 1]), 0])


def test_side_by_side_every_row_says_whose_it_is(store: Store) -> None:
    for record in both():
        restore(store, record, author="test")
    beside = results_of_all(store, ["one", "two"], SETTINGS)
    alone = {name: results_of(store, name, SETTINGS) for name in ("one", "two")}
    for named in beside.tables:
        assert named.table.columns[0] == "campaign"
    for name, single in alone.items():
        for row in single.table("ratings").records():  # type: ignore[union-attr]
            assert rating(beside, campaign=name, system=str(row["system"])) == {"campaign": name, **row}
    with pytest.raises(NamedTwice):
        results_of_all(store, ["one", "one"], SETTINGS)


def test_by_command(sqlite_database: str, capsys: pytest.CaptureFixture[str]) -> None:
    store = open_store(sqlite_database)
    for record in both():
        restore(store, record, author="test")
    store.close()
    command = ["campaign", "results", "one", "two", "--table", "ratings", "--database", sqlite_database]
    assert run([*command, "--json", "--resamples", "50"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [row["campaign"] for row in shown["tables"][0]["rows"]] == ["one", "two", "two"]
    assert run([*command, "--json", "--resamples", "50", "--pool"]) == 0
    pool = json.loads(capsys.readouterr().out)
    assert (pool["campaign"], len(pool["tables"][0]["rows"])) == ("one + two", 2)
    assert run([*command, "--pool", "--same-people"]) == 1
    assert "which would count twice" in capsys.readouterr().err
