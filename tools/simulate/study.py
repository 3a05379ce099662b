"""Participants of a study that are programs: many studies at once in numbers, or one study through a real server.

`rejections` draws whole studies in which each person is right with a cell's accuracy, and counts how often each planned
test finds something: under no effect that is the rate of false findings, otherwise the power. `take_part` walks one
program through a study as a person would: joining, lessons, texts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from goldmark.records.tables import Cell, Table
from goldmark.studies.design.cells import cells_of
from goldmark.studies.design.language import StudyFile
from goldmark.studies.evaluation.planned_tests import PlannedTest, planned_tests

Floats = NDArray[np.float64]
# What programs write: enough words of their own for every rule.
REASONS = (
    "the story loses track of who is where and starts again from the beginning",
    "the same two words come back in every second sentence, which nobody would do",
    "small observations follow from each other and one of them is rather funny",
    "numbers in the middle contradict what the headline promised us",
    "its steps could be followed in a kitchen and nothing unlisted turns up",
)


@dataclass(frozen=True)
class Rejections:
    """How often each planned test found something, over many simulated studies."""

    tests: tuple[PlannedTest, ...]
    share: tuple[float, ...]  # after the planned correction
    any_share: float  # of studies in which any test found something
    runs: int

    def table(self) -> Table:
        rows: list[dict[str, Cell]] = [
            {"test": one.title, "in": one.scope, "found": share}
            for one, share in zip(self.tests, self.share, strict=True)
        ]
        notes = (f"in {100 * self.any_share:.1f} % of the studies at least one test found something",)
        return Table.of(f"Found in {self.runs:,} simulated studies", rows, notes=notes)


def rejections(
    study: StudyFile,
    accuracy: Mapping[str, float],
    *,
    runs: int,
    rng: np.random.Generator,
    between: float = 0.0,
) -> Rejections:
    """Simulate the study so often; `accuracy` is that of each cell, `between` how far people differ in it.

    Tests that correct themselves (all pairs) are left out. The correction is Bonferroni's, or none.
    """
    tests = tuple(one for one in planned_tests(study) if not one.corrects_itself)
    people, texts = study.participants, study.per_participant.texts
    scores: dict[str, Floats] = {}
    for cell in cells_of(study):
        true = np.clip(rng.normal(accuracy[cell.name], between, size=(runs, people)), 0, 1)
        scores[cell.name] = rng.binomial(texts, true) / texts
    level = study.alpha / (1 if study.correction == "none" else len(tests))
    found = np.asarray([_p_values(one, scores) < level for one in tests])
    share = tuple(float(one) for one in found.mean(axis=1))
    return Rejections(tests, share, float(found.any(axis=0).mean()), runs)


def _p_values(test: PlannedTest, scores: Mapping[str, Floats]) -> Floats:
    """One p-value a run; the same formulas as in `stats.inference.tests`, over all runs at once."""
    from scipy.special import fdtrc, stdtr

    samples = [np.concatenate([scores[name] for name in names], axis=1) for _, names in test.groups]
    sizes = [sample.shape[1] for sample in samples]
    means = [sample.mean(axis=1) for sample in samples]
    spreads = [sample.var(axis=1, ddof=1) for sample in samples]
    p: Floats
    if test.kind == "against":
        t = (means[0] - float(test.against or 0)) / np.sqrt(spreads[0] / sizes[0])
        p = 2 * stdtr(sizes[0] - 1, -np.abs(t))
    elif test.kind == "compare":
        first, second = spreads[0] / sizes[0], spreads[1] / sizes[1]
        t = (means[0] - means[1]) / np.sqrt(first + second)
        freedom = (first + second) ** 2 / (first**2 / (sizes[0] - 1) + second**2 / (sizes[1] - 1))
        p = 2 * stdtr(freedom, -np.abs(t))
    else:
        total = sum(sizes)
        grand = sum(mean * size for mean, size in zip(means, sizes, strict=True)) / total
        over = sum(size * (mean - grand) ** 2 for mean, size in zip(means, sizes, strict=True)) / (len(sizes) - 1)
        within = sum((size - 1) * var for size, var in zip(sizes, spreads, strict=True)) / (total - len(sizes))
        p = fdtrc(len(sizes) - 1, total - len(sizes), over / within)
    return p


class Call(Protocol):
    """A request to the annotators' API: method, path, body, personal token; gives the reply's JSON."""

    def __call__(self, method: str, path: str, body: Mapping[str, Any] | None = None, token: str = "") -> Any: ...


Answer = Callable[[Mapping[str, Any]], Mapping[str, Any]]  # from a unit as it is shown to answers


def take_part(
    call: Call, invite: str, person: str, answer_for: Callable[[str], Answer], *, stop_after: int | None = None
) -> str:
    """One program goes through a study and returns its token. `answer_for` is told the token when it is known."""
    arrival = {"platform": "simulation", "id": person}
    token = str(call("POST", "/join", {"invite": invite, "participant": arrival})["token"])
    work_through(call, token, answer_for(token), stop_after=stop_after)
    return token


def work_through(
    call: Call, token: str, answer: Answer, *, stop_after: int | None = None, seconds: float = 40.0
) -> None:
    """Somebody who has joined agrees, learns and answers, up to so many texts."""
    call("POST", "/work/consent", {}, token)
    following = call("POST", "/work/next", {}, token)
    if following["finished"] and following["finished"]["why"] == "learn":
        _learn(call, token, answer)
        following = call("POST", "/work/next", {}, token)
    done = 0
    while following["assignment"] and (stop_after is None or done < stop_after):
        held = following["assignment"]
        body = {"answers": answer(held["unit"]), "client_key": f"key-{held['id']:08}", "seconds_active": seconds}
        following = call("POST", f"/work/assignments/{held['id']}/responses", body, token)["next"]
        done += 1


def _learn(call: Call, token: str, answer: Answer) -> None:
    lesson = call("POST", "/work/lesson", {}, token)
    while lesson["stage"] == "learn" and lesson["item"]:
        item = lesson["item"]
        answers: Mapping[str, Any] = {}
        if item["unit"] is not None:
            answers = {"pick": "a"} if item["protocol"] else answer(item["unit"])
        key = f"lesson-{item['id'].replace('.', '-')}-{lesson['attempt']:04}"
        body = {"item": item["id"], "answers": answers, "client_key": key, "seconds_active": 20.0}
        lesson = call("POST", "/work/lesson/answers", body, token)["lesson"]


def guesser(
    truth: Mapping[str, bool], accuracy: float, rng: np.random.Generator, reasons: Sequence[str] = REASONS
) -> Answer:
    """Somebody who is right with this probability. `truth` says of a text whether a machine wrote it."""

    def answer(unit: Mapping[str, Any]) -> Mapping[str, Any]:
        machine = truth.get(unit["texts"]["text"]["characters"], bool(rng.integers(2)))
        right = rng.random() < accuracy
        said = machine if right else not machine
        sure = bool(rng.random() < 0.5)
        option = f"{'definitely' if sure else 'possibly'}_{'machine' if said else 'human'}"
        reason = f"{reasons[int(rng.integers(len(reasons)))]} ({int(rng.integers(1000))})"
        return {"source": option, "why" if option == "definitely_human" else "change": reason}

    return answer
