"""Curation: everybody's marks of a unit, the proposal, the steps of curators, and the gold lists they froze."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import Path, Query
from fastapi.responses import Response
from pydantic import Field, model_validator
from sqlalchemy import Connection

from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.curation.gold_lists import versions
from goldmark.curation.gold_lists.files import Change, diff
from goldmark.curation.gold_lists.formats import GOLD_FORMATS
from goldmark.curation.proposals.text_agreement import text_agreement
from goldmark.curation.question import spans_question
from goldmark.curation.workspace import at_once
from goldmark.curation.workspace.blind import hidden
from goldmark.curation.workspace.service import CurationWorkspace, open_workspace, take_step
from goldmark.curation.workspace.state import mark_to_json
from goldmark.curation.workspace.step_kinds import KINDS
from goldmark.curation.workspace.steps import CurationStep
from goldmark.curation.workspace.worklist import CurationLine, CurationState
from goldmark.records.gold import GoldText
from goldmark.records.units import context_to_json
from goldmark.web.api import shapes
from goldmark.web.api.calls import Calls
from goldmark.web.api.figures import AsOf, FigureOut
from goldmark.web.api.inputs import CampaignName, In, OneOf, Out, PageNumber, PageOut, ShortWords, Words, page_of
from goldmark.web.computing import computed
from goldmark.web.computing.computing import Computed
from goldmark.web.files import saved
from goldmark.web.sign_in import CallsAsCurator
from goldmark.web.visits import Visit

router = Calls("/api/v1/campaigns/{name}", "curation")

BY_HAND = [name for name, kind in KINDS.items() if kind.by_hand]
StepKind = Annotated[str, Field(max_length=40, json_schema_extra={"enum": BY_HAND})]
Version = Annotated[int, Path(ge=1, le=1_000_000)]
# The questions about passages are curated one by one, each with versions of its own.
Question = Annotated[
    str | None, Query(max_length=64, pattern=r"^[a-z0-9_]*$", description="Which question; else the first on passages.")
]

GoldFormatName = Annotated[str, OneOf(GOLD_FORMATS.usable), Query(description="How the list is written.")]
MEDIA = {".csv": "text/csv", ".zip": "application/zip"}


class CurationList(PageOut):
    units: list[CurationLine]
    finished: int
    total_units: int
    unanimous: int = Field(description="Texts that everybody marked alike, to be finished together.")
    as_of: AsOf


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


class WorkspaceOut(Out):
    """All that a page needs to draw a unit and to go on without asking again."""

    unit: dict[str, Any]
    text: dict[str, Any]
    context: list[dict[str, Any]]
    question: dict[str, Any]
    rules: dict[str, Any]
    people: list[str]
    marks: dict[str, list[dict[str, Any]]]
    basis: list[str]
    steps: list[CurationStep]
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
    steps: list[CurationStep]
    state: dict[str, Any]


class ChangeOut(Out):
    kind: str
    what: list[str]
    old: dict[str, Any] | None
    new: dict[str, Any] | None

    @model_validator(mode="before")
    @classmethod
    def _of(cls, given: Any) -> Any:
        if not isinstance(given, Change):
            return given
        old, new = (one and versions.mistake_to_json(one) for one in (given.old, given.new))
        return {"kind": given.kind, "what": given.what, "old": old, "new": new}


class VersionOut(Out):
    version: int
    author: str
    reason: str
    at: datetime | None
    mistakes: list[dict[str, Any]]
    left_out: list[dict[str, Any]]
    annotators: list[str]
    changes: list[ChangeOut]


@router.get("/curation", response_model=CurationList)
def list_units(
    visit: CallsAsCurator,
    name: CampaignName,
    search: Annotated[ShortWords, Query(description="Part of a unit's name.")] = "",
    state: CurationState | None = None,
    page: PageNumber = 1,
    question: Question = None,
    order: Annotated[at_once.Order, Query(description="`disagreement`: most marks to decide first.")] = "given",
) -> dict[str, Any]:
    """Units with how far their curation is, and how far people differ on them."""

    row = visit.campaign(name)
    asked = spans_question(visit.content.protocol(row.protocol_id), row, question or None)
    made = listed(visit, name, asked.id, order, search, state or "", page)
    return {
        **page_of(made.found.found),
        "units": made.found.found.items,
        "finished": made.found.progress.finished,
        "total_units": made.found.progress.units,
        "unanimous": made.found.alike,
        "as_of": made.as_of,
    }


def listed(
    visit: Visit, name: str, question: str, order: at_once.Order, search: str, state: str, page: int
) -> Computed[at_once.CurationOverview]:
    """What is to be curated. Steps are in it at once; answers, in a large campaign, a little later."""
    newest = visit.look_into(name, at_once.newest_step)
    asked = (newest, question, order, search, state, page)
    return visit.services.computing.of(name, computed.curation_list, *asked)


@router.post("/curation/unanimous")
def finish_unanimous(visit: CallsAsCurator, name: CampaignName, question: Question = None) -> at_once.FinishedTogether:
    """Finish every text that at least two people marked exactly alike and no curator has touched."""
    return visit.services.computing.apart(name, computed.finish_unanimous, visit.name, question or None)


@router.delete("/curation/unanimous")
def take_back_unanimous(
    visit: CallsAsCurator, name: CampaignName, question: Question = None
) -> at_once.FinishedTogether:
    """Reopen the texts that were last finished together; their frozen versions stay in the history."""
    return visit.services.computing.apart(name, computed.take_back_unanimous, visit.name, question or None)


def opened(
    visit: Visit, name: str, unit_id: int, question: str | None
) -> tuple[CampaignRow, CurationWorkspace, list[GoldText]]:
    """A unit at the curator's workspace, and the gold lists that were frozen of it."""

    def look(connection: Connection, row: CampaignRow) -> tuple[CurationWorkspace, list[GoldText]]:
        key = visit.links.alias_key()
        workspace = open_workspace(connection, visit.content, row, unit_id, question or None, alias_key=key)
        return workspace, versions.versions_of(connection, unit_id, workspace.question.id)

    row, (workspace, frozen) = visit.with_campaign(name, look)
    return row, workspace, frozen


