"""A campaign as files, in the formats of Goldmark and of other tools; and answers made elsewhere, brought in."""

from __future__ import annotations

from typing import Annotated

from fastapi import Form, Query
from fastapi.responses import Response

from goldmark.campaigns.transfer.export_job import exports_of
from goldmark.campaigns.transfer.import_answers import ImportedAnswers
from goldmark.errors import GoldmarkError
from goldmark.observations.filter import COUNTING
from goldmark.protocols import Protocol
from goldmark.protocols.answers import marking
from goldmark.web.api.campaigns import export as calls
from goldmark.web.api.campaigns.answer_imports import UploadDep
from goldmark.web.api.campaigns.answer_imports import bring_in as import_answers
from goldmark.web.computing.results import FilterDep
from goldmark.web.pages.forms import refusable
from goldmark.web.pages.frame import NOT_FAILED, FailedForm, failed, go, page
from goldmark.web.pages.router import Pages
from goldmark.web.sign_in import ReadsAsManager, SendsAsManager
from goldmark.web.visits import Visit

router = Pages("/campaigns/{name}/export")


def _page(
    visit: Visit, name: str, *, wrong: FailedForm = NOT_FAILED, imported: ImportedAnswers | None = None
) -> Response:
    from goldmark.exchange.formats import exports, imports

    row = visit.campaign(name)
    protocol = visit.content.protocol(row.protocol_id)
    marks = bool(marking(protocol))
    written, read = ([one for one in found.values() if marks or not one.only_marks] for found in (exports(), imports()))
    return page(
        visit,
        "export.html",
        wrong=wrong,
        campaign=row,
        marks=marks,
        formats=written,
        imports=sorted(read, key=lambda one: (one.name != "tidy", one.name)),
        questions=[one.id for one in protocol.questions()],
        known={
            "questions": [*(one.id for one in protocol.questions()), *_attributes(protocol)],
            "labels": [path for tree in protocol.taxonomies.values() for path in tree.paths],
        },
        imported=imported,
        large=visit.services.computing.is_large(name),
        jobs=visit.look_into(name, exports_of),
    )


def _attributes(protocol: Protocol) -> list[str]:
    """What is asked of single marks."""
    return list(dict.fromkeys(part.id for one in marking(protocol) for part in one.attributes))


@router.get("")
def export(visit: ReadsAsManager, name: str) -> Response:
    return _page(visit, name)


@router.get("/{format_name}")
def export_as(
    visit: ReadsAsManager,
    name: str,
    format_name: str,
    wanted: FilterDep,
    question: Annotated[str, Query(max_length=64)] = "",
    pseudonyms: calls.Pseudonyms = False,
) -> Response:
    try:
        return calls.export(visit, name, wanted, format_name, question or None, pseudonyms)
    except GoldmarkError as error:
        return _page(visit, name, wrong=failed(format_name, error))


@router.post("/jobs/{format_name}")
def begin(visit: SendsAsManager, name: str, format_name: str, pseudonyms: Annotated[bool, Form()] = False) -> Response:
    try:
        calls.begin(visit, name, COUNTING, format_name, pseudonyms=pseudonyms)
    except GoldmarkError as error:
        return _page(visit, name, wrong=failed(format_name, error))
    return go(f"/campaigns/{name}/export", "export-begun")


@router.get("/jobs/{job_id}/file")
def fetch(visit: ReadsAsManager, name: str, job_id: int) -> Response:
    return calls.fetch(visit, name, job_id)


@router.post("/answers")
@refusable("answers", _page)
def bring_in(visit: SendsAsManager, name: str, upload: UploadDep) -> Response:
    return _page(visit, name, imported=import_answers(visit, name, upload))
