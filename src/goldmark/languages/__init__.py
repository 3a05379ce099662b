"""What people who take part read, in their language: catalogues of messages, and which language is spoken just now.

English is what stands in the code. A message is a plain sentence with facts in braces, "{count} of {all}"; the same
catalogue serves templates, these functions and the scripts of the pages.
"""

from __future__ import annotations

from contextvars import ContextVar

from goldmark.languages.catalogue import Catalogue, filled
from goldmark.languages.choice import best, known, offered

ENGLISH = "en"

speaking: ContextVar[str] = ContextVar("speaking", default=ENGLISH)  # set by whoever knows for whom the words are


def gettext(message: str, **facts: object) -> str:
    """A message in the language that is spoken now; in English if nobody translated it."""
    return filled(offered()[speaking.get()].one(message), facts)


def ngettext(one: str, many: str, count: int, **facts: object) -> str:
    """A message that depends on a number, which is its fact `count`."""
    return filled(offered()[speaking.get()].counted(one, many, count), {"count": count, **facts})


def later(message: str) -> str:
    """Marks a message that is translated when it is shown."""
    return message


__all__ = ["ENGLISH", "Catalogue", "best", "gettext", "known", "later", "ngettext", "offered", "speaking"]
