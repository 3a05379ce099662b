"""Plan, ledger and platform beside each other, session by session and to the cent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Connection

from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.people.platform import Platform, Statement
from goldmark.records.tables import Cell, Table
from goldmark.recruiting.offering.postings import Posting, newest, open_platform
from goldmark.recruiting.ordering import orders
from goldmark.recruiting.paying import budget, ledger
from goldmark.recruiting.visiting import sessions
from goldmark.recruiting.visiting.sessions import Session
from goldmark.store import Store, events
from goldmark.store.pieces import InPieces

FOUND_THERE = "found on the platform, not ordered here"
SUM_COLUMNS = ("what", "plan", "ledger", "platform", "difference")
SESSION_COLUMNS = ("annotator", "session", "state", "outcome", "reward", "bonus", "reward_there", "bonus_there", "note")


class SessionLine(NamedTuple):
    """One session in the ledger and on the platform, in cents."""

    session: Session
    reward: int
    bonuses: tuple[int, ...]
    reward_there: int
    bonuses_there: tuple[int, ...]

    @property
    def agrees(self) -> bool:
        return self.reward == self.reward_there and Counter(self.bonuses) == Counter(self.bonuses_there)


class Reconciled(NamedTuple):
    """A posting's books."""

    campaign: str
    posting: Posting
    lines: tuple[SessionLine, ...]
    planned: budget.Reserved
    spent: ledger.Spent
    rewards_there: int
    bonuses_there: int
    fees_there: int | None
    unsettled: int  # orders whose answers were lost

    @property
    def differs(self) -> bool:
        """Whether some amount is not the same; what is not settled yet may still become so."""
        fees = self.fees_there is not None and self.fees_there != self.spent.fees
        sums = (self.rewards_there, self.bonuses_there) != (self.spent.rewards, self.spent.bonuses)
        return fees or sums or not all(one.agrees for one in self.lines)

    @property
    def agrees(self) -> bool:
        return not self.differs and not self.unsettled


def reconcile(store: Store, name: str) -> Reconciled:
    """Ask the platform for its books and lay ours beside them; nothing is changed."""
    found, parts = store.read(lambda connection: _look(connection, name))
    platform = open_platform(found.platform, live=found.live)
    statement = platform.statement(parts)
    return store.read(lambda connection: beside(connection, name, statement, platform))


def _look(connection: Connection, name: str) -> tuple[Posting, tuple[str, ...]]:
    found = newest(connection, find_campaign(connection, name))
    return found, orders.parts_of(connection, found.id)


def beside(connection: Connection, name: str, statement: Statement, platform: Platform) -> Reconciled:
    row = find_campaign(connection, name)
    found = newest(connection, row)
    paid = ledger.paid_by_session(connection, found.id)
    there = {one.session: one for one in statement.sessions}
    lines = []
    for one in sessions.of_posting(connection, found.id):
        reward, bonuses = paid.get(one.id, (0, ()))
        theirs = there.pop(one.reference, None)
        lines.append(
            SessionLine(one, reward, bonuses, theirs.reward if theirs else 0, theirs.bonuses if theirs else ())
        )
    return Reconciled(
        name,
        found,
        tuple(lines),
        budget.reserved(connection, found),
        ledger.spent(connection, found.id),
        sum(one.reward for one in statement.sessions),
        sum(sum(one.bonuses) for one in statement.sessions),
        statement.fees,
        len(orders.of_posting(connection, found.id, orders.SENT)),
    )


def adopt(store: Store, books: Reconciled, *, author: str) -> int:
    """Take over what was paid on the platform's own site and not ordered here; how many payments that were.

    Some people at a time, and only what our books do not have by then: whoever asks twice, or at the same moment as
    somebody else, takes nothing over twice.
    """
    platform = open_platform(books.posting.platform, live=books.posting.live)
    lines = [one for one in books.lines if Counter(one.bonuses_there) - Counter(one.bonuses)]

    def piece(connection: Connection, some: Sequence[SessionLine]) -> int:
        row: CampaignRow = find_campaign(connection, books.campaign, hold=True)
        ours = ledger.bonuses_of(connection, books.posting.id, [one.session.reference for one in some])
        made, taken = list[ledger.NewEntry](), []
        for line in some:
            reference = line.session.reference
            for amount in (Counter(line.bonuses_there) - Counter(ours[reference])).elements():
                paid = ledger.NewEntry("bonus", line.session.id, 0, amount, reference, FOUND_THERE)
                made.append(paid)
                if fee := platform.fee_of_bonus(amount):
                    made.append(paid._replace(kind="fee", amount=fee, reason="of a bonus"))
                taken.append([reference, amount / 100])
        if taken:
            ledger.enter_all(connection, books.posting.id, made, author=author)
            about = {"author": author, "kind": "payments taken over", "subject": books.campaign}
            events.record(connection, row.id, **about, facts={"bonuses": taken})
        return len(taken)

    return sum(InPieces(store).gathered(lines, piece))


def sums_table(books: Reconciled) -> Table:
    """Rewards, bonuses and fees: what may be spent, what the ledger says, what the platform says."""
    spent = books.spent
    fees = books.fees_there
    rows: list[tuple[Cell, ...]] = [
        ("rewards", None, spent.rewards / 100, books.rewards_there / 100, (spent.rewards - books.rewards_there) / 100),
        ("bonuses", None, spent.bonuses / 100, books.bonuses_there / 100, (spent.bonuses - books.bonuses_there) / 100),
        (
            "fees",
            None,
            spent.fees / 100,
            None if fees is None else fees / 100,
            None if fees is None else (spent.fees - fees) / 100,
        ),
    ]
    there = None if fees is None else (books.rewards_there + books.bonuses_there + fees) / 100
    difference = None if there is None else round(spent.total / 100 - there, 2)
    rows.append(("all", books.planned.total / 100, spent.total / 100, there, difference))
    word = "agree" if books.agrees else "DIFFER"
    notes = (
        f"budget {books.posting.budget / 100:.2f} {books.posting.offer.currency}; ledger and platform {word}",
        *((f"{books.unsettled} orders whose answers were lost are not settled",) if books.unsettled else ()),
        *(("the platform does not state its fees; they follow from its price list",) if fees is None else ()),
    )
    return Table(f"Books of {books.campaign} on {books.posting.where}", SUM_COLUMNS, tuple(rows), notes)


def sessions_table(books: Reconciled) -> Table:
    """Every session; people by their names in the campaign."""
    rows: list[tuple[Cell, ...]] = [
        (
            one.session.annotator,
            one.session.reference,
            one.session.state,
            one.session.outcome,
            one.reward / 100,
            sum(one.bonuses) / 100,
            one.reward_there / 100,
            sum(one.bonuses_there) / 100,
            one.session.note or ("" if one.agrees else "ledger and platform differ"),
        )
        for one in books.lines
    ]
    return Table("Sessions", SESSION_COLUMNS, tuple(rows))
