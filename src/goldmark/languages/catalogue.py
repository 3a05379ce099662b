"""A gettext catalogue, read from its `.po` file: small, quick, and nothing has to be compiled or installed for it."""

from __future__ import annotations

import gettext
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from pathlib import Path

RIGHT_TO_LEFT = frozenset({"ar", "fa", "he", "ur"})
PERIOD = 100  # every rule for plurals depends on a number below this, or else on its last two digits
_FACT = re.compile(r"\{(\w+)\}")
_LINE = re.compile(r'^(?:(msgid|msgid_plural|msgstr)(?:\[(\d)\])?\s+)?(".*")$')


@dataclass(frozen=True)
class Catalogue:
    """The messages of one language. A message that is missing or doubtful (`fuzzy`) is shown in English."""

    language: str  # such as de
    name: str  # in itself: Deutsch
    read_by: str  # the native speakers who read all of it; nobody: then pages say so
    plural: Callable[[int], int]  # which form a number takes
    path: Path | None = None  # of its messages; none: they are as they stand in the code

    @property
    def direction(self) -> str:
        return "rtl" if self.language in RIGHT_TO_LEFT else "ltr"

    @cached_property
    def messages(self) -> Mapping[str, tuple[str, ...]]:
        """As in English (the singular) -> its forms. Read when somebody first speaks the language."""
        if self.path is None:
            return {}
        return {said: forms for said, forms in _entries(self.path.read_text(encoding="utf-8")) if said}

    def one(self, message: str) -> str:
        return self.messages.get(message, (message,))[0]

    def counted(self, one: str, many: str, count: int) -> str:
        forms = self.messages.get(one)
        if forms is None:
            return one if count == 1 else many
        return forms[self.plural(count)]

    @cached_property
    def for_pages(self) -> dict[str, object]:
        """What scripts need. The rule for plurals is a table, so that no page has to run a formula from a file."""
        return {
            "language": self.language,
            "direction": self.direction,
            "plural": "".join(str(self.plural(count)) for count in range(2 * PERIOD)),
            "messages": {said: forms[0] if len(forms) == 1 else forms for said, forms in self.messages.items()},
        }


def filled(message: str, facts: Mapping[str, object]) -> str:
    """A message with its facts; what it does not name is left out, what is not given stays as it is."""
    return _FACT.sub(lambda found: str(facts.get(found[1], found[0])), message)


def read(path: Path) -> Catalogue:
    """The catalogue of a file, of which only the head is looked at now."""
    with path.open(encoding="utf-8") as opened:
        head = "".join(takewhile(str.strip, opened))
    header = dict(line.split(": ", 1) for line in dict(_entries(head))[""][0].splitlines() if ": " in line)
    rule = header["Plural-Forms"].partition("plural=")[2].rstrip("; ")
    # `c2py` reads such rules safely.
    return Catalogue(header["Language"], header["X-Native-Name"], header.get("X-Read-By", ""), gettext.c2py(rule), path)


def _entries(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Message and forms of every entry that is translated and not marked as doubtful."""
    for block in re.split(r"\n\s*\n", text):
        said: dict[tuple[str, str], str] = {}
        place = ("", "")
        fuzzy = False
        for line in block.splitlines():
            fuzzy = fuzzy or (line.startswith("#,") and "fuzzy" in line)
            found = _LINE.match(line.strip())
            if found is None:
                continue
            if found[1]:
                place = (found[1], found[2] or "0")
            said[place] = said.get(place, "") + json.loads(found[3])
        forms = tuple(words for (part, _), words in sorted(said.items()) if part == "msgstr")
        if forms and all(forms) and not fuzzy:
            yield said[("msgid", "0")], forms
