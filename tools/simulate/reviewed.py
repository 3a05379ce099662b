"""A whole error campaign of programs: annotators in five stages, reviewers who return work until it is right.

They talk to a real server over HTTP, as people do, and know what people know: an annotator sees the text and what a
reviewer said of it; a reviewer sees the text and the answer. What is wrong in a text is the simulation's secret, which
everybody guesses more or less well. Some texts nobody can correct: those are set aside.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from goldmark.simulate.crowd import Ask
from tools.simulate.errors import SimulatedText, careless_answers

AMBIGUOUS: Mapping[str, Any] = {"verdict": "ambiguous"}
Answers = Mapping[str, Any]


@dataclass(frozen=True)
class Setup:
    """How well everybody works."""

    slips: float = 0.15  # of annotators, at each stage
    amends: float = 0.9  # how often amended work is right
    overlooks: float = 0.02  # how often a reviewer approves what is wrong
    ambiguous: float = 0.02  # the share of texts that nobody can correct
    in_progress: int = 200  # answers after which reviewers come, while annotators go on later


@dataclass
class Outcome:
    """What happened."""

    right: Mapping[str, Answers]  # by the characters of a text
    answers: int = 0
    amended: int = 0
    words: int = 0  # of reviewers
    returned: int = 0
    rounds: int = 0
    checked: int = 0
    by_annotator: dict[str, int] = field(default_factory=dict)


def right_answers(texts: Iterable[SimulatedText], *, share: float, rng: np.random.Generator) -> dict[str, Answers]:
    """The right answer to every text, by its characters."""
    return {one.text: AMBIGUOUS if rng.random() < share else one.answers() for one in texts}


def run(
    ask: Ask,
    name: str,
    texts: Sequence[SimulatedText],
    *,
    annotators: Mapping[str, str],
    reviewers: Mapping[str, str],
    rng: np.random.Generator,
    setup: Setup | None = None,
) -> Outcome:
    """Everybody works until every text is approved or set aside. Names come with personal links or API tokens."""
    how = setup or Setup()
    outcome = Outcome(right_answers(texts, share=how.ambiguous, rng=rng))
    known = {one.text: one for one in texts}
    for _ in range(1000):
        outcome.rounds += 1
        worked = _annotate(ask, annotators, known, outcome, how, rng)
        judged = _review(ask, name, reviewers, outcome, how, rng)
        if not worked and not judged:
            return outcome
    raise RuntimeError("work goes back and forth without an end")  # pragma: no cover - a fault of the simulation


def _annotate(
    ask: Ask,
    people: Mapping[str, str],
    known: Mapping[str, SimulatedText],
    outcome: Outcome,
    how: Setup,
    rng: np.random.Generator,
) -> int:
    """In turn, one text each, until nobody is given anything or reviewers have enough to do."""
    following = {who: ask("POST", "/work/next", token, {}) for who, token in people.items()}
    done = 0
    while done < how.in_progress:
        busy = [who for who, reply in following.items() if reply["assignment"] is not None]
        if not busy:
            break
        for who in busy:
            task = following[who]["assignment"]
            words = task["unit"]["texts"]["text"]["characters"]
            again = task["returned"] is not None
            answers = _answer(known[words], outcome.right[words], how, rng, again=again)
            stays = again and answers == task["answers"]
            if stays and task["returned"]["decided"]:  # the reason was heard and turned down
                answers, stays = outcome.right[words], False
            body = {
                **({"reply": "It is right as it is."} if stays else {}),
                "answers": answers,
                "client_key": f"simulated-{task['id']}-{task['revision'] + 1}",
                "seconds_active": 9,
            }
            reply = ask("POST", f"/work/assignments/{task['id']}/responses", people[who], body)
            following[who] = reply["next"]
            outcome.answers += 1
            outcome.amended += again
            outcome.by_annotator[who] = outcome.by_annotator.get(who, 0) + (not again)
            done += 1
    return done


def _answer(text: SimulatedText, right: Answers, how: Setup, rng: np.random.Generator, *, again: bool) -> Answers:
    if again and rng.random() < how.amends:
        return right
    if right is AMBIGUOUS:
        return right if rng.random() >= how.slips else {"verdict": "fine"}
    return careless_answers(text, rng=rng, slips=how.slips)


def _review(
    ask: Ask, name: str, reviewers: Mapping[str, str], outcome: Outcome, how: Setup, rng: np.random.Generator
) -> int:
    """Reviewers share the queue between them; what two must judge comes to the other in a second pass."""
    done = 0
    for shared in (False, True):
        for place, token in enumerate(reviewers.values()):
            for number in _queue(ask, name, token):
                if shared or number % len(reviewers) == place:
                    done += _judge(ask, name, token, number, outcome, how, rng)
    return done


def _queue(ask: Ask, name: str, token: str) -> Iterator[int]:
    after = 0
    while waiting := ask("GET", f"/campaigns/{name}/reviews?after={after}", token, {})["waiting"]:
        yield from (int(one["id"]) for one in waiting)
        after = int(waiting[-1]["id"])


def _judge(ask: Ask, name: str, token: str, number: int, outcome: Outcome, how: Setup, rng: np.random.Generator) -> int:
    path = f"/campaigns/{name}/reviews/{number}"
    case = ask("GET", path, token, {})
    remarks = remarks_on(case["answers"], outcome.right[case["shown"]["texts"]["text"]["characters"]])
    returned = bool(remarks) and rng.random() >= how.overlooks
    body = {
        "revision": case["revision"],
        "verdict": "returned" if returned else "approved",
        "remarks": remarks if returned else [],
    }
    ask("POST", path, token, body)
    outcome.words += 1
    outcome.returned += returned
    return 1


def spot_check(ask: Ask, name: str, *, manager: str, checker: str, size: int, outcome: Outcome) -> None:
    """A checker who overlooks nothing judges answers randomly drawn."""
    ask("POST", f"/campaigns/{name}/status/spot-check", manager, {"size": size})
    while (number := ask("GET", f"/campaigns/{name}/status/spot-check/next", checker, {})["response"]) is not None:
        path = f"/campaigns/{name}/status/spot-check/{number}"
        case = ask("GET", path, checker, {})
        remarks = remarks_on(case["answers"], outcome.right[case["shown"]["texts"]["text"]["characters"]])
        ask("POST", path, checker, {"right": not remarks, "remarks": remarks})
        outcome.checked += 1


def remarks_on(given: Answers, right: Answers) -> list[dict[str, str]]:
    """What a reviewer has to say of an answer: the verdict, a mark that is missing or not due, a part of a mark."""
    if given["verdict"] != right["verdict"]:
        return [_remark("verdict", "", f"It is {right['verdict'].replace('_', ' ')}.")]
    marks, due = given.get("errors", []), list(right.get("errors", []))
    remarks = []
    for mark in marks:
        meant = next((one for one in due if one["start"] < mark["end"] and mark["start"] < one["end"]), None)
        if meant is None:
            remarks.append(_remark("errors", mark["id"], "Nothing is wrong here."))
            continue
        due.remove(meant)
        remarks += [_remark("errors", f"{mark['id']}.{part}", "Look again.") for part in _differing(mark, meant)]
    return remarks + [_remark("errors", "", "Something is not marked.") for _ in due[:1]]


def _differing(mark: Answers, meant: Answers) -> Iterator[str]:
    if (mark["start"], mark["end"]) != (meant["start"], meant["end"]):
        yield "span"
    if mark["links"] != meant["links"]:
        yield "associated"
    for part in ("correction", "label", "rationale"):
        if mark.get(part, "") != meant.get(part, ""):
            yield part


def _remark(where: str, part: str, comment: str) -> dict[str, str]:
    return {"where": where, "part": part, "comment": comment}
