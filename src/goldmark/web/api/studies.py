"""Controlled studies: plan and make them, decide on exclusions blind, have explanations coded, read the report."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, File, Path, Query, Request, UploadFile
from pydantic import Field

from goldmark.campaigns.settings import Name, Whole
from goldmark.web import studying
from goldmark.web.api import shapes
from goldmark.web.api.campaigns import CampaignOut, campaign_fields, received
from goldmark.web.api.derive import built_in
from goldmark.web.api.inputs import CampaignName, In, Out, ShortWords, Words, base_of
from goldmark.web.services import ServicesDep
from goldmark.web.signing_in import CallsAsCurator, CallsAsManager

router = APIRouter(prefix="/api/v1", tags=["studies"], responses=shapes.FAILURES)

StudyFiles = Annotated[list[UploadFile], File(description="study.yaml, its texts, its protocol if it has its own.")]
CaseKey = Annotated[str, Path(pattern=r"^[0-9a-f]{16}$")]


class PlanOut(Out):
    """A study before it begins."""

    study: str
    digest: str = Field(description="One number for the whole analysis plan; the report shows it.")
    participants: int
    answers: int
    cost: float | None
    currency: str
    tables: list[dict[str, Any]]


class StudyCreated(CampaignOut):
    digest: str


class ReportOut(Out):
    """The report of a study, as far as it has come."""

    study: str
    title: str
    outcome: str
    plan: dict[str, Any]
    flow: dict[str, Any]
    conclusions: list[str]
    limits: list[str]
    tables: list[dict[str, Any]]


class ExhibitOut(Out):
    text: str
    answer: str
    explanation: str
    findings: list[tuple[str, str]]


class CaseOut(Out):
    """A participant to decide on. Who it is, their condition and whether they were right is no part of it."""

    key: str
    rules: list[str]
    exhibits: list[ExhibitOut]


class DocketOut(Out):
    waiting: list[CaseOut]
    kept: int
    excluded: int


class DecisionIn(In):
    decision: Literal["exclude", "keep"]
    reason: Words = ""


class CodingIn(In):
    """Which explanations to code, and under which name."""

    campaign: Name = Field(description="The new campaign's name.")
    people: Whole | None = Field(default=50, ge=1, le=100_000, description="People of each cell; none: everybody.")
    protocol: ShortWords | None = Field(default=None, description="Another built-in codebook.")
    seed: Whole = Field(default=0, ge=0, le=2**53)


class CodedOut(Out):
    study: str
    campaign: str
    tables: list[dict[str, Any]]


@router.post("/studies/plan")
def plan(files: StudyFiles, who: CallsAsManager, services: ServicesDep) -> PlanOut:
    """Check a study, compute its power and cost, and write its analysis plan down."""
    return PlanOut(**studying.planned(services, received(files), author=who.name, as_json=True))


@router.post("/studies", status_code=201)
def create(files: StudyFiles, request: Request, who: CallsAsManager, services: ServicesDep) -> StudyCreated:
    """Make a study's campaign, with a condition for each cell. It still has to be started."""
    row, digest = studying.created(services, received(files), author=who.name)
    return StudyCreated(**campaign_fields(row, services, who, base_of(request)), digest=digest)


@router.get("/campaigns/{name}/study")
def report(
    name: CampaignName,
    who: CallsAsCurator,
    services: ServicesDep,
    with_excluded: Annotated[bool, Query(description="As if nobody had been excluded.")] = False,
) -> ReportOut:
    """The report: results, planned tests, what became of everybody, what can be concluded and what cannot."""
    return ReportOut(**studying.report_json(services, name, with_excluded=with_excluded))


@router.get("/campaigns/{name}/study/exclusions")
def exclusions(name: CampaignName, who: CallsAsCurator, services: ServicesDep) -> DocketOut:
    """Participants that the study's rules suggest to exclude, without their names and conditions."""
    return DocketOut.model_validate(studying.docket(services, name))


@router.post("/campaigns/{name}/study/exclusions/{case}")
def decide(
    name: CampaignName, case: CaseKey, body: DecisionIn, who: CallsAsManager, services: ServicesDep
) -> DocketOut:
    """Exclude the participant of a case, or keep them."""
    studying.decide(
        services, name, case, leave_out=body.decision == "exclude", reason=body.reason.strip(), author=who.name
    )
    return DocketOut.model_validate(studying.docket(services, name))


@router.post("/campaigns/{name}/study/coding", status_code=201)
def code(
    name: CampaignName, body: CodingIn, request: Request, who: CallsAsManager, services: ServicesDep
) -> CampaignOut:
    """A campaign in which two people code participants' explanations. It still has to be started."""
    row = studying.coding(
        services,
        name,
        body.campaign,
        people=body.people,
        protocol=built_in(body.protocol),
        seed=body.seed,
        author=who.name,
    )
    return CampaignOut(**campaign_fields(row, services, who, base_of(request)))


@router.get("/campaigns/{name}/study/coding/{coding}")
def coded(
    name: CampaignName,
    coding: Annotated[str, Path(pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")],
    who: CallsAsCurator,
    services: ServicesDep,
    by: Annotated[str, Query(max_length=40, description="The factor whose levels are compared; the last.")] = "",
) -> CodedOut:
    """What explanations are about, by a factor's levels, and how far the coders agree."""
    return CodedOut(study=name, campaign=coding, tables=studying.coded_json(services, name, coding, by))


class PlanKept(Out):
    digest: str
    author: str
    at: datetime
    created: bool


class PlansOut(Out):
    plans: list[PlanKept]


@router.get("/campaigns/{name}/study/plans")
def plans(name: CampaignName, who: CallsAsCurator, services: ServicesDep) -> PlansOut:
    """Every time that this study's analysis plan was written down, the oldest first."""
    return PlansOut(plans=[PlanKept.model_validate(one) for one in studying.plans(services, name)])
