"""A campaign out: every revision, time and decision, in several formats."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from fastapi.responses import FileResponse
from sqlalchemy import Connection

from goldmark.campaigns.lifecycle import find_campaign
from goldmark.campaigns.transfer.export_job import EXPORT, begin_export
from goldmark.exchange.formats import exports
from goldmark.jobs import Job, queue
from goldmark.jobs.made_files import file_of
from goldmark.web.api import shapes
from goldmark.web.api.calls import Calls
from goldmark.web.api.inputs import CampaignName, OneOf
from goldmark.web.api.server.jobs import JobOut
from goldmark.web.computing import computed
from goldmark.web.computing.results import FilterDep
from goldmark.web.files import new_file, sent
from goldmark.web.sign_in import CallsAsManager

router = Calls("/api/v1/campaigns/{name}/export", "campaigns")

FORMATS = "jsonl, csv and parquet hold everything; tidy is what counts, as a table for each kind of answer."


Format = Annotated[str, OneOf(exports), Query(description=FORMATS)]
Question = Annotated[str | None, Query(max_length=64, description="Whose spans, for formats that hold one question.")]
Pseudonyms = Annotated[bool, Query(description="Other names for all people, drawn for this file alone.")]
FILE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The file; formats of several files come as a zip archive.",
        "content": {"application/octet-stream": {}, "application/zip": {}},
    }
}


@router.get("", response_class=FileResponse, responses=FILE)
def export(
    visit: CallsAsManager,
    name: CampaignName,
    wanted: FilterDep,
    format: Format = "jsonl",  # noqa: A002
    question: Question = None,
    pseudonyms: Pseudonyms = False,
) -> FileResponse:
    """The whole campaign as a file; in the tidy formats, only the answers that are wanted."""
    with new_file() as path:
        made = visit.services.computing.apart(name, computed.export, path, format, question, wanted, pseudonyms)
    visit.note_file(name, format=format, pseudonyms="yes" if pseudonyms else "no")
    return sent(path, made, _kind(made))


@router.post("/jobs", status_code=202, response_model=JobOut)
def begin(
    visit: CallsAsManager,
    name: CampaignName,
    wanted: FilterDep,
    format: Format = "jsonl",  # noqa: A002
    question: Question = None,
    pseudonyms: Pseudonyms = False,
) -> Job:
    """Have a worker make the file of a large campaign; its job says how far it is."""
    return visit.store.write(
        lambda connection: begin_export(
            connection,
            find_campaign(connection, name),
            format,
            question,
            wanted,
            pseudonyms=pseudonyms,
            author=visit.name,
        )
    )


@router.get("/jobs/{job_id}/file", response_class=FileResponse, responses=FILE)
def fetch(visit: CallsAsManager, name: CampaignName, job_id: shapes.RowId) -> FileResponse:
    """The file that a job has made; it is kept for a day."""

    def look(connection: Connection) -> Job:
        row, job = find_campaign(connection, name), queue.find(connection, job_id)
        if (job.kind, job.campaign_id) != (EXPORT, row.id):
            raise queue.UnknownJob(number=job_id)
        return job

    job = visit.read(look)
    path, made = file_of(visit.store, job)
    visit.note_file(name, format=job.arguments["format"], pseudonyms="yes" if job.arguments.get("pseudonyms") else "no")
    return FileResponse(path, media_type=_kind(made.name), filename=made.name)


def _kind(name: str) -> str:
    return "application/zip" if name.endswith(".zip") else "application/octet-stream"
