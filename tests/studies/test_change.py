"""A study that nobody has begun becomes another: its texts move some at a time, and nobody joins before all have."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

import pytest
import yaml
from sqlalchemy import select

from goldmark.accounts.links import SignedLinks
from goldmark.campaigns.lifecycle import move
from goldmark.people.annotators import JoinClosed, invite, join
from goldmark.store import Store
from goldmark.store.tables import unit, unit_secret
from goldmark.studies.design import change
from goldmark.studies.design.change import StudyHasBegun, change_study
from goldmark.studies.design.create import create_study, in_strata, source_of_study
from tests.cut_writes import cut_small, killed_before_piece, worked_off
from tests.studies.small import SUGGESTIONS, changed

LINKS = SignedLinks(b"a key for tests")
MADE = changed(SUGGESTIONS)
NAME = MADE.study.name
MORE = {"participants": 2 * int(MADE.study.file.participants)}


def other(**changes: Any) -> str:
    return yaml.safe_dump({**yaml.safe_load(MADE.study.source), **changes}, sort_keys=False)


def texts(store: Store) -> list[tuple[Any, ...]]:
    query = select(unit.c.name, unit.c.stratum, unit.c.wanted, unit_secret.c.facts).join(unit_secret)
    return sorted((tuple(one) for one in store.read(lambda found: found.execute(query).all())), key=str)


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    return cut_small(monkeypatch)


def test_it_comes_to_the_same_as_if_it_had_been_made_so(store: Store, written: list[int]) -> None:
    create_study(store, LINKS, MADE, author="Mo")
    before = texts(store)
    written.clear()
    change_study(store, NAME, other(title="Another title"), author="Mo")
    assert written == [], "no text is moved for that"
    change_study(store, NAME, other(**MORE), author="Mo")
    assert sum(written) == len(MADE.units)
    assert {name: facts for name, *_, facts in texts(store)} == {
        one.id: one.hidden for one in in_strata(changed(SUGGESTIONS, **MORE))
    }
    assert all((facts["stratum"], facts["labels_wanted"]) == tuple(placed) for _, *placed, facts in texts(store))
    change_study(store, NAME, MADE.study.source, author="Mo")
    assert texts(store) == before
    assert worked_off(store) == 0


def test_nobody_joins_a_study_whose_texts_are_on_their_way_and_a_worker_goes_on_with_it(
    store: Store, monkeypatch: pytest.MonkeyPatch, written: list[int]
) -> None:
    link = create_study(store, LINKS, MADE, author="Mo").invite
    move(store, NAME, "started", author="Mo")
    with killed_before_piece(monkeypatch, 2):
        change_study(store, NAME, other(**MORE), author="Mo")
    half = texts(store)
    with pytest.raises(JoinClosed, match="not started yet"):
        join(store, LINKS, str(link))
    with pytest.raises(JoinClosed):
        invite(store, LINKS, NAME, "Ada", author="Mo")
    assert worked_off(store) == 1
    assert texts(store) != half
    assert all(facts["labels_wanted"] == wanted for _, _, wanted, facts in texts(store))
    assert join(store, LINKS, str(link))
    with pytest.raises(StudyHasBegun):
        change_study(store, NAME, MADE.study.source, author="Mo")


def test_of_two_who_change_a_study_at_once_the_last_is_obeyed_by_all_texts(
    store: Store, monkeypatch: pytest.MonkeyPatch, written: list[int]
) -> None:
    create_study(store, LINKS, MADE, author="Mo")
    before, known, asked = texts(store), source_of_study, list[Future[Any]]()
    with ThreadPoolExecutor(1) as pool:

        def slowly(*given: Any) -> Any:
            found = known(*given)
            if not asked:  # a piece has seen that its plan is still that of the study
                asked.append(pool.submit(change_study, store, NAME, MADE.study.source, author="Flo"))
                wait(asked, 0.3)
            return found

        monkeypatch.setattr(change, "source_of_study", slowly)
        change_study(store, NAME, other(**MORE), author="Mo")
        asked[0].result()
    assert texts(store) == before
