"""Answers to test questions are graded as they arrive; grades survive edits, exports and faulty keys."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, select, update

from goldmark.campaigns.assignments.responses import ResponseService
from goldmark.campaigns.assignments.work_service import AssignedUnit
from goldmark.campaigns.lifecycle import find_campaign
from goldmark.campaigns.transfer.export import record_of
from goldmark.campaigns.transfer.restore import restore
from goldmark.quality import test_questions
from goldmark.quality.quality_check import QualityCheck
from goldmark.quality.test_questions import (
    PersonsTests,
    SignTally,
    answers_of,
    grade_again,
    people_tested,
    questions_of,
)
from goldmark.store import Store, open_store
from goldmark.store.migrate import prepare
from goldmark.store.tables import annotator, campaign, test_answer, unit, unit_secret
from tests.campaigns.house import NAME, House
from tests.campaigns.house import unit as make_unit
from tests.databases import on_sqlite

EXPECTED = {"positive": {"correct": {"at_least": 0.5}}, "negative": {"correct": {"below": 0.5}}}


def build(store: Store, **settings: Any) -> House:
    units = [make_unit(f"w{number}") for number in range(10)]
    for sign, expected in EXPECTED.items():
        units += [make_unit(f"{sign}-{number}", test=sign, expected=expected) for number in range(3)]
    house = House.build(
        store, units, protocol="rating-qa", test_questions={"positive": 0.25, "negative": 0.25}, **settings
    )
    house.responses = ResponseService(house.work, QualityCheck(store, house.work.content))
    return house


def work_through(house: House, token: str, answer: str) -> list[str]:
    """Someone who always says the same; returns the names of the units they met."""
    met = []
    following = house.next(token)
    while following.task is not None:
        met.append(name_of(house.store, following.task))
        _, following = house.submit(token, following.task, {"correct": answer})
    return met


def name_of(store: Store, task: AssignedUnit) -> str:
    query = select(unit.c.name).where(unit.c.id == task.unit_id)
    return str(store.read(lambda connection: connection.execute(query).scalar_one()))


def results(store: Store, name: str = NAME) -> list[PersonsTests]:
    return store.read(lambda connection: people_tested(connection, find_campaign(connection, name)))


def test_who_always_agrees_gets_every_positive_right_and_no_negative(store: Store) -> None:
    house = build(store, labels_per_unit=2)
    met = work_through(house, house.person("Ada"), "strongly_agree")
    asked = {sign: sum(name.startswith(sign) for name in met) for sign in EXPECTED}
    assert asked == {"positive": 3, "negative": 3}
    (ada,) = results(store)
    assert (ada.annotator, ada.positive, ada.negative) == ("Ada", SignTally(3, 3), SignTally(3, 0))
    house_rows = store.read(lambda connection: questions_of(connection, find_campaign(connection, NAME)))
    assert {one.name: one.answered for one in house_rows} == {
        name: SignTally(1, int(name.startswith("positive"))) for name in met if not name.startswith("w")
    }
    assert {one.sign: one.expected for one in house_rows} == EXPECTED


@on_sqlite
def test_the_middle_of_the_scale_counts_as_agreeing(store: Store) -> None:
    house = build(store)
    work_through(house, house.person("Ada"), "neutral")
    (ada,) = results(store)
    assert (ada.positive, ada.negative) == (SignTally(3, 3), SignTally(3, 0))


def test_the_newest_answer_holds_and_the_grade_says_why(store: Store) -> None:
    house = build(store)
    token = house.person("Ada")
    task = house.task(token)
    while not name_of(store, task).startswith("negative"):
        house.submit(token, task, {"correct": "agree"})
        task = house.task(token)
    house.submit(token, task, {"correct": "agree"})
    house.submit(token, task, {"correct": "disagree"})

    def look(connection: Connection) -> None:
        row = find_campaign(connection, NAME)
        person = connection.execute(select(annotator.c.id)).scalar_one()
        graded = [one for one in answers_of(connection, row, person) if one.assignment_id == task.id]
        (only,) = graded
        assert only.right
        assert only.sign == "negative"
        assert only.grade.sentences == ("“Disagree” is right.",)

    store.read(look)


def test_no_annotators_answer_is_lost_to_a_faulty_key(store: Store) -> None:
    house = build(store)
    store.write(
        lambda connection: connection.execute(
            update(unit_secret)
            .where(unit_secret.c.unit_id.in_(select(unit.c.id).where(~unit.c.counts)))
            .values(facts={"test": "positive", "expected": {"no_such_question": 1}})
        )
    )
    met = work_through(house, house.person("Ada"), "agree")
    assert any(not name.startswith("w") for name in met)
    assert results(store) == []


def test_an_imported_campaign_keeps_its_test_questions_and_their_grades(store: Store) -> None:
    house = build(store)
    work_through(house, house.person("Ada"), "agree")
    record = record_of(store, NAME)
    assert {one.unit[0] for one in record.final_responses()} == {"w"}, "test questions are no results"
    restore(store, record, name="again", author="test")
    assert results(store, "again") == []
    assert grade_again(store, house.work.content, "again") == 6
    (before,), (after,) = results(store), results(store, "again")
    assert replace(before, annotator_id=after.annotator_id) == after
    assert grade_again(store, house.work.content, "again") == 6
    kept = store.read(lambda connection: len(connection.execute(select(test_answer)).all()))
    assert kept == 12

    def lie(connection: Connection) -> dict[str, tuple[str, bool, int, int]]:
        row = find_campaign(connection, "again")
        found = connection.execute(select(unit).where(unit.c.campaign_id == row.id))
        return {one.name: (one.stratum, one.counts, one.taken, one.done) for one in found}

    again = store.read(lie)
    assert again["w0"] == ("work", True, 1, 1)
    assert again["positive-0"] == ("test-positive", False, 0, 0)


@on_sqlite
def test_files_for_other_tools_hold_no_test_questions_among_their_texts(store: Store) -> None:
    from goldmark.exchange.campaign import gsml, webanno
    from goldmark.exchange.campaign.tabular import CSV
    from goldmark.exchange.label_studio.format import LABEL_STUDIO

    expected: dict[str, Any] = {"mistakes": []}
    house = House.build(
        store,
        [make_unit("w0"), make_unit("w1"), make_unit("p0", test="positive", expected=expected)],
        test_questions={"positive": 0.5},
    )
    token = house.person("Ada")
    met = []
    following = house.next(token)
    while following.task is not None:
        met.append(name_of(store, following.task))
        marks = [{"id": "e1", "start": 1, "end": 2, "label": "NAME", "correction": "Herons"}]
        _, following = house.submit(token, following.task, {"mistakes": marks})
    assert "p0" in met
    record = record_of(store, NAME)
    for write in (gsml.write, webanno.write):
        files = dict(write(record))
        assert any("w0" in name for name in files)
        assert not any("p0" in name or b"p0" in content for name, content in files.items())
    tables = dict(CSV.write(record, None))
    assert b"p0" in tables["units.csv"]
    assert b"p0" in tables["responses.csv"]
    assert LABEL_STUDIO.read(dict(LABEL_STUDIO.write(record, None))).test_units() == {"p0"}


def test_what_is_to_be_graded_is_found_by_test_questions_and_not_by_answers(sqlite_database: str) -> None:
    store = open_store(sqlite_database)
    prepare(store)
    everybody = test_questions._ungraded.where(unit.c.campaign_id.in_(select(campaign.c.id)))
    for query in (test_questions._ungraded_of.params(person=1), everybody):
        written = query.compile(store.engine(), compile_kwargs={"literal_binds": True})
        with store.engine().connect() as connection:
            plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {written}").all()
        assert any("ix_unit_test" in one[3] for one in plan), plan
        assert not any(one[3].startswith("SCAN assignment") for one in plan), plan
    store.close()
