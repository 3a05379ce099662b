"""A campaign of any protocol that three people have answered, some of it not."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from goldmark.campaigns.definition.file import read_campaign
from goldmark.campaigns.transfer.restore import restore
from goldmark.cli import run
from goldmark.protocols import Protocol
from goldmark.records.campaigns import (
    AnnotatorRecord,
    AssignmentRecord,
    CampaignRecord,
    ProtocolRecord,
    ResponseRecord,
)
from goldmark.records.units import ShownText, ShownUnit, Unit
from goldmark.store import Store
from goldmark.texts.segmentation.text import make_text
from tests.results.random_answers import answer

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
PEOPLE = ("Ann", "Bo", "Cai")
CONDITIONS = {"Ann": "plain", "Bo": "taught", "Cai": "plain"}
SYSTEMS = ("alder", "birch")
ITEMS = 8
TEXT = "The {0} committee met on a cold morning , and {1} of its members said that nothing had changed since autumn ."


@dataclass(frozen=True)
class Said:
    """One answer as it was given, with what is hidden of its unit."""

    unit: str
    item: str
    system: str
    annotator: str
    hidden: dict[str, Any]
    answers: dict[str, Any]


def units_of(protocol: Protocol) -> list[Unit]:
    """Texts of two systems for the same items; for protocols that compare, both in one unit."""
    if len(protocol.texts) > 1:
        hidden = {role: f"system_{role}" for role in protocol.texts}
        names = (*SYSTEMS, "cedar", "elm")[: len(protocol.texts)]
        return [
            Unit(
                f"p{item}",
                ShownUnit({role: _text(f"p{item}/{role}", item, place) for place, role in enumerate(protocol.texts)}),
                {"item": f"i{item}"}
                # The systems change places from item to item.
                | {hidden[role]: names[(place + item) % len(names)] for place, role in enumerate(protocol.texts)},
            )
            for item in range(ITEMS)
        ]
    return [
        Unit(
            f"{system}-{item}",
            ShownUnit({"text": _text(f"{system}-{item}", item, place)}),
            {"item": f"i{item}", "system": system, "domain": ("news", "story")[item % 2]}
            | {"source": ("human", "machine")[(item + place) % 2]},
        )
        for place, system in enumerate(SYSTEMS)
        for item in range(ITEMS)
    ]


def _text(name: str, item: int, place: int) -> ShownText:
    return ShownText(
        make_text(name, TEXT.format(("first", "second", "third")[item % 3], ("one", "two", "three", "four")[place]))
    )


def _row(texts: dict[str, str]) -> dict[str, Any]:
    """Texts as a file has them: one or two under their own names, more of them together."""
    return {"texts": texts} if len(texts) > 2 else dict(texts)


def answered(
    protocol: Protocol, *, seed: int = 1, people: Sequence[str] = PEOPLE, units: Sequence[Unit] = ()
) -> tuple[Sequence[Unit], list[Said]]:
    """Every unit answered by everybody, but for about one answer in six."""
    rng = np.random.default_rng(seed)
    units = units or units_of(protocol)
    said = [
        Said(
            unit.id,
            str(unit.hidden["item"]),
            str(unit.hidden.get("system", "")),
            who,
            dict(unit.hidden),
            answer(protocol, unit.shown, rng),
        )
        for unit in units
        for who in people
        if rng.random() < 5 / 6
    ]
    return units, said


def record_of_answers(name: str, protocol: Protocol, units: Sequence[Unit], said: Sequence[Said]) -> CampaignRecord:
    """The campaign as it would be after these answers; people work in two conditions."""
    names = list(dict.fromkeys(one.annotator for one in said))
    return CampaignRecord(
        settings={"campaign": name, "title": name.title(), "state": "running", "created_at": NOW.isoformat()},
        protocol=protocol.id,
        protocols=(ProtocolRecord(protocol.name, protocol.version, protocol.source),),
        units=tuple(units),
        annotators=tuple(
            AnnotatorRecord(who, "active", NOW, {"condition": CONDITIONS.get(who, "plain")}) for who in names
        ),
        assignments=tuple(AssignmentRecord(one.unit, one.annotator, "done", NOW, NOW) for one in said),
        responses=tuple(
            ResponseRecord(
                one.unit,
                one.annotator,
                1,
                True,
                one.answers,
                protocol.id,
                f"key-{place}",
                NOW,
                NOW + timedelta(minutes=place),
                20.0 + place % 7,
            )
            for place, one in enumerate(said)
        ),
    )


def fill(store: Store, name: str, protocol: Protocol, *, seed: int = 1, people: Sequence[str] = PEOPLE) -> list[Said]:
    """A campaign in a store; given back are its answers, as they were made."""
    units, said = answered(protocol, seed=seed, people=people)
    restore(store, record_of_answers(name, protocol, units, said), author="test")
    return said


def fill_from_files(address: str, folder: Path, name: str, protocol: Protocol) -> list[Said]:
    """A campaign as people make one: a file with its texts, and answers that were made elsewhere, all by command."""
    texts = (
        {
            "id": unit.id,
            **_row({role: shown.text.characters for role, shown in unit.shown.texts.items()}),
            **unit.hidden,
        }
        for unit in units_of(protocol)
    )
    (folder / "texts.jsonl").write_text("\n".join(map(json.dumps, texts)), "utf-8")
    file = folder / "campaign.yaml"
    file.write_text(f"campaign: {name}\nprotocol: {protocol.id}\ntexts: texts.jsonl\nlabels_per_unit: 3\n", "utf-8")
    _, said = answered(protocol, units=read_campaign(file).units)
    answers = folder / "answers.jsonl"
    rows = (
        {
            "unit": one.unit,
            "annotator": one.annotator,
            "seconds": 20.0 + place % 7,
            "time": (NOW + timedelta(minutes=place)).isoformat(),
            "answers": one.answers,
        }
        for place, one in enumerate(said)
    )
    answers.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    for words in (("create", str(file)), ("start", name), ("import-answers", name, str(answers))):
        assert run(["campaign", *words, "--database", address]) == 0
    return said
