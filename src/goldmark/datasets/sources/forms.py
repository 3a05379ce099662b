"""How a campaign's answers become readings: which question's marks, and which answers set a text aside."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from goldmark.datasets.sources.readings import Associated, MarkedError, Reading
from goldmark.errors import Conflict, Missing
from goldmark.protocols import Protocol
from goldmark.protocols.answers import marking, read
from goldmark.protocols.kinds.spans import SpansQuestion
from goldmark.records.answers import Mark
from goldmark.records.gold import GoldMistake, GoldText
from goldmark.records.units import Surface


class NoSpans(Conflict):
    code = "DATASET-01"
    message = "{name} asks nobody to mark passages, so it has no errors to make a dataset of"


class UnknownQuestion(Missing):
    code = "DATASET-02"
    message = 'no question "{question}" of {name} asks for spans; those that do are {known}'


@dataclass(frozen=True)
class Form:
    """What of a protocol's answers a dataset is made of."""

    protocol: Protocol
    question: SpansQuestion
    aside: Mapping[str, Collection[str]]  # by question, the answers that set a text aside

    @classmethod
    def of(cls, protocol: Protocol, *, question: str | None = None, discard: Collection[str] = ()) -> Form:
        """The question that asks for spans: the named one, or the first. `discard`: instead of what the protocol says.

        An answer that sets a text aside says that it has errors, but not which.
        """
        known = marking(protocol)
        if not known:
            raise NoSpans(name=protocol.id)
        chosen = next((one for one in known if question in (None, one.id)), None)
        if chosen is None:
            raise UnknownQuestion(question=question, name=protocol.id, known=", ".join(one.id for one in known))
        named = {one.id: discard for one in protocol.questions()}
        return cls(protocol, chosen, named if discard else protocol.set_aside)

    @property
    def role(self) -> str:
        """The text that is marked."""
        return self.question.text_of(self.protocol.texts)

    @property
    def labels(self) -> Mapping[str, tuple[str, str]]:
        """By path, the name and the help of every label."""
        tree = self.protocol.taxonomies[self.question.labels.tree].paths if self.question.labels else {}
        return {path: (label.name, label.help) for path, label in tree.items()}

    def reading(
        self, annotator: str, answers: Mapping[str, Any], shown: Surface, *, approved: bool = False
    ) -> Reading | None:
        """One person's answers as a reading; None if there are none."""
        if not answers:
            return None
        said = read(self.protocol, answers, shown)
        for question, options in self.aside.items():
            for label in said.labels(question):
                if label in options:
                    return Reading(annotator, discarded=label, approved=approved)
        return Reading(annotator, tuple(map(self._marked, said.marks_of(self.question.id))), approved=approved)

    def _marked(self, mark: Mark) -> MarkedError:
        rest = mark.other_attributes(self.question.corrected_by, self.question.explained_by)
        return MarkedError(
            mark.id,
            mark.tokens.start,
            mark.tokens.end,
            mark.label,
            mark.correction,
            mark.explanation,
            tuple(Associated(role, one.start, one.end) for role, one in mark.links) if mark.links else (),
            tuple(sorted((name, _plain(value)) for name, value in rest.items())) if rest else (),
        )

    def gold(self, gold: GoldText, readings: Sequence[Reading]) -> Reading:
        """A curated list as a reading; what curators do not settle comes from the marks that a mistake rests on."""
        theirs = {(one.annotator, mark.id): mark for one in readings for mark in one.errors}
        return Reading(
            annotator="",
            errors=tuple(self._settled(one, number, theirs) for number, one in enumerate(gold.mistakes, start=1)),
            approved=True,
        )

    def _settled(self, one: GoldMistake, number: int, theirs: Mapping[tuple[str, str], MarkedError]) -> MarkedError:
        marks = [theirs[key] for source in one.sources if (key := (source.annotator, source.id)) in theirs]
        exact = [
            mark for mark in marks if (mark.start, mark.end, mark.label) == (one.span.start, one.span.end, one.label)
        ]
        like = next(iter(exact or marks), None)
        said = like.rationale if like and like.rationale and like.rationale in one.comment else one.comment
        return MarkedError(
            id=one.id or f"e{number}",
            start=one.span.start,
            end=one.span.end,
            label=one.label,
            correction=one.correction if one.correction or self.question.empty_deletes else None,
            rationale=said,
            associated=like.associated if like else (),
            attributes=like.attributes if like else (),
        )


def _plain(value: object) -> str:
    return "; ".join(map(str, value)) if isinstance(value, list) else str(value)
