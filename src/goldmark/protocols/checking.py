"""Everything wrong with a protocol file at once, each with file, line, key and a suggestion.

Three passes over the same data: the shape (pydantic), the references between parts (below), the conditions. Each part
that has the right shape is checked further even when another part has not, so that one run tells all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from goldmark.errors import Problem
from goldmark.protocols.condition_checks import Scope, condition_mistakes
from goldmark.protocols.conditions import WORDS
from goldmark.protocols.kinds import KINDS, Mistake, Question, Surroundings
from goldmark.protocols.kinds.spans import Spans
from goldmark.protocols.language import AnyQuestion, ProtocolFile
from goldmark.protocols.reading import Map, Seq, place
from goldmark.protocols.suggestions import did_you_mean
from goldmark.protocols.taxonomy import Label, Taxonomy

ONE_QUESTION: TypeAdapter[Question] = TypeAdapter(AnyQuestion)
ONE_TREE: TypeAdapter[tuple[Label, ...]] = TypeAdapter(tuple[Label, ...])


def check_data(data: Map) -> tuple[ProtocolFile | None, list[Problem]]:
    """The protocol, if it is right, and every problem in the order of the file's lines."""
    file = None
    mistakes: list[Mistake] = []
    try:
        file = ProtocolFile.model_validate(data)
    except ValidationError as error:
        mistakes += _in_words(error)
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

    def mistakes(self) -> Iterator[Mistake]:
        texts = self.data.get("texts", ["text"])
        self.texts = [str(one) for one in texts] if isinstance(texts, list) else ["text"]
        if len(set(self.texts)) < len(self.texts):
            yield Mistake(("texts",), "two texts have the same role")
        trees = self.data.get("taxonomies", {})
        for name, labels in trees.items() if isinstance(trees, dict) else ():
            tree = _shaped(ONE_TREE, labels)
            if tree is None:
                self.unreadable.add(name)
            else:
                self.taxonomies[name] = Taxonomy(name, tree)
                yield from _label_mistakes(tree, ("taxonomies", name))
        yield from self._steps()

    def _steps(self) -> Iterator[Mistake]:
        scope = Scope()
        ids: dict[str, str] = {}
        order = [str(question.get("id")) for _, question in self._raw_questions()]
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
                    yield Mistake((*here, "id"), f'"{name}" means something in conditions', "choose another id")
                if "id" in raw and name in ids:
                    yield Mistake((*here, "id"), f'two questions have the id "{name}"', f"the other is at {ids[name]}")
                ids.setdefault(name, raw.where)
                yield from condition_mistakes(raw.get("when"), scope, order, (*here, "when"))
                question: Question | None = _shaped(ONE_QUESTION, raw)
                scope.add(name, question)
                if question is not None:
                    yield from self._question(question, raw, here)

    def _question(self, question: Question, raw: Map, here: tuple[str | int, ...]) -> Iterator[Mistake]:
        for mistake in question.mistakes(Surroundings(self.taxonomies, self.texts, self.unreadable)):
            yield Mistake((*here, *mistake.key), mistake.what, mistake.remedy)
        if isinstance(question, Spans) and len(question.attributes) == len(_list(raw, "attributes")):
            yield from self._span_conditions(question, here)

    def _span_conditions(self, spans: Spans, here: tuple[str | int, ...]) -> Iterator[Mistake]:
        scope = Scope(labels=self.taxonomies.get(spans.labels.tree) if spans.labels else None, in_span=True)
        order = [attribute.id for attribute in spans.attributes]
        for position, attribute in enumerate(spans.attributes):
            at = (*here, "attributes", position)
            if attribute.id in WORDS - {"label"}:
                yield Mistake((*at, "id"), f'"{attribute.id}" means something in conditions', "choose another id")
            if attribute.id in order[:position]:
                yield Mistake((*at, "id"), f'two attributes have the id "{attribute.id}"')
            yield from condition_mistakes(attribute.when, scope, order, (*at, "when"))
            scope.add(attribute.id, attribute)
        yield from condition_mistakes(spans.require, scope, order, (*here, "require"))

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
            left = Map({key: value for key, value in keys.items() if key not in wrong})


