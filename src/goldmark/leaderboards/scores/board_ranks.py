"""Which ranks remain possible on a board, and every two of its systems compared.

The engine is that of `goldmark rank`. Systems of one round were judged by the same people, of which the scores keep
what is needed; people of different rounds count as different people. Items are the same in every round, so differences
are always paired by item. What was computed is remembered until a score changes, because the standings are read more
often than they are made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Connection, select

from goldmark.leaderboards.definition.boards import BoardRow, chosen_names
from goldmark.store.tables import board_round, board_score

if TYPE_CHECKING:  # a server that starts should not wait for numpy
    from goldmark.stats.inference.scales import Ends
    from goldmark.stats.ranks.evidence import Shared, SystemEvidence
    from goldmark.stats.ranks.judgements import Floats
    from goldmark.stats.ranks.ranking import Drawn, Ranking

REMEMBERED = 64
_KNOWN: dict[tuple[Any, ...], Ranking] = {}


class RankedScore(NamedTuple):
    """One system's score on the axis that ranks."""

    submission: int
    system: str
    round: int
    value: float
    low: float | None
    high: float | None
    error: float | None
    labels: int
    items: int
    annotators: int
    reason: str


def board_ranking(
    connection: Connection, row: BoardRow, axis: str, scores: Sequence[RankedScore], *, listed: bool = False
) -> Ranking:
    """The systems in the order of their names; `listed` compares every two of them."""
    ordered = sorted(scores, key=lambda one: (one.system, one.submission))
    settings = row.settings.scores
    key = (str(connection.engine.url), row.id, axis, str(settings), tuple(ordered), listed)
    found = _KNOWN.get(key)
    if found is None:
        found = _ranking(connection, row, axis, ordered, listed)
        while len(_KNOWN) >= REMEMBERED:
            _KNOWN.pop(next(iter(_KNOWN)), None)
        _KNOWN[key] = found
    return found


def _ranking(connection: Connection, row: BoardRow, axis: str, scores: Sequence[RankedScore], listed: bool) -> Ranking:
    import numpy as np

    from goldmark.stats.inference.scales import OPEN, ends_of
    from goldmark.stats.ranks.ranking import RankingRules, SystemScore, ranked

    settings = row.settings.scores
    rules = RankingRules(draw=settings.draw, resamples=settings.resamples, level=settings.level)
    items, found = _evidence(connection, row, axis, scores, people=settings.draw != "items")
    drawn: Drawn = "items" if found.people is None else "items and annotators"
    known = [
        SystemScore(one.value, one.low, one.high, one.error, one.labels, one.items, one.annotators, drawn, one.reason)
        for one in scores
    ]
    rng = np.random.default_rng(settings.seed)
    ends = OPEN if settings.z else ends_of(found.means[~np.isnan(found.means)], _told(connection, row, axis))
    return ranked(_names(scores), items, found, known, ends, rules, rules.permutations, rng=rng, listed=listed)


def _told(connection: Connection, row: BoardRow, axis: str) -> Ends | None:
    """Between which numbers the protocol lets answers lie."""
    from goldmark.leaderboards.human.open_round import protocol_of
    from goldmark.stats.inference.scales import told_ends

    asked = protocol_of(connection, row).questions()
    return next((told_ends(*one.ends()) for one in asked if one.id == axis), None)


def _names(scores: Sequence[RankedScore]) -> tuple[str, ...]:
    """By system, and by submission too where two versions stand on the board."""
    names = [one.system for one in scores]
    twice = {first for first, second in pairwise(names) if first == second}
    return tuple(f"{one.system} / {one.submission}" if one.system in twice else one.system for one in scores)


def _evidence(
    connection: Connection, row: BoardRow, axis: str, scores: Sequence[RankedScore], *, people: bool
) -> tuple[tuple[str, ...], SystemEvidence]:
    import numpy as np

    from goldmark.stats.ranks.evidence import Shared, SystemEvidence

    stored = _stored(connection, row, axis, scores)
    names = chosen_names(connection, row)
    means = np.array(
        [[np.nan if value is None else value for value in stored[one.submission][0]] for one in scores],
        dtype=np.float64,
    ).reshape(len(scores), len(names))
    used = [at for at in sorted(range(len(names)), key=names.__getitem__) if not np.isnan(means[:, at]).all()]
    means = np.ascontiguousarray(means[:, used])
    value = np.array([one.value for one in scores], dtype=np.float64)
    weight = ~np.isnan(means) / np.maximum(1, (~np.isnan(means)).sum(axis=1, keepdims=True))
    part = np.where(np.isnan(means), 0.0, weight * (means - value[:, None]))
    items = Shared(part @ part.T, weight @ weight.T)
    found = SystemEvidence(value, means, items, None, None)
    if people and any(one.annotators > 1 for one in scores):
        together, labels = (
            _shared(scores, [stored[one.submission][1] for one in scores], kind, items) for kind in ("people", "labels")
        )
        found = SystemEvidence(value, means, items, together, labels)
    return tuple(names[at] for at in used), found


def _stored(
    connection: Connection, row: BoardRow, axis: str, scores: Sequence[RankedScore]
) -> dict[int, tuple[Sequence[float | None], Mapping[str, Any] | None]]:
    wanted = {(one.submission, one.round) for one in scores}
    query = (
        select(board_score.c.submission_id, board_round.c.number, board_score.c.segments, board_score.c.shared)
        .join(board_round, board_round.c.id == board_score.c.round_id)
        .where(board_round.c.board_id == row.id, board_score.c.axis == axis)
    )
    return {
        one.submission_id: (one.segments, one.shared)
        for one in connection.execute(query)
        if (one.submission_id, one.number) in wanted
    }


def _shared(
    scores: Sequence[RankedScore], stored: Sequence[Mapping[str, Any] | None], kind: str, items: Shared
) -> Shared:
    import numpy as np

    from goldmark.stats.ranks.evidence import Shared

    parts, weights = np.zeros((len(scores), len(scores))), np.zeros((len(scores), len(scores)))
    for place, (one, kept) in enumerate(zip(scores, stored, strict=True)):
        if kept is None:
            if kind == "people":
                parts[place, place], weights[place, place] = _from_error(one, items, place)
            continue
        for other, score in enumerate(scores):
            pair = kept[kind].get(str(score.submission)) if score.round == one.round else None
            if pair is not None:
                parts[place, other], weights[place, other] = pair
    return Shared(parts, weights)


def _from_error(one: RankedScore, items: Shared, place: int) -> tuple[float, float]:
    """What people add to the variance of a score of which only its standard error was kept."""
    if one.annotators < 2 or one.error is None:
        return 0.0, 0.0
    weight = 1 / one.annotators
    whole = one.error**2 * (1 - items.weights[place, place] - weight)
    return max(0.0, float(whole - items.parts[place, place])), weight


def kept_of(found: SystemEvidence, submissions: Sequence[int]) -> list[dict[str, Any] | None]:
    """What each score of a round keeps of what it has in common with the others; systems in the evidence's order."""
    if found.people is None or found.labels is None:
        return [None] * len(submissions)
    kinds = {"people": found.people, "labels": found.labels}

    def row(table: Floats, other: Floats, place: int) -> dict[str, Any]:
        pairs = zip(submissions, table[place].tolist(), other[place].tolist(), strict=True)
        return {str(submission): [part, weight] for submission, part, weight in pairs if part or weight}

    return [
        {kind: row(shared.parts, shared.weights, place) for kind, shared in kinds.items()}
        for place in range(len(submissions))
    ]
