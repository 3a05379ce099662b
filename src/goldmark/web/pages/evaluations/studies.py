"""A study's pages: its report, deciding on exclusions blind, and what explanations are about."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from fastapi.responses import Response

from goldmark.campaigns.definition.conditions import places
from goldmark.campaigns.lifecycle import list_campaigns
from goldmark.exchange.campaign.archive import zipped
from goldmark.followups.create import EXPLANATION_CODING, follow_ups
from goldmark.studies.design.create import is_study
from goldmark.web.api.evaluations import studies as calls
from goldmark.web.computing import computed
from goldmark.web.files import saved
from goldmark.web.pages.forms import filled, posts
from goldmark.web.pages.frame import NOT_FAILED, Wrong, go, page, shown
from goldmark.web.pages.router import Pages
from goldmark.web.sign_in import ReadsAsCurator, SendsAsManager

router = Pages()


@router.get("/studies")
def studies(visit: ReadsAsCurator) -> Response:
    """Campaigns whose people are randomised, with a plan or without."""
    found = visit.read(
        lambda connection: [
            (row, is_study(connection, row)) for row in list_campaigns(connection)[::-1] if row.settings.conditions
        ]
    )
    return page(visit, "studies.html", studies=[(row, visit.progress(row.name).found, by) for row, by in found])


@router.get("/campaigns/{name}/study")
def report(
    visit: ReadsAsCurator, name: str, *, with_excluded: Annotated[bool, Query()] = False, wrong: Wrong = NOT_FAILED
) -> Response:
    from goldmark.studies.evaluation.report_output import histogram_groups, registration_line

    row, (by_study, conditions, codings) = visit.with_campaign(
        name,
        lambda connection, row: (
            is_study(connection, row),
            places(connection, row) if row.settings.conditions else [],
            follow_ups(connection, row, EXPLANATION_CODING.name),
        ),
    )
    if conditions and not by_study:  # one can have conditions without a study
        return page(visit, "study_none.html", campaign=row, conditions=conditions)
    made = visit.services.computing.of(name, computed.study_report, with_excluded)
    found = made.found
    digest = found.registration.digest
    histograms = [(table, histogram_groups(table)) for table in found.histograms]
    heights = [people for _, groups in histograms for _, bars in groups for _, people, _ in bars]
    return page(
        visit,
        "study.html",
        wrong=wrong,
        campaign=row,
        report=found,
        as_of=made.as_of,
        # Enough of the digest to know it again; the report has all of it.
        registration=registration_line(found.registration).replace(digest, f"{digest[:12]}…"),
        results=shown(found.results),
        tests=shown(found.tests),
        people=shown(found.people),
        histograms=histograms,
        tallest=max(heights, default=1) or 1,
        with_excluded=with_excluded,
        codings=codings,
    )


@router.get("/campaigns/{name}/study/report.zip")
def download(visit: ReadsAsCurator, name: str, with_excluded: Annotated[bool, Query()] = False) -> Response:
    """The whole report to keep: words, tables, histograms, JSON."""
    from goldmark.studies.evaluation.report_output import report_files

    found = visit.services.computing.of(name, computed.study_report, with_excluded).found
    return saved(zipped(report_files(found)), f"{name}-report.zip", "application/zip")


posts(
    router,
    "/campaigns/{name}/study/coding",
    calls.code,
    to="/campaigns/{campaign}",
    done="created",
    again=report,
    form="coding",
)


@router.get("/campaigns/{name}/study/exclusions")
def exclusions(visit: ReadsAsCurator, name: str) -> Response:
    cases = calls.exclusions(visit, name)
    case = cases.waiting[0] if cases.waiting else None
    return page(visit, "study_exclusions.html", campaign=visit.campaign(name), cases=cases, case=case)


@router.post("/campaigns/{name}/study/exclusions")
def decide(visit: SendsAsManager, name: str) -> Response:
    calls.decide(visit, name, visit.given.get("case", ""), filled(calls.ExclusionIn, visit.given))
    return go(f"/campaigns/{name}/study/exclusions", "case-decided")


@router.get("/campaigns/{name}/study/coding/{coding}")
def coded(visit: ReadsAsCurator, name: str, coding: str, by: Annotated[str, Query(max_length=40)] = "") -> Response:
    row, tables = visit.campaign(name), shown(calls.coded(visit, name, coding, by)["tables"])
    factors = list(dict.fromkeys(factor for one in row.settings.conditions for factor in one.factors))
    return page(visit, "study_coding.html", campaign=row, coding=coding, tables=tables, factors=factors, by=by)
