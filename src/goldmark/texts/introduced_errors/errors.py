"""Errors put into a text on purpose, so that annotators stay awake and their recall can be measured.

The procedure of Thomson, Reiter and Sundararajan (2023, section 9.1): 8 to 12 sentences are randomly drawn (all, if
there are fewer than 8); for each, a place and a preferred kind of error. As near to that place as possible a name, a
number or a word is changed; if the preferred kind is not to be had in the sentence, the second is tried, then the
third. No sentence gets more than one error, and what stood there before is kept. What could be seen to be wrong without
the data is not introduced (`possible`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from goldmark.records.introduced import Introduced
from goldmark.records.spans import Span
from goldmark.records.texts import Text
from goldmark.texts.introduced_errors.domain import Domain
from goldmark.texts.introduced_errors.possible import is_possible, stands_alone
from goldmark.texts.introduced_errors.spelled import SPELLED, SPELLED_VALUES
from goldmark.texts.segmentation.tokens import find_tokeniser

FEWEST, MOST = 8, 12
KINDS = ("NAME", "NUMBER", "WORD")
FURTHEST = 0.3  # a number changes by at most this share of itself, and by at least 1

# Not part of a longer number or of a word such as "3-pointer" or "3 - pointer", but of "10-of-17".
_NUMBER = re.compile(r"(?<![\w.,])\d+(?:\.\d+)?(?!\w|[.,]\d|\s?-\s?(?!of\b)[^\W\d])")
_JOINED = re.compile(r"\s-\s[^\W\d]")  # "three - point range" is a place and no number of points
_YEARS = range(1900, 2100)


class Changed(NamedTuple):
    """A text with errors in it, and what they are; of the `wanted` sentences some may have had no place for one."""

    text: Text
    introduced: tuple[Introduced, ...]
    wanted: int
    numbers: tuple[int, ...]  # of each error: which it is, from 1, of all that could be introduced here


class _ChangeablePlace(NamedTuple):
    """Characters of a text that could be changed, and into what."""

    start: int
    end: int
    into: tuple[str, ...]


class _Edit(NamedTuple):
    place: _ChangeablePlace
    label: str
    instead: str


def introduce(
    text: Text,
    domain: Domain,
    rng: np.random.Generator,
    *,
    keep: Span | None = None,
    approved: Collection[int] | None = None,
) -> Changed:
    """The text with introduced errors. Tokens of `keep`, such as a prompt, stay as they are.

    Errors are numbered from 1 in the order of the text; where some are `approved`, only those are made.
    """
    chosen = _sentences(text, rng)
    edits = [edit for sentence in chosen if (edit := _edit(text, sentence, domain, rng, keep)) is not None]
    edits.sort(key=lambda edit: edit.place.start)
    numbers = [number for number in range(1, len(edits) + 1) if approved is None or number in approved]
    changed, introduced = _apply(text, [edits[number - 1] for number in numbers])
    return Changed(changed, introduced, len(chosen), tuple(numbers))


def _sentences(text: Text, rng: np.random.Generator) -> list[Span]:
    count = len(text.sentences)
    if count >= FEWEST:
        count = min(count, int(rng.integers(FEWEST, MOST + 1)))
    drawn = rng.choice(len(text.sentences), size=count, replace=False)
    return [text.sentences[int(number)] for number in sorted(drawn)]


def _edit(text: Text, sentence: Span, domain: Domain, rng: np.random.Generator, keep: Span | None) -> _Edit | None:
    near = text.tokens[int(rng.integers(sentence.start, sentence.end))].start
    kinds = [KINDS[int(number)] for number in rng.permutation(len(KINDS))]
    for kind in kinds:
        places = [
            place
            for found in _PLACES[kind](text, sentence, domain)
            if (place := _possible(text, sentence, kind, found, domain)).into
            and (keep is None or not _tokens(text, place).overlaps(keep))
        ]
        if places:
            place = min(places, key=lambda one: (abs(one.start - near), one.start))
            return _Edit(place, kind, place.into[int(rng.integers(len(place.into)))])
    return None


def _possible(text: Text, sentence: Span, kind: str, place: _ChangeablePlace, domain: Domain) -> _ChangeablePlace:
    """The same place with what could be true there."""
    first, last = _characters(text, sentence)
    words, start, end = text.characters[first:last], place.start - first, place.end - first
    # A capital inside a sentence belongs to a name, also that of a word which is none.
    named = kind == "NAME" or (kind == "WORD" and start > 0 and words[start].isupper())
    if named and not stands_alone(words, start, end):
        return place._replace(into=())
    return place._replace(into=tuple(one for one in place.into if is_possible(words, start, end, one, domain)))


def _names(text: Text, sentence: Span, domain: Domain) -> Iterator[_ChangeablePlace]:
    start, end = _characters(text, sentence)
    pattern = _any_of(tuple(domain.other_names), ignore_case=False)
    for found in pattern.finditer(text.characters, start, end):
        yield _ChangeablePlace(*found.span(), domain.other_names[found.group()])


def _words(text: Text, sentence: Span, domain: Domain) -> Iterator[_ChangeablePlace]:
    start, end = _characters(text, sentence)
    pattern = _any_of(tuple(domain.other_words), ignore_case=True)
    for found in pattern.finditer(text.characters, start, end):
        others = domain.other_words[found.group().lower()]
        yield _ChangeablePlace(*found.span(), tuple(_like(found.group(), other) for other in others))


def _numbers(text: Text, sentence: Span, domain: Domain) -> Iterator[_ChangeablePlace]:
    start, end = _characters(text, sentence)
    for found in _NUMBER.finditer(text.characters, start, end):
        into = tuple(_other_numbers(found.group()))
        if into:
            yield _ChangeablePlace(*found.span(), into)
    for found in _any_of(tuple(SPELLED_VALUES), ignore_case=True).finditer(text.characters, start, end):
        value = SPELLED_VALUES[found.group().lower()]
        near = (SPELLED[other] for other in _around(value) if other < len(SPELLED) and SPELLED[other])
        into = tuple(_like(found.group(), other) for other in near)
        if into and not _JOINED.match(text.characters, found.end()):
            yield _ChangeablePlace(*found.span(), into)


_PLACES: Mapping[str, Callable[[Text, Span, Domain], Iterator[_ChangeablePlace]]] = {
    "NAME": _names,
    "NUMBER": _numbers,
    "WORD": _words,
}


def _other_numbers(written: str) -> Iterator[str]:
    """Every number within 30 % of this one, but at least 1 away; decimals keep their number of places."""
    if written.startswith("0") and written != "0" and not written.startswith("0."):
        return  # part of a time or a code, such as 7:05
    whole, _, decimals = written.partition(".")
    if not decimals:
        yield from map(str, _around(int(whole)))
        return
    step = 10 ** len(decimals)
    value = round(float(written) * step)
    # A share such as .519 changes in its own places: one whole would be no share any more.
    yield from (f"{other / step:.{len(decimals)}f}" for other in _around(value))


def _around(value: int) -> list[int]:
    # A year that is 30 % off would be found without reading.
    furthest = 5 if value in _YEARS else max(1, int(FURTHEST * value))
    return [other for other in range(max(0, value - furthest), value + furthest + 1) if other != value]


def _like(model: str, word: str) -> str:
    """A word with its case as it stands in the text."""
    if model.isupper() and len(model) > 1:
        return word.upper()
    return word[:1].upper() + word[1:] if model[:1].isupper() else word


@lru_cache(maxsize=64)
def _any_of(words: tuple[str, ...], *, ignore_case: bool) -> re.Pattern[str]:
    """Any of these as whole words, the longest first; a pattern that finds nothing if there are none."""
    if not words:
        return re.compile(r"(?!)")
    spaced = (r"\s+".join(map(re.escape, word.split())) for word in sorted(words, key=len, reverse=True))
    joined = "|".join(spaced)
    # Not inside a longer word or a hyphenated one: "win" is no part of "win-loss".
    return re.compile(rf"(?<![\w-])(?:{joined})(?![\w-])", re.IGNORECASE if ignore_case else 0)


def _characters(text: Text, sentence: Span) -> tuple[int, int]:
    return text.tokens[sentence.start].start, text.tokens[sentence.end - 1].end


def _tokens(text: Text, place: _ChangeablePlace) -> Span:
    """The tokens that hold these characters."""
    inside = [at for at, token in enumerate(text.tokens) if _meet(token, place.start, place.end)]
    return Span(inside[0], inside[-1] + 1)


def _meet(token: Span, start: int, end: int) -> bool:
    return token.start < end and start < token.end


def _apply(text: Text, edits: Sequence[_Edit]) -> tuple[Text, tuple[Introduced, ...]]:
    """The text with all edits made, its tokens and sentences moved along, and the places of the errors in it."""
    tokenise = find_tokeniser("whitespace" if text.tokeniser == "given" else text.tokeniser)
    characters = ""
    tokens: list[Span] = []
    introduced: list[Introduced] = []
    counts: list[int] = []  # for each token of the text, how many tokens there are before it in the changed one
    at, token = 0, 0

    def copy(until: int) -> None:
        """Everything up to this token as it is."""
        nonlocal characters, at, token
        while token < until:
            place = text.tokens[token]
            characters += text.characters[at : place.start]
            counts.append(len(tokens))
            tokens.append(Span(len(characters), len(characters) + len(place)))
            characters += text.characters[place.start : place.end]
            at, token = place.end, token + 1

    for edit in edits:
        hit = _tokens(text, edit.place)
        copy(hit.start)
        start, end = text.tokens[hit.start].start, text.tokens[hit.end - 1].end
        piece = text.characters[start : edit.place.start] + edit.instead + text.characters[edit.place.end : end]
        characters += text.characters[at:start]
        counts += [len(tokens)] * len(hit)
        first = edit.place.start - start
        new = list(tokenise(piece))
        wrong = [len(tokens) + number for number, one in enumerate(new) if _meet(one, first, first + len(edit.instead))]
        tokens += (Span(len(characters) + one.start, len(characters) + one.end) for one in new)
        characters += piece
        at, token = end, hit.end
        original = text.characters[edit.place.start : edit.place.end]
        introduced.append(Introduced(Span(wrong[0], wrong[-1] + 1), edit.label, edit.instead, original))
    copy(len(text.tokens))
    characters += text.characters[at:]
    counts.append(len(tokens))
    sentences = tuple(Span(counts[one.start], counts[one.end]) for one in text.sentences)
    return Text(text.id, characters, tuple(tokens), sentences, text.tokeniser), tuple(introduced)
