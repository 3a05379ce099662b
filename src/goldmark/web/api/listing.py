"""Lists that may be long, on a page or in a reply: which part of them is asked for, and that part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, TypeVar

from fastapi import Depends, Query

from goldmark.campaigns.pages import LAST_PAGE, PAGE_SIZE, Page

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Listing:
    """What of a list is asked for: those whose name has these characters in it, and the how manieth page of them."""

    search: str = ""
    number: int = 1

    def of(self, items: Sequence[Item], name: Callable[[Item], str], size: int = PAGE_SIZE) -> Page[Item]:
        """That part of a list that is in memory already."""
        wanted = self.search.casefold()
        found = [one for one in items if wanted in name(one).casefold()] if wanted else items
        return Page.of(found, self.number, size)


FROM_THE_START = Listing()


def _listing(
    search: Annotated[str, Query(max_length=200, description="Part of a name.")] = "",
    page: Annotated[int, Query(ge=1, le=LAST_PAGE, description=f"Lists come in pages of {PAGE_SIZE}.")] = 1,
) -> Listing:
    return Listing(search.replace("\x00", "").strip(), page)


Listed = Annotated[Listing, Depends(_listing)]
