"""Names of teams and systems: plain, and no two alike."""

from __future__ import annotations

import unicodedata

from goldmark.errors import GoldmarkError

LONGEST_NAME = 200


class NameNotPlain(GoldmarkError):
    code = "TEAM-05"
    message = "the name of a {what} has 1 to 200 characters and no line breaks"


def plain(name: str, what: str) -> str:
    """A name without spaces around it; what cannot be printed on one line is refused."""
    name = " ".join(name.split())
    if not name or len(name) > LONGEST_NAME or any(unicodedata.category(mark)[0] == "C" for mark in name):
        raise NameNotPlain(what=what)
    return name


def look_alike(name: str) -> str:
    """Names that a reader would take for the same are the same."""
    return unicodedata.normalize("NFKC", name).casefold()[:LONGEST_NAME]
