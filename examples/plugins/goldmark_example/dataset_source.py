"""A source of datasets: a folder of texts in which errors are starred."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from goldmark.datasets.sources.readings import MarkedError, Reading, ReadText, Rule, SourceDescription
from goldmark.texts.segmentation.text import make_text


class Starred:
    """A folder of texts in which every erroneous word has an asterisk before it."""

    choose: Rule = "first"  # everybody's word counts: a text has one reader

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def about(self) -> SourceDescription:
        return SourceDescription(name=self._path.name, title="Starred texts", origin=f"the folder {self._path.name}")

    def texts(self) -> Iterator[ReadText]:
        for path in sorted(self._path.glob("*.txt")):
            words = path.read_text(encoding="utf-8").split()
            text = make_text(path.stem, None, tokens=[word.removeprefix("*") for word in words])
            errors = [MarkedError(f"e{n}", n, n + 1) for n, word in enumerate(words) if word.startswith("*")]
            tokens = [(token.start, token.end) for token in text.tokens]
            yield ReadText(text.id, text.characters, tokens, (Reading("reader", tuple(errors)),))
