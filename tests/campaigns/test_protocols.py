"""Protocols that a server keeps: copies, versions, differences, and never a change under a campaign."""

from __future__ import annotations

import pytest

from goldmark.campaigns.definition.protocols import (
    BuiltIn,
    InUse,
    NoSuchProtocol,
    copied,
    difference,
    find_protocol,
    list_protocols,
    next_version,
    save_protocol,
)
from goldmark.campaigns.lifecycle import create
from goldmark.campaigns.protocol_editor.categories import with_label
from goldmark.protocols import builtin_names, load, parse
from goldmark.store import Store
from tests.campaigns.plans import plan_from_parts

ROWS = [{"id": "a", "text": "Zebras have six legs."}]


def save(store: Store, source: str) -> None:
    store.write(lambda connection: save_protocol(connection, parse(source)))


def kept(store: Store) -> dict[str, list[str]]:
    return {one.id: one.campaigns for one in store.read(list_protocols) if not one.built_in}


def test_a_copy_is_saved_found_and_changed_until_a_campaign_asks_it(store: Store) -> None:
    mine = copied(load("accuracy"), "mine")
    save(store, mine)
    save(store, mine.replace("title: 'Find", "title: 'Look for"))  # nobody asks it: written anew
    assert kept(store) == {"mine/1": []}
    found = store.read(lambda connection: find_protocol(connection, "mine"))
    assert found.protocol.title == "Look for the factual errors"
    plan = plan_from_parts({"campaign": "zoo", "protocol": "mine/1"}, rows=ROWS, protocol=found.protocol.source)
    create(store, name="zoo", title="", protocol=plan.protocol, settings=plan.settings, units=plan.units, author="me")
    assert kept(store) == {"mine/1": ["zoo"]}
    with pytest.raises(InUse, match=r"asked in zoo.*call the changed one mine/2"):
        save(store, mine)
    following = store.read(lambda connection: next_version(connection, found))
    assert following.startswith("protocol: mine/2\n")
    save(store, following)
    assert kept(store) == {"mine/1": ["zoo"], "mine/2": []}


def test_what_is_built_in_stays(store: Store) -> None:
    with pytest.raises(BuiltIn):
        save(store, "protocol: accuracy/2\nextends: accuracy/1\n")
    with pytest.raises(NoSuchProtocol):
        store.read(lambda connection: find_protocol(connection, "nobodys/1"))


@pytest.mark.parametrize("name", builtin_names())
def test_every_built_in_protocol_can_be_copied_and_asks_the_same(name: str) -> None:
    base = load(name)
    copy = parse(copied(base, "mine"))
    changed = [(sign, line) for sign, line in difference(base, copy) if sign in "+-"]
    assert changed == [("-", f"protocol: {name}"), ("+", "protocol: mine/1")]


@pytest.mark.parametrize("base", ["copy", "whole"])
def test_labels_are_added_one_by_one(base: str) -> None:
    source = copied(load("accuracy"), "mine") if base == "copy" else load("accuracy").source
    for title, key in (("Date", "d"), ("It's odd", "")):
        source = with_label(source, "accuracy-6", title, key)
    labels = parse(source).file.taxonomies["accuracy-6"]
    assert [(one.id, one.title, one.key or "") for one in labels][6:] == [
        ("DATE", "Date", "d"),
        ("IT_S_ODD", "It's odd", ""),
    ]


def test_a_difference_is_told_by_its_lines() -> None:
    base = load("accuracy")
    new = parse(with_label(copied(base, "mine"), "accuracy-6", "Date", "d"))
    added = [line.strip() for sign, line in difference(base, new) if sign == "+"]
    assert added[:4] == ["protocol: mine/1", "- id: DATE", "title: Date", "key: d"]
