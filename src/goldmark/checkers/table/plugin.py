"""Numbers and names of a text against the data it was written from, whatever they are about.

It knows no domain: a number that stands nowhere in the data, is no rounding, sum, difference or count of what does, is
reported as NUMBER; a name in capital letters of which no word stands in the data as NAME. It is the smallest example
of a checker, not a measure of quality.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from goldmark.checkers.plugins import CannotCheck, CheckedClaim, CheckedText, CheckerType
from goldmark.errors import GoldmarkError, Problem
from goldmark.records.mistakes import Mistake
from goldmark.records.spans import Span
from goldmark.records.texts import Text

_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)*")
_NAME = re.compile(r"[A-Z][\w'&.-]*$")
MOST_VALUES = 400  # beyond this nearly every number is a difference of two others, and the test says nothing
SMALL = 3  # "the two teams", "three days": small numbers are seldom taken from the data


class UnreadableTables(GoldmarkError):
    code = "CHECK-20"
    message = "{path} cannot be read: {reason}; write one JSON object per line with text and data"


@dataclass(frozen=True)
class TableFacts:
    """All numbers and words of one text's data."""

    numbers: frozenset[float]
    words: frozenset[str]


@dataclass(frozen=True)
class TableChecker:
    """Checks every text against the data of the same id."""

    tables: Mapping[str, TableFacts]

    def check(self, text: Text) -> CheckedText:
        table = self.tables.get(text.id)
        if table is None:
            raise CannotCheck(text=text.id, reason="the tables have no line of its id")
        claims = [*_numbers(text, table), *_names(text, table)]
        claims.sort(key=lambda claim: claim.span)
        mistakes = tuple(
            Mistake(text.id, claim.span, str(claim.reading["kind"]).upper(), "", claim.evidence)
            for claim in claims
            if claim.verdict == "contradicted"
        )
        return CheckedText(mistakes, tuple(claims))


def _numbers(text: Text, table: TableFacts) -> Iterator[CheckedClaim]:
    for place in range(len(text.tokens)):
        for found in _NUMBER.findall(text.token(place)):
            value = _value(found)
            if value is None or abs(value) <= SMALL:
                continue
            reading = {"kind": "number", "value": found}
            known = _follows(value, found, table)
            evidence = "" if known else f"{found} is not in the data"
            yield CheckedClaim(Span(place, place + 1), reading, "supported" if known else "contradicted", evidence)
            break  # one claim per token


def _follows(value: float, written: str, table: TableFacts) -> bool:
    """Is a number in the data, a rounding of one, or the sum or difference of two?"""
    digits = len(written.partition(".")[2])
    if any(round(known, digits) == value or abs(known) == value for known in table.numbers):
        return True
    if len(table.numbers) > MOST_VALUES:
        return True
    return any(
        round(known - value, 6) in table.numbers or round(value - known, 6) in table.numbers for known in table.numbers
    )


def _names(text: Text, table: TableFacts) -> Iterator[CheckedClaim]:
    starts = {sentence.start for sentence in text.sentences}
    place = 0
    while place < len(text.tokens):
        end = place
        while end < len(text.tokens) and _NAME.match(text.token(end)):
            end += 1
        if end == place:
            place += 1
            continue
        words = [_plain(text.token(position)) for position in range(place, end)]
        known = any(word in table.words for word in words)
        alone_at_start = place in starts and end == place + 1
        if len(table.words) and not alone_at_start and len(words) > 1:
            name = " ".join(text.token(position) for position in range(place, end))
            evidence = "" if known else f"no word of {name!r} is in the data"
            yield CheckedClaim(
                Span(place, end), {"kind": "name", "name": name}, "supported" if known else "contradicted", evidence
            )
        place = end


@cache
def _plain(word: str) -> str:
    return re.sub(r"\W+|'s$", "", word).lower()


def _value(written: str) -> float | None:
    try:
        return float(written.replace(",", ""))
    except ValueError:
        return None


def table_of(data: object) -> TableFacts:
    """Every number and word anywhere in a JSON value; keys count as words, lists also by their length."""
    numbers: set[float] = set()
    words: set[str] = set()

    def take(value: object) -> None:
        if isinstance(value, Mapping):
            for key, inner in value.items():
                take(str(key))
                take(inner)
        elif isinstance(value, list):
            numbers.add(float(len(value)))
            for inner in value:
                take(inner)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            numbers.add(float(value))
        elif isinstance(value, str):
            numbers.update(
                found for item in re.findall(r"[+-]?\d+(?:\.\d+)?", value) if (found := _value(item)) is not None
            )
            words.update(_plain(word) for word in re.split(r"[\s_/-]+", value))

    take(data)
    return TableFacts(frozenset(numbers), frozenset(words - {""}))


def open_tables(sources: Mapping[str, Path]) -> tuple[TableChecker, list[Problem]]:
    path = sources["tables"]
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableTables(path=path, reason=getattr(error, "strerror", None) or error) from None
    tables: dict[str, TableFacts] = {}
    problems: list[Problem] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            problems.append(Problem(f"{path.name}:{number}", f"is not JSON: {error.msg}"))
            continue
        if not isinstance(row, dict) or "text" not in row or "data" not in row:
            problems.append(Problem(f"{path.name}:{number}", "lacks text or data", "name the text and give its data"))
            continue
        tables[str(row["text"])] = table_of(row["data"])
    return TableChecker(tables), problems


TABLE = CheckerType(
    "table",
    "numbers and names of a text that its data do not have",
    {"tables": "JSON lines, each with text (an id) and data (any JSON)"},
    open_tables,
)
