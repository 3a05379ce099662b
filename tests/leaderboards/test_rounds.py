"""The life of a round: planned, opened when the schedule says, answered, scored, drifted."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from scipy import stats
from sqlalchemy import Connection, insert, select, update

from goldmark.campaigns.definition.settings import Settings
from goldmark.campaigns.lifecycle import find_campaign
from goldmark.campaigns.transfer.export import record_of
from goldmark.jobs import Worker
from goldmark.leaderboards.board_view import of_everything
from goldmark.leaderboards.definition.boards import BoardRow, find_board, history
from goldmark.leaderboards.human import open_round as rounds_over
from goldmark.leaderboards.human import rounds
from goldmark.leaderboards.human.open_round import OverBudget, open_round
from goldmark.leaderboards.human.rounds import Round, rounds_of
from goldmark.leaderboards.human.scheduling.jobs import CLOCK_JOB
from goldmark.leaderboards.human.scheduling.scheduler import tick
from goldmark.leaderboards.scores.drift import ONE_PERSON, drift, reach_of_difference
from goldmark.leaderboards.scores.standings import PUBLIC, Standing, Viewer, standings
from goldmark.leaderboards.submitted.submissions import publish
from goldmark.people.platform import Offer
from goldmark.store import Store
from goldmark.store.tables import annotator, campaign, job, posting
from tests.cut_writes import asked_of_writer
from tests.leaderboards.ground import NAME, NOW, OPERATOR, answer_all, items, make_board, send

PLAN = {"start": "automatic", "price": 0.1}


def board_rounds(store: Store) -> list[Round]:
    return store.read(lambda connection: rounds_of(connection, find_board(connection, NAME)))


def rows(store: Store, view: Viewer = PUBLIC) -> list[Standing]:
    return store.read(lambda connection: standings(connection, find_board(connection, NAME), "correct", view))


def test_from_submission_to_standings(store: Store, tmp_path: Path) -> None:
    make_board(store, tmp_path, human={**PLAN, "gold": True}, subset={"size": 4, "seed": 3})
    good, poor = send(store, "Good"), send(store, "Poor")
    [planned] = board_rounds(store)
    assert (planned.state, {(one.system, one.why) for one in planned.entries}) == (
        "planned",
        {("Good", "new"), ("Poor", "new"), ("Reference", "gold")},
    )
    assert [one.what for one in tick(store, NOW)] == ["opened"]
    assert tick(store, NOW) == []
    assert answer_all(store, "questions-round-1", {"Good": 3, "Poor": 1, "It is": 4}) == 12
    assert [one.what for one in tick(store, NOW + timedelta(days=1))] == ["scored"]
    assert tick(store, NOW + timedelta(days=1)) == []
    # Private until published; the gold row is everybody's.
    assert [one.submission.system for one in rows(store)] == ["Reference"]
    seen = rows(store, Viewer(everything=True))
    assert [(one.submission.system, one.scores["correct"].value) for one in seen] == [
        ("Reference", 1.0),
        ("Good", 0.75),
        ("Poor", 0.25),
    ]
    publish(store, NAME, good.id, who=OPERATOR)
    publish(store, NAME, poor.id, who=OPERATOR)
    # Three people on four items are too few to rule out any order.
    assert [(one.submission.system, one.rank) for one in rows(store)] == [
        ("Reference", "1-3"),
        ("Good", "1-3"),
        ("Poor", "1-3"),
    ]
    judged = rows(store)[1].judged
    assert judged is not None
    # Four of the six items; one label each at 0.1.
    assert (judged.labels, judged.items, judged.annotators, judged.excluded) == (4, 4, 1, 0)
    assert judged.cost == pytest.approx(0.4)


def test_outputs_are_not_shown_with_their_system_while_people_judge_them(sqlite: Store, tmp_path: Path) -> None:
    make_board(sqlite, tmp_path, public=True, human=PLAN)
    sent = send(sqlite, "Good")
    publish(sqlite, NAME, sent.id, who=OPERATOR)

    def shown(view: Viewer = PUBLIC) -> tuple[bool, int]:
        seen = replace(sqlite.read(lambda connection: of_everything(connection, NAME)), view=view)
        found, examples = sqlite.read(lambda connection: seen.system(connection, sent.system_id))
        return found.being_judged, examples.total if examples else 0

    assert shown() == (False, 6)
    tick(sqlite, NOW)
    assert shown() == (True, 0), "annotators could look up here whose output they judge"
    assert shown(Viewer(team_id=sent.team_id)) == (False, 6)
    assert shown(Viewer(everything=True)) == (False, 6)
    answer_all(sqlite, "questions-round-1", {"Good": 3})
    tick(sqlite, NOW + timedelta(days=1))
    assert shown() == (False, 6)


def test_every_system_is_judged_on_the_same_items(sqlite: Store, tmp_path: Path) -> None:
    make_board(sqlite, tmp_path, items(30), human={**PLAN, "language": "de"}, subset={"size": 5, "seed": 1})
    judged = []
    for number, system in enumerate(("First", "Second"), start=1):
        content = "\n".join(f'{{"id": "q{n}", "output": "{system} {n}"}}' for n in range(30)).encode()
        send(sqlite, system, content)
        tick(sqlite, NOW)
        record = record_of(sqlite, f"questions-round-{number}")
        judged.append({str(unit.hidden["item"]) for unit in record.units})
        assert record.settings["title"] == "Is the answer correct?"  # neither the board nor a system
        assert record.settings["language"] == "de"  # of the pages that people see
    assert judged[0] == judged[1]
    assert len(judged[0]) == 5


def test_rounds_open_on_schedule(sqlite: Store, tmp_path: Path) -> None:
    # Ten in Los Angeles is 18:00 UTC on Friday, 6 March 2026, and 17:00 on Monday, when summer time has begun.
    opening = {"days": "weekdays", "at": "10:00", "zone": "America/Los_Angeles"}
    make_board(sqlite, tmp_path, human={**PLAN, "together": 2}, opening=opening)
    friday = datetime(2026, 3, 6, 19, 0, tzinfo=UTC)
    for system in ("One", "Two", "Three"):
        send(sqlite, system, now=friday)
    second, first = board_rounds(sqlite)
    assert [len(one.entries) for one in (first, second)] == [2, 1]  # at most two share a campaign
    assert first.opens_at == datetime(2026, 3, 9, 17, 0, tzinfo=UTC)
    assert tick(sqlite, datetime(2026, 3, 9, 16, 59, tzinfo=UTC)) == []
    assert [one.what for one in tick(sqlite, first.opens_at)] == ["opened", "opened"]


def test_approval_comes_first_where_the_plan_says_so(sqlite: Store, tmp_path: Path) -> None:
    make_board(sqlite, tmp_path, human={"start": "approval"})
    sent = send(sqlite, "Good")
    assert (sent.approval, board_rounds(sqlite)) == ("waiting", [])
    rounds.approve(sqlite, NAME, sent.id, who=OPERATOR, now=NOW)
    rounds.approve(sqlite, NAME, sent.id, who=OPERATOR, now=NOW)
    [planned] = board_rounds(sqlite)
    assert [one.system for one in planned.entries] == ["Good"]


def test_the_budget_is_kept(sqlite: Store, tmp_path: Path) -> None:
    # Six items at 0.5 are 3.0 a system: one fits into 4.0, a second does not.
    make_board(sqlite, tmp_path, human={**PLAN, "price": 0.5, "budget": 4.0})
    send(sqlite, "One")
    assert [one.what for one in tick(sqlite, NOW)] == ["opened"]
    send(sqlite, "Two")
    for _ in range(3):
        [waits] = tick(sqlite, NOW)
        assert (waits.what, "budget of 4.00" in waits.why) == ("waits", True)
    row: BoardRow = sqlite.read(lambda connection: find_board(connection, NAME))
    kinds = [one.kind for one in sqlite.read(lambda connection: history(connection, row))]
    assert kinds.count("round waits") == 1  # said once, however often the clock tries
    with pytest.raises(OverBudget):
        open_round(sqlite, NAME, 2, who="manager", now=NOW)
    assert open_round(sqlite, NAME, 2, who="manager", now=NOW, force=True).state == "open"


def test_excluded_annotators_do_not_count(sqlite: Store, tmp_path: Path) -> None:
    make_board(sqlite, tmp_path, human={**PLAN, "labels_per_unit": 2})
    send(sqlite, "Good")
    tick(sqlite, NOW)
    answer_all(sqlite, "questions-round-1", {"Good": 3}, "Ann")
    answer_all(sqlite, "questions-round-1", {"Good": 0}, "Spammer")
    sqlite.write(
        lambda connection: connection.execute(
            annotator.update().where(annotator.c.name == "Spammer").values(state="excluded")
        )
    )
    tick(sqlite, NOW)
    [row] = rows(sqlite, Viewer(everything=True))
    assert row.scores["correct"].value == 0.75
    assert row.judged is not None
    # Both were paid for, one is left out: 12 labels at 0.1.
    assert (row.judged.labels, row.judged.excluded) == (6, 1)
    assert row.judged.cost == pytest.approx(1.2)


def test_a_system_judged_again_shows_drift(store: Store, tmp_path: Path) -> None:
    make_board(store, tmp_path, items(40), human={**PLAN, "again": 1})

    def content(system: str) -> bytes:
        return "\n".join(f'{{"id": "q{n}", "output": "{system} {n}"}}' for n in range(40)).encode()

    send(store, "Old", content("Old"))
    tick(store, NOW)
    answer_all(store, "questions-round-1", {"Old 1": 2, "Old": 3})
    tick(store, NOW)
    send(store, "New", content("New"))
    tick(store, NOW)
    newest = board_rounds(store)[0]
    assert {(one.system, one.why) for one in newest.entries} == {("New", "new"), ("Old", "again")}
    answer_all(store, "questions-round-2", {"Old 1": 0, "Old": 1, "New": 4}, "Bo")
    tick(store, NOW)
    table = store.read(lambda connection: drift(connection, find_board(connection, NAME), "correct", Viewer(True)))
    [row] = table.records()
    # Eleven of forty outputs begin with "Old 1": (11 * 0.5 + 29 * 0.75) / 40, and half a point less everywhere.
    assert row["before"] == pytest.approx(0.68125)
    assert row["difference"] == pytest.approx(-0.5)
    # Each round was judged by one person, who says nothing of how others would differ.
    assert (row["drifted"], row["reason"]) == (None, ONE_PERSON)


def test_drift_is_told_from_the_people_of_both_rounds() -> None:
    # Welch's: two equal errors of five people each have eight degrees of freedom.
    reach = reach_of_difference([(0.05, 5), (0.05, 5)], 0.95)
    assert reach == pytest.approx(stats.t.ppf(0.975, 8) * 0.05 * 2**0.5)
    assert reach_of_difference([(0.05, 5), (0.05, 1)], 0.95) is None


def test_test_questions_are_made_of_references(sqlite: Store, tmp_path: Path) -> None:
    rates = {"positive": 0.1, "negative": 0.1}
    make_board(sqlite, tmp_path, items(20), subset={"size": 12, "seed": 0}, human={**PLAN, "test_questions": rates})
    send(sqlite, "Good", "\n".join(f'{{"id": "q{n}", "output": "Good {n}"}}' for n in range(20)).encode())
    tick(sqlite, NOW)
    record = record_of(sqlite, "questions-round-1")
    tests = {unit.id: unit for unit in record.units if "test" in unit.hidden}
    work = {str(unit.hidden["item"]) for unit in record.units if "test" not in unit.hidden}
    assert len(work) == 12
    # Of the eight items that are not judged: two with their own reference, two with another's, as 12 units want.
    assert sorted(str(unit.hidden["test"]) for unit in tests.values()) == ["negative"] * 2 + ["positive"] * 2
    for name, unit in tests.items():
        item = int(name.split(" / ")[0].removeprefix("q"))
        right = unit.shown.texts["text"].text.characters == f"It is {item + 1}."
        assert right == (unit.hidden["test"] == "positive")
        assert f"q{item}" not in work
    answer_all(sqlite, "questions-round-1", {"Good": 3})
    tick(sqlite, NOW)
    [row] = rows(sqlite, Viewer(everything=True))
    assert row.scores["correct"].value == 0.75


def test_scores_follow_when_someone_is_excluded_later(sqlite: Store, tmp_path: Path) -> None:
    from goldmark.leaderboards.human.score_round import score_round

    make_board(sqlite, tmp_path, human={**PLAN, "labels_per_unit": 2})
    send(sqlite, "Good")
    tick(sqlite, NOW)
    for person, point in (("Ann", 4), ("Bo", 0)):
        answer_all(sqlite, "questions-round-1", {"Good": point}, person)
    tick(sqlite, NOW)
    assert rows(sqlite, Viewer(everything=True))[0].scores["correct"].value == 0.5
    bo = select(annotator.c.id).where(annotator.c.name == "Bo").scalar_subquery()
    sqlite.write(
        lambda connection: connection.execute(annotator.update().where(annotator.c.id == bo).values(state="excluded"))
    )
    score_round(sqlite, NAME, 1, who="manager", now=NOW)
    assert rows(sqlite, Viewer(everything=True))[0].scores["correct"].value == 1.0


def test_the_clock_is_a_job(sqlite: Store, tmp_path: Path) -> None:
    """A worker opens the round and scores it; it is asked to look again only while a round is on its way."""
    make_board(sqlite, tmp_path, human=PLAN)
    send(sqlite, "Good", now=datetime.now(UTC))

    def looks() -> list[datetime]:
        query = select(job.c.due_at).where(job.c.kind == CLOCK_JOB, job.c.state == "waiting")
        return list(sqlite.read(lambda connection: connection.execute(query).scalars().all()))

    assert len(looks()) == 1
    Worker(sqlite).run_until_empty()
    assert [one.state for one in board_rounds(sqlite)] == ["open"]
    [due, *_] = looks()  # a second one, if the minute changed meanwhile
    assert timedelta(seconds=30) < due - datetime.now(UTC) <= timedelta(minutes=1)
    answer_all(sqlite, "questions-round-1", {"Good": 3})
    sqlite.write(lambda connection: connection.execute(job.update().values(due_at=datetime.now(UTC))))
    Worker(sqlite).run_until_empty()
    assert [one.state for one in board_rounds(sqlite)] == ["scored"]
    [later] = looks()  # somebody may be excluded from a round that is scored
    assert later - datetime.now(UTC) > timedelta(minutes=2)


def test_what_earlier_rounds_on_a_platform_need_is_added_up_before_anybody_has_to_wait(
    sqlite: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And once more, if somebody was paid, came or left meanwhile."""
    make_board(sqlite, tmp_path, human={"start": "automatic", "pay": {"budget": 100, "target_hourly": 12}})
    send(sqlite, "First")
    tick(sqlite, NOW)
    answer_all(sqlite, "questions-round-1", {"First": 3})
    tick(sqlite, NOW + timedelta(days=1))
    posting_id = sqlite.write(_on_a_platform)
    send(sqlite, "Second")
    looked, look = [], rounds_over._rounds_over

    def changed_meanwhile(connection: Connection, **which: str) -> Any:
        looked.append(look(connection, **which))
        return {} if len(looked) == 1 else looked[-1]

    monkeypatch.setattr(rounds_over, "_rounds_over", changed_meanwhile)
    with asked_of_writer(sqlite) as written:
        open_round(sqlite, NAME, 2, who="Mo", now=NOW + timedelta(days=2))
    assert len(looked) == 2
    assert not [one for one in written if "sum(response" in one]
    kept = sqlite.read(lambda connection: connection.execute(select(posting.c.budget)).scalar_one())
    assert (posting_id, kept) == (1, 0), "nobody there is owed anything, and others may have the rest"


def _on_a_platform(connection: Connection) -> int:
    """The first round was on offer, and nobody came."""
    row = find_campaign(connection, "questions-round-1")
    terms = {**row.settings.model_dump(mode="json"), "recruit": {"platform": "prolific", "reward": "1"}}
    told = Settings.model_validate(terms).model_dump_json()
    connection.execute(update(campaign).where(campaign.c.id == row.id).values(settings=told))
    offer = Offer("x", "x", "x", (), "", 100, "USD", 5.0, 60, 7, 14)
    values = {"platform": "prolific", "live": False, "state": "closed", "offer": asdict(offer), "budget": 5_000}
    more = {"nonce": "n", "publish_at": NOW, "created_by": "t", "created_at": NOW, "trouble": ""}
    made = insert(posting).values(campaign_id=row.id, **values, **more).returning(posting.c.id)
    return int(connection.execute(made).scalar_one())
