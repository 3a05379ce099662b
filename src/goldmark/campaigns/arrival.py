"""A large campaign comes into the database in pieces. It has no name and nobody sees it until all of it is there.

An import that was killed leaves pieces behind; whoever brings in the next large campaign sweeps them out. Until then
they are in nobody's way. Every piece notes the time: what has not moved for a while does not move any more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Connection, Table, select, update

from goldmark.accounts.links import new_nonce
from goldmark.errors import Failed
from goldmark.store import Store
from goldmark.store.pieces import AtOnce, InPieces, RowWriter
from goldmark.store.states import ARRIVING, LEAVING, UNSEEN
from goldmark.store.tables import (
    annotator,
    assignment,
    attempt,
    attempt_answer,
    campaign,
    curation_step,
    event,
    gold_version,
    response,
    review,
    test_answer,
    unit,
    unit_secret,
)

VISIBLE = campaign.c.state.not_in(UNSEEN)
GIVEN_UP = timedelta(minutes=10)  # without a new piece
Result = TypeVar("Result")


class ArrivalGivenUp(Failed):
    code = "CAMPAIGN-11"
    message = "the campaign stood still for so long that what had come of it was removed; begin again"


class ArrivingCampaign:
    """One campaign on its way in; `id` is known once its row is there."""

    def __init__(self, rows: RowWriter, *, hidden: bool) -> None:
        self.rows, self.hidden = rows, hidden
        self.id = 0

    def row(self, values: dict[str, Any]) -> dict[str, Any]:
        """The values of the campaign's row as it begins. A crowd would share what is known of its people at once."""
        if not self.hidden:
            return values
        self._values = values
        return {**values, "name": f"arriving {new_nonce()}", "state": ARRIVING, "crowd": "", "created_at": _now()}

    def show(self, connection: Connection) -> None:
        """All of it is there."""
        if self.hidden:
            shown = {key: self._values[key] for key in ("name", "state", "crowd", "created_at")}
            connection.execute(update(campaign).where(campaign.c.id == self.id).values(**shown))


def arriving(store: Store, bring: Callable[[ArrivingCampaign], Result], *, large: bool) -> Result:
    """What `bring` brings in: all of it or nothing, in one transaction or, if it is large, hidden and in pieces."""
    if not large:
        return store.write(lambda connection: bring(ArrivingCampaign(AtOnce(connection), hidden=False)))
    _sweep(store)
    coming = ArrivingCampaign(InPieces(store), hidden=True)
    coming.rows = InPieces(store, lambda connection: _still_coming(connection, coming.id))
    try:
        return bring(coming)
    except BaseException:
        if coming.id:
            _remove(store, coming.id)
        raise


def _still_coming(connection: Connection, campaign_id: int) -> None:
    """Notes that it goes on. There is nothing to note before its row is there."""
    if campaign_id:
        here = (campaign.c.id == campaign_id) & (campaign.c.state == ARRIVING)
        if connection.execute(update(campaign).where(here).values(created_at=_now())).rowcount != 1:
            raise ArrivalGivenUp


def _sweep(store: Store) -> None:
    stood_still = (campaign.c.state == ARRIVING) & (campaign.c.created_at < _now() - GIVEN_UP)
    left = select(campaign.c.id).where(stood_still | (campaign.c.state == LEAVING))
    for campaign_id in store.read(lambda connection: connection.execute(left).scalars().all()):
        _remove(store, campaign_id, stood_still)


def _remove(store: Store, campaign_id: int, which: ColumnElement[bool] = campaign.c.state == ARRIVING) -> None:
    """Everything that came of a campaign that never was, in pieces as it came.

    It is claimed first, if it still is as it was seen: whoever brings it in wakes up perhaps, and is told then; and
    whoever broke it off may not know that it was there already.
    """
    here = (campaign.c.id == campaign_id) & (which | (campaign.c.state == LEAVING))
    claiming = update(campaign).where(here).values(state=LEAVING)
    if store.write(lambda connection: connection.execute(claiming).rowcount) != 1:
        return
    held = select(assignment.c.id).where(assignment.c.campaign_id == campaign_id)
    units = select(unit.c.id).where(unit.c.campaign_id == campaign_id)
    people = select(annotator.c.id).where(annotator.c.campaign_id == campaign_id)
    tries = select(attempt.c.id).where(attempt.c.annotator_id.in_(people))
    gone: Sequence[tuple[Table, ColumnElement[bool]]] = (
        *((table, table.c.campaign_id == campaign_id) for table in (curation_step, gold_version, review, test_answer)),
        (response, response.c.assignment_id.in_(held)),
        (attempt_answer, attempt_answer.c.attempt_id.in_(tries)),
        (attempt, attempt.c.annotator_id.in_(people)),
        (unit_secret, unit_secret.c.unit_id.in_(units)),
        *((table, table.c.campaign_id == campaign_id) for table in (assignment, unit, annotator, event)),
    )
    pieces = InPieces(store)
    for table, which in gone:
        pieces.remove(table, which)
    pieces.remove(campaign, (campaign.c.id == campaign_id) & (campaign.c.state == LEAVING))


def _now() -> datetime:
    return datetime.now(UTC)