@router.get("/curation/{unit_id}")
def show(visit: CallsAsCurator, name: CampaignName, unit_id: shapes.RowId, question: Question = None) -> WorkspaceOut:
    """One unit: the text, everybody's marks, the proposal and every step since."""
    _, workspace, frozen = opened(visit, name, unit_id, question)
    return workspace_out(workspace, frozen)


@router.post("/curation/{unit_id}/steps", status_code=201)
def take(
    visit: CallsAsCurator, name: CampaignName, unit_id: shapes.RowId, body: StepIn, question: Question = None
) -> StepsOut:
    """Take one step. If somebody else took one since `after`, nothing changes and the reply holds the newer steps."""
    steps = take_step(
        visit.store,
        visit.content,
        name,
        unit_id,
        after=body.after,
        kind=body.kind,
        facts=body.facts,
        reason=body.reason,
        author=visit.name,
        basis=body.basis,
        question=question or None,
        alias_key=visit.links.alias_key(),
    )
    _, workspace, _ = opened(visit, name, unit_id, question)
    told = {"steps": [one.to_json() for one in steps], "state": workspace.state().to_json()}
    return StepsOut.model_validate(hidden(told, workspace.aliases))


@router.get("/curation/{unit_id}/versions/{version}", response_model=VersionOut)
def version(
    visit: CallsAsCurator,
    name: CampaignName,
    unit_id: shapes.RowId,
    version: Version,
    against: Annotated[
        int | None, Query(ge=0, le=1_000_000, description="A version to compare with; 0 is the automatic proposal.")
    ] = None,
    question: Question = None,
) -> dict[str, Any]:
    """A frozen gold list, and what changed since another version of it."""
    _, workspace, frozen = opened(visit, name, unit_id, question)
    found = workspace.version(frozen, version)
    changes = [] if against is None else diff(workspace.version(frozen, against).mistakes, found.mistakes)
    about = {"version": found.version, "author": found.author, "at": found.at}
    told = {**versions.gold_to_json(found), "changes": [ChangeOut.model_validate(one).model_dump() for one in changes]}
    return {**hidden(told, workspace.aliases), **about}


@router.get(
    "/gold",
    response_class=Response,
    responses={
        200: {
            "description": "The last version of every finished unit; formats of several files come as a zip archive.",
            "content": {"text/csv": {}, "application/zip": {}, "application/octet-stream": {}},
        }
    },
)
def gold(
    visit: CallsAsCurator,
    name: CampaignName,
    question: Question = None,
    format: GoldFormatName = "gsml",  # noqa: A002
) -> Response:
    """The campaign's gold list with how many agreed on each mistake; `gsml` is CSV in the shared task's columns."""
    GOLD_FORMATS.find(format)  # refused here, before anything is read
    ending, content = visit.services.computing.apart(name, computed.gold, question or None, format)
    return saved(content, f"{name}-gold{ending}", MEDIA.get(ending, "application/octet-stream"))


def workspace_out(workspace: CurationWorkspace, frozen: list[GoldText]) -> WorkspaceOut:
    line = workspace.unit.line
    told = WorkspaceOut(
        unit={"id": line.id, "name": line.name, "done": line.done, "wanted": line.wanted},
        text=workspace.shown.to_json(),
        context=[context_to_json(item) for item in workspace.unit.shown.context],
        question=_presented(workspace),
        rules=workspace.rules.to_json(),
        people=sorted(workspace.marks),
        marks={name: [mark_to_json(one) for one in some] for name, some in workspace.marks.items()},
        basis=list(workspace.basis),
        steps=list(workspace.steps),
        state=workspace.state().to_json(),
        versions=[
            VersionLine(version=one.version, author=one.author, at=one.at, mistakes=len(one.mistakes)) for one in frozen
        ],
        agreement=AgreementOut.model_validate(text_agreement(len(workspace.text.tokens), workspace.marks)),
    )
    # Only what is about people: the words of the text and of its data are nobody's name.
    about_people = {"people", "marks", "basis", "steps", "state", "agreement"}
    facts = told.model_dump(include=about_people)
    return WorkspaceOut.model_validate({**vars(told), **hidden(facts, workspace.aliases)})


def _presented(workspace: CurationWorkspace) -> dict[str, Any]:
    """The question as a curator needs it: correction and explanation belong to every gold mistake anyway."""
    asked = workspace.question.present(workspace.protocol.around)
    return {**asked, "attributes": [one for one in asked["attributes"] if one["id"] in workspace.rules.attributes]}
