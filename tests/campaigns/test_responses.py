"""Submitting: never lost, never counted twice, never overwritten."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from goldmark.accounts.links import LinkNotValid
from goldmark.campaigns.assignments.content_cache import UnknownAssignment
from goldmark.campaigns.assignments.responses import AnswerLocked, AnswersNotAccepted, DraftOutdated
from goldmark.campaigns.assignments.work_service import ConsentMissing
from goldmark.campaigns.lifecycle import move
from goldmark.people.annotators import renew_link, set_paused
from goldmark.store import Store
from goldmark.store.tables import response
from tests.campaigns.house import NAME, House
from tests.databases import on_sqlite

MARK = {"id": "e1", "start": 1, "end": 2, "label": "NAME", "correction": "Herons"}
SENT_ONCE = "key-number-one"


def _answers(store: Store) -> list[tuple[int, dict[str, object]]]:
    query = select(response.c.revision, response.c.answers).order_by(response.c.id)
    return store.read(lambda connection: [(row.revision, row.answers) for row in connection.execute(query)])


def test_sending_the_same_answer_again_changes_nothing(store: Store) -> None:
    house = House.build(store)
    ada = house.person("Ada")
    task = house.task(ada)
    first, _ = house.submit(ada, task, {"mistakes": [MARK]}, key=SENT_ONCE)
    again, following = house.submit(ada, task, {"mistakes": [MARK]}, key=SENT_ONCE)
    assert again == first
    assert following.progress.done == 1
    assert _answers(store) == [(1, {"mistakes": [MARK]})]


def test_a_change_is_a_new_revision_and_the_old_one_stays(store: Store) -> None:
    house = House.build(store)
    ada = house.person("Ada")
    task = house.task(ada)
    house.submit(ada, task, {"mistakes": [MARK]})
    accepted, following = house.submit(ada, task, {"mistakes": []})
    assert accepted.revision == 2
    assert following.progress.done == 1
    assert _answers(store) == [(1, {"mistakes": [MARK]}), (2, {"mistakes": []})]
    assert house.responses.look(ada, task.id).answers == {"mistakes": []}


@on_sqlite
def test_an_answer_cannot_be_changed_where_editing_is_off(store: Store) -> None:
    house = House.build(store, editing=False)
    ada = house.person("Ada")
    task = house.task(ada)
    house.submit(ada, task)
    assert house.responses.look(ada, task.id).locked
    with pytest.raises(AnswerLocked):
        house.submit(ada, task, {"mistakes": [MARK]})
    with pytest.raises(AnswerLocked):
        house.responses.save_draft(ada, task.id, {"mistakes": []}, 0, 1.0)


def test_a_protocol_that_locks_allows_no_change(store: Store) -> None:
    house = House.build(store, protocol="humanlike")
    ada = house.person("Ada")
    task = house.task(ada)
    answers = {"source": "definitely_human", "why": "It reads like a note from my neighbour, warm and a bit careless."}
    house.submit(ada, task, answers)
    with pytest.raises(AnswerLocked):
        house.submit(ada, task, {**answers, "why": "On second thoughts it is the rhythm of the sentences that I like."})


def test_a_wrong_answer_is_refused_with_the_question_and_nothing_is_saved(store: Store) -> None:
    house = House.build(store)
    ada = house.person("Ada")
    task = house.task(ada)
    with pytest.raises(AnswersNotAccepted) as refused:
        house.submit(ada, task, {"mistakes": [{**MARK, "end": 400}]})
    assert {problem.where for problem in refused.value.problems} == {"mistakes"}
    assert {problem.part.split(".")[0] for problem in refused.value.problems} == {"e1"}
    assert _answers(store) == []
    assert house.task(ada).id == task.id


@on_sqlite
def test_other_peoples_work_is_out_of_reach(store: Store) -> None:
    house = House.build(store)
    ada, bo = house.person("Ada"), house.person("Bo")
    task = house.task(ada)
    for reach in (
        lambda: house.submit(bo, task),
        lambda: house.responses.look(bo, task.id),
        lambda: house.responses.save_draft(bo, task.id, {}, 0, 0.0),
        lambda: house.responses.look(bo, 999),
    ):
        with pytest.raises(UnknownAssignment):
            reach()


def test_drafts_of_two_devices_do_not_overwrite_each_other(store: Store) -> None:
    house = House.build(store)
    ada = house.person("Ada")
    task = house.task(ada)
    laptop = house.responses.save_draft(ada, task.id, {"mistakes": [MARK]}, 0, 3.0)
    assert laptop.version == 1
    with pytest.raises(DraftOutdated) as outdated:
        house.responses.save_draft(ada, task.id, {"mistakes": []}, 0, 1.0)
    assert outdated.value.newer is not None
    assert outdated.value.newer.answers == {"mistakes": [MARK]}
    phone = house.responses.save_draft(ada, task.id, {"mistakes": []}, laptop.version, 4.0)
    assert phone.version == 2
    draft = house.task(ada).draft
    assert draft is not None
    assert draft.answers == {"mistakes": []}


def test_a_draft_that_arrives_after_the_answer_is_refused(store: Store) -> None:
    house = House.build(store)
    ada = house.person("Ada")
    task = house.task(ada)
    saved = house.responses.save_draft(ada, task.id, {"mistakes": [MARK]}, 0, 3.0)
    house.submit(ada, task)
    with pytest.raises(DraftOutdated):
        house.responses.save_draft(ada, task.id, {"mistakes": [MARK]}, saved.version, 3.0)
    assert house.responses.look(ada, task.id).draft is None


@on_sqlite
def test_batches_end_with_a_code_and_go_on_if_allowed(store: Store) -> None:
    house = House.build(store, 5, batch={"size": 2, "per_person": 2})
    ada = house.person("Ada")
    codes = []
    following = house.next(ada)
    for _ in range(2):
        for _ in range(2):
            assert following.task is not None
            _, following = house.submit(ada, following.task)
        assert following.finished is not None
        assert following.finished.why == "batch"
        codes.append(following.finished.code)
        allowed = following.finished.another
        assert house.next(ada).finished == following.finished  # a reload changes nothing
        following = house.work.another_batch(ada)
    assert not allowed
    assert following.task is None
    assert codes[0] != codes[1]
    assert house.next(ada).progress.done == 4


@on_sqlite
def test_consent_comes_first(store: Store) -> None:
    house = House.build(store, consent="We keep your marks.")
    ada = house.person("Ada")
    with pytest.raises(ConsentMissing):
        house.next(ada)
    house.work.consent(ada)
    assert house.next(ada).task is not None


@pytest.mark.parametrize("verb", ["paused", "closed"])
@on_sqlite
def test_work_in_hand_is_accepted_when_the_campaign_stops(store: Store, verb: str) -> None:
    house = House.build(store)
    ada = house.person("Ada")
    task = house.task(ada)
    move(store, NAME, verb, author="test")
    accepted, following = house.submit(ada, task, {"mistakes": [MARK]})
    assert not accepted.extra
    assert following.finished is not None
    assert following.finished.why == verb
    move(store, NAME, "started", author="test")
    assert house.next(ada).task is not None


@on_sqlite
def test_a_paused_person_gets_nothing_new(store: Store) -> None:
    house = House.build(store)
    ada = house.person("Ada")
    set_paused(store, NAME, "Ada", True, author="test", reason="a break")
    finished = house.next(ada).finished
    assert finished is not None
    assert finished.why == "paused"
    set_paused(store, NAME, "Ada", False, author="test")
    assert house.next(ada).task is not None


@on_sqlite
def test_a_renewed_link_shuts_the_old_one(store: Store) -> None:
    house = House.build(store)
    old = house.person("Ada")
    new = renew_link(store, house.links, NAME, "Ada", author="test")
    assert house.next(new).task is not None
    forged = new[:-9] + ("x" if new[-9] != "x" else "y") + new[-8:]
    for token in (old, forged, "", "1-2.3", "é"):
        with pytest.raises(LinkNotValid):
            house.next(token)


@on_sqlite
def test_times_that_make_no_sense_are_cut(store: Store) -> None:
    house = House.build(store)
    ada = house.person("Ada")
    from goldmark.campaigns.assignments.responses import LONGEST_SECONDS, Submission

    task = house.task(ada)
    _, following = house.responses.submit(ada, task.id, Submission({"mistakes": []}, SENT_ONCE, None, 1e12))
    assert following.progress.seconds_active == LONGEST_SECONDS


@on_sqlite
def test_what_is_kept_has_no_white_space_around_words(store: Store) -> None:
    house = House.build(store)
    ada = house.person("Ada")
    task = house.task(ada)
    typed = {"mistakes": [{**MARK, "correction": " Herons\n", "comment": "a\n\n b "}]}
    draft = house.responses.save_draft(ada, task.id, typed, 0, 1.0)
    assert draft.answers == typed  # a draft is as it was typed
    house.submit(ada, task, typed)
    assert _answers(store) == [(1, {"mistakes": [{**MARK, "comment": "a\n\n b"}]})]


@on_sqlite
def test_white_space_is_no_correction(store: Store) -> None:
    house = House.build(store)
    ada = house.person("Ada")
    with pytest.raises(AnswersNotAccepted):
        house.submit(ada, house.task(ada), {"mistakes": [{**MARK, "correction": " \n"}]})
