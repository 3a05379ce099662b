"""Can people tell, whatever they lean to say? Sensitivity and bias of telling machine text from human text.

Somebody who calls everything a machine's finds every machine text, and is no better for it. Signal detection theory
parts how well two kinds are told apart (d') from which of them is said in doubt (the criterion c): with H the share of
machine texts that are called so and F that of human texts,

    d' = z(H) - z(F)        c = -(z(H) + z(F)) / 2

z the quantile of the normal. d' = 0 is guessing; c above 0 leans to calling texts human. Half an answer is added to
every count, so that both exist when everything was found (Hautus 1995).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from goldmark.records.tables import Cell, Table
from goldmark.results.options import AnalysisOptions, with_interval
from goldmark.stats.inference.bootstrap import Floats
from goldmark.stats.inference.sums import OfSums, sums_figure

if TYPE_CHECKING:
    from goldmark.results.published.humanlike.study import SourceJudgement

# Columns of the counts by evaluator: machine texts, of them called so, human texts, of them called a machine's.
NOTES = (
    "d': how well the two are told apart, 0 is guessing; criterion: what is said in doubt, above 0 the other kind",
    "from all answers together, half an answer added to each count; intervals are over evaluators",
)
LABELS = {"d_prime": "d'", "hit_rate": "hit rate", "false_alarm_rate": "false alarm rate"}


def signal_table(
    cells: Iterable[tuple[Sequence[str], Sequence[SourceJudgement]]],
    names: Sequence[str],
    settings: AnalysisOptions,
    signature: str,
) -> Table:
    """d' and criterion of every cell, which `names` say what is told apart by."""
    rows: list[dict[str, Cell]] = [
        {**dict(zip(names, place, strict=True)), **signal(judged, settings)} for place, judged in cells if judged
    ]
    title = "Telling them apart, and leaning: signal detection"
    return Table.of(title, rows, notes=NOTES, signature=signature, labels=LABELS, name="signal")


def signal(judgements: Sequence[SourceJudgement], settings: AnalysisOptions) -> dict[str, Cell]:
    """The cells of one group's answers."""
    counts = signal_counts(judgements)
    total = counts.sum(axis=0)
    row: dict[str, Cell] = {
        "evaluators": len(counts),
        "answers": int(total[0] + total[2]),
        "hit_rate": float(total[1] / total[0]) if total[0] else None,
        "false_alarm_rate": float(total[3] / total[2]) if total[2] else None,
    }
    reasons: dict[str, None] = {}
    for name, formula in FORMULAS.items():
        if not total[0] or not total[2]:
            row |= with_interval(name, None, None)
            reasons["texts of both kinds are needed"] = None
            continue
        found = sums_figure(counts, formula, top=None, level=settings.level, what="evaluator")
        row |= with_interval(name, found.value, found.interval)
        reasons[found.reason] = None
    return {**row, "reason": "; ".join(filter(None, reasons))}


def signal_counts(judgements: Sequence[SourceJudgement]) -> Floats:
    """One row per evaluator."""
    place: dict[str, int] = {}
    rows = [place.setdefault(judgement.evaluator, len(place)) for judgement in judgements]
    counts = np.zeros((len(place), 4))
    for row, one in zip(rows, judgements, strict=True):
        kind = 0 if one.machine else 2
        counts[row, kind] += 1
        counts[row, kind + 1] += one.said_machine
    return counts


def _quantiles(sums: Floats) -> Iterator[Floats]:
    """z of the hit rate and of the false alarm rate."""
    from scipy.special import ndtri

    for kind in (0, 2):
        yield ndtri((sums[:, kind + 1] + 0.5) / (sums[:, kind] + 1))


def d_prime(sums: Floats) -> Floats:
    hit, false = _quantiles(sums)
    return hit - false


def criterion(sums: Floats) -> Floats:
    hit, false = _quantiles(sums)
    return -(hit + false) / 2


FORMULAS: Mapping[str, OfSums] = {"d_prime": d_prime, "criterion": criterion}
