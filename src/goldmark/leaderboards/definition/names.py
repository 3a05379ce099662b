"""Names of teams and systems: plain, in one script a word, and no two that readers take for each other."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from itertools import islice

from goldmark.errors import Conflict, GoldmarkError

LONGEST_NAME = 200
# Scripts that one word may mix with each other and with one more (Unicode Technical Standard 39, "highly restrictive").
TOGETHER = {"CJK", "HIRAGANA", "KATAKANA", "BOPOMOFO", "HANGUL", "KATAKANA-HIRAGANA", "IDEOGRAPHIC"}
WORD = re.compile(r"[^\W\d_]+")


class NameNotPlain(GoldmarkError):
    code = "TEAM-05"
    message = "the name of a {what} has 1 to 200 characters and no line breaks"


class NameMixesAlphabets(GoldmarkError):
    code = "TEAM-06"
    message = "the word {word!r} in the name of a {what} mixes letters of {alphabets}; write it in one alphabet"


class NameLooksLike(Conflict):
    code = "TEAM-07"
    message = (
        "the name {name!r} looks like that of another {what} of this board; choose one that readers can tell apart"
    )


def plain(name: str, what: str) -> str:
    """A name without spaces around it; what cannot be printed on one line, or is written to be mistaken, is refused."""
    name = " ".join(name.split())
    if not name or len(name) > LONGEST_NAME or any(unicodedata.category(mark)[0] == "C" for mark in name):
        raise NameNotPlain(what=what)
    for word in WORD.findall(unicodedata.normalize("NFKC", name)):
        found = sorted({_script(letter) for letter in word if unicodedata.category(letter) != "Lm"} - TOGETHER)
        if len(found) > 1:
            raise NameMixesAlphabets(word=word, what=what, alphabets=" and ".join(one.title() for one in found))
    return name


def _script(letter: str) -> str:
    """By the first word of its name, which for letters is that of their script."""
    return unicodedata.name(letter, "").partition(" ")[0]


def key_of(name: str) -> str:
    """What a name is filed under: the same name in any case and form of letters."""
    return unicodedata.normalize("NFKC", name).casefold()[:LONGEST_NAME]


def same(one: str, other: str) -> bool:
    return key_of(one) == key_of(other)


def alike(one: str, other: str) -> bool:
    """Whether a reader would take one name for the other: by case, by form, or letter by letter as they are drawn."""
    return not _looks(one).isdisjoint(_looks(other))


def _looks(name: str) -> frozenset[str]:
    """How a name may be taken: as it is written and in small letters, every letter as the first of its form."""
    normal = unicodedata.normalize("NFKC", name)
    return frozenset({normal.casefold(), _drawn(normal), _drawn(normal.casefold())})


def _drawn(name: str) -> str:
    return "".join(_forms().get(one, one) for one in unicodedata.normalize("NFD", name)).casefold().replace("m", "rn")


@cache
def _forms() -> dict[str, str]:
    text = files("goldmark.leaderboards.definition").joinpath("alike.txt").read_text(encoding="utf-8")
    return {one: line[0] for line in text.splitlines() if not line.startswith("#") for one in line[1:]}


def refuse_look_alikes(name: str, known: Iterable[str], what: str) -> None:
    """Refuse a name that is not one of these, but could be taken for one."""
    if any(alike(name, other) for other in known if not same(name, other)):
        raise NameLooksLike(name=name, what=what)


def look_alikes(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Every two of these that could be taken for each other."""
    listed = list(names)
    for place, one in enumerate(listed):
        yield from ((one, other) for other in islice(listed, place) if alike(one, other))
