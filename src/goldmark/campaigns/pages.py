"""Long lists, one page at a time. A page costs the same whatever the size of the campaign."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from sqlalchemy import Connection, Select, func

Item = TypeVar("Item")

PAGE_SIZE = 50
LAST_PAGE = 1_000_000


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """Some items of a list, and how many there are in all."""

    items: tuple[Item, ...]
    number: int  # from 1
    size: int
    total: int

    @classmethod
    def of(cls, items: Sequence[Item], number: int, size: int = PAGE_SIZE) -> Page[Item]:
        """That part of a list that is in memory already."""
        first = (number - 1) * size
        return cls(tuple(items[first : first + size]), number, size, len(items))

    @property
    def pages(self) -> int:
        return max(1, -(-self.total // self.size))


def one_page(
    connection: Connection,
    query: Select[Any],
    number: int,
    make: Callable[[Any], Item],
    *,
    counting: Select[Any],
    size: int = PAGE_SIZE,
) -> Page[Item]:
    """The page with this number of an ordered query; `counting` selects the same rows without what is joined."""
    total = int(connection.execute(counting.with_only_columns(func.count(), maintain_column_froms=True)).scalar_one())
    rows = connection.execute(query.limit(size).offset((number - 1) * size))
    return Page(tuple(make(row) for row in rows), number, size, total)
