"""A taxonomy: a tree of labels of any depth, prepared once for showing and for checking."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from pydantic import Field

from goldmark.protocols.parts import SPARE, Key, LabelId, Strict, distinct, in_words


class Label(Strict):
    """One category. Its path from the root, joined by dots, is what an answer holds."""

    id: LabelId = Field(description="Unique among its siblings; part of the path that an answer holds.")
    title: str = Field("", description="The name that people see; made from the id if left out.")
    mark: str = Field("", max_length=3, description="The letter or letters shown as a superscript on a marked span.")
    key: Key = Field("", description="The single key that chooses this label; made from the mark if left out.")
    help: str = Field("", description="When to choose it, best with an example.")
    children: tuple[Label, ...] = Field((), description="Finer labels under this one.")

    @property
    def name(self) -> str:
        return self.title or in_words(self.id)


class Taxonomy:
    """A tree of labels with the facts that answers are checked against."""

    def __init__(self, name: str, labels: Sequence[Label]) -> None:
        self.name = name
        self.labels = tuple(labels)
        self.paths: Mapping[str, Label] = dict(_walk(self.labels, ""))
        self.leaves = frozenset(path for path, label in self.paths.items() if not label.children)

    def path_of(self, name: str) -> str | None:
        """The label that is meant, by ids or titles, with or without those above it; None if none is, or several."""
        return self._named.get(_plain(name))

    def preferred(self, named: Sequence[str]) -> list[str]:
        """Labels in the order in which they are preferred, if some are named: the others, added ones say, come last."""
        others = (path for path in self.paths if path in self.leaves and path not in named)
        return [*named, *others] if named else []

    @cached_property
    def _named(self) -> Mapping[str, str]:
        found: dict[str, set[str]] = {}
        for path, titles, label in _titled(self.labels, "", ""):
            for name in (path, titles, label.id, label.name):
                found.setdefault(_plain(name), set()).add(path)
        names = {name: next(iter(paths)) for name, paths in found.items() if len(paths) == 1}
        return {**names, **{_plain(path): path for path in self.paths}}

    def present(self) -> list[dict[str, Any]]:
        """The whole tree as a page draws it, with a mark and a key for every label."""
        return _present(self.labels, "", "")


def _walk(labels: Sequence[Label], above: str) -> Iterator[tuple[str, Label]]:
    for label in labels:
        path = above + label.id
        yield path, label
        yield from _walk(label.children, f"{path}.")


def _titled(labels: Sequence[Label], above: str, titles: str) -> Iterator[tuple[str, str, Label]]:
    for label in labels:
        path, named = f"{above}{label.id}", f"{titles}{label.name}"
        yield path, named, label
        yield from _titled(label.children, f"{path}.", f"{named}.")


def _plain(name: str) -> str:
    """A name without case, and with one sign for every space, slash, dot or hyphen between words."""
    return re.sub(r"\W+|_+", " ", name.casefold()).strip()


def _present(labels: Sequence[Label], above: str, mark_above: str) -> list[dict[str, Any]]:
    marks = distinct(
        {label.id: label.mark for label in labels}, {label.id: label.name.upper() for label in labels}, SPARE.upper()
    )
    keys = distinct(
        {label.id: label.key for label in labels},
        {label.id: (marks[label.id] + label.name).lower() for label in labels},
    )
    return [
        {
            "id": label.id,
            "path": above + label.id,
            "title": label.name,
            "mark": marks[label.id],
            "full_mark": mark_above + marks[label.id],
            "key": keys[label.id],
            "help": label.help,
            "children": _present(label.children, f"{above}{label.id}.", mark_above + marks[label.id]),
        }
        for label in labels
    ]
