"""Rehearse a campaign with a simulated crowd before paying anyone: cost, time, precision, and who would be caught.

Texts and questions are stand-ins, a rating from 0 to 1 with an explanation, so that the truth is known; the plan is the
team's own: how many units and labels, which test questions, which rules, what is paid. Everything goes through the
server that will serve the real campaign.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import mean
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Connection, func, select

from goldmark.accounts.links import SignedLinks
from goldmark.campaigns.definition.file import CampaignPlan
from goldmark.campaigns.definition.settings import Quality, QualityRule, Settings, TestQuestions
from goldmark.campaigns.lifecycle import create, find_campaign, move
from goldmark.campaigns.transfer.export import record_of
from goldmark.people.annotators import invite
from goldmark.protocols import parse
from goldmark.protocols.responses import read_responses
from goldmark.records.campaigns import CampaignRecord
from goldmark.records.figures import Figure, Interval
from goldmark.records.tables import Cell, Table
from goldmark.records.units import ShownText, ShownUnit, Unit, sign_of
from goldmark.simulate.crowd import (
    HABITS,
    VALUES,
    WORDS,
    Ask,
    HabitName,
    Simulated,
    expected_rating,
    hire,
    work,
)
from goldmark.stats.ranks.judgements import Judgements
from goldmark.stats.ranks.ranking import rank
from goldmark.store import Store
from goldmark.store.tables import annotator, assignment, response, test_answer
from goldmark.texts.segmentation.text import make_text

PROTOCOL = """
protocol: rehearsal/1
title: A stand-in rating
steps:
  - id: rate
    questions:
      - id: quality
        kind: choice
        ask: Is this a good text?
        options:
          - {id: strongly_disagree, value: 0}
          - {id: disagree, value: 0.25}
          - {id: neutral, value: 0.5}
          - {id: agree, value: 0.75}
          - {id: strongly_agree, value: 1}
      - {id: why, kind: text, ask: Why?, required: true}
