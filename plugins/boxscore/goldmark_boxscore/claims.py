"""The small language of claims: what a text says about a game, and how it fared against the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from goldmark.records.spans import Span
from goldmark_boxscore.games import Player
from goldmark_boxscore.units import TextUnit

Status = Literal["supported", "contradicted", "unknown"]
Label = Literal["NAME", "NUMBER", "WORD", "CONTEXT", "NOT_CHECKABLE", "OTHER"]


@dataclass(frozen=True)
class Part:
    """The words that fill one slot of a claim."""

    units: tuple[TextUnit, ...]

    @property
    def span(self) -> Span:
        return Span(self.units[0].start, self.units[-1].end)

    @property
    def text(self) -> str:
        return " ".join(unit.text for unit in self.units)

    @property
    def unit(self) -> TextUnit:
        return self.units[-1]

    @property
    def number(self) -> float:
        return self.unit.number

    @property
    def team(self) -> str | None:
        return next((unit.team for unit in self.units if unit.team), None)

    @property
    def player(self) -> Player | None:
        return self.unit.player


@dataclass(frozen=True)
class Subject:
    """Who a claim is about, as discourse has it: a player, else a team, and the words that name them if any do."""

    player: Player | None = None
    team: str | None = None
    mention: TextUnit | None = None
    several: tuple[Player, ...] = ()  # "X and Y": a claim about each or about both
    antecedent: TextUnit | None = None  # the name of an earlier sentence that "he" or "they" goes back to

    @property
    def anchor(self) -> TextUnit | None:
        """The name on which all that is said hangs: if it is wrong, so is everything."""
        return self.mention or self.antecedent


@dataclass(frozen=True)
class Claim:
    """Something a text says that could be true or false."""

    kind: str
    sentence: int
    span: Span
    parts: Mapping[str, Part]
    subject: Subject = Subject()
    story: str | None = None  # the team that the sentences around it tell of
    told: int = 0  # how many players of that team in a row were told of before

    def part(self, role: str) -> Part | None:
        return self.parts.get(role)

    def reading(self) -> dict[str, str]:
        """The claim in plain words, for a person who wants to know how it was understood."""
        who = self.subject.player.name if self.subject.player else self.subject.team
        return {"kind": self.kind, **({"about": who} if who else {})} | {
            role: part.text for role, part in self.parts.items()
        }


@dataclass(frozen=True)
class Fault:
    """Words that the data contradict, with what they should have been and why."""

    span: Span
    label: Label
    correction: str = ""
    comment: str = ""


@dataclass(frozen=True)
class Judgement:
    """What became of a claim."""

    claim: Claim
    status: Status
    faults: tuple[Fault, ...] = ()
    evidence: str = ""
    facts: tuple[tuple[str, str, str], ...] = field(default=())  # (who, what, value) that the data confirm
    doubts: tuple[Fault, ...] = ()  # words that annotators mark in some texts and not in others


def supported(claim: Claim, evidence: str = "", *facts: tuple[str, str, str]) -> Judgement:
    return Judgement(claim, "supported", (), evidence, facts)


def contradicted(claim: Claim, *faults: Fault, evidence: str = "") -> Judgement:
    comments = "; ".join(fault.comment or fault.correction for fault in faults)
    return Judgement(claim, "contradicted", faults, evidence or comments)


def unknown(claim: Claim, evidence: str = "", *doubts: Fault) -> Judgement:
    return Judgement(claim, "unknown", (), evidence, doubts=doubts)
