"""Human and machine texts in matched sets, ready for a study: cut alike, freed of copies, the shared prompt marked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from goldmark.errors import GoldmarkError
from goldmark.texts.preparing.copies import COPY, overlap
from goldmark.texts.preparing.cuts import count_words, cut_after
from goldmark.texts.preparing.rows import Values
from goldmark.texts.segmentation.text import make_text


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
    randomly drawn (all that every source can give, if none is said). A row keeps its own facts and gets `source`,
    which is hidden from annotators; its `prompt` stays only if the text begins with it.
    """
    left_out: list[UnmatchedTexts] = []
    usable: dict[str, list[Values]] = {}
    for source, rows in sets:
        usable[source] = []
        for row in rows:
            made = _prepared(row, source, words, priming, most_overlap, at_least, tokeniser)
            if isinstance(made, UnmatchedTexts):
                left_out.append(made)
            else:
                usable[source].append(made)
    wanted = each if each is not None else min(len(rows) for rows in usable.values())
    for source, rows in usable.items():
        if len(rows) < max(wanted, 1):
            lost = sum(one.source == source for one in left_out)
            details = f" ({lost} were left out)" if lost else ""
            raise TooFewTexts(wanted=max(wanted, 1), source=source, have=len(rows), details=details)
    chosen: list[Values] = []
    for rows in usable.values():
        places = sorted(rng.choice(len(rows), size=wanted, replace=False).tolist())
        chosen += [rows[place] for place in places]
    return Matched(chosen, left_out)


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