def _label_mistakes(labels: tuple[Label, ...], at: tuple[str | int, ...]) -> Iterator[Mistake]:
    for attribute in ("id", "mark", "key"):
        seen: set[str] = set()
        for position, label in enumerate(labels):
            found = getattr(label, attribute)
            if found and found in seen:
                yield Mistake(
                    (*at, position, attribute), f'two labels beside each other have the {attribute} "{found}"'
                )
            seen.add(found)
    for position, label in enumerate(labels):
        yield from _label_mistakes(label.children, (*at, position, "children"))


SHAPES: Mapping[str, str] = {
    "bool_parsing": "must be true or false",
    "bool_type": "must be true or false",
    "dict_type": "must be a mapping",
    "float_parsing": "must be a number",
    "float_type": "must be a number",
    "int_from_float": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_type": "must be a whole number",
    "model_type": "must be a mapping",
    "string_type": "must be text; put it in quotation marks",
    "tuple_type": "must be a list",
}


def _in_words(error: ValidationError) -> Iterator[Mistake]:
    """Everything pydantic found, as a person would say it."""
    details = error.errors(include_url=False)
    for one in details:
        # A list counts only its right items: "too short" is no news beside what is wrong with the others.
        beside = one["type"] == "too_short" and any(
            other is not one and other["loc"][: len(one["loc"])] == one["loc"] for other in details
        )
        if not beside:
            yield _one_in_words(one)


def _one_in_words(error: ErrorDetails) -> Mistake:
    path, kind = error["loc"], error["type"]
    key = str(path[-1]) if path else ""
    if kind == "extra_forbidden":
        known = list(_model_at(path[:-1]).model_fields)
        return Mistake(
            path, f'there is no key "{key}" here', did_you_mean(key, known) or f"the keys are {', '.join(known)}"
        )
    if kind == "missing":
        return Mistake(path, f'"{key}" is missing')
    if kind == "union_tag_invalid":
        found = str(error["ctx"]["tag"])
        known = [one for one in KINDS if f"'{one}'" in error["ctx"]["expected_tags"]]
        near = did_you_mean(found, known) or f"the kinds are {', '.join(known)}"
        return Mistake((*path, "kind"), f'"{found}" is not a kind of question here', near)
    if kind == "union_tag_not_found":
        return Mistake(path, '"kind" is missing', f"the kinds are {', '.join(KINDS)}")
    if kind == "string_pattern_mismatch":
        return Mistake(
            path, f'"{key}" is "{str(error["input"])[:80]}", which does not fit', _pattern(error["ctx"]["pattern"])
        )
    if kind == "too_short":
        return Mistake(path, f'"{key}" needs at least {error["ctx"]["min_length"]}')
    if kind == "too_long":
        return Mistake(path, f'"{key}" can have at most {error["ctx"]["max_length"]}')
    if kind in SHAPES:
        return Mistake(path, f'"{key}" {SHAPES[kind]}')
    message = error["msg"].removeprefix("Value error, ")
    return Mistake(path, f'"{key}": {message[:1].lower()}{message[1:]}' if kind != "value_error" else message)


def _pattern(pattern: str) -> str:
    """What a pattern asks for, in words."""
    if "/" in pattern:
        return "write a name in small letters, a slash and a version number, such as accuracy/1"
    if pattern == r"^[a-z0-9]?$":
        return "a key is one small letter or digit"
    small = "a-zA-Z" not in pattern and "A-Z" not in pattern
    return f"use {'small ' if small else ''}letters, digits{'' if small else ', -'} and _, starting with a letter"


def _model_at(path: tuple[str | int, ...]) -> type[BaseModel]:
    """Which part of the language stands at a path, for naming the keys that it has."""
    model: type[BaseModel] = ProtocolFile
    for part in path:
        if part in KINDS:
            model = KINDS[str(part)]
        elif isinstance(part, str) and part in model.model_fields:
            model = next(iter(_models(model.model_fields[part].annotation)), model)
    return model


def _models(annotation: object) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models(inner)
