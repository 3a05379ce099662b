"""How many different tokens there are in each split and in all, of texts with any number of them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping

from goldmark.records.spooled.file import unnamed_file

HELD = 200_000  # tokens in memory, the same in two splits counted twice; the others lie in a file


class DifferentTokens:
    """Different tokens, split by split."""

    def __init__(self) -> None:
        self._held: dict[str, set[str]] = {}
        self._file: sqlite3.Connection | None = None

    def add(self, split: str, tokens: Iterable[str]) -> None:
        self._held.setdefault(split, set()).update(tokens)
        if sum(map(len, self._held.values())) > HELD:
            self._lay_aside()

    def _lay_aside(self) -> sqlite3.Connection:
        if self._file is None:
            self._file = unnamed_file()
            self._file.execute("CREATE TABLE token (token TEXT, split TEXT, PRIMARY KEY (token, split)) WITHOUT ROWID")
        for split, tokens in self._held.items():
            # In their order, so that pages of the file are gone through one after the other.
            rows = ((token, split) for token in sorted(tokens))
            self._file.executemany("INSERT OR IGNORE INTO token VALUES (?, ?)", rows)
        self._held.clear()
        return self._file

    def sizes(self) -> Mapping[str, int]:
        """By split; those of all splits together are under the empty name."""
        if self._file is None:
            every = set().union(*self._held.values())
            return {split: len(tokens) for split, tokens in self._held.items()} | {"": len(every)}
        file = self._lay_aside()
        every = file.execute("SELECT count(DISTINCT token) FROM token").fetchone()[0]
        return dict(file.execute("SELECT split, count(*) FROM token GROUP BY split")) | {"": every}
