"""Answers the way a person reads them: titles instead of ids, quotations instead of positions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from goldmark.protocols import Protocol
from goldmark.protocols.stages import LABEL, SPAN
from goldmark.records.units import ShownText, ShownUnit
from goldmark.web.pages.drawing import Mark, passage

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
class ReadAnswer:
    """One question that was answered: with words, or with marked passages."""

    ask: str
    words: tuple[str, ...]
    spans: tuple[ReadSpan, ...] | None
    question: str  # its id


def read_answers(protocol: Protocol, answers: Mapping[str, Any], shown: ShownUnit) -> list[ReadAnswer]:
    """Every answered question in the order in which it was asked."""
    found = []
    for question in _questions(protocol):
        answer = answers.get(question["id"])
        if answer is None:
            continue
        if "by" in question:
            spans = tuple(_read_span(question, span, shown) for span in _in_order(answer))
            found.append(ReadAnswer(question["ask"], (), spans, question["id"]))
        else:
            found.append(ReadAnswer(question["ask"], tuple(_words(question, answer)), None, question["id"]))
    return found


def marks_of(
    protocol: Protocol, answers: Mapping[str, Any], shown: ShownUnit, *, suffix: str = ""
) -> dict[str, list[Mark]]:
    """The marks of an answer by the role of the text they are on; `suffix` says whose, where several are drawn."""
    marks: dict[str, list[Mark]] = {role: [] for role in shown.texts}
    for question in _questions(protocol):
        if "by" not in question or question["of"] not in shown.texts:
            continue
        text = shown.texts[question["of"]]
        labels = _labels(question)
        for span in answers.get(question["id"]) or ():
            letter, tone, title = labels.get(span.get("label", ""), ("", 1, ""))
            start, end = passage(text, span["start"], span["end"], question["by"])
            marks[question["of"]].append(Mark(start, end, f"{letter}{suffix}", tone, "own", title))
            for link in question["links"]:
                for place in (span.get("links") or {}).get(link["id"], ()):
                    start, end = passage(text, place["start"], place["end"], question["by"])
                    marks[question["of"]].append(Mark(start, end, f"↔{suffix}", tone, "link", link["ask"]))
    return marks


def _questions(protocol: Protocol) -> Iterator[Mapping[str, Any]]:
    for question in protocol.questions():
        yield question.present(protocol.around)


def _in_order(spans: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return sorted(spans, key=lambda span: (span["start"], span["end"]))


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


def _read_span(question: Mapping[str, Any], span: Mapping[str, Any], shown: ShownUnit) -> ReadSpan:
    text = shown.texts[question["of"]]
    letter, tone, title = _labels(question).get(span.get("label", ""), ("", 1, ""))
    details = tuple(
        (attribute["ask"], ", ".join(_words(attribute, span[attribute["id"]])))
        for attribute in question["attributes"]
        if span.get(attribute["id"]) not in (None, "", [])
    )
    links = tuple(
        (link["ask"], _quote(text, place, question["by"]))
        for link in question["links"]
        for place in (span.get("links") or {}).get(link["id"], ())
    )
    quote = _quote(text, span, question["by"])
    parts = tuple(_parts(question, span, quote, title, links))
    return ReadSpan(letter, tone, title, quote, details, links, str(span.get("id", "")), parts)


def _parts(
    question: Mapping[str, Any], span: Mapping[str, Any], quote: str, label: str, links: Sequence[tuple[str, str]]
) -> Iterator[ReadPart]:
    """Every part of a mark in the order in which it is asked, also those that were left empty."""
    by_role: dict[str, list[str]] = {}
    for ask, words in links:
        by_role.setdefault(ask, []).append(words)
    yield ReadPart(SPAN, "Marked words", quote, True)
    for link in question["links"]:
        yield ReadPart(link["id"], link["ask"], " … ".join(by_role.get(link["ask"], ())), True)
    answered = []
    for attribute in question["attributes"]:
        given = span.get(attribute["id"])
        words = "" if given in (None, "", []) else ", ".join(_words(attribute, given))
        answered.append(ReadPart(attribute["id"], attribute["ask"], words, False))
    later = 1 if question["labels"] and question["labels"]["later"] else 0
    yield from answered[:later]
    if question["labels"]:
        yield ReadPart(LABEL, "Label", label, False)
    yield from answered[later:]


def _quote(text: ShownText, place: Mapping[str, Any], by: str) -> str:
    start, end = passage(text, place["start"], place["end"], by)
    return text.text.characters[start:end]


def _words(question: Mapping[str, Any], answer: object) -> Iterator[str]:
    titles = {option["id"]: option["title"] for option in question.get("options", ())}
    for one in answer if isinstance(answer, list) else [answer]:
        yield f"{one:g}" if isinstance(one, float) else titles.get(str(one), str(one))
