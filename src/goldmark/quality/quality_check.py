"""A check of somebody's work: their new answers to test questions are graded, and the campaign's rules may act.

No annotator waits for a check. It follows an answer that was kept and acknowledged, the same after every unit, and what
it finds is known from the answers themselves, so a check that never came (the server was stopped) is made up for by the
next one: when that person answers again, when a server starts, or before a round of a leaderboard is scored.
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING

from sqlalchemy import Connection, select

from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.campaigns.assignments.responses import KeptAnswer
from goldmark.campaigns.definition.settings import settings_from
from goldmark.quality.test_questions import grade_new, has_new, ungraded_people
from goldmark.store import Store
from goldmark.store.tables import annotator, campaign

if TYPE_CHECKING:
    from goldmark.quality.noisy_monitor import NoisyMonitor


class QualityCheck:
    """Checks people's work, each in a transaction of its own. Called with an answer, it checks at once."""

    def __init__(self, store: Store, content: ContentCache, watching: NoisyMonitor | None = None) -> None:
        self._store, self._content, self._given = store, content, watching

    @cached_property
    def watching(self) -> NoisyMonitor:
        """The models of annotators that were learned so far. A server starts without loading numbers."""
        from goldmark.quality.noisy_monitor import NoisyMonitor

        return self._given or NoisyMonitor()

    def __call__(self, kept: KeptAnswer) -> None:
        def look(connection: Connection) -> None:
            self.at(connection, kept.campaign_id, kept.annotator_id, rules=kept.rules_look)

        # Whether there is anything to do is asked beside the writer, which annotators wait for.
        if self._store.read(partial(_has_work, kept=kept)):
            self._store.write(look)

    def at(self, connection: Connection, campaign_id: int, annotator_id: int, *, rules: bool) -> None:
        """The same as part of a larger transaction; nobody else acts for this person until it ends."""
        connection.execute(select(annotator.c.id).where(annotator.c.id == annotator_id).with_for_update()).one()
        grade_new(connection, self._content, annotator_id=annotator_id)
        if rules:
            from goldmark.quality.rules import RuleKeeper

            RuleKeeper(self._content, lambda: self.watching).look(connection, campaign_id, annotator_id)

    def at_everybody(self, connection: Connection, campaign_id: int) -> None:
        """Everybody of a campaign once more, in the order in which they joined."""
        people = select(annotator.c.id).where(annotator.c.campaign_id == campaign_id).order_by(annotator.c.id)
        for annotator_id in connection.execute(people).scalars().all():
            self.at(connection, campaign_id, annotator_id, rules=True)

    def catch_up(self) -> None:
        """Make up for looks that never came."""
        for campaign_id, annotator_id in self._store.read(ungraded_people):
            self(KeptAnswer(campaign_id, annotator_id, rules_look=True))


def _has_work(connection: Connection, kept: KeptAnswer) -> bool:
    if has_new(connection, kept.annotator_id):
        return True
    if not kept.rules_look:
        return False
    stored = connection.execute(select(campaign.c.settings).where(campaign.c.id == kept.campaign_id)).scalar_one()
    return bool(settings_from(stored).quality.rules)
