"""Curation: everybody's marks of a unit, the proposal, the steps of curators, and the gold lists they froze."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from fastapi.responses import Response
from pydantic import Field
from sqlalchemy import Connection

from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.campaigns.paging import Page
from goldmark.curation import versions, worklist
from goldmark.curation.agreeing import text_agreement
from goldmark.curation.asked import role_of, spans_question
from goldmark.curation.desk import Desk, open_desk, take_step
from goldmark.curation.desk_state import more_to_json
from goldmark.curation.gold import Change, diff
from goldmark.curation.step_kinds import KINDS
from goldmark.curation.worklist import CurationState
from goldmark.records.figures import Figure
from goldmark.records.gold import GoldText
from goldmark.records.units import context_to_json
from goldmark.web.api import shapes
from goldmark.web.api.inputs import CampaignName, In, Out, PageNumber, PageOut, ShortWords, Words
from goldmark.web.services import Services, ServicesDep
from goldmark.web.signing_in import CallsAsCurator

router = APIRouter(prefix="/api/v1/campaigns/{name}", tags=["curation"], responses=shapes.FAILURES)

BY_HAND = [name for name, kind in KINDS.items() if kind.by_hand]
StepKind = Annotated[str, Field(max_length=40, json_schema_extra={"enum": BY_HAND})]
Version = Annotated[int, Path(ge=1, le=1_000_000)]
# The questions about passages are curated one by one, each with versions of its own.
Question = Annotated[
    str | None, Query(max_length=64, pattern=r"^[a-z0-9_]*$", description="Which question; else the first on passages.")
]


class CurationLine(Out):
    id: int
    name: str
    state: CurationState
    done: int
    wanted: int
    steps: int
    version: int
    preview: str


class CurationList(PageOut):
    units: list[CurationLine]
    finished: int
    total_units: int


class StepOut(Out):
    number: int
    kind: str
    facts: dict[str, Any]
    reason: str
    author: str
    at: datetime | None


class FigureOut(Out):
    value: float | None
    reason: str


class PairOut(Out):
    first: str
    second: str
    f1: FigureOut


class AgreementOut(Out):
    token_alpha: FigureOut
    token_f1: FigureOut
    pairs: list[PairOut]


class VersionLine(Out):
    version: int
    author: str
    at: datetime | None
    mistakes: int


class DeskOut(Out):
    """All that a page needs to draw a unit and to go on without asking again."""

    unit: dict[str, Any]
    text: dict[str, Any]
    context: list[dict[str, Any]]
    question: dict[str, Any]
    rules: dict[str, Any]
    people: list[str]
    marks: dict[str, list[dict[str, Any]]]
    basis: list[str]
    steps: list[StepOut]
    state: dict[str, Any]
    versions: list[VersionLine]
    agreement: AgreementOut


# A name of at most 200 characters, a stroke and a number.
BasisWords = Annotated[str, Field(max_length=220, pattern=r"^[^\x00]*$")]


class StepIn(In):
    """One step. `after` is the number of the last step that you have seen; the proposal is step 1."""

    after: Annotated[int, Field(ge=1, le=1_000_000)]
    kind: StepKind
    facts: dict[str, Any] = Field(default_factory=dict, description="What it needs, such as the mark it is about.")
    reason: Words = ""
    basis: Annotated[
        list[BasisWords] | None,
        Field(max_length=1_000, description="The answers that your proposal rests on; matters for the first step."),
    ] = None


class StepsOut(Out):
    steps: list[StepOut]
    state: dict[str, Any]


class ChangeOut(Out):
    kind: str
    what: list[str]
    old: dict[str, Any] | None
    new: dict[str, Any] | None


class VersionOut(Out):
    version: int
    author: str
    reason: str
    at: datetime | None
    mistakes: list[dict[str, Any]]
    left_out: list[dict[str, Any]]
    annotators: list[str]
    changes: list[ChangeOut]


@router.get("/curation")
def list_units(
    name: CampaignName,
    who: CallsAsCurator,
    services: ServicesDep,
    search: Annotated[ShortWords, Query(description="Part of a unit's name.")] = "",
    state: CurationState | None = None,
    page: PageNumber = 1,
    question: Question = None,
) -> CurationList:
    """Units with how far their curation is."""

    def look(connection: Connection) -> tuple[Page[worklist.CurationLine], worklist.CurationProgress]:
        row = find_campaign(connection, name)
        asked = spans_question(services.library.protocol(row.protocol_id), row, question or None).id
        found = worklist.list_curation(connection, row, asked, search=search, state=state or "", page=page)
        return found, worklist.curation_progress(connection, row, asked)

    found, progress = services.store.read(look)
    return CurationList(
        units=[CurationLine.model_validate(one) for one in found.items],
        finished=progress.finished,
        total_units=progress.units,
        number=found.number,
        size=found.size,
        total=found.total,
        pages=found.pages,
    )


@router.get("/curation/{unit_id}")
def show(
    name: CampaignName, unit_id: shapes.RowId, who: CallsAsCurator, services: ServicesDep, question: Question = None
) -> DeskOut:
    """One unit: the text, everybody's marks, the proposal and every step since."""

    def look(connection: Connection) -> tuple[Desk, list[GoldText]]:
        desk = open_desk(connection, services.library, find_campaign(connection, name), unit_id, question or None)
        return desk, versions.versions_of(connection, unit_id, desk.question.id)

    return desk_out(*services.store.read(look))


