"""The same error in another form: different words of one clause that contradict the same fact.

"Durant had 30 points and 10 rebounds" is repaired by changing the name, or both figures. Words alone do not show that
two people meant the same, so only two patterns count: one mark of a label that the protocol prefers against several of
another label, and a mark that nobody shares in a clause whose settled error its author did not mark.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from goldmark.curation.proposals.align import Piece, clauses, clusters
from goldmark.records.spans import Span
from goldmark.records.texts import Text


@dataclass(eq=False)
class ProposedError:
    """One error while a proposal is made: where it is, the pieces on it, and pieces that say it in another form."""

    span: Span
    members: list[Piece]
    others: list[Piece] = field(default_factory=list)

    def finders(self) -> set[str]:
        return {piece.annotator for piece in (*self.members, *self.others)}


class Clauses:
    """Which clause of a text a passage stands in: the one in which it begins."""

    def __init__(self, text: Text) -> None:
        self.starts = [clause.start for clause in clauses(text)]

    def by_clause(self, pieces: Iterable[Piece]) -> dict[int, list[Piece]]:
        found: dict[int, list[Piece]] = defaultdict(list)
        for piece in pieces:
            found[self.of(piece.span)].append(piece)
        return found

    def of(self, span: Span) -> int:
        return bisect_right(self.starts, span.start)


def single_for_several(
    place: Clauses, spare: Sequence[Piece], least: int, priority: Sequence[str]
) -> list[ProposedError]:
    """Errors that enough people found only if both forms count: one mark, the simplest form, is proposed for them."""
    if least < 2 or not priority:
        return []
    found: list[ProposedError] = []
    for _, pieces in sorted(place.by_clause(spare).items()):
        mine: dict[str, list[Piece]] = defaultdict(list)
        for piece in pieces:
            mine[piece.annotator].append(piece)
        if len(mine) < least or not any(len(theirs) == 1 for theirs in mine.values()):
            continue
        candidates = [_single(cluster, mine, priority) for cluster in clusters(pieces)]
        enough = [error for error in candidates if error is not None and len(error.finders()) >= least]
        enough = [error for error in enough if not any(error.span.overlaps(other.span) for other in found)]
        if enough:  # several would each claim the others' marks: take the one that most people chose
            found.append(min(enough, key=lambda error: (-len({p.annotator for p in error.members}), error.span)))
    return found


def _single(
    cluster: Sequence[Piece], mine: Mapping[str, Sequence[Piece]], priority: Sequence[str]
) -> ProposedError | None:
    """The cluster as the one mark of its people in this clause, with everybody's several marks of a lesser label."""
    people = {piece.annotator for piece in cluster}
    labels = {piece.label for piece in cluster}
    spans = {piece.span for piece in cluster}
    if len(labels) != 1 or len(spans) != 1 or any(len(mine[one]) != 1 for one in people):
        return None
    (label,), (span,) = labels, spans
    if label not in priority:
        return None
    others: list[Piece] = []
    for annotator in sorted(set(mine) - people):
        theirs = mine[annotator]
        kinds = {piece.label for piece in theirs}
        if len({piece.span for piece in theirs}) < 2 or len(kinds) != 1:
            continue
        kind = next(iter(kinds))
        if kind in priority and priority.index(label) < priority.index(kind):
            others += theirs
    return ProposedError(span, list(cluster), others) if others else None


def other_forms(place: Clauses, spare: Sequence[Piece], errors: Iterable[ProposedError]) -> None:
    """Count spare marks in an error's clause as other forms of it, for people who did not mark the error itself."""
    by_clause = place.by_clause(spare)
    for error in errors:
        near = by_clause.get(place.of(error.span), ())
        if near:
            finders = error.finders()
            labels = {piece.label for piece in error.members}
            error.others += [one for one in near if one.annotator not in finders and one.label not in labels]
