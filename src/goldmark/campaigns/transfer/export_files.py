"""A campaign out of the database into files, in any format; where the format allows it, row by row."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Connection, func, select

from goldmark.campaigns.lifecycle import CampaignRow, look_into
from goldmark.campaigns.told import Tell, counted_rows, told_to_nobody
from goldmark.campaigns.transfer.export import in_order, record_of
from goldmark.campaigns.transfer.observe import write_observations
from goldmark.exchange.campaign.archive import write_file
from goldmark.exchange.campaign.pseudonyms import Pseudonyms, with_pseudonyms
from goldmark.exchange.campaign.rows import rows_in_order
from goldmark.exchange.formats import FORMATS, export_bytes, export_rows
from goldmark.jobs.made_files import MAKING
from goldmark.observations.filter import COUNTING, Filter
from goldmark.store import Store
from goldmark.store.states import NOT_FINAL
from goldmark.store.tables import annotator, assignment, response, unit


class WrittenAnswers(NamedTuple):
    """How many responses a campaign has, and how many of them count."""

    responses: int
    final: int


def written_answers(connection: Connection, row: CampaignRow, *, with_excluded: bool = False) -> WrittenAnswers:
    """What `final_responses` of a record would count, without one."""
    of_campaign = assignment.c.campaign_id == row.id
    all_of_them = select(func.count()).select_from(response).join(assignment).where(of_campaign)
    final = (
        select(func.count())
        .select_from(assignment)
        .join(unit, unit.c.id == assignment.c.unit_id)
        .join(annotator, annotator.c.id == assignment.c.annotator_id)
        .where(of_campaign, assignment.c.revision > 0, unit.c.counts)
        .where(func.coalesce(assignment.c.state_before, assignment.c.state).not_in(NOT_FINAL))
    )
    if not with_excluded:
        final = final.where(annotator.c.state != "excluded")
    return WrittenAnswers(connection.execute(all_of_them).scalar_one(), connection.execute(final).scalar_one())


def write_rows(
    store: Store,
    name: str,
    format_name: str,
    path: Path,
    tell: Tell = told_to_nobody,
    *,
    pseudonyms: bool = False,
) -> None:
    """A whole campaign to a new file, folder or zip archive, in a format that is written row by row."""

    def write(connection: Connection, row: CampaignRow) -> None:
        rows = rows_in_order(in_order(connection, row, by_name=not pseudonyms))
        if pseudonyms:
            programs = select(annotator.c.name).where(annotator.c.campaign_id == row.id, annotator.c.kind != "person")
            rows = Pseudonyms(connection.execute(programs).scalars().all()).rows(rows)
        export_rows(counted_rows(rows, _size(connection, row), "rows written", tell), format_name, path)

    look_into(store, name, write)


def write_download(
    store: Store,
    name: str,
    format_name: str,
    path: Path,
    question: str | None = None,
    wanted: Filter = COUNTING,
    tell: Tell = told_to_nobody,
    *,
    pseudonyms: bool = False,
) -> str:
    """A campaign in this format as one new file at this path; returns what the file should be called.

    Tidy tables hold the answers that are wanted; of whole campaigns, that says only whether excluded people count.
    """
    found = FORMATS.find(format_name)
    ending = f".{format_name}" if found.single else f".{format_name}.zip"
    with tempfile.TemporaryDirectory(prefix=MAKING, dir=path.parent) as folder:
        made = Path(folder) / f"made{ending}"
        if found.tables is not None:
            write_observations(store, name, made, wanted, found.tables, pseudonyms=pseudonyms)
        elif found.rows is not None:
            write_rows(store, name, format_name, made, tell, pseudonyms=pseudonyms)
        else:
            record = record_of(store, name, with_excluded=wanted.excluded)
            record = with_pseudonyms(record) if pseudonyms else record
            file, content = export_bytes(record, format_name, question=question)
            if found.single:  # its own ending, where the format is not called by it
                own = Path(file).suffix
                ending = own if own == ending else f".{format_name}{own}"
            write_file(made, content)
        shutil.move(made, path)
    return f"{name}{ending}"


def _size(connection: Connection, row: CampaignRow) -> int:
    """About how many rows a campaign has."""
    units = select(func.count()).where(unit.c.campaign_id == row.id)
    held = select(func.count()).where(assignment.c.campaign_id == row.id)
    answered = select(func.count()).where(assignment.c.campaign_id == row.id, assignment.c.revision > 0)
    return sum(connection.execute(query).scalar_one() for query in (units, held, answered))
