"""Which field of the editor a problem of a protocol belongs to, by the path of what is wrong.

A path counts places in lists; fields are named by ids (see `edits`), so the data of the protocol is walked beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from goldmark.campaigns.protocol_editor import categories, questions
from goldmark.errors import Problem
from goldmark.protocols.loader import resolved_data


class FieldProblem(NamedTuple):
    """A problem with the name of its field; without one it belongs to the text alone."""

    field: str
    problem: Problem

    @property
    def line(self) -> str:
        return self.problem.where.rpartition(":")[2]


def beside_fields(problems: Iterable[Problem], source: str) -> list[FieldProblem]:
    """The problems of this text, each with its field."""
    data = resolved_data(source)
    return [FieldProblem(field_of(one.part.split("."), data), one) for one in problems]


def field_of(path: Sequence[str], data: Mapping[str, Any]) -> str:
    """The field of what stands at a path of the protocol with all that it extends put in."""
    match path:
        case [key, *_] if key in (*questions.WORDS, questions.NEEDS):
            return key
        case ["steps", step, "questions", at, *rest]:
            return _of_question(_at(data, "steps", step, "questions", at), rest)
        case ["taxonomies", tree, *rest]:
            return _of_label(tree, _at(data, "taxonomies", tree), rest)
        case ["training", kit, part, ("title" | "instructions") as key]:
            return f"part/training.{kit}.{part}/{key}"
        case ["training", kit, part, "comparison", "pairs", at, *rest]:
            return _of_item(f"training.{kit}.{part}.pairs.{at}", rest)
        case ["training", kit, part, key, at, *rest]:
            return _of_item(f"training.{kit}.{part}.{key}.{at}", rest)
        case ["qualification", "units", at, *rest]:
            return _of_item(f"qualification.{at}", rest)
        case ["qualification", "attempts"]:
            return "test/attempts"
        case ["qualification", "pass", *_]:
            return "test/score"
        case ["translations", language, *_]:
            return f"translation/{language}/instructions"
    return ""


def _at(data: Any, *path: str) -> Any:
    """What stands at a path; nothing where there is nothing."""
    for part in path:
        if isinstance(data, Mapping):
            data = data.get(part)
        elif isinstance(data, list) and part.isdigit() and int(part) < len(data):
            data = data[int(part)]
        else:
            return None
    return data


def _name(one: Any) -> str:
    """The id of a part, or the part itself where it is a word."""
    found = one.get("id") if isinstance(one, Mapping) else one
    return found if isinstance(found, str) else ""


def _of_question(one: Any, rest: Sequence[str]) -> str:
    if not _name(one):
        return ""
    match rest:
        case [part, *_] if part in questions.PARTS:
            return f"{part}/{_name(one)}"
        case ["options", at, *below] if _name(_at(one, "options", at)):
            part = "value" if "value" in below else "title"
            return f"option/{_name(one)}/{_name(_at(one, 'options', at))}/{part}"
    return f"ask/{_name(one)}"


def _of_label(tree: str, labels: Any, rest: Sequence[str]) -> str:
    path: list[str] = []
    while rest and rest[0].isdigit() and (label := _at(labels, rest[0])) is not None:
        path.append(_name(label))
        labels, rest = _at(label, "children"), rest[1:]
        if rest[:1] == ["children"]:
            rest = rest[1:]
    if not path or not all(path):
        return ""
    part = rest[0] if rest and rest[0] in categories.PARTS else "title"
    return f"label/{tree}/{'.'.join(path)}/{part}"


def _of_item(address: str, rest: Sequence[str]) -> str:
    match rest:
        case ["expected", question, *below]:
            kind = "marks" if any(one.isdigit() for one in below) else "chosen"
            return f"item/{address}/{kind}.{question}"
        case [("text" | "a" | "b" | "explanation" | "answer") as part, *_]:
            return f"item/{address}/{part}"
    return f"item/{address}/text"
