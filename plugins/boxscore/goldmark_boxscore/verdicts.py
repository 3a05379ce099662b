"""Verdicts: the explanation of a text's errors that costs least.

Every claim is judged as the text says it. Where an anchor has two or more faults hanging on it, all judges are asked
again under each alternative. A changed anchor costs one, and so does each fault that is left; what the text says stands
unless another explanation is strictly cheaper. The best change is made first, and the rest is judged anew with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from goldmark.records.spans import Span
from goldmark_boxscore.claims import Fault, Judgement
from goldmark_boxscore.games import Game, Player, Side
from goldmark_boxscore.hypotheses import SHOT_NAMES, Anchor, Meant, alternatives, anchors, supposing
from goldmark_boxscore.judging import judge
from goldmark_boxscore.reading import Said

FEWEST = 2  # faults under an anchor, below which no change could be cheaper


@dataclass(frozen=True)
class Costs:
    """What an explanation pays; one is a wrong figure (how the others were chosen: docs/design/checker.md)."""

    changed: float = 1.0  # an anchor that is not what the text says
    word: float = 0.5  # a wrong word or name: easier to be right or wrong by chance than a figure
    left: float = 1.75  # times a fault that stays under a changed anchor: whom a line was copied from it mostly fits
    broken: float = 0.5  # more for what holds of the name that the text has, and not of the other
    other_side: float = 0.75  # a player of the team that is not being told of
    repeated: float = 2.0  # a name that the sentence has already
    company: float = 2.0  # a team none of whose players the sentence names, though it names players
    contrast: float = 0.5  # one team on both sides of a "while"


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


def misnamed(explanation: Explanation) -> dict[Span, Player]:
    """Players named in place of one of the other team: the story goes on with those who were meant."""
    return {
        change.anchor.span: change.meant
        for change in explanation.changes
        if isinstance(change.meant, Player) and isinstance(change.anchor.value, Player)
        if change.meant.team != change.anchor.value.team
    }


def explain(said: Sequence[Said], game: Game, costs: Costs = COSTS) -> Explanation:
    """The cheapest explanation, one change at a time."""
    search = _Search(said, game, costs)
    as_said = tuple(search.judgements)
    changes: list[ChangedAnchor] = []
    while (best := search.best_change()) is not None:
        search.make(best)
        changes.append(best)
    return Explanation(as_said, tuple(search.judgements), tuple(changes), search.margins)


class _Search:
    """The claims as they are supposed so far, with their judgements."""

    def __init__(self, said: Sequence[Said], game: Game, costs: Costs) -> None:
        self._said, self._game, self._costs = said, game, costs
        self._claims = [one.claim for one in said]
        self.judgements = [judge(one.claim, one.court) for one in said]
        self._open = [
            anchor
            for anchor in anchors(said, game)
            if sum(len(self.judgements[place].faults) for place in anchor.claims) >= FEWEST
        ]
        self._renamed: dict[Span, Meant] = {}
        self._found: dict[Span, ChangedAnchor | None] = {}
        self.margins: dict[Span, float] = {}

    def best_change(self) -> ChangedAnchor | None:
        """The change that explains most, if any is cheaper than what the text says."""
        for anchor in self._open:
            if anchor.span not in self._found:
                self._found[anchor.span] = self._change_of(anchor)
        found = [change for anchor in self._open if (change := self._found[anchor.span]) is not None]
        return max(found, key=lambda change: change.margin, default=None)

    def _change_of(self, anchor: Anchor) -> ChangedAnchor | None:
        judged = [self.judgements[place] for place in anchor.claims]
        as_said = sum(map(self._weight, judged)) + self._extra(anchor, anchor.value)
        options = [
            (self._cost(anchor, meant), place, meant) for place, meant in enumerate(alternatives(anchor, self._game))
        ]
        cost, _, meant = min(options, key=lambda option: option[:2], default=(as_said, 0, anchor.value))
        self.margins[anchor.span] = cost - as_said
        figures = any(_is_figure(item, fault) for item in judged for fault in item.faults)
        if cost >= as_said or not figures:  # words alone do not tell whom a line was copied from
            return None
        return ChangedAnchor(anchor, meant, sum(len(item.faults) for item in judged), as_said - cost)

    def make(self, change: ChangedAnchor) -> None:
        for place in change.anchor.claims:
            self._claims[place] = supposing(self._claims[place], change.anchor, change.meant)
            self.judgements[place] = judge(self._claims[place], self._said[place].court)
        self._renamed[change.anchor.span] = change.meant
        self._open = [anchor for anchor in self._open if anchor.span != change.anchor.span]
        touched = {self._claims[place].sentence for place in change.anchor.claims}
        for anchor in self._open:
            if touched & {self._claims[place].sentence for place in anchor.claims}:
                self._found.pop(anchor.span, None)

    def _cost(self, anchor: Anchor, meant: Meant) -> float:
        total = self._costs.changed + self._extra(anchor, meant)
        for place in anchor.claims:
            before = self.judgements[place]
            after = judge(supposing(self._claims[place], anchor, meant), self._said[place].court)
            if before.faults and after.status == "unknown":
                after = before  # what cannot be told of another explains nothing
            total += self._costs.left * self._weight(after)
            if after.faults and before.status == "supported":
                total += self._costs.broken
        return total

    def _weight(self, judgement: Judgement) -> float:
        return sum(1.0 if _is_figure(judgement, fault) else self._costs.word for fault in judgement.faults)

    def _extra(self, anchor: Anchor, meant: Meant) -> float:
        """What else speaks against a name: the sentence's other names, and whose players are being told of."""
        names = [unit for unit in self._said[anchor.claims[0]].names if unit.start != anchor.span.start]
        others = [self._renamed.get(Span(unit.start, unit.end), unit.player or unit.team) for unit in names]
        if isinstance(meant, Player):
            team = self._told_of(anchor)
            elsewhere = team is not None and meant.team != team
            twice = meant in others and meant != anchor.value
            return self._costs.repeated * twice + self._costs.other_side * elsewhere
        if not isinstance(meant, Side):
            return 0.0
        teams = {other.name if isinstance(other, Side) else other for other in others if not isinstance(other, Player)}
        players = [other for other in others if isinstance(other, Player)]
        alone = bool(players) and all(player.team != meant.name for player in players)
        if meant == anchor.value:
            while_too = any(unit.text.lower() == "while" for unit in self._said[anchor.claims[0]].units)
            return self._costs.contrast * (meant.name in teams and while_too)
        return self._costs.repeated * (meant.name in teams) + self._costs.company * alone

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
