"""What annotators were asked in thresh: its template, and what the answers show, as a protocol.

A question about an edit is a tree: each option may lead to further ones, and at the end there may be a scale, yes or
no, or words. Only one way through it is an answer. So it becomes a choice among the ways, and, where something stands
at their end, a second attribute for that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from goldmark.exchange.campaign.rows import write_json
from goldmark.exchange.foreign_projects.project import slug
from goldmark.protocols import Protocol, parse
from goldmark.protocols.conditions import WORDS
from goldmark.protocols.kinds.spans import OWN_KEYS

EDITS, SOURCE_EDITS, SOURCE = "edits", "source_edits", "source"
PARTS, COMMENT, EXPLANATION = "parts", "comment", "explanation"
SCALE = {"minor": 1, "somewhat": 2, "a lot": 3}  # what the page of thresh offers for likert-3
BINARY = {"yes": 1, "no": 0}
MOST_OPTIONS = 80  # more are no longer told apart by a condition or a page


class ThreshMark(NamedTuple):
    """An edit on one side: where, further passages, and the answers about it where this side has them."""

    question: str
    id: str
    category: str
    place: tuple[int, int]
    parts: tuple[tuple[int, int], ...]
    said: Mapping[str, Any]


class _Answer(NamedTuple):
    way: tuple[str, ...]
    value: Any  # what stands at the end of the way


def _answer(given: Any) -> _Answer:
    """The way that was chosen. Answers on other ways were given before and taken back: the page keeps them, too.

    thresh's library writes an option at which nothing more is asked as if it had itself as an option.
    """
    way: list[str] = []
    while isinstance(given, Mapping):
        chosen = given.get("val")
        if not isinstance(chosen, str | int) or chosen == "":
            return _Answer(tuple(way), None)
        if way and way[-1] == str(chosen) and given.get(chosen) is None:
            break
        way.append(str(chosen))
        given = given.get(chosen)
    if isinstance(given, Mapping):
        given = None
    if isinstance(given, bool):
        given = "yes" if given else "no"
    elif given is not None and not isinstance(given, str | int | float):
        given = write_json(given)
    return _Answer(tuple(way), None if given == "" else given)


@dataclass
class _Tree:
    """All that is known of a question about edits: its ways, and what stands at their ends."""

    id: str
    ask: str = ""
    labels: dict[str, None] = field(default_factory=dict)
    ways: dict[str, str] = field(default_factory=dict)  # by id what people read
    ended: dict[str, None] = field(default_factory=dict)  # ways with something at their end
    values: list[Any] = field(default_factory=list)
    kinds: set[str] = field(default_factory=set)  # what the template says stands there

    def declare(self, question: Mapping[str, Any], above: tuple[str, ...] = (), titles: tuple[str, ...] = ()) -> None:
        options = question.get("options")
        if isinstance(options, str):
            self.kinds.add(options)
            self.ended.setdefault(_way(above))
        for one in options if isinstance(options, list) else ():
            way, named = (*above, str(one["name"])), (*titles, str(one.get("label") or one["name"]))
            if not isinstance(one.get("options"), list):
                self.ways[_way(way)] = ": ".join(named)
            self.declare(one, way, named)

    def add(self, answer: _Answer) -> None:
        if answer.way:
            self.ways.setdefault(_way(answer.way), ": ".join(answer.way))
        if answer.value is not None:
            self.ended.setdefault(_way(answer.way))
            self.values.append(answer.value)

    def attributes(self, labels: int) -> Iterator[dict[str, Any]]:
        """The attributes that this question becomes; `labels` is how many labels its side has."""
        common = {"ask": self.ask, "required": False}
        asked_of = _among("label", self.labels) if len(self.labels) < labels else {}
        choice = 1 < len(self.ways) <= MOST_OPTIONS
        if self.ways:
            kind = {"kind": "choice", "options": _titled(self.ways)} if choice else {"kind": "text"}
            yield {"id": self.id, **common, **kind, **asked_of}
        if self.values or self.kinds:
            after = _among(self.id, self.ended) if choice and "" not in self.ended else asked_of
            yield {"id": self.end, **common, **self._kind(), **after}

    @property
    def end(self) -> str:
        return f"{self.id}_rating" if self.ways else self.id

    def said(self, value: Any) -> Any:
        """What was answered at the end of a way: thresh's library writes a yes as `minor`, as both are 1 to it."""
        given = set(map(str, self.values))
        binary = self.kinds == {"binary"} or (not self.kinds and "no" in given <= {"no", "minor"})
        return "yes" if binary and value == "minor" else value

    def _kind(self) -> dict[str, Any]:
        words = self.kinds & {"textbox", "textarea"}
        values = [self.said(one) for one in self.values]
        for scale, name in ((SCALE, "likert-3"), (BINARY, "binary")):
            if not words and all(one in scale for one in values) and (values or name in self.kinds):
                options = [{"id": slug(one), "title": one.capitalize(), "value": value} for one, value in scale.items()]
                return {"kind": "choice", "options": options}
        numbers = self.values and all(isinstance(one, int | float) for one in self.values)
        return {"kind": "number" if numbers else "text"}


def _titled(names: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"id": one, **({"title": title} if title != one else {})} for one, title in names.items()]


def _way(names: Iterable[str]) -> str:
    return ".".join(map(slug, names))


def _among(subject: str, listed: Iterable[str]) -> dict[str, str]:
    names = [f'"{one}"' for one in listed]
    return {"when": f"{subject} in [{', '.join(names)}]"} if len(names) <= MOST_OPTIONS else {}


