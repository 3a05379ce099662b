"""What is curated: a question about passages, what its protocol allows, and the marks in people's answers to it."""

from __future__ import annotations

from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.curation.workspace.step_kinds import CurationRules
from goldmark.errors import Conflict, Missing
from goldmark.protocols import Protocol
from goldmark.protocols.answers import marking
from goldmark.protocols.kinds.spans import SpansQuestion
from goldmark.records.answers import ReadAnswer
from goldmark.records.mistakes import Mistake
from goldmark.records.texts import Text
from goldmark.records.units import ShownText


class NothingToCurate(Conflict):
    code = "CURATE-10"
    message = "campaign {campaign!r} asks nobody to mark passages, so there is nothing to curate"


class NoSuchQuestion(Missing):
    code = "CURATE-15"
    message = "campaign {campaign!r} has no question {question!r} about passages; it has: {known}"


def spans_question(protocol: Protocol, row: CampaignRow, wanted: str | None = None) -> SpansQuestion:
    """The question that is asked for; the first one that asks for passages if none is."""
    known = {question.id: question for question in marking(protocol)}
    if not known:
        raise NothingToCurate(campaign=row.name)
    if wanted is not None and wanted not in known:
        raise NoSuchQuestion(campaign=row.name, question=wanted, known=", ".join(known))
    return next(iter(known.values())) if wanted is None else known[wanted]


def role_of(protocol: Protocol, question: SpansQuestion) -> str:
    """Which text of a unit the question is about."""
    return question.text_of(protocol.texts)


def rules_of(protocol: Protocol, question: SpansQuestion, shown: ShownText) -> CurationRules:
    labels: tuple[str, ...] | None = None
    priority: tuple[str, ...] = ()
    if question.labels is not None:
        tree = protocol.taxonomies[question.labels.tree]
        labels = tuple(path for path in tree.paths if question.labels.any_level or path in tree.leaves)
        first = question.labels.priority
        # Labels that have no place in the priority follow in their own order.
        priority = (*first, *(path for path in tree.paths if path not in first)) if first else ()
    return CurationRules(
        first=shown.prompt.end if shown.prompt else 0,
        last=len(shown.text.tokens),
        overlap=question.overlap,
        labels=labels,
        priority=priority,
        attributes={
            one.id: None if (options := one.options_with_numbers()) is None else tuple(options)
            for one in question.attributes
            if one.id not in (question.corrected_by, question.explained_by)
        },
        roles=tuple(question.links),
    )


def marks_of(said: ReadAnswer, question: SpansQuestion, text: Text, annotator: str | None) -> tuple[Mistake, ...]:
    """What one answer marks, as mistakes of a text."""
    roles = (question.corrected_by, question.explained_by)
    return tuple(mark.mistake(text.id, annotator, *roles) for mark in said.marks_of(question.id))
