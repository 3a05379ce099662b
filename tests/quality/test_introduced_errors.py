"""Introduced errors in a campaign: who found them is told, and gold lists and counts of errors know nothing of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from goldmark.campaigns.lifecycle import find_campaign
from goldmark.campaigns.transfer.export import record_of
from goldmark.campaigns.transfer.observe import write_observations
from goldmark.curation.proposals.reports import reports_by_text
from goldmark.curation.workspace.service import open_workspace
from goldmark.quality import evidence
from goldmark.quality.flags import flags_of
from goldmark.quality.introduced_errors import IntroducedCase, recalls, recalls_in
from goldmark.quality.noisy_monitor import NoisyMonitor
from goldmark.quality.rules import RuleKeeper, act
from goldmark.records.introduced import Introduced
from goldmark.records.spans import Span
from goldmark.store import Store
from goldmark.texts.readers.tidy import read_tidy
from tests.campaigns.house import NAME, House
from tests.campaigns.house import unit as make_unit

# "The Foxes won on Friday night ." with "won" for "lost" and "Friday" for "Monday".
INTRODUCED = [
    {"start": 2, "end": 3, "label": "WORD", "text": "won", "original": "lost"},
    {"start": 4, "end": 5, "label": "NAME", "text": "Friday", "original": "Monday"},
]


def mark(name: str, start: int, end: int, label: str = "WORD") -> dict[str, Any]:
    return {"id": name, "start": start, "end": end, "label": label, "correction": "x"}


def test_recall_by_hand() -> None:
    errors = tuple(Introduced(Span(at, at + 1), label, "", "") for at, label in ((2, "WORD"), (4, "NAME"), (6, "NAME")))
    cases = [
        IntroducedCase("Ada", "u1", errors, (Span(1, 3), Span(4, 5))),
        IntroducedCase("Bo", "u1", errors, (Span(0, 1),)),
    ]
    everybody, ada, bo = recalls(cases)
    # Ada: "WORD" and one "NAME" of three; Bo: none of three; together two of six.
    assert (everybody.found, everybody.introduced, everybody.texts) == (2, 6, 1)
    assert (ada.found, ada.by_label) == (2, {"NAME": (1, 2), "WORD": (1, 1)})
    assert ada.share.value == pytest.approx(2 / 3)
    assert bo.share.value == 0
    # Errors of one text hang together: one text alone says nothing of others.
    assert (ada.share.interval, ada.share.reason) == (None, "one item alone says nothing of others")
    assert recalls([])[0].share.value is None


def test_the_interval_of_recall_is_over_texts() -> None:
    def case(text: int, found: int) -> IntroducedCase:
        errors = tuple(Introduced(Span(at, at + 1), "WORD", "", "") for at in range(3))
        return IntroducedCase("Ada", f"u{text}", errors, tuple(error.span for error in errors[:found]))

    _, alike = recalls([case(text, 0) for text in range(20)])
    assert alike.share.interval is not None
    assert alike.share.interval.low == 0
    assert 0.1 < alike.share.interval.high < 0.25  # of twenty texts, not of sixty errors
    _, apart = recalls([case(text, 3 * (text % 2)) for text in range(20)])
    _, mixed = recalls([case(text, 1 + text % 2) for text in range(20)])
    assert apart.share.interval is not None
    assert mixed.share.interval is not None
    assert apart.share.interval.high - apart.share.interval.low > mixed.share.interval.high - mixed.share.interval.low


def build(store: Store) -> House:
    house = House.build(store, [make_unit("u0", introduced=INTRODUCED, system="s"), make_unit("u1", system="s")])
    ada = house.person("Ada")
    following = house.next(ada)
    while following.task is not None:
        # Everywhere: "Foxes" is a real mistake, "won" and "Friday" are marked as well.
        marks = [mark("e1", 1, 2, "NAME"), mark("e2", 2, 3), mark("e3", 4, 5, "NAME")]
        _, following = house.submit(ada, following.task, {"mistakes": marks})
    return house


def test_gold_lists_and_counts_leave_them_out(store: Store, tmp_path: Path) -> None:
    house = build(store)
    record = record_of(store, NAME)
    reported = {(one.text_id, one.span.start) for text in reports_by_text(record) for one in text.marks}
    assert reported == {("u0", 1), ("u1", 1), ("u1", 2), ("u1", 4)}

    def look(connection: Any) -> None:
        row = find_campaign(connection, NAME)
        for unit in record.units:
            found = connection.exec_driver_sql(f"SELECT id FROM unit WHERE name = '{unit.id}'").scalar_one()
            responses = open_workspace(connection, house.work.content, row, found)
            assert [one.span.start for one in responses.marks["Ada"]] == ([1] if unit.id == "u0" else [1, 2, 4])
        (everybody, ada) = recalls_in(connection, row, house.work.content.protocol(row.protocol_id))
        assert (everybody.found, everybody.introduced) == (2, 2)
        assert (ada.annotator, ada.by_label) == ("Ada", {"NAME": (1, 1), "WORD": (1, 1)})

    store.read(look)
    write_observations(store, NAME, tmp_path / "tidy")
    spans = read_tidy(tmp_path / "tidy" / "spans.csv").cells
    assert set(zip(spans["unit"], spans["start"], spans["introduced"], strict=True)) == {
        ("u0", "1", "false"), ("u0", "2", "true"), ("u0", "4", "true"),
        ("u1", "1", "false"), ("u1", "2", "false"), ("u1", "4", "false"),
    }  # fmt: skip


def test_who_misses_them_stands_out_and_a_rule_can_act(store: Store) -> None:
    """Three texts of the work with two errors each: Bo and Cy find them, Ada marks something else."""
    rules = [{"when": "misses_errors", "do": "warn", "at": 0.5, "after": 5}]
    units = [make_unit(f"u{number}", introduced=INTRODUCED) for number in range(3)]
    house = House.build(store, units, labels_per_unit=3, quality={"rules": rules})
    found = [mark("e2", 2, 3), mark("e3", 4, 5, "NAME")]
    people = {name: house.person(name) for name in ("Ada", "Bo", "Cy")}
    for name, token in people.items():
        following = house.next(token)
        while following.task is not None:
            answers = {"mistakes": [mark("e1", 0, 1)] if name == "Ada" else found}
            _, following = house.submit(token, following.task, answers)
    content, watching = house.work.content, NoisyMonitor()

    def look(connection: Any) -> list[tuple[str, Any, list[str]]]:
        seen = evidence.crowd(connection, find_campaign(connection, NAME), content, watching).people
        return [(one.person.name, one.signals.errors_found, flags_of(one)) for one in seen]

    told = {name: (share, flags) for name, share, flags in store.read(look)}
    assert told["Ada"] == ((0, 6), [told["Ada"][1][0], "known errors found 0 of 6, usual is 100%"])
    assert told["Bo"][0] == (6, 6)
    assert not any("known errors" in one for one in told["Bo"][1])

    def let_rules_act(connection: Any) -> list[str]:
        row = find_campaign(connection, NAME)
        for number in connection.exec_driver_sql("SELECT id FROM annotator").scalars().all():
            act(connection, row.id, number, RuleKeeper(content, lambda: watching).look(connection, row.id, number))
        return list(connection.exec_driver_sql("SELECT subject FROM event WHERE kind = 'annotator warned'").scalars())

    assert store.write(let_rules_act) == ["Ada"]


def test_a_campaign_without_introduced_errors_reports_nothing(store: Store) -> None:
    house = House.build(store, 2)
    found = store.read(
        lambda connection: recalls_in(connection, find_campaign(connection, NAME), house.work.content.protocol(1))
    )
    assert found == []
