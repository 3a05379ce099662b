"""A returned answer is changed or answered with a reason; what stays disputed is decided by somebody else."""

from __future__ import annotations

from pathlib import Path

import pytest

from goldmark.campaigns.assignments.replies import NothingAmended, ReasonNotAccepted
from goldmark.campaigns.definition.settings import Settings
from goldmark.campaigns.lifecycle import find_campaign
from goldmark.campaigns.settings_change import change_settings
from goldmark.campaigns.transfer.export import record_of
from goldmark.campaigns.transfer.restore import restore
from goldmark.errors import ProblemsFound
from goldmark.exchange.formats import export_bytes, import_campaign
from goldmark.protocols import load
from goldmark.results.campaign_tables import review_tables
from goldmark.reviews import review as reviewing
from goldmark.reviews.unit_status import status_counts
from goldmark.store import Store
from goldmark.store.upkeep.health import check
from tests.campaigns.house import NAME, House
from tests.databases import on_sqlite

MARK = {"id": "e1", "start": 1, "end": 2, "label": "NAME", "correction": "Herons"}
MARKED = {"mistakes": [MARK]}
BETTER = {"mistakes": [{**MARK, "correction": "Badgers"}]}
WHY = "The table says Herons."


def returned(house: House, token: str, answers: int = 1) -> list[int]:
    """So many answers that somebody returned."""
    numbers = []
    for _ in range(answers):
        numbers.append(house.task(token).id)
        house.submit(token, numbers[-1], MARKED)
    for number in numbers:
        house.judge(number, "returned", "Rhea")
    return numbers


def status(house: House) -> dict[str, int]:
    found = house.store.read(lambda open_: status_counts(open_, find_campaign(open_, NAME), load("accuracy")))
    return {str(name): count for name, count in found.statuses.items() if count}


def test_unchanged_it_needs_a_reason_and_waits_until_it_is_decided(store: Store) -> None:
    house = House.build(store, 1)  # nothing else has to be approved here
    ada = house.person("Ada")
    (number,) = returned(house, ada)
    with pytest.raises(NothingAmended):
        house.submit(ada, number, MARKED)
    with pytest.raises(NothingAmended):
        house.submit(ada, number, MARKED, reply="  ")
    house.submit(ada, number, MARKED, reply=WHY)
    assert status(house) == {"disputed": 1}
    assert record_of(store, NAME).final_responses() == ()
    for reviewer in ("Rhea", "Sol"):
        (waiting,) = house.waiting(reviewer)
        assert (waiting.id, waiting.dispute) == (number, "raised")
    # The reviewer does not accept the reason: it waits for somebody else, and for nobody who returned it.
    judged = house.judge(number, "returned", "Rhea", "No, Badgers.")
    assert (judged.state, judged.disputed, judged.reviewers_missing) == ("waiting", True, 1)
    assert house.waiting("Rhea") == []
    (waiting,) = house.waiting("Sol")
    assert waiting.dispute == "undecided"
    row = store.read(lambda open_: find_campaign(open_, NAME))
    case = store.read(lambda open_: reviewing.case_of(open_, row, number, "Sol"))
    assert (case.decides, case.response.revisions[0].reply) == (True, WHY)
    assert [one.comment for one in case.words] == ["look again", "No, Badgers."]  # both sides are heard
    assert case.before is not None
    assert case.before.number == 1
    change_settings(store, NAME, Settings(), title="Small", author="test", reason="no matter")
    assert status(house) == {"disputed": 1}

    # Sol agrees with Rhea: now it has to be amended, and a reason is no longer enough.
    assert house.judge(number, "returned", "Sol", "It is.").state == "returned"
    again = house.task(ada)
    assert again.returned is not None
    assert again.returned.decided
    with pytest.raises(ReasonNotAccepted):
        house.submit(ada, number, MARKED, reply="But!")
    house.submit(ada, number, BETTER)
    assert house.judge(number, "approved", "Rhea", "").state == "done"
    assert check(store).problems == ()


@on_sqlite
def test_a_reviewer_may_yield_and_another_may_decide_for_the_annotator(store: Store) -> None:
    house = House.build(store, 3, review={"required": True})
    ada = house.person("Ada")
    yielded, upheld, partly = returned(house, ada, 3)
    house.submit(ada, yielded, MARKED, reply=WHY)
    assert house.judge(yielded, "approved", "Rhea", "").state == "done"
    house.submit(ada, upheld, MARKED, reply=WHY)
    house.judge(upheld, "returned", "Rhea")
    assert house.judge(upheld, "approved", "Sol", "").state == "done"
    assert house.judge(upheld, "returned", "Rhea", "still").state == "done"  # it is decided
    # Who amends some of it and gives a reason for the rest is in dispute too, and keeps the reason in a further change.
    house.submit(ada, partly, BETTER, reply=WHY)
    house.submit(ada, partly, MARKED)
    assert status(house) == {"approved": 2, "disputed": 1}
    assert house.judge(partly, "returned", "Sol").state == "returned"  # the first to look is nobody's party

    tables = {table.title: table for table in review_tables(store, NAME)}
    (row,) = tables["Disputes"].records()
    counts = {name: row[name] for name in ("disputes", "raised", "undecided", "yielded", "upheld", "overruled")}
    # The third was answered twice, and read and decided once.
    assert counts == {"disputes": 3, "raised": 0, "undecided": 0, "yielded": 1, "upheld": 1, "overruled": 1}
    outcomes = {row["responses"]: row["count"] for row in tables["Responses by what reviewers said"].records()}
    assert outcomes["returned, being amended"] == 1


@on_sqlite
def test_reasons_travel_with_the_campaign(store: Store, tmp_path: Path) -> None:
    house = House.build(store, 1)
    ada = house.person("Ada")
    house.submit(ada, returned(house, ada)[0], MARKED, reply=WHY)
    record = record_of(store, NAME)
    assert record.assignments[0].facts["replies"] == [{"revision": 2, "reply": WHY}]
    name, content = export_bytes(record, "jsonl")
    (tmp_path / name).write_bytes(content)
    read = import_campaign(tmp_path / name, "jsonl")
    restore(store, read, name="copy", author="test")
    copy = record_of(store, "copy")
    assert copy.assignments[0].facts["replies"] == record.assignments[0].facts["replies"]
    spoiled = content.replace(f'"reply":"{WHY}","revision":2'.encode(), b'"reply":7,"revision":2')
    assert spoiled != content
    (tmp_path / name).write_bytes(spoiled)
    with pytest.raises(ProblemsFound, match="reply to a reviewer"):
        restore(store, import_campaign(tmp_path / name, "jsonl"), name="other", author="test")
