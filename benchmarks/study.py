"""A whole study at full size through a real server, with programs as participants, then many studies in numbers.

Fifteen cells of 130 people who judge five texts each (HUMANLIKE sections 2 and 3): right 0.58 of the time about the
older machine, 0.50 about the newer one, and 0.52, 0.55 and 0.53 after instructions, examples and comparison. Some stop
halfway and are replaced. The report must find these rates within their intervals, nobody may meet two versions of one
item, and in each condition the readers of texts may differ by one. How often the planned tests find something where
texts differ is counted last, with texts drawn anew for each of many studies.
"""

from __future__ import annotations

import os
import tempfile
import time
import uuid
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import yaml
from sqlalchemy import select

from benchmarks.server import serving
from goldmark.accounts.links import SignedLinks
from goldmark.accounts.signing_keys import signing_key
from goldmark.campaigns.lifecycle import move
from goldmark.campaigns.transfer.export import record_of
from goldmark.records.units import ShownText, ShownUnit, Unit
from goldmark.store import Store, open_store
from goldmark.store.migrate import prepare
from goldmark.store.tables import annotator
from goldmark.studies.design.cells import cells_of
from goldmark.studies.design.create import create_study
from goldmark.studies.design.file import StudyWithTexts, parse_study, read_study
from goldmark.studies.evaluation.report import StudyReport, report_of
from goldmark.texts.segmentation.text import make_text
from tools.simulate.study import guesser, rejections, take_part
from tools.simulate.study_texts import SimulatedTexts, found_in, readers

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "study-humanlike" / "study.yaml"
# (model, training): accuracy, from the published tables 1 and 2.
RATES = {
    ("older", "none"): 0.58,
    ("newer", "none"): 0.50,
    ("newer", "instructions"): 0.52,
    ("newer", "examples"): 0.55,
    ("newer", "comparison"): 0.53,
}
STOPS = 0.05  # the part of the people who stop after two texts
AT_ONCE = 12
RUNS = 4_000
OTHER_RUNS = 200


def main() -> None:
    os.environ.setdefault("GOLDMARK_SECRET", uuid.uuid4().hex)
    made = fifty_texts(read_study(EXAMPLE))
    many_studies(made)
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR")) as folder:
        one_study(made, str(Path(folder) / "study.db"))
    other_texts(read_study(EXAMPLE))


def fifty_texts(made: StudyWithTexts) -> StudyWithTexts:
    """About fifty texts of each kind, as in the published study; the example has three."""
    units = [
        Unit(
            f"{unit.id}-{copy}",
            ShownUnit({"text": ShownText(make_text(unit.id, f"{unit.shown.texts['text'].text.characters} {copy}"))}),
            {**unit.hidden, "item": f"{unit.hidden['item']}-{copy}"},
        )
        for unit in made.units
        for copy in range(17)
    ]
    return StudyWithTexts(made.study, tuple(units))


def rates_of(made: StudyWithTexts) -> dict[str, float]:
    return {cell.name: RATES[cell.levels["model"], cell.levels["training"]] for cell in cells_of(made.study.file)}


def many_studies(made: StudyWithTexts) -> None:
    """The rate of false findings and the power, in numbers alone."""
    rng = np.random.default_rng(5)
    file = made.study.file
    nothing = rejections(file, dict.fromkeys(rates_of(made), 0.5), runs=RUNS, rng=rng)
    print(
        f"no effect: any of {len(nothing.tests)} tests finds something in {100 * nothing.any_share:.1f} % of the runs"
    )
    found = rejections(file, rates_of(made), runs=RUNS, rng=rng)
    for test, share in zip(found.tests, found.share, strict=True):
        print(f"published rates: {test.title:32} {test.scope:48} found in {100 * share:5.1f} %")


def other_texts(made: StudyWithTexts) -> None:
    """False findings and power of the same two comparisons over people alone and over people and texts."""
    overs = ("people", "people-and-texts")
    tests = [{"against": "chance", "where": {"model": "newer"}, "over": over} for over in overs]
    tests += [{"compare": "model", "to": "older", "over": over} for over in overs]
    told = yaml.safe_load(made.study.source) | {
        "factors": {"domain": ["stories"], "model": ["older", "newer"], "training": ["none"]},
        "cells": None,
        "training": {"factor": "training", "kits": {"none": "none"}},
        "participants": 130,
        "correction": "none",
        "tests": tests,
        "tables": [],
        "pay": None,
    }
    study = parse_study(yaml.safe_dump(told), made.study.protocol)
    names = [cell.name for cell in cells_of(study.file)]
    rates = {
        "no effect": dict.fromkeys(names, 0.5),
        "newer 0.58, older 0.50": dict(zip(names, (0.5, 0.58), strict=True)),
    }
    rng = np.random.default_rng(11)
    for (what, accuracy), spread in product(rates.items(), (0.0, 0.15)):
        for texts in (10, 50):
            for one in found_in(study, accuracy, SimulatedTexts(texts, spread), runs=OTHER_RUNS, rng=rng):
                over = "people and texts" if one.over_texts else "people"
                print(
                    f"{what}: {texts} texts a kind, s.d. between texts {spread:g}: {one.test}, over {over}: found in "
                    f"{100 * one.alone:.1f} % of {OTHER_RUNS}",
                    flush=True,
                )


