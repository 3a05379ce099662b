"""From joining to the first text: lessons, feedback, the test, another try, a reviewer's word, what counts later."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import func, select

from goldmark.campaigns.assignments.responses import AnswersNotAccepted
from goldmark.campaigns.definition.settings import Settings
from goldmark.campaigns.lifecycle import find_campaign
from goldmark.campaigns.settings_change import change_settings
from goldmark.campaigns.transfer.export import record_of
from goldmark.campaigns.transfer.restore import restore
from goldmark.errors import ProblemsFound
from goldmark.people import annotators
from goldmark.people.participants import Arrival
from goldmark.quality.training import learners
from goldmark.quality.training.learners import Learner, NothingToDecide, ReasonMissing
from goldmark.quality.training.service import Feedback, Lesson, LessonMovedOn, NoOtherTry
from goldmark.store import Store, events, open_store
from goldmark.store.tables import attempt_answer, qualification
from tests.beside import beside
from tests.cut_writes import asked_of_writer
from tests.quality.classroom import RIGHT, TAUGHT, Classroom, marks


@pytest.fixture
def lite(sqlite_database: str) -> Iterator[Store]:
    """SQLite alone, for what does not depend on the database; those that take `store` run on both."""
    opened = open_store(sqlite_database)
    yield opened
    opened.close()


@pytest.fixture
def room(lite: Store) -> Classroom:
    return Classroom.build(lite)


def item_of(lesson: Lesson) -> str:
    assert lesson.item is not None
    return lesson.item.id


def told(feedback: Feedback | None) -> Feedback:
    assert feedback is not None
    return feedback


def learner(room: Classroom, name: str = "Ada") -> Learner:
    def look(connection: Any) -> Learner:
        row = find_campaign(connection, room.name)
        return next(one for one in learners.learners(connection, row) if one.name == name)

    return room.store.read(look)


def held(room: Classroom) -> int:
    """How many qualifications count, of anybody."""
    query = select(func.count()).where(qualification.c.revoked_at.is_(None))
    return int(room.store.read(lambda connection: connection.execute(query).scalar_one()))


def test_nobody_gets_a_text_before_they_have_learnt_and_passed(room: Classroom) -> None:
    ada = room.person()
    for stage in ("learn", "qualify"):
        ending = room.work.next(ada).finished
        assert ending is not None
        assert ending.why == stage
        room.go_through(ada, until="qualify" if stage == "learn" else "work")
    assert room.work.next(ada).task is not None
    assert room.training.lesson(ada).stage == "work"


def test_lessons_come_in_order_with_feedback_after_each(room: Classroom) -> None:
    ada = room.person()
    first = room.training.lesson(ada)
    assert (first.stage, first.place, first.items, item_of(first)) == ("learn", 0, 3, "1")
    feedback, second = room.give(ada, "1")
    assert feedback is None  # there is nothing to say about reading
    assert item_of(second) == "2.1"
    feedback, third = room.give(ada, "2.1", marks((1, 2, "NAME")))
    grade = told(feedback).grade
    assert grade is not None
    assert [one.sentence for one in grade.parts[0].marks] == [
        "Not an error: “Foxes”.",
        "Missed: “Friday” is wrong. Its category is Name. KEY-because",
    ]
    assert third.previous is not None
    assert third.previous.item.id == "2.1"  # to be looked at again after a reload
    feedback, after = room.give(ada, "3.1", {"pick": "a"})
    grade = told(feedback).grade
    assert grade is not None
    assert grade.sentences == ("You chose “Text A”; right would be “Text B”.",)
    assert after.stage == "qualify"  # a training is not passed or failed


def test_a_lesson_resumes_where_it_was(room: Classroom) -> None:
    ada = room.person()
    room.give(ada, "1") if room.training.lesson(ada) else None
    for _ in range(2):
        assert item_of(room.training.lesson(ada)) == "2.1"
    assert [one.number for one in learner(room).attempts if one.kind == "training"] == [1]


def test_sending_twice_changes_nothing(store: Store) -> None:
    room = Classroom.build(store)
    ada = room.person()
    room.training.lesson(ada)
    room.give(ada, "1")
    first = room.give(ada, "2.1", marks(), key="the-same-key")
    again = room.give(ada, "2.1", marks((4, 5, "NAME")), key="the-same-key")
    assert told(again[0]).answers == told(first[0]).answers == marks()
    assert item_of(again[1]) == "3.1"
    with pytest.raises(LessonMovedOn):
        room.give(ada, "2.1", marks((4, 5, "NAME")), key="another-key")
    query = select(func.count()).select_from(attempt_answer)
    assert room.store.read(lambda connection: connection.execute(query).scalar_one()) == 2


def test_what_cannot_be_an_answer_is_refused_beside_its_question(room: Classroom) -> None:
    ada = room.person()
    room.give(ada, "1") if room.training.lesson(ada) else None
    with pytest.raises(AnswersNotAccepted) as error:
        room.give(ada, "2.1", marks((4, 50, "NAME")))
    assert error.value.problems[0].where == "errors"
    assert item_of(room.training.lesson(ada)) == "2.1"


def test_in_the_test_nothing_is_told_before_it_is_over(room: Classroom) -> None:
    ada = room.person()
    lesson = room.go_through(ada, until="qualify")
    assert (lesson.items, item_of(lesson)) == (2, "q1")
    feedback, lesson = room.give(ada, "q1", marks())
    assert feedback is None
    assert lesson.previous is None
    assert lesson.result is None


def test_failing_learning_again_and_passing(store: Store) -> None:
    room = Classroom.build(store)
    ada = room.person()
    lesson = room.go_through(ada, wrong=("q1",))
    assert lesson.stage == "failed"
    assert room.work.next(ada).task is None
    ending = lesson.result
    assert ending is not None
    # One of two passages found: 0.5 where 0.7 is needed.
    recall = next(row for row in ending.rows if row["what"] == "Passages found")
    assert (recall["share"], recall["needed"], recall["met"]) == (0.5, 0.7, False)
    assert [one.item.id for one in ending.missed] == ["q1"]
    assert (ending.attempt, ending.attempts, ending.may_retry, ending.thanks) == (1, 2, True, "")
    again = room.training.again(ada)
    assert (again.stage, again.attempt, item_of(again)) == ("learn", 2, "1")  # reading comes first
    assert room.go_through(ada).stage == "work"
    assert [(one.kind, one.number, one.state) for one in learner(room).attempts] == [
        ("training", 1, "done"),
        ("qualification", 1, "failed"),
        ("training", 2, "done"),
        ("qualification", 2, "passed"),
    ]
    assert held(room) == 1


def test_the_last_try_ends_with_thanks(room: Classroom) -> None:
    ada = room.person()
    room.go_through(ada, wrong=("q1", "q2"))
    room.training.again(ada)
    lesson = room.go_through(ada, wrong=("q1", "q2"))
    assert lesson.result is not None
    assert (lesson.result.may_retry, lesson.result.thanks) == (False, "Thank you **all the same**.")
    with pytest.raises(NoOtherTry):
        room.training.again(ada)
    assert held(room) == 0
    history = room.store.read(lambda connection: events.history(connection, find_campaign(connection, room.name).id))
    kinds = [(one.kind, one.facts["attempt"]) for one in history if "qualification" in one.kind]
    assert kinds == [("qualification failed", 2), ("qualification failed", 1)]


@pytest.mark.parametrize(
    ("feedback", "rows", "missed"), [("full", True, True), ("score", True, False), ("none", False, False)]
)
def test_how_much_is_told_of_a_failure(lite: Store, feedback: str, rows: bool, missed: bool) -> None:
    room = Classroom.build(lite, TAUGHT.replace("  attempts: 2", f"  attempts: 2\n  feedback: {feedback}"))
    ending = room.go_through(room.person(), wrong=("q1",)).result
    assert ending is not None
    assert (bool(ending.rows), bool(ending.missed)) == (rows, missed)


def test_another_try_can_have_other_texts(lite: Store) -> None:
    room = Classroom.build(lite, TAUGHT.replace("  attempts: 2", "  attempts: 3\n  take: 1"), training="nothing")
    ada = room.person()
    asked = []
    for _ in range(3):
        lesson = room.training.lesson(ada)
        asked.append(item_of(lesson))
        _, lesson = room.give(ada, item_of(lesson), marks())
        if lesson.result is not None and lesson.result.may_retry:
            room.training.again(ada)
    assert asked == ["q1", "q2", "q1"]


def test_training_can_be_repeated_and_left(room: Classroom) -> None:
    ada = room.person()
    with pytest.raises(NoOtherTry):
        room.training.leave(ada)  # the first time it is needed
    room.go_through(ada)
    lesson = room.training.again(ada)
    assert (lesson.stage, lesson.may_leave) == ("learn", True)
    ending = room.work.next(ada).finished
    assert ending is not None
    assert ending.why == "learn"
    assert room.training.leave(ada).stage == "work"
    assert room.work.next(ada).task is not None
    assert [one.state for one in learner(room).attempts if one.kind == "training"] == ["done", "left"]
    assert len(learner(room).qualifications) == 1  # passed once is passed


def test_a_reviewer_decides(store: Store) -> None:
    room = Classroom.build(store, TAUGHT.replace("  attempts: 2", "  attempts: 2\n  decide: reviewer"))
    ada = room.person()
    lesson = room.go_through(ada)
    assert lesson.stage == "awaiting"
    assert lesson.result is not None
    assert lesson.result.rows == ()  # nothing is decided, so nothing is told
    number = learner(room).id
    with pytest.raises(ReasonMissing):
        learners.decide_on(store, room.work.content, room.name, number, passed=True, author="Bo", reason=" ")
    decided = learners.decide_on(
        store, room.work.content, room.name, number, passed=False, author="Bo", reason="Too coarse."
    )
    assert decided.stage == "failed"
    decided = learners.decide_on(
        store, room.work.content, room.name, number, passed=True, author="Bo", reason="Looked again."
    )
    assert (decided.stage, held(room)) == ("work", 1)
    last = decided.last
    assert last is not None
    assert (last.state, last.decided_by, last.facts["reason"]) == ("passed", "Bo", "Looked again.")
    learners.decide_on(store, room.work.content, room.name, number, passed=False, author="Bo", reason="After all.")
    assert held(room) == 0  # what was earned here counts no more, and stays in the table
    ending = room.work.next(ada).finished
    assert ending is not None
    assert ending.why == "failed"


def test_who_begins_another_try_while_somebody_decides_begins_it_afterwards(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = Classroom.build(store)
    ada = room.person()
    assert room.go_through(ada, wrong=("q1", "q2")).stage == "failed"
    number = learner(room).id
    with beside(monkeypatch, learners, "learner", lambda: room.training.again(ada)) as asked:
        decided = learners.decide_on(
            store, room.work.content, room.name, number, passed=True, author="Bo", reason="Looked again."
        )
    assert decided.stage == "work"
    assert (asked[0].result().stage, learner(room).stage) == ("learn", "learn")  # once more, who has passed


def test_there_is_nothing_to_decide_before_the_test_is_over(room: Classroom) -> None:
    room.person()
    with pytest.raises(NothingToDecide):
        learners.decide_on(
            room.store, room.work.content, room.name, learner(room).id, passed=True, author="Bo", reason="Why not."
        )


def join(room: Classroom, who: str) -> str:
    row = room.store.read(lambda connection: find_campaign(connection, room.name))
    invite = room.links.invite(row.id, row.invite_nonce)
    return annotators.join(room.store, room.links, invite, arrival=Arrival("prolific", who))


@pytest.mark.parametrize("name", ["errors-1", "errors-0", "else-1"])
def test_a_qualification_earned_once_counts_later(store: Store, name: str) -> None:
    """The later campaign asks errors-1 and accepts errors-0; something else does not count."""
    room = Classroom.build(store, TAUGHT.replace("name: errors-1", f"name: {name}"))
    room.go_through(join(room, "p1"))
    later = Classroom.build(store, name="later")
    stage = later.training.lesson(join(later, "p1")).stage
    assert stage == ("learn" if name == "else-1" else "work")
    assert later.training.lesson(join(later, "p2")).stage == "learn"


def test_who_came_by_a_personal_link_is_kept_as_a_person_without_an_id(room: Classroom) -> None:
    room.go_through(room.person())
    assert held(room) == 1


@pytest.mark.parametrize(
    ("settings", "stage"),
    [
        ({"training": "nothing"}, "qualify"),
        ({"training": "nothing", "qualification": False}, "work"),
        ({"qualification": False}, "learn"),
        ({"conditions": [{"name": "c", "training": "nothing"}], "qualification": False}, "work"),
        ({"conditions": [{"name": "c", "training": "lessons"}], "training": "nothing"}, "learn"),
    ],
)
def test_the_campaign_says_which_kit_and_whether_to_test(lite: Store, settings: dict[str, Any], stage: str) -> None:
    room = Classroom.build(lite, **settings)
    assert room.training.lesson(room.person()).stage == stage


def test_every_answer_is_kept_with_its_grade(room: Classroom) -> None:
    room.go_through(room.person(), wrong=("q1",))
    tried = learner(room).qualifications[0]
    judged = room.store.read(lambda connection: learners.judged(connection, room.work.content, tried))
    assert [(one.item.id, one.answer.answers, one.grade and one.grade.right) for one in judged] == [
        ("q1", marks(), False),
        ("q2", RIGHT["q2"], True),
    ]
    assert tried.facts["seconds"] == 10.0


def test_learning_travels_with_an_exported_campaign(room: Classroom) -> None:
    ada = room.person()
    room.person("Bo")
    room.go_through(ada, wrong=("q1",))
    record = record_of(room.store, room.name)
    assert [one.facts.get("stage") for one in record.annotators] == ["failed", "learn"]
    restore(room.store, record, name="again", author="test")
    again = record_of(room.store, "again")
    assert again.annotators == record.annotators
    assert len(again.annotators[0].facts["attempts"]) == 2  # a training and a qualification


@pytest.mark.parametrize(
    ("facts", "what"),
    [
        ({"stage": "elsewhere"}, "stage 'elsewhere' is not known"),
        ({"attempts": "nonsense"}, "cannot be read"),
        ({"learning": [{"kind": "training"}]}, "cannot be read"),
    ],
)
def test_learning_that_cannot_be_read_is_refused(room: Classroom, facts: dict[str, Any], what: str) -> None:
    room.person()
    record = record_of(room.store, room.name)
    spoilt = replace(record, annotators=tuple(replace(one, facts=facts) for one in record.annotators))
    with pytest.raises(ProblemsFound) as error:
        restore(room.store, spoilt, name="again", author="test")
    assert what in error.value.problems[0].what


def test_a_kit_that_is_not_there_is_refused(room: Classroom) -> None:
    with pytest.raises(ProblemsFound) as error:
        change_settings(room.store, room.name, Settings(training="lesson"), title="Class", author="test", reason="")
    assert error.value.problems[0].remedy == 'did you mean "lessons"?'


def test_a_lesson_reads_no_more_answers_however_often_somebody_learns(room: Classroom) -> None:
    token, read = room.person(), list[int]()
    room.go_through(token, until="qualify")
    room.go_through(token)
    for _ in range(3):
        room.training.again(token)
        with asked_of_writer(room.store) as asked:
            room.give(token, "1")
        read.append(sum("attempt_answer" in one for one in asked))
        room.go_through(token)
    assert len(set(read)) == 1
