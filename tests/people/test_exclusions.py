"""Excluding someone keeps their work, frees its places, says by which rule, and can be undone."""

from __future__ import annotations

from typing import Any

import pytest

from goldmark.campaigns.lifecycle import find_campaign
from goldmark.campaigns.progress import progress_of
from goldmark.campaigns.transfer.export import record_of
from goldmark.campaigns.transfer.restore import restore
from goldmark.people import set_aside
from goldmark.people.annotators import PersonExcluded, find_annotator, set_paused
from goldmark.people.exclusions import Excluded, ExclusionCost, costs, exclude, excluded_people
from goldmark.people.undo_exclusion import undo
from goldmark.results.campaign_tables import review_tables
from goldmark.store import Store
from goldmark.store.events import history
from goldmark.store.upkeep.health import check
from tests.campaigns.house import NAME, House, unit
from tests.cut_writes import cut_small
from tests.databases import on_sqlite


@pytest.fixture(autouse=True, params=["at once", "in pieces"])
def _counted(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of few answers and of many."""
    if request.param == "in pieces":
        monkeypatch.setattr(set_aside, "FEW", 0)
        cut_small(monkeypatch)


def labels_done(store: Store) -> int:
    return store.read(lambda connection: progress_of(connection, find_campaign(connection, NAME)).labels_done)


def state_of(store: Store, name: str) -> str:
    return store.read(lambda connection: find_annotator(connection, find_campaign(connection, NAME), name).state)


def answer(house: House, token: str, units: int) -> None:
    for _ in range(units):
        house.submit(token, house.task(token))


def shut_out(store: Store, name: str = "Ada", **told: Any) -> Excluded:
    return exclude(store, NAME, name, **{"author": "Mo", "reason": "noise", **told})


@on_sqlite
def test_excluding_frees_the_places_and_keeps_the_answers(store: Store) -> None:
    house = House.build(store, 3, labels_per_unit=1)
    ada = house.person("Ada")
    answer(house, ada, 2)  # and the third is in her hands
    cost = store.read(lambda connection: costs(connection, find_campaign(connection, NAME)))
    assert list(cost.values()) == [ExclusionCost(labels=2, reopened=3)]
    assert shut_out(store) == Excluded("Ada", True, labels=2, places=3, reopened=3)
    assert labels_done(store) == 0
    figures = store.read(lambda connection: progress_of(connection, find_campaign(connection, NAME)))
    assert (figures.labels_excluded, figures.labels_in_progress, figures.units_started) == (2, 0, 0)
    finished = house.next(ada).finished
    assert finished is not None
    assert finished.why == "excluded"
    record = record_of(store, NAME)
    assert len(record.responses) == 2
    assert record.final_responses() == ()
    assert len(record.final_responses(with_excluded=True)) == 2
    answer(house, house.person("Bo"), 3)
    assert labels_done(store) == 3


def test_a_decision_is_kept_with_its_author_rule_and_evidence_and_said_once(store: Store) -> None:
    house = House.build(store, 2)
    answer(house, house.person("Ada"), 1)
    evidence = {"noisy": 0.997, "n": 12}
    assert shut_out(store, rule="rate at 99 %", evidence=evidence).changed
    assert not shut_out(store, reason="again").changed
    said = store.read(lambda connection: history(connection, find_campaign(connection, NAME).id))
    decisions = [one for one in said if one.kind == "annotator excluded"]
    assert [(one.author, one.reason, one.facts["rule"], one.facts["evidence"]) for one in decisions] == [
        ("Mo", "noise", "rate at 99 %", evidence)
    ]


@on_sqlite
def test_undoing_takes_the_places_back_and_lets_the_person_go_on(store: Store) -> None:
    house = House.build(store, 3)
    ada = house.person("Ada")
    answer(house, ada, 2)
    held = house.task(ada)
    shut_out(store)
    restored = undo(store, NAME, "Ada", author="Mo", reason="a mistake")
    assert (restored.labels, restored.extra) == (2, 0)
    assert labels_done(store) == 2
    assert house.task(ada).id == held.id
    assert not undo(store, NAME, "Ada", author="Mo").changed
    assert check(store).problems == ()


def test_what_others_filled_meanwhile_is_kept_as_extra(store: Store) -> None:
    house = House.build(store, 3)
    answer(house, house.person("Ada"), 3)
    shut_out(store)
    answer(house, house.person("Bo"), 1)  # and he holds another
    restored = undo(store, NAME, "Ada", author="Mo")
    assert (restored.labels, restored.extra) == (1, 2)
    assert labels_done(store) == 2
    assert len(record_of(store, NAME).responses) == 4


@on_sqlite
def test_an_answer_that_arrives_after_the_exclusion_is_kept_with_the_rest(store: Store) -> None:
    house = House.build(store, 1)
    ada = house.person("Ada")
    task = house.task(ada)
    shut_out(store)
    accepted, following = house.submit(ada, task)
    assert accepted.extra
    assert following.task is None
    assert labels_done(store) == 0
    assert undo(store, NAME, "Ada", author="Mo").labels == 1
    assert labels_done(store) == 1


@on_sqlite
def test_work_under_review_comes_back_as_it_was(store: Store) -> None:
    house = House.build(store, 3, review={"required": True})
    ada = house.person("Ada")
    answer(house, ada, 3)
    first, second, _ = (one.id for one in house.waiting("Rhea"))
    house.judge(first, "approved", "Rhea")
    house.judge(second, "returned", "Rhea")
    before = record_of(store, NAME)
    shut_out(store)
    assert house.waiting("Rhea") == []
    undo(store, NAME, "Ada", author="Mo")
    after = record_of(store, NAME)
    assert [one.state for one in after.assignments] == [one.state for one in before.assignments]
    assert after.responses == before.responses
    assert check(store).problems == ()


def test_a_paused_person_is_paused_again_and_an_excluded_one_cannot_be_resumed(store: Store) -> None:
    House.build(store, 1).person("Ada")
    set_paused(store, NAME, "Ada", True, author="Mo")
    shut_out(store)
    with pytest.raises(PersonExcluded, match="undo the exclusion"):
        set_paused(store, NAME, "Ada", False, author="Mo")
    undo(store, NAME, "Ada", author="Mo")
    assert state_of(store, "Ada") == "paused"


@on_sqlite
def test_an_exclusion_survives_export_and_import_and_can_be_undone_there(store: Store) -> None:
    house = House.build(store, 3, review={"required": True})
    answer(house, house.person("Ada"), 2)
    house.judge(house.waiting("Rhea")[0].id, "approved", "Rhea")
    shut_out(store, rule="too fast")
    record = record_of(store, NAME)
    restore(store, record, name="again", author="Mo")
    again = record_of(store, "again")
    assert again.assignments == record.assignments
    assert again.responses == record.responses
    assert again.exclusions() == record.exclusions()
    assert check(store).problems == ()
    assert undo(store, "again", "Ada", author="Mo").labels == 2
    assert len(record_of(store, "again").final_responses()) == 1, "the other still waits for approval"


@on_sqlite
def test_a_record_says_who_is_excluded_and_by_what_and_never_counts_test_questions(store: Store) -> None:
    test = unit("t0", test="positive", expected={"mistakes": []})
    rates = {"positive": 0.5}
    house = House.build(store, [unit("u0"), unit("u1"), test], labels_per_unit=3, test_questions=rates)
    for name in ("Ada", "Bo", "Cleo"):
        token = house.person(name)
        while (task := house.next(token).task) is not None:
            house.submit(token, task)
    shut_out(store, "Ada", rule="rate at 99 %")
    shut_out(store, "Bo")
    record = record_of(store, NAME)
    assert [(one.annotator, one.rule, one.responses) for one in record.exclusions()] == [
        ("Ada", "rate at 99 %", 2),
        ("Bo", "", 2),
    ]
    assert store.read(lambda connection: excluded_people(connection, find_campaign(connection, NAME))) == tuple(
        record.exclusions()
    )
    assert {(one.unit, one.annotator) for one in record.final_responses()} == {("u0", "Cleo"), ("u1", "Cleo")}
    assert len(record.final_responses(with_excluded=True)) == 6
    assert len(record.responses) > 6, "test questions were answered too"
    undo(store, NAME, "Bo", author="Mo")
    assert {one.state for one in record_of(store, NAME).assignments if one.annotator == "Bo"} == {"done"}
    shut_out(store, "Bo")
    assert record.exclusion_notes() == (
        "2 annotators with 4 responses are excluded (rate at 99 %: 1, decided by hand: 1) and not counted here",
    )


def test_figures_say_who_is_excluded_and_can_be_computed_with_them(store: Store) -> None:
    house = House.build(store, 2, labels_per_unit=2, review={"required": True})
    for name in ("Ada", "Bo"):
        answer(house, house.person(name), 2)
    for one in house.waiting("Rhea"):
        house.judge(one.id, "approved", "Rhea")
    shut_out(store, rule="too fast")
    without = review_tables(store, NAME)
    including = review_tables(store, NAME, with_excluded=True)
    assert [(table.column("responses")[0], table.column("count")[0]) for table in (without[0], including[0])] == [
        ("approved at once", 2),
        ("approved at once", 4),
    ]
    said = "1 annotator with 2 responses is excluded (too fast: 1) and"
    assert all(table.notes[-1] == f"{said} not counted here" for table in without)
    assert all(table.notes[-1] == f"{said} counted here all the same" for table in including)
