"""BLEU, chrF and TER, counted by sacrebleu and told with its signature.

sacrebleu counts n-grams and edits per text. The formulas are here as well, for many rows of sums at once, because an
interval needs them a thousand times; tests hold them to sacrebleu's own values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from goldmark.metrics.options import choice, number, yes_or_no
from goldmark.metrics.plugins import Floats, Metric, MetricNotInstalled, MetricType, Texts, WrongOption

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric as Counter

ORDERS = 4
SMOOTHINGS = {"exp": None, "floor": 0.1, "add-k": 1.0, "none": None}
TOKENISERS = ("13a", "zh", "char", "intl", "none", "ja-mecab", "ko-mecab")  # without those that download a model


@dataclass(frozen=True)
class _Sacrebleu:
    """What sacrebleu counts of every text, under its signature."""

    counter: Counter
    name: str

    def signature(self, references: int | None) -> str:
        self.counter.num_refs = -1 if references is None else references
        return f"{self.name}|{self.counter.get_signature()}"

    def count(self, texts: Texts) -> Floats:
        """sacrebleu's counts, one row per text; texts may have different numbers of references."""
        most = max(len(one) for one in texts.references)
        streams: Any = [[one[place] if place < len(one) else None for one in texts.references] for place in range(most)]
        rows = self.counter._extract_corpus_statistics(list(texts.outputs), streams)
        return np.asarray(rows, dtype=np.float64)

    def corpus(self, sums: Floats) -> Floats:
        raise NotImplementedError

    def segments(self, counts: Floats) -> Floats:
        return self.corpus(counts)


@dataclass(frozen=True)
class Bleu(_Sacrebleu):
    """Papineni et al. (2002), as sacrebleu counts it. A single text uses only the orders it is long enough for."""

    smoothing: str

    def corpus(self, sums: Floats) -> Floats:
        return self._bleu(sums, effective=False)

    def segments(self, counts: Floats) -> Floats:
        return self._bleu(counts, effective=True)

    def _bleu(self, rows: Floats, *, effective: bool) -> Floats:
        """Columns: length, closest reference's length, matching n-grams of order 1 to 4, n-grams of order 1 to 4."""
        length, wanted = rows[:, 0], rows[:, 1]
        correct, total = rows[:, 2 : 2 + ORDERS].copy(), rows[:, 2 + ORDERS :].copy()
        nothing = ~correct.any(axis=1)
        if self.smoothing == "add-k":
            correct[:, 1:] += 1.0
            total[:, 1:] += 1.0
        counted = np.cumprod(total > 0, axis=1).astype(bool)  # orders up to the first that has no n-gram
        missed = counted & (correct == 0)
        if self.smoothing == "exp":
            above = np.where(missed, 0.5 ** np.cumsum(missed, axis=1), correct)
        elif self.smoothing == "floor":
            above = np.where(missed, 0.1, correct)
        else:
            above = correct
        with np.errstate(divide="ignore"):
            logs = np.log(np.where(counted, above, 0.0) / np.where(counted, total, 1.0))
        if effective:
            orders = np.maximum(counted.sum(axis=1), 1)
            logs = np.where(counted, logs, 0.0)
        else:
            orders = np.full(len(rows), ORDERS)
        short = (length < wanted) & (length > 0)
        brevity = np.where(short, np.exp(1 - wanted / np.where(length > 0, length, 1.0)), 1.0)
        value: Floats = np.where(nothing, 0.0, 100 * brevity * np.exp(logs.sum(axis=1) / orders))
        return value


@dataclass(frozen=True)
class Chrf(_Sacrebleu):
    """Popović (2015, 2017), as sacrebleu counts it: character n-grams, and word n-grams for chrF++."""

    beta: int

    def corpus(self, sums: Floats) -> Floats:
        """Columns, three for each order: n-grams of the output, of the reference, and those in both."""
        written, wanted, both = (sums[:, place::3] for place in range(3))
        counted = (written > 0) & (wanted > 0)
        orders = np.maximum(counted.sum(axis=1), 1)
        precision = np.where(counted, both / np.where(counted, written, 1.0), 0.0).sum(axis=1) / orders
        recall = np.where(counted, both / np.where(counted, wanted, 1.0), 0.0).sum(axis=1) / orders
        below = self.beta**2 * precision + recall
        value: Floats = np.where(
            below > 0, 100 * (1 + self.beta**2) * precision * recall / np.where(below > 0, below, 1.0), 0.0
        )
        return value


