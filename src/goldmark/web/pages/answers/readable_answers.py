"""Answers the way a person reads them: titles instead of ids, quotations instead of positions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.errors import Problem
from goldmark.protocols import Protocol
from goldmark.protocols.answers import marking, read
from goldmark.protocols.kinds import AnswerContext, Question
from goldmark.protocols.kinds.spans import MARKED_WORDS, SpansQuestion
from goldmark.protocols.parts import in_words
from goldmark.records import answers as said
from goldmark.records.texts import Text
from goldmark.records.units import ShownUnit, context_to_json
from goldmark.reviews.responses import ResponseFile, Revision
from goldmark.web.pages.answers.drawn_text import DrawnMark, draw

TONES = 8


@dataclass(frozen=True, slots=True)
class ReadPart:
    """One part of a mark that a reviewer can remark on: its words, its label, linked words, an attribute."""

    id: str
    ask: str
    words: str  # nothing where nothing was answered
    quoted: bool  # words of the text


@dataclass(frozen=True, slots=True)
class ReadSpan:
    """A marked passage."""

    letter: str
    tone: int
    label: str
    quote: str
    details: tuple[tuple[str, str], ...]  # what was asked of it and answered
    links: tuple[tuple[str, str], ...]  # passages linked to it
    id: str
    parts: tuple[ReadPart, ...]


@dataclass(frozen=True, slots=True)
class ReadableAnswer:
    """One question that was answered: with words, or with marked passages."""

    ask: str
    words: tuple[str, ...]
    spans: tuple[ReadSpan, ...] | None
    question: str  # its id


def read_answers(protocol: Protocol, answers: Mapping[str, Any], shown: ShownUnit) -> list[ReadableAnswer]:
    """Every answered question in the order in which it was asked, and then what cannot be read."""
    given = read(protocol, answers, shown)
    asks = {question.id: question.ask or in_words(question.id) for question in protocol.questions()}
    spans = {question.id: question for question in marking(protocol)}
    found = []
    for question in protocol.questions():
        own = [one for one in given.said if one.question == question.id]
        marks = given.marked(question.id)
        if marks is not None:
            reading = _Reading(protocol, spans[question.id], shown)
            in_order = sorted(marks.marks, key=lambda mark: mark.characters)
            found.append(ReadableAnswer(asks[question.id], (), tuple(map(reading.span, in_order)), question.id))
        elif own:
            found.append(ReadableAnswer(asks[question.id], tuple(_told(question, own)), None, question.id))
    found += (ReadableAnswer(asks.get(one.where, one.where), (one.what,), None, one.where) for one in given.unread)
    return found


def marks_of(
    protocol: Protocol, answers: Mapping[str, Any], shown: ShownUnit, *, suffix: str = ""
) -> dict[str, list[DrawnMark]]:
    """The marks of an answer by the role of the text they are on; `suffix` says whose, where several are drawn."""
    marks: dict[str, list[DrawnMark]] = {role: [] for role in shown.texts}
    given = read(protocol, answers, shown)
    for question in marking(protocol):
        own = given.marks_of(question.id)
        if not own:  # then the text that is asked about need not be there
            continue
        reading = _Reading(protocol, question, shown)
        for mark in own:
            letter, tone, title = reading.labels.get(mark.label, ("", 1, ""))
            place = mark.characters
            marks[reading.role].append(DrawnMark(place.start, place.end, f"{letter}{suffix}", tone, "own", title))
            for role, linked in mark.links:
                first, last = reading.text.tokens[linked.start], reading.text.tokens[linked.end - 1]
                ask = reading.parts[role]
                marks[reading.role].append(DrawnMark(first.start, last.end, f"↔{suffix}", tone, "link", ask))
    return marks


def drawn_response(content: ContentCache, found: ResponseFile, revision: Revision) -> dict[str, Any]:
    """One revision of a response to read: the unit with its marks, the answers, and in which order the texts came."""
    protocol = content.protocol(revision.protocol_id)
    marks = marks_of(protocol, revision.answers, found.shown)
    return {
        "texts": {role: draw(text, marks[role]) for role, text in found.shown.texts.items()},
        "answers": read_answers(protocol, revision.answers, found.shown),
        "context": [context_to_json(item) for item in found.shown.context],
        "order": content.order(revision.protocol_id, found.shown_first),
    }


class _Reading:
    """One question about passages, and the text that they stand in."""

    def __init__(self, protocol: Protocol, question: SpansQuestion, shown: ShownUnit) -> None:
        self.question = question
        self.role = question.text_of(protocol.texts)
        self.text: Text = shown.texts[self.role].text
        self.asked = AnswerContext(shown.surface(), protocol.around, question.id)
        self.labels = _labels(question.present(protocol.around))
        self.parts = question.parts()

    def span(self, mark: said.Mark) -> ReadSpan:
        letter, tone, title = self.labels.get(mark.label, ("", 1, ""))
        place = mark.characters
        quote = self.text.characters[place.start : place.end]
        told = {
            attribute.id: ", ".join(_told(attribute, attribute.read(mark.attributes[attribute.id], self.asked)))
            for attribute in self.question.attributes
            if attribute.id in mark.attributes
        }
        links = [(role, self.text.slice(linked)) for role, linked in mark.links]
        return ReadSpan(
            letter,
            tone,
            title,
            quote,
            tuple((self.parts[name], words) for name, words in told.items()),
            tuple((self.parts[role], words) for role, words in links),
            mark.id,
            tuple(self._parts(quote, title, links, told)),
        )

    def _parts(
        self, quote: str, label: str, links: Sequence[tuple[str, str]], told: Mapping[str, str]
    ) -> Iterator[ReadPart]:
        """Every part of a mark in the order in which it is asked, also those that were left empty."""
        words = {MARKED_WORDS: quote, "label": label, **told}
        for part, ask in self.parts.items():
            if part in self.question.links:
                yield ReadPart(part, ask, " … ".join(quoted for role, quoted in links if role == part), True)
            else:
                yield ReadPart(part, ask, words.get(part, ""), part == MARKED_WORDS)


def _labels(question: Mapping[str, Any]) -> dict[str, tuple[str, int, str]]:
    """Letter, tone and title of every label; the tone comes from the first level, as on the annotator's page."""
    found: dict[str, tuple[str, int, str]] = {}

    def walk(labels: Sequence[Mapping[str, Any]], tone: int, above: str) -> None:
        for position, label in enumerate(labels):
            own = tone or position % TONES + 1
            title = f"{above}{label['title']}"
            found[label["path"]] = (label["full_mark"], own, title)
            walk(label["children"], own, f"{title} › ")

    walk((question["labels"] or {}).get("labels", ()), 0, "")
    return found


def _told(question: Question, given: Iterable[said.Said | Problem]) -> Iterator[str]:
    """What was said to a question, in the words of its options."""
    titles = question.titles()
    for one in given:
        if isinstance(one, said.Words):
            yield one.words
        elif isinstance(one, said.Rating | said.Comparison) or (isinstance(one, said.Choice) and one.chosen):
            yield titles.get(one.label, one.label)
