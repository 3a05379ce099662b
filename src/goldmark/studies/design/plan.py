"""What a study will cost and what it can find, before anyone is paid; and the plan's digest, which its report shows."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass
from typing import Any

from goldmark.protocols import Protocol
from goldmark.records.figures import Signature, counted
from goldmark.records.tables import Cell as TableCell
from goldmark.records.tables import Table
from goldmark.stats.significance import power as p
from goldmark.stats.significance.equivalence import equivalence_power
from goldmark.studies.design.cells import Cell, cells_of, shares
from goldmark.studies.design.file import Study
from goldmark.studies.design.language import AccuracyOutcome, StudyFile
from goldmark.studies.evaluation.planned_tests import PlannedTest, planned_tests

# What a digest covers: everything that decides what is computed. Wording, pay and consent may still change.
DIGESTED = (
    "factors",
    "cells",
    "participants",
    "per_participant",
    "groups",
    "training",
    "outcome",
    "explanations",
    "exclude",
    "tests",
    "correction",
    "alpha",
    "tables",
    "seed",
)


@dataclass(frozen=True)
class StudyPlan:
    """A study before it begins."""

    study: str
    digest: str
    tables: tuple[Table, ...]
    participants: int
    answers: int
    cost: float | None
    currency: str
    warnings: tuple[str, ...] = ()  # what is allowed and would yet spoil the study


def digest_of(file: StudyFile, protocol: Protocol) -> str:
    """One number for the whole analysis plan: another test, rule or question gives another number."""
    said = file.model_dump(mode="json", include=set(DIGESTED))
    for test in said["tests"]:  # what a file could not say yet must not change the number of those that do not say it
        if test["margin"] is None:
            del test["margin"]
        if test["over"] == "people":
            del test["over"]
    canonical = json.dumps({**said, "protocol": protocol.digest}, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def plan_of(study: Study) -> StudyPlan:
    """Cells, power of each planned test, and cost."""
    file = study.file
    cells = cells_of(file)
    total, cost = _cost(file, cells)
    people = file.participants * len(cells)
    tables = [_cells_table(file, cells), power_table(file)]
    if total is not None:
        tables.append(total)
    return StudyPlan(
        file.study,
        digest_of(file, study.protocol),
        tuple(tables),
        people,
        people * file.per_participant.texts,
        cost,
        file.pay.currency if file.pay else "",
    )


def _cells_table(file: StudyFile, cells: tuple[Cell, ...]) -> Table:
    reads = ", ".join(f"{share:g} {group}" for group, share in shares(file).items())
    rows: list[dict[str, TableCell]] = [
        {**cell.levels, "participants": file.participants, "answers": file.participants * file.per_participant.texts}
        for cell in cells
    ]
    notes = (
        f"{counted(len(cells), 'cell')} with {counted(file.participants, 'person', 'people')} each who judge "
        f"{counted(file.per_participant.texts, 'text')} (on average {reads}): "
        f"{counted(len(cells) * file.participants, 'person', 'people')} and "
        f"{counted(len(cells) * file.participants * file.per_participant.texts, 'answer')}",
    )
    return Table.of("Cells", rows, notes=notes, signature=str(Signature.of(figure="cells", study=file.study)))


def spread_of(file: StudyFile) -> float | None:
    """The standard deviation between people's outcomes that is assumed; None if nothing is known of it."""
    if file.expect.spread is not None:
        return file.expect.spread
    if isinstance(file.outcome, AccuracyOutcome):
        chance = file.outcome.chance
        return math.sqrt(chance * (1 - chance) / file.per_participant.texts + file.expect.between**2)
    return None


def power_table(file: StudyFile) -> Table:
    """For each planned test: the effect it finds with the wanted power, and its power for the expected difference."""
    tests = planned_tests(file)
    corrected = sum(not one.corrects_itself for one in tests) if file.correction != "none" else 1
    spread = spread_of(file)
    rows = [_power_row(file, one, max(1, corrected), spread) for one in tests]
    notes = [f"level {file.alpha:g}, {_correction(file, corrected)}; wanted power {file.expect.power:g}"]
    if spread is None:
        notes.append("without expect.spread no difference can be given in the outcome's own units")
    else:
        notes.append(f"people's outcomes are taken to have a standard deviation of {spread:.3g}")
    if any(one.margin is not None for one in tests):
        notes.append("equal up to a margin: the margin that can be shown, and the power for yours, if they are equal")
    if any(one.over_texts for one in tests):
        texts = _texts(file, spread)
        notes.append(
            "over people and texts: power is that of people alone, which is the most it can be; say expect.pool and "
            "expect.between_texts, because it falls with every difference between texts"
            if texts is None
            else f"over people and texts: {counted(texts.pool, 'text')} a group, whose true means have a standard "
            f"deviation of {file.expect.between_texts:.3g}"
        )
    if any(one.kind == "pairs" for one in tests):
        notes.append(
            "for all pairs, power is that of one pair at a level divided by the number of pairs: a lower bound"
        )
    signature = Signature.of(figure="power", sides=2, alpha=f"{file.alpha:g}", correction=file.correction)
    labels = {"smallest_effect": f"effect found with power {file.expect.power:g}", "power": "power if as expected"}
    return Table.of(
        "What the planned tests can find", rows, notes=tuple(notes), signature=str(signature), labels=labels
    )


