"""A large campaign in a database of its own: rows as they would be after so many answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

import numpy as np
from sqlalchemy import Connection, insert, select

from goldmark.campaigns.definition.settings import Settings
from goldmark.campaigns.lifecycle import CampaignRow, create
from goldmark.protocols import Protocol, load
from goldmark.records.units import ShownText, ShownUnit, Unit
from goldmark.store import Store
from goldmark.store.tables import annotator, assignment, response, unit
from goldmark.texts.segmentation.text import make_text

Answers = Callable[[np.random.Generator], dict[str, Any]]
SYSTEMS, PEOPLE, LABELS, WORDS = 4, 60, 3, 120
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def rated(rng: np.random.Generator) -> dict[str, Any]:
    """An answer to four scales."""
    return {question: options[rng.integers(len(options))] for question, options in _SCALES.items()}


def marked(rng: np.random.Generator) -> dict[str, Any]:
    """Up to eight marks that do not overlap."""
    starts = sorted(rng.choice(WORDS // 4, size=rng.integers(9), replace=False).tolist())
    labels = rng.choice(_LABELS, size=len(starts)).tolist()
    return {
        "mistakes": [
            {"id": f"e{number}", "start": 4 * start, "end": 4 * start + 2, "label": label, "correction": "something"}
            for number, (start, label) in enumerate(zip(starts, labels, strict=True))
        ]
    }


_SCALES = {question.id: list(question.options_with_numbers() or ()) for question in load("rating-summary").questions()}
_SCALES = {question: options for question, options in _SCALES.items() if options}
_LABELS = list(load("accuracy").taxonomies["accuracy-6"].paths)


def fill(
    store: Store, name: str, protocol: Protocol, answer: Answers, responses: int, people: int = PEOPLE
) -> CampaignRow:
    """A campaign of which three people have answered every unit."""
    rng = np.random.default_rng(1)
    row = create(
        store,
        name=name,
        title=name,
        protocol=protocol,
        settings=Settings(labels_per_unit=LABELS),
        units=list(_units(responses // LABELS, rng)),
        author="benchmark",
    )
    store.write(lambda connection: _answers(connection, row, answer, rng, people))
    return row


def _units(count: int, rng: np.random.Generator) -> Iterator[Unit]:
    words = [f"word{number}" for number in range(5_000)]
    for number in range(count):
        text = " ".join(words[place] for place in rng.integers(len(words), size=WORDS))
        hidden = {"system": f"system-{number % SYSTEMS}", "item": f"item-{number // SYSTEMS}"}
        yield Unit(f"u{number}", ShownUnit({"text": ShownText(make_text(f"u{number}", text))}), hidden)


def _answers(connection: Connection, row: CampaignRow, answer: Answers, rng: np.random.Generator, many: int) -> None:
    about = {"campaign_id": row.id, "state": "active", "link_nonce": "", "joined_at": NOW, "cursor": 0}
    connection.execute(insert(annotator), [{"name": f"person-{number:02}", **about} for number in range(many)])
    people = list(connection.execute(select(annotator.c.id).where(annotator.c.campaign_id == row.id)).scalars())
    units = list(connection.execute(select(unit.c.id).where(unit.c.campaign_id == row.id)).scalars())
    held = {"campaign_id": row.id, "protocol_id": row.protocol_id, "state": "done", "batch": 1, "revision": 1}
    first = 1 + (connection.execute(select(assignment.c.id).order_by(assignment.c.id.desc()).limit(1)).scalar() or 0)
    rows = (
        {"id": first + place * LABELS + turn, "unit_id": one, "annotator_id": people[(place + 7 * turn) % many]}
        for place, one in enumerate(units)
        for turn in range(LABELS)
    )
    while some := list(islice(rows, 5_000)):
        times = {"claimed_at": NOW, "lease_until": NOW, "finished_at": NOW}
        connection.execute(insert(assignment), [{**one, **held, **times} for one in some])
        connection.execute(
            insert(response),
            [
                {
                    "assignment_id": one["id"],
                    "revision": 1,
                    "client_key": str(one["id"]),
                    "answers": answer(rng),
                    "protocol_id": row.protocol_id,
                    "server_time": NOW + timedelta(seconds=one["id"]),
                    "seconds_active": float(rng.integers(10, 300)),
                }
                for one in some
            ],
        )
