"""Texts added to a campaign that exists, checked against its protocol first."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import Connection, select

from goldmark.campaigns.definition.units.unit_intake import ProblemPlaces, UnitIntake
from goldmark.campaigns.lifecycle import find_campaign
from goldmark.campaigns.more_units import add_units
from goldmark.campaigns.told import Tell, counted_calls, told_to_nobody
from goldmark.protocols import parse
from goldmark.store import Store
from goldmark.store.tables import protocol
from goldmark.texts.readers.rows import SegmentationRules
from goldmark.texts.readers.units import hand_on_units


def add_texts(
    store: Store,
    name: str,
    paths: Sequence[Path],
    *,
    tokeniser: str,
    sentences: str,
    author: str,
    tell: Tell = told_to_nobody,
) -> int:
    """Read the files and add their units, or say all that is wrong and add none."""

    def source(connection: Connection) -> str:
        row = find_campaign(connection, name)
        return str(connection.execute(select(protocol.c.source).where(protocol.c.id == row.protocol_id)).scalar_one())

    intake = UnitIntake(parse(store.read(source)), ProblemPlaces.all_in(name))
    hand_on_units(paths, counted_calls(intake.take, "texts read", tell), rules=SegmentationRules(tokeniser, sentences))
    intake.refuse()
    missing = intake.missing_context()
    return add_units(store, name, intake.units, author=author, missing_context=missing, tell=tell)
