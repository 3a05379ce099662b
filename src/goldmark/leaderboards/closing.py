"""When a round's campaign has closed: people's answers become scores and enter the standings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Connection, delete, insert, select, update

from goldmark.campaigns.export import record_of
from goldmark.errors import GoldmarkError, Kind
from goldmark.leaderboards.boards import BoardRow, find_board, note
from goldmark.leaderboards.relations import relate
from goldmark.leaderboards.rounds import Round, find_round
from goldmark.leaderboards.scoring import Judgements, Score, scores
from goldmark.leaderboards.settings import BoardSettings
from goldmark.protocols.responses import read_responses
from goldmark.records.campaigns import CampaignRecord
from goldmark.records.figures import Signature
from goldmark.stats.ranking import encode
from goldmark.store import Store
from goldmark.store.tables import board_item, board_round, board_score, board_submission


class RoundNotClosed(GoldmarkError):
    code = "ROUND-06"
    kind = Kind.CONFLICT
    message = "round {number} of {board!r} is {state}; its scores are made when its campaign is closed"


class Label(NamedTuple):
    """One answer with a number: what people said of a submission's output on an item."""

    submission: int
    item: str
    annotator: str
    axis: str
    value: float


class Scored(NamedTuple):
    """One submission's score on one axis, and how it was made."""

    submission: int
    axis: str
    score: Score
    signature: str


def labels_of(record: CampaignRecord) -> list[Label]:
    """What counts of a campaign: test questions and excluded annotators are left out."""
    return [
        Label(
            int(str(unit.hidden["submission"])), str(unit.hidden["item"]), response.annotator, one.question, one.value
        )
        for unit, response, said in read_responses(record)
        for one in said.ratings
    ]


def score_labels(
    labels: Iterable[Label], items: Sequence[str], settings: BoardSettings, *, number: int
) -> list[Scored]:
    """Scores of every submission on every axis. `number` of the round and the board's seed decide what is drawn."""
    by_axis: dict[str, list[Label]] = {}
    for one in labels:
        by_axis.setdefault(one.axis, []).append(one)
    place = {item: position for position, item in enumerate(items)}
    rules = settings.scores
    found = []
    for order, (axis, some) in enumerate(sorted(by_axis.items())):
        systems = sorted({one.submission for one in some})
        code = {submission: position for position, submission in enumerate(systems)}
        people = encode([one.annotator for one in some])[1]
        judged = Judgements(
            np.array([code[one.submission] for one in some], dtype=np.int64),
            np.array([place[one.item] for one in some], dtype=np.int64),
            people,
            np.array([one.value for one in some], dtype=np.float64),
        )
        rng = np.random.default_rng([rules.seed, number, order])
        made = scores(
            judged,
            len(systems),
            len(items),
            z=rules.z,
            draw=rules.draw,
            resamples=rules.resamples,
            level=rules.level,
            rng=rng,
        )
        found += [
            Scored(submission, axis, score, _signature(axis, score, settings, number))
            for submission, score in zip(systems, made, strict=True)
        ]
    return found


def _signature(axis: str, score: Score, settings: BoardSettings, number: int) -> str:
    rules = settings.scores
    return str(
        Signature.of(
            figure="mean",
            axis=axis,
            over="items",
            z="annotator" if rules.z else "no",
            interval="bootstrap",
            resampled=score.drawn.replace(" ", "-"),
            level=rules.level,
            resamples=rules.resamples,
            seed=rules.seed,
            round=number,
        )
    )


def score_round(store: Store, board_name: str, number: int, *, who: str, now: datetime) -> Round:
    """Score a round whose campaign is closed; scoring again, after an exclusion say, replaces its scores."""
    row, found, items = store.read(lambda connection: _look(connection, board_name, number))
    if found.campaign is None or found.campaign_state != "closed":
        raise RoundNotClosed(number=number, board=row.name, state=found.campaign_state or found.state)
    record = record_of(store, found.campaign)
    made = score_labels(labels_of(record), items, row.settings, number=number)
    facts = _facts(record, row)

    def keep(connection: Connection) -> Round:
        board = find_board(connection, board_name, hold=True)
        keep_scores(connection, found.id, made, excluded=facts["excluded"], cost=facts["cost of"])
        shown = {key: value for key, value in facts.items() if key != "cost of"}
        connection.execute(
            update(board_round)
            .where(board_round.c.id == found.id)
            .values(state="scored", scored_at=now, facts={**found.facts, **shown})
        )
        _publish_scored(connection, board, made, now)
        relate(connection, sorted({one.submission for one in made}))
        note(connection, board, author=who, kind="round scored", subject=f"round {number}", facts=shown, at=now)
        return find_round(connection, board, number)

    return store.write(keep)


def _look(connection: Connection, board_name: str, number: int) -> tuple[BoardRow, Round, list[str]]:
    row = find_board(connection, board_name)
    return row, find_round(connection, row, number), chosen_names(connection, row)


def chosen_names(connection: Connection, row: BoardRow) -> list[str]:
    """The items that people judge, in the dataset's order: what `segments` of scores are about."""
    query = select(board_item.c.name).where(board_item.c.board_id == row.id, board_item.c.chosen)
    return list(connection.execute(query.order_by(board_item.c.position)).scalars())


def _facts(record: CampaignRecord, row: BoardRow) -> dict[str, Any]:
    """Who was left out, and what the labels cost, those that do not count included: they were paid for."""
    units = {one.id: one.hidden.get("submission") for one in record.units}
    answered = [one for one in record.responses if one.revision == 1]
    price = row.settings.human.price
    of_submission = Counter(units.get(one.unit) for one in answered)
    return {
        "labels": len(answered),
        "annotators": len({one.annotator for one in answered}),
        "excluded": sum(one.state == "excluded" for one in record.annotators),
        "cost": len(answered) * price,
        "cost of": {submission: count * price for submission, count in of_submission.items()},
    }


def keep_scores(
    connection: Connection,
    round_id: int,
    made: Sequence[Scored],
    *,
    excluded: int,
    cost: Mapping[Any, float],
) -> None:
    """Put a round's scores in the place of those it had."""
    connection.execute(delete(board_score).where(board_score.c.round_id == round_id))
    if not made:
        return
    connection.execute(
        insert(board_score),
        [
            {
                "round_id": round_id,
                "submission_id": one.submission,
                "axis": one.axis,
                "value": one.score.value,
                "low": one.score.low,
                "high": one.score.high,
                "error": one.score.error,
                "labels": one.score.labels,
                "items": one.score.items,
                "annotators": one.score.annotators,
                "excluded": excluded,
                "cost": cost.get(one.submission),
                "reason": one.score.reason,
                "signature": one.signature,
                "segments": list(one.score.segments),
            }
            for one in made
        ],
    )


def _publish_scored(connection: Connection, row: BoardRow, made: Sequence[Scored], now: datetime) -> None:
    if row.settings.submit.results != "when scored":
        return
    for submission in sorted({one.submission for one in made}):
        connection.execute(
            update(board_submission)
            .where(board_submission.c.id == submission, board_submission.c.state == "private")
            .values(state="published", published_at=now)
        )
