"""What a page draws of a text with markup, and where in the text each character of it stands.

Some tools put texts into their pages as they are: tags are obeyed, not shown, and their places count what is shown.
"""

from __future__ import annotations

import html
from functools import lru_cache
from html.parser import HTMLParser
from itertools import accumulate
from typing import NamedTuple


class Drawn(NamedTuple):
    words: str
    places: list[tuple[int, int]]  # where what is drawn as each character begins and ends

    def back(self, start: int, end: int) -> tuple[int, int]:
        """The passage of the text that is drawn as these characters, of which there is at least one."""
        return self.places[start][0], self.places[end - 1][1]


@lru_cache(maxsize=2)  # asked for with every mark of a text
def drawn(text: str) -> Drawn:
    if not {"<", "&"} & set(text):
        return Drawn(text, [(at, at + 1) for at in range(len(text))])
    page = _Page(text)
    page.feed(text)
    page.close()
    return Drawn("".join(page.words), page.places)


class _Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=False)
        self._text = text
        self._lines = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
        self.words: list[str] = []
        self.places: list[tuple[int, int]] = []

    def _here(self) -> int:
        line, column = self.getpos()
        return self._lines[line - 1] + column

    def handle_data(self, data: str) -> None:
        start = self._here()
        self.words += data
        self.places += [(at, at + 1) for at in range(start, start + len(data))]

    def handle_entityref(self, name: str) -> None:
        self._reference(f"&{name}")

    def handle_charref(self, name: str) -> None:
        self._reference(f"&#{name}")

    def _reference(self, written: str) -> None:
        start = self._here()
        end = start + len(written)
        end += self._text[end : end + 1] == ";"
        shown = html.unescape(self._text[start:end])
        self.words += shown
        self.places += [(start, end)] * len(shown)
