"""Grading words: the same words, or words that hold them, whatever their case, spacing and punctuation."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from goldmark.languages import gettext
from goldmark.protocols.expected import Expected
from goldmark.protocols.kinds import Question
from goldmark.quality.grading.grades import Judging, PartGrade, any_of, part, quoted, unanswered
from goldmark.records.answers import Words

IN_WORDS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
DIGITS = {word: str(number) for number, word in enumerate(IN_WORDS)}
LONGEST_AROUND = 12  # words beside the right ones: "it should be Tuesday", but not a whole paragraph with everything


def same_words(question: Question, said: Sequence[Words], wanted: Expected, judging: Judging) -> PartGrade:
    """Right if the answer says the expected words, alone or in a short sentence; bounds count characters."""
    if not said:
        return unanswered(question, wanted, judging)
    answer = said[0].words
    if wanted.bounded:
        right = wanted.holds(len(answer))
        return part(
            question,
            float(right),
            right,
            gettext("{count} characters.", count=len(answer)),
            judging.said(wanted.because),
        )
    accepted = [str(one) for one in (wanted.one_of if wanted.one_of is not None else [wanted.answer])]
    right = any(says(answer, one) for one in accepted)
    facts = {"answer": quoted(answer[:200]), "best": any_of(accepted)}
    wrong = gettext("You wrote {answer}; right would be {best}.", **facts)
    told = gettext("Right.") if right else wrong
    return part(question, float(right), right, told, judging.said(wanted.because))


def says(answer: str, expected: str) -> bool:
    """Whether a short answer holds the expected words in their order; "two" and "2" are the same."""
    found, needed = _plain(answer), _plain(expected)
    if not needed or len(found) > len(needed) + LONGEST_AROUND:
        return found == needed
    return any(found[at : at + len(needed)] == needed for at in range(len(found) - len(needed) + 1))


def _plain(text: str) -> list[str]:
    words = re.findall(r"\w+(?:[.,:]\d+)*", unicodedata.normalize("NFKC", text).casefold())
    return [DIGITS.get(word, word) for word in words]
