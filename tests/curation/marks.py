"""Short ways to write down who marked what, for tests."""

from __future__ import annotations

from goldmark.records.mistakes import Mistake
from goldmark.records.spans import Span
from goldmark.records.texts import Text
from goldmark.texts.readers.gsml import spaced_text

PRIORITY = ("NAME", "NUMBER", "CONTEXT", "WORD", "NOT_CHECKABLE", "OTHER")
LETTERS = {label[0] if label != "NUMBER" else "U": label for label in PRIORITY if label != "NOT_CHECKABLE"}
LETTERS["X"] = "NOT_CHECKABLE"


def text_of(words: str, text_id: str = "t") -> Text:
    return spaced_text(text_id, words)


def marks_of(text: Text, annotator: str, *written: str) -> list[Mistake]:
    """`Durant^N` marks a passage by its words, `10@6^U` the one at token 6, `30^U=14` with a correction."""
    marks = []
    for one in written:
        words, _, label = one.rpartition("^")
        label, _, correction = label.partition("=")
        words, _, at = words.partition("@")
        wanted = words.split()
        starts = [int(at)] if at else range(len(text.tokens))
        start = next(start for start in starts if list(text.words()[start : start + len(wanted)]) == wanted)
        marks.append(
            Mistake(text.id, Span(start, start + len(wanted)), LETTERS[label], correction, annotator=annotator)
        )
    return marks
