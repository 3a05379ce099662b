"""A mistake list of several people, in the shared task's columns with ANNOTATOR, as answers to a campaign's units.

Token ids count the campaign's own tokens, as in a list that Goldmark wrote, or what stands between white space, as in
the shared task's lists. The words in the column TOKENS tell which; if neither fits, the first one's problems are told.
A folder that has its texts beside the list is read with them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from goldmark.errors import GoldmarkError, Problem, ProblemsFound
from goldmark.exchange.campaign import gsml
from goldmark.exchange.campaign.archive import Files
from goldmark.exchange.format import Format
from goldmark.exchange.left_out import ONE_QUESTION
from goldmark.exchange.responses.from_campaign import through
from goldmark.exchange.responses.given import GivenAnswers, Target
from goldmark.exchange.responses.placement import Placing
from goldmark.protocols.kinds.spans import SPAN_ID, SpansQuestion
from goldmark.records.mistakes import Mistake
from goldmark.records.texts import Text
from goldmark.texts.readers.formats import decode
from goldmark.texts.readers.gsml import parse_mistakes, sentences_at_full_stops, spaced_text
from goldmark.texts.readers.spreadsheet import csv_lines


def read(files: Files, target: Target, problems: list[Problem]) -> list[GivenAnswers]:
    if any(name.startswith(gsml.FOLDER) for name in files):
        return through(gsml.read)(files, target, problems)
    question = target.spans_question()
    texts = {unit: text for unit in target.units if (text := target.text_of(unit, question)) is not None}
    found: list[GivenAnswers] = []
    for name, content in files.items():
        listed = decode(content.removeprefix(b"\xef\xbb\xbf"), name, problems)
        if listed is None:
            continue
        try:
            mistakes, counted = _parsed(listed, texts, name)
        except ProblemsFound as error:
            problems += error.problems
            continue
        except GoldmarkError as error:
            problems.append(Problem(name, str(error)))
            continue
        lines = [f"{name}:{line}" for line, _ in csv_lines(listed)][1:]
        found += _answers(mistakes, lines, counted, texts, question)
    return found


def _parsed(listed: str, texts: Mapping[str, Text], name: str) -> tuple[tuple[Mistake, ...], Mapping[str, Text]]:
    """The mistakes, and the texts in whose tokens they are counted."""
    own = {
        unit: replace(text, id=unit, sentences=sentences_at_full_stops(text.words())) for unit, text in texts.items()
    }
    try:
        return _mistakes(listed, own, name), own
    except ProblemsFound as first:
        spaced = {unit: spaced_text(unit, text.characters) for unit, text in texts.items()}
        if all(spaced[unit].tokens == text.tokens for unit, text in own.items()):
            raise
        try:
            return _mistakes(listed, spaced, name), spaced
        except ProblemsFound:
            raise first from None


def _mistakes(listed: str, texts: Mapping[str, Text], name: str) -> tuple[Mistake, ...]:
    """Lists call a text with or without the ending of its file, so units of such names are known without it, too."""
    stems = {unit.removesuffix(".txt"): text for unit, text in texts.items()}
    return parse_mistakes(listed, {**stems, **texts}, name=name, categories=None, overlap=True, annotators=True)


def _answers(
    mistakes: tuple[Mistake, ...],
    lines: list[str],
    counted: Mapping[str, Text],
    texts: Mapping[str, Text],
    question: SpansQuestion,
) -> list[GivenAnswers]:
    marks: dict[tuple[str, str], list[dict[str, Any]]] = {}
    places: dict[tuple[str, str], dict[str, str]] = {}
    placings: dict[str, Placing] = {}
    for mistake, where in zip(mistakes, lines, strict=True):
        unit, key = mistake.text_id, (mistake.text_id, mistake.annotator or "")
        if unit not in placings:
            placings[unit] = Placing(counted[unit], "token", texts[unit], question.by)
        known = places.setdefault(key, {})
        own = _own_id(mistake.id, known)
        known[own] = where
        span = {"id": own, "start": mistake.span.start, "end": mistake.span.end, "label": mistake.label}
        said = {question.corrected_by or "correction": mistake.correction}
        said[question.explained_by or "comment"] = mistake.comment
        span |= {attribute: words for attribute, words in said.items() if words}
        marks.setdefault(key, []).append(placings[unit].move(span))
    return [
        GivenAnswers(next(iter(places[key].values())), *key, {question.id: spans}, marks=places[key])
        for key, spans in marks.items()
    ]


def _own_id(given: str, taken: Mapping[str, str]) -> str:
    """The id of the list, if a mark can have it."""
    if SPAN_ID.fullmatch(given) and given not in taken:
        return given
    return next(name for number in range(1, len(taken) + 2) if (name := f"m{number}") not in taken)


GSML = Format(
    "gsml",
    "marks as a list of mistakes, with ANNOTATOR for everybody's",
    gsml.write,
    gsml.read,
    read,
    no_place=(*ONE_QUESTION, "linked passages"),
    only_marks=True,
)
