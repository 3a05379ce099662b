"""Verdicts: the explanation of a text's errors that costs least.

Every claim is judged as the text says it. Where an anchor has two or more faults hanging on it, all judges are asked
again under each alternative. A changed anchor costs one, and so does each fault that is left; what the text says stands
unless another explanation is strictly cheaper. The best change is made first, and the rest is judged anew with it.
A text in which a name was changed is then read again as it was meant, since whom "he" is, whose story is told and who
has been told of already may hang on that name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from goldmark.records.spans import Span
from goldmark.records.texts import Text
from goldmark_boxscore.claims import Fault, Judgement
from goldmark_boxscore.games import Player, Side
from goldmark_boxscore.hypotheses import SHOT_NAMES, Anchor, Meant, alternatives, anchors, supposing
from goldmark_boxscore.judge_players import shot_kind
from goldmark_boxscore.judging import Court, judge
from goldmark_boxscore.reading import Said, read

FEWEST = 2  # faults under an anchor, below which no change could be cheaper
READINGS = 3  # of a text, each with the names that were found to be meant


@dataclass(frozen=True)
class Costs:
    """What an explanation pays; one is a wrong figure (how the others were chosen: docs/design/checker.md)."""

    changed: float = 1.0  # an anchor that is not what the text says
    word: float = 0.5  # a wrong word or name: easier to be right or wrong by chance than a figure
    left: float = 1.75  # times a fault that stays under a changed anchor: whom a line was copied from it mostly fits
    points: float = 2.0  # more for points that stay: whoever is meant, people look for the points first
    broken: float = 0.5  # more for what holds of the name that the text has, and not of the other
    other_side: float = 0.75  # a player of the team that is not being told of
    repeated: float = 2.0  # a name or a kind of shot that the sentence has already
    company: float = 2.0  # a team none of whose players the sentence names, though it names players
    contrast: float = 0.5  # one team on both sides of a "while"
    chance: float = 0.5  # not a cost: so many players who may fit by chance, and none is taken to be meant


COSTS = Costs()


@dataclass(frozen=True)
class ChangedAnchor:
    """An anchor that is taken to be wrong, what was meant, and by how much that explains more."""

    anchor: Anchor
    meant: Meant
    settled: int  # faults under the anchor as the text has it
    margin: float  # what the text's own reading costs more

    @property
    def right(self) -> str:
        """What should have stood there."""
        if isinstance(self.meant, str):
            return SHOT_NAMES.get(self.meant, self.meant)
        return self.meant.name


@dataclass(frozen=True)
class Explanation:
    """The claims' judgements as the text has them, and as they are once the changes are made."""

    as_said: tuple[Judgement, ...]
    judgements: tuple[Judgement, ...]
    changes: tuple[ChangedAnchor, ...]
    margins: dict[Span, float]  # by anchor that stands: what its best alternative would have cost more


def explain(text: Text, court: Court, costs: Costs = COSTS) -> Explanation:
    """The cheapest explanation of a text, one change at a time."""
    search = _Search(tuple(read(text, court)), court, costs, ())
    as_said = tuple(search.judgements)
    found = changes = search.changes()
    for _ in range(READINGS - 1):
        if not any(isinstance(change.meant, Player | Side) for change in found):
            break
        meant = {change.anchor.span: change.meant for change in changes if not isinstance(change.meant, str)}
        search = _Search(tuple(read(text, court, meant)), court, costs, changes)
        found = search.changes()
        changes += found
    return Explanation(as_said, tuple(search.judgements), changes, search.margins)


