"""WordNet's own files, read as far as METEOR needs them: which words mean the same.

NLTK's reader takes only the copy that its downloader makes. This one takes any folder with the files of WordNet 3
(`index.noun`, `data.noun`, `noun.exc` and so on), wherever it came from, and never fetches anything.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

PARTS = ("noun", "verb", "adj", "adv")
FILES = tuple(f"{kind}.{part}" for part in PARTS for kind in ("index", "data"))
# How WordNet's morphology cuts an ending off, from the manual page morphy(7WN), with "men" as NLTK has it.
ENDINGS = {
    "noun": (
        ("s", ""),
        ("ses", "s"),
        ("ves", "f"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    "verb": (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}


class Lemma(NamedTuple):
    word: str

    def name(self) -> str:
        return self.word


class Synset(NamedTuple):
    """Words that share a meaning."""

    words: tuple[str, ...]

    def lemmas(self) -> list[Lemma]:
        return [Lemma(word) for word in self.words]


class WordNet:
    """Synonyms, by the two calls with which NLTK's METEOR asks for them."""

    def __init__(self, folder: Path) -> None:
        self._index = {part: _index(folder / f"index.{part}") for part in PARTS}
        self._data = {part: _data(folder / f"data.{part}") for part in PARTS}
        self._exceptions = {part: _exceptions(folder / f"{part}.exc") for part in PARTS}
        self.synsets = cache(self._synsets)

    @staticmethod
    def missing(folder: Path) -> list[str]:
        """Which of the needed files a folder lacks."""
        return [name for name in FILES if not (folder / name).is_file()]

    def _synsets(self, word: str) -> tuple[Synset, ...]:
        word = word.lower().replace(" ", "_")
        return tuple(
            _synset(self._data[part][number])
            for part in PARTS
            for form in self._forms(word, part)
            for number in self._index[part][form]
            if number in self._data[part]
        )

    def _forms(self, word: str, part: str) -> list[str]:
        """The dictionary forms of a word: by its exceptions, else by cutting an ending off."""
        other = self._exceptions[part].get(word) or [
            word[: -len(old)] + new for old, new in ENDINGS[part] if word.endswith(old)
        ]
        return [form for form in dict.fromkeys([word, *other]) if form in self._index[part]]


def _synset(line: str) -> Synset:
    """Its number, file and type, how many words in hexadecimal, and each word with a number of its own."""
    fields = line.split(" ")
    words = fields[4 : 4 + 2 * int(fields[3], 16) : 2]
    return Synset(tuple(word.partition("(")[0] for word in words))


def _data(path: Path) -> dict[str, str]:
    """Number of a synset -> its line. By number and not by place: some copies have other line ends than WordNet's."""
    with path.open(encoding="utf-8") as lines:
        return {line[:8]: line for line in lines if not line.startswith(" ") and line.strip()}


def _index(path: Path) -> dict[str, list[str]]:
    """Lemma -> numbers of its synsets. The lines at the top that begin with a space are the licence."""
    found = {}
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if not line.startswith(" ") and line.strip():
                fields = line.split()
                found[fields[0]] = fields[-int(fields[2]) :]
    return found


def _exceptions(path: Path) -> dict[str, list[str]]:
    if not path.is_file():
        return {}
    with path.open(encoding="utf-8") as lines:
        return {fields[0]: fields[1:] for fields in (line.split() for line in lines) if fields}
