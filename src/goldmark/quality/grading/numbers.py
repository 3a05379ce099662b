"""Grading a number: right within a tolerance."""

from __future__ import annotations

from collections.abc import Sequence

from goldmark.languages import gettext, later
from goldmark.protocols.expected import Expected
from goldmark.protocols.kinds import Question
from goldmark.quality.grading.grades import Judging, PartGrade, nearness, part, together, unanswered
from goldmark.records.answers import Rating


def close_enough(question: Question, said: Sequence[Rating], wanted: Expected, judging: Judging) -> PartGrade:
    """1 if the answer is at most `within` off (0 if left out).

    Farther off, the score falls to 0 over the range that the question allows; without a range it is 0 at once.
    """
    if not said:
        return unanswered(question, wanted, judging)
    answer = said[0].value
    if wanted.bounded:
        right = wanted.holds(answer)
        facts = {"answer": f"{answer:g}", "wanted": _bounds(wanted)}
        wrong = gettext("{answer} is not right; it should be {wanted}.", **facts)
        told = gettext("{answer} is right.", **facts) if right else wrong
        return part(question, float(right), right, told, judging.said(wanted.because))
    targets = [float(one) for one in (wanted.one_of if wanted.one_of is not None else [wanted.answer])]
    target = min(targets, key=lambda one: abs(one - answer))
    apart = abs(target - answer)
    right = apart <= (wanted.within or 0.0)
    score = 1.0 if right else nearness(question, apart)
    facts = {"answer": f"{answer:g}", "best": f"{target:g}"}
    wrong = gettext("You gave {answer}; right would be {best}.", **facts)
    told = gettext("{answer} is right.", **facts) if right else wrong
    return part(question, score, right, told, judging.said(wanted.because))


def _bounds(wanted: Expected) -> str:
    said = (
        (wanted.at_least, later("at least {number}")),
        (wanted.at_most, later("at most {number}")),
        (wanted.above, later("above {number}")),
        (wanted.below, later("below {number}")),
    )
    return together([gettext(words, number=f"{bound:g}") for bound, words in said if bound is not None])
