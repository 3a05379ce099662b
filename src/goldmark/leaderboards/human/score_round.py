"""When a round's campaign has closed: people's answers become scores and enter the standings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Connection, delete, func, insert, select, update

from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.campaigns.transfer.observe import StoreSource
from goldmark.errors import Conflict
from goldmark.jobs import owed
from goldmark.leaderboards.definition.boards import BoardRow, chosen_names, find_board, note
from goldmark.leaderboards.definition.settings import BoardSettings
from goldmark.leaderboards.human.money import shared_out, to_cents
from goldmark.leaderboards.human.readiness import LAST_DECISION, last_decision, look_once_more
from goldmark.leaderboards.human.rounds import Round, find_round
from goldmark.leaderboards.scores.board_ranks import kept_of
from goldmark.leaderboards.scores.item_correlations import owe_relations, relate
from goldmark.observations.source import ObservationSource
from goldmark.protocols.answers import read
from goldmark.records.units import sign_of
from goldmark.recruiting.offering.begin import move
from goldmark.recruiting.offering.postings import of_campaign
from goldmark.recruiting.paying.budget import incurred_in_campaign
from goldmark.stats.inference.scales import OPEN, Ends, told_ends
from goldmark.stats.ranks.judgements import Judgements, standardise
from goldmark.stats.ranks.ranking import Ranking, RankingRules, SystemScore, rank
from goldmark.store import Store
from goldmark.store.bulk import streamed
from goldmark.store.tables import (
    assignment,
    board_round,
    board_score,
    board_submission,
    response,
    unit_secret,
)


class RoundNotClosed(Conflict):
    code = "ROUND-06"
    message = "round {number} of {board!r} is {state}; its scores are made when its campaign is closed"


class RoundNotReady(Conflict):
    code = "ROUND-08"
    message = "round {number} of {board!r} is not scored yet: {why}"


class ScoredAnswer(NamedTuple):
    """One answer with a number: what people said of a submission's output on an item."""

    submission: int
    system: str
    item: str
    annotator: str
    axis: str
    value: float
    ends: Ends | None = None  # between which answers to this question can lie; none: not said


class Scored(NamedTuple):
    """One submission's score on one axis, the mean score of each item, and how it was made."""

    submission: int
    axis: str
    score: SystemScore
    segments: tuple[float | None, ...]
    signature: str
    shared: dict[str, Any] | None  # what it has in common with the others of its round


class CountingAnswers(NamedTuple):
    """What counts of a round: test questions and excluded annotators are left out."""

    labels: list[ScoredAnswer]
    answers: int
    people: int
    excluded: int  # people, whether or not they answered


def counting_answers(source: ObservationSource) -> CountingAnswers:
    """What people said of each output, read unit by unit."""
    excluded = {one.name for one in source.people() if one.state == "excluded"}
    labels: list[ScoredAnswer] = []
    counted: Counter[str] = Counter()
    for unit, responses in source.units():
        if sign_of(unit.facts):
            continue
        judged = int(unit.facts["submission"]), str(unit.facts["system"]), str(unit.facts["item"])
        for answer in responses:
            if answer.annotator not in excluded:
                counted[answer.annotator] += 1
                labels.extend(
                    ScoredAnswer(
                        *judged, answer.annotator, one.question, one.value, told_ends(one.scale_low, one.scale_high)
                    )
                    for one in read(answer.protocol, answer.answers, unit.surface).ratings
                )
    return CountingAnswers(labels, counted.total(), len(counted), len(excluded))


def score_labels(
    labels: Iterable[ScoredAnswer],
    items: Sequence[str],
    settings: BoardSettings,
    *,
    number: int,
    standardised: bool = False,
) -> list[Scored]:
    """Scores of every submission on every axis, the same to the last digit as `goldmark rank` makes of the same labels.

    `items` are those that the round judges, in the board's order; `number` is that of the round; `standardised` says
    that labels are z-scores already.
    """
    by_axis: dict[str, list[ScoredAnswer]] = {}
    for one in labels:
        by_axis.setdefault(one.axis, []).append(one)
    given = settings.scores
    found = []
    for axis, some in sorted(by_axis.items()):
        names = _system_names(some)
        people, values = [one.annotator for one in some], [one.value for one in some]
        judged = Judgements.of(
            [names[one.submission] for one in some],
            [one.item for one in some],
            people,
            standardise(people, values) if given.z and not standardised else values,
        )
        ends = OPEN if given.z else some[0].ends
        rules = RankingRules(draw=given.draw, resamples=given.resamples, level=given.level, ends=ends)
        ranked = rank(judged, rules, rng=np.random.default_rng(given.seed))
        signature = ranked.signature(z=given.z, seed=given.seed, axis=axis, round=number)
        segments = _segments(ranked, items)
        numbers = {name: submission for submission, name in names.items()}
        shared = kept_of(ranked.evidence, [numbers[name] for name in ranked.systems])
        for submission, name in sorted(names.items()):
            place = ranked.systems.index(name)
            found.append(Scored(submission, axis, ranked.scores[place], segments[place], signature, shared[place]))
    return found


def of_submissions(scored: Scored, ids: Sequence[int]) -> Scored:
    """The same of submissions that were known by their places among these."""
    shared = scored.shared and {
        kind: {str(ids[int(place)]): part for place, part in parts.items()} for kind, parts in scored.shared.items()
    }
    return scored._replace(submission=ids[scored.submission], shared=shared)


def _system_names(labels: Iterable[ScoredAnswer]) -> dict[int, str]:
    """How each submission is called: by its system's name, and by its number too where a round has two versions."""
    names = {one.submission: one.system for one in labels}
    times = Counter(names.values())
    return {one: name if times[name] == 1 else f"{name} / {one}" for one, name in names.items()}


