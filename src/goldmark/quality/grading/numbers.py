"""Grading a number: right within a tolerance."""

from __future__ import annotations

from collections.abc import Sequence

from goldmark.protocols.expected import Expected
from goldmark.protocols.kinds import Question
from goldmark.quality.grading.grades import Judging, PartGrade, nearness, part, unanswered
from goldmark.records.answers import Rating


def close_enough(question: Question, said: Sequence[Rating], wanted: Expected, judging: Judging) -> PartGrade:
    """1 if the answer is at most `within` off (0 if left out).

    Farther off, the score falls to 0 over the range that the question allows; without a range it is 0 at once.
    """
    if not said:
        return unanswered(question, wanted)
    answer = said[0].value
    if wanted.bounded:
        right = wanted.holds(answer)
        told = f"{answer:g} is right." if right else f"{answer:g} is not right; it should be {_bounds(wanted)}."
        return part(question, float(right), right, told, wanted.because)
    targets = [float(one) for one in (wanted.one_of if wanted.one_of is not None else [wanted.answer])]
    target = min(targets, key=lambda one: abs(one - answer))
    apart = abs(target - answer)
    right = apart <= (wanted.within or 0.0)
    score = 1.0 if right else nearness(question, apart)
    told = f"{answer:g} is right." if right else f"You gave {answer:g}; right would be {target:g}."
    return part(question, score, right, told, wanted.because)


def _bounds(wanted: Expected) -> str:
    said = (
        (wanted.at_least, "at least"),
        (wanted.at_most, "at most"),
        (wanted.above, "above"),
        (wanted.below, "below"),
    )
    return " and ".join(f"{words} {bound:g}" for bound, words in said if bound is not None)
