"""A round is not scored while places of an exclusion are still given back, or taken again, some at a time."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from goldmark.campaigns.lifecycle import find_campaign
from goldmark.campaigns.settings_change import change_settings
from goldmark.leaderboards.human.scheduling import scheduler
from goldmark.leaderboards.human.scheduling.jobs import CLOCK_JOB, EVERY
from goldmark.leaderboards.human.scheduling.scheduler import tick
from goldmark.leaderboards.human.score_round import RoundNotReady, close_and_score
from goldmark.people import set_aside
from goldmark.people.exclusions import exclude
from goldmark.people.undo_exclusion import undo
from goldmark.recruiting.offering import begin
from goldmark.store import Store
from goldmark.store.tables import campaign, job
from tests.cut_writes import cut_small, killed_before_piece, worked_off
from tests.leaderboards.ground import NAME, NOW, items, make_board, outputs, send
from tests.leaderboards.test_quality_loop import LATER, row_of, work

CAMPAIGN = "questions-round-1"
PLAN = {"start": "automatic", "labels_per_unit": 2, "quality": {"rules": []}}
OWED = "answers still leave their places, or take them again"


@pytest.fixture
def answered(sqlite: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A round of which Ann has answered everything; two answers a time leave their places."""
    monkeypatch.setattr(set_aside, "FEW", 2)
    cut_small(monkeypatch)
    make_board(sqlite, tmp_path, items(8), human=PLAN)
    send(sqlite, "Good", outputs(8, "Good says {}."))
    tick(sqlite, NOW)
    work(sqlite, CAMPAIGN, "Ann", careful=True)
    return sqlite


def what(store: Store) -> list[tuple[str, str]]:
    return [(one.what, one.why) for one in tick(store, LATER)]


def work_off_all_but_the_clock(store: Store) -> None:
    clock = update(job).where(job.c.kind == CLOCK_JOB).values(state="cancelled")
    store.write(lambda connection: connection.execute(clock))
    worked_off(store)


def shut_out(store: Store, name: str = "Spam", of: str = CAMPAIGN) -> Any:
    return exclude(store, of, name, author="Mo", reason="noise")


def test_a_round_waits_until_the_places_of_somebody_excluded_are_given_back(
    answered: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    work(answered, CAMPAIGN, "Spam", careful=False)
    with killed_before_piece(monkeypatch, 1):
        shut_out(answered)  # every unit still has all its labels, of which half no longer count
    assert what(answered) == [("waits", OWED)]
    with pytest.raises(RoundNotReady, match=OWED):
        close_and_score(answered, NAME, 1, who="Mo", now=LATER)
    work_off_all_but_the_clock(answered)
    work(answered, CAMPAIGN, "Bea", careful=True)
    assert what(answered) == [("scored", "")]
    assert row_of(answered).scores["correct"].value == 0.75


def test_a_scored_round_waits_too_before_it_is_opened_again(answered: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    work(answered, CAMPAIGN, "Spam", careful=False)
    assert what(answered) == [("scored", "")]
    with killed_before_piece(monkeypatch, 1):
        shut_out(answered)
    assert what(answered) == [("waits", OWED)]
    look = answered.read(partial(scheduler._next_look, now=LATER))
    assert look == LATER + EVERY, "it is looked at again soon"
    work_off_all_but_the_clock(answered)
    assert what(answered) == [("opened again", "8 units of excluded annotators wait for new labels")]


def test_a_round_waits_until_somebody_has_their_places_again(answered: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    work(answered, CAMPAIGN, "Spam", careful=False)
    shut_out(answered)
    work(answered, CAMPAIGN, "Bea", careful=True)
    with killed_before_piece(monkeypatch, 1):
        undo(answered, CAMPAIGN, "Spam", author="Mo")
    assert what(answered) == [("waits", OWED)]
    work_off_all_but_the_clock(answered)
    assert what(answered) == [("scored", "")]


def test_a_round_waits_for_an_exclusion_from_another_campaign_of_its_crowd(
    answered: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    send(answered, "Next", outputs(8, "Next says {}."), now=LATER)
    tick(answered, LATER)
    work(answered, "questions-round-2", "Ann", careful=True)
    work(answered, "questions-round-2", "Spam", careful=False)
    work(answered, CAMPAIGN, "Spam", careful=False)
    with killed_before_piece(monkeypatch, 1):
        shut_out(answered, of="questions-round-2")
    assert what(answered) == [("waits", OWED), ("waits", OWED)]


def test_a_round_waits_until_all_its_units_want_as_many_labels_as_its_settings(
    answered: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    work(answered, CAMPAIGN, "Bea", careful=True)
    monkeypatch.setattr("goldmark.campaigns.settings_change.SMALL", 2)
    row = answered.read(lambda connection: find_campaign(connection, CAMPAIGN))
    more = row.settings.model_copy(update={"labels_per_unit": 3})
    with killed_before_piece(monkeypatch, 1):
        change_settings(answered, CAMPAIGN, more, title=row.title, author="Mo", reason="")
    assert what(answered) == [("waits", OWED)]
    work_off_all_but_the_clock(answered)
    assert what(answered) == []  # three labels are wanted of every unit


def test_an_exclusion_while_a_round_is_being_scored_is_not_forgotten(
    answered: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It comes when nothing was waited for any more, and before the answers are read."""
    work(answered, CAMPAIGN, "Spam", careful=False)
    move, told = begin.move, list[str]()

    def excluded_first(store: Store, name: str, verb: str, **more: Any) -> Any:
        if verb == "closed" and not told:
            told.append(verb)
            shut_out(store)
        return move(store, name, verb, **more)

    monkeypatch.setattr(begin, "move", excluded_first)
    assert what(answered) == [("scored", "")]
    assert row_of(answered).scores["correct"].value == 0.75  # without what does not count
    assert what(answered) == [("opened again", "8 units of excluded annotators wait for new labels")]
    state = answered.read(lambda connection: connection.execute(campaign.select()).one()).state
    assert state == "running"
