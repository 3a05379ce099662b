"""A check of somebody's work: their new answers to test questions are graded, and the campaign's rules may act.

No annotator waits for a check. It follows an answer that was kept and acknowledged, the same after every unit, and what
it finds is known from the answers themselves, so a check that never came (the server was stopped) is made up for by the
next one: when that person answers again, when a server starts, or before a round of a leaderboard is scored.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from sqlalchemy import Connection, select

from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.campaigns.assignments.responses import KeptAnswer
from goldmark.campaigns.definition.settings import settings_from
from goldmark.quality.test_questions import grade_new, has_new, ungraded_people
from goldmark.store import Store, events
from goldmark.store.tables import annotator, campaign

if TYPE_CHECKING:
    from goldmark.quality.noisy_monitor import NoisyMonitor


class QualityCheck:
    """Checks people's work, one after the other. Called with an answer, it checks at once.

    Rules read all that somebody answered beside the writer; only what they then do is written.
    """

    def __init__(self, store: Store, content: ContentCache, watching: NoisyMonitor | None = None) -> None:
        self._store, self._content, self._given = store, content, watching

    @cached_property
    def watching(self) -> NoisyMonitor:
        """The models of annotators that were learned so far. A server starts without loading numbers."""
        from goldmark.quality.noisy_monitor import NoisyMonitor

        return self._given or NoisyMonitor()

    def __call__(self, kept: KeptAnswer) -> None:
        # Whether there is anything to do is asked beside the writer, which annotators wait for.
        if self._store.read(lambda connection: has_new(connection, kept.annotator_id)):
            self._store.write(lambda connection: self._grade(connection, kept.annotator_id))
        if kept.rules_look and self._store.read(lambda connection: _has_rules(connection, kept.campaign_id)):
            self._let_rules_look(kept.campaign_id, kept.annotator_id)

    def _grade(self, connection: Connection, annotator_id: int) -> None:
        _hold(connection, annotator_id)
        grade_new(connection, self._content, annotator_id=annotator_id)

    def _let_rules_look(self, campaign_id: int, annotator_id: int) -> None:
        from goldmark.people.exclusions import Counted, Owing, counted_beside, settle
        from goldmark.quality.rules import RuleKeeper, act

        keeper = RuleKeeper(self._content, lambda: self.watching)
        since = self._store.read(events.mark)
        found = self._store.read(lambda connection: keeper.look(connection, campaign_id, annotator_id))

        def do(connection: Connection, counted: Counted) -> Owing | None:
            _hold(connection, annotator_id)
            return act(connection, campaign_id, annotator_id, found, since=since, counted=counted)

        if found:
            settle(self._store, counted_beside(self._store, annotator_id, do))

    def everybody(self, campaign_id: int) -> None:
        """Everybody of a campaign once more, in the order in which they joined."""
        people = select(annotator.c.id).where(annotator.c.campaign_id == campaign_id).order_by(annotator.c.id)
        for annotator_id in self._store.read(lambda connection: connection.execute(people).scalars().all()):
            self(KeptAnswer(campaign_id, annotator_id, rules_look=True))

    def catch_up(self) -> None:
        """Make up for looks that never came."""
        for campaign_id, annotator_id in self._store.read(ungraded_people):
            self(KeptAnswer(campaign_id, annotator_id, rules_look=True))


def _hold(connection: Connection, annotator_id: int) -> None:
    """Nobody else acts for this person until the transaction ends."""
    connection.execute(
        select(annotator.c.id).where(annotator.c.id == annotator_id).with_for_update(key_share=True)
    ).one()


def _has_rules(connection: Connection, campaign_id: int) -> bool:
    stored = connection.execute(select(campaign.c.settings).where(campaign.c.id == campaign_id)).scalar_one()
    return bool(settings_from(stored).quality.rules)
