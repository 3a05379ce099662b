"""Making a campaign of another one's answers, and the results of a verification campaign."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from goldmark.analysis.campaign_tables import coded_tables, verification_tables
from goldmark.campaigns import derive as deriving
from goldmark.campaigns.export import record_of
from goldmark.campaigns.lifecycle import find_campaign
from goldmark.curation.derivations import DERIVATIONS, find_derivation, second_look
from goldmark.curation.gold import write_gold
from goldmark.errors import GoldmarkError, Problem, ProblemsFound
from goldmark.reports.tables import reading
from goldmark.web.api.inputs import WithExcluded
from goldmark.web.pages.frame import NOT_FAILED, Failed, Word, failed, go, number, page
from goldmark.web.services import Services, ServicesDep
from goldmark.web.signing_in import ReadsAsCurator, ReadsAsManager, SendsAsManager, Visitor

router = APIRouter(include_in_schema=False, prefix="/campaigns/{name}")

BLANK = {"derivation": "verification", "campaign": "", "title": "", "labels": "", "question": "", "seed": ""}


@router.get("/derive")
def form(name: str, request: Request, who: ReadsAsManager, services: ServicesDep) -> Response:
    return _form(name, request, who, services, {**BLANK, "campaign": f"{name}-second-look"[:63]})


@router.post("/derive")
def make(
    name: str,
    request: Request,
    who: SendsAsManager,
    services: ServicesDep,
    derivation: Word = "",
    campaign: Word = "",
    title: Word = "",
    labels: Word = "",
    question: Word = "",
    seed: Word = "",
) -> Response:
    given = {
        "derivation": derivation,
        "campaign": campaign,
        "title": title,
        "labels": labels,
        "question": question,
        "seed": seed,
    }
    try:
        opened = deriving.derive(
            services.store,
            services.links,
            find_derivation(derivation),
            name,
            name=campaign.strip(),
            title=title.strip(),
            labels=_whole(labels, "labels", 1),
            question=question.strip() or None,
            seed=_whole(seed, "seed", 0) or 0,
            author=who.name,
        )
    except GoldmarkError as error:
        return _form(name, request, who, services, given, wrong=failed("derive", error))
    return go(f"/campaigns/{opened.campaign.name}", "created")


def _whole(given: str, part: str, least: int) -> int | None:
    if not given.strip():
        return None
    value = number(given)
    if not isinstance(value, int) or not least <= value <= 1000:
        raise ProblemsFound([Problem(part, "is no whole number", f"write one from {least} to 1000", part)])
    return value


def _form(
    name: str,
    request: Request,
    who: Visitor,
    services: Services,
    given: dict[str, str],
    *,
    wrong: Failed = NOT_FAILED,
) -> Response:
    row = services.store.read(lambda connection: find_campaign(connection, name))
    return page(
        request, "derive.html", who, wrong=wrong, campaign=row, given=given, derivations=list(DERIVATIONS.values())
    )


@router.get("/verified")
def verified(
    name: str, request: Request, who: ReadsAsCurator, services: ServicesDep, with_excluded: WithExcluded = False
) -> Response:
    """The results of a verification campaign; of any other, what to do to get one."""
    row = services.store.read(lambda connection: find_campaign(connection, name))
    try:
        look = second_look(services.store, name, with_excluded=with_excluded)
    except GoldmarkError as error:
        return page(request, "verified.html", who, campaign=row, look=None, why=str(error), tables=[])
    tables = [(table, reading(table)) for table in verification_tables(look)]
    return page(
        request, "verified.html", who, campaign=row, look=look, why="", tables=tables, with_excluded=with_excluded
    )


@router.get("/coded")
def coded(name: str, request: Request, who: ReadsAsCurator, services: ServicesDep) -> Response:
    """The results of a coding campaign; of any other, why there are none."""
    row = services.store.read(lambda connection: find_campaign(connection, name))
    try:
        tables = coded_tables(record_of(services.store, name))
        why = ""
    except GoldmarkError as error:
        tables, why = [], str(error)
    drawn = [(table, reading(table)) for table in tables]
    return page(request, "coded.html", who, campaign=row, why=why, tables=drawn)


@router.get("/verified/gold.csv")
def verified_list(name: str, who: ReadsAsCurator, services: ServicesDep) -> Response:
    """The verified gold list to download."""
    look = second_look(services.store, name)
    written = write_gold(look.result.kept, look.basis.reports.texts)
    disposition = {"content-disposition": f'attachment; filename="{name}-verified.csv"'}
    return Response(written.encode(), media_type="text/csv; charset=utf-8", headers=disposition)
