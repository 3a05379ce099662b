"""How annotators do: evidence on everybody, and what is decided about it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter
from pydantic import Field
from sqlalchemy import Connection

from goldmark.campaigns import exclusions, notices
from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.campaigns.membership import annotator_numbered
from goldmark.quality.test_questions import TestAnswer, answers_of
from goldmark.records.campaigns import exclusion_notes
from goldmark.web.api import shapes
from goldmark.web.api.inputs import CampaignName, In, Out, ReasonIn, Words
from goldmark.web.services import Services, ServicesDep
from goldmark.web.signing_in import CallsAsCurator, CallsAsManager

if TYPE_CHECKING:
    from goldmark.quality.evidence import CrowdEvidence, Evidence

router = APIRouter(prefix="/api/v1/campaigns/{name}", tags=["annotators of a campaign"], responses=shapes.FAILURES)


class ShareOut(Out):
    found: int
    of: int
    value: float | None


class SignOut(Out):
    """Test questions of one sign."""

    sign: str
    right: int
    asked: int
    interval: list[float] = Field(description="The exact 95 % interval of the share right.")
    noisy: float


class MomentOut(Out):
    asked: int
    right: int
    noisy: float
    at: datetime


class EvidenceOut(Out):
    """All about one annotator."""

    id: int
    name: str
    state: str
    answers: int
    noisy: float | None = Field(description="The probability of being noisy; null before any test question.")
    flagged: bool
    test_questions: list[SignOut]
    course: list[MomentOut] = Field(description="How the probability went, test question by test question.")
    seconds_median: float | None
    seconds_usual: float | None
    too_fast: ShareOut
    longest_run: int
    entropy: float | None
    same_answer: ShareOut
    explanations: int
    copied: ShareOut
    too_short: ShareOut
    repeated: ShareOut
    off_topic: ShareOut
    agreement: float | None
    agreement_pairs: int
    agreement_usual: float | None
    errors_found: ShareOut
    cost_labels: int = Field(description="Labels that excluding this person would take from the results.")
    cost_reopened: int = Field(description="Units that would want another label again.")
    cost_money: float | None = Field(description="What these labels cost at the campaign's price.")


class ExclusionOut(Out):
    annotator: str
    rule: str
    author: str
    reason: str
    at: datetime | None
    responses: int


class QualityOut(Out):
    model: str | None
    signature: str | None
    flag_at: float
    annotators: list[EvidenceOut]
    exclusions: list[ExclusionOut]
    notes: list[str]


class TestAnswerOut(Out):
    response: int
    unit: str
    sign: str
    right: bool
    at: datetime
    sentences: list[str] = Field(description="Why, in words.")


class ToldOut(Out):
    kind: str
    message: str
    at: datetime
    read_at: datetime | None


class PersonOut(Out):
    evidence: EvidenceOut
    test_answers: list[TestAnswerOut]
    told: list[ToldOut]


class WarnIn(In):
    message: Words = Field(default="", description="What they are told; our own words if empty.")
    reason: Words = ""


class ExcludeIn(In):
    reason: Words = ""
    rule: Words = Field(default="", description="The rule that was followed, if any; figures name it.")


class WarnedOut(Out):
    annotator: str
    warned: bool


class ExcludedOut(Out):
    annotator: str
    changed: bool
    labels: int
    places: int
    reopened: int


class RestoredOut(Out):
    annotator: str
    changed: bool
    labels: int
    extra: int


def gathered(services: Services, name: str) -> tuple[CampaignRow, CrowdEvidence]:
    """A campaign and the evidence on everybody in it."""
    from goldmark.quality.evidence import crowd

    def look(connection: Connection) -> tuple[CampaignRow, CrowdEvidence]:
        row = find_campaign(connection, name)
        return row, crowd(connection, row, services.library, services.watch)

    return services.store.snapshot(look)


def evidence_out(one: Evidence, row: CampaignRow) -> EvidenceOut:
    judged, signals, price = one.standing, one.signals, row.settings.pay.per_unit
    said = signals.explanations
    return EvidenceOut(
        id=one.person.id,
        name=one.person.name,
        state=one.person.state,
        answers=one.answers,
        noisy=judged.judgement.noisy if judged else None,
        flagged=bool(judged and judged.judgement.flagged),
        test_questions=[
            SignOut(
                sign=sign.sign, right=sign.right, asked=sign.asked, interval=list(sign.interval[:2]), noisy=sign.noisy
            )
            for sign in (judged.by_sign if judged else ())
        ],
        course=[MomentOut.model_validate(moment) for moment in one.course],
        seconds_median=signals.pace.median,
        seconds_usual=signals.pace.usual,
        too_fast=ShareOut.model_validate(signals.pace.fast),
        longest_run=signals.sameness.longest_run,
        entropy=signals.sameness.entropy,
        same_answer=ShareOut.model_validate(signals.sameness.commonest),
        explanations=said.written,
        copied=ShareOut.model_validate(said.copied),
        too_short=ShareOut.model_validate(said.short),
        repeated=ShareOut.model_validate(said.repeated),
        off_topic=ShareOut.model_validate(said.off_topic),
        agreement=signals.agreement.value,
        agreement_pairs=signals.agreement.of,
        agreement_usual=signals.usual_agreement,
        errors_found=ShareOut.model_validate(signals.errors_found),
        cost_labels=one.cost.labels,
        cost_reopened=one.cost.reopened,
        cost_money=None if price is None else round(price * one.cost.labels, 2),
    )


@router.get("/quality")
def quality(name: CampaignName, who: CallsAsCurator, services: ServicesDep) -> QualityOut:
    """Everybody's test questions, signs of careless work and the cost of excluding them; who is excluded and why."""
    row, found = gathered(services, name)
    excluded = services.store.read(lambda connection: exclusions.excluded_people(connection, row))
    return QualityOut(
        model=found.model.model.name if found.model else None,
        signature=str(found.model.signature) if found.model else None,
        flag_at=row.settings.quality.flag_at,
        annotators=[evidence_out(one, row) for one in found.people],
        exclusions=[ExclusionOut.model_validate(one) for one in excluded],
        notes=list(exclusion_notes(excluded)),
    )


