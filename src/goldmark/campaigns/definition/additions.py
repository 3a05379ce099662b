"""Texts added to a campaign that exists, checked against its protocol first."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import Connection, select

from goldmark.campaigns.definition.file import check_roles
from goldmark.campaigns.definition.needed_context import note_missing
from goldmark.campaigns.lifecycle import find_campaign
from goldmark.campaigns.more_units import add_units
from goldmark.campaigns.test_questions.expected_answers import checked_tests
from goldmark.protocols import parse
from goldmark.store import Store
from goldmark.store.tables import protocol
from goldmark.texts.readers.units import read_units


def add_texts(store: Store, name: str, paths: Sequence[Path], *, tokeniser: str, sentences: str, author: str) -> int:
    """Read the files and add their units, or say all that is wrong and add none."""
    units = read_units(paths, tokeniser=tokeniser, sentences=sentences)

    def source(connection: Connection) -> str:
        row = find_campaign(connection, name)
        return str(connection.execute(select(protocol.c.source).where(protocol.c.id == row.protocol_id)).scalar_one())

    asked = parse(store.read(source))
    check_roles(asked, units, name)
    added = add_units(store, name, checked_tests(asked, units, name), author=author)
    note_missing(store, name, asked, units, author=author)
    return added
