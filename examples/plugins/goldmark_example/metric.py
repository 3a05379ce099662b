"""A metric: how many words an output has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from goldmark.metrics.plugins import MeanMetric, Metric, MetricType, Texts


def lengths(texts: Texts) -> Sequence[float]:
    return [float(len(output.split())) for output in texts.outputs]


def open_length(options: Mapping[str, str]) -> Metric:
    return MeanMetric("length|words:whitespace|version:1", lengths)


LENGTH = MetricType(
    name="length",
    purpose="How many words an output has; fewer are better.",
    open=open_length,
    higher_is_better=False,
    needs_references=False,
)
