"""Shares of yes-or-no answers that hang together: answers about one item, and answers of one person.

Wilson's interval on as many independent answers as the variance is worth, which is that of a mean with two crossed
clusters (`evidence`); one cluster where people are not told apart, or are taken as they are.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from goldmark.records.figures import Figure
from goldmark.records.tidy.coded import Codes, first_seen
from goldmark.stats.inference.proportions import clustered_interval
from goldmark.stats.ranks.evidence import FEWEST, evidence
from goldmark.stats.ranks.judgements import Judgements
from goldmark.stats.ranks.pairs import FEW, FEW_PEOPLE, ONE_ITEM, ONE_PERSON
from goldmark.stats.ranks.ranking import PEOPLE_AS_THEY_ARE


def clustered_shares(judged: Judgements, level: float = 0.95) -> list[Figure]:
    """Of every system (or other group), the share over its judgements, each of them 0, 1 or a half."""
    counted = evidence(judged, by_item=False)
    spread = counted.spread()
    found = []
    for place in range(len(judged.systems)):
        own = judged.system == place
        n, share = int(own.sum()), float(judged.score[own].mean())
        variance, freedom, clusters = (float(part[place]) for part in spread[:3])
        if np.isnan(variance):
            found.append(Figure(share, reason=ONE_ITEM if spread.few_items[place] else ONE_PERSON, used=n))
            continue
        few = counted.people is not None and len(np.unique(judged.annotator[own])) < FEW
        why = FEW_PEOPLE if few else "" if counted.people is not None else PEOPLE_AS_THEY_ARE
        found.append(Figure(share, clustered_interval(share, variance, clusters, n, level, freedom), why, used=n))
    return found


class TextSums(NamedTuple):
    """What a share over texts needs of them, where there are too many to hold: cases, and hits of one kind.

    `own` and `cross` are sums of squared cases and of hits times cases, text by text.
    """

    hits: int
    cases: int
    squares: int  # of hits
    cross: int
    own: int

    def figure(self, level: float = 0.95) -> Figure:
        """The same as `share_of` all single cases with their texts."""
        if not self.cases:
            return Figure(None, reason="there is nothing to count", used=0)
        share, one = self.hits / self.cases, self.own / self.cases**2
        if 1 / one < FEWEST:
            return Figure(share, reason=ONE_ITEM, used=self.cases)
        parts = (self.squares - 2 * share * self.cross + share**2 * self.own) / self.cases**2
        variance, clusters = max(0.0, parts) / (1 - one), 1 / one
        return Figure(share, clustered_interval(share, variance, clusters, self.cases, level), used=self.cases)


def share_of(
    hits: ArrayLike, items: Sequence[Hashable], people: Sequence[Hashable] | None = None, level: float = 0.95
) -> Figure:
    """How many of some answers are hits. Without `people`, the items are all that could have been others."""
    score = np.asarray(hits, dtype=np.float64)
    if not len(score):
        return Figure(None, reason="there is nothing to count", used=0)
    item, names = first_seen(items)
    person: Codes = np.zeros(len(score), dtype=np.int64)
    who: Sequence[Hashable] = ()
    if people is not None:
        person, who = first_seen(people)
    rows: Codes = np.zeros(len(score), dtype=np.int64)
    judged = Judgements(("",), tuple(map(str, names)), tuple(map(str, who)), rows, item, person, score)
    found = clustered_shares(judged, level)[0]
    as_asked = people is None and found.reason == PEOPLE_AS_THEY_ARE
    return Figure(found.value, found.interval, "" if as_asked else found.reason, found.used)
