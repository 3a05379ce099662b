"""How far people agree who read the same texts of a dataset: on erroneous or fine, and on which words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from goldmark.datasets.release.selection import tokens_of
from goldmark.datasets.sources.readings import Reading
from goldmark.records.figures import Interval, Signature
from goldmark.records.tables import Cell, Table
from goldmark.results.options import with_interval
from goldmark.stats.inference.bootstrap import bootstrap_mean
from goldmark.stats.token_overlap import token_f1

RESAMPLES = 2000


class Agreeing:
    """Collects one number a text: the mean over its pairs of readers."""

    def __init__(self) -> None:
        self.texts = 0
        self._verdict: list[float] = []
        self._tokens: list[float] = []  # of pairs who both found something
        self._types: list[float] = []  # of pairs who marked one error each, on words that meet

    def add(self, readings: Sequence[Reading]) -> None:
        self.texts += 1
        verdicts: list[float] = []
        tokens: list[float] = []
        types: list[float] = []
        for first, second in combinations(readings, 2):
            same = (first.discarded, first.erroneous) == (second.discarded, second.erroneous)
            verdicts.append(float(same))
            if first.erroneous and second.erroneous:
                tokens.append(token_f1(tokens_of(first), tokens_of(second)))
                if len(first.errors) == len(second.errors) == 1 and tokens[-1] and first.errors[0].type:
                    types.append(float(first.errors[0].type == second.errors[0].type))
        for values, kept in ((verdicts, self._verdict), (tokens, self._tokens), (types, self._types)):
            if values:
                kept.append(sum(values) / len(values))

    def table(self, *, seed: int) -> Table | None:
        """Means over texts with bootstrap intervals; None if nobody read what somebody else had read."""
        if not self.texts:
            return None
        rng = np.random.default_rng(seed)
        rows: list[dict[str, Cell]] = []
        for what, values in (
            ("same verdict", self._verdict),
            ("token F1 of erroneous words", self._tokens),
            ("same type", self._types),
        ):
            mean = sum(values) / len(values) if values else None
            found = bootstrap_mean(values, rng=rng, resamples=RESAMPLES) if values else None
            reason = "" if isinstance(found, Interval) else "no text allows it" if found is None else found.reason
            rows.append(
                {"agreement": what, **with_interval("value", mean, found), "texts": len(values), "reason": reason}
            )
        signature = str(Signature.of(figure="pairs-of-readers", resamples=RESAMPLES, seed=seed))
        return Table.of("Agreement of people who read the same text", rows, signature=signature)
