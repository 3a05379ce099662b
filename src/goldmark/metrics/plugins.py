"""What an automatic metric is, and which there are.

A metric counts per text first and computes its value from sums of counts, so that a resample is only a re-sum and every
corpus score has an interval. To add one, publish a `MetricType` under the entry point group `goldmark.metrics`; see
docs/how-to/write-a-metric.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from goldmark.errors import Failed, GoldmarkError
from goldmark.plugins import Group

Floats = NDArray[np.float64]


class UnknownOption(GoldmarkError):
    code = "METRIC-23"
    message = "the metric {name!r} has no option {option!r}; it has {known}"


class WrongOption(GoldmarkError):
    """A metric raises it for a value that it cannot use."""

    code = "METRIC-24"
    message = "the metric {name!r} cannot use {option}={value}: {reason}"


class MetricNotInstalled(Failed):
    """A metric raises it when it is opened and what it is made with is not there."""

    code = "METRIC-25"
    message = "the metric {name!r} needs {package}; install it with: {command}"


class MetricFailed(Failed):
    code = "METRIC-26"
    message = "the metric {name!r} failed on these texts: {reason}"


class Texts(NamedTuple):
    """Texts to score, in one order: what a system wrote, what people wrote, and what both were given."""

    outputs: Sequence[str]
    references: Sequence[Sequence[str]] = ()  # for each output, any number
    sources: Sequence[str] = ()

    def part(self, start: int, end: int) -> Texts:
        return Texts(self.outputs[start:end], self.references[start:end], self.sources[start:end])


class Metric(Protocol):
    """An opened metric. Rows of counts are what texts contribute; a value is computed from a sum of rows."""

    def signature(self, references: int | None) -> str:
        """How its numbers are made; `references` is how many each text has, None if that differs."""

    def count(self, texts: Texts) -> Floats:
        """One row of counts for each text."""

    def corpus(self, sums: Floats) -> Floats:
        """The value of each row of sums; NaN where it is undefined."""

    def segments(self, counts: Floats) -> Floats:
        """The value of each text alone; NaN where it is undefined."""


@dataclass(frozen=True)
class MeanMetric:
    """A metric that scores each text by itself; a corpus has the mean. For most plug-ins this is all they need."""

    made: str  # its signature
    score: Callable[[Texts], Sequence[float]]

    def signature(self, references: int | None) -> str:
        return f"nrefs:{'var' if references is None else references}|{self.made}"

    def count(self, texts: Texts) -> Floats:
        scores = np.asarray(self.score(texts), dtype=np.float64)
        defined = ~np.isnan(scores)
        return np.stack([np.where(defined, scores, 0.0), defined], axis=1)

    def corpus(self, sums: Floats) -> Floats:
        none = sums[:, 1] == 0
        value: Floats = np.where(none, np.nan, sums[:, 0] / np.where(none, 1.0, sums[:, 1]))
        return value

    def segments(self, counts: Floats) -> Floats:
        return self.corpus(counts)


@dataclass(frozen=True)
class MetricType:
    """A kind of metric: its name, what it measures, what it needs, and how it is opened with its options."""

    name: str
    purpose: str
    open: Callable[[Mapping[str, str]], Metric]
    options: Mapping[str, str] = field(default_factory=dict)  # name -> what it is, with its default
    top: float = 1.0  # its value for a perfect output; 100 if it is told in percent
    higher_is_better: bool = True
    needs_references: bool = True
    needs_sources: bool = False
    alone: bool = False  # one process only: it loads a model, and computes in parallel by itself


METRICS: Group[MetricType] = Group(
    "metrics",
    "metric",
    MetricType,
    {
        "bertscore": "goldmark.metrics.neural:BERTSCORE",
        "bleu": "goldmark.metrics.sacre:BLEU",
        "bleurt": "goldmark.metrics.neural:BLEURT",
        "chrf": "goldmark.metrics.sacre:CHRF",
        "comet": "goldmark.metrics.comet:COMET",
        "meteor": "goldmark.metrics.meteor:METEOR",
        "rouge1": "goldmark.metrics.rouge:ROUGE_1",
        "rouge2": "goldmark.metrics.rouge:ROUGE_2",
        "rougeL": "goldmark.metrics.rouge:ROUGE_L",
        "ter": "goldmark.metrics.sacre:TER",
    },
)


@dataclass(frozen=True, order=True)
class Spec:
    """A metric and its options, as people write them: `bleu`, or `bleu:tokenize=zh,lowercase=yes`."""

    name: str
    options: tuple[tuple[str, str], ...] = ()

    @classmethod
    def parse(cls, words: str) -> Spec:
        name, _, rest = words.strip().partition(":")
        pairs = []
        for part in filter(None, (part.strip() for part in rest.split(","))):
            option, equals, value = part.partition("=")
            if not equals:
                reason = f"write options as {name}:OPTION=VALUE,OPTION=VALUE"
                raise WrongOption(name=name, option=option, value="", reason=reason)
            pairs.append((option.strip(), value.strip()))
        return cls(name.strip(), tuple(sorted(pairs)))

    def __str__(self) -> str:
        options = ",".join(f"{option}={value}" for option, value in self.options)
        return f"{self.name}:{options}" if options else self.name


def parse_list(words: str) -> list[Spec]:
    """`bleu,chrf:word_order=2,rougeL`: a comma before a name begins a metric, one before OPTION=VALUE goes on."""
    specs: list[str] = []
    for part in filter(None, (part.strip() for part in words.split(","))):
        if specs and "=" in part and ":" not in part.partition("=")[0]:
            specs[-1] = f"{specs[-1]},{part}"
        else:
            specs.append(part)
    return list(dict.fromkeys(Spec.parse(one) for one in specs))


def check(spec: Spec) -> MetricType:
    """The type of a metric; refuses an unknown name or option without opening the metric."""
    kind = METRICS.find(spec.name)
    for option, _ in spec.options:
        if option not in kind.options:
            raise UnknownOption(name=spec.name, option=option, known=", ".join(kind.options) or "none")
    return kind


@cache
def opened(spec: Spec) -> Metric:
    """The metric with its options, once per process: some load a model."""
    return check(spec).open(dict(spec.options))
