"""ROUGE-1, ROUGE-2 and ROUGE-L: F1 of each text by the package rouge-score, and their mean."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from goldmark.metrics.options import choice, yes_or_no
from goldmark.metrics.plugins import MeanMetric, Metric, MetricNotInstalled, MetricType, Texts

TOKENISERS = ("package", "unicode", "chars")
FOREIGN = re.compile(r"[^\W\d_a-zA-Z]")  # letters that the package's own tokeniser throws away


@dataclass(frozen=True)
class Rouge(MeanMetric):
    """The mean of F1; of several references the one with the highest F1 counts."""

    drops_letters: bool = False

    def remarks(self, texts: Texts) -> Sequence[str]:
        """What the package's tokeniser does not read, it does not score, and it does not say so; we do."""
        if not self.drops_letters:
            return ()
        foreign = sum(1 for output in texts.outputs if FOREIGN.search(output))
        if not foreign:
            return ()
        return (
            f"{foreign} of {len(texts.outputs)} outputs have letters other than a-z, which rouge-score's tokeniser "
            "leaves out; tokenize=unicode (words) or tokenize=chars (Chinese) counts them",
        )


class _WordTokeniser:
    """A tokeniser for the package: words in any script, or single characters, in lower case."""

    def __init__(self, *, characters: bool, stem: Callable[[str], str] | None) -> None:
        self._characters, self._stem = characters, stem

    def tokenize(self, text: str) -> list[str]:
        lowered = text.lower()
        if self._characters:
            return [character for character in lowered if character.isalnum()]
        words = re.findall(r"\w+", lowered)
        return [self._stem(word) for word in words] if self._stem else words


def _opener(kind: str) -> Callable[[Mapping[str, str]], Metric]:
    def open_rouge(options: Mapping[str, str]) -> Metric:
        try:
            from rouge_score.rouge_scorer import RougeScorer
        except ModuleNotFoundError:
            command = "pip install 'goldmark[metrics]'"
            raise MetricNotInstalled(name=kind, package="rouge-score", command=command) from None
        stem = yes_or_no(kind, options, "stem", default=True)
        tokenize = choice(kind, options, "tokenize", "package", TOKENISERS)
        scorer = RougeScorer([kind], use_stemmer=stem, tokenizer=_tokeniser(tokenize, stem))
        stemmed = "no" if tokenize == "chars" or not stem else "porter"
        made = f"{kind}|f1|stem:{stemmed}|tok:{tokenize}|package:rouge-score-{version('rouge-score')}"
        return Rouge(made, lambda texts: _scores(scorer, kind, texts), drops_letters=tokenize == "package")

    return open_rouge


def _tokeniser(name: str, stem: bool) -> _WordTokeniser | None:
    if name == "package":
        return None
    from nltk.stem.porter import PorterStemmer

    return _WordTokeniser(characters=name == "chars", stem=PorterStemmer().stem if stem else None)


def _scores(scorer: Any, kind: str, texts: Texts) -> list[float]:
    return [
        float(scorer.score_multi(list(references), output)[kind].fmeasure)
        for output, references in zip(texts.outputs, texts.references, strict=True)
    ]


def _type(kind: str, counted: str) -> MetricType:
    return MetricType(
        name=kind,
        purpose=f"F1 of {counted} shared with a reference (rouge-score); the mean over texts.",
        open=_opener(kind),
        options={
            "stem": "yes (default) or no: Porter's stemmer, for English",
            "tokenize": "package (default, a-z and digits only), unicode (words of any script) or chars",
        },
    )


ROUGE_1 = _type("rouge1", "single words")
ROUGE_2 = _type("rouge2", "pairs of words")
ROUGE_L = _type("rougeL", "the longest common sequence of words")
