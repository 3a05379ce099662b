"""Grading a number: right within a tolerance."""

from __future__ import annotations

from goldmark.protocols.expected import Expected
from goldmark.protocols.kinds import number
from goldmark.quality.grading.grades import Judging, PartGrade, grades, part, unanswered


@grades("number")
def close_enough(question: number.Number, answer: object, wanted: Expected, judging: Judging) -> PartGrade:
    """1 if the answer is at most `within` off (0 if left out).

    Farther off, the score falls to 0 over the range that the question allows; without a range it is 0 at once.
    """
    if not isinstance(answer, int | float):
        return unanswered(question, wanted)
    if wanted.bounded:
        right = wanted.holds(answer)
        told = f"{answer:g} is right." if right else f"{answer:g} is not right; it should be {_bounds(wanted)}."
        return part(question, float(right), right, told, wanted.because)
    targets = [float(one) for one in (wanted.one_of if wanted.one_of is not None else [wanted.answer])]
    target = min(targets, key=lambda one: abs(one - answer))
    apart = abs(target - answer)
    right = apart <= (wanted.within or 0.0)
    score = 1.0 if right else 0.0
    if not right and question.at_least is not None and question.at_most is not None:
        score = max(0.0, 1 - apart / (question.at_most - question.at_least))
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