def _texts(file: StudyFile, spread: float | None) -> p.ReadTexts | None:
    """What is expected of texts, in units of the standard deviation between people's outcomes; None: nothing."""
    expect, each = file.expect, file.per_participant.texts
    if expect.pool is None or spread is None:
        return None
    between, answers = min(expect.between_texts / spread, math.sqrt(each)), None
    if isinstance(file.outcome, AccuracyOutcome):
        own = file.outcome.chance * (1 - file.outcome.chance) - expect.between_texts**2
        answers = math.sqrt(max(0.0, own)) / spread
    return p.ReadTexts(each, max(expect.pool, each), between, answers)


def _correction(file: StudyFile, tests: int) -> str:
    if file.correction == "none":
        return "no correction for the number of tests"
    named = "Bonferroni" if file.correction == "bonferroni" else f"{file.correction}, at its strictest"
    return f"corrected for {tests} tests ({named})"


def _power_row(file: StudyFile, test: PlannedTest, corrected: int, spread: float | None) -> dict[str, TableCell]:
    people = [file.participants * len(cells) for _, cells in test.groups]
    level = file.alpha / corrected
    wanted, difference = file.expect.power, file.expect.difference
    expected = None if difference is None or spread is None else abs(difference) / spread
    measure = "d"
    texts = _texts(file, spread) if test.over_texts and test.margin is None else None

    def power_of(effect: float) -> float:
        if texts is not None and test.kind in ("against", "compare"):
            return p.crossed_power(effect, min(people), texts, alpha=level, groups=len(people))
        if test.margin is not None:
            design: p.Design = "one-sample" if test.kind == "against" else "two-sample"
            return equivalence_power(effect, min(people), alpha=level, design=design)
        if test.kind == "against":
            return p.t_power(effect, people[0], alpha=level, design="one-sample")
        if test.kind == "compare":
            return p.t_power(effect, min(people), alpha=level)
        if test.kind == "pairs":
            return p.t_power(effect, min(people), alpha=file.alpha / math.comb(len(people), 2))
        return p.anova_power(effect, min(people), groups=len(people), alpha=level)

    if test.margin is not None:
        measure = "margin"
        expected = None if spread is None else test.margin / spread
        difference = test.margin
    if test.kind == "variance":
        measure = "f"
        # One level that differs from all others by d: f = d sqrt(k - 1) / k.
        groups = len(people)
        expected = None if expected is None else expected * math.sqrt(groups - 1) / groups
    smallest = p.smallest_effect(power_of, wanted)
    return {
        "test": f"{test.title}, over people and texts" if test.over_texts else test.title,
        "in": test.scope,
        "people": " + ".join(map(str, people)),
        "effect": measure,
        "smallest_effect": smallest,
        "smallest_difference": smallest * spread if spread is not None and test.kind != "variance" else None,
        "expected_difference": difference,
        "power": None if expected is None else power_of(expected),
    }


def pay_of(file: StudyFile, cell: Cell) -> float | None:
    """What one participant of this cell is paid."""
    if file.pay is None:
        return None
    amounts = [by[cell.levels[factor]] for factor, by in file.pay.by.items() if cell.levels[factor] in by]
    return max(amounts, default=file.pay.each)


def _cost(file: StudyFile, cells: tuple[Cell, ...]) -> tuple[Table | None, float | None]:
    pay = file.pay
    if pay is None:
        return None, None
    recruited = math.ceil(file.participants / (1 - file.expect.excluded))
    rows: list[dict[str, TableCell]] = []
    by_amount: dict[float, list[Cell]] = {}
    for cell in cells:
        by_amount.setdefault(pay_of(file, cell) or 0.0, []).append(cell)
    for amount, some in sorted(by_amount.items()):
        rows.append(_cost_row(file, amount, len(some), recruited))
    together = {key: sum(float(row[key] or 0) for row in rows) for key in ("cost", "cost_with_replaced")}
    people = {key: sum(int(row[key] or 0) for row in rows) for key in ("cells", "participants", "recruited")}
    rows.append({"pay": "all", **people, **together, "hourly": None})
    notes = [f"in {pay.currency}, with a fee of {100 * pay.fee:g} %"]
    if file.expect.excluded:
        notes.append(
            f"{100 * file.expect.excluded:g} % are expected to be replaced; whoever did the work is paid all the same"
        )
    labels = {"hourly": "an hour", "cost_with_replaced": "cost with those replaced"}
    table = Table.of(
        "What it costs",
        rows,
        notes=tuple(notes),
        signature=str(Signature.of(figure="cost", study=file.study)),
        labels=labels,
    )
    return table, float(together["cost_with_replaced"])


def _cost_row(file: StudyFile, amount: float, cells: int, recruited: int) -> dict[str, Any]:
    pay = file.pay
    fee = pay.fee if pay else 0.0
    minutes = pay.minutes if pay else None
    return {
        "pay": f"{amount:.2f}",
        "cells": cells,
        "participants": cells * file.participants,
        "recruited": cells * recruited,
        "cost": cells * file.participants * amount * (1 + fee),
        "cost_with_replaced": cells * recruited * amount * (1 + fee),
        "hourly": None if minutes is None else amount * 60 / minutes,
    }
