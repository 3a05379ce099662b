"""Deciding on suggested exclusions, blind: a case shows what somebody answered and wrote, and nothing of who they are.

Neither the name, nor the condition, nor whether an answer is right is part of a case. Its key, and by it the order of
the cases, are made with the server's own secret: who knows the names of participants cannot work out whose it is.
What is decided is an event of the campaign like any other.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection

from goldmark.accounts.links import SignedLinks
from goldmark.campaigns.lifecycle import find_campaign, look_into
from goldmark.campaigns.transfer.export import record_of
from goldmark.errors import Missing
from goldmark.people.exclusions import exclude
from goldmark.protocols.responses import read_responses
from goldmark.records.answers import Marks, ReadAnswer
from goldmark.records.campaigns import CampaignRecord
from goldmark.store import Store, events
from goldmark.studies.design.create import refuse_other, study_in
from goldmark.studies.design.file import Study
from goldmark.studies.evaluation.exclusions import KEPT, Suggestion, decided, suggestions


class UnknownCase(Missing):
    code = "STUDY-07"
    message = "there is no such case in {name!r}, or somebody has decided it"


@dataclass(frozen=True)
class CaseAnswer:
    """One answer of a case: the text, what was chosen, what was written, and what a rule says of it."""

    text: str
    answer: str
    explanation: str
    findings: tuple[tuple[str, str], ...]  # rule and detail


@dataclass(frozen=True)
class ExclusionCase:
    """A participant to decide on, without anything that says who it is or in which condition they are."""

    key: str
    rules: tuple[str, ...]
    exhibits: tuple[CaseAnswer, ...]


@dataclass(frozen=True)
class ExclusionCases:
    """All cases of a study, those that wait first."""

    waiting: tuple[ExclusionCase, ...]
    kept: int
    excluded: int


def cases(store: Store, links: SignedLinks, name: str) -> ExclusionCases:
    """What waits for a decision, in an order of its own."""
    look_into(store, name, refuse_other)
    record = record_of(store, name)
    study = study_in(record)
    done = decided(record)
    open_cases = [
        _case(study, record, links.case_key(name, one.annotator), one)
        for one in suggestions(study, record)
        if one.annotator not in done
    ]
    counts = [done.get(one.id) for one in record.annotators]
    return ExclusionCases(
        tuple(sorted(open_cases, key=lambda case: case.key)), counts.count("kept"), counts.count("excluded")
    )


def decide(store: Store, links: SignedLinks, name: str, key: str, *, leave_out: bool, reason: str, author: str) -> None:
    """Exclude the participant of a case, or keep them. An exclusion can be undone with the annotators."""
    look_into(store, name, refuse_other)
    record = record_of(store, name)
    study = study_in(record)
    done = decided(record)
    found = next((one for one in suggestions(study, record) if links.case_key(name, one.annotator) == key), None)
    if found is None or found.annotator in done:
        raise UnknownCase(name=name)
    rules = list(found.rules)
    if leave_out:
        evidence = {"rules": rules, "texts": sorted({one.unit for one in found.findings}), "blind": True}
        exclude(store, name, found.annotator, author=author, reason=reason, rule=rules[0], evidence=evidence)
        return

    def keep(connection: Connection) -> None:
        row = find_campaign(connection, name)
        facts = {"rules": rules, "blind": True}
        events.record(connection, row.id, author=author, kind=KEPT, subject=found.annotator, reason=reason, facts=facts)

    store.write(keep)


def _case(study: Study, record: CampaignRecord, key: str, suggestion: Suggestion) -> ExclusionCase:
    own = [one for one in record.final_responses(with_excluded=True) if one.annotator == suggestion.annotator]
    answers = {one.unit.id: one for one in read_responses(record, own)}
    exhibits = []
    for unit_id in dict.fromkeys(one.unit for one in suggestion.findings):
        found = [one for one in suggestion.findings if one.unit == unit_id]
        unit, _, said = answers[unit_id]
        exhibits.append(
            CaseAnswer(
                "\n\n".join(shown.text.characters for shown in unit.shown.texts.values()),
                _in_words(study, said),
                said.told(found[0].question),
                tuple((one.rule, one.detail) for one in found),
            )
        )
    return ExclusionCase(key, suggestion.rules, tuple(exhibits))


def _in_words(study: Study, said: ReadAnswer) -> str:
    """The answer to the question that the study is about."""
    question = next(one for one in study.protocol.questions() if one.id == study.file.outcome.question)
    if question.gives is Marks:
        return f"{len(said.marks_of(question.id))} marked"
    answer = said.told(question.id)
    return question.titles().get(answer, answer)
