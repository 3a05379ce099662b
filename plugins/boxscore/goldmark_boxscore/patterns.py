"""The language in which the grammar is written: patterns over units, with named slots.

`T:winner {beat}:verb [the] [host] T:loser , N:a - N:b` reads: a team, kept as `winner`; a word of the list `beat`, kept
as `verb`; perhaps `the`; and so on. Capital letters are kinds of units (T team, P player, A arena, D day, N number,
S statistic, M minutes, K coach), `(a b|c)` is one of several phrases, `..` a gap of up to four words and `...` of up to
fourteen; `~item` must follow but is left for the next match to read.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count

from goldmark_boxscore.units import CODES, TextUnit

_ITEM = re.compile(r"\[|\]|\.\.\.|\.\.|~?\([^)]*\)(?::\w+)?|\{\w+\}(?::\w+)?|\S+?(?=\]|\s|$)")
_KINDS = set(CODES.values()) | {"LP", "RP", "M"}
_CODES = {"S": "SM?", "M": "SM"}  # minutes are a statistic, and yet often a stretch of time
GAPS = {"..": r"(?:\S+ ){0,4}?", "...": r"(?:\S+ ){0,14}?"}


@dataclass(frozen=True)
class Sentence:
    """A sentence as a string of units; `units` are those that the string shows."""

    units: tuple[TextUnit, ...]
    text: str
    offsets: tuple[int, ...]

    @classmethod
    def of(cls, units: Sequence[TextUnit]) -> Sentence:
        shown = tuple(unit for unit in units if unit.kind != "record")
        return cls.shaped("".join(unit.code + " " for unit in shown), shown)

    @classmethod
    def shaped(cls, text: str, units: tuple[TextUnit, ...] = ()) -> Sentence:
        """A sentence as its string shows it; without units one that may be about anybody."""
        return cls(units, text, tuple(found.start() for found in re.finditer(r"\S+", text)))

    def unit_at(self, offset: int) -> int:
        return bisect_right(self.offsets, offset) - 1


@dataclass(frozen=True)
class Match:
    """Where a pattern was found: for every slot the units (first, end) that fill it."""

    sentence: Sentence
    start: int
    end: int
    slots: Mapping[str, tuple[int, int]]


def find(pattern: re.Pattern[str], sentence: Sentence) -> Iterator[Match]:
    """Every place of a sentence where a pattern holds, from left to right, without overlap."""
    for found in pattern.finditer(sentence.text):
        if found.end() == found.start():
            continue
        slots = {}
        for role in found.groupdict():
            begin, end = found.span(role)
            if begin >= 0 and end > begin:
                slots[role.partition("__")[0]] = (sentence.unit_at(begin), sentence.unit_at(end - 1) + 1)
        yield Match(sentence, sentence.unit_at(found.start()), sentence.unit_at(found.end() - 1) + 1, slots)


def compiled(pattern: str, lists: Mapping[str, Sequence[str]]) -> re.Pattern[str]:
    """A pattern of the grammar as a regular expression over the string of units."""
    parts = [_regex(item, lists) for item in _ITEM.findall(pattern)]
    places = count()  # a slot may stand in two places of a pattern, a group's name only in one
    named = re.sub(r"\(\?P<(\w+)>", lambda group: f"(?P<{group[1]}__{next(places)}>", "".join(parts))
    return re.compile(r"(?<!\S)" + named)


def needed(pattern: str, lists: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Words of which a sentence must have at least one, or the pattern cannot hold; spares most of the searching."""
    depth = 0
    rarest: tuple[str, ...] = ()
    for item in _ITEM.findall(pattern):
        depth += (item == "[") - (item == "]")
        if depth or item in GAPS or item in "[]" or item.startswith("~"):
            continue
        phrases = [" ".join(_strip(phrase)) for phrase in _phrases(item, lists)]
        if all(phrases) and (not rarest or _rarity(phrases) > _rarity(rarest)):
            rarest = tuple(phrases)
    return rarest


def _rarity(phrases: Sequence[str]) -> int:
    return min(len(phrase) for phrase in phrases)


def _strip(phrase: str) -> list[str]:
    """A phrase's words if all of them are plain; nothing if it could be any name or number."""
    words = phrase.split()
    return [] if any(word in _KINDS for word in words) else words


def _phrases(item: str, lists: Mapping[str, Sequence[str]]) -> list[str]:
    body = item.rpartition(":")[0] if re.search(r"[\w)}]:\w+$", item) else item
    if body.startswith("{"):
        return list(lists[body[1:-1]])
    if body.startswith("("):
        phrases = [phrase.strip() for phrase in body[1:-1].split("|")]
        return [one for phrase in phrases for one in (lists[phrase[1:-1]] if phrase.startswith("{") else [phrase])]
    return body.split("|")


def _regex(item: str, lists: Mapping[str, Sequence[str]]) -> str:
    if item == "[":
        return "(?:"
    if item == "]":
        return ")?"
    if item in GAPS:
        return GAPS[item]
    if item.startswith("~"):
        return f"(?={_regex(item[1:], lists)})"
    role = item.rpartition(":")[2] if re.search(r"[\w)}]:\w+$", item) else ""
    inner = _alternatives(_phrases(item, lists))
    return f"(?P<{role}>{inner})" if role else inner


def _alternatives(phrases: Sequence[str]) -> str:
    longest_first = sorted(phrases, key=len, reverse=True)
    return "(?:" + "|".join(_phrase(phrase) for phrase in longest_first) + ")"


@lru_cache(maxsize=4096)
def _phrase(phrase: str) -> str:
    words = phrase.split()
    return "".join((_CODES.get(word, word) if word in _KINDS else re.escape(word)) + " " for word in words)
