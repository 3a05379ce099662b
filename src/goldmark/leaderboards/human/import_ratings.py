"""Scores that people gave elsewhere, brought into a board as a finished round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, func, insert, select, update

from goldmark.errors import Problem, ProblemsFound
from goldmark.jobs import owed
from goldmark.leaderboards.definition import teams
from goldmark.leaderboards.definition.boards import BoardRow, chosen_names, find_board, note
from goldmark.leaderboards.definition.file import axes_of, main_axis
from goldmark.leaderboards.definition.names import key_of, plain
from goldmark.leaderboards.human.open_round import protocol_of
from goldmark.leaderboards.human.rounds import Round, find_round
from goldmark.leaderboards.human.score_round import Scored, ScoredAnswer, keep_scores, of_submissions, score_labels
from goldmark.leaderboards.scores.item_correlations import owe_relations, relate
from goldmark.leaderboards.submitted.submissions import known_systems
from goldmark.records.tidy.columns import Column, Columns, Frame
from goldmark.results.inputs.files.rating_rows import rating_rows, score_column
from goldmark.stats.inference.scales import told_ends
from goldmark.stats.ranks.judgements import standardise
from goldmark.store import Store
from goldmark.store.bulk import insert_rows
from goldmark.store.tables import board_entry, board_round, board_submission, board_system
from goldmark.store.transactions import prepared_beside

RATINGS = Columns(
    Column("system", about="whose output was judged"),
    Column("item", about="which item of the board"),
    Column("annotator", about="who judged"),
    Column("score", "number", about="the score; empty where there is none", empty=True),
    Column("question", about="which question; left out, the one that ranks", optional=True),
)
MOST_PROBLEMS = 200
Floats = NDArray[np.float64]


def bring_ratings(
    store: Store,
    board_name: str,
    frame: Frame,
    *,
    team: str,
    who: str,
    now: datetime,
    names: Mapping[str, str] | None = None,
    keep: Mapping[str, Sequence[str]] | None = None,
) -> Round:
    """A finished round from a table of judgements. Systems that the board does not know yet are added, without outputs.

    `keep` leaves only rows with certain values in a column; where the board standardises scores, that is done before,
    over all that an annotator judged. Test questions and excluded annotators are left out.
    """
    named = {**(names or {}), "score": score_column(frame, (names or {}).get("score", ""))}
    if "question" not in frame.cells and "axis" in frame.cells:
        named.setdefault("question", "axis")
    checked = RATINGS.check(frame, named, options=True)
    score = np.array([np.nan if value is None else value for value in checked.numbers("score")], dtype=np.float64)
    counting = rating_rows(frame, keep or {}, every_question=True)
    score[~counting.judged] = np.nan
    systems, items, people = (checked.texts(name) for name in ("system", "item", "annotator"))

    def scored(board: _Board) -> _Brought:
        settings = board.row.settings
        protocol = store.read(lambda connection: protocol_of(connection, board.row))
        chosen = store.read(lambda connection: chosen_names(connection, board.row))  # which stay as they were created
        main = main_axis(protocol, settings)
        axes = checked.texts("question") if "question" in checked else [main] * len(frame)
        # Here and not when scoring, because rows that are left out below still say how someone uses the scale.
        value = _standardised(axes, people, score) if settings.scores.z else score
        rows: list[int] = np.flatnonzero(counting.kept & ~np.isnan(value)).tolist()
        _refuse_strangers(frame, rows, items, axes, set(chosen), axes_of(protocol))
        ends = {question.id: told_ends(*question.ends()) for question in protocol.questions()}
        places = {name: place for place, name in enumerate(dict.fromkeys(systems[at] for at in rows))}
        labels = [
            ScoredAnswer(
                places[systems[at]], systems[at], items[at], people[at], axes[at], float(value[at]), ends[axes[at]]
            )
            for at in rows
        ]
        made = score_labels(labels, chosen, settings, number=board.number, standardised=settings.scores.z)
        facts = {"labels": len(labels), "annotators": len({one.annotator for one in labels}), "excluded": 0}
        return _Brought(list(places), made, facts)

    def bring(connection: Connection, board: _Board, brought: _Brought) -> tuple[Round, list[int], int]:
        row, number, facts = board.row, board.number, brought.facts
        ids = _submissions(connection, row, brought.systems, team, who, now)
        made = insert(board_round).values(
            board_id=row.id,
            number=number,
            state="scored",
            opens_at=now,
            opened_at=now,
            scored_at=now,
            facts={**facts, "source": frame.source},
        )
        round_id = int(connection.execute(made.returning(board_round.c.id)).scalar_one())
        connection.execute(
            insert(board_entry),
            [{"round_id": round_id, "submission_id": one, "why": "new"} for one in sorted(ids)],
        )
        keep_scores(connection, round_id, [of_submissions(one, ids) for one in brought.scores], excluded=0, cost={})
        note(connection, row, author=who, kind="scores brought in", subject=f"round {number}", facts=facts, at=now)
        owing = owe_relations(connection, row.name, ids, author=who)
        return find_round(connection, row, number), ids, owing

    done, ids, owing = prepared_beside(store, partial(_look, board_name=board_name), scored, bring)
    relate(store, ids)
    store.write(lambda connection: owed.done(connection, owing))
    return done


class _Board(NamedTuple):
    """What scores are made with."""

    row: BoardRow
    number: int  # of the round that they will be


class _Brought(NamedTuple):
    systems: list[str]
    scores: list[Scored]  # of systems by their places among these: which submissions they are is not said yet
    facts: dict[str, int]


def _look(connection: Connection, *, board_name: str) -> _Board:
    row = find_board(connection, board_name, hold=True)
    return _Board(row, _next_number(connection, row))


def _standardised(axes: Sequence[str], people: Sequence[str], score: Floats) -> Floats:
    """Every annotator's scores as z-scores, each question by itself."""
    value = np.full(len(score), np.nan)
    for axis in set(axes):
        rows = [at for at, one in enumerate(axes) if one == axis]
        value[rows] = standardise([people[at] for at in rows], score[rows])
    return value


