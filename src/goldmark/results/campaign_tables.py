"""Tables of a campaign in the database, for pages, API and commands alike.

What computes them is loaded when a table is first asked for: a server should not wait for it before its first page.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.records.campaigns import CampaignRecord
from goldmark.records.figures import counted
from goldmark.records.tables import Table
from goldmark.store import Store

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from goldmark.campaigns.lifecycle import CampaignRow
    from goldmark.curation.verification.followup import VerifiedGold
    from goldmark.results.options import AnalysisOptions
    from goldmark.results.published.tgea.stage_reviews import Candidate
    from goldmark.reviews.final_spot_check import FinalCheck
    from goldmark.reviews.unit_status import StatusCounts


def _usual() -> AnalysisOptions:
    from goldmark.results.options import AnalysisOptions

    return AnalysisOptions()


def verification_tables(look: VerifiedGold) -> list[Table]:
    """What the verifiers found, and how good the annotators were by that measure."""
    from goldmark.results.published.accuracy import verification_campaign

    return verification_campaign.verification_tables(look, _usual())


def suggestion_tables(store: Store, content: ContentCache, name: str, gold: Path | None = None) -> list[Table]:
    """What became of suggestions, and answers with and without, by a gold list or what curators have finished."""
    from goldmark.campaigns.lifecycle import look_into
    from goldmark.campaigns.suggestion_changes import any_suggestion
    from goldmark.campaigns.transfer.export import record_of
    from goldmark.results.published.suggestions import NothingSuggested, curated_gold, gold_in_file, suggestions

    if not look_into(store, name, any_suggestion):  # before everything is read
        raise NothingSuggested(campaign=name)
    record = record_of(store, name)
    known = curated_gold(store, content, name) if gold is None else gold_in_file(gold, record)
    return suggestions(record, known, _usual())


def coded_tables(record: CampaignRecord) -> list[Table]:
    """What coders found."""
    from goldmark.results.published.humanlike.coded import coded_tables as tables

    return tables(record, _usual())


def review_tables(store: Store, name: str, *, with_excluded: bool = False) -> list[Table]:
    """What the reviewers found."""
    from goldmark.campaigns.lifecycle import find_campaign
    from goldmark.results.published.tgea.judged_responses import reviews_in
    from goldmark.results.published.tgea.reviews import reviews

    said = store.snapshot(lambda connection: reviews_in(connection, find_campaign(connection, name), with_excluded))
    return reviews(said, _usual())


class QualityProtocol(NamedTuple):
    """Where texts stand, and what is known of reviewers, candidates and the finished work."""

    campaign: CampaignRow
    counts: StatusCounts
    calibration: Table | None
    candidates: tuple[Candidate, ...] | None
    candidates_table: Table | None
    check: FinalCheck | None
    check_table: Table | None


def quality_protocol(store: Store, content: ContentCache, name: str) -> QualityProtocol:
    """All of it at one moment, without loading the campaign."""
    from goldmark.campaigns.lifecycle import find_campaign
    from goldmark.results.published.tgea import quality_protocol as figures
    from goldmark.reviews.unit_status import status_counts

    def look(connection: Connection) -> QualityProtocol:
        row, settings = find_campaign(connection, name), _usual()
        tried = figures.candidates_of(connection, row, content)
        checked = figures.spot_check(connection, row, content, settings)
        return QualityProtocol(
            row,
            status_counts(connection, row, content.protocol(row.protocol_id)),
            figures.calibration(connection, row, content, settings),
            tried,
            figures.table_of_candidates(row, content, tried or (), settings),
            checked[0] if checked else None,
            checked[1] if checked else None,
        )

    return store.read(look)


def agreement_tables(
    store: Store,
    name: str,
    settings: AnalysisOptions | None = None,
    *,
    groups: Sequence[str] | None,
    first: bool,
    with_excluded: bool,
) -> list[Table]:
    """How far people agree at each stage, of the answers that count or of `first` versions."""
    from goldmark.campaigns.lifecycle import find_campaign
    from goldmark.campaigns.transfer.observe import StoreSource
    from goldmark.observations.filter import Filter
    from goldmark.people.exclusions import excluded_people
    from goldmark.records.campaigns import exclusion_notes
    from goldmark.results.published.tgea.judged_responses import not_approved_yet
    from goldmark.results.published.tgea.stage_agreement import stage_agreement

    def look(connection: Connection) -> Table:
        row = find_campaign(connection, name)
        source, wanted = StoreSource(connection, row, first=first), Filter(excluded=with_excluded)
        table = stage_agreement(source, wanted, settings or _usual(), groups=groups)
        waiting = not_approved_yet(connection, row, judged=not first)
        left = [f"not counted: {counted(waiting, 'answer')} that no reviewer has approved yet"] if waiting else []
        return table.noting(*left, *exclusion_notes(excluded_people(connection, row), counted=with_excluded))

    return [store.snapshot(look)]
