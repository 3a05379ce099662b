"""Many records, a few of them in memory: the others wait in a file that nobody else sees and that is gone with them.

Whoever has to look at everything before anything is done with it (a name that occurs twice, a mark outside its text)
puts what was looked at here, and takes it out again to do it. SQLite keeps the file and finds records by their key.
"""

from __future__ import annotations

import pickle
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar, overload

from goldmark.records.spooled.file import unnamed_file

Record = TypeVar("Record")


class _Many(Sequence[Record], Generic[Record]):
    """Equal to any other sequence of the same records."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str | bytes):
            return NotImplemented
        return len(self) == len(other) and all(one == beside for one, beside in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]  # it can grow


class SomeOf(_Many[Record]):
    """Those of many records that stand at these places, in their order."""

    def __init__(self, records: Sequence[Record], places: Iterable[int]) -> None:
        self._records, self._places = records, array("l", places)

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[Record]:
        wanted = iter(self._places)
        place = next(wanted, None)
        for number, record in enumerate(self._records):
            if place is None:
                return
            if number == place:
                yield record
                place = next(wanted, None)

    @overload
    def __getitem__(self, position: int) -> Record: ...
    @overload
    def __getitem__(self, position: slice) -> Sequence[Record]: ...
    def __getitem__(self, position: int | slice) -> Record | Sequence[Record]:
        if isinstance(position, slice):
            return tuple(self._records[place] for place in self._places[position])
        return self._records[self._places[position]]


class Spooled(_Many[Record]):
    """Records in the order in which they came, each under a key of its own.

    To another process they go all at once, as a tuple.
    """

    def __init__(
        self,
        records: Iterable[tuple[str, Record]] = (),
        *,
        pack: Callable[[Record], bytes] = pickle.dumps,
        unpack: Callable[[bytes], Record] = pickle.loads,  # our own file, which nobody else can write to
    ) -> None:
        self._pack, self._unpack = pack, unpack
        self._file = unnamed_file()
        self._file.execute("CREATE TABLE record (number INTEGER PRIMARY KEY, key TEXT UNIQUE, packed BLOB)")
        self._many = 0
        for key, record in records:
            if not self.add(key, record):
                raise ValueError(f"two records are called {key!r}")

    def add(self, key: str, record: Record) -> bool:
        """Whether it was added; there is one record for each key."""
        return self.add_packed(key, self._pack(record))

    def add_packed(self, key: str, packed: bytes) -> bool:
        statement = "INSERT OR IGNORE INTO record (key, packed) VALUES (?, ?)"
        added = self._file.execute(statement, (key, packed)).rowcount == 1
        self._many += added
        return added

    def replace(self, key: str, record: Record) -> None:
        """Another record in the place of the one with this key."""
        self._file.execute("UPDATE record SET packed = ? WHERE key = ?", (self._pack(record), key))

    def knows(self, key: str) -> bool:
        return self._file.execute("SELECT 1 FROM record WHERE key = ?", (key,)).fetchone() is not None

    def named(self, key: str) -> Record | None:
        found = self.packed_named(key)
        return None if found is None else self._unpack(found)

    def packed_named(self, key: str) -> bytes | None:
        found = self._file.execute("SELECT packed FROM record WHERE key = ?", (key,)).fetchone()
        return None if found is None else bytes(found[0])

    def larger(self, size: int) -> Iterator[bytes]:
        """Those that take more bytes than this, as they are kept."""
        for (packed,) in self._file.execute("SELECT packed FROM record WHERE length(packed) > ?", (size,)):
            yield packed

    def keys(self) -> Iterator[str]:
        for (key,) in self._file.execute("SELECT key FROM record ORDER BY number"):
            yield key

    def packed(self, rank: Callable[[str], Any] | None = None) -> Iterator[bytes]:
        """All of them as they are kept, in their order or in that of a rank of their keys."""
        if rank is None:
            for (packed,) in self._file.execute("SELECT packed FROM record ORDER BY number"):
                yield packed
            return
        # The keys alone are sorted, in files if they are many.
        self._file.create_function("rank", 1, rank, deterministic=True)
        for (number,) in self._file.execute("SELECT number FROM record ORDER BY rank(key)"):
            yield self._file.execute("SELECT packed FROM record WHERE number = ?", (number,)).fetchone()[0]

    def by_key(self) -> Iterator[Record]:
        """All of them in the order of their keys."""
        return map(self._unpack, self.packed(lambda key: key))

    def all(self) -> Sequence[Record]:
        return self

    def __iter__(self) -> Iterator[Record]:
        return map(self._unpack, self.packed())

    def __len__(self) -> int:
        return self._many

    @overload
    def __getitem__(self, position: int) -> Record: ...
    @overload
    def __getitem__(self, position: slice) -> Sequence[Record]: ...
    def __getitem__(self, position: int | slice) -> Record | Sequence[Record]:
        places = range(self._many)[position]
        if isinstance(places, range):
            return tuple(self[place] for place in places)
        # Nothing is ever taken out, so numbers are places.
        found = self._file.execute("SELECT packed FROM record WHERE number = ?", (places + 1,)).fetchone()
        return self._unpack(found[0])

    def __del__(self) -> None:
        self._file.close()

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (tuple(self),)
