"""Several systems by several metrics: every score, what failed and why, one table, and the scores of each text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from goldmark.errors import GoldmarkError
from goldmark.jobs.fanout import WorkerPool
from goldmark.metrics.files import SystemOutputs
from goldmark.metrics.plugins import Spec
from goldmark.metrics.scores import MetricScores, Progress, score_each
from goldmark.records.figures import Signature
from goldmark.records.tables import Cell, Table
from goldmark.texts.readers.spreadsheet import csv_line


class SystemScores(NamedTuple):
    """What one metric says of one system."""

    outputs: SystemOutputs
    metric: str
    scores: MetricScores

    @property
    def system(self) -> str:
        return self.outputs.system


class MetricFailure(NamedTuple):
    """A metric that could not be computed."""

    system: str
    metric: str
    error: GoldmarkError


def score_systems(
    systems: Sequence[SystemOutputs],
    specs: Sequence[Spec],
    *,
    pool: WorkerPool,
    progress: Progress,
) -> tuple[list[SystemScores], list[MetricFailure]]:
    """Every system by every metric; one that fails does not stop the others."""
    found: list[SystemScores] = []
    failed: list[MetricFailure] = []
    for one in systems:
        scored = score_each(specs, one.texts, pool=pool, progress=progress)
        for name, result in scored.items():
            if isinstance(result, GoldmarkError):
                failed.append(MetricFailure(one.system, name, result))
            else:
                found.append(SystemScores(one, name, result))
    return found, failed


def metrics_table(found: Sequence[SystemScores]) -> Table:
    """A row for every system and metric."""
    named = any(one.system for one in found)
    rows: list[dict[str, Cell]] = []
    for one in found:
        corpus = one.scores.corpus
        low, high = corpus.interval[:2] if corpus.interval else (None, None)
        system: dict[str, Cell] = {"system": one.system} if named else {}
        figure: dict[str, Cell] = {"value": corpus.value, "low": low, "high": high}
        rows.append({**system, "metric": one.metric, **figure, "texts": corpus.used, "reason": corpus.reason})
    signatures = {one.metric: one.scores.signature for one in found}
    remarks = [f"{one.metric}: {note}" for one in found for note in one.scores.notes]
    return Table.of(
        "Automatic metrics",
        rows,
        notes=(*(f"{name}: {made}" for name, made in signatures.items()), *dict.fromkeys(remarks)),
        signature=str(Signature.of(figure="metrics", interval="jackknife-texts")),
    )


def segments_csv(found: Sequence[SystemScores]) -> str:
    """One output per row, one column per metric, as `goldmark metrics correlate` reads it."""
    by_system: dict[str, tuple[SystemOutputs, dict[str, MetricScores]]] = {}
    for one in found:
        by_system.setdefault(one.system, (one.outputs, {}))[1][one.metric] = one.scores
    names = list(dict.fromkeys(one.metric for one in found))
    lines = [csv_line(["system", "item", *names])]
    for outputs, results in by_system.values():
        for place, item in enumerate(outputs.ids):
            scores = (results[name].segments[place] if name in results else None for name in names)
            lines.append(csv_line([outputs.system, item, *scores]))
    return "".join(lines)
