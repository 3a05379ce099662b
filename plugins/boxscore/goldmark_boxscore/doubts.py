"""Doubts: words that annotators mark in some texts and leave in others, for whoever would rather see too much.

They come from the explanations that were not chosen: the name of an anchor whose best alternative costs little more
than what the text says; the figures of one that was changed for little; and what judges themselves call doubtful. None
of them shares a word with a mark, and each has a probability, a low one, so that only the generous mode shows them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from goldmark_boxscore.claims import Fault
from goldmark_boxscore.confidence import Signs
from goldmark_boxscore.games import Player, Side
from goldmark_boxscore.mistakes import Marked, without_overlap
from goldmark_boxscore.verdicts import Explanation

NEAR = 1.5  # what an alternative may cost more and still be worth a look


def doubts_of(explanation: Explanation, marks: Sequence[Marked]) -> list[Marked]:
    """What may be wrong besides the marks, from left to right."""
    marked = {place for mark in marks for place in mark.fault.span.positions()}
    found = {
        doubt.fault: doubt
        for doubt in (*_names(explanation), *_figures(explanation), *_of_judges(explanation))
        if not marked & set(doubt.fault.span.positions())
    }
    return [found[fault] for fault in without_overlap(found)]


def _names(explanation: Explanation) -> Iterator[Marked]:
    changed = {change.anchor.span for change in explanation.changes}
    for span, rival in explanation.rivals.items():
        if span not in changed and rival.margin <= NEAR and isinstance(rival.meant, Player | Side):
            fault = Fault(span, "NAME", rival.meant.name, f"{rival.meant.name} may be meant")
            yield Marked(fault, Signs(f"{rival.anchor.sort} perhaps", fault.label, doubtful=True))


def _figures(explanation: Explanation) -> Iterator[Marked]:
    changed = {change.anchor.span.start for change in explanation.changes if change.margin <= NEAR}
    for item in explanation.as_said:
        anchor = item.claim.subject.anchor
        if anchor is not None and anchor.start in changed:
            for fault in item.faults:
                yield Marked(fault, Signs("as said", fault.label, doubtful=True))


def _of_judges(explanation: Explanation) -> Iterator[Marked]:
    for item in explanation.judgements:
        for fault in item.doubts:
            yield Marked(fault, Signs(item.claim.kind, fault.label, doubtful=True))
