"""Whether a board's test questions would find who answers at random, before anybody is paid.

A crowd is drawn again and again: careful people who answer test questions rightly as GENIE's simulation has them (with
a mean between 0.95 and 1), and others who choose any option. Each answers as many test questions as the board's rates
put into so many answers, the board's own model judges them, and what is counted is how many of each are flagged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from goldmark.errors import GoldmarkError
from goldmark.leaderboards.definition.file import main_axis
from goldmark.leaderboards.definition.settings import BoardSettings
from goldmark.protocols import Protocol
from goldmark.quality.noisy import NoisyAnnotators, QuestionScore
from goldmark.quality.noisy_monitor import model_of
from goldmark.records.figures import Signature
from goldmark.records.tables import Cell, Table
from goldmark.stats.inference.proportions import exact_interval

FEW, MANY = 0.8, 0.01  # of those at random should be found, of careful people at most flagged
LEVEL = 0.95
MORE = (25, 50, 100, 200, 400)  # answers of a person, beside what is planned


class RehearsalNotPossible(GoldmarkError):
    code = "ROUND-09"
    message = "{reason}"


@dataclass(frozen=True)
class RehearsedCrowd:
    """Who is expected to judge a round."""

    people: int = 20
    at_random: float = 0.2
    answers: int | None = None  # of a person in all; none: what the board's plan comes to
    draws: int = 100
    seed: int = 17


@dataclass(frozen=True)
class Found:
    """How many were flagged, of those who should be and of those who should not."""

    answers: int
    questions: float
    caught: int
    noisy: int
    blamed: int
    careful: int

    @property
    def enough(self) -> bool:
        return self.caught >= FEW * self.noisy and self.blamed <= MANY * self.careful


def answers_of_a_person(settings: BoardSettings, chosen: int, people: int) -> int:
    """How much one person answers in a full round, test questions included; a batch may end it earlier."""
    human = settings.human
    rates = human.test_questions.positive + human.test_questions.negative
    share = human.together * chosen * human.labels_per_unit / people / max(0.5, 1 - rates)
    size, times = human.batch.size, human.batch.per_person
    return max(1, round(min(share, size * times) if size and times else share))


def rehearse(settings: BoardSettings, protocol: Protocol, chosen: int, crowd: RehearsedCrowd) -> Table:
    """What the planned rates find at the planned number of answers, and at others."""
    if not main_axis(protocol, settings):
        raise RehearsalNotPossible(reason="the board has no protocol, so nobody is asked")
    planned = crowd.answers or answers_of_a_person(settings, chosen, crowd.people)
    rows = [_row(find(settings, protocol, crowd, answers), planned) for answers in sorted({planned, *MORE})]
    notes = (
        f"crowds of {crowd.people}, of whom {crowd.at_random:.0%} answer at random, drawn {crowd.draws} times",
        f"enough: {FEW:.0%} of those at random are found and at most {MANY:.0%} of the careful are flagged",
        "what is known of people carries over rounds: somebody who comes back has more answers",
    )
    rates = settings.human.test_questions
    made = Signature.of(
        figure="rehearsal",
        positive=rates.positive,
        negative=rates.negative,
        criterion=settings.human.quality.criterion,
        flag=settings.human.quality.flag_at,
        interval="clopper-pearson",
        seed=crowd.seed,
    )
    labels = {"answers": "answers a person", "questions": "test questions", "blamed": "careful people flagged"}
    return Table.of("Who is found", rows, notes=notes, signature=str(made), labels=labels)


def warning(settings: BoardSettings, protocol: Protocol, chosen: int) -> str:
    """Why the planned rates will not do; nothing if they will, or if nobody is asked."""
    if settings.human.start == "never":
        return ""
    rates = settings.human.test_questions
    if not (rates.positive or rates.negative):
        return (
            "there are no test questions, so nobody who answers at random is found; "
            "add human.test_questions, such as {positive: 0.05, negative: 0.05}"
        )
    crowd = RehearsedCrowd(draws=6)  # about two dozen who answer at random: enough for a warning, and quick
    found = find(settings, protocol, crowd, answers_of_a_person(settings, chosen, crowd.people))
    if found.enough:
        return ""
    return (
        f"with {crowd.people} people, each answers {found.answers} units of a round, {found.questions:.0f} of them "
        f"test questions: {found.caught / found.noisy:.0%} of those who answer at random would be found; raise "
        "human.test_questions, ask fewer people, or see goldmark leaderboard rehearse"
    )


def find(settings: BoardSettings, protocol: Protocol, crowd: RehearsedCrowd, answers: int) -> Found:
    """Draw crowds who give so many answers each, and count whom the board's model flags."""
    rates = settings.human.test_questions
    if not (rates.positive or rates.negative):
        raise RehearsalNotPossible(reason="the board has no test questions: human.test_questions is empty")
    noisy = np.zeros(crowd.people, dtype=bool)
    noisy[: max(1, round(crowd.at_random * crowd.people))] = True
    rng = np.random.default_rng(crowd.seed)
    model = model_of(settings.human.quality.of_campaign(""))
    by_chance = _by_chance(protocol, settings)
    caught = blamed = asked = 0
    for _ in range(crowd.draws):
        careful = rng.beta(*_beta(rng.uniform(0.95, 1), rng.uniform(100, 1000)), crowd.people)
        tallies: list[QuestionScore] = []
        for sign, rate in (("positive", rates.positive), ("negative", rates.negative)):
            if rate:
                tallies += _answered(
                    sign, rng.binomial(answers, rate, crowd.people), noisy, careful, by_chance[sign], rng
                )
        asked += sum(one.n for one in tallies)
        if not tallies:
            continue
        flagged = {one.worker for one in NoisyAnnotators.fit(tallies, model, rng=rng).judge() if one.flagged}
        caught += sum(str(place) in flagged for place in np.flatnonzero(noisy))
        blamed += sum(str(place) in flagged for place in np.flatnonzero(~noisy))
    total = crowd.draws * crowd.people
    return Found(
        answers, asked / total, caught, int(noisy.sum()) * crowd.draws, blamed, int((~noisy).sum()) * crowd.draws
    )