@dataclass
class _Side:
    """What is asked of the edits of one text."""

    labels: dict[str, str] = field(default_factory=dict)  # by id what people read
    trees: dict[str, _Tree] = field(default_factory=dict)
    has_parts: bool = False

    def tree(self, question: str, label: str) -> _Tree:
        name = slug(question)[:56]
        name = f"{name}_answer" if name in OWN_KEYS | WORDS | {PARTS} else name
        found = self.trees.setdefault(name, _Tree(name))
        found.labels.setdefault(label)
        return found

    def add(self, mark: ThreshMark) -> None:
        label = slug(mark.category)
        self.labels.setdefault(label, mark.category)
        self.has_parts |= bool(mark.parts)
        for question, given in mark.said.items():
            answer = _answer(given)
            if answer.way or answer.value is not None:
                self.tree(question, label).add(answer)

    def question(self, name: str) -> dict[str, Any]:
        attributes = [one for tree in self.trees.values() for one in tree.attributes(len(self.labels))]
        named = "source" if name == SOURCE_EDITS else "text"
        asked: dict[str, Any] = {"id": name, "kind": "spans", "ask": f"Mark the edits in the {named}."}
        asked |= {"by": "character", "overlap": True, "attributes": attributes}
        if name == SOURCE_EDITS:
            asked["of"] = SOURCE
        if self.labels:
            asked["labels"] = {"tree": f"{named}_categories"}
        if self.has_parts:
            asked["links"] = {PARTS: {"ask": "Further passages of the same edit."}}
        if any(one["id"] == EXPLANATION and one["kind"] == "text" for one in attributes):
            asked["explains"] = EXPLANATION
        return asked

    def taxonomy(self) -> list[dict[str, str]]:
        return _titled(self.labels)


class ThreshQuestion(NamedTuple):
    """The protocol, and how answers are kept under it."""

    protocol: Protocol
    sides: Mapping[str, _Side]
    kinds: Mapping[str, Mapping[str, str]]  # by side, of every attribute

    def answers(self, marks: Sequence[ThreshMark]) -> dict[str, list[dict[str, Any]]]:
        return {
            name: [self._span(mark, side) for mark in marks if mark.question == name]
            for name, side in self.sides.items()
        }

    def _span(self, mark: ThreshMark, side: _Side) -> dict[str, Any]:
        span: dict[str, Any] = {**_place(mark.place), "id": mark.id, "label": slug(mark.category)}
        if mark.parts:
            span["links"] = {PARTS: [_place(one) for one in mark.parts]}
        for question, given in mark.said.items():
            answer = _answer(given)
            tree, kinds = side.tree(question, span["label"]), self.kinds[mark.question]
            if answer.way:
                span[tree.id] = _way(answer.way) if kinds[tree.id] == "choice" else ": ".join(answer.way)
            if answer.value is not None:
                value = answer.value if kinds[tree.end] == "number" else str(tree.said(answer.value))
                span[tree.end] = slug(value) if kinds[tree.end] == "choice" else value
        return span


def _place(place: tuple[int, int]) -> dict[str, int]:
    return {"start": place[0], "end": place[1]}


@dataclass
class Typology:
    """The categories of edits, on which side they lie, and what is asked about each: of a template, if there is one."""

    name: str = "thresh"
    title: str = "Mark the edits"
    instructions: str = ""
    sides: dict[str, _Side] = field(default_factory=lambda: {EDITS: _Side(), SOURCE_EDITS: _Side()})

    @classmethod
    def of(cls, template: Mapping[str, Any]) -> Typology:
        found = cls(
            slug(str(template.get("template_name") or cls.name)).replace("_", "-"),
            str(template.get("template_label") or cls.title),
            str(template.get("instructions") or ""),
        )
        for edit in template["edits"]:
            found._declare(edit)
        return found

    def asked(self, marks: Iterable[ThreshMark], comments: bool) -> ThreshQuestion:
        """The protocol for these marks: what the template says, and what occurs besides."""
        for mark in marks:
            self.sides[mark.question].add(mark)
        sides = {name: side for name, side in self.sides.items() if side.labels or name == EDITS}
        questions = [side.question(name) for name, side in sides.items()]
        kinds = {one["id"]: {each["id"]: each["kind"] for each in one["attributes"]} for one in questions}
        if comments:
            questions.append({"id": COMMENT, "kind": "text", "required": False})
        trees = {one["labels"]["tree"]: sides[one["id"]].taxonomy() for one in questions if "labels" in one}
        source = {
            "protocol": f"{self.name}/1",
            "title": self.title,
            "about": "Made from files of thresh: what annotators were asked there, as far as the files tell. "
            "Marks with the same id in text and source are one edit.",
            "instructions": self.instructions,
            "texts": ["text", *([SOURCE] if SOURCE_EDITS in sides else [])],
            "taxonomies": trees,
            "steps": [{"questions": questions}],
        }
        return ThreshQuestion(parse(write_json({key: value for key, value in source.items() if value})), sides, kinds)

    def _declare(self, edit: Mapping[str, Any]) -> None:
        label, title = slug(str(edit["name"])), str(edit.get("label") or edit["name"])
        both = {EDITS: edit.get("enable_output"), SOURCE_EDITS: edit.get("enable_input")}
        on = [self.sides[name] for name, enabled in both.items() if enabled] or [self.sides[EDITS]]
        for side in on:
            side.labels[label] = title
        for question in edit.get("annotation") or ():
            tree = on[0].tree(str(question["name"]), label)
            tree.ask = tree.ask or str(question.get("question") or "")
            tree.declare(question)
