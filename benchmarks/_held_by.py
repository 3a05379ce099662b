"""What managers do in a large campaign, an act at a time, and what has to be there for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from sqlalchemy import Connection, select, update

from goldmark.campaigns.definition.settings import Settings
from goldmark.campaigns.lifecycle import find_campaign
from goldmark.campaigns.settings_change import change_settings
from goldmark.people.exclusions import exclude
from goldmark.people.undo_exclusion import undo
from goldmark.reviews.final_spot_check import draw
from goldmark.store import Store
from goldmark.store.tables import annotator, assignment, unit

NAME = "marks"
MUCH = 21  # people whose answers one person gets who has answered much
WAIT = 18  # one answer in so many waits for approval

Act = Callable[[], Any]


def acts(store: Store) -> Iterator[tuple[str, Act]]:
    """Prepared when it is asked for the next one."""
    little, few, much = _somebody(store)
    given: dict[str, Any] = {"author": "bench", "reason": "a measurement"}
    yield "somebody with 335 answers is excluded", partial(exclude, store, NAME, little, **given)
    yield "that is undone", partial(undo, store, NAME, little, **given)
    yield "somebody with 50 answers is excluded", partial(exclude, store, NAME, few, **given)
    yield "that is undone (50)", partial(undo, store, NAME, few, **given)
    yield "somebody with 7,000 answers is excluded", partial(exclude, store, NAME, much, **given)
    yield "that is undone (7,000)", partial(undo, store, NAME, much, **given)
    yield "a spot check of 500 is drawn", partial(draw, store, NAME, size=500, author="bench")
    yield "a spot check of 10,000 is drawn", partial(draw, store, NAME, size=10_000, author="bench")
    settings = store.read(lambda connection: find_campaign(connection, NAME)).settings
    yield "four labels instead of three", partial(_settings, store, settings, labels_per_unit=4)
    yield "three labels again", partial(_settings, store, settings)
    approval = settings.review.model_copy(update={"required": True})
    yield "approval is asked for", partial(_settings, store, settings, review=approval)
    store.write(_let_wait)
    yield "approval is no longer asked for", partial(_settings, store, settings)
    versions = settings.order.model_copy(update={"one_version_per_item": True})
    yield "one version of each item", partial(_settings, store, settings, order=versions)


def _settings(store: Store, settings: Settings, **values: Any) -> None:
    told = settings.model_copy(update=values)
    change_settings(store, NAME, told, title=NAME, author="bench", reason="")


def _somebody(store: Store) -> tuple[str, str, str]:
    """Three people: with as many answers as everybody has, with fewer, and with many."""

    def gather(connection: Connection) -> tuple[str, str, str]:
        row = find_campaign(connection, NAME)
        people = connection.execute(select(annotator.c.id, annotator.c.name).where(annotator.c.campaign_id == row.id))
        # Every unit is answered by people whose numbers differ by a multiple of seven, and the copies are alike.
        ordered = sorted(people, key=lambda one: (one.name.split("-")[1], one.name))
        some, (little, few, more) = ordered[:MUCH], ordered[-3:]
        connection.execute(
            update(assignment)
            .where(assignment.c.annotator_id.in_([one.id for one in some]))
            .values(annotator_id=some[0].id)
        )
        theirs = select(assignment.c.id).where(assignment.c.annotator_id == few.id)
        rest = connection.execute(theirs.order_by(assignment.c.id).offset(50)).scalars().all()
        moved = update(assignment).where(assignment.c.id.in_(rest), ~_has(more.id)).values(annotator_id=more.id)
        connection.execute(moved)
        return little.name, few.name, some[0].name

    return store.write(gather)


def _has(annotator_id: int) -> Any:
    other = assignment.alias()
    here = (other.c.unit_id == assignment.c.unit_id) & (other.c.annotator_id == annotator_id)
    return select(other.c.id).where(here).exists()


def _let_wait(connection: Connection) -> None:
    row = find_campaign(connection, NAME)
    some = (assignment.c.campaign_id == row.id) & (assignment.c.id % WAIT == 0) & (assignment.c.state == "done")
    units = select(assignment.c.unit_id).where(some)  # one answer to each at most
    connection.execute(update(unit).where(unit.c.id.in_(units)).values(done=unit.c.done - 1))
    connection.execute(update(assignment).where(some).values(state="waiting"))
