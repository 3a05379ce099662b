"""What differs between two revisions of an answer, the way a reviewer reads it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from goldmark.web.pages.answers.readable_answers import ReadableAnswer, ReadSpan


class AnswerChange(NamedTuple):
    """One thing that is no longer as it was; nothing stands where nothing was answered."""

    ask: str  # the question
    about: str  # of a mark: its words and which part of it
    was: str
    now: str


def changes(before: Sequence[ReadableAnswer], after: Sequence[ReadableAnswer]) -> list[AnswerChange]:
    """Every difference, in the order of the questions; marks are the same if they have the same id."""
    old, new = ({one.question: one for one in answers} for answers in (before, after))
    found: list[AnswerChange] = []
    for question, known in {**old, **new}.items():
        was, now = old.get(question), new.get(question)
        words = [", ".join(one.words) if one else "" for one in (was, now)]
        if words[0] != words[1]:
            found.append(AnswerChange(known.ask, "", *words))
        found += _marks(known.ask, was.spans or () if was else (), now.spans or () if now else ())
    return found


def _marks(ask: str, was: Sequence[ReadSpan], now: Sequence[ReadSpan]) -> Iterator[AnswerChange]:
    old, new = ({one.id: one for one in spans} for spans in (was, now))
    for name in dict.fromkeys([*old, *new]):
        if name not in new:
            yield AnswerChange(ask, "mark taken away", _in_words(old[name]), "")
        elif name not in old:
            yield AnswerChange(ask, "new mark", "", _in_words(new[name]))
        else:
            before = {part.id: part.words for part in old[name].parts}
            for part in new[name].parts:
                if before.get(part.id, "") != part.words:
                    yield AnswerChange(ask, f"“{new[name].quote}” · {part.ask}", before.get(part.id, ""), part.words)


def _in_words(span: ReadSpan) -> str:
    said = [span.label, *(f"{ask}: {words}" for ask, words in (*span.links, *span.details))]
    return f"“{span.quote}” {' · '.join(one for one in said if one)}".strip()
