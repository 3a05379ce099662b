"""Controlled studies: plan and make them, decide on exclusions blind, have explanations coded, read the report."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import File, Form, Path, Query, UploadFile
from pydantic import Field

from goldmark.campaigns.definition.settings import Name, Whole
from goldmark.studies.design.change import change_study
from goldmark.studies.design.create import PlanRecord, plans_of
from goldmark.studies.evaluation.exclusion_decisions import ExclusionCases
from goldmark.studies.stored import create_uploaded, plan_uploaded, uploaded_source
from goldmark.web.api.calls import Calls
from goldmark.web.api.campaigns.campaigns import CampaignOut, campaign_out
from goldmark.web.api.campaigns.follow_up import built_in
from goldmark.web.api.figures import AsOf, TableOut
from goldmark.web.api.inputs import CampaignName, In, Out, ShortWords, Words
from goldmark.web.computing import computed
from goldmark.web.sign_in import CallsAsCurator, CallsAsManager
from goldmark.web.visits import received

router = Calls("/api/v1", "studies")

StudyFiles = Annotated[list[UploadFile], File(description="study.yaml, its texts, its protocol if it has its own.")]
StudyFile = Annotated[list[UploadFile], File(description="study.yaml; what else is sent is not read.")]
Reason = Annotated[str, Form(max_length=2000, description="Why, for the history.")]
CaseKey = Annotated[str, Path(pattern=r"^[0-9a-f]{16}$")]


class PlanOut(Out):
    """A study before it begins."""

    study: str
    digest: str = Field(description="One number for the whole analysis plan; the report shows it.")
    participants: int
    answers: int
    cost: float | None
    currency: str
    tables: list[TableOut]
    warnings: list[str] = Field(description="What is allowed and would yet spoil the study.")


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
    tables: list[TableOut]
    as_of: AsOf


class ExclusionIn(In):
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
    tables: list[TableOut]


class PlansOut(Out):
    plans: list[PlanRecord]


@router.post("/studies/plan", response_model=PlanOut)
def plan(visit: CallsAsManager, files: StudyFiles) -> Any:
    """Check a study, compute its power and cost, and write its analysis plan down."""
    return plan_uploaded(visit.store, received(files), author=visit.name)


@router.post("/studies", status_code=201, response_model=StudyCreated)
def create(visit: CallsAsManager, files: StudyFiles) -> dict[str, Any]:
    """Make a study's campaign, with a condition for each cell. It still has to be started."""
    row, digest = create_uploaded(visit.store, visit.links, received(files), author=visit.name)
    return {**campaign_out(visit, row), "digest": digest}


@router.put("/campaigns/{name}/study")
def change(visit: CallsAsManager, name: CampaignName, files: StudyFile, reason: Reason = "") -> PlansOut:
    """Change a study that nobody has begun: everything but its texts and its protocol. The new plan is written down."""
    change_study(visit.store, name, uploaded_source(received(files)), author=visit.name, reason=reason.strip())
    return plans(visit, name)


@router.get("/campaigns/{name}/study", response_model=ReportOut)
def report(
    visit: CallsAsCurator,
    name: CampaignName,
    with_excluded: Annotated[bool, Query(description="As if nobody had been excluded.")] = False,
) -> dict[str, Any]:
    """The report: results, planned tests, what became of everybody, what can be concluded and what cannot."""
    from goldmark.studies.evaluation.report_output import report_json

    made = visit.services.computing.of(name, computed.study_report, with_excluded)
    return {**report_json(made.found), "tables": made.found.tables, "as_of": made.as_of}


@router.get("/campaigns/{name}/study/exclusions")
def exclusions(visit: CallsAsCurator, name: CampaignName) -> ExclusionCases:
    """Participants that the study's rules suggest to exclude, without their names and conditions."""
    return visit.services.computing.of(name, computed.study_cases, visit.links).found


@router.post("/campaigns/{name}/study/exclusions/{case}")
def decide(visit: CallsAsManager, name: CampaignName, case: CaseKey, body: ExclusionIn) -> ExclusionCases:
    """Exclude the participant of a case, or keep them."""
    how = {"leave_out": body.decision == "exclude", "reason": body.reason.strip(), "author": visit.name}
    visit.services.computing.apart(name, computed.study_decide, visit.links, case, how)
    return exclusions(visit, name)


@router.post("/campaigns/{name}/study/coding", status_code=201, response_model=CampaignOut)
def code(visit: CallsAsManager, name: CampaignName, body: CodingIn) -> dict[str, Any]:
    """A campaign in which two people code participants' explanations. It still has to be started."""
    how = {
        "name": body.campaign,
        "people": body.people,
        "protocol": built_in(body.protocol),
        "seed": body.seed,
        "author": visit.name,
    }
    return campaign_out(visit, visit.services.computing.apart(name, computed.study_coding, visit.links, how))


@router.get("/campaigns/{name}/study/coding/{coding}", response_model=CodedOut)
def coded(
    visit: CallsAsCurator,
    name: CampaignName,
    coding: Annotated[str, Path(pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")],
    by: Annotated[str, Query(max_length=40, description="The factor whose levels are compared; the last.")] = "",
) -> dict[str, Any]:
    """What explanations are about, by a factor's levels, and how far the coders agree."""
    tables = visit.services.computing.apart(name, computed.study_coded, coding, by)
    return {"study": name, "campaign": coding, "tables": tables}


@router.get("/campaigns/{name}/study/plans")
def plans(visit: CallsAsCurator, name: CampaignName) -> PlansOut:
    """Every time that this study's analysis plan was written down, the oldest first."""
    return PlansOut(plans=visit.read(lambda connection: plans_of(connection, name)))
