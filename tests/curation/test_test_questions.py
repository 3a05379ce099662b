"""Curated texts become test questions of another campaign: whoever read them finds what the gold list holds."""

from __future__ import annotations

from typing import Any

import pytest

from goldmark.campaigns.assignments.responses import ResponseService, Submission
from goldmark.campaigns.definition.settings import Settings, TestQuestions
from goldmark.campaigns.lifecycle import create, find_campaign, move
from goldmark.curation.test_questions import NothingCurated, NothingToAdd, QuestionRequest, add_test_questions
from goldmark.errors import ProblemsFound
from goldmark.people.annotators import invite
from goldmark.protocols import load
from goldmark.quality.quality_check import QualityCheck
from goldmark.quality.test_questions import SignTally, people_tested, questions_of
from goldmark.store import Store
from tests.campaigns.house import NAME, unit
from tests.curation.test_service import WORDS, Office
from tests.databases import on_sqlite

RATES = TestQuestions(positive=0.25, negative=0.25)


def curated(store: Store) -> Office:
    """Two texts: one whose gold list has mistakes, one in which nobody found any."""
    clean = "The Foxes rested on Friday night and nothing happened ."
    office = Office(store, [unit("g1", WORDS), unit("g2", clean)])
    for name in ("Ann", "Bo", "Cy"):
        token = office.house.person(name)
        following = office.house.next(token)
        while following.task is not None:
            text = office.content.preview(following.task.unit_id)
            marks = [{"id": "e1", "start": 1, "end": 2, "label": "NAME", "correction": "Herons"}]
            given = marks if text.startswith(WORDS[:20]) else []
            _, following = office.house.submit(token, following.task, {"mistakes": given})
    for unit_id in office.units():
        office.step(unit_id, office.decide(unit_id), "finish")
    create(
        store,
        name="next",
        title="Next",
        protocol=load("accuracy"),
        settings=Settings(labels_per_unit=2),
        units=[unit(f"w{number}", f"Text number {number} .") for number in range(12)],
        author="test",
    )
    move(store, "next", "started", author="test")
    return office


@on_sqlite
def test_gold_lists_are_what_is_to_be_found(store: Store) -> None:
    office = curated(store)
    assert add_test_questions(store, "next", QuestionRequest(curated=NAME), RATES, author="Mo") == 2
    found = store.read(lambda connection: questions_of(connection, find_campaign(connection, "next")))
    assert {one.name: one.sign for one in found} == {"g1/negative": "negative", "g2/positive": "positive"}
    row = store.read(lambda connection: find_campaign(connection, "next"))
    assert row.settings.test_questions == RATES

    workspace = ResponseService(office.house.work, QualityCheck(office.house.store, office.content))
    for name, marks in (("Careful", True), ("Idle", False)):
        _, token = invite(store, office.house.links, "next", name, author="test")
        following = office.house.work.next(token)
        number = 0
        while following.task is not None and number < 20:
            number += 1
            wrong = office.content.preview(following.task.unit_id).startswith(WORDS[:20])
            said: list[dict[str, Any]] = []
            if marks and wrong:
                said = [{"id": "e1", "start": 0, "end": 2, "label": "WORD", "correction": "Bears"}]
            key = f"key-{name}-{number:04}"
            _, following = workspace.submit(token, following.task.id, Submission({"mistakes": said}, key, None, 1.0))
    tested = store.read(lambda connection: people_tested(connection, find_campaign(connection, "next")))
    results = {one.annotator: (one.positive, one.negative) for one in tested}
    assert results["Careful"] == (SignTally(1, 1), SignTally(1, 1))
    assert results["Idle"] == (SignTally(1, 1), SignTally(1, 0))


@on_sqlite
def test_texts_that_the_campaign_shows_itself_are_no_test_questions(store: Store) -> None:
    curated(store)
    with pytest.raises(NothingCurated):
        add_test_questions(store, NAME, QuestionRequest(curated=NAME), RATES, author="Mo")
    with pytest.raises(NothingCurated):
        add_test_questions(store, NAME, QuestionRequest(curated="next"), RATES, author="Mo")


@on_sqlite
def test_rates_must_fit_what_there_is_and_something_must_be_named(store: Store) -> None:
    curated(store)
    with pytest.raises(ProblemsFound) as found:
        add_test_questions(store, "next", QuestionRequest(curated=NAME), TestQuestions(negative=0.1), author="Mo")
    assert "positive" in found.value.problems[0].what
    with pytest.raises(NothingToAdd):
        add_test_questions(store, "next", QuestionRequest(), RATES, author="Mo")
