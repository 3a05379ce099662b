"""A campaign in its database, for tables that need more of it than its observations.

Each thing is looked up when a table asks for it, and once.
"""

from __future__ import annotations

from functools import cached_property

from sqlalchemy import func, select

from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.campaigns.suggestion_changes import any_suggestion
from goldmark.campaigns.transfer.export import record_of
from goldmark.curation.verification.followup import VERIFICATION, VerifiedGold, verified_gold
from goldmark.followups.create import origin_of
from goldmark.protocols import Protocol
from goldmark.quality.introduced_errors import Recall, recalls_in
from goldmark.records.campaigns import CampaignRecord
from goldmark.records.gold import GoldText
from goldmark.results.inputs.gold import any_list, lists_of
from goldmark.store import Store
from goldmark.store.tables import review


class Stored:
    """What tables of results ask of a campaign beside its observations."""

    def __init__(self, store: Store, row: CampaignRow, protocol: Protocol, *, with_excluded: bool = False) -> None:
        self.store, self.row, self.protocol, self.with_excluded = store, row, protocol, with_excluded

    @property
    def name(self) -> str:
        return self.row.name

    @cached_property
    def record(self) -> CampaignRecord:
        """All of it, most of it in files: for tables of what observations do not hold, such as suggestions."""
        return record_of(self.store, self.name, with_excluded=self.with_excluded)

    @cached_property
    def follow_up_kind(self) -> str:
        """Which kind of follow-up of another campaign this is; nothing if it was not."""
        origin = self.store.read(lambda connection: origin_of(connection, self.row))
        return origin.kind if origin else ""

    @cached_property
    def verification(self) -> VerifiedGold:
        return verified_gold(self.store, self.name, with_excluded=self.with_excluded)

    @property
    def verifies(self) -> bool:
        return self.follow_up_kind == VERIFICATION.name

    @cached_property
    def reviews(self) -> int:
        """How often reviewers said something."""
        query = select(func.count()).select_from(review).where(review.c.campaign_id == self.row.id)
        return self.store.read(lambda connection: connection.execute(query).scalar_one())

    @cached_property
    def suggestions(self) -> bool:
        """Whether any unit came with suggestions."""
        return self.store.read(lambda connection: any_suggestion(connection, self.row))

    @cached_property
    def introduced(self) -> list[Recall]:
        """How many introduced errors were found; empty where none were introduced."""
        return self.store.read(lambda connection: recalls_in(connection, self.row, self.protocol))

    @cached_property
    def any_gold(self) -> bool:
        """Whether any gold list is finished."""
        return self.store.read(lambda connection: any_list(connection, self.row, self.protocol))

    @cached_property
    def gold(self) -> dict[str, list[GoldText]]:
        """By question its finished gold lists."""
        return self.store.read(lambda connection: lists_of(connection, self.row, self.protocol))
