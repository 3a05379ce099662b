"""Which marks of different annotators are about the same place.

An annotator's marks are first cut into pieces, the smallest things that can be wrong by themselves: a mark over several
figures that are joined into one expression ("64 - 52", "11 - of - 20") is a piece for each figure that its correction
changes. Pieces that share tokens, directly or through others, are a cluster.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from goldmark.records.mistakes import Mistake
from goldmark.records.spans import Span
from goldmark.records.texts import Text

_FIGURE = re.compile(r"\d+(?:[.,]\d+)*%?")
_FIGURE_ALONE = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*%?(?!\w)")  # not the 3 of "3Pt"
# Words that begin a clause about something else. Other languages' texts are taken sentence by sentence.
_NEW_CLAUSE = frozenset({"while", "whereas", "but", "although", "though", ";"})


@dataclass(frozen=True, slots=True)
class Piece:
    """A mark, or the part of it that is one error."""

    span: Span
    mark: Mistake
    correction: str  # of this piece alone

    @property
    def annotator(self) -> str:
        return self.mark.annotator or ""

    @property
    def label(self) -> str:
        return self.mark.label


def ordered(marks: Iterable[Mistake]) -> list[Mistake]:
    """Marks in an order that does not depend on how the list came."""
    return sorted(marks, key=_order)


def _order(mark: Mistake) -> tuple[Span, str, str, str, str, str]:
    return mark.span, mark.annotator or "", mark.label, mark.correction, mark.comment, mark.id


def pieces_of(marks: Sequence[Mistake], text: Text, *, whole: Collection[Span] = ()) -> list[Piece]:
    """Every mark cut into pieces; two marks of one annotator on the same span are two errors within it.

    Spans in `whole` are not cut. A repeated report of the same thing stays: whoever reads the list sees what was said.
    """
    repeated: dict[tuple[str, Span], list[Mistake]] = defaultdict(list)
    for mark in marks:
        repeated[mark.annotator or "", mark.span].append(mark)
    pieces = []
    for (_, span), same in repeated.items():
        figures = [] if span in whole else joined_figures(text, span)
        if not figures:
            pieces += [Piece(span, mark, mark.correction) for mark in same]
        else:
            pieces += _figure_pieces(figures, same, text)
    return pieces


def _figure_pieces(figures: Sequence[int], same: Sequence[Mistake], text: Text) -> Iterator[Piece]:
    if len(same) == 1:
        for place, correction in _changed(figures, same[0], text).items():
            yield Piece(Span(place, place + 1), same[0], correction)
    elif len(same) == len(figures) and len({mark.id for mark in same}) == len(same):
        # As many reports as figures: one each, in the order of their ids.
        for place, mark in zip(figures, sorted(same, key=lambda mark: (len(mark.id), mark.id)), strict=True):
            yield Piece(Span(place, place + 1), mark, mark.correction)
    else:
        for place in figures:
            yield from (Piece(Span(place, place + 1), mark, "") for mark in same)


def joined_figures(text: Text, span: Span) -> list[int]:
    """Positions of the figures of a span that is nothing but figures and what joins them; empty for any other span."""
    if len(span) < 3 or not _FIGURE.fullmatch(text.token(span.start)):
        return []
    words = [text.token(position) for position in span.positions()]
    figures = [place for place, word in enumerate(words) if _FIGURE.fullmatch(word)]
    if figures[-1] != len(words) - 1:
        return []
    for first, second in pairwise(figures):
        between = words[first + 1 : second]
        bare = [word for word in between if not any(mark.isalnum() for mark in word)]
        # "-", "/", "- of -", "- for -": signs, or one word that signs tie to both figures
        tied = len(between) == 3 and len(bare) == 2 and between[0] in bare and between[2] in bare
        if not between or not (len(bare) == len(between) or tied):
            return []
    return [span.start + place for place in figures]


def _changed(figures: Sequence[int], mark: Mistake, text: Text) -> dict[int, str]:
    """The figures that a correction changes, and to what; all of them where the correction does not say."""
    written = [text.token(position) for position in figures]
    right = _FIGURE_ALONE.findall(mark.correction or mark.comment)
    if len(right) == 1:  # "0" for "0 - 4": the figure that already says so is not meant
        right = right * len(written)
    if len(right) != len(written):
        return dict.fromkeys(figures, "")
    told = {position: new for position, old, new in zip(figures, written, right, strict=True) if old != new}
    if not mark.correction:  # a comment shows which figures are meant; it does not correct them
        told = dict.fromkeys(told, "")
    return told or dict.fromkeys(figures, "")


def clusters(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    """Pieces that share tokens, directly or through others, from left to right."""
    cluster: list[Piece] = []
    end = 0
    for piece in sorted(pieces, key=lambda piece: (piece.span, _order(piece.mark))):
        if cluster and piece.span.start >= end:
            yield cluster
            cluster, end = [], 0
        cluster.append(piece)
        end = max(end, piece.span.end)
    if cluster:
        yield cluster


def clauses(text: Text) -> list[Span]:
    """The text in stretches that speak of one thing: sentences, cut before words such as "while" and "but"."""
    found = []
    for sentence in text.sentences:
        start = sentence.start
        for position in range(sentence.start + 1, sentence.end):
            if text.token(position).lower() in _NEW_CLAUSE:
                found.append(Span(start, position))
                start = position
        found.append(Span(start, sentence.end))
    return found
