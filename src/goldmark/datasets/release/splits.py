"""Train, dev and test: 8:1:1 overall and within every stratum, by seed, whatever the order in which texts come."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter

from goldmark.errors import GoldmarkError
from goldmark.records.spooled.file import unnamed_file

SPLITS = ("train", "dev", "test")
SHARES = (8, 1, 1)


class SharesNotPossible(GoldmarkError):
    code = "DATASET-11"
    message = "a split of {given} is not possible; give three whole numbers such as 8:1:1, the first at least 1"


def parse_shares(given: str) -> tuple[int, int, int]:
    """`8:1:1` as numbers."""
    parts = given.split(":")
    if (
        len(parts) != 3
        or not all(part.isascii() and part.isdigit() for part in parts)
        or not 1 <= int(parts[0]) <= 1000
    ):
        raise SharesNotPossible(given=given)
    train, dev, test = (int(part) for part in parts)
    if dev > 1000 or test > 1000:
        raise SharesNotPossible(given=given)
    return train, dev, test


def rank(seed: int, name: str) -> bytes:
    """Where a text stands in the shuffled order: the same on every machine and in every version of Python."""
    return hashlib.sha256(f"{seed}\0{name}".encode()).digest()


class SplitTexts:
    """Every text of a dataset with its stratum and what it is about, and then its split; in a file, however many.

    Texts are laid out stratum by stratum, shuffled within each, and dealt in one pass, each to the split that is
    furthest behind its share. Any run of n texts then holds n/10 dev and n/10 test texts but for less than one, so
    every stratum and the whole are divided 8:1:1 as nearly as whole texts allow.

    Texts about the same thing, such as several systems' outputs for one input, are dealt together, or a model would
    meet in the test what it was trained on; the shares then hold but for the size of one.
    """

    def __init__(self) -> None:
        self._file = unnamed_file()
        self._file.execute(
            "CREATE TABLE text (number INTEGER PRIMARY KEY, id TEXT UNIQUE, stratum TEXT, item TEXT, part TEXT)"
        )
        self._many = 0

    def __len__(self) -> int:
        return self._many

    def add(self, name: str, stratum: str, item: str = "") -> bool:
        """Whether it was added; there is one text for each id. Without an item it is about itself."""
        statement = "INSERT OR IGNORE INTO text VALUES (?, ?, ?, ?, NULL)"
        added = self._file.execute(statement, (self._many, name, stratum, item or name)).rowcount == 1
        self._many += added
        return added

    def join(self, pairs: Iterable[tuple[int, int]]) -> None:
        """From now on two texts, by their places, are about the same thing, and so is whatever is about either."""
        joined: dict[str, str] = {}  # of two items that share a text the one that holds both
        for one, other in pairs:
            low, high = sorted((_leader(joined, self._item(one)), _leader(joined, self._item(other))))
            if low != high:
                joined[high] = low
        self._file.execute("CREATE INDEX of_item ON text (item, stratum)")
        now = ((_leader(joined, item), item) for item in joined)
        self._file.executemany("UPDATE text SET item = ? WHERE item = ?", now)

    def _item(self, place: int) -> str:
        return str(self._file.execute("SELECT item FROM text WHERE number = ?", (place,)).fetchone()[0])

    def deal(self, *, seed: int, shares: Sequence[int] = SHARES) -> None:
        """Give every text its split."""
        self._file.execute("CREATE TABLE item (item TEXT, stratum TEXT, rank BLOB, texts INTEGER)")
        found = self._file.execute("SELECT item, stratum, count(*) FROM text GROUP BY item, stratum ORDER BY 1, 2")
        self._file.executemany("INSERT INTO item VALUES (?, ?, ?, ?)", _together(found, seed))
        dealt = _Dealt(shares)
        items = self._file.execute("SELECT item, texts FROM item ORDER BY stratum, rank")
        parts = ((SPLITS[dealt.next(texts)], item) for item, texts in items)
        self._file.executemany("UPDATE text SET part = ? WHERE item = ?", parts)

    def parts(self) -> Iterator[str]:
        """The split of every text, in the order in which they came."""
        for (part,) in self._file.execute("SELECT part FROM text ORDER BY number"):
            yield part


def _leader(joined: Mapping[str, str], item: str) -> str:
    while item in joined:
        item = joined[item]
    return item


def _together(found: Iterable[tuple[str, str, int]], seed: int) -> Iterator[tuple[str, str, bytes, int]]:
    """Every item with the strata of its texts, where it stands among those that have the same, and its texts."""
    for item, some in groupby(found, key=itemgetter(0)):
        strata, texts = zip(*((stratum, count) for _, stratum, count in some), strict=True)
        yield item, "+".join(strata), rank(seed, item), sum(texts)


class _Dealt:
    """How many texts each split has so far."""

    def __init__(self, shares: Sequence[int]) -> None:
        self.shares = shares
        self.had = [0] * len(shares)

    def next(self, texts: int) -> int:
        """Which split gets the next texts: whoever is furthest behind their share, the rarer one first among equals."""
        so_far = sum(self.had) + texts
        behind = [so_far * share - sum(self.shares) * had for share, had in zip(self.shares, self.had, strict=True)]
        most = max(range(len(self.shares)), key=lambda one: (behind[one], -self.shares[one], -one))
        self.had[most] += texts
        return most


def pseudonyms(people: Mapping[str, int], *, seed: int) -> dict[str, str]:
    """A01, A02, ... for people, in an order that says nothing of their names or of when they came.

    Each comes with a number made of what they answered, which everybody can read anyway: an order by their names, even
    a shuffled one, would let whoever guesses the names and knows the seed find out whose number is whose.
    """
    ordered = sorted(people, key=lambda name: (rank(seed, str(people[name])), rank(seed, name)))
    width = max(2, len(str(len(ordered))))
    return {name: f"A{number:0{width}}" for number, name in enumerate(ordered, start=1)}
