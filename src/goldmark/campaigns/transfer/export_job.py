"""A large campaign's export is made by a worker: nobody waits for it in front of a blank page."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.exchange.formats import FORMATS
from goldmark.jobs import Job, Running, enqueue, register
from goldmark.jobs.made_files import MadeFile, files_folder, sweep_files
from goldmark.jobs.queue import listing
from goldmark.observations.filter import COUNTING, Filter

EXPORT = "campaign export"  # the kind of job
SETS = ("systems", "conditions", "annotators")
TIMES = ("since", "until")


def begin_export(
    connection: Connection,
    row: CampaignRow,
    format_name: str,
    question: str | None = None,
    wanted: Filter = COUNTING,
    *,
    pseudonyms: bool = False,
    author: str,
) -> Job:
    """Ask for a file of this campaign; what is not to be written so is told at once."""
    FORMATS.find(format_name)
    how = {"format": format_name, "question": question, "wanted": _plain(wanted), "pseudonyms": pseudonyms}
    arguments = {"campaign": row.name, **how}
    subject = f"{row.name} as {format_name}"
    return enqueue(connection, EXPORT, arguments, author=author, subject=subject, campaign_id=row.id)


def exports_of(connection: Connection, row: CampaignRow, most: int = 10) -> list[Job]:
    """The files of this campaign that were asked for lately, the newest first."""
    return listing(connection, kind=EXPORT, campaign_id=row.id, most=most)


@register(EXPORT)
def make_export(running: Running) -> Mapping[str, Any]:
    from goldmark.campaigns.transfer.export_files import write_download

    folder = files_folder(running.store)
    sweep_files(folder)
    asked = running.arguments
    path = folder / f"export-{running.job.id}"
    name = write_download(
        running.store,
        asked["campaign"],
        asked["format"],
        path,
        asked["question"],
        _filter(asked["wanted"]),
        running.progress,
        pseudonyms=asked.get("pseudonyms", False),  # jobs of earlier versions do not say
    )
    return MadeFile(path.name, name, path.stat().st_size)._asdict()


def _plain(wanted: Filter) -> dict[str, Any]:
    """What JSON can hold."""
    said = wanted._asdict()
    return {
        **said,
        **{name: sorted(said[name]) for name in SETS},
        **{name: said[name] and said[name].isoformat() for name in TIMES},
    }


def _filter(said: Mapping[str, Any]) -> Filter:
    sets = {name: frozenset(said[name]) for name in SETS}
    times = {name: said[name] and datetime.fromisoformat(said[name]) for name in TIMES}
    return Filter(**{**said, **sets, **times})
