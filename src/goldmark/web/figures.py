"""Tables of figures for pages and API, with the settings that both use.

What computes them is loaded when a table is first asked for: a server should not wait for it before its first page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldmark.campaigns.library import Library
from goldmark.records.campaigns import CampaignRecord
from goldmark.records.tables import Table
from goldmark.store import Store

if TYPE_CHECKING:
    from goldmark.curation.derivations import SecondLook


def verification_tables(look: SecondLook) -> list[Table]:
    """What the verifiers found, and how good the annotators were by that measure."""
    from goldmark.analysis import second_look
    from goldmark.analysis.settings import Settings

    return second_look.verification_tables(look, Settings())


def suggestion_tables(store: Store, library: Library, name: str) -> list[Table]:
    """What became of suggestions, and answers with and without, measured on what curators have finished."""
    from goldmark.analysis.settings import Settings
    from goldmark.analysis.suggestions import curated_gold, suggestions
    from goldmark.campaigns.export import record_of

    return suggestions(record_of(store, name), curated_gold(store, library, name), Settings())


def coded_tables(record: CampaignRecord) -> list[Table]:
    """What coders found."""
    from goldmark.analysis.coded import coded_tables as tables
    from goldmark.analysis.settings import Settings

    return tables(record, Settings())


def review_tables(record: CampaignRecord) -> list[Table]:
    """What the reviewers found."""
    from goldmark.analysis.reviews import reviews
    from goldmark.analysis.settings import Settings

    return reviews(record, Settings())
