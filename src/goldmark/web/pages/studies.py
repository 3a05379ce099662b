"""A study's pages: planning one, its report, deciding on exclusions blind, and what explanations are about."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, File, Query, Request, UploadFile
from fastapi.responses import Response
from sqlalchemy import Connection

from goldmark.campaigns.conditions import places
from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.campaigns.settings import ConditionPart
from goldmark.errors import GoldmarkError
from goldmark.records.tables import Table
from goldmark.web import studying
from goldmark.web.api.campaigns import received
from goldmark.web.pages.frame import NOT_FAILED, Failed, Word, failed, go, number, page
from goldmark.web.services import Services, ServicesDep
from goldmark.web.signing_in import ReadsAsCurator, ReadsAsManager, SendsAsManager, Visitor

router = APIRouter(include_in_schema=False)

Files = Annotated[list[UploadFile], File()]


@router.get("/studies/new")
def new(request: Request, who: ReadsAsManager) -> Response:
    return page(request, "study_new.html", who, plan=None)


@router.post("/studies/new")
def make(request: Request, who: SendsAsManager, services: ServicesDep, files: Files, action: Word = "plan") -> Response:
    """Check and plan, or make: the files are sent again, so that what is made is what was looked at last."""
    try:
        if action == "create":
            row, _ = studying.created(services, received(files), author=who.name)
            return go(f"/campaigns/{row.name}/study", "created")
        plan = studying.plan(services, received(files), author=who.name)
    except GoldmarkError as error:
        return page(request, "study_new.html", who, wrong=failed("files", error), plan=None)
    return page(request, "study_new.html", who, plan=plan, tables=_read(plan.tables))


@router.get("/campaigns/{name}/study")
def report(
    name: str,
    request: Request,
    who: ReadsAsCurator,
    services: ServicesDep,
    with_excluded: Annotated[bool, Query()] = False,
) -> Response:
    return _report_page(name, request, who, services, with_excluded=with_excluded)


@router.get("/campaigns/{name}/study/exclusions")
def exclusions(name: str, request: Request, who: ReadsAsCurator, services: ServicesDep) -> Response:
    row = services.store.read(lambda connection: find_campaign(connection, name))
    docket = studying.docket(services, name)
    case = docket.waiting[0] if docket.waiting else None
    return page(request, "study_exclusions.html", who, campaign=row, docket=docket, case=case)


@router.post("/campaigns/{name}/study/exclusions")
def decide(
    name: str, who: SendsAsManager, services: ServicesDep, case: Word = "", decision: Word = "", reason: Word = ""
) -> Response:
    studying.decide(services, name, case, leave_out=decision == "exclude", reason=reason.strip(), author=who.name)
    return go(f"/campaigns/{name}/study/exclusions", "case-decided")


@router.post("/campaigns/{name}/study/coding")
def code(
    name: str,
    request: Request,
    who: SendsAsManager,
    services: ServicesDep,
    campaign: Word = "",
    people: Word = "",
) -> Response:
    """One step: a sample of explanations becomes a campaign for two coders."""
    wanted = number(people) if people.strip() else None
    try:
        row = studying.coding(
            services,
            name,
            campaign.strip(),
            people=wanted if isinstance(wanted, int) else None,
            protocol=None,
            seed=0,
            author=who.name,
        )
    except GoldmarkError as error:
        return _report_page(name, request, who, services, wrong=failed("coding", error))
    return go(f"/campaigns/{row.name}", "created")


@router.get("/campaigns/{name}/study/coding/{coding}")
def coded(
    name: str,
    coding: str,
    request: Request,
    who: ReadsAsCurator,
    services: ServicesDep,
    by: Annotated[str, Query(max_length=40)] = "",
) -> Response:
    row = services.store.read(lambda connection: find_campaign(connection, name))
    tables = _read(studying.coded(services, name, coding, by))
    factors = list(dict.fromkeys(factor for one in row.settings.conditions for factor in one.factors))
    return page(request, "study_coding.html", who, campaign=row, coding=coding, tables=tables, factors=factors, by=by)


def _read(tables: Any) -> list[tuple[Table, Any]]:
    from goldmark.reports.tables import reading

    return [(table, reading(table)) for table in tables]


def _report_page(
    name: str,
    request: Request,
    who: Visitor,
    services: Services,
    *,
    with_excluded: bool = False,
    wrong: Failed = NOT_FAILED,
) -> Response:
    from goldmark.reports.study import histogram_groups, registration_line

    def look(connection: Connection) -> tuple[CampaignRow, bool, list[tuple[ConditionPart, int]]]:
        row = find_campaign(connection, name)
        return row, studying.is_study(connection, row), places(connection, row)

    row, is_study, conditions = services.store.read(look)
    if conditions and not is_study:
        return page(request, "study_none.html", who, campaign=row, conditions=conditions)
    found = studying.report(services, name, with_excluded=with_excluded)
    histograms = [(table, histogram_groups(table)) for table in found.histograms]
    return page(
        request,
        "study.html",
        who,
        wrong=wrong,
        campaign=row,
        report=found,
        registration=registration_line(found.registration),
        results=_read(found.results),
        tests=_read(found.tests),
        people=_read(found.people),
        histograms=histograms,
        tallest=max((people for _, groups in histograms for _, bars in groups for _, people, _ in bars), default=1)
        or 1,
        with_excluded=with_excluded,
        codings=studying.codings(services, row),
    )
