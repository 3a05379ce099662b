"""Words to start a model with: neither so common that it knows them by heart nor so rare that it knows nothing.

TGEA took nouns whose rank by frequency lies in the top 40 to 60 %: with them a model errs often enough to learn from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from goldmark.errors import GoldmarkError
from goldmark.plugins import Group, not_callable

# Reads a text and gives each of its words with whether it is a noun.
Tagger = Callable[[str], Iterable[tuple[str, bool]]]

TAGGERS: Group[Callable[[], Tagger]] = Group(
    "taggers",
    "part-of-speech tagger",
    object,
    {
        "jieba": "goldmark.texts.preparation.taggers:jieba",
        "nltk": "goldmark.texts.preparation.taggers:nltk",
        "tagged": "goldmark.texts.preparation.taggers:tagged",
    },
    not_callable,
)


class NotABand(GoldmarkError):
    code = "PREPARE-06"
    message = "a band of frequencies runs from one share to a larger one within 0 and 1, not from {start} to {end}"


class PromptWord(NamedTuple):
    """A noun, how often the corpus has it, and its place when nouns are sorted by that, from 0 (most frequent) to 1."""

    word: str
    times: int
    rank: float


def count_nouns(texts: Iterable[str], tagger: Tagger) -> Counter[str]:
    """How often each noun occurs. Only words with two characters or more, or one ideograph, can start a text."""
    return Counter(word for text in texts for word, noun in tagger(text) if noun and _can_start(word))


def in_band(counts: Counter[str], start: float = 0.4, end: float = 0.6) -> list[PromptWord]:
    """The nouns whose rank by frequency lies in [start, end); equally frequent ones stand in alphabetical order."""
    if not 0 <= start < end <= 1:
        raise NotABand(start=start, end=end)
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [
        PromptWord(word, times, place / len(ranked))
        for place, (word, times) in enumerate(ranked)
        if start * len(ranked) <= place < end * len(ranked)
    ]


def drawn(words: Sequence[PromptWord], number: int | None, rng: np.random.Generator) -> list[PromptWord]:
    """So many of the words at random, in their order; all, if there are no more or no number is said."""
    if number is None or number >= len(words):
        return list(words)
    return [words[place] for place in sorted(rng.choice(len(words), size=number, replace=False).tolist())]


def lines_of(texts: Iterable[str]) -> Iterator[str]:
    """The lines of texts that hold something."""
    for text in texts:
        yield from (line for line in text.splitlines() if line.strip())


def _can_start(word: str) -> bool:
    return word.isalpha() and (len(word) > 1 or not word.isascii())
