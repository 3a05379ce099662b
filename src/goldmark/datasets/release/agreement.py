"""How far people agree who read the same texts of a dataset: on erroneous or fine, and on which words."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from goldmark.datasets.release.selection import tokens_of
from goldmark.datasets.sources.readings import Reading
from goldmark.records.figures import Signature
from goldmark.records.tables import Cell, Table
from goldmark.results.options import with_interval
from goldmark.stats.inference.bootstrap import ratio
from goldmark.stats.inference.sums import sums_figure
from goldmark.stats.token_overlap import token_f1


class Agreeing:
    """Collects one number a text: the mean over its pairs of readers."""

    def __init__(self) -> None:
        self.texts = 0
        # As numbers of eight bytes: there is one of each for every text.
        self._verdict = array("d")
        self._tokens = array("d")  # of pairs who both found something
        self._types = array("d")  # of pairs who marked one error each, on words that meet

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

    def table(self) -> Table | None:
        """Means over texts with their intervals; None if nobody read what somebody else had read."""
        if not self.texts:
            return None
        rows: list[dict[str, Cell]] = []
        for what, values in (
            ("same verdict", self._verdict),
            ("token F1 of erroneous words", self._tokens),
            ("same type", self._types),
        ):
            counts = np.column_stack([values, np.ones(len(values))])
            found = sums_figure(counts, lambda sums: ratio(sums[:, 0], sums[:, 1]), most=len(values))
            reason = found.reason if values else "no text allows it"
            cells = with_interval("value", found.value, found.interval)
            rows.append({"agreement": what, **cells, "texts": len(values), "reason": reason})
        signature = str(Signature.of(figure="pairs-of-readers", interval="wilson-jackknife-texts"))
        return Table.of("Agreement of people who read the same text", rows, signature=signature)
