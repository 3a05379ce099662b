"""Mistakes: the words that an annotator would mark, from the verdicts of the cheapest explanation.

A changed anchor is one mistake, and what is still wrong once it is changed are others. Spans never overlap: of two that
do, the one of the stronger kind stays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from goldmark.records.spans import Span
from goldmark_boxscore.claims import Claim, Fault, Judgement
from goldmark_boxscore.confidence import MOST_MARGIN, Signs
from goldmark_boxscore.games import Game
from goldmark_boxscore.units import TextUnit
from goldmark_boxscore.verdicts import ChangedAnchor, Explanation

STRENGTH = ("NAME", "NUMBER", "CONTEXT", "WORD", "NOT_CHECKABLE", "OTHER")  # the protocol's order of precedence
OF_NAMES = {"NAME", "CONTEXT"}  # a name that is wrong, or out of place
LINE_KINDS = {"count", "made-and-tried"}
SETTLED = {"NAME": {"venue-of-team", "superior", "compared"}, "CONTEXT": {"next-scorer"}}  # by a name that is wrong


@dataclass(frozen=True)
class Marked:
    """Words to mark, and what tells how sure that is."""

    fault: Fault
    signs: Signs


def marks_of(explanation: Explanation, game: Game) -> list[Marked]:
    """The marks to report, from left to right."""
    faults = faults_of(explanation, game)
    signs = _signs(explanation, {fault.span for fault in faults if fault.label in OF_NAMES})
    return [Marked(fault, signs.get((fault.span, fault.label)) or Signs("other", fault.label)) for fault in faults]


def _signs(explanation: Explanation, names: set[Span]) -> dict[tuple[Span, str], Signs]:
    """What tells how sure each fault is; `names` are those that are marked."""
    hanging = Counter[Span]()
    for item in explanation.judgements:
        if item.claim.subject.anchor is not None:
            hanging[_place(item.claim.subject.anchor)] += len(item.faults)
    found: dict[tuple[Span, str], Signs] = {}
    for item in explanation.judgements:
        anchor = item.claim.subject.anchor
        place = _place(anchor) if anchor is not None else None
        faults = hanging[place] if place is not None else 1
        rival = explanation.rivals.get(place) if place is not None else None
        margin = rival.margin if rival is not None else MOST_MARGIN
        told_of = names_in(item.claim)
        for fault in item.faults:
            beside = fault.label == "WORD" and item.claim.kind != "next-game" and bool(told_of & names)
            signs = Signs(item.claim.kind, fault.label, max(faults, 1), margin, item.claim.told, beside)
            found.setdefault((fault.span, fault.label), signs)
    for change in explanation.changes:
        fault = _wrong_anchor(change)
        kind = f"wrong {change.anchor.sort.split()[0]}"
        found[fault.span, fault.label] = Signs(kind, fault.label, change.settled, change.margin)
    return found


def names_in(claim: Claim) -> set[Span]:
    """The names of players and teams that a claim is about."""
    units = [unit for part in claim.parts.values() for unit in part.units]
    named = [*units, claim.subject.mention] if claim.subject.mention is not None else units
    return {_place(unit) for unit in named if unit.team or unit.player}


def _place(unit: TextUnit) -> Span:
    return Span(unit.start, unit.end)


def faults_of(explanation: Explanation, game: Game) -> list[Fault]:
    """The faults to report, from left to right."""
    judgements = explanation.judgements
    kept = [fault for judgement in judgements for fault in judgement.faults]
    kept += _strangers(judgements)
    renamed = explanation.changes
    spans = {change.anchor.span for change in renamed}
    kept = [fault for fault in kept if fault.span not in spans] + [_wrong_anchor(change) for change in renamed]
    kept = _records_of_renamed(kept, judgements, game)
    kept = _without_excused(kept, judgements)
    return without_overlap(_settled(kept, judgements))


def _wrong_anchor(change: ChangedAnchor) -> Fault:
    if isinstance(change.meant, str):
        return Fault(change.anchor.span, "WORD", change.right, f"the figures are right for {change.right}")
    return Fault(change.anchor.span, "NAME", change.right, f"what is said is true of {change.right}")


def _without_excused(faults: list[Fault], judgements: Sequence[Judgement]) -> list[Fault]:
    """A good showing is no second mistake where the points that made it one are wrong already."""
    wrong = {
        (item.claim.sentence, item.claim.subject.player.name)
        for item in judgements
        if item.claim.kind == "count" and item.faults and item.claim.subject.player is not None
    }
    excused = {
        id(fault)
        for item in judgements
        if item.claim.kind == "showing" and item.claim.subject.player is not None
        if (item.claim.sentence, item.claim.subject.player.name) in wrong
        for fault in item.faults
    }
    return [fault for fault in faults if id(fault) not in excused]


def _records_of_renamed(faults: list[Fault], judgements: Sequence[Judgement], game: Game) -> list[Fault]:
    """A record belongs to the team that should have been named before it."""
    renamed = {fault.span: fault.correction for fault in faults if fault.label == "NAME"}
    doubled = {fault.span for item in judgements if item.claim.kind in {"result", "outscored"} for fault in item.faults}
    for item in judgements:
        mention = item.claim.subject.mention
        if item.claim.kind != "record" or mention is None or Span(mention.start, mention.end) not in renamed:
            continue
        if not item.faults and Span(mention.start, mention.end) not in doubled:
            continue  # right for the team that is named, and the sentence names no team twice
        right = renamed[Span(mention.start, mention.end)]
        side = next((side for side in game.sides if right.endswith(side.name)), None)
        if side is None:
            continue
        gone = {id(fault) for fault in item.faults}
        faults = [fault for fault in faults if id(fault) not in gone]
        for role in ("wins", "losses"):
            truth, part = side.value(role), item.claim.parts[role]
            if truth is not None and truth != part.number:
                comment = f"the {side.name} were {side.value('wins')}-{side.value('losses')}"
                faults.append(Fault(part.span, "NUMBER", str(truth), comment))
    return faults


def _settled(faults: Sequence[Fault], judgements: Sequence[Judgement]) -> list[Fault]:
    """Leave out what is no longer wrong once a name is right."""
    renamed = {fault.span: fault.label for fault in faults if fault.label in SETTLED}
    done = {
        id(fault)
        for item in judgements
        if (mention := item.claim.subject.mention) is not None
        if item.claim.kind in SETTLED.get(renamed.get(Span(mention.start, mention.end), ""), ())
        for fault in item.faults
        if fault.span not in renamed
    }
    return [fault for fault in faults if id(fault) not in done]


def _strangers(judgements: Sequence[Judgement]) -> list[Fault]:
    """People with figures of this game who are in no box score of it."""
    mentions = [item.claim.subject.mention for item in judgements if item.claim.kind in LINE_KINDS]
    spans = {Span(unit.start, unit.end): unit for unit in mentions if unit is not None and unit.form == "stranger"}
    return [Fault(span, "NAME", "", f"{unit.text} is not in the box score") for span, unit in spans.items()]


def without_overlap(faults: Iterable[Fault]) -> list[Fault]:
    """At most one fault per token; the stronger kind, then the shorter span, stays."""
    ordered = sorted(faults, key=lambda fault: (STRENGTH.index(fault.label), len(fault.span), fault.span))
    taken: set[int] = set()
    kept = []
    for fault in ordered:
        positions = set(fault.span.positions())
        if not positions & taken:
            taken |= positions
            kept.append(fault)
    return sorted(kept, key=lambda fault: fault.span)
