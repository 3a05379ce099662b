"""Score a system's outputs: the corpus value with its interval, and each text's own value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from goldmark.errors import GoldmarkError, Problem, ProblemsFound
from goldmark.jobs.fanout import WorkerPool
from goldmark.metrics.plugins import Floats, Metric, MetricFailed, MetricType, Spec, Texts, check, opened
from goldmark.records.figures import Figure, Interval
from goldmark.stats.inference.sums import sums_figure

PIECE = 200  # texts that travel together to another process
LEVEL = 0.95

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class MetricScores:
    """What one metric says of one system's outputs."""

    metric: str  # as it was asked for, such as `bleu:tokenize=zh`
    signature: str
    corpus: Figure
    segments: tuple[float | None, ...]  # in the order of the outputs
    top: float
    higher_is_better: bool
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        interval = self.corpus.interval
        return {
            "metric": self.metric,
            "value": self.corpus.value,
            "low": interval.low if interval else None,
            "high": interval.high if interval else None,
            "level": interval.level if interval else None,
            "reason": self.corpus.reason,
            "texts": self.corpus.used,
            "top": self.top,
            "higher_is_better": self.higher_is_better,
            "signature": self.signature,
            "notes": list(self.notes),
            "segments": list(self.segments),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> MetricScores:
        low, high = data["low"], data["high"]
        interval = None if low is None else Interval(low, high, data["level"])
        return cls(
            metric=data["metric"],
            signature=data["signature"],
            corpus=Figure(data["value"], interval, data["reason"], used=data["texts"]),
            segments=tuple(data["segments"]),
            top=data["top"],
            higher_is_better=data["higher_is_better"],
            notes=tuple(data["notes"]),
        )


def score(
    spec: Spec,
    texts: Texts,
    *,
    pool: WorkerPool | None = None,
    progress: Progress = lambda done, total, message: None,
) -> MetricScores:
    """Score outputs with one metric. The interval leaves texts out in turn; the pool counts many pieces at once."""
    kind = check(spec)
    check_texts(kind, texts)
    try:
        return _scored(spec, kind, texts, pool or WorkerPool(processes=1), progress)
    except GoldmarkError:
        raise
    except Exception as error:  # a plug-in's own trouble is its own
        raise MetricFailed(name=spec.name, reason=f"{type(error).__name__}: {error}") from error


def _scored(
    spec: Spec,
    kind: MetricType,
    texts: Texts,
    pool: WorkerPool,
    progress: Progress,
) -> MetricScores:
    metric = opened(spec)
    counts = _count(spec, kind, texts, pool, progress)
    # A rate of errors is best at 0 and has no upper end.
    figure = sums_figure(counts, metric.corpus, top=kind.top or None, level=LEVEL)
    if figure.value is None:
        figure = Figure(None, reason="the metric has no value for these texts", used=len(counts))
    each = {len(one) for one in texts.references}
    made = f"{metric.signature(each.pop() if len(each) == 1 else None)}|interval:jackknife"
    return MetricScores(
        metric=str(spec),
        signature=made,
        corpus=figure,
        segments=tuple(None if np.isnan(one) else float(one) for one in metric.segments(counts)),
        top=kind.top,
        higher_is_better=kind.higher_is_better,
        notes=tuple(_notes(metric, texts)),
    )


def score_each(
    specs: Sequence[Spec],
    texts: Texts,
    *,
    pool: WorkerPool | None = None,
    progress: Progress = lambda done, total, message: None,
) -> dict[str, MetricScores | GoldmarkError]:
    """Several metrics by what they were asked for as; one that fails leaves its error and the others go on."""
    found: dict[str, MetricScores | GoldmarkError] = {}
    for spec in specs:
        try:
            found[str(spec)] = score(spec, texts, pool=pool, progress=progress)
        except GoldmarkError as error:
            found[str(spec)] = error
    return found


def _count(
    spec: Spec,
    kind: MetricType,
    texts: Texts,
    pool: WorkerPool,
    progress: Progress,
) -> Floats:
    total = len(texts.outputs)
    pieces = [(spec, texts.part(start, start + PIECE)) for start in range(0, total, PIECE)]
    rows: list[Floats] = []
    done = 0
    progress(0, total, str(spec))
    for counted in map(_count_piece, pieces) if kind.alone else pool.map(_count_piece, pieces):
        rows.append(counted)
        done += len(counted)
        progress(done, total, str(spec))
    return np.concatenate(rows)


def _count_piece(piece: tuple[Spec, Texts]) -> Floats:
    spec, texts = piece
    return opened(spec).count(texts)


def check_texts(kind: MetricType, texts: Texts) -> None:
    """Refuse texts of which a metric could not be computed, all of them at once."""
    problems = []
    if not texts.outputs:
        problems.append(Problem("outputs", "there is nothing to score"))
    for name, given, needed in (
        ("references", texts.references, kind.needs_references),
        ("sources", texts.sources, kind.needs_sources),
    ):
        if (needed or given) and len(given) != len(texts.outputs):
            what = f"{kind.name} needs {name} for {len(texts.outputs)} outputs, {len(given)} were given"
            problems.append(Problem(name, what))
    if kind.needs_references:
        problems += [
            Problem(f"output {place}", "it has no reference")
            for place, references in enumerate(texts.references, 1)
            if not references
        ]
    if problems:
        raise ProblemsFound(problems, "nothing was scored")


def _notes(metric: Metric, texts: Texts) -> list[str]:
    empty = sum(not output.strip() for output in texts.outputs)
    found = [f"{empty} of {len(texts.outputs)} outputs are empty"] if empty else []
    remark: Callable[[Texts], Sequence[str]] | None = getattr(metric, "remarks", None)
    return [*found, *(remark(texts) if remark else ())]
