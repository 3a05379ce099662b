"""The categories of a protocol in fields: change, add, move and remove them, and say which is preferred.

What names a category by its path (which one is preferred, answer keys of exercises) follows when it moves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from goldmark.campaigns.protocol_editor.source import (
    data_of,
    moved,
    plain,
    raw_questions,
    with_key,
    with_question,
)
from goldmark.errors import GoldmarkError
from goldmark.protocols import Protocol, load, parse

Labels = list[dict[str, Any]]
PARTS = ("title", "mark", "key", "help")


class NotUnder(GoldmarkError):
    code = "PROTOCOL-16"
    message = "{label} cannot stand under {parent}: {why}"


@dataclass(frozen=True)
class LabelFields:
    """A category with what stands in its fields."""

    path: str
    id: str
    name: str  # as people read it
    title: str
    mark: str
    key: str
    help: str
    under: str  # the path of the one above it
    depth: int


def fields_of(protocol: Protocol, tree: str) -> list[LabelFields]:
    """All categories of a tree, each before those under it."""
    paths = protocol.taxonomies[tree].paths
    return [
        LabelFields(
            path, one.id, one.name, one.title, one.mark, one.key, one.help, path.rpartition(".")[0], path.count(".")
        )
        for path, one in paths.items()
    ]


def with_label(source: str, tree: str, title: str, key: str = "", under: str = "") -> str:
    """One more category, beside the others or under one of them."""
    protocol = parse(source)
    labels = _tree(protocol, tree)
    beside = labels if not under else _children(labels, under)
    taken = {str(one["id"]) for one in beside}
    name = re.sub(r"[^A-Za-z0-9]+", "_", title).strip("_").upper()[:40] or "LABEL"
    name = name if name[0].isalpha() else f"L_{name}"
    free = next(one for one in (name, *(f"{name}_{n}" for n in range(2, 1000))) if one not in taken)
    beside.append({"id": free, "title": title or free, **({"key": key} if key else {})})
    return _with_tree(source, tree, labels)


def with_changes(source: str, tree: str, path: str, changes: Mapping[str, str]) -> str:
    """Some fields of one category; `under` puts it below another one, or outermost."""
    protocol = parse(source)
    if tree not in protocol.taxonomies or path not in protocol.taxonomies[tree].paths:
        return source
    labels = _tree(protocol, tree)
    beside, at = _place(labels, path)
    for part in PARTS:
        if part in changes:
            beside[at].pop(part, None)
            said = changes[part].strip()
            if said:
                beside[at][part] = said.lower() if part == "key" else said
    under = changes.get("under", path.rpartition(".")[0])
    if under == path.rpartition(".")[0]:
        return source if labels == _tree(protocol, tree) else _with_tree(source, tree, labels)
    return _moved_under(source, protocol, tree, labels, path, under)


def _moved_under(source: str, protocol: Protocol, tree: str, labels: Labels, path: str, under: str) -> str:
    if under == path or under.startswith(f"{path}."):
        raise NotUnder(label=path, parent=under, why="that is itself or stands below it")
    beside, at = _place(labels, path)
    target = _children(labels, under) if under else labels
    if any(one["id"] == beside[at]["id"] for one in target):
        raise NotUnder(label=path, parent=under or "the top", why="one of that name stands there already")
    label = beside.pop(at)
    target.append(label)
    _without_empty(labels)
    to = f"{under}.{label['id']}" if under else str(label["id"])
    renamed = {
        old: to + old[len(path) :] for old in protocol.taxonomies[tree].paths if (old + ".").startswith(f"{path}.")
    }
    return _renamed(_with_tree(source, tree, labels), protocol, tree, renamed)


def move_label(source: str, tree: str, path: str, by: int) -> str:
    """A category further up or down among those beside it; without `by` it goes, with those below it."""
    protocol = parse(source)
    if tree not in protocol.taxonomies or path not in protocol.taxonomies[tree].paths:
        return source
    labels = _tree(protocol, tree)
    beside, at = _place(labels, path)
    if by:
        beside[:] = moved(beside, at, by)
        return _with_tree(source, tree, labels)
    del beside[at]
    _without_empty(labels)
    gone = {old: "" for old in protocol.taxonomies[tree].paths if (old + ".").startswith(f"{path}.")}
    return _renamed(_with_tree(source, tree, labels), protocol, tree, gone)


def prefer(source: str, name: str, path: str, by: int) -> str:
    """A label further up or down among those that are preferred when several fit."""
    protocol = parse(source)
    raw = next(one for one in raw_questions(protocol) if one["id"] == name)
    tree = protocol.taxonomies[raw["labels"]["tree"]]
    order = tree.preferred(raw["labels"].get("priority", ())) or sorted(tree.leaves, key=list(tree.paths).index)
    if path in order:
        order = moved(order, order.index(path), by)
    return with_question(source, name, {"labels": {**raw["labels"], "priority": order}})


def prefer_none(source: str, name: str) -> str:
    """No label is preferred to another."""
    raw = next(one for one in raw_questions(parse(source)) if one["id"] == name)
    return with_question(source, name, {"labels": {**raw["labels"], "priority": []}})


def _tree(protocol: Protocol, tree: str) -> Labels:
    return list(plain(protocol.resolved["taxonomies"][tree]))


def _place(labels: Labels, path: str) -> tuple[Labels, int]:
    """The list that a label stands in, and where."""
    above, _, name = path.rpartition(".")
    beside = _children(labels, above) if above else labels
    return beside, next(at for at, one in enumerate(beside) if one["id"] == name)


def _children(labels: Labels, path: str) -> Labels:
    beside, at = _place(labels, path)
    found: Labels = beside[at].setdefault("children", [])
    return found


def _without_empty(labels: Labels) -> None:
    for one in labels:
        _without_empty(one.get("children", []))
        if not one.get("children", True):
            del one["children"]


def _with_tree(source: str, tree: str, labels: Labels) -> str:
    """The text with this tree; of one that was extended only what was added, as long as nothing else differs."""
    data = data_of(source)
    trees = {name: one for name, one in (data.get("taxonomies") or {}).items() if name != tree}
    base: Sequence[Any] = ()
    if "extends" in data:
        base = load(str(data["extends"])).resolved.get("taxonomies", {}).get(tree) or ()
    if base and labels[: len(base)] == list(base):
        added = labels[len(base) :]
        value: Any = {"add": added} if added else None
    else:
        value = labels
    if value is not None:
        trees = {**trees, tree: value}
    return with_key(source, "taxonomies", trees) if trees or "taxonomies" in data else source


def _renamed(source: str, protocol: Protocol, tree: str, renamed: Mapping[str, str]) -> str:
    """Whatever names these labels, with their new paths; what needs one that is gone is told by the check."""
    for raw in raw_questions(protocol):
        labels = raw.get("labels") or {}
        before = list(labels.get("priority", ())) if labels.get("tree") == tree else []
        after = [path for path in (renamed.get(one, one) for one in before) if path]
        if after != before:
            source = with_question(source, str(raw["id"]), {"labels": {**labels, "priority": after}})
    for key in ("training", "qualification"):
        said = protocol.resolved.get(key)
        moves = {old: new for old, new in renamed.items() if new}
        if said and any(one in moves for one in _named_labels(said)):
            source = with_key(source, key, _relabelled(plain(said), moves))
    return source


def _named_labels(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield from _each(one) if key == "label" else _named_labels(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _named_labels(one)


def _each(label: Any) -> list[Any]:
    return list(label) if isinstance(label, list | tuple) else [label]


def _relabelled(value: Any, moves: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _at(key, one, moves) for key, one in value.items()}
    return [_relabelled(one, moves) for one in value] if isinstance(value, list) else value


def _at(key: str, one: Any, moves: Mapping[str, str]) -> Any:
    if key != "label":
        return _relabelled(one, moves)
    return [moves.get(each, each) for each in one] if isinstance(one, list) else moves.get(one, one)
