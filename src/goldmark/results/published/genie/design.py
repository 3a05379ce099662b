"""Which design of an evaluation is steadiest: scale x aggregation x labels per item (GENIE 4)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from goldmark.errors import GoldmarkError
from goldmark.records.figures import counted
from goldmark.records.tables import Cell, Table
from goldmark.records.tidy.coded import first_seen
from goldmark.records.tidy.columns import CheckedColumns, Column, Columns
from goldmark.results.options import AnalysisOptions, with_interval
from goldmark.stats.inference.bootstrap import percentile_interval

Floats = NDArray[np.float64]

LABELS = Columns(
    Column("item", about="which test item"),
    Column("score", "number", about="the label as a number, all scales on the same range", empty=True),
    Column("scale", about="which scale it was given on: binary, likert...", optional=True),
    Column("day", about="on which day or in which repetition", optional=True),
)


class UnevenLabels(GoldmarkError):
    code = "DESIGN-01"
    message = (
        "items of scale {scale!r} on day {day!r} have from {fewest} to {most} labels; a fair comparison needs the same "
        "number, at least two, for every item: leave the other items out"
    )


class _Group(NamedTuple):
    scale: str
    day: str
    labels: Floats  # items x labels


def design(checked: CheckedColumns, settings: AnalysisOptions) -> list[Table]:
    """For each design, the estimate and its spread over resamples on each day, and how far days differ.

    With k labels per item and the money for as many labels as there are items: *multilabelling* draws 1/k of the items
    with replacement and uses all their labels; *unilabelling* keeps every item and draws one of its labels.
    """
    groups, notes = _groups(checked)
    rng = settings.rng()
    by_day: list[dict[str, Cell]] = []
    spread: dict[tuple[str, str, str], list[tuple[float, float]]] = {}
    for group in groups:
        for aggregation in ("mean", "majority"):
            for labelling in ("unilabelling", "multilabelling"):
                estimates = _estimates(group.labels, aggregation, labelling, settings.resamples, rng)
                value = _estimate(group.labels, aggregation, labelling)
                interval = percentile_interval(estimates, level=settings.level)
                by_day.append(
                    {
                        "scale": group.scale,
                        "aggregation": aggregation,
                        "labelling": labelling,
                        "day": group.day,
                        **with_interval("estimate", value, interval),
                        "variance": float(estimates.var(ddof=1)),
                    }
                )
                spread.setdefault((group.scale, aggregation, labelling), []).append(
                    (float(estimates.mean()), float(estimates.var(ddof=1)))
                )
    designs: list[dict[str, Cell]] = []
    for (scale, aggregation, labelling), days in spread.items():
        means = np.array([mean for mean, _ in days])
        designs.append(
            {
                "scale": scale,
                "aggregation": aggregation,
                "labelling": labelling,
                "estimate": float(means.mean()),
                "variance": float(np.mean([variance for _, variance in days])),
                "between_days_sd": float(means.std(ddof=1)) if len(days) > 1 else None,
                "largest_gap": float(means.max() - means.min()) if len(days) > 1 else None,
                "days": len(days),
            }
        )
    designs.sort(key=lambda row: float(row["variance"] or 0))
    if all(len(days) == 1 for days in spread.values()):
        notes.append("one day only: nothing can be said about stability across days")
    notes.append(
        f"the ends beside an estimate: the middle {settings.level:.0%} of what resamples of these very labels give, "
        "which is how steady a design is and not where the truth lies"
    )
    signature = settings.signature(figure="design")
    labels = {"between_days_sd": "s.d. between days", "largest_gap": "largest gap between days"}
    return [
        Table.of("Designs, steadiest first", designs, notes=tuple(notes), signature=signature, labels=labels),
        Table.of("Designs by day", by_day, notes=tuple(notes), signature=signature),
    ]


def _groups(checked: CheckedColumns) -> tuple[list[_Group], list[str]]:
    alike = ["all"] * len(checked)
    scales = checked.texts("scale") if "scale" in checked else alike
    days = checked.texts("day") if "day" in checked else alike
    items = checked.texts("item")
    scores = checked.numbers("score")
    rows: dict[tuple[str, str], list[int]] = {}
    for row, score in enumerate(scores):
        if score is not None:
            rows.setdefault((scales[row], days[row]), []).append(row)
    groups: list[_Group] = []
    for (scale, day), places in rows.items():
        item, names = first_seen([items[row] for row in places])
        counts = np.bincount(item)
        if counts.min() != counts.max() or counts.min() < 2:
            raise UnevenLabels(scale=scale, day=day, fewest=int(counts.min()), most=int(counts.max()))
        order = np.argsort(item, kind="stable")
        values = np.array([scores[row] for row in places], dtype=np.float64)[order]
        groups.append(_Group(scale, day, values.reshape(len(names), -1)))
    missing = sum(score is None for score in scores)
    return groups, [f"left out: {counted(missing, 'label')} without a score"] if missing else []


def _estimate(labels: Floats, aggregation: str, labelling: str) -> float:
    """What the design would say with every label at hand; one label per item is already its own majority."""
    if labelling == "multilabelling" and aggregation == "majority":
        return float(majority(labels).mean())
    return float(labels.mean())


def _estimates(labels: Floats, aggregation: str, labelling: str, resamples: int, rng: np.random.Generator) -> Floats:
    items, depth = labels.shape
    if labelling == "unilabelling":
        chosen = labels[np.arange(items), rng.integers(0, depth, size=(resamples, items))]
    else:
        per_item = labels.mean(axis=1) if aggregation == "mean" else majority(labels)
        chosen = per_item[rng.integers(0, items, size=(resamples, max(1, round(items / depth))))]
    estimates: Floats = chosen.mean(axis=1)
    return estimates


def majority(labels: Floats) -> Floats:
    """The most frequent label of each row; the mean of several that are equally frequent."""
    values, code = np.unique(labels, return_inverse=True)
    code = code.reshape(labels.shape)
    times = np.zeros((len(labels), len(values)))
    for column in code.T:
        times[np.arange(len(labels)), column] += 1
    top = times == times.max(axis=1, keepdims=True)
    winners: Floats = (top @ values) / top.sum(axis=1)
    return winners
