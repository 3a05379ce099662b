"""From what we wrote by hand to what Goldmark stores: words become token positions, letters become annotators."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from goldmark.errors import Missing
from goldmark.records.spans import Span
from goldmark.records.texts import Text

ANNOTATORS = {"A": "Ada", "B": "Bo", "C": "Cleo"}
_PACE = {"A": 1.0, "B": 0.75, "C": 1.3}  # Bo is quick and Cleo thorough

Written = Mapping[str, Any]


class WordsNotThere(Missing):
    code = "SAMPLE-01"
    message = 'text {text} has no occurrence {occurrence} of "{words}" that begins and ends with a token'


def find(text: Text, words: str, occurrence: int = 1) -> Span:
    """The tokens that are these words, counting occurrences from 1; words inside a longer token do not count."""
    starts = {token.start: position for position, token in enumerate(text.tokens)}
    ends = {token.end: position + 1 for position, token in enumerate(text.tokens)}
    place, left = text.characters.find(words), occurrence
    while place >= 0:
        start, end = starts.get(place), ends.get(place + len(words))
        if start is not None and end is not None:
            left -= 1
            if not left:
                return Span(start, end)
        place = text.characters.find(words, place + 1)
    raise WordsNotThere(text=text.id, occurrence=occurrence, words=words)


def marks_of(written: Written, letter: str | None = None) -> Iterator[Written]:
    """The marks that one annotator made, or, without a letter, the planted errors."""
    for mark in written.get("marks", ()):
        if letter is None:
            if mark.get("gold", True):
                yield mark
        elif letter in mark.get("by", written["done"]) and mark.get(letter) is not False:
            own = mark.get(letter) or {}
            # Other words than the gold's are counted from their own first occurrence.
            base = {key: value for key, value in mark.items() if not (key == "n" and "words" in own)}
            yield {**base, **own}


def span_json(text: Text, mark: Written, number: int) -> dict[str, Any]:
    """A mark as an answer holds it: positions instead of words, and only the attributes that say something."""
    span = find(text, str(mark["words"]), mark.get("n", 1))
    answer: dict[str, Any] = {"id": f"e{number}", "start": span.start, "end": span.end, "label": mark["label"]}
    for attribute in ("correction", "comment", "rationale"):
        if mark.get(attribute):
            answer[attribute] = mark[attribute]
    if "associated" in mark:
        linked = _nearest(text, mark["associated"], span)
        answer["links"] = {"associated": [{"start": linked.start, "end": linked.end}]}
    return answer


def _nearest(text: Text, words: str, span: Span) -> Span:
    """The first occurrence of the words that is not the error itself."""
    occurrence = 1
    while (found := find(text, words, occurrence)).overlaps(span):
        occurrence += 1
    return found


def spans_json(text: Text, written: Written, letter: str | None = None) -> list[dict[str, Any]]:
    """All marks of one annotator in the order of the text, or the planted errors."""
    placed = sorted(marks_of(written, letter), key=lambda mark: find(text, str(mark["words"]), mark.get("n", 1)))
    return [span_json(text, mark, number) for number, mark in enumerate(placed, start=1)]


def lines(rows: Iterable[object]) -> str:
    """Rows as a JSONL file."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def response(letter: str, unit: str, answers: Mapping[str, Any], *, words: int, marks: int = 0) -> dict[str, Any]:
    """One finished annotation; the time is what such a unit takes a reader of this pace, never twice the same."""
    wobble = 0.8 + (zlib.crc32(f"{letter}{unit}".encode()) % 400) / 1000
    seconds = round((6 + words * 0.5 + marks * 14) * _PACE[letter] * wobble, 1)
    return {"annotator": ANNOTATORS[letter], "unit": unit, "answers": dict(answers), "seconds": seconds}
