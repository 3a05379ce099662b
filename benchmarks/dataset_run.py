"""From raw texts to a released dataset through the real server: 2,000 texts, 20 annotators, 2 reviewers.

Every text is annotated in five stages, reviewed, returned and amended until it passes; a spot check of 200 says how
accurate the result is. Then the dataset is built twice: the bytes must be the same, the split stratified, and its
statistics those that a plain count over the approved answers gives.
"""

from __future__ import annotations

import os
import tempfile
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import _released as released
from goldmark.accounts.roles import Role
from goldmark.campaigns.definition.settings import Settings
from goldmark.campaigns.lifecycle import create, find_campaign, move
from goldmark.campaigns.transfer.export import record_of
from goldmark.datasets.release.build import Options, build
from goldmark.datasets.release.manifest import Manifest
from goldmark.datasets.sources.store import CampaignSource
from goldmark.people.annotators import invite
from goldmark.protocols import load
from goldmark.records.units import ShownText, ShownUnit, Unit
from goldmark.texts.segmentation.text import make_text
from goldmark.web.runtime.rehearsal_server import RehearsalServer, stage
from tools.simulate.errors import simulated_texts
from tools.simulate.reviewed import Outcome, Setup, run, spot_check

NAME = "simulated"


@dataclass(frozen=True)
class Released:
    """What came of a run."""

    outcome: Outcome
    status: Mapping[str, Any]  # as the API tells it
    answers: Mapping[str, tuple[str, Mapping[str, Any]]]  # by name: the text and what was approved
    manifest: Manifest
    folders: tuple[Path, Path]


def main() -> None:
    os.environ.setdefault("GOLDMARK_SECRET", uuid.uuid4().hex)
    texts = int(os.environ.get("BENCH_TEXTS", "2000"))
    began = time.perf_counter()
    with stage() as place, tempfile.TemporaryDirectory() as folder:
        found = release(place, Path(folder), texts=texts, annotators=20, checked=200, rng=np.random.default_rng(9))
        outcome = found.outcome
        released.check(found.folders[0], found.answers)
        same = released.bytes_of(found.folders[0]) == released.bytes_of(found.folders[1])
    print(f"texts {texts}, annotators {len(outcome.by_annotator)}, rounds {outcome.rounds}")
    print(f"answers {outcome.answers}, of which amended {outcome.amended}; words of reviewers {outcome.words}")
    print(f"where texts stand: { {status: count for status, count in found.status['statuses'].items() if count} }")
    for row in found.status["spot_check_table"]["rows"]:
        print(
            f"spot check {row['stage']:18} {row['right']:4} of {row['reviewed']:4} right, "
            f"{row['percent']:.1f} % [{row['percent_low']:.1f}, {row['percent_high']:.1f}]"
        )
    print(f"released {found.manifest.texts}, {found.manifest.errors} errors; left out {found.manifest.left_out}")
    print(f"statistics as counted by hand: yes; a second build gives the same bytes: {'yes' if same else 'NO'}")
    print(f"everything took {time.perf_counter() - began:.0f} s")


def release(
    place: RehearsalServer,
    folder: Path,
    *,
    texts: int,
    annotators: int,
    checked: int,
    rng: np.random.Generator,
    setup: Setup | None = None,
) -> Released:
    """The whole way: a campaign, its people, their work, the spot check, and the dataset built twice."""
    services = place.services
    store = services.store
    made = list(simulated_texts(texts, rng=rng))
    create(
        store,
        name=NAME,
        title="Simulated errors",
        protocol=load("tgea"),
        settings=Settings.model_validate({"review": {"required": True, "twice": 0.1}}),
        units=[
            Unit(
                one.id,
                ShownUnit({"text": ShownText(make_text(one.id, one.text, tokeniser="rules"), language=one.language)}),
                {"system": "templates"},
            )
            for one in made
        ],
        author="bench",
    )
    move(store, NAME, "started", author="bench")
    people = {
        f"annotator-{number:02}": invite(store, services.links, NAME, f"annotator-{number:02}", author="bench")[1]
        for number in range(annotators)
    }
    tokens = {}
    for name, role in (("Rhea", Role.CURATOR), ("Sol", Role.CURATOR), ("Mina", Role.MANAGER)):
        account = services.accounts.create(name, role, None, author="bench")
        tokens[name] = services.accounts.new_token(account.id, "bench")[1]
    reviewers = {name: tokens[name] for name in ("Rhea", "Sol")}
    outcome = run(place.ask, NAME, made, annotators=people, reviewers=reviewers, rng=rng, setup=setup)
    spot_check(place.ask, NAME, manager=tokens["Mina"], checker=tokens["Rhea"], size=checked, outcome=outcome)
    status = place.ask("GET", f"/campaigns/{NAME}/status", tokens["Rhea"], {})
    record = record_of(store, NAME)
    words = {unit.id: unit.shown.texts["text"].text.characters for unit in record.units}
    answers = {one.unit: (words[one.unit], one.answers) for one in record.final_responses()}

    def make(connection: Any, target: Path) -> Manifest:
        source = CampaignSource(connection, find_campaign(connection, NAME))
        return build(source, target, Options(choose="approved"))

    first, second = folder / "first", folder / "second"
    manifest = store.snapshot(lambda connection: make(connection, first))
    store.snapshot(lambda connection: make(connection, second))
    return Released(outcome, status, answers, manifest, (first, second))
