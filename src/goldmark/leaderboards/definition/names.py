"""Names of teams and systems: plain, in one alphabet a word, and no two alike."""

from __future__ import annotations

import re
import unicodedata

from goldmark.errors import GoldmarkError

LONGEST_NAME = 200
# Letters of other alphabets that are drawn like a Latin one, small and capital; taken from the forms themselves.
_LIKE_LATIN = {
    "cyrillic": ("асеорхуіјѕԁһԛԝѵүк", "aceopxyijsdhqwvyk"),
    "cyrillic capitals": ("АВЕКМНОРСТХУІЈЅ", "abekmhopctxyijs"),
    "greek": ("αοντικρυχ", "aovtikpux"),
    "greek capitals": ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "abezhikmnoptyx"),
    "armenian": ("օսոհ", "ounh"),
}
_DRAWN = {one: like for these, those in _LIKE_LATIN.values() for one, like in zip(these, those, strict=True)}
_ALPHABETS = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC")  # those that are mixed up with each other


class NameNotPlain(GoldmarkError):
    code = "TEAM-05"
    message = "the name of a {what} has 1 to 200 characters and no line breaks"


class NameMixesAlphabets(GoldmarkError):
    code = "TEAM-06"
    message = "the word {word!r} in the name of a {what} mixes letters of {alphabets}; write it in one alphabet"


def plain(name: str, what: str) -> str:
    """A name without spaces around it; what cannot be printed on one line, or is written to be mistaken, is refused."""
    name = " ".join(name.split())
    if not name or len(name) > LONGEST_NAME or any(unicodedata.category(mark)[0] == "C" for mark in name):
        raise NameNotPlain(what=what)
    for word in re.findall(r"[^\W\d_]+", name):
        found = sorted({alphabet for letter in word if (alphabet := _alphabet(letter))})
        if len(found) > 1:
            raise NameMixesAlphabets(word=word, what=what, alphabets=" and ".join(one.title() for one in found))
    return name


def _alphabet(letter: str) -> str:
    first = unicodedata.name(letter, "").partition(" ")[0]
    return first if first in _ALPHABETS else ""


def look_alike(name: str) -> str:
    """Names that a reader would take for the same are the same: by case, form, or words drawn like Latin ones."""
    return re.sub(r"[^\W\d_]+", _as_drawn, unicodedata.normalize("NFKC", name)).casefold()[:LONGEST_NAME]


def _as_drawn(word: re.Match[str]) -> str:
    """A word in Latin letters if every letter of it looks like one; half of a word misleads nobody."""
    letters = word.group()
    return "".join(_DRAWN[one] for one in letters) if all(one in _DRAWN for one in letters) else letters


def keys(name: str) -> tuple[str, ...]:
    """What a name may be filed under: boards that are older than the look of letters know its case and form only."""
    return look_alike(name), unicodedata.normalize("NFKC", name).casefold()[:LONGEST_NAME]
