"""One edit of a protocol: fields that were changed, or something moved, removed or added.

Fields are named by their place: `title`, `needs`, `ask/QUESTION`, `option/QUESTION/OPTION/title`,
`label/TREE/PATH/key`, `item/ADDRESS/text`, `part/ADDRESS/title`, `test/attempts`, `translation/LANGUAGE/PLACE`.
What is not given stays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from goldmark.campaigns.protocol_editor import categories, items, questions, translations
from goldmark.errors import ProblemsFound
from goldmark.protocols import parse

Given = Mapping[str, Sequence[str]]


def with_fields(source: str, given: Given) -> str:
    """The text with these fields, where they differ from what it says."""
    before = translations.readable(parse(source))
    changed = source
    for name, values in given.items():
        changed = _one(changed, name.split("/"), values[-1] if values else "")
    for (question, option), changes in _grouped(given, "option", 3).items():
        changed = questions.with_option(changed, question, option, {key: some[-1] for key, some in changes.items()})
    for (tree, path), changes in _grouped(given, "label", 3).items():
        changed = categories.with_changes(changed, tree, path, {key: some[-1] for key, some in changes.items()})
    for (address,), changes in _grouped(given, "item", 2).items():
        changed = items.with_changes(changed, address, changes)
    try:
        return source if changed == source else translations.followed(changed, before)
    except ProblemsFound:  # told beside it
        return changed


def _one(source: str, name: list[str], value: str) -> str:
    match name:
        case [key] if key in questions.WORDS:
            return questions.with_words(source, key, value)
        case [questions.NEEDS]:
            return questions.with_needs(source, value)
        case [part, question] if part in questions.PARTS:
            return questions.with_part(source, question, part, value)
        case ["part", address, part] if part in ("title", "instructions"):
            return items.with_part(source, address, part, value)
        case ["test", part] if part in ("score", "attempts"):
            return items.with_test(source, part, value)
        case ["translation", code, place]:
            return translations.with_translation(source, code, place, value)
    return source


def _grouped(given: Given, kind: str, depth: int) -> dict[tuple[str, ...], dict[str, Sequence[str]]]:
    """The fields of each thing together: its name, and the parts of it that are given."""
    found: dict[tuple[str, ...], dict[str, Sequence[str]]] = {}
    for name, values in given.items():
        parts = name.split("/")
        if parts[0] == kind and len(parts) == depth + 1 and values:
            found.setdefault(tuple(parts[1:-1]), {})[parts[-1]] = values
    return found


def acted(source: str, deed: str, what: str) -> str:
    """Something moved (`up`, `down`) or removed, by its name."""
    by = {"up": -1, "down": 1}.get(deed, 0)
    kind, *name = what.split("/")
    moves: dict[tuple[str, int], Callable[..., str]] = {
        ("option", 2): questions.move_option,
        ("label", 2): categories.move_label,
        ("item", 1): items.move_item,
        ("priority", 2): categories.prefer,
    }
    if kind == "priority" and len(name) == 1:
        return categories.prefer_none(source, name[0])
    if kind == "translation" and len(name) == 1:
        return translations.without_language(source, name[0])
    move = moves.get((kind, len(name)))
    return source if move is None else move(source, *name, by)
