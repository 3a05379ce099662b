"""A checker's mistakes as suggestions on the units of a campaign: annotators accept, change or dismiss each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path

from goldmark.errors import Problem
from goldmark.protocols import Protocol
from goldmark.protocols.answers import marking
from goldmark.protocols.kinds.spans import SpansQuestion
from goldmark.records.mistakes import Mistake
from goldmark.records.texts import Text
from goldmark.records.units import ShownUnit, Suggested, Unit
from goldmark.texts.readers.gsml import mistake_lines, read_mistakes

MOST_PROBLEMS = 20
Marks = tuple[Suggested, ...]
NO_LABEL = "MARK"  # in a list, where the protocol has no labels


def read_list(path: Path, texts: Mapping[str, Text], protocol: Protocol) -> dict[str, Marks]:
    """A mistake list as suggestions, by their texts; they overlap only where marks may."""
    question = question_about_text(protocol)
    overlap = question is not None and question.overlap
    return marks_of(read_mistakes(path, texts, categories=None, overlap=overlap), protocol)


def marks_of(mistakes: Iterable[Mistake], protocol: Protocol) -> dict[str, Marks]:
    """Mistakes as suggestions, by their texts; of correction and comment, what the protocol asks of a mark.

    Where whoever made the list says how sure each is, the surest come first; how sure stays with the list, since a
    number beside a mark would decide for the annotator.
    """
    question = question_about_text(protocol)
    roles = _roles(question)
    by_text: dict[str, list[Suggested]] = {}
    for mistake in sorted(mistakes, key=lambda one: -one.probability if one.probability is not None else 0.0):
        marks = by_text.setdefault(mistake.text_id, [])
        said = zip(roles, (mistake.correction, mistake.comment), strict=True)
        attributes = {name: value for name, value in said if value and name}
        label = mistake.label if question and question.labels else ""
        marks.append(Suggested(f"s{len(marks) + 1}", mistake.span.start, mistake.span.end, label, attributes))
    return {name: tuple(marks) for name, marks in by_text.items()}


def as_list(units: Iterable[Unit], protocol: Protocol) -> Iterator[str]:
    """The other way round: the lines of a mistake list of their suggestions, the surest of a text first."""
    correction, comment = _roles(question_about_text(protocol))

    def said(mark: Suggested, name: str | None) -> str:
        return str(mark.attributes.get(name, "")) if name else ""

    def mistakes() -> Iterator[tuple[Mistake, Text]]:
        for one in units:
            shown = one.shown.texts.get("text")
            if shown is None:
                continue
            for number, mark in enumerate(shown.suggested, 1):
                words = said(mark, correction), said(mark, comment)
                yield Mistake(one.id, mark.span, mark.label or NO_LABEL, *words, id=str(number)), shown.text

    return mistake_lines(mistakes())


def with_marks(unit: Unit, marks: Marks) -> Unit:
    """The unit with these suggestions on its text."""
    shown = replace(unit.shown.texts["text"], suggested=marks)
    return replace(unit, shown=ShownUnit({**unit.shown.texts, "text": shown}, unit.shown.context))


def suggestion_problems(protocol: Protocol, units: Iterable[Unit], where: str) -> list[Problem]:
    """Suggestions that no annotator could accept as they are: of no question, with a label or words nobody asks for."""
    return list(islice((found for unit in units for found in suggestions_in(unit, protocol, where)), MOST_PROBLEMS))


def suggestions_in(unit: Unit, protocol: Protocol, where: str) -> list[Problem]:
    """The same of one unit."""
    return [
        Problem(where, f"the suggestion {mark.id} on unit {unit.id!r} {what}", remedy)
        for role, text in unit.shown.texts.items()
        for mark in text.suggested
        for what, remedy in _wrong(mark, _question(protocol, role), protocol)
    ]


def question_about_text(protocol: Protocol) -> SpansQuestion | None:
    """The question that decides suggestions on the only text of a unit."""
    return _question(protocol, "text")


def _roles(question: SpansQuestion | None) -> tuple[str | None, str | None]:
    """How the protocol calls a mark's correction and comment."""
    return (question.corrected_by, question.explained_by) if question else (None, None)


def _question(protocol: Protocol, role: str) -> SpansQuestion | None:
    name = protocol.around.suggestions_to.get(role)
    return next((one for one in marking(protocol) if one.id == name), None)


def _wrong(mark: Suggested, question: SpansQuestion | None, protocol: Protocol) -> Iterator[tuple[str, str]]:
    if question is None:
        yield f"has no question of {protocol.id} that marks tokens", "leave suggestions out, or choose another protocol"
        return
    labels = protocol.taxonomies[question.labels.tree].paths if question.labels else {}
    if question.labels and mark.label not in labels:
        yield f'has the label "{mark.label}"', f"{protocol.id} has {', '.join(labels)}"
    unknown = sorted(set(mark.attributes) - {attribute.id for attribute in question.attributes})
    if unknown:
        yield f"says {', '.join(unknown)}, which {protocol.id} does not ask of a mark", "leave it out"