def _answered(
    sign: str,
    asked: NDArray[np.int64],
    noisy: NDArray[np.bool_],
    careful: NDArray[np.float64],
    by_chance: float,
    rng: np.random.Generator,
) -> list[QuestionScore]:
    right = rng.binomial(asked, np.where(noisy, by_chance, careful))
    return [QuestionScore(str(who), int(right[who]), int(n), sign) for who, n in enumerate(asked) if n]


def _by_chance(protocol: Protocol, settings: BoardSettings) -> dict[str, float]:
    """How often any option is a right one: at least in the middle for a good output, below it for a bad one."""
    values: Sequence[float] = list(protocol.numbers[main_axis(protocol, settings)].values())
    middle = (min(values) + max(values)) / 2
    high = sum(value >= middle for value in values) / len(values)
    return {"positive": high, "negative": 1 - high}


def _beta(mean: float, together: float) -> tuple[float, float]:
    return max(mean * together, 1e-3), max((1 - mean) * together, 1e-3)


def _row(found: Found, planned: int) -> dict[str, Cell]:
    low, high = exact_interval(found.caught, found.noisy, LEVEL)[:2]
    worst = exact_interval(found.blamed, found.careful, LEVEL)[:2]
    return {
        "answers": found.answers,
        "planned": found.answers == planned,
        "questions": found.questions,
        "found": found.caught / found.noisy,
        "found_low": low,
        "found_high": high,
        "blamed": found.blamed / found.careful,
        "blamed_low": worst[0],
        "blamed_high": worst[1],
        "enough": found.enough,
    }
