"""Answers as people and other tools write them, read into what a protocol stores.

An option may be given by its id, its title or its number, a label by its path or its name: every kind of question
understands its own (`Question.understood`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from goldmark.protocols import Protocol
from goldmark.protocols.answers import marking
from goldmark.protocols.kinds.base import in_json
from goldmark.protocols.validation import asked_in
from goldmark.records.answers import Marks


class Values:
    """Reads answers to the questions of one protocol."""

    def __init__(self, protocol: Protocol, leave_out: Collection[str] = ()) -> None:
        self._around = protocol.around
        self._questions = {question.id: question for question in protocol.questions()}
        self._keys = protocol.answer_keys
        self._leave_out = frozenset(leave_out)

    def knows(self, key: str) -> bool:
        """Whether this is a question, or something said beside one."""
        return key in self._keys

    def read(self, answers: Mapping[str, object]) -> dict[str, Any]:
        """Every answer that was given; nothing in a cell is no answer, but for marks: there it is no mark."""
        found: dict[str, Any] = {}
        for key, value in answers.items():
            question = self._questions.get(key)
            blank = isinstance(value, str) and not value.strip()
            if key in self._leave_out or value is None or (blank and (question is None or question.gives is not Marks)):
                continue
            given = self._left_out(in_json(value)) if question is None or question.gives is Marks else value
            found[key] = given if question is None else question.understood(given, self._around)
        return found

    def _left_out(self, given: Any) -> Any:
        """Marks without the attributes that are to be left out."""
        if not self._leave_out or not isinstance(given, list):
            return given
        return [
            {key: value for key, value in one.items() if key not in self._leave_out}
            if isinstance(one, Mapping)
            else one
            for one in given
        ]


def with_silence(protocol: Protocol, answers: Mapping[str, Any]) -> dict[str, Any]:
    """The answers with an empty list for every question about spans that they lead to and say nothing of."""
    known = {question.id for question in protocol.questions()}
    said = {key: value for key, value in answers.items() if key in known or value != []}
    optional = {question.id for question in marking(protocol) if question.at_least == 0}
    silent = [
        question.id
        for question, asked in asked_in(protocol, said)
        if asked and question.id in optional and question.id not in said
    ]
    return {**said, **{name: [] for name in silent}}
