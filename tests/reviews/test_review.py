"""The review loop: a reviewer returns work, its annotator amends it, it comes back; nothing is lost or miscounted."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select, update

from goldmark.campaigns.assignments.responses import AnswerLocked
from goldmark.campaigns.assignments.review_sample import is_checked, reviewers_wanted
from goldmark.campaigns.definition.settings import Review, Settings
from goldmark.campaigns.lifecycle import find_campaign
from goldmark.campaigns.progress import CampaignProgress, progress_of
from goldmark.campaigns.settings_change import change_settings
from goldmark.campaigns.transfer.export import first_versions, record_of
from goldmark.campaigns.transfer.observe import StoreSource
from goldmark.campaigns.transfer.restore import restore
from goldmark.campaigns.unit_overview import list_units
from goldmark.errors import ProblemsFound
from goldmark.exchange.formats import export_bytes, import_campaign
from goldmark.observations.filter import Filter
from goldmark.observations.frames import collect
from goldmark.observations.source import RecordSource
from goldmark.people.exclusions import exclude
from goldmark.results.campaign_tables import review_tables
from goldmark.reviews import review as reviewing
from goldmark.reviews.responses import UnknownResponse
from goldmark.reviews.review import (
    CannotReviewOwnWork,
    NothingToAmend,
    NotReturned,
    NotReviewed,
    ReviewCase,
    ReviewRemark,
    RevisionOutdated,
    release,
)
from goldmark.store import Store, open_store
from goldmark.store.tables import account, annotator
from goldmark.store.upkeep.health import check
from tests.beside import beside
from tests.campaigns.house import NAME, House
from tests.databases import fresh, on_sqlite

MARK = {"id": "e1", "start": 1, "end": 2, "label": "NAME", "correction": "Herons"}
BETTER = {**MARK, "correction": "Badgers"}


def progress(house: House) -> CampaignProgress:
    return house.store.read(lambda connection: progress_of(connection, find_campaign(connection, NAME)))


def case(house: House, number: int, reviewer: str) -> ReviewCase:
    return house.store.read(
        lambda connection: reviewing.case_of(connection, find_campaign(connection, NAME), number, reviewer)
    )


@on_sqlite
def test_returned_work_comes_first_with_its_reasons_and_back_to_the_queue(store: Store) -> None:
    house = House.build(store, 3)
    ada = house.person("Ada")
    task = house.task(ada)
    _, following = house.submit(ada, task, {"mistakes": [MARK]})
    assert following.task is not None
    assert [one.id for one in house.waiting("Rhea")] == [task.id]

    remarks = [ReviewRemark("mistakes", "e1", "look at the table"), ReviewRemark("mistakes", "", " ")]
    judged = house.judge(task.id, "returned", "Rhea", "nearly", remarks)
    assert (judged.state, judged.reviewers_missing) == ("returned", 0)
    assert house.waiting("Rhea") == []
    assert progress(house).labels_returned == 1
    assert (progress(house).labels_done, progress(house).labels_in_progress) == (0, 1)

    again = house.task(ada)
    assert (again.id, again.state, again.locked) == (task.id, "returned", False)
    assert again.answers == {"mistakes": [MARK]}
    assert again.returned is not None
    assert again.returned.comment == "nearly"
    assert again.returned.remarks == ({"where": "mistakes", "part": "e1", "comment": "look at the table"},)
    assert house.responses.look(ada, task.id).returned == again.returned

    accepted, following = house.submit(ada, again, {"mistakes": [BETTER]})
    assert (accepted.revision, accepted.extra) == (2, False)
    assert following.task is not None
    assert following.task.returned is None
    (waiting,) = house.waiting("Rhea")
    assert (waiting.id, waiting.revision, waiting.amended) == (task.id, 2, True)
    assert house.judge(task.id, "approved", "Rhea", "").state == "done"
    assert (progress(house).labels_done, progress(house).labels_approved) == (1, 1)
    assert check(store).problems == ()
    record = record_of(store, NAME)
    assert [(one.revision, one.final) for one in record.responses] == [(1, False), (2, True)]
    before = first_versions(record)
    assert [(one.revision, one.answers["mistakes"][0]["correction"]) for one in before.final_responses()] == [
        (1, "Herons")
    ]


@pytest.mark.parametrize("first", [True, False])
def test_versions_are_the_same_from_the_database_and_from_a_record(store: Store, first: bool) -> None:
    house = House.build(store, 6, review={"required": True})
    ada, bo = house.person("Ada"), house.person("Bo")
    tasks = []
    for _ in range(5):  # approved, amended, returned, released, and one that waits
        tasks.append(house.task(ada))
        house.submit(ada, tasks[-1], {"mistakes": [MARK]})
    house.judge(tasks[0].id, "approved", "Rhea", "")
    for one in tasks[1:4]:
        house.judge(one.id, "returned", "Rhea", "no")
    release(store, NAME, tasks[3].id, author="Mo")
    house.submit(ada, house.responses.look(ada, tasks[1].id), {"mistakes": [BETTER]})
    house.submit(bo, house.task(bo), {"mistakes": []})
    exclude(store, NAME, "Bo", author="Mo")
    record = record_of(store, NAME)
    wanted = Filter(excluded=True)
    expected = collect(RecordSource(first_versions(record) if first else record), wanted, ())
    found = store.snapshot(
        lambda connection: collect(StoreSource(connection, find_campaign(connection, NAME), first=first), wanted, ())
    )
    for table, frame in expected.frames.items():
        assert {name: list(cells) for name, cells in found[table].cells.items()} == {
            name: list(cells) for name, cells in frame.cells.items()
        }, table
    assert [one for one in found["spans"].cells["correction"] if one] == ["Herons"] * (3 if first else 1)


@on_sqlite
def test_with_approval_required_nothing_counts_before_it(store: Store) -> None:
    house = House.build(store, 1, review={"required": True})
    ada, bo = house.person("Ada"), house.person("Bo")
    task = house.task(ada)
    _, following = house.submit(ada, task)
    assert following.finished is not None
    assert following.finished.why == "all"
    # Nobody else gets the place, and nobody is told to wait for it.
    finished = house.next(bo).finished
    assert finished is not None
    assert finished.why == "all"
    assert (progress(house).labels_waiting, progress(house).labels_done) == (1, 0)
    assert record_of(store, NAME).final_responses() == ()

    house.judge(task.id, "approved", "Rhea", "")
    assert (progress(house).labels_waiting, progress(house).labels_done, progress(house).units_finished) == (0, 1, 1)
    assert len(record_of(store, NAME).final_responses()) == 1
    house.submit(ada, task.id, {"mistakes": [MARK]})  # a change of approved work waits again
    assert (progress(house).labels_waiting, progress(house).labels_done) == (1, 0)
    assert check(store).problems == ()

    change_settings(store, NAME, Settings(), title="Small", author="test", reason="no reviewers left")
    assert (progress(house).labels_waiting, progress(house).labels_done) == (0, 1)
    assert check(store).problems == ()


@on_sqlite
def test_the_verdict_is_on_the_revision_that_was_read(store: Store) -> None:
    house = House.build(store, 1)
    ada = house.person("Ada")
    task = house.task(ada)
    house.submit(ada, task)
    house.submit(ada, task.id, {"mistakes": [MARK]})
    with pytest.raises(RevisionOutdated, match="revision 2"):
        house.judge(task.id, "approved", "Rhea", revision=1)
    assert record_of(store, NAME).assignments[0].facts.get("reviews") is None


def test_what_is_refused(store: Store) -> None:
    house = House.build(store, 1)
    ada = house.person("Ada")
    task = house.task(ada)
    with pytest.raises(UnknownResponse):
        house.judge(task.id, "approved", "Rhea")  # nothing was submitted
    house.submit(ada, task)
    with pytest.raises(NothingToAmend):
        house.judge(task.id, "returned", "Rhea", " ")
    with pytest.raises(ProblemsFound) as found:
        house.judge(
            task.id, "returned", "Rhea", "", [ReviewRemark("mistaks", "", "a"), ReviewRemark("mistakes", "e9", "b")]
        )
    assert [one.where for one in found.value.problems] == ["mistaks", "mistakes"]
    assert len(house.waiting("Rhea")) == 1


@on_sqlite
def test_extra_answers_are_not_reviewed(store: Store) -> None:
    from tests.campaigns.test_allocation import _run_out

    house = House.build(store, 1)
    ada, bo = house.person("Ada"), house.person("Bo")
    late = house.task(ada)
    _run_out(store)
    house.submit(bo, house.task(bo))
    house.submit(ada, late)
    assert late.id not in [one.id for one in house.waiting("Rhea")]
    with pytest.raises(NotReviewed, match="extra"):
        house.judge(late.id, "approved", "Rhea")


def test_nobody_reviews_their_own_work(store: Store) -> None:
    from datetime import UTC, datetime

    house = House.build(store, 1)
    ada = house.person("Ada")
    task = house.task(ada)
    house.submit(ada, task)

    def connect(connection: object) -> None:
        from sqlalchemy import Connection, insert

        assert isinstance(connection, Connection)
        connection.execute(insert(account).values(name="ada", role="curator", created_at=datetime.now(UTC)))
        own = connection.execute(select(account.c.id)).scalar_one()
        connection.execute(update(annotator).values(account_id=own))

    store.write(connect)
    assert house.waiting("ada") == []
    assert len(house.waiting("Rhea")) == 1
    with pytest.raises(CannotReviewOwnWork):
        house.judge(task.id, "approved", "ada")


def test_said_twice_is_kept_once_and_a_reviewer_may_think_again(store: Store) -> None:
    house = House.build(store, 1)
    ada = house.person("Ada")
    task = house.task(ada)
    house.submit(ada, task)
    for _ in range(2):
        house.judge(task.id, "returned", "Rhea")
    assert house.judge(task.id, "approved", "Rhea", "it was right").state == "done"
    assert house.next(ada).task is None
    reviews = record_of(store, NAME).assignments[0].facts["reviews"]
    assert [one["verdict"] for one in reviews] == ["returned", "approved"]
    assert check(store).problems == ()


def test_two_reviewers_of_the_shared_sample_do_not_know_of_each_other(store: Store) -> None:
    house = House.build(store, 1, review={"required": True, "twice": 1.0})
    ada = house.person("Ada")
    task = house.task(ada)
    house.submit(ada, task)
    judged = house.judge(task.id, "returned", "Rhea", "the name")
    assert (judged.state, judged.reviewers_missing) == ("waiting", 1)
    assert house.next(ada).task is None  # undecided: nothing goes back yet
    assert house.waiting("Rhea") == []
    assert [one.id for one in house.waiting("Sol")] == [task.id]
    assert case(house, task.id, "Sol").words == ()
    assert house.judge(task.id, "approved", "Sol", "").state == "returned"  # one of them found something
    assert len(case(house, task.id, "Sol").words) == 2
    again = house.task(ada)
    assert again.returned is not None
    assert again.returned.comment == "the name"
    house.submit(ada, again, {"mistakes": [MARK]})
    assert house.judge(task.id, "approved", "Rhea", "").state == "done"  # amended work needs one of them only


def test_locked_answers_can_be_amended_only_when_they_were_returned(store: Store) -> None:
    house = House.build(store, 1, editing=False)
    ada = house.person("Ada")
    task = house.task(ada)
    house.submit(ada, task)
    with pytest.raises(AnswerLocked):
        house.submit(ada, task.id, {"mistakes": [MARK]})
    house.judge(task.id, "returned", "Rhea")
    draft = house.responses.save_draft(ada, task.id, {"mistakes": [MARK]}, 0, 1.0)
    assert house.task(ada).draft == draft
    assert house.submit(ada, task.id, {"mistakes": [MARK]})[0].revision == 2
    with pytest.raises(AnswerLocked):
        house.submit(ada, task.id, {"mistakes": []})


@on_sqlite
def test_returned_work_is_handed_out_although_the_batch_is_full(store: Store) -> None:
    house = House.build(store, 2, batch={"size": 1, "per_person": 1})
    ada = house.person("Ada")
    task = house.task(ada)
    _, following = house.submit(ada, task)
    assert following.finished is not None
    assert following.finished.why == "batch"
    house.judge(task.id, "returned", "Rhea")
    assert house.task(ada).id == task.id
    _, following = house.submit(ada, task, {"mistakes": [MARK]})
    assert following.finished is not None
    assert following.progress.done == 1


@on_sqlite
def test_reviews_travel_with_the_campaign_and_come_back_byte_for_byte(store: Store, tmp_path: Path) -> None:
    house = House.build(store, 3, review={"required": True})
    ada = house.person("Ada")
    following = house.next(ada)
    done = []
    while following.task is not None:
        done.append(following.task.id)
        _, following = house.submit(ada, following.task, {"mistakes": [MARK]})
    house.judge(done[0], "approved", "Rhea", "")
    house.judge(done[1], "returned", "Rhea", "no", [ReviewRemark("mistakes", "e1", "a name")])
    record = record_of(store, NAME)
    assert [one.state for one in record.assignments] == ["done", "returned", "waiting"]
    name, written = export_bytes(record, "jsonl")
    (tmp_path / name).write_bytes(written)

    elsewhere = open_store(fresh(tmp_path, "elsewhere.db"))
    restore(elsewhere, import_campaign(tmp_path / name, "jsonl"), author="test")
    assert check(elsewhere).problems == ()
    assert export_bytes(record_of(elsewhere, NAME), "jsonl")[1] == written
    elsewhere.close()


@pytest.mark.parametrize(
    "wrong",
    [
        {"verdict": "perhaps"},
        {"at": "yesterday"},
        {"revision": "1"},
        {"grade": 5},
        {"remarks": None},
        {"remarks": [{"where": "x"}]},
    ],
)
def test_reviews_that_cannot_be_read_are_named_and_nothing_is_imported(
    sqlite_database: str, wrong: dict[str, object]
) -> None:
    store = open_store(sqlite_database)
    house = House.build(store, 1)
    ada = house.person("Ada")
    house.submit(ada, house.task(ada))
    house.judge(house.waiting("Rhea")[0].id, "approved", "Rhea", "")
    record = record_of(store, NAME)
    (held,) = record.assignments
    (said,) = held.facts["reviews"]
    broken = replace(record, assignments=(replace(held, facts={**held.facts, "reviews": [{**said, **wrong}]}),))
    with pytest.raises(ProblemsFound) as found:
        restore(store, broken, name="copy", author="test", keep_incomplete=True)
    assert [one.where for one in found.value.problems] == ["assignment of u0 to Ada"]
    store.close()


def test_spot_checks_choose_by_seed_and_the_required_ones_only_wait(store: Store) -> None:
    review = Review(required=True, share=0.5, seed=3)
    chosen = {name for name in (f"u{n}" for n in range(400)) if is_checked(review, name, "Ada")}
    # Binomial(400, 0.5): mean 200, standard deviation 10; 150-250 is five of them either way.
    assert 150 < len(chosen) < 250
    assert chosen == {name for name in (f"u{n}" for n in range(400)) if is_checked(review, name, "Ada")}
    assert chosen != {name for name in (f"u{n}" for n in range(400)) if is_checked(review, name, "Bo")}
    assert reviewers_wanted(Review(), "u1", "Ada") == 1
    assert reviewers_wanted(Review(twice=1.0), "u1", "Ada") == 2

    house = House.build(store, 8, review=review.model_dump())
    ada = house.person("Ada")
    following = house.next(ada)
    while following.task is not None:
        _, following = house.submit(ada, following.task)
    names = {f"u{n}" for n in range(8)} & chosen
    assert {one.unit for one in house.waiting("Rhea")} == names
    assert (progress(house).labels_waiting, progress(house).labels_done) == (len(names), 8 - len(names))
    assert check(store).problems == ()


def test_what_waits_is_not_forgotten_when_the_settings_change(store: Store) -> None:
    house = House.build(store, 1, review={"required": True, "twice": 1.0})
    ada = house.person("Ada")
    task = house.task(ada)
    house.submit(ada, task)
    house.judge(task.id, "approved", "Rhea", "")
    fewer = Settings(review=Review(required=True, share=0.0))
    change_settings(store, NAME, fewer, title="Small", author="test", reason="too much work")
    assert [one.id for one in house.waiting("Sol")] == [task.id]
    assert house.judge(task.id, "approved", "Sol", "").state == "done"


def test_a_reviewer_and_an_annotator_at_once(store: Store) -> None:
    """Whoever comes first, every verdict is on the version that was read, and the counts add up."""
    house = House.build(store, 1, review={"required": True})
    ada = house.person("Ada")
    task = house.task(ada)
    house.submit(ada, task)
    outcomes: list[str] = []

    def amend() -> None:
        for number in range(15):  # what was returned must come back changed
            house.submit(ada, task.id, {"mistakes": [] if number % 2 else [MARK]})

    def judge() -> None:
        for number in range(15):
            try:
                outcomes.append(house.judge(task.id, "returned" if number % 2 else "approved", "Rhea").state)
            except RevisionOutdated:
                outcomes.append("outdated")

    with ThreadPoolExecutor(2) as both:
        for work in [both.submit(amend), both.submit(judge)]:
            work.result()
    assert len(outcomes) == 15
    assert check(store).problems == ()
    assert len(record_of(store, NAME).responses) == 16


def test_what_is_approved_while_settings_release_it_counts_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    house = House.build(store, 1, labels_per_unit=2, review={"required": True})
    ada = house.person("Ada")
    task = house.task(ada)
    house.submit(ada, task)
    house.task(house.person("Bo"))

    def release_all() -> None:
        change_settings(store, NAME, Settings(labels_per_unit=2), title="Small", author="test", reason="too much work")

    with beside(monkeypatch, reviewing, "stand_of", release_all) as asked:
        assert house.judge(task.id, "approved", "Rhea", "").state == "done"
    asked[0].result()
    assert progress(house).labels_done == 1
    assert check(store).problems == ()


def test_the_queue_goes_on_after_a_response_and_then_begins_again(store: Store) -> None:
    house = House.build(store, 3)
    ada = house.person("Ada")
    following = house.next(ada)
    while following.task is not None:
        _, following = house.submit(ada, following.task)
    ids = [one.id for one in house.waiting("Rhea")]
    assert ids == sorted(ids)

    def after(number: int) -> int:
        found = store.read(
            lambda connection: reviewing.first_of_queue(
                connection, find_campaign(connection, NAME), "Rhea", after=number
            )
        )
        assert found is not None
        return found.id

    assert [after(0), after(ids[0]), after(ids[2])] == [ids[0], ids[1], ids[0]]


@on_sqlite
def test_a_returned_response_whose_annotator_is_gone_is_released_to_others(store: Store) -> None:
    house = House.build(store, 1, review={"required": True})
    ada, bo = house.person("Ada"), house.person("Bo")
    task = house.task(ada)
    house.submit(ada, task, {"mistakes": [MARK]})
    with pytest.raises(NotReturned):
        release(store, NAME, task.id, author="Mo")
    house.judge(task.id, "returned", "Rhea", "no")
    assert house.next(bo).task is None  # the only place is taken
    release(store, NAME, task.id, author="Mo", reason="she left")
    held = house.task(bo)
    assert held.unit_id == task.unit_id
    assert check(store).problems == ()
    record = record_of(store, NAME)
    assert [(one.annotator, one.state) for one in record.assignments] == [("Ada", "released"), ("Bo", "active")]
    assert record.final_responses() == ()
    assert [one.final for one in first_versions(record).responses] == [False]
    counts = {row["responses"]: row["count"] for row in review_tables(store, NAME)[0].records()}
    assert counts == {"returned, and given to others": 1, "not reviewed": 0}
    said = record.events[-1]
    assert (said.kind, said.author, said.reason) == ("returned response released", "Mo", "she left")
    # She comes back after all: her place is taken, so what she amends is kept as extra. Her words were never lost.
    assert house.next(ada).task is None
    accepted, _ = house.submit(ada, task.id, {"mistakes": []})
    assert accepted.extra
    house.submit(bo, held, {"mistakes": []})
    assert check(store).problems == ()
    restore(store, record, name="again", author="Mo")
    assert [one.state for one in record_of(store, "again").assignments] == ["released", "active"]
    assert check(store).problems == ()


def test_who_amends_a_released_response_while_there_is_a_place_gets_it_back(store: Store) -> None:
    house = House.build(store, 1, review={"required": True}, editing=False)
    ada = house.person("Ada")
    task = house.task(ada)
    house.submit(ada, task, {"mistakes": [MARK]})
    house.judge(task.id, "returned", "Rhea", "no")
    release(store, NAME, task.id, author="Mo")
    accepted, _ = house.submit(ada, task.id, {"mistakes": []})
    assert not accepted.extra
    assert [one.state for one in record_of(store, NAME).assignments] == ["waiting"]
    assert check(store).problems == ()


def test_units_tell_what_waits_and_what_was_returned_from_what_is_in_hand(store: Store) -> None:
    house = House.build(store, 1, labels_per_unit=3, review={"required": True})
    tokens = [house.person(name) for name in ("Ada", "Bo", "Cy")]
    tasks = [house.task(token) for token in tokens]
    for token, task in zip(tokens[:2], tasks[:2], strict=True):
        house.submit(token, task, {"mistakes": []})
    house.judge(tasks[0].id, "returned", "Rhea", "no")
    (line,) = store.read(lambda connection: list_units(connection, find_campaign(connection, NAME)).items)
    assert (line.done, line.in_progress, line.waiting, line.returned, line.state) == (0, 1, 1, 1, "begun")


def test_what_was_judged_is_looked_at_again_where_some_is_judged_twice(store: Store) -> None:
    house = House.build(store, 3)
    ada = house.person("Ada")
    for number in range(3):
        house.submit(ada, house.task(ada), {"mistakes": []}, f"key-{number}")
    first, *_ = house.waiting("Rhea")
    house.judge(first.id, "approved", reviewer="Rhea")
    assert first.id not in {one.id for one in house.waiting("Otto")}
    change_settings(store, NAME, Settings(review=Review(twice=1.0)), title="T", author="test", reason="")
    assert first.id in {one.id for one in house.waiting("Otto")}, "now a second reviewer is wanted"
    change_settings(store, NAME, Settings(review=Review()), title="T", author="test", reason="")
    assert first.id not in {one.id for one in house.waiting("Otto")}


def test_the_queue_does_not_walk_over_what_was_judged(sqlite_database: str) -> None:
    """Its rows come from an index that has only what waits; a million judged ones cost nothing."""
    store = open_store(sqlite_database)
    house = House.build(store, 3)
    row = store.read(lambda connection: find_campaign(connection, NAME))
    query = reviewing._waiting(row, "Rhea", 0).compile(store.engine(), compile_kwargs={"literal_binds": True})
    plan = store.read(lambda connection: connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}").all())
    assert any("ix_assignment_unreviewed" in one[3] for one in plan), plan
    assert not any(one[3].startswith("SCAN") for one in plan), plan
    house.store.close()