"""
RULES = (QualityRule(when="noisy", do="exclude"),)


def crowd_of(*, careful: int, sloppy: int, spammers: int, drop_outs: int) -> dict[HabitName, int]:
    """A crowd with so many of each habit, and so many spammers of each kind."""
    spam: dict[HabitName, int] = {"always-agree": spammers, "random": spammers, "copy-paste": spammers}
    every: dict[HabitName, int] = {"careful": careful, "sloppy": sloppy, **spam, "drop-out": drop_outs}
    return {habit: count for habit, count in every.items() if count > 0}


@dataclass(frozen=True)
class RehearsalPlan:
    """A plan and the crowd that tries it."""

    units: int = 210
    systems: int = 3
    settings: Settings = field(
        default_factory=lambda: Settings(
            labels_per_unit=5,
            test_questions=TestQuestions(positive=0.15, negative=0.15),
            quality=Quality(rules=RULES),
        )
    )
    crowd: Mapping[HabitName, int] = field(
        default_factory=lambda: crowd_of(careful=18, sloppy=3, spammers=2, drop_outs=3)
    )
    test_questions: int = 40  # of each sign
    most: int = 1_000  # units that one person does at most

    @classmethod
    def of(cls, plan: CampaignPlan, crowd: Mapping[HabitName, int]) -> RehearsalPlan:
        """The plan of a campaign file. People, consent and groups are the real campaign's; here programs work."""
        chosen = plan.chosen()
        settings = plan.settings.model_copy(
            update={"consent": "", "subset": None, "conditions": (), "qualification": False}
        )
        return cls(chosen.units, len(chosen.systems), settings, crowd, test_questions=max(20, chosen.tests // 2))

    def unwatched(self) -> RehearsalPlan:
        """The same plan and crowd without test questions and without rules."""
        plain = self.settings.model_copy(update={"test_questions": TestQuestions(), "quality": Quality()})
        return RehearsalPlan(self.units, self.systems, plain, self.crowd, 0, self.most)


class RehearsedScore(NamedTuple):
    """One system's score beside the truth that the simulation knows."""

    system: str
    truth: float
    figure: Figure

    @property
    def holds(self) -> bool | None:
        """Whether the truth lies within the interval."""
        found = self.figure.interval
        return None if found is None else found.low <= self.truth <= found.high


class AnnotatorOutcome(NamedTuple):
    """What became of one simulated annotator."""

    name: str
    habit: HabitName
    spams: bool
    answers: int
    tests: int  # test questions answered
    excluded: bool
    told: int


class RehearsalResult(NamedTuple):
    """What a rehearsal showed."""

    people: tuple[AnnotatorOutcome, ...]
    scores: tuple[RehearsedScore, ...]
    labels_wanted: int
    labels_done: int
    spam_labels: int  # of spammers, among the labels that count
    answers: int  # paid ones: late ones and test questions too
    spam_answers: int
    seconds: float  # of active work in all

    @property
    def spammers(self) -> tuple[AnnotatorOutcome, ...]:
        return tuple(one for one in self.people if one.spams)

    @property
    def caught(self) -> tuple[AnnotatorOutcome, ...]:
        return tuple(one for one in self.spammers if one.excluded)

    @property
    def wronged(self) -> tuple[AnnotatorOutcome, ...]:
        """Careful people, drop-outs among them, who were excluded."""
        return tuple(one for one in self.people if one.excluded and one.habit in ("careful", "drop-out"))

    @property
    def error(self) -> float:
        """How far scores are from the truth, on average."""
        return mean(abs(one.figure.value - one.truth) for one in self.scores if one.figure.value is not None)

    @property
    def width(self) -> float | None:
        """The mean width of the scores' intervals."""
        widths = [one.figure.interval.high - one.figure.interval.low for one in self.scores if one.figure.interval]
        return mean(widths) if widths else None

    def to_json(self, price: float | None) -> dict[str, Any]:
        """For machines, with what it would cost at this price per unit."""
        return {
            "spammers": len(self.spammers),
            "caught": len(self.caught),
            "caught_after_test_questions": [one.tests for one in self.caught],
            "careful_excluded": len(self.wronged),
            "labels_wanted": self.labels_wanted,
            "labels_done": self.labels_done,
            "spam_labels": self.spam_labels,
            "answers": self.answers,
            "cost": None if price is None else round(price * self.answers, 2),
            "hours": self.seconds / 3600,
            "mean_error": self.error,
            "mean_interval_width": self.width,
            "scores": [
                {"system": one.system, "truth": one.truth, "value": one.figure.value, "interval": one.figure.interval}
                | {"reason": one.figure.reason, "used": one.figure.used, "holds": one.holds}
                for one in self.scores
            ],
        }


def rehearse(
    store: Store,
    links: SignedLinks,
    ask: Ask,
    setup: RehearsalPlan,
    *,
    name: str,
    rng: np.random.Generator,
) -> RehearsalResult:
    """Create the campaign, let the crowd work through the server, and compare the results with the truth."""
    units, quality = started(store, setup, name, rng)
    people = [
        hire(
            f"{habit}-{number}",
            HABITS[habit],
            invite(store, links, name, f"{habit}-{number}", author="rehearsal")[1],
            rng,
        )
        for habit, count in setup.crowd.items()
        for number in range(1, count + 1)
    ]
    work(ask, people, quality.__getitem__, rng, setup.most)
    return outcome_of(store, name, people, units, quality, rng)


def started(
    store: Store, setup: RehearsalPlan, name: str, rng: np.random.Generator
) -> tuple[list[Unit], dict[str, float]]:
    """The campaign of a plan, running: its units, and how good each system truly is."""
    units, quality = texts(setup, rng)
    create(
        store,
        name=name,
        title="Rehearsal",
        protocol=parse(PROTOCOL),
        settings=setup.settings,
        units=units,
        author="rehearsal",
    )
    move(store, name, "started", author="rehearsal")
    return units, quality


def texts(setup: RehearsalPlan, rng: np.random.Generator) -> tuple[list[Unit], dict[str, float]]:
    """Stand-in texts with the quality of each, which only readers know. Systems differ in how often they are good."""
    quality: dict[str, float] = {}

    def unit(name: str, value: float, **hidden: Any) -> Unit:
        words = " ".join(rng.choice(WORDS, size=14))
        characters = f"{words} {name}."
        quality[characters] = value
        return Unit(name, ShownUnit({"text": ShownText(make_text(name, characters))}), hidden)

    units = []
    for number in range(setup.units):
        system = number % setup.systems
        shift = 0.25 + 0.5 * system / max(1, setup.systems - 1)
        drawn = VALUES[int(rng.binomial(4, shift))]
        units.append(unit(f"text {number}", drawn, system=f"system-{system + 1}"))
    for number in range(setup.test_questions):
        for sign, value, key in (("positive", 1.0, "at_least"), ("negative", 0.0, "at_most")):
            expected = {"quality": {key: 0.75 if value else 0.25}}
            # What a test question shows must not tell it from other texts.
            units.append(unit(f"text {setup.units + 2 * number + int(value)}", value, test=sign, expected=expected))
    return units, quality


def outcome_of(
    store: Store,
    name: str,
    people: Sequence[Simulated],
    units: Sequence[Unit],
    quality: Mapping[str, float],
    rng: np.random.Generator,
) -> RehearsalResult:
    """What became of everybody, and the scores beside the truth."""
    record = record_of(store, name)
    answers, tests, seconds = store.read(lambda connection: _counts(connection, name))
    spammers = {person.name for person in people if person.habit.spams}
    excluded = {one.annotator for one in record.exclusions()}
    final = record.final_responses()
    work_units = [unit for unit in units if sign_of(unit.hidden) is None]
    return RehearsalResult(
        tuple(
            AnnotatorOutcome(
                person.name,
                person.habit.name,
                person.habit.spams,
                answers.get(person.name, 0),
                tests.get(person.name, 0),
                person.name in excluded,
                person.told,
            )
            for person in people
        ),
        _scores(record, work_units, quality, rng),
        len(work_units) * int(record.settings["labels_per_unit"]),
        len(final),
        sum(one.annotator in spammers for one in final),
        sum(answers.values()),
        sum(count for who, count in answers.items() if who in spammers),
        seconds,
    )


def _counts(connection: Connection, name: str) -> tuple[dict[str, int], dict[str, int], float]:
    row = find_campaign(connection, name)
    answers = connection.execute(
        select(annotator.c.name, func.count(), func.sum(response.c.seconds_active))
        .join(assignment, assignment.c.annotator_id == annotator.c.id)
        .join(response, response.c.assignment_id == assignment.c.id)
        .where(annotator.c.campaign_id == row.id)
        .group_by(annotator.c.name)
    ).all()
    tests = connection.execute(
        select(annotator.c.name, func.count())
        .join(test_answer, test_answer.c.annotator_id == annotator.c.id)
        .where(annotator.c.campaign_id == row.id)
        .group_by(annotator.c.name)
    ).all()
    return (
        {one[0]: int(one[1]) for one in answers},
        {one[0]: int(one[1]) for one in tests},
        float(sum(one[2] for one in answers)),
    )


def _scores(
    record: CampaignRecord, units: Sequence[Unit], quality: Mapping[str, float], rng: np.random.Generator
) -> tuple[RehearsedScore, ...]:
    """Every system's mean rating, with the interval that the campaign's results would show."""
    said = [
        (str(unit.hidden["system"]), unit.id, answer.annotator, one.value)
        for unit, answer, said in read_responses(record)
        if "system" in unit.hidden
        for one in said.ratings
    ]
    rated = {unit for _, unit, _, _ in said}
    systems: dict[str, list[Unit]] = {}
    for unit in units:
        systems.setdefault(str(unit.hidden["system"]), []).append(unit)
    found = {}
    if said:
        ranking = rank(Judgements.of(*zip(*said, strict=True)), rng=rng)
        found = dict(zip(ranking.systems, ranking.scores, strict=True))
    scores = []
    for system, own in sorted(systems.items()):
        judged = [unit for unit in own if unit.id in rated]
        truth = mean(
            expected_rating(HABITS["careful"], quality[unit.shown.texts["text"].text.characters])
            for unit in judged or own
        )
        score = found.get(system)
        if score is None or score.value is None:
            figure = Figure(None, reason="no text has a label that counts")
        else:
            interval = None if score.low is None or score.high is None else Interval(score.low, score.high)
            figure = Figure(score.value, interval, score.reason, used=len(judged))
        scores.append(RehearsedScore(system, truth, figure))
    return tuple(scores)


def people_table(outcome: RehearsalResult) -> Table:
    """What became of each kind of annotator."""
    rows: list[dict[str, Cell]] = []
    for habit in dict.fromkeys(one.habit for one in outcome.people):
        own = [one for one in outcome.people if one.habit == habit]
        caught = [one.tests for one in own if one.excluded]
        rows.append(
            {
                "annotators": habit,
                "people": len(own),
                "answers": sum(one.answers for one in own),
                "excluded": len(caught),
                "after_test_questions": max(caught) if caught else None,
            }
        )
    note = f"{len(outcome.caught)} of {len(outcome.spammers)} spammers excluded, {len(outcome.wronged)} careful people"
    return Table.of("The crowd", rows, notes=(note,), labels={"after_test_questions": "after test questions, at most"})


def score_table(outcome: RehearsalResult, title: str) -> Table:
    """Scores beside the truth."""
    rows: list[dict[str, Cell]] = [
        {
            "system": one.system,
            "truth": one.truth,
            "score": one.figure.value,
            "score_low": one.figure.interval.low if one.figure.interval else None,
            "score_high": one.figure.interval.high if one.figure.interval else None,
            "texts": one.figure.used,
            "holds": one.holds,
        }
        for one in outcome.scores
    ]
    notes = (
        f"{outcome.spam_labels} of {outcome.labels_done} labels that count are spam; "
        f"{outcome.labels_done} of {outcome.labels_wanted} labels are in; mean error {outcome.error:.3f}",
    )
    return Table.of(title, rows, notes=notes, labels={"holds": "truth in the interval"})
