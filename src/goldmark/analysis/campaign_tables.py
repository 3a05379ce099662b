"""Tables of a campaign in the database, for pages, API and commands alike.

What computes them is loaded when a table is first asked for: a server should not wait for it before its first page.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from goldmark.campaigns.library import Library
from goldmark.records.campaigns import CampaignRecord
from goldmark.records.tables import Table
from goldmark.store import Store

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from goldmark.analysis.settings import Settings
    from goldmark.analysis.stage_reviews import Candidate
    from goldmark.campaigns.final_checks import FinalCheck
    from goldmark.campaigns.lifecycle import CampaignRow
    from goldmark.campaigns.standing import Standing
    from goldmark.curation.derivations import SecondLook


def _usual() -> Settings:
    from goldmark.analysis.settings import Settings

    return Settings()


def verification_tables(look: SecondLook) -> list[Table]:
    """What the verifiers found, and how good the annotators were by that measure."""
    from goldmark.analysis import second_look

    return second_look.verification_tables(look, _usual())


def suggestion_tables(store: Store, library: Library, name: str, gold: Path | None = None) -> list[Table]:
    """What became of suggestions, and answers with and without, by a gold list or what curators have finished."""
    from goldmark.analysis.suggestions import curated_gold, gold_in_file, suggestions
    from goldmark.campaigns.export import record_of

    record = record_of(store, name)
    known = curated_gold(store, library, name) if gold is None else gold_in_file(gold, record)
    return suggestions(record, known, _usual())


def coded_tables(record: CampaignRecord) -> list[Table]:
    """What coders found."""
    from goldmark.analysis.coded import coded_tables as tables

    return tables(record, _usual())


def review_tables(record: CampaignRecord) -> list[Table]:
    """What the reviewers found."""
    from goldmark.analysis.reviews import reviews

    return reviews(record, _usual())


class QualityProtocol(NamedTuple):
    """Where texts stand, and what is known of reviewers, candidates and the finished work."""

    campaign: CampaignRow
    standing: Standing
    calibration: Table | None
    candidates: tuple[Candidate, ...] | None
    candidates_table: Table | None
    check: FinalCheck | None
    check_table: Table | None


def quality_protocol(store: Store, library: Library, name: str) -> QualityProtocol:
    """All of it at one moment, without loading the campaign."""
    from goldmark.analysis import quality_protocol as figures
    from goldmark.campaigns.lifecycle import find_campaign
    from goldmark.campaigns.standing import standing_of

    def look(connection: Connection) -> QualityProtocol:
        row, settings = find_campaign(connection, name), _usual()
        tried = figures.candidates_of(connection, row, library)
        checked = figures.spot_check(connection, row, library, settings)
        return QualityProtocol(
            row,
            standing_of(connection, row, library.protocol(row.protocol_id)),
            figures.calibration(connection, row, library, settings),
            tried,
            figures.table_of_candidates(row, library, tried or (), settings),
            checked[0] if checked else None,
            checked[1] if checked else None,
        )

    return store.read(look)


def agreement_tables(
    store: Store,
    name: str,
    settings: Settings | None = None,
    *,
    groups: Sequence[str] | None,
    first: bool,
    with_excluded: bool,
) -> list[Table]:
    """How far people agree at each stage."""
    from goldmark.analysis.stage_agreement import stage_agreement
    from goldmark.campaigns.export import first_versions, record_of

    record = record_of(store, name, with_excluded=with_excluded)
    return stage_agreement(first_versions(record) if first else record, settings or _usual(), groups=groups)
