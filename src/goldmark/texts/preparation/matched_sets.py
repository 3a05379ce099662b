"""Human and machine texts in matched sets, ready for a study: cut alike, freed of copies, the shared prompt marked."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple, TypeVar

import numpy as np

from goldmark.errors import GoldmarkError
from goldmark.texts.preparation.copies import COPY, overlap
from goldmark.texts.preparation.cuts import count_words, cut_after
from goldmark.texts.preparation.rows import Values
from goldmark.texts.segmentation.text import make_text

Drawn = TypeVar("Drawn")


class TooFewTexts(GoldmarkError):
    code = "PREPARE-08"
    message = "{wanted} {source} texts are wanted and {have} are left once copies and short texts are out{details}"


class SourceSet(NamedTuple):
    """The texts of one source: `human`, or the name of a model."""

    source: str
    rows: Sequence[Values]


class UnmatchedTexts(NamedTuple):
    id: str
    source: str
    why: str


class Matched(NamedTuple):
    """Rows for a campaign, as many of every source, and what was left out."""

    rows: list[Values]
    left_out: list[UnmatchedTexts]


def match(
    sets: Sequence[SourceSet],
    *,
    words: int,
    rng: np.random.Generator,
    each: int | None = None,
    priming: Sequence[str] = (),
    most_overlap: float = COPY,
    at_least: int = 0,
    tokeniser: str = "rules",
) -> Matched:
    """As many texts of every source, cut at the end of the sentence that passes `words` words.

    Texts that repeat a priming text and texts with fewer than `at_least` words are left out; of the rest `each` are
    randomly drawn (all that every source can give, if none is said). Where sources have texts of the same `item`, or
    of the same id, whole sets are drawn: a version of every source of each item. A row keeps its own facts and gets
    `source` and, in a set, `item`, which are hidden from annotators; its `prompt` stays only if the text begins with
    it.
    """
    left_out: list[UnmatchedTexts] = []
    usable: dict[str, list[tuple[str, Values]]] = {}  # with the item that each is a version of
    for source, rows in sets:
        usable[source] = []
        for row in rows:
            made = _prepared(row, source, words, priming, most_overlap, at_least, tokeniser)
            if isinstance(made, UnmatchedTexts):
                left_out.append(made)
            else:
                usable[source].append((_item(row), made))
    named = [{_item(row) for row in rows} for _, rows in sets]
    if any(one & other for one, other in combinations(named, 2)):
        versions = [dict(reversed(some)) for some in usable.values()]  # of two texts of one item the first
        complete = [item for item in dict(usable[sets[0].source]) if all(item in own for own in versions)]
        _enough("complete sets of", len(complete), each, len(left_out))
        drawn = _drawn(complete, each, rng)
        return Matched([own[item] | {"item": item} for own in versions for item in drawn], left_out)
    wanted = each if each is not None else min(len(some) for some in usable.values())
    for source, some in usable.items():
        _enough(source, len(some), wanted, sum(one.source == source for one in left_out))
    return Matched([row for some in usable.values() for _, row in _drawn(some, wanted, rng)], left_out)


def _item(row: Values) -> str:
    """What the text is a version of: what it says itself, or its id, which is its prompt's."""
    return str(row.get("item") or row["id"])


def _drawn(some: Sequence[Drawn], number: int | None, rng: np.random.Generator) -> list[Drawn]:
    if number is None:
        return list(some)
    return [some[place] for place in sorted(rng.choice(len(some), size=number, replace=False).tolist())]


def _enough(what: str, have: int, wanted: int | None, lost: int) -> None:
    least = max(wanted or 1, 1)
    if have < least:
        details = f" ({lost} {'text was' if lost == 1 else 'texts were'} left out)" if lost else ""
        raise TooFewTexts(wanted=least, source=what, have=have, details=details)


def _prepared(
    row: Values,
    source: str,
    words: int,
    priming: Sequence[str],
    most_overlap: float,
    at_least: int,
    tokeniser: str,
) -> Values | UnmatchedTexts:
    copied = max((overlap(row["text"], other) for other in priming), default=0.0)
    if copied > most_overlap:
        return UnmatchedTexts(row["id"], source, f"{copied:.0%} of it copies a priming text")
    text = make_text(row["id"], row["text"], tokeniser=tokeniser)
    if count_words(text) < at_least:
        return UnmatchedTexts(row["id"], source, f"it has {count_words(text)} words, fewer than {at_least}")
    made = {**row, "text": cut_after(text, words), "source": "human" if source == "human" else "machine"}
    made["id"] = f"{source}/{row['id']}"
    if source != "human":
        made["system"] = source
    prompt = row.get("prompt")
    if isinstance(prompt, str) and not made["text"].startswith(prompt):
        made.pop("prompt")
    return made