def _refuse_strangers(
    frame: Frame,
    rows: Sequence[int],
    items: Sequence[str],
    axes: Sequence[str],
    chosen: set[str],
    known: Sequence[str],
) -> None:
    problems = []
    for at in rows:
        if items[at] not in chosen:
            what = f'"{items[at]}" is no item that people judge on this board'
            problems.append(Problem(frame.where(at), what, "leave the row out", "item"))
        if axes[at] not in known:
            what = f'"{axes[at]}" is no question with numbers'
            problems.append(Problem(frame.where(at), what, f"they are {', '.join(known)}", "question"))
        if len(problems) >= MOST_PROBLEMS:
            break
    if not rows:
        problems.append(Problem(frame.source, "no row with a score is left"))
    if problems:
        raise ProblemsFound(problems, consequence="nothing was brought in")


def _submissions(
    connection: Connection, row: BoardRow, names: Sequence[str], team: str, who: str, now: datetime
) -> list[int]:
    """The newest versions of systems of these names, or new ones without outputs: as few statements as for one."""
    wanted = {key_of(name): name for name in (plain(name, "system") for name in names)}
    systems = {key_of(one.name): one.id for one in known_systems(connection, row)}
    latest, versions = _latest(connection, [systems[key] for key in wanted if key in systems])
    # People have judged them: nobody needs to decide that.
    judged = update(board_submission).where(board_submission.c.id.in_(latest.values()))
    connection.execute(judged.values(approval="approved"))
    lacking = [key for key in wanted if systems.get(key) not in latest]
    if lacking:
        new = [key for key in lacking if key not in systems]
        team_id = teams.find_or_make(connection, row, team).id
        about = {"board_id": row.id, "team_id": team_id, "kind": "system", "created_at": now}
        made = insert_rows(connection, board_system, [{**about, "name": wanted[key], "key": key} for key in new])
        systems |= dict(zip(new, made, strict=True))
        rows = [
            {
                "board_id": row.id,
                "system_id": systems[key],
                "version": versions.get(systems[key], 0) + 1,
                "state": "published",
                "approval": "approved",
                "description": "",
                "link": "",
                "authors": [],
                "outputs": 0,
                "digest": "",
                "submitted_by": who,
                "submitted_at": now,
                "published_at": now,
            }
            for key in lacking
        ]
        made = insert_rows(connection, board_submission, rows)
        latest |= {systems[key]: number for key, number in zip(lacking, made, strict=True)}
    return [latest[systems[key_of(plain(name, "system"))]] for name in names]


def _latest(connection: Connection, systems: Sequence[int]) -> tuple[dict[int, int], dict[int, int]]:
    """By system: the newest submission to the test, and the number of the newest version."""
    query = select(board_submission.c.id, board_submission.c.system_id, board_submission.c.version)
    theirs = query.add_columns(board_submission.c.phase).where(board_submission.c.system_id.in_(systems))
    found = connection.execute(theirs.order_by(board_submission.c.version)).all()
    latest = {one.system_id: one.id for one in found if one.phase == "test"}
    return latest, {one.system_id: one.version for one in found}


def _next_number(connection: Connection, row: BoardRow) -> int:
    last = connection.execute(select(func.max(board_round.c.number)).where(board_round.c.board_id == row.id)).scalar()
    return (last or 0) + 1
