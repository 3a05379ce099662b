"""A crowd of programs that annotate through the server as people do: over HTTP, one unit at a time.

Each has a habit. Careful people see the quality of a text with a little noise and slip now and then; sloppy ones see it
blurred; drop-outs are careful but leave in the middle of a text. Spammers do not read: one agrees with everything, one
answers at random, one answers at random and copies its explanations from the text. They know what any annotator knows,
the text before them; how good that text is, is the simulation's secret, shared only with those who read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import erf, sqrt
from typing import Any, Literal

import numpy as np

HabitName = Literal["careful", "sloppy", "always-agree", "random", "copy-paste", "drop-out"]
# method, path, personal token, body: what the server answers
Ask = Callable[[str, str, str, Mapping[str, Any]], Mapping[str, Any]]

OPTIONS = ("strongly_disagree", "disagree", "neutral", "agree", "strongly_agree")
VALUES = (0.0, 0.25, 0.5, 0.75, 1.0)
WORDS = ("river", "garden", "engine", "market", "winter", "letter", "captain", "bridge", "orchard", "signal")
REMARKS = ("reads well and says what it should", "part of it is wrong", "hardly answers what was asked", "clear enough")


@dataclass(frozen=True)
class Habit:
    """How somebody works."""

    name: HabitName
    spams: bool = False  # answers without reading
    blur: float = 0.3  # standard deviation of what they see, in steps of the scale
    slip: float = 0.0  # how often they hit any option
    seconds: float = 30.0  # the usual time for a unit
    leaves_after: int | None = None  # units, give or take


HABITS: Mapping[HabitName, Habit] = {
    "careful": Habit("careful", blur=0.3, slip=0.02),
    "sloppy": Habit("sloppy", blur=0.8, slip=0.08, seconds=20.0),
    "always-agree": Habit("always-agree", spams=True, seconds=8.0),
    "random": Habit("random", spams=True, seconds=6.0),
    "copy-paste": Habit("copy-paste", spams=True, seconds=9.0),
    "drop-out": Habit("drop-out", blur=0.3, slip=0.02, seconds=55.0, leaves_after=8),
}


@dataclass
class Simulated:
    """One program at work."""

    name: str
    habit: Habit
    token: str
    leaves_after: int | None
    answered: int = 0
    following: Mapping[str, Any] = field(default_factory=dict)
    told: int = 0  # notices read

    @property
    def works(self) -> bool:
        """Whether it holds a unit and is still there."""
        gone = self.leaves_after is not None and self.answered >= self.leaves_after
        return not gone and self.following.get("assignment") is not None


def hire(name: str, habit: Habit, token: str, rng: np.random.Generator) -> Simulated:
    """A program with this habit; when a drop-out leaves is up to chance."""
    leaves = None if habit.leaves_after is None else int(rng.integers(2, 2 * habit.leaves_after))
    return Simulated(name, habit, token, leaves)


def rate(habit: Habit, quality: float, rng: np.random.Generator) -> int:
    """The option that somebody chooses for a text of this quality, as its place on the scale."""
    if habit.name == "always-agree":
        return int(rng.integers(3, 5))
    if habit.spams or rng.random() < habit.slip:
        return int(rng.integers(0, len(OPTIONS)))
    return int(np.clip(np.rint(quality * 4 + rng.normal(0, habit.blur)), 0, 4))


def expected_rating(habit: Habit, quality: float) -> float:
    """What somebody who reads would say of such a text on average: the number that a score should come to."""
    edges = [(step + 0.5 - quality * 4) / habit.blur for step in range(4)]
    below = [0.0, *(0.5 * (1 + erf(edge / sqrt(2))) for edge in edges), 1.0]
    read = sum(value * (below[place + 1] - below[place]) for place, value in enumerate(VALUES))
    return (1 - habit.slip) * read + habit.slip * 0.5


def explain(habit: Habit, text: str, rng: np.random.Generator) -> str:
    """What somebody writes about a text."""
    words = text.split()
    if habit.name == "copy-paste":
        start = int(rng.integers(0, max(1, len(words) - 8)))
        return " ".join(words[start : start + 8])
    if habit.spams:
        return "good"
    return f"the {words[int(rng.integers(0, len(words)))]} {REMARKS[int(rng.integers(0, len(REMARKS)))]}"


def work(
    ask: Ask, people: Sequence[Simulated], quality_of: Callable[[str], float], rng: np.random.Generator, most: int
) -> None:
    """Let everybody work in turns, at most so many units each, until nobody has anything left to do."""
    for person in people:
        person.following = ask("POST", "/work/next", person.token, {})
    busy = True
    while busy:
        busy = False
        for place in rng.permutation(len(people)):
            person = people[place]
            if not person.works and _may_get_more(person):
                person.following = ask("POST", "/work/next", person.token, {})
            if person.works and person.answered < most:
                _answer(ask, person, quality_of, rng)
                busy = True


def _may_get_more(person: Simulated) -> bool:
    """Whether there was nothing left when it last asked: units open again when somebody is excluded."""
    finished = person.following.get("finished")
    return finished is not None and finished["why"] in ("waiting", "all")


def _answer(ask: Ask, person: Simulated, quality_of: Callable[[str], float], rng: np.random.Generator) -> None:
    for notice in person.following.get("notices", ()):
        ask("POST", f"/work/notices/{notice['id']}/read", person.token, {})
        person.told += 1
    assignment = person.following["assignment"]
    text = str(assignment["unit"]["texts"]["text"]["characters"])
    answers = {
        "quality": OPTIONS[rate(person.habit, quality_of(text), rng)],
        "why": explain(person.habit, text, rng),
    }
    body = {
        "answers": answers,
        "client_key": f"simulated-{person.answered:06d}",
        "seconds_active": float(person.habit.seconds * rng.lognormal(0, 0.4)),
    }
    reply = ask("POST", f"/work/assignments/{assignment['id']}/responses", person.token, body)
    person.answered += 1
    person.following = reply["next"]
