"""`extends`: a protocol that starts from another and says only what differs.

Top-level keys replace those of the base. `taxonomies.X.add` puts labels beside those of the base's tree X,
`taxonomies.X.refine` puts labels under one of them; `change.QUESTION` changes keys of one question, where `attributes`
are added, or replaced by id.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from goldmark.errors import Problem
from goldmark.protocols.loading.did_you_mean import did_you_mean
from goldmark.protocols.loading.yaml_reader import Map, Seq, place


def extended(data: Map, base: Map) -> tuple[Map, list[Problem]]:
    """The base with the changes of `data` put in, and what is wrong with the changes."""
    problems: list[Problem] = []
    merged: Map = _copy(base)
    merged.where = data.where
    for key, value in data.items():
        if key not in ("extends", "change", "taxonomies"):
            _put(merged, key, value, data)
    for name, tree in _mapping(data, "taxonomies", problems).items():
        if isinstance(tree, Map) and set(tree) <= {"add", "refine"}:
            _grow(data, merged, name, tree, problems)
        else:
            taxonomies = merged.setdefault("taxonomies", Map(where=data["taxonomies"].where))
            _put(taxonomies, name, tree, data["taxonomies"])
    for name, changes in _mapping(data, "change", problems).items():
        _change(data, merged, name, changes, problems)
    return merged, problems


def _mapping(data: Map, key: str, problems: list[Problem]) -> Map:
    found = data.get(key, Map())
    if isinstance(found, Map):
        return found
    problems.append(Problem(place(data, [key])[0], f'"{key}" must be a mapping', part=key))
    return Map()


def _grow(data: Map, merged: Map, name: str, tree: Map, problems: list[Problem]) -> None:
    """More labels for a tree of the base: beside its own, or under one of them."""
    trees = merged.get("taxonomies", Map())
    where, _ = place(data, ["taxonomies", name])
    refined, added = tree.get("refine", Map()), tree.get("add", Seq())
    if name not in trees:
        near = did_you_mean(name, trees)
        problems.append(Problem(where, f'there is no taxonomy "{name}" to add to or refine', near, name))
    elif not isinstance(refined, Map):
        problems.append(Problem(where, '"refine" must be a mapping from a label to the labels under it', part=name))
    elif not isinstance(added, Seq):
        problems.append(Problem(where, '"add" must be a list of labels', part=name))
    else:
        _refine(data, trees[name], name, refined, problems)
        # The lines of the base's labels and of the new ones are kept apart by where each of them came from.
        labels = Seq([*trees[name], *added], trees[name].where)
        labels.places = {**trees[name].places}
        labels.places |= {len(trees[name]) + at: line for at, line in added.places.items() if isinstance(at, int)}
        trees[name] = labels


def _refine(data: Map, labels: Seq, name: str, refined: Map, problems: list[Problem]) -> None:
    for path, children in refined.items():
        found = _label(labels, path.split("."))
        if found is None:
            where, _ = place(data, ["taxonomies", name, "refine", path])
            known = [str(one.get("id")) for one in labels if isinstance(one, dict)]
            problems.append(Problem(where, f'"{path}" is not a label of "{name}"', did_you_mean(path, known), path))
        else:
            _put(found, "children", children, refined, path)


def _label(labels: Seq, path: list[str]) -> Map | None:
    for label in labels:
        if isinstance(label, Map) and label.get("id") == path[0]:
            return label if len(path) == 1 else _label(label.get("children", Seq()), path[1:])
    return None


def _change(data: Map, merged: Map, name: str, changes: object, problems: list[Problem]) -> None:
    where, _ = place(data, ["change", name])
    questions = {str(one.get("id")): one for one in _questions(merged)}
    if name not in questions:
        problems.append(Problem(where, f'there is no question "{name}" to change', did_you_mean(name, questions), name))
        return
    if not isinstance(changes, Map):
        problems.append(Problem(where, "a change is a mapping from the keys of a question to new values", part=name))
        return
    question = questions[name]
    for key, value in changes.items():
        if key == "attributes" and isinstance(value, Seq):
            old = question.get(key, Seq())
            new = {str(one.get("id")): one for one in value if isinstance(one, Map)}
            kept = [new.pop(str(one.get("id")), one) for one in old]
            value = Seq([*kept, *new.values()], value.where)
            value.places = {position: one.where for position, one in enumerate(value)}
        _put(question, key, value, changes)


def _questions(data: Map) -> Iterator[Map]:
    for step in data.get("steps", Seq()):
        if isinstance(step, Map):
            yield from (one for one in step.get("questions", Seq()) if isinstance(one, Map))


def _put(target: Map, key: str, value: object, source: Map, source_key: str | None = None) -> None:
    """Set a key, remembering the line of the file that it came from, which need not be the target's."""
    target[key] = value
    target.places[key] = source.places.get(source_key or key, source.where)


def _copy(value: Any) -> Any:
    """A copy that can be changed without touching the original."""
    if isinstance(value, Map):
        copied = Map({key: _copy(one) for key, one in value.items()}, value.where)
        copied.places = dict(value.places)
        return copied
    if isinstance(value, Seq):
        items = Seq([_copy(one) for one in value], value.where)
        items.places = value.places
        return items
    return value
