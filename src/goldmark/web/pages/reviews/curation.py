"""A campaign's curation: which texts are settled, the workspace at which one is, and what changed between versions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple
from urllib.parse import urlencode

from fastapi import Query
from fastapi.responses import Response

from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.campaigns.pages import LAST_PAGE
from goldmark.curation.gold_lists.files import Change, diff
from goldmark.curation.gold_lists.formats import GOLD_FORMATS
from goldmark.curation.gold_lists.importer import summary
from goldmark.curation.question import NothingToCurate, spans_question
from goldmark.curation.workspace import at_once
from goldmark.curation.workspace.worklist import CURATION_STATES, neighbours, next_to_curate
from goldmark.protocols.answers import marking
from goldmark.protocols.kinds.spans import SpansQuestion
from goldmark.records.gold import GoldMistake, by_name
from goldmark.records.texts import Text
from goldmark.web.api.reviews import curation as calls
from goldmark.web.api.reviews.gold_imports import import_files
from goldmark.web.api.shapes import RowId
from goldmark.web.computing import computed
from goldmark.web.pages.forms import refusable
from goldmark.web.pages.frame import NOT_FAILED, Wrong, go, page
from goldmark.web.pages.router import Pages
from goldmark.web.sign_in import ReadsAsCurator, SendsAsCurator

MOST_SHOWN = 100  # texts of an imported list; the others are in the list of texts

router = Pages("/campaigns/{name}/curation")

Number = Annotated[int | None, Query(ge=0, le=1_000_000)]
QuestionId = Annotated[str, Query(max_length=64)]
OrderName = Annotated[str, Query(max_length=20)]


class _Around(NamedTuple):
    """Where to go from a text: to the ones beside it, or to the next that is to be curated."""

    before: int | None
    after: int | None
    following: int | None


@router.get("")
def curation(
    visit: ReadsAsCurator,
    name: str,
    *,
    search: Annotated[str, Query(max_length=200)] = "",
    state: Annotated[str, Query(max_length=20)] = "",
    page_number: Annotated[int, Query(alias="page", ge=1, le=LAST_PAGE)] = 1,
    question: QuestionId = "",
    order: OrderName = "",
    wrong: Wrong = NOT_FAILED,
) -> Response:
    by = _order(order)
    state = state if state in CURATION_STATES else ""
    search = search.replace("\x00", "").strip()
    row = visit.campaign(name)
    try:
        asked = _asked(visit.content, row, wrong.given.get("question", question))
    except NothingToCurate as error:
        return page(visit, "curation.html", campaign=row, why_not=str(error))
    made = calls.listed(visit, name, asked.id, by, search, state, page_number)
    return page(
        visit,
        "curation.html",
        wrong=wrong,
        campaign=row,
        **made.found._asdict(),
        as_of=made.as_of,
        search=search,
        state=state,
        states=CURATION_STATES,
        order=by,
        formats=GOLD_FORMATS.usable(),
        why_not="",
        asked=asked,
        **_questions(visit.content, row, asked, by),
    )


def _order(given: str) -> at_once.Order:
    return "disagreement" if given == "disagreement" else "given"


def _together(path: str, call: Callable[..., at_once.FinishedTogether], done: str) -> None:
    """A button that does something to many texts of one question."""

    @router.post(path)
    @refusable("unanimous", curation)
    def send(visit: SendsAsCurator, name: str) -> Response:
        question, order = visit.given.get("question", ""), visit.given.get("order", "")
        call(visit, name, question)
        return go(f"/campaigns/{name}/curation", done, question=question, order=order)


_together("/unanimous", calls.finish_unanimous, "unanimous-finished")
_together("/unanimous/undo", calls.take_back_unanimous, "unanimous-undone")


@router.post("/import")
@refusable("import", curation)
def bring_in(visit: SendsAsCurator, name: str) -> Response:
    """Take in a gold list, and show how far it is from what was proposed."""
    question, reason = visit.given.get("question", ""), visit.given.get("reason", "")
    whole, form = bool(visit.given.get("whole")), visit.given.get("format", "")
    found = import_files(visit, name, visit.uploads, reason=reason, whole=whole, question=question, format_name=form)
    shown = found[:MOST_SHOWN]
    texts = {one.unit_id: calls.opened(visit, name, one.unit_id, question)[1].text for one in shown if one.changes}
    row = visit.campaign(name)
    return page(
        visit,
        "curation_imported.html",
        campaign=row,
        asked=_asked(visit.content, row, question),
        counts=summary(found),
        imported=[
            {"line": one, "changes": [_read_change(change, texts[one.unit_id]) for change in one.changes]}
            for one in shown
        ],
    )


def _asked(content: ContentCache, row: CampaignRow, question: str) -> SpansQuestion:
    return spans_question(content.protocol(row.protocol_id), row, question or None)


def _questions(
    content: ContentCache, row: CampaignRow, asked: SpansQuestion, order: at_once.Order = "given"
) -> dict[str, Any]:
    """The questions about passages, and what addresses carry: which one, and in which order texts come."""
    known = marking(content.protocol(row.protocol_id))
    carried = {"question": asked.id} if len(known) > 1 else {}
    carried |= {"order": order} if order != "given" else {}
    return {"questions": known, "query": f"?{urlencode(carried)}" if carried else ""}


@router.get("/{unit_id}")
def workspace(
    visit: ReadsAsCurator, name: str, unit_id: RowId, question: QuestionId = "", order: OrderName = ""
) -> Response:
    by = _order(order)
    row, opened, frozen = calls.opened(visit, name, unit_id, question)
    asked = opened.question
    beside, following, newest = visit.read(
        lambda connection: (
            neighbours(connection, row, unit_id),
            next_to_curate(connection, row, asked.id, unit_id) if by == "given" else None,
            at_once.newest_step(connection, row),
        )
    )
    computing = visit.services.computing
    if by == "disagreement":
        following = computing.of(name, computed.next_to_decide, newest, asked.id, unit_id, brief=True).found
    around = _Around(*beside, following)
    progress = computing.of(name, computed.curation_progress, asked.id, brief=True).found
    several = _questions(visit.content, row, asked, by)
    config = {
        **calls.workspace_out(opened, frozen).model_dump(mode="json"),
        "csrf": visit.csrf,
        "address": f"/api/v1/campaigns/{row.name}/curation/{unit_id}",
        "here": f"/campaigns/{row.name}/curation",
        "query": several["query"],
        "me": visit.name,
        **around._asdict(),
    }
    return page(
        visit,
        "curation_unit.html",
        campaign=row,
        unit=opened.unit,
        around=around,
        progress=progress,
        config=config,
        answered=bool(opened.labels) or opened.begun,
        asked=asked,
        **several,
    )


@router.get("/{unit_id}/versions")
def compared(
    visit: ReadsAsCurator,
    name: str,
    unit_id: RowId,
    old: Number = None,
    new: Number = None,
    question: QuestionId = "",
) -> Response:
    row, opened, frozen = calls.opened(visit, name, unit_id, question)
    second = len(frozen) if new is None else new
    first = max(second - 1, 0) if old is None else old
    lists = [opened.version(frozen, number) for number in (first, second)]
    return page(
        visit,
        "curation_versions.html",
        campaign=row,
        unit=opened.unit,
        asked=opened.question,
        query=_questions(visit.content, row, opened.question)["query"],
        frozen=frozen,
        known=[opened.version(frozen, 0), *frozen],
        old=first,
        new=second,
        changes=[_read_change(one, opened.text) for one in diff(lists[0].mistakes, lists[1].mistakes)],
    )


def _read_change(one: Change, text: Text) -> dict[str, Any]:
    return {"kind": one.kind, "what": one.what, "old": _read(one.old, text), "new": _read(one.new, text)}


def _read(mistake: GoldMistake | None, text: Text) -> dict[str, Any] | None:
    """A mistake as a person reads it."""
    if mistake is None:
        return None
    return {
        "quote": text.slice(mistake.span),
        "label": mistake.label,
        "correction": mistake.correction,
        "comment": mistake.comment,
        "note": mistake.note,
        "attributes": {name: ", ".join(values) for name, values in by_name(mistake.attributes).items()},
        "links": [(role, text.slice(place)) for role, place in mistake.links],
    }
