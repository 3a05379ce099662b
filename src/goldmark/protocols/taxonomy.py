"""A taxonomy: a tree of labels of any depth, prepared once for showing and for checking."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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

    def present(self) -> list[dict[str, Any]]:
        """The whole tree as a page draws it, with a mark and a key for every label."""
        return _present(self.labels, "", "")


def _walk(labels: Sequence[Label], above: str) -> Iterator[tuple[str, Label]]:
    for label in labels:
        path = above + label.id
        yield path, label
        yield from _walk(label.children, f"{path}.")


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
