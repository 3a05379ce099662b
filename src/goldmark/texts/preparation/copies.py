"""Copies: texts that repeat another one, or a text that a model was shown.

The overlap of a text with another is the share of its word trigrams that the other has too, each counted as often as it
occurs there. Shorter texts use pairs or single words. A text with more than 80 % is a copy (HUMANLIKE 2.1).
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from goldmark.texts.preparation.cuts import is_word
from goldmark.texts.preparation.noise import NoiseRule, why_noise
from goldmark.texts.preparation.rows import Values
from goldmark.texts.segmentation.tokens import find_tokeniser

LONGEST_RUN = 3
COPY = 0.8

Runs = Counter[tuple[str, ...]]


class Copy(NamedTuple):
    """A text and the earlier one that it repeats."""

    id: str
    of: str
    overlap: float


def runs_of(characters: str) -> Runs:
    """Every run of three words of a text, with its count; case and ways of writing the same character do not matter."""
    plain = unicodedata.normalize("NFKC", characters).casefold()
    spans = find_tokeniser("rules")(plain)
    words = [word for span in spans if is_word(word := plain[span.start : span.end])]
    size = min(LONGEST_RUN, len(words))
    return Counter(tuple(words[place : place + size]) for place in range(len(words) - size + 1)) if size else Counter()


def overlap(text: str, other: str) -> float:
    """How much of `text` is in `other`, from 0 to 1; a text without words has none of anything."""
    runs, others = runs_of(text), runs_of(other)
    return (runs & others).total() / runs.total() if runs else 0.0


def why_dropped(
    rows: Iterable[Values], rule: NoiseRule, *, copies: bool = True, more_than: float = COPY
) -> dict[str, str]:
    """Which rows are noise or, if that counts too, repeat an earlier one that was kept; by their ids, and why."""
    rows = list(rows)
    dropped = {row["id"]: why for row in rows if (why := why_noise(row["text"], rule))}
    rest = [(row["id"], row["text"]) for row in rows if row["id"] not in dropped]
    found = list(find_copies(rest, more_than=more_than)) if copies else []
    return dropped | {copy.id: f"{copy.overlap:.0%} of it is in {copy.of}" for copy in found}


def find_copies(texts: Iterable[tuple[str, str]], *, more_than: float = COPY) -> Iterator[Copy]:
    """Every text (id, characters) that repeats an earlier one that was kept; the first of its kind is no copy.

    A copy shares more than `more_than` of its runs, so among any others-plus-one of them is a shared one: only so many
    of its rarest runs are looked up, which keeps the search close to linear in the number of texts.
    """
    kept: dict[str, Runs] = {}
    holding: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for name, characters in texts:
        runs = runs_of(characters)
        needed = math.floor(more_than * runs.total()) + 1
        rarest = sorted(runs, key=lambda run: (len(holding.get(run, ())), run))
        best: Copy | None = None
        looked_at: set[str] = set()
        passed = 0
        for run in rarest:
            if runs.total() - passed < needed:
                break
            passed += runs[run]
            for other in holding.get(run, ()):
                if other not in looked_at:
                    looked_at.add(other)
                    share = (runs & kept[other]).total() / runs.total()
                    if share > more_than and (best is None or share > best.overlap):
                        best = Copy(name, other, share)
        if best is not None:
            yield best
            continue
        kept[name] = runs
        for run in runs:
            holding[run].append(name)
