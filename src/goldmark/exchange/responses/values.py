"""Answers as people and other tools write them, read into what a protocol stores.

An option may be given by its id, its title or its number, a label by its path or its name, several options with ";" or
"|" between them. What cannot be read stays as it is: the check of the answer then says what is wrong with it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

from goldmark.protocols import Protocol
from goldmark.protocols.kinds.base import Question
from goldmark.protocols.kinds.choice import ChoiceQuestion, ChoicesQuestion, Option
from goldmark.protocols.kinds.compare import CompareQuestion
from goldmark.protocols.kinds.spans import OWN_KEYS, SpansQuestion
from goldmark.protocols.taxonomy import Label, Taxonomy
from goldmark.records.answers import Rating, Said, Words

_BETWEEN = re.compile(r"[;|]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)


class Values:
    """Reads answers to the questions of one protocol."""

    def __init__(self, protocol: Protocol, leave_out: Collection[str] = ()) -> None:
        self._questions = {question.id: question for question in protocol.questions()}
        self._companions = {question.companion for question in self._questions.values() if question.companion}
        self._labels = {name: _names(tree) for name, tree in protocol.taxonomies.items()}
        self._leave_out = frozenset(leave_out)

    def knows(self, key: str) -> bool:
        """Whether this is a question, or something said beside one."""
        return key in self._questions or key in self._companions

    def read(self, answers: Mapping[str, object]) -> dict[str, Any]:
        """Every answer that was given; nothing in a cell is no answer, but for marks: there it is no mark."""
        found: dict[str, Any] = {}
        for key, value in answers.items():
            question = self._questions.get(key)
            if key in self._leave_out or value is None:
                continue
            if isinstance(value, str) and not value.strip():
                if isinstance(question, SpansQuestion):
                    found[key] = []
                continue
            found[key] = in_json(value) if question is None else self._value(question, value)
        return found

    def _value(self, question: Question, value: object) -> Any:
        if isinstance(question, SpansQuestion):
            return self._spans(question, in_json(value))
        read = next((read for kind, read in _READERS.items() if isinstance(question, kind)), None)
        read = read or _BY_MEANING.get(question.gives)
        return value if read is None else read(question, value)

    def _spans(self, question: SpansQuestion, given: Any) -> Any:
        if not isinstance(given, list):
            return given
        taken = {span["id"] for span in given if isinstance(span, Mapping) and isinstance(span.get("id"), str)}
        free = (name for number in range(1, len(given) + len(taken) + 1) if (name := f"e{number}") not in taken)
        return [self._span(question, span, free) if isinstance(span, Mapping) else span for span in given]

    def _span(self, question: SpansQuestion, span: Mapping[str, Any], free: Iterator[str]) -> dict[str, Any]:
        read: dict[str, Any] = {"id": span.get("id") or next(free)}
        attributes = {attribute.id: attribute for attribute in question.attributes}
        for key, value in span.items():
            if key in self._leave_out or value is None or key == "id":
                continue
            attribute = attributes.get(key)
            if key == "label" and question.labels is not None and isinstance(value, str):
                read[key] = self._labels[question.labels.tree].get(_slug(value), value)
            elif key in OWN_KEYS or attribute is None:
                read[key] = value
            elif not attribute.empty(value):
                read[key] = self._value(attribute, value)
        return read


def _option(options: Iterable[Option], value: object) -> Any:
    """The id of the option that is meant, or the value itself."""
    given = f"{value:g}" if isinstance(value, int | float) and not isinstance(value, bool) else value
    if not isinstance(given, str):
        return value
    words = given.strip()
    number = _number(None, words)
    tests: tuple[Callable[[Option], bool], ...] = (
        lambda one: one.id == words,
        lambda one: one.id.casefold() == words.casefold(),
        lambda one: one.name.casefold() == words.casefold(),
        lambda one: one.value is not None and one.value == number,
    )
    for test in tests:
        found = [one.id for one in options if test(one)]
        if len(found) == 1:
            return found[0]
    return words


def _choice(question: ChoiceQuestion, value: object) -> Any:
    return _option(question.options, value)


def _choices(question: ChoicesQuestion, value: object) -> Any:
    given = in_json(value)
    if isinstance(given, str):
        whole = _option(question.options, given)
        known = any(one.id == whole for one in question.options)
        given = [given] if known else [part for part in _BETWEEN.split(given) if part.strip()]
    if not isinstance(given, list):
        given = [given]
    return [_option(question.options, one) for one in given]


def _compare(question: CompareQuestion, value: object) -> Any:
    words = str(value).strip()
    return next((one for one in question.options_with_numbers() if one.casefold() == words.casefold()), words)


def _number(_: Question | None, value: object) -> Any:
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        read = float(value)
        return int(read) if read.is_integer() and abs(read) < 2**53 else read
    return value


def _text(_: Question, value: object) -> Any:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


_READERS: dict[type[Question], Callable[[Any, object], Any]] = {
    ChoiceQuestion: _choice,
    ChoicesQuestion: _choices,
    CompareQuestion: _compare,
}
# Whatever the kind is called, also those of plug-ins: an answer that is a number, or words.
_BY_MEANING: dict[type[Said], Callable[[Any, object], Any]] = {Rating: _number, Words: _text}


def in_json(value: object) -> Any:
    """The list or object that a cell holds as JSON; anything else as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def _names(tree: Taxonomy) -> dict[str, str]:
    """Every way to name a label that means one label only: its path by ids or by titles, its id, its title."""
    found: dict[str, set[str]] = {}
    for path, titles, label in _walk(tree.labels, "", ""):
        for name in (path, titles, label.id, label.name):
            found.setdefault(_slug(name), set()).add(path)
    names = {name: next(iter(paths)) for name, paths in found.items() if len(paths) == 1}
    return {**names, **{_slug(path): path for path in tree.paths}}


def _walk(labels: Iterable[Label], above: str, titles: str) -> Iterator[tuple[str, str, Label]]:
    for label in labels:
        path, named = f"{above}{label.id}", f"{titles}{label.name}"
        yield path, named, label
        yield from _walk(label.children, f"{path}.", f"{named}.")


def _slug(name: str) -> str:
    """A name without case, and with one sign for every space, slash, dot or hyphen between words."""
    return re.sub(r"\W+|_+", " ", name.casefold()).strip()
