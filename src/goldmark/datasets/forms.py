"""How a protocol's answers become readings: which question holds the spans, and which of its parts mean what."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from goldmark.datasets.readings import Associated, Marked, Reading, touched
from goldmark.errors import GoldmarkError, Kind
from goldmark.protocols import Protocol
from goldmark.protocols.kinds.spans import OWN_KEYS, Spans
from goldmark.protocols.stages import SET_ASIDE
from goldmark.records.gold import GoldMistake, GoldText

CORRECTIONS = ("correction", "corrected", "fix")
RATIONALES = ("rationale", "reason", "explanation", "comment")
DISCARDED = SET_ASIDE  # answers that set a text aside, as TGEA's annotators could


class NoSpans(GoldmarkError):
    code = "DATASET-01"
    kind = Kind.CONFLICT
    message = "{name} asks nobody to mark passages, so it has no errors to make a dataset of"


class UnknownQuestion(GoldmarkError):
    code = "DATASET-02"
    kind = Kind.MISSING
    message = 'no question "{question}" of {name} asks for spans; those that do are {known}'


@dataclass(frozen=True)
class Form:
    """Where a protocol's answers keep what a dataset needs."""

    question: str
    role: str = "text"
    by_character: bool = False
    correction: str = ""  # the attribute that holds it
    rationale: str = ""
    empty_deletes: bool = False  # no correction means: delete the words
    labels: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    discard: frozenset[str] = frozenset(DISCARDED)

    @classmethod
    def of(cls, protocol: Protocol, *, question: str | None = None, discard: Iterable[str] = DISCARDED) -> Form:
        """The protocol's question that asks for spans: the named one, or the first."""
        known = [one for one in protocol.questions() if isinstance(one, Spans)]
        if not known:
            raise NoSpans(name=protocol.id)
        chosen = next((one for one in known if question in (None, one.id)), None)
        if chosen is None:
            raise UnknownQuestion(question=question, name=protocol.id, known=", ".join(one.id for one in known))
        ids = [attribute.id for attribute in chosen.attributes]
        correction = next((name for name in CORRECTIONS if name in ids), "")
        tree = protocol.taxonomies[chosen.labels.tree].paths if chosen.labels else {}
        return cls(
            question=chosen.id,
            role=chosen.of or protocol.texts[0],
            by_character=chosen.by == "character",
            correction=correction,
            rationale=next((name for name in RATIONALES if name in ids), ""),
            # "correction or label == redundancy": only errors of certain kinds need none, so theirs means: delete it.
            empty_deletes=bool(
                correction and chosen.require and _names(chosen.require.source) >= {correction, "label"}
            ),
            labels={path: (label.name, label.help) for path, label in tree.items()},
            discard=frozenset(discard),
        )

    def reading(
        self, annotator: str, answers: Mapping[str, Any], tokens: Sequence[Sequence[int]], *, approved: bool = False
    ) -> Reading | None:
        """One person's answers as a reading; None if they hold neither spans nor a reason why there are none."""
        said = next((value for value in answers.values() if isinstance(value, str) and value in self.discard), "")
        if said:
            return Reading(annotator, discarded=said, approved=approved)
        spans = answers.get(self.question)
        if spans is None and not answers:
            return None
        errors = tuple(one for span in spans or () if (one := self._marked(span, tokens)) is not None)
        return Reading(annotator, errors, approved=approved)

    def _marked(self, span: Mapping[str, Any], tokens: Sequence[Sequence[int]]) -> Marked | None:
        place = self._place(span, tokens)
        if place is None:
            return None
        links = span.get("links")
        associated = [
            Associated(role, *linked)
            for role, passages in sorted((links or {}).items())
            for one in passages
            if (linked := self._place(one, tokens)) is not None
        ]
        rest = {
            name: value
            for name, value in span.items()
            if name not in OWN_KEYS and name not in (self.correction, self.rationale) and value not in (None, "")
        }
        return Marked(
            id=str(span.get("id", "")),
            start=place[0],
            end=place[1],
            label=str(span.get("label") or ""),
            correction=self.corrected(span.get(self.correction)),
            rationale=str(span.get(self.rationale) or "").strip(),
            associated=tuple(associated),
            attributes=tuple(sorted((name, _plain(value)) for name, value in rest.items())),
        )

    def corrected(self, given: object) -> str | None:
        """What a correction means: words, nothing at all (delete), or not said."""
        said = str(given or "").strip()
        return said if said or (self.correction and self.empty_deletes) else None

    def _place(self, span: Mapping[str, Any], tokens: Sequence[Sequence[int]]) -> tuple[int, int] | None:
        start, end = span["start"], span["end"]
        if self.by_character:
            return touched(tokens, start, end)
        return (start, end) if 0 <= start < end <= len(tokens) else None

    def gold(self, gold: GoldText, readings: Sequence[Reading]) -> Reading:
        """A curated list as a reading; what curators do not settle comes from the marks that a mistake rests on."""
        theirs = {(one.annotator, mark.id): mark for one in readings for mark in one.errors}
        return Reading(
            annotator="",
            errors=tuple(self._settled(one, number, theirs) for number, one in enumerate(gold.mistakes, start=1)),
            approved=True,
        )

    def _settled(self, one: GoldMistake, number: int, theirs: Mapping[tuple[str, str], Marked]) -> Marked:
        marks = [theirs[key] for source in one.sources if (key := (source.annotator, source.id)) in theirs]
        exact = [
            mark for mark in marks if (mark.start, mark.end, mark.label) == (one.span.start, one.span.end, one.label)
        ]
        like = next(iter(exact or marks), None)
        said = like.rationale if like and like.rationale and like.rationale in one.comment else one.comment
        return Marked(
            id=one.id or f"e{number}",
            start=one.span.start,
            end=one.span.end,
            label=one.label,
            correction=self.corrected(one.correction),
            rationale=said,
            associated=like.associated if like else (),
            attributes=like.attributes if like else (),
        )


def _names(condition: str) -> set[str]:
    return set(re.findall(r"\w+", condition))


def _plain(value: object) -> str:
    return "; ".join(map(str, value)) if isinstance(value, list) else str(value)
