"""Exercises made ready: what the learner sees as a unit, and its answer key with quotations found in the text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from goldmark.errors import Problem, ProblemsFound
from goldmark.protocols.kinds import ProtocolMistake
from goldmark.protocols.kinds.spans import SpansQuestion
from goldmark.protocols.training.kits import Exercise, TrainingPair
from goldmark.records.texts import Text
from goldmark.records.units import ShownUnit

# What an exercise shares with a row of texts; what cuts texts is loaded with the first exercise.
ROW_KEYS = ("text", "a", "b", "texts", "tokens", "prompt", "given", "language", "context")


@dataclass(frozen=True, slots=True)
class QuoteMisplaced(Exception):
    """A quotation that does not name one passage of the text."""

    what: str
    remedy: str


def shown_of(exercise: Exercise | TrainingPair, name: str) -> ShownUnit:
    """The unit of an exercise, made as a row of a file of texts would be."""
    from goldmark.texts.readers.rows import Row, SegmentationRules, unit_from_row

    problems: list[Problem] = []
    given = exercise.model_dump(include=set(ROW_KEYS), exclude_defaults=True)
    unit = unit_from_row(Row(name, {"id": name.replace(":", "-"), **given}), SegmentationRules(), problems)
    if unit is None:
        raise ProblemsFound(problems, consequence="the exercise cannot be shown")
    return unit.shown


def key_of(expected: Mapping[str, Any], questions: Mapping[str, Any], shown: ShownUnit) -> dict[str, Any]:
    """The answer key with every quotation replaced by its place."""
    return {
        name: _with_places(written, questions[name], shown)
        if isinstance(questions.get(name), SpansQuestion)
        else written
        for name, written in expected.items()
    }


def _with_places(written: Any, question: SpansQuestion, shown: ShownUnit) -> Any:
    text = _text_of(question, shown)
    if isinstance(written, list):
        return [_with_place(one, question, text) for one in written]
    if isinstance(written, Mapping):
        found = dict(written)
        for form in ("is", "includes"):
            if isinstance(found.get(form), list):
                found[form] = [_with_place(one, question, text) for one in found[form]]
        if isinstance(found.get("one_of"), list):
            found["one_of"] = [[_with_place(one, question, text) for one in case] for case in found["one_of"]]
        return found
    return written


def _with_place(passage: Any, question: SpansQuestion, text: Text) -> Any:
    if not isinstance(passage, Mapping) or "quote" not in passage:
        return passage
    start, end = find_quote(text, str(passage["quote"]), passage.get("nth"), question.by)
    said = {key: value for key, value in passage.items() if key not in ("quote", "nth")}
    return {"start": start, "end": end, **said}


def find_quote(text: Text, quote: str, nth: int | None, by: str) -> tuple[int, int]:
    """Where a quotation stands, in tokens or characters, or `QuoteMisplaced`."""
    places = [at for at in range(len(text.characters)) if text.characters.startswith(quote, at)] if quote else []
    whole = [found for at in places if (found := _tokens(text, at, at + len(quote))) is not None]
    found_at = whole if by == "token" else [(at, at + len(quote)) for at in places]
    if not places:
        raise QuoteMisplaced(f'"{quote}" does not stand in the text', "copy it letter by letter")
    if not found_at:
        raise QuoteMisplaced(f'"{quote}" begins or ends inside a token', "quote whole words")
    if nth is None and len(found_at) > 1:
        raise QuoteMisplaced(f'"{quote}" stands in the text {len(found_at)} times', "say which with nth: 1, 2, ...")
    if nth is not None and not 1 <= nth <= len(found_at):
        raise QuoteMisplaced(f'"{quote}" stands in the text {len(found_at)} times, not {nth}', "")
    return found_at[(nth or 1) - 1]


def _tokens(text: Text, start: int, end: int) -> tuple[int, int] | None:
    """The tokens that cover exactly these characters."""
    first = next((at for at, token in enumerate(text.tokens) if token.start == start), None)
    last = next((at for at, token in enumerate(text.tokens) if token.end == end), None)
    return None if first is None or last is None or last < first else (first, last + 1)


def _text_of(question: SpansQuestion, shown: ShownUnit) -> Text:
    role = question.of or next(iter(shown.texts))
    return shown.texts[role].text


def quote_mistakes(written: Any, question: SpansQuestion, shown: ShownUnit) -> Iterator[ProtocolMistake]:
    """Every passage of a key that names no place, with the key where it stands."""
    lists: list[tuple[tuple[str | int, ...], Any]] = []
    if isinstance(written, list):
        lists.append(((), written))
    elif isinstance(written, Mapping):
        lists += [((form,), written[form]) for form in ("is", "includes") if isinstance(written.get(form), list)]
        cases = written.get("one_of")
        lists += [(("one_of", at), case) for at, case in enumerate(cases if isinstance(cases, list) else ())]
    if (question.of or next(iter(shown.texts))) not in shown.texts:
        return
    text = _text_of(question, shown)
    for at, passages in lists:
        for position, passage in enumerate(passages if isinstance(passages, list) else ()):
            if not isinstance(passage, Mapping):
                yield ProtocolMistake(
                    (*at, position), "a passage is a mapping with a quote", "write {quote: ..., label: ...}"
                )
            elif "quote" in passage:
                try:
                    find_quote(text, str(passage["quote"]), passage.get("nth"), question.by)
                except QuoteMisplaced as error:
                    yield ProtocolMistake((*at, position, "quote"), error.what, error.remedy)