@router.get("/quality/{annotator_id}")
def person(name: CampaignName, annotator_id: shapes.RowId, who: CallsAsCurator, services: ServicesDep) -> PersonOut:
    """One annotator: all evidence, their answers to test questions, and what they were told."""
    row, found, tests, told = person_file(services, name, annotator_id)
    return PersonOut(
        evidence=evidence_out(found, row),
        test_answers=[
            TestAnswerOut(
                response=one.assignment_id,
                unit=one.unit,
                sign=one.sign,
                right=one.right,
                at=one.at,
                sentences=list(one.grade.sentences),
            )
            for one in tests
        ],
        told=[ToldOut(kind=one.kind, message=one.message, at=one.at, read_at=read) for one, read in told],
    )


def person_file(
    services: Services, name: str, annotator_id: int
) -> tuple[CampaignRow, Evidence, list[TestAnswer], list[Any]]:
    """Everything on one annotator."""

    def look(connection: Connection) -> tuple[list[TestAnswer], list[Any]]:
        row = find_campaign(connection, name)
        annotator_numbered(connection, row, annotator_id)
        return answers_of(connection, row, annotator_id), list(notices.told(connection, annotator_id))

    tests, told = services.store.read(look)
    row, found = gathered(services, name)
    return row, next(one for one in found.people if one.person.id == annotator_id), tests, told


def named(services: Services, name: str, annotator_id: int) -> str:
    """What someone is called; names may hold anything, so addresses use numbers."""
    return services.store.read(
        lambda connection: annotator_numbered(connection, find_campaign(connection, name), annotator_id).name
    )


@router.post("/annotators/{annotator_id}/warn")
def warn(
    name: CampaignName, annotator_id: shapes.RowId, body: WarnIn, who: CallsAsManager, services: ServicesDep
) -> WarnedOut:
    """Tell someone about their work; they see it until they have read it."""
    from goldmark.quality import rules

    person = named(services, name, annotator_id)
    rules.warn(services.store, name, person, message=body.message, author=who.name, reason=body.reason)
    return WarnedOut(annotator=person, warned=True)


@router.post("/annotators/{annotator_id}/exclude")
def exclude(
    name: CampaignName, annotator_id: shapes.RowId, body: ExcludeIn, who: CallsAsManager, services: ServicesDep
) -> ExcludedOut:
    """Keep someone's work, count it nowhere, and free its places for others. It can be undone."""
    person = named(services, name, annotator_id)
    done = exclusions.exclude(services.store, name, person, author=who.name, reason=body.reason, rule=body.rule)
    return ExcludedOut.model_validate(done)


@router.post("/annotators/{annotator_id}/restore")
def restore(
    name: CampaignName, annotator_id: shapes.RowId, body: ReasonIn, who: CallsAsManager, services: ServicesDep
) -> RestoredOut:
    """Undo an exclusion: work counts again where its place is still free, and the rest is kept as extra."""
    person = named(services, name, annotator_id)
    return RestoredOut.model_validate(
        exclusions.undo(services.store, name, person, author=who.name, reason=body.reason)
    )
