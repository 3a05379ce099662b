"""Relation generation, content selection and content ordering, from the claims that a checker extracts.

After Wiseman, Shieber and Rush (2017), who took relations from texts with a trained extractor: RG counts relations of
a text and the share that the data support; CS compares the relations of a text with those of a reference text; CO
compares their order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from goldmark.checkers.plugins import CheckedText, Relation

Triple = tuple[str, str, str]


@dataclass(frozen=True)
class RelationScores:
    """Sums over texts; a share of nothing is None."""

    texts: int
    relations: int
    supported: int
    shared: int | None = None
    distinct: int | None = None
    reference: int | None = None
    ordering: float | None = None  # mean over texts, each between 0 and 1

    @property
    def per_text(self) -> float | None:
        return self.supported / self.texts if self.texts else None

    @property
    def precision(self) -> float | None:
        return self.supported / self.relations if self.relations else None

    @property
    def selection_precision(self) -> float | None:
        return self.shared / self.distinct if self.shared is not None and self.distinct else None

    @property
    def selection_recall(self) -> float | None:
        return self.shared / self.reference if self.shared is not None and self.reference else None


def relations_of(checked: CheckedText) -> list[Relation]:
    """A text's relations in its order."""
    claims = sorted(checked.claims, key=lambda claim: claim.span)
    return [relation for claim in claims for relation in claim.relations]


def relation_scores(
    texts: Mapping[str, CheckedText], references: Mapping[str, CheckedText] | None = None
) -> RelationScores:
    """RG of the texts and, against reference texts of the same ids, CS and CO."""
    found = {text_id: relations_of(checked) for text_id, checked in texts.items()}
    every = [relation for relations in found.values() for relation in relations]
    supported = sum(relation.verdict == "supported" for relation in every)
    if references is None:
        return RelationScores(len(found), len(every), supported)
    shared = distinct = wanted = 0
    orders = []
    for text_id, relations in found.items():
        if text_id not in references:
            continue
        mine = list(dict.fromkeys(relation.triple for relation in relations))
        theirs = list(dict.fromkeys(relation.triple for relation in relations_of(references[text_id])))
        shared += len(set(mine) & set(theirs))
        distinct += len(mine)
        wanted += len(theirs)
        if mine or theirs:
            orders.append(1 - edit_distance(mine, theirs) / max(len(mine), len(theirs)))
    ordering = sum(orders) / len(orders) if orders else None
    return RelationScores(len(found), len(every), supported, shared, distinct, wanted, ordering)


def edit_distance(first: Sequence[Triple], second: Sequence[Triple]) -> int:
    """Damerau and Levenshtein's distance: insertions, deletions, replacements and swaps of neighbours."""
    before: list[int] = []
    row = list(range(len(second) + 1))
    for i, mine in enumerate(first, 1):
        current = [i]
        for j, theirs in enumerate(second, 1):
            cost = min(row[j] + 1, current[j - 1] + 1, row[j - 1] + (mine != theirs))
            if i > 1 and j > 1 and mine == second[j - 2] and first[i - 2] == theirs:
                cost = min(cost, before[j - 2] + 1)
            current.append(cost)
        before, row = row, current
    return row[-1]