def _segments(ranked: Ranking, items: Sequence[str]) -> list[tuple[float | None, ...]]:
    """The mean score of each item, of each system, in the board's order."""
    place = {item: position for position, item in enumerate(ranked.items)}
    nothing = len(ranked.items)  # the place of a column without a score
    padded = np.pad(ranked.item_means, ((0, 0), (0, 1)), constant_values=np.nan)
    table = padded[:, [place.get(item, nothing) for item in items]]
    return [tuple(None if value != value else value for value in row) for row in table.tolist()]


def close_and_score(
    store: Store, board_name: str, number: int, *, who: str, now: datetime, reason: str = "", anyway: bool = False
) -> Round:
    """Close a round's campaign and score it; a round that was scored is scored again.

    Rules look at everybody first. While somebody flagged is undecided, or units of excluded annotators wait, it is
    refused; `anyway`, it is scored from what there is.
    """
    row, found, _ = store.read(lambda connection: _look(connection, board_name, number))
    decided = None
    if found.campaign is not None:
        waits = look_once_more(store, store.read(partial(find_campaign, name=found.campaign)))
        if waits and not anyway:
            raise RoundNotReady(number=number, board=row.name, why=waits.words)
        decided = waits.decided
        move(store, found.campaign, "closed", author=who, reason=reason)
    return score_round(store, board_name, number, who=who, now=now, decided=decided)


def score_round(
    store: Store, board_name: str, number: int, *, who: str, now: datetime, decided: int | None = None
) -> Round:
    """Score a round whose campaign is closed; scoring again, after an exclusion say, replaces its scores.

    `decided` is the last decision about annotators that was known when the round was found ready: one that came later
    has it judged again, though the scores leave out already who was excluded.
    """
    row, found, items = store.read(lambda connection: _look(connection, board_name, number))
    if found.campaign is None or found.campaign_state != "closed":
        raise RoundNotClosed(number=number, board=row.name, state=found.campaign_state or found.state)
    campaign = store.read(partial(find_campaign, name=found.campaign))
    # Before the answers are read: a decision that comes between the two is one that the scores do not know.
    known = store.read(lambda connection: last_decision(connection, campaign.id)) if decided is None else decided

    def read_answers(connection: Connection) -> tuple[CountingAnswers, dict[str, Any]]:
        counting = counting_answers(StoreSource(connection, campaign))
        return counting, _facts(connection, row, campaign, counting)

    counting, facts = store.snapshot(read_answers)
    made = score_labels(counting.labels, items, row.settings, number=number)
    judged = sorted({one.submission for one in made})

    def keep(connection: Connection) -> tuple[Round, int]:
        board = find_board(connection, board_name, hold=True)
        keep_scores(connection, found.id, made, excluded=facts["excluded"], cost=facts["cost of"])
        shown = {key: value for key, value in facts.items() if key != "cost of"}
        kept = {key: value for key, value in found.facts.items() if key != "waits"}
        connection.execute(
            update(board_round)
            .where(board_round.c.id == found.id)
            .values(state="scored", scored_at=now, facts={**kept, **shown, LAST_DECISION: known})
        )
        _publish_scored(connection, board, made, now)
        note(connection, board, author=who, kind="round scored", subject=f"round {number}", facts=shown, at=now)
        return find_round(connection, board, number), owe_relations(connection, board.name, judged, author=who)

    scored, owing = store.write(keep)
    relate(store, judged)
    store.write(lambda connection: owed.done(connection, owing))
    return scored


def _look(connection: Connection, board_name: str, number: int) -> tuple[BoardRow, Round, list[str]]:
    row = find_board(connection, board_name)
    return row, find_round(connection, row, number), chosen_names(connection, row)


def cost_on_platform(connection: Connection, row: CampaignRow) -> Decimal | None:
    """What a round's people cost on a crowd platform, paid or still to be, fees included; None if it was on none."""
    given = row.settings.recruit
    if given is None or not of_campaign(connection, row):
        return None
    return to_cents(Decimal(incurred_in_campaign(connection, row, live=given.live)) / 100)


def _facts(connection: Connection, row: BoardRow, campaign: CampaignRow, counting: CountingAnswers) -> dict[str, Any]:
    """What counts, what does not, and what all of it cost: every answer was paid for.

    A system bears the cost of its labels and its part of the test questions, so that systems' costs add up to the
    round's.
    """
    answered = Counter[Any]()  # by submission; test questions have none
    for facts, answers in _answered(connection, campaign):
        answered[facts.get("submission")] += answers
    every, tests = answered.total(), answered.pop(None, 0)
    charged = cost_on_platform(connection, campaign)
    cost = to_cents(every * row.settings.human.pay.per_unit) if charged is None else charged
    return {
        "answers": every,
        "labels": counting.answers,
        "test questions": tests,
        "set aside": every - tests - counting.answers,
        "annotators": counting.people,
        "excluded": counting.excluded,
        "cost": float(cost),
        "cost of": {key: float(share) for key, share in shared_out(cost, answered).items()},
    }


def _answered(connection: Connection, campaign: CampaignRow) -> Iterator[tuple[Mapping[str, Any], int]]:
    """What is known of each unit that somebody answered, and how often that was."""
    times = (
        select(assignment.c.unit_id, func.count().label("answers"))
        .join(response, (response.c.assignment_id == assignment.c.id) & (response.c.revision == 1))
        .where(assignment.c.campaign_id == campaign.id)
        .group_by(assignment.c.unit_id)
        .subquery()
    )
    found = select(unit_secret.c.facts, times.c.answers).join(times, times.c.unit_id == unit_secret.c.unit_id)
    return streamed(connection, found)


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
                "segments": list(one.segments),
                "shared": one.shared,
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