def one_study(made: StudyWithTexts, address: str) -> None:
    store = open_store(address)
    prepare(store)
    links = SignedLinks(signing_key(address))
    # A short lease, so that whoever stopped is replaced within the run.
    file = made.study.file.model_copy(update={"lease_minutes": 0.5})
    study = type(made.study)(file, made.study.source, made.study.protocol)
    invite = str(create_study(store, links, StudyWithTexts(study, made.units), author="benchmark").invite)
    move(store, study.name, "started", author="benchmark")
    with serving(address, 1) as (port, _):
        began = time.perf_counter()
        people = send_everybody(made, store, links, f"http://127.0.0.1:{port}/api/v1", invite)
        seconds = time.perf_counter() - began
    record = record_of(store, study.name)
    print(f"{people:,} people, {len(record.responses):,} answers through the server in {seconds:.0f} s")
    found = readers(record)
    print(
        f"{found.met_twice} of {found.people:,} people met an item twice; readers of texts of one kind differ by at "
        f"most {found.widest_gap} within a condition"
    )
    began = time.perf_counter()
    report = report_of(made.study, record)
    print(f"report in {time.perf_counter() - began:.1f} s: {report.flow.analysed:,} people analysed")
    tell(report)
    store.close()


def send_everybody(made: StudyWithTexts, store: Store, links: SignedLinks, base: str, invite: str) -> int:
    """People come until all places are taken; some of them stop, and others come in their place."""
    accuracy = rates_of(made)
    truth = {unit.shown.texts["text"].text.characters: unit.hidden["writer"] != "human" for unit in made.units}
    limits = httpx.Limits(max_connections=AT_ONCE)
    with httpx.Client(base_url=base, timeout=60, limits=limits, trust_env=False) as client:

        def call(method: str, path: str, body: Mapping[str, Any] | None = None, token: str = "") -> Any:
            headers = {"authorization": f"Bearer {token}"} if token else {}
            while True:
                reply = client.request(method, path, json=body, headers=headers)
                if reply.status_code == 429:  # the server lets so many join a minute
                    time.sleep(1)
                    continue
                if reply.status_code == 403:
                    raise Full
                reply.raise_for_status()
                return reply.json()

        def one(number: int) -> bool:
            rng = np.random.default_rng([7, number])

            def answer_for(token: str) -> Any:
                query = select(annotator.c.condition).where(annotator.c.id == links.read_person(token).id)
                condition = store.read(lambda connection: connection.execute(query).scalar_one())
                return guesser(truth, accuracy[str(condition)], rng)

            try:
                stop = 2 if rng.random() < STOPS else None
                take_part(call, invite, f"person-{number}", answer_for, stop_after=stop)
            except Full:
                return False
            return True

        wanted = len(accuracy) * made.study.file.participants
        came = 0
        with ThreadPoolExecutor(AT_ONCE) as pool:
            while True:
                entered = sum(pool.map(one, range(came, came + wanted)))
                came += wanted
                finished = _finished(store, made)
                print(f"  {finished:,} of {len(accuracy) * made.study.file.participants:,} have finished", flush=True)
                wanted = len(accuracy) * made.study.file.participants - finished
                if wanted <= 0:
                    return came
                if not entered:
                    time.sleep(5)  # until the places of those who stopped are free


def _finished(store: Store, made: StudyWithTexts) -> int:
    query = select(annotator.c.id).where(annotator.c.batch_done >= made.study.file.per_participant.texts)
    return len(store.read(lambda connection: connection.execute(query).all()))


class Full(Exception):
    """All places are taken."""


def tell(report: StudyReport) -> None:
    for table, (first, rest) in zip(report.results, (("model", "domain"), ("training", "domain")), strict=False):
        for row in table.records():
            low, high = row["accuracy_low"], row["accuracy_high"]
            rate = RATES[(str(row[first]), "none") if first == "model" else ("newer", str(row[first]))]
            inside = float(low or 0) <= rate <= float(high or 0)
            print(
                f"  {row[first]:14} {row[rest]:10} accuracy {row['accuracy']:.3f} [{low:.3f}, {high:.3f}], "
                f"drawn with {rate}{'' if inside else '   <- outside'}"
            )
    for sentence in report.conclusions:
        print(f"  - {sentence}")