class _Search:
    """The claims as they are supposed so far, with their judgements."""

    def __init__(self, said: Sequence[Said], court: Court, costs: Costs, made: Sequence[ChangedAnchor]) -> None:
        self._said, self._game, self._costs = said, court.game, costs
        self._claims = [one.claim for one in said]
        self.judgements = [judge(one.claim, one.court) for one in said]
        self._renamed: dict[Span, Meant] = {}
        self._found: dict[Span, ChangedAnchor | None] = {}
        self.margins: dict[Span, float] = {}
        every = anchors(said, court.game)
        known = {change.anchor.span: change for change in made}
        for anchor in every:
            if anchor.span in known and isinstance(known[anchor.span].meant, str):  # names are read as meant already
                self._suppose(anchor, known[anchor.span].meant)
        self._open = [anchor for anchor in every if anchor.span not in known and self._faults(anchor) >= FEWEST]

    def changes(self) -> tuple[ChangedAnchor, ...]:
        """Every change that makes the text cheaper to explain, the best first."""
        made: list[ChangedAnchor] = []
        while (best := self._best_change()) is not None:
            self._make(best)
            made.append(best)
        return tuple(made)

    def _faults(self, anchor: Anchor) -> int:
        return sum(len(self.judgements[place].faults) for place in anchor.claims)

    def _best_change(self) -> ChangedAnchor | None:
        """The change that explains most, if any is cheaper than what the text says."""
        for anchor in self._open:
            if anchor.span not in self._found:
                self._found[anchor.span] = self._change_of(anchor)
        found = [change for anchor in self._open if (change := self._found[anchor.span]) is not None]
        return max(found, key=lambda change: change.margin, default=None)

    def _change_of(self, anchor: Anchor) -> ChangedAnchor | None:
        judged = [self.judgements[place] for place in anchor.claims]
        as_said = sum(map(self._weight, judged)) + self._extra(anchor, anchor.value)
        options = [(meant, self._supposed(anchor, meant)) for meant in alternatives(anchor, self._game)]
        if not options:
            return None
        costs = [self._cost(anchor, meant, after) for meant, after in options]
        best = costs.index(min(costs))
        meant, after = options[best]
        self.margins[anchor.span] = costs[best] - as_said
        figures = any(_is_figure(item, fault) for item in judged for fault in item.faults)
        if costs[best] >= as_said or not figures:  # words alone do not tell whom a line was copied from
            return None
        if isinstance(meant, Player) and self._by_chance(judged, after, [tried for _, tried in options]):
            return None
        return ChangedAnchor(anchor, meant, self._faults(anchor), as_said - costs[best])

    def _make(self, change: ChangedAnchor) -> None:
        self._suppose(change.anchor, change.meant)
        self._open = [anchor for anchor in self._open if anchor.span != change.anchor.span]
        touched = {self._claims[place].sentence for place in change.anchor.claims}
        for anchor in self._open:
            if touched & {self._claims[place].sentence for place in anchor.claims}:
                self._found.pop(anchor.span, None)

    def _suppose(self, anchor: Anchor, meant: Meant) -> None:
        for place, judgement in zip(anchor.claims, self._supposed(anchor, meant), strict=True):
            self._claims[place], self.judgements[place] = judgement.claim, judgement
        self._renamed[anchor.span] = meant

    def _supposed(self, anchor: Anchor, meant: Meant) -> list[Judgement]:
        """The verdicts on what hangs on an anchor, had it been another."""
        return [
            judge(supposing(self._claims[place], anchor, meant), self._said[place].court) for place in anchor.claims
        ]

    def _cost(self, anchor: Anchor, meant: Meant, supposed: Sequence[Judgement]) -> float:
        total = self._costs.changed + self._extra(anchor, meant)
        for place, after in zip(anchor.claims, supposed, strict=True):
            before = self.judgements[place]
            if before.faults and after.status == "unknown":
                after = before  # what cannot be told of another explains nothing
            total += self._costs.left * self._weight(after)
            total += self._costs.points * (bool(after.faults) and _of_points(after))
            if after.faults and before.status == "supported":
                total += self._costs.broken
        return total

    def _weight(self, judgement: Judgement) -> float:
        return sum(1.0 if _is_figure(judgement, fault) else self._costs.word for fault in judgement.faults)

    def _by_chance(
        self, before: Sequence[Judgement], after: Sequence[Judgement], tried: Sequence[Sequence[Judgement]]
    ) -> bool:
        """Among a score of players somebody has two rebounds and an assist: so many may fit without being meant."""
        explained = [
            (place, fault.span)
            for place, item in enumerate(before)
            for fault in item.faults
            if _fits(after[place], fault.span)
        ]
        fitting = [sum(_fits(each[place], span) for each in tried) - 0.5 for place, span in explained]
        return len(tried) * prod(fits / len(tried) for fits in fitting) >= self._costs.chance

    def _extra(self, anchor: Anchor, meant: Meant) -> float:
        """What else speaks against an alternative: the sentence's other names, and whose players are being told of."""
        names = [unit for unit in self._said[anchor.claims[0]].names if unit.start != anchor.span.start]
        others = [self._renamed.get(Span(unit.start, unit.end), unit.player or unit.team) for unit in names]
        if isinstance(meant, Player):
            team = self._told_of(anchor)
            elsewhere = team is not None and meant.team != team
            twice = meant in others and meant != anchor.value
            return self._costs.repeated * twice + self._costs.other_side * elsewhere
        if not isinstance(meant, Side):
            return self._costs.repeated * self._shot_told(anchor, meant)
        teams = {other.name if isinstance(other, Side) else other for other in others if not isinstance(other, Player)}
        players = [other for other in others if isinstance(other, Player)]
        alone = bool(players) and all(player.team != meant.name for player in players)
        if meant == anchor.value:
            while_too = any(unit.text.lower() == "while" for unit in self._said[anchor.claims[0]].units)
            return self._costs.contrast * (meant.name in teams and while_too)
        return self._costs.repeated * (meant.name in teams) + self._costs.company * alone

    def _shot_told(self, anchor: Anchor, meant: str) -> bool:
        """Does the sentence tell of these shots of the same player already?"""
        mine = self._claims[anchor.claims[0]]
        return meant != anchor.value and any(
            claim.kind == "made-and-tried" and claim.sentence == mine.sentence and shot_kind(claim) == meant
            for claim in self._claims
            if claim is not mine and claim.subject.player == mine.subject.player
        )

    def _told_of(self, anchor: Anchor) -> str | None:
        """The team whose player an anchor should be: the one its sentence says, else the story's, else his own."""
        claims = [self._claims[place] for place in anchor.claims]
        for claim in claims:
            stated = claim.part("team") or claim.part("scope")
            if claim.kind in {"leader", "only-other"} and stated is not None and stated.team:
                return stated.team
        return anchor.value.team if isinstance(anchor.value, Player) else None


def _is_figure(judgement: Judgement, fault: Fault) -> bool:
    """Is a fault of something that is seldom right by chance: a number, or the day or opponent of a next game?"""
    return fault.label == "NUMBER" or (judgement.claim.kind == "next-game" and fault.label == "NAME")


def _fits(judgement: Judgement, span: Span) -> bool:
    return judgement.status != "unknown" and all(fault.span != span for fault in judgement.faults)


def _of_points(judgement: Judgement) -> bool:
    stat = judgement.claim.part("stat")
    return judgement.claim.kind == "count" and stat is not None and stat.unit.stat == "points"
