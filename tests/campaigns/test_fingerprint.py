"""Whatever changes in a campaign changes its fingerprint, and nothing else does; no answer is read for it."""

from __future__ import annotations

from collections.abc import Hashable

from goldmark.campaigns.assignments.responses import Submission
from goldmark.campaigns.definition.settings import Settings
from goldmark.campaigns.fingerprint import fingerprint
from goldmark.campaigns.lifecycle import create, look_into, move
from goldmark.campaigns.more_units import add_units
from goldmark.people.annotators import invite
from goldmark.people.exclusions import exclude
from goldmark.people.undo_exclusion import undo
from goldmark.protocols import load
from goldmark.store import Store
from tests.campaigns.house import NAME, House
from tests.campaigns.house import unit as make_unit
from tests.databases import on_sqlite


def of(store: Store, name: str = NAME) -> Hashable:
    return look_into(store, name, fingerprint)


@on_sqlite
def test_every_change_is_told(store: Store) -> None:
    house = House.build(store, 5, labels_per_unit=2, review={"required": True})
    seen = [of(store)]

    def changed() -> bool:
        seen.append(of(store))
        return seen[-1] not in seen[:-1]

    ada = house.person("Ada")
    assert changed()
    held = house.task(ada)
    assert of(store) == seen[-1], "what somebody holds is in no figure"
    house.submit(ada, held)
    assert changed()
    assert of(store) == seen[-1]
    mark = {"id": "e1", "start": 0, "end": 1, "label": "NAME", "correction": "Monday"}
    house.responses.submit(ada, held.id, Submission({"mistakes": [mark]}, "amended-in-no-time", None, 0.0))
    assert changed()
    house.judge(held.id, "approved", "Rita")
    assert changed()
    exclude(store, NAME, "Ada", author="test", reason="", rule="")
    assert changed()
    undo(store, NAME, "Ada", author="test", reason="")
    assert changed()
    add_units(store, NAME, [make_unit("new", "One more text .")], author="test")
    assert changed()


@on_sqlite
def test_other_campaigns_change_nothing(store: Store) -> None:
    House.build(store, 2)
    before = of(store)
    create(
        store,
        name="other",
        title="Other",
        protocol=load("accuracy"),
        settings=Settings(),
        units=[make_unit("o1"), make_unit("o2")],
        author="test",
    )
    move(store, "other", "started", author="test")
    house = House.over(store)
    _, token = invite(store, house.links, "other", "Bo", author="test")
    house.submit(token, house.task(token))
    assert of(store) == before
