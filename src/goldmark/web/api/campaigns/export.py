"""A campaign out: every revision, time and decision, in several formats."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import FileResponse

from goldmark.exchange.formats import exports
from goldmark.web.api import shapes
from goldmark.web.api.inputs import CampaignName, OneOf
from goldmark.web.files import new_file, sent
from goldmark.web.results import FilterDep
from goldmark.web.runtime import computed
from goldmark.web.sign_in import CallsAsManager

router = APIRouter(prefix="/api/v1/campaigns/{name}/export", tags=["campaigns"], responses=shapes.FAILURES)

FORMATS = "jsonl, csv and parquet hold everything; tidy is what counts, as a table for each kind of answer."


@router.get(
    "",
    response_class=FileResponse,
    responses={
        200: {
            "description": "The file; formats of several files come as a zip archive.",
            "content": {"application/octet-stream": {}, "application/zip": {}},
        }
    },
)
def export(
    visit: CallsAsManager,
    name: CampaignName,
    wanted: FilterDep,
    format: Annotated[str, OneOf(exports), Query(description=FORMATS)] = "jsonl",  # noqa: A002
    question: Annotated[
        str | None, Query(max_length=64, description="Whose spans, for formats that hold one question.")
    ] = None,
) -> FileResponse:
    """The whole campaign as a file; in the tidy formats, only the answers that are wanted."""
    path = new_file()
    try:
        made = visit.services.computing.apart(name, computed.export, path, format, question, wanted)
    except BaseException:
        path.unlink()
        raise
    return sent(path, made, "application/zip" if made.endswith(".zip") else "application/octet-stream")
