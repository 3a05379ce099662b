"""A text is made once, on import: its characters checked, its tokens and sentences fixed for good."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import compress
from operator import sub
from typing import Any

from goldmark.errors import GoldmarkError
from goldmark.records.spans import Span
from goldmark.records.texts import Text
from goldmark.texts.segmentation.sentences import check_sentences, find_splitter
from goldmark.texts.segmentation.tokens import find_tokeniser, fit_tokens


class EmptyText(GoldmarkError):
    code = "TEXT-21"
    message = "the text is empty, or white space only; leave the row out, or give its text"


class UnstorableCharacter(GoldmarkError):
    code = "TEXT-22"
    message = "character {place} of {what} is {name}; remove it"


class TokensOutOfPlace(GoldmarkError):
    code = "TEXT-23"
    message = (
        "token {position} at characters {start}-{end} overlaps another, runs past the text, or leaves out characters "
        "before it that are not white space"
    )


class TextTooLong(GoldmarkError):
    code = "TEXT-24"
    message = (
        "{what} has {length:,} characters, and {most:,} are allowed; cut it into parts, or set GOLDMARK_LONGEST_TEXT "
        "to a larger number where Goldmark runs"
    )


class BadLongestText(GoldmarkError):
    code = "TEXT-25"
    message = "GOLDMARK_LONGEST_TEXT is {given!r}; it must be a whole number of characters, at least 1"


# A book: far above what anybody judges at once, far below what a page or a database could not hold.
LONGEST_TEXT = 1_000_000

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def check_characters(value: str, what: str = "the text") -> None:
    """Refuse the only characters that cannot be kept: U+0000 (PostgreSQL) and halves of surrogate pairs (UTF-8)."""
    if value.isascii() and "\0" not in value:  # most of what is looked at, and found out sooner
        return
    found = _UNSTORABLE.search(value)
    if found:
        name = (
            "U+0000 (NUL), which databases cannot store"
            if found.group() == "\0"
            else f"U+{ord(found.group()):04X}, half of a surrogate pair, which is no character and cannot be stored"
        )
        raise UnstorableCharacter(place=found.start(), what=what, name=name)


def check_characters_in(value: object, what: str) -> None:
    """The same for all text inside a value, keys included."""
    if isinstance(value, str):
        check_characters(value, what)
    elif isinstance(value, dict):
        for key, inner in value.items():
            check_characters_in(key, what)
            check_characters_in(inner, what)
    elif isinstance(value, list):
        for inner in value:
            check_characters_in(inner, what)


def longest_text() -> int:
    """How many characters a text, the context of a unit or a fact about it may have."""
    given = os.environ.get("GOLDMARK_LONGEST_TEXT", "")
    if not given:
        return LONGEST_TEXT
    if not given.isascii() or not given.isdigit() or int(given) < 1:
        raise BadLongestText(given=given[:40])
    return int(given)


def check_length(value: object, what: str = "the text") -> None:
    """Refuse what is longer than the longest text, all inside of it counted together, before any work is done on it."""
    length = len(value) if isinstance(value, str) else sum(map(len, _strings(value)))
    if length > (most := longest_text()):
        raise TextTooLong(what=what, length=length, most=most)


def check_lengths(shown: Mapping[str, Any], hidden: Mapping[str, Any]) -> None:
    """The same for all of a unit that was made elsewhere; what is shown of it as its JSON."""
    for role, text in shown["texts"].items():
        check_length(text["characters"], "the text" if role == "text" else f"the text {role}")
    check_length(shown["context"], "the context")
    for key, value in hidden.items():
        check_length(value, f'"{key}"')


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield str(key)
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


def make_text(
    id: str,  # noqa: A002
    characters: str | None,
    *,
    tokeniser: str = "rules",
    sentences: str = "rules",
    tokens: Sequence[str] | None = None,
    sentence_spans: Sequence[Span] | None = None,
) -> Text:
    """A text with its tokens and sentences; those that are given are taken, the others made by the named rules."""
    if tokens is not None:
        characters = " ".join(tokens) if characters is None else characters
        check_length(characters)
        check_characters(characters)
        places = fit_tokens(characters, tokens)
        tokeniser = "given"
    else:
        characters = characters or ""
        check_length(characters)
        check_characters(characters)
        places = tuple(find_tokeniser(tokeniser)(characters))
    if not places:
        raise EmptyText
    if sentence_spans is not None:
        check_sentences(sentence_spans, len(places))
    else:
        sentence_spans = find_splitter(sentences)(characters, places)
    return Text(id, characters, places, tuple(sentence_spans), tokeniser)


def check_text(text: Text) -> None:
    """Refuse a text from elsewhere whose tokens or sentences do not keep the promise that all later work rests on."""
    check_characters(text.characters)
    characters, length = text.characters, len(text.characters)
    starts, ends = [token.start for token in text.tokens], [token.end for token in text.tokens]
    if not tokens_in_place(characters, starts, ends):
        places = [*zip(starts, ends, strict=True), (length, length)]
        for position, (place, (start, end)) in enumerate(zip([0, *ends], places, strict=True)):
            if start < place or end > length or characters[place:start].strip():
                raise TokensOutOfPlace(position=position, start=start, end=end)
    check_sentences(text.sentences, len(text.tokens))


def tokens_in_place(characters: str, starts: Sequence[int], ends: Sequence[int]) -> bool:
    """Whether tokens follow one another inside the text with white space alone around them, all looked at at once;
    each of them is known to end behind its start."""
    before, behind = [0, *ends], [*starts, len(characters)]
    gaps = list(map(sub, behind, before))
    if min(gaps) < 0:
        return False
    if max(gaps) > 1:
        between = map(characters.__getitem__, map(slice, before, behind))
    else:  # nearly always: a space or nothing
        between = map(characters.__getitem__, compress(before, gaps))
    return not "".join(between).strip()