@router.post("/curation/{unit_id}/steps", status_code=201)
def take(
    name: CampaignName,
    unit_id: shapes.RowId,
    body: StepIn,
    who: CallsAsCurator,
    services: ServicesDep,
    question: Question = None,
) -> StepsOut:
    """Take one step. If somebody else took one since `after`, nothing changes and the reply holds the newer steps."""
    steps = take_step(
        services.store,
        services.library,
        name,
        unit_id,
        after=body.after,
        kind=body.kind,
        facts=body.facts,
        reason=body.reason,
        author=who.name,
        basis=body.basis,
        question=question or None,
    )
    desk = services.store.read(
        lambda connection: open_desk(
            connection, services.library, find_campaign(connection, name), unit_id, question or None
        )
    )
    return StepsOut(steps=[StepOut.model_validate(one) for one in steps], state=desk.state().to_json())


@router.get("/curation/{unit_id}/versions/{version}")
def version(
    name: CampaignName,
    unit_id: shapes.RowId,
    version: Version,
    who: CallsAsCurator,
    services: ServicesDep,
    against: Annotated[
        int | None, Query(ge=0, le=1_000_000, description="A version to compare with; 0 is the automatic proposal.")
    ] = None,
    question: Question = None,
) -> VersionOut:
    """A frozen gold list, and what changed since another version of it."""

    def look(connection: Connection) -> tuple[GoldText, GoldText | None]:
        desk = open_desk(connection, services.library, find_campaign(connection, name), unit_id, question or None)
        frozen = versions.versions_of(connection, unit_id, desk.question.id)
        return desk.version(frozen, version), None if against is None else desk.version(frozen, against)

    found, old = services.store.read(look)
    data = versions.gold_to_json(found)
    changes = diff(old.mistakes, found.mistakes) if old is not None else []
    return VersionOut(
        version=found.version,
        author=found.author,
        reason=found.reason,
        at=found.at,
        mistakes=data["mistakes"],
        left_out=data["left_out"],
        annotators=data["annotators"],
        changes=[change_out(one) for one in changes],
    )


def change_out(one: Change) -> ChangeOut:
    return ChangeOut(
        kind=one.kind,
        what=list(one.what),
        old=one.old and versions.mistake_to_json(one.old),
        new=one.new and versions.mistake_to_json(one.new),
    )


@router.get(
    "/gold",
    response_class=Response,
    responses={200: {"description": "The last version of every finished unit.", "content": {"text/csv": {}}}},
)
def gold(name: CampaignName, who: CallsAsCurator, services: ServicesDep, question: Question = None) -> Response:
    """The campaign's gold list as CSV, in the shared task's columns with how many agreed on each mistake."""
    content = services.store.snapshot(
        lambda connection: _csv(connection, services, find_campaign(connection, name), question or None)
    )
    headers = {"content-disposition": f'attachment; filename="{name}-gold.csv"'}
    return Response(content, media_type="text/csv; charset=utf-8", headers=headers)


def _csv(connection: Connection, services: Services, row: CampaignRow, wanted: str | None) -> str:
    protocol = services.library.protocol(row.protocol_id)
    question = spans_question(protocol, row, wanted)
    return versions.gold_csv(connection, row, question.id, role=role_of(protocol, question))


def desk_out(desk: Desk, frozen: list[GoldText]) -> DeskOut:
    agreement = text_agreement(len(desk.text.tokens), desk.marks)
    line = desk.unit.line
    return DeskOut(
        unit={"id": line.id, "name": line.name, "done": line.done, "wanted": line.wanted},
        text=desk.shown.to_json(),
        context=[context_to_json(item) for item in desk.unit.shown.context],
        question=_presented(desk),
        rules={
            "first": desk.rules.first,
            "last": desk.rules.last,
            "overlaps": desk.rules.overlap,
            "labels": None if desk.rules.labels is None else list(desk.rules.labels),
            "priority": list(desk.rules.priority),
            "attributes": {name: options and list(options) for name, options in desk.rules.attributes.items()},
            "roles": list(desk.rules.roles),
        },
        people=sorted(desk.marks),
        marks={
            name: [
                {
                    "start": one.span.start,
                    "end": one.span.end,
                    "label": one.label,
                    "correction": one.correction,
                    "comment": one.comment,
                    **more_to_json(one),
                }
                for one in some
            ]
            for name, some in desk.marks.items()
        },
        basis=list(desk.basis),
        steps=[StepOut.model_validate(one) for one in desk.steps],
        state=desk.state().to_json(),
        versions=[
            VersionLine(version=one.version, author=one.author, at=one.at, mistakes=len(one.mistakes)) for one in frozen
        ],
        agreement=AgreementOut(
            token_alpha=_figure(agreement.token_alpha),
            token_f1=_figure(agreement.token_f1),
            pairs=[PairOut(first=one.first, second=one.second, f1=_figure(one.f1)) for one in agreement.pairs],
        ),
    )


def _presented(desk: Desk) -> dict[str, Any]:
    """The question as a curator needs it: correction and explanation belong to every gold mistake anyway."""
    asked = desk.question.present(desk.protocol.around)
    return {**asked, "attributes": [one for one in asked["attributes"] if one["id"] in desk.rules.attributes]}


def _figure(figure: Figure) -> FigureOut:
    return FigureOut(value=figure.value, reason=figure.reason)
