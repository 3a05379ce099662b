"""What pages and API compute of whole campaigns: functions that `Computing` can ask another process for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from goldmark.campaigns.lifecycle import CampaignRow, look_into
from goldmark.observations.rows import Filter
from goldmark.records.campaigns import ExclusionRecord
from goldmark.records.tables import Table
from goldmark.web.runtime.computing import Opened

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from goldmark.quality.evidence import CrowdEvidence


class Evidences(NamedTuple):
    """The evidence on everybody in a campaign, and who is excluded."""

    crowd: CrowdEvidence
    excluded: tuple[ExclusionRecord, ...]


def quality(opened: Opened, name: str) -> Evidences:
    from goldmark.people.exclusions import excluded_people
    from goldmark.quality.evidence import crowd

    def look(connection: Connection, row: CampaignRow) -> Evidences:
        found = crowd(connection, row, opened.content, opened.watching())
        return Evidences(found, tuple(excluded_people(connection, row)))

    return look_into(opened.store, name, look)


def agreement(
    opened: Opened, name: str, groups: tuple[str, ...] | None, first: bool, with_excluded: bool
) -> list[Table]:
    from goldmark.results.campaign_tables import agreement_tables

    return agreement_tables(opened.store, name, groups=groups, first=first, with_excluded=with_excluded)


def review_figures(opened: Opened, name: str, with_excluded: bool) -> list[Table]:
    from goldmark.results.campaign_tables import review_tables

    return review_tables(opened.store, name, with_excluded=with_excluded)


def suggestions(opened: Opened, name: str) -> list[Table]:
    from goldmark.results.campaign_tables import suggestion_tables

    return suggestion_tables(opened.store, opened.content, name)


def coded(opened: Opened, name: str) -> list[Table]:
    from goldmark.campaigns.transfer.export import record_of
    from goldmark.results.campaign_tables import coded_tables

    return coded_tables(record_of(opened.store, name))


def export(opened: Opened, name: str, path: Path, format_name: str, question: str | None, wanted: Filter) -> str:
    """A campaign in this format, written to this path; returns what the file should be called."""
    from goldmark.campaigns.transfer.export_files import write_download

    return write_download(opened.store, name, format_name, path, question, wanted)
