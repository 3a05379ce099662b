"""Everything wrong with a protocol file at once, each with file, line, key and a suggestion.

Three passes over the same data: the shape (pydantic), the references between parts (below), the conditions. Each part
that has the right shape is checked further even when another part has not, so that one run tells all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from pydantic import TypeAdapter, ValidationError

from goldmark.errors import Problem
from goldmark.protocols.checks.conditions import Scope, condition_mistakes
from goldmark.protocols.checks.training import training_mistakes
from goldmark.protocols.conditions import WORDS
from goldmark.protocols.kinds import ProtocolContext, ProtocolMistake, Question
from goldmark.protocols.language import AnyQuestion, ProtocolFile
from goldmark.protocols.loading.messages import in_words
from goldmark.protocols.loading.yaml_reader import Map, Seq, place
from goldmark.protocols.taxonomy import Label, Taxonomy

ONE_QUESTION: TypeAdapter[Question] = TypeAdapter(AnyQuestion)
ONE_TREE: TypeAdapter[tuple[Label, ...]] = TypeAdapter(tuple[Label, ...])


def check_data(data: Map) -> tuple[ProtocolFile | None, list[Problem]]:
    """The protocol, if it is right, and every problem in the order of the file's lines."""
    file = None
    mistakes: list[ProtocolMistake] = []
    try:
        file = ProtocolFile.model_validate(data)
    except ValidationError as error:
        mistakes += in_words(error, ProtocolFile)
    mistakes += _Draft(data).mistakes()
    problems = {}
    for mistake in mistakes:
        where, path = place(data, mistake.key)
        part = ".".join(str(one) for one in path)
        problems[where, mistake.what] = Problem(where, mistake.what, mistake.remedy, part)
    ordered = sorted(problems.values(), key=lambda one: _line(one.where))
    return (None if ordered else file), ordered


def _line(where: str) -> tuple[str, int]:
    file, _, line = where.rpartition(":")
    return file, int(line)


@dataclass
class _Draft:
    """The parts of a protocol that have the right shape."""

    data: Map
    texts: list[str] = field(default_factory=list)
    taxonomies: dict[str, Taxonomy] = field(default_factory=dict)
    unreadable: set[str] = field(default_factory=set)

    def mistakes(self) -> Iterator[ProtocolMistake]:
        texts = self.data.get("texts", ["text"])
        self.texts = [str(one) for one in texts] if isinstance(texts, list) else ["text"]
        if len(set(self.texts)) < len(self.texts):
            yield ProtocolMistake(("texts",), "two texts have the same role")
        trees = self.data.get("taxonomies", {})
        for name, labels in trees.items() if isinstance(trees, dict) else ():
            tree = _shaped(ONE_TREE, labels)
            if tree is None:
                self.unreadable.add(name)
            else:
                self.taxonomies[name] = Taxonomy(name, tree)
                yield from _label_mistakes(tree, ("taxonomies", name))
        yield from self._steps()

    def _steps(self) -> Iterator[ProtocolMistake]:
        scope = Scope()
        ids: dict[str, str] = {}
        order = [str(question.get("id")) for _, question in self._raw_questions()]
        around = ProtocolContext(self.taxonomies, self.texts, self.unreadable)
        for number, step in enumerate(_list(self.data, "steps")):
            at: tuple[str | int, ...] = ("steps", number)
            if not isinstance(step, Map):
                continue
            yield from condition_mistakes(step.get("when"), scope, order, (*at, "when"))
            for position, raw in enumerate(_list(step, "questions")):
                here = (*at, "questions", position)
                if not isinstance(raw, Map):
                    continue
                name = str(raw.get("id"))
                if name in WORDS:
                    yield ProtocolMistake((*here, "id"), f'"{name}" means something in conditions', "choose another id")
                if "id" in raw and name in ids:
                    yield ProtocolMistake(
                        (*here, "id"), f'two questions have the id "{name}"', f"the other is at {ids[name]}"
                    )
                ids.setdefault(name, raw.where)
                yield from condition_mistakes(raw.get("when"), scope, order, (*here, "when"))
                question: Question | None = _shaped(ONE_QUESTION, raw)
                scope.add(name, question)
                if question is not None:
                    for mistake in question.mistakes(around):
                        yield ProtocolMistake((*here, *mistake.key), mistake.what, mistake.remedy)
        yield from training_mistakes(self.data, scope.questions, around)

    def _raw_questions(self) -> Iterator[tuple[int, Map]]:
        for number, step in enumerate(_list(self.data, "steps")):
            if isinstance(step, Map):
                yield from ((number, one) for one in _list(step, "questions") if isinstance(one, Map))


def _list(data: Map, key: str) -> Seq:
    found = data.get(key)
    return found if isinstance(found, Seq) else Seq()


def _shaped(adapter: TypeAdapter[Any], data: object) -> Any:
    """The part without the keys of the wrong shape, which the first pass has told; None if too little is left."""
    left = data
    while True:
        try:
            return adapter.validate_python(left)
        except ValidationError as error:
            keys = left if isinstance(left, Map) else Map()
            # A question's kind comes first in a path, so the key is the first or the second part.
            wrong = {key for one in error.errors() for key in one["loc"][:2] if key in keys}
            if not wrong:
                return None
            if "attributes" in wrong:
                wrong.add("require")  # it looks at attributes, and some of them are not known now
            left = Map({key: value for key, value in keys.items() if key not in wrong})


def _label_mistakes(labels: tuple[Label, ...], at: tuple[str | int, ...]) -> Iterator[ProtocolMistake]:
    for attribute in ("id", "mark", "key"):
        seen: set[str] = set()
        for position, label in enumerate(labels):
            found = getattr(label, attribute)
            if found and found in seen:
                yield ProtocolMistake(
                    (*at, position, attribute), f'two labels beside each other have the {attribute} "{found}"'
                )
            seen.add(found)
    for position, label in enumerate(labels):
        yield from _label_mistakes(label.children, (*at, position, "children"))
