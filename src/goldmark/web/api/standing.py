"""A campaign's quality protocol: where each text stands, reviewers, candidates, agreement, and the final spot check."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import Field
from sqlalchemy import Connection

from goldmark.analysis.campaign_tables import agreement_tables, quality_protocol
from goldmark.campaigns import final_checks
from goldmark.campaigns import standing as places
from goldmark.campaigns.lifecycle import find_campaign
from goldmark.campaigns.reviewing import Remark
from goldmark.campaigns.standing import Place
from goldmark.protocols import present
from goldmark.reports.tables import to_json
from goldmark.web.api import shapes
from goldmark.web.api.inputs import CampaignName, In, Out, PageNumber, PageOut, ShortWords, WithExcluded
from goldmark.web.api.reviews import Figures, RemarkIn, Said
from goldmark.web.services import ServicesDep
from goldmark.web.signing_in import CallsAsCurator, CallsAsManager

router = APIRouter(prefix="/api/v1/campaigns/{name}/standing", tags=["reviews"], responses=shapes.FAILURES)

First = Annotated[bool, Query(description="Versions before any reviewer returned them.")]
Groups = Annotated[bool, Query(description="Compare people of two conditions, not every pair.")]
Between = Annotated[list[ShortWords], Query(max_length=2, description="Which two conditions; none: the only two.")]


class CandidateOut(Out):
    annotator: str
    standing: Literal["passes", "does not pass", "too few yet"]
    reviewed: int


class CheckOut(Out):
    size: int
    of: int
    seed: int
    author: str
    at: datetime
    judged: int


class StandingOut(Out):
    """How many texts stand where, and the figures of the quality protocol; null where there is nothing yet."""

    texts: int
    places: dict[Place, int]
    set_aside: dict[str, int] = Field(description="Of those set aside, how many by which answer.")
    calibration: dict[str, Any] | None = Field(description="How far reviewers agree, by stage.")
    candidates: list[CandidateOut] | None
    candidates_table: dict[str, Any] | None
    spot_check: CheckOut | None
    spot_check_table: dict[str, Any] | None


class TextOut(Out):
    id: int
    name: str
    preview: str
    annotators: list[str]
    returned: int
    since: datetime | None


class TextList(PageOut):
    place: Place
    texts: list[TextOut]


class DrawIn(In):
    size: int = Field(ge=1, le=final_checks.MOST, strict=True, description="How many finished answers to draw by lot.")
    seed: int = Field(default=0, ge=0, le=2**53, strict=True)


class NextOut(Out):
    response: int | None = Field(description="The response to judge next; none: all are judged, or nothing was drawn.")


class DrawnOut(Out):
    """An answer of the spot check, as it was when it was drawn."""

    id: int
    revision: int
    shown: dict[str, Any]
    shown_first: str | None = Field(
        description="Of a comparison: the role of the text that was shown first; null: as given."
    )
    answers: dict[str, Any]
    protocol: dict[str, Any]


class WordIn(In):
    right: bool = Field(strict=True)
    remarks: list[RemarkIn] = Field(default=[], max_length=1_000, description="What is wrong, and where.")
    comment: Said = ""


class WordKept(Out):
    id: int
    right: bool


@router.get("")
def standing(name: CampaignName, who: CallsAsCurator, services: ServicesDep) -> StandingOut:
    """Where each text stands, how far reviewers agree, which candidates pass, and what the spot check found."""
    found = quality_protocol(services.store, services.library, name)
    check = found.check
    return StandingOut(
        texts=found.standing.texts,
        places=dict(found.standing.places),
        set_aside=dict(found.standing.set_aside),
        calibration=to_json(found.calibration) if found.calibration else None,
        candidates=None if found.candidates is None else [CandidateOut.model_validate(one) for one in found.candidates],
        candidates_table=to_json(found.candidates_table) if found.candidates_table else None,
        spot_check=CheckOut.model_validate(check) if check else None,
        spot_check_table=to_json(found.check_table) if found.check_table else None,
    )


@router.get("/agreement")
def agreement(
    name: CampaignName,
    who: CallsAsCurator,
    services: ServicesDep,
    by_condition: Groups = False,
    between: Between = [],  # noqa: B006 - FastAPI copies it
    first: First = False,
    with_excluded: WithExcluded = False,
) -> Figures:
    """How far people who read the same texts agree at each stage: detection, spans, types, corrections."""
    groups = list(between) if by_condition or between else None
    tables = agreement_tables(services.store, name, groups=groups, first=first, with_excluded=with_excluded)
    return Figures(tables=[to_json(table) for table in tables])


@router.post("/spot-check", status_code=201)
def draw(name: CampaignName, body: DrawIn, who: CallsAsManager, services: ServicesDep) -> CheckOut:
    """Draw finished answers by lot: a new spot check begins."""
    made = final_checks.draw(services.store, name, size=body.size, seed=body.seed, author=who.name)
    return CheckOut.model_validate(made)


@router.get("/spot-check/next")
def next_one(name: CampaignName, who: CallsAsCurator, services: ServicesDep) -> NextOut:
    """Which answer of the spot check to judge next; never your own."""
    found = services.store.read(
        lambda connection: final_checks.next_to_check(connection, find_campaign(connection, name), who.name)
    )
    return NextOut(response=found)


@router.get("/spot-check/{response_id}")
def drawn(name: CampaignName, response_id: shapes.RowId, who: CallsAsCurator, services: ServicesDep) -> DrawnOut:
    """One answer of the spot check, without whose it is and what reviewers said of it."""

    def look(connection: Connection) -> Any:
        return final_checks.drawn_response(connection, find_campaign(connection, name), response_id)

    found, _ = services.store.read(look)
    revision = found.revisions[0]
    return DrawnOut(
        id=found.id,
        revision=revision.number,
        shown=found.shown.to_json(),
        shown_first=found.shown_first,
        answers=dict(revision.answers),
        protocol=present(services.library.protocol(revision.protocol_id)),
    )


@router.post("/spot-check/{response_id}")
def say(
    name: CampaignName, response_id: shapes.RowId, body: WordIn, who: CallsAsCurator, services: ServicesDep
) -> WordKept:
    """Your word on one answer of the spot check. It changes nothing but the figures."""
    final_checks.say(
        services.store,
        services.library,
        name,
        response_id,
        right=body.right,
        remarks=[Remark(one.where, one.part, one.comment) for one in body.remarks],
        comment=body.comment,
        checker=who.name,
    )
    return WordKept(id=response_id, right=body.right)


@router.get("/{place}")
def texts(
    name: CampaignName, place: Place, who: CallsAsCurator, services: ServicesDep, page: PageNumber = 1
) -> TextList:
    """The texts that stand at one place."""

    def look(connection: Connection) -> Any:
        row = find_campaign(connection, name)
        return places.texts_at(connection, row, services.library.protocol(row.protocol_id), place, page=page)

    found = services.store.read(look)
    return TextList(
        place=place,
        texts=[TextOut.model_validate(one) for one in found.items],
        number=found.number,
        size=found.size,
        total=found.total,
        pages=found.pages,
    )