@dataclass(frozen=True)
class Ter(_Sacrebleu):
    """Snover et al. (2006), as sacrebleu counts it: edits and shifts that make a reference, for each of its words."""

    def corpus(self, sums: Floats) -> Floats:
        """Columns: edits, words of the references. Without any word, every edit is one too many."""
        edits, words = sums[:, 0], sums[:, 1]
        value: Floats = 100 * np.where(words > 0, edits / np.where(words > 0, words, 1.0), (edits > 0).astype(float))
        return value


def _open_bleu(options: Mapping[str, str]) -> Metric:
    metrics = _sacrebleu("bleu")
    smoothing = choice("bleu", options, "smooth", "exp", tuple(SMOOTHINGS))
    tokenize = choice("bleu", options, "tokenize", "13a", TOKENISERS)
    try:
        counter = metrics.BLEU(
            lowercase=yes_or_no("bleu", options, "lowercase", default=False),
            tokenize=tokenize,
            smooth_method=smoothing,
            force=True,
        )
    except (ImportError, RuntimeError) as error:
        raise WrongOption(name="bleu", option="tokenize", value=tokenize, reason=error) from None
    return Bleu(counter, "BLEU", smoothing)


def _open_chrf(options: Mapping[str, str]) -> Metric:
    counter = _sacrebleu("chrf").CHRF(
        char_order=number("chrf", options, "char_order", 6, least=1),
        word_order=number("chrf", options, "word_order", 0, least=0),
        beta=number("chrf", options, "beta", 2, least=1),
        lowercase=yes_or_no("chrf", options, "lowercase", default=False),
    )
    return Chrf(counter, f"chrF{counter.beta}{'+' * min(counter.word_order, 2)}", counter.beta)


def _open_ter(options: Mapping[str, str]) -> Metric:
    return Ter(
        _sacrebleu("ter").TER(
            normalized=yes_or_no("ter", options, "normalise", default=False),
            no_punct=not yes_or_no("ter", options, "punctuation", default=True),
            asian_support=yes_or_no("ter", options, "asian", default=False),
            case_sensitive=yes_or_no("ter", options, "case", default=False),
        ),
        "TER",
    )


def _sacrebleu(name: str) -> Any:
    try:
        from sacrebleu import metrics
    except ModuleNotFoundError:
        raise MetricNotInstalled(name=name, package="sacrebleu", command="pip install 'goldmark[metrics]'") from None
    return metrics


BLEU = MetricType(
    name="bleu",
    purpose="How many n-grams of up to four words are in a reference, with a penalty for brevity (sacrebleu).",
    open=_open_bleu,
    options={
        "tokenize": "13a (default), zh, char, intl, none, ja-mecab or ko-mecab",
        "lowercase": "no (default) or yes",
        "smooth": "exp (default), floor, add-k or none",
    },
    top=100.0,
)
CHRF = MetricType(
    name="chrf",
    purpose="F-score of character n-grams; with word_order=2 it is chrF++ (sacrebleu). Needs no tokeniser.",
    open=_open_chrf,
    options={
        "char_order": "6 (default)",
        "word_order": "0 (default); 2 for chrF++",
        "beta": "2 (default): how much more recall counts than precision",
        "lowercase": "no (default) or yes",
    },
    top=100.0,
)
TER = MetricType(
    name="ter",
    purpose="Edits and shifts of words that turn an output into a reference, in percent of its words (sacrebleu).",
    open=_open_ter,
    options={
        "normalise": "no (default) or yes: part punctuation from words first",
        "punctuation": "yes (default) or no: without it",
        "asian": "no (default) or yes: characters of Chinese and Japanese as words, with normalise=yes",
        "case": "no (default) or yes: capitals differ from small letters",
    },
    top=0.0,
    higher_is_better=False,
)
