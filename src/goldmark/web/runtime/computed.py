"""What pages and API compute of whole campaigns: functions that `Computing` can ask another process for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from goldmark.campaigns.lifecycle import CampaignRow, look_into
from goldmark.observations.rows import Filter
from goldmark.records.campaigns import ExclusionRecord
from goldmark.records.tables import Table
from goldmark.web.runtime.computing import Opened

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from goldmark.accounts.links import SignedLinks
    from goldmark.datasets.of_campaign import DatasetRequest
    from goldmark.quality.evidence import CrowdEvidence
    from goldmark.results.campaign_tables import QualityProtocol
    from goldmark.reviews.final_spot_check import FinalCheck


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


def export(
    opened: Opened, name: str, path: Path, format_name: str, question: str | None, wanted: Filter, pseudonyms: bool
) -> str:
    """A campaign in this format, written to this path; returns what the file should be called."""
    from goldmark.campaigns.transfer.export_files import write_download

    return write_download(opened.store, name, format_name, path, question, wanted, pseudonyms=pseudonyms)


class VerificationFigures(NamedTuple):
    """How a gold list stands after verification: how many mistakes, and the tables."""

    source: str
    gold: int
    kept: int
    removed: int
    assumed: int
    waiting: int
    tables: list[Table]


def verified(opened: Opened, name: str, with_excluded: bool) -> VerificationFigures:
    from goldmark.curation.verification.followup import verified_gold
    from goldmark.results.campaign_tables import verification_tables

    look = verified_gold(opened.store, name, with_excluded=with_excluded)
    kept, removed = len(look.result.kept), len(look.result.removed)
    counts = (len(look.basis.gold), kept, removed, look.result.assumed, look.result.waiting)
    return VerificationFigures(look.source, *counts, verification_tables(look))


def verified_list(opened: Opened, name: str) -> str:
    """The verified gold list as a file."""
    from goldmark.curation.gold_lists.files import write_gold
    from goldmark.curation.verification.followup import verified_gold

    look = verified_gold(opened.store, name)
    return write_gold(look.result.kept, look.basis.reports.texts)


def follow_up(opened: Opened, name: str, kind: str, links: SignedLinks, how: dict[str, Any]) -> CampaignRow:
    """A new campaign of this one's answers."""
    from goldmark.curation.verification.followup import find_follow_up
    from goldmark.followups.create import create_follow_up

    return create_follow_up(opened.store, links, find_follow_up(kind), name, **how).campaign


def status(opened: Opened, name: str) -> QualityProtocol:
    from goldmark.results.campaign_tables import quality_protocol

    return quality_protocol(opened.store, opened.content, name)


def draw(opened: Opened, name: str, how: dict[str, Any]) -> FinalCheck:
    """A new spot check."""
    from goldmark.reviews import final_spot_check

    return final_spot_check.draw(opened.store, name, **how)


def dataset_facts(opened: Opened, name: str, wanted: DatasetRequest) -> tuple[dict[str, Any], list[Table]]:
    from goldmark.datasets import of_campaign

    return of_campaign.dataset_facts(opened.store, name, wanted)


def dataset(opened: Opened, name: str, wanted: DatasetRequest, path: Path) -> None:
    """A campaign as a dataset, packed at this path."""
    from goldmark.datasets.of_campaign import pack_dataset

    pack_dataset(opened.store, name, wanted, path)
