"""Items and outputs on their way in: nobody sees some of them, nothing stays of what was broken off."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from sqlalchemy import Connection, func, select, update

from goldmark.accounts.credentials import SecretNotValid
from goldmark.accounts.roles import Role
from goldmark.accounts.service import AccountExists, AccountService
from goldmark.campaigns import lifecycle
from goldmark.errors import GoldmarkError
from goldmark.leaderboards.definition.arrival import GIVEN_UP, ArrivingBoard
from goldmark.leaderboards.definition.boards import BoardExists, create_board, find_board, list_boards
from goldmark.leaderboards.definition.file import read_board
from goldmark.leaderboards.human.open_round import RoundNotPlanned, open_round
from goldmark.leaderboards.human.rounds import rounds_of
from goldmark.leaderboards.scores.standings import Viewer, standings
from goldmark.leaderboards.submitted import submit as submitting
from goldmark.leaderboards.submitted.submissions import SubmissionRow, known_systems, withdraw
from goldmark.leaderboards.submitted.upload_reader import read_outputs
from goldmark.store import Store
from goldmark.store.tables import board, board_item, board_output, board_submission, board_system, unit_secret
from tests.leaderboards.ground import NAME, NOW, OPERATOR, items, make_board, outputs, send, write_board

MANY = 600


def count_rows(store: Store) -> list[int]:
    tables = (board, board_system, board_submission, board_item, board_output)
    counted = (select(func.count()).select_from(table) for table in tables)
    return store.read(lambda connection: [connection.execute(query).scalar_one() for query in counted])


def seen(store: Store) -> tuple[list[str], list[str], int]:
    """Boards, systems and rows that somebody who may see everything sees."""

    def look(connection: Connection) -> tuple[list[str], list[str], int]:
        row = find_board(connection, NAME)
        found = standings(connection, row, "correct", Viewer(everything=True))
        boards = [one.name for one in list_boards(connection)]
        return boards, [one.name for one in known_systems(connection, row)], len(found)

    return store.read(look)


def test_outputs_are_seen_when_all_of_them_are_there(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_board(store, tmp_path, items(MANY))
    send(store, "Before", outputs(MANY))
    meanwhile = []

    def looked_at(*given: Any, **more: Any) -> Iterator[tuple[int, str]]:
        for position, output in read_outputs(*given, **more):
            if position == MANY - 1:
                meanwhile.append((seen(store), count_rows(store)[-1] > MANY))
            yield position, output

    monkeypatch.setattr(submitting, "read_outputs", looked_at)
    send(store, "New", outputs(MANY, "new {}"))
    assert meanwhile == [(([NAME], ["Before"], 1), True)]  # some are in the database, and nobody sees them
    assert seen(store) == ([NAME], ["Before", "New"], 2)
    assert count_rows(store) == [1, 2, 2, MANY, 2 * MANY]


def test_nothing_stays_of_what_was_broken_off(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_board(store, tmp_path, items(MANY))
    before = count_rows(store)

    def broken(*given: Any, **more: Any) -> Iterator[tuple[int, str]]:
        for position, output in read_outputs(*given, **more):
            if position == MANY - 1:
                raise KeyboardInterrupt
            yield position, output

    with monkeypatch.context() as patched:
        patched.setattr(submitting, "read_outputs", broken)
        with pytest.raises(KeyboardInterrupt):
            send(store, "New", outputs(MANY))
    assert count_rows(store) == before
    sent = [send(store, "New", outputs(MANY)) for _ in range(2)]
    assert sent[0] == sent[1]  # an impatient click
    assert count_rows(store) == [1, 1, 1, MANY, MANY]


def test_what_a_killed_process_left_is_swept_out(store: Store, tmp_path: Path) -> None:
    protocol_id = make_board(store, tmp_path).protocol_id
    left, comes = ArrivingBoard(store), ArrivingBoard(store)
    for one in (left, comes):
        store.write(partial(one.begin, protocol_id=protocol_id))
    long_ago = datetime.now(UTC) - GIVEN_UP - timedelta(seconds=1)
    store.write(
        lambda connection: connection.execute(update(board).where(board.c.id == left.id).values(created_at=long_ago))
    )
    send(store, "New")
    assert seen(store)[0] == [NAME]
    there = store.read(lambda connection: connection.execute(select(board.c.id)).scalars().all())
    assert comes.id in there
    assert left.id not in there


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    """What comes of calls that begin at the same moment: a result or an error of ours."""
    ready = Barrier(len(calls))

    def one(call: Callable[[], Any]) -> Any:
        ready.wait()
        try:
            return call()
        except GoldmarkError as error:
            return type(error)

    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(one, calls))


def test_a_name_is_given_once(store: Store, tmp_path: Path) -> None:
    plan = read_board(write_board(tmp_path, items(MANY)))
    made = at_once(*[lambda: create_board(store, plan, author="test").name] * 3)
    assert sorted(made, key=str) == [BoardExists, BoardExists, NAME]
    assert count_rows(store) == [1, 0, 0, MANY, 0]
    accounts = AccountService(store)
    links = [accounts.one_time_link(None) for _ in range(3)]
    enter = partial(accounts.enter_by_link, password="four unrelated words")
    people = zip(("Ada", "Bo", "Cy"), links, strict=True)
    first = at_once(*[partial(enter, link, name=name) for name, link in people])
    assert first.count(SecretNotValid) == 2
    more = at_once(*[lambda: accounts.create("Dee", Role.MANAGER, None, author="test").name] * 3)
    assert sorted(more, key=str) == [AccountExists, AccountExists, "Dee"]


def test_a_round_is_opened_once(store: Store, tmp_path: Path) -> None:
    make_board(store, tmp_path, human={"start": "automatic"})
    send(store, "Good")
    made = at_once(*[lambda: open_round(store, NAME, 1, who="test", now=NOW).state] * 3)
    assert sorted(made, key=str) == [RoundNotPlanned, RoundNotPlanned, "open"]


def test_a_system_that_is_withdrawn_while_a_round_opens_is_not_in_it(
    sqlite: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_board(sqlite, tmp_path, human={"start": "automatic", "together": 2})
    send(sqlite, "Good")
    poor = send(sqlite, "Poor")
    create = lifecycle.create
    withdrawn = list[SubmissionRow]()

    def meanwhile(*given: Any, **more: Any) -> Any:
        if not withdrawn:
            withdrawn.append(withdraw(sqlite, NAME, poor.id, who=OPERATOR, reason="a mistake"))
        return create(*given, **more)

    monkeypatch.setattr(lifecycle, "create", meanwhile)
    open_round(sqlite, NAME, 1, who="test", now=NOW)
    [opened] = sqlite.read(lambda connection: rounds_of(connection, find_board(connection, NAME)))
    assert (opened.state, opened.campaign) == ("open", f"{NAME}-round-1")
    judged = sqlite.read(lambda connection: connection.execute(select(unit_secret.c.facts)).scalars().all())
    assert {one["system"] for one in judged} == {"Good"}
