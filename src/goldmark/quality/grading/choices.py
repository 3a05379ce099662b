"""Grading what was chosen: one option by value or by distance, several by how far the sets agree, texts by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from goldmark.errors import GoldmarkError
from goldmark.languages import gettext
from goldmark.protocols.expected import Expected
from goldmark.protocols.kinds import Question
from goldmark.protocols.kinds.best_worst import BestWorstQuestion
from goldmark.quality.grading.grades import Judging, PartGrade, all_of, any_of, nearness, part, quoted, unanswered
from goldmark.records.answers import APART, Choice, Comparison, Rating


class NoNumbers(GoldmarkError):
    code = "GRADE-04"
    message = 'the expected answer to "{question}" compares numbers, but the option "{option}" has none'


def one_of_the_options(
    question: Question, said: Sequence[Choice | Comparison | Rating], wanted: Expected, judging: Judging
) -> PartGrade:
    """By value: the same option or not. By distance: the closer the option's number, the more of the score.

    With `within`, the answer is right if its number is at most that far from the right one; its score is then 1, and
    otherwise 1 - |difference| / (largest number - smallest number).
    """
    if not said:
        return unanswered(question, wanted, judging)
    titles = {name: judging.said(title) for name, title in question.titles().items()}
    given = said[0].label
    accepted = _accepted(question, wanted, titles)
    right = given in accepted
    score = float(right)
    if not right and wanted.within is not None:
        apart = min(abs(_number(question, given) - _number(question, one)) for one in accepted)
        right = apart <= wanted.within
        score = 1.0 if right else nearness(question, apart)
    best, yours = any_of([titles[one] for one in accepted]), quoted(titles[given])
    if given in accepted:
        told = gettext("{answer} is right.", answer=yours)
    elif right:
        told = gettext("{answer} is close enough; the best answer is {best}.", answer=yours, best=best)
    else:
        told = gettext("You chose {answer}; right would be {best}.", answer=yours, best=best)
    return part(question, score, right, told, judging.said(wanted.because))


def best_and_worst(
    question: BestWorstQuestion, said: Sequence[Comparison], wanted: Expected, judging: Judging
) -> PartGrade:
    """Half of the score for the best text, half for the worst, against the nearest of the answers that are right."""
    if not said:
        return unanswered(question, wanted, judging)
    given = said[0].label.split(APART)
    keys = [one.split(APART) for one in _accepted(question, wanted, question.titles())]
    hits = [[mine == right for mine, right in zip(given, key, strict=True)] for key in keys]
    nearest = max(range(len(keys)), key=lambda place: sum(hits[place]))
    score = sum(hits[nearest]) / 2
    texts = question.text_titles()

    def named(title: str, role: str) -> str:
        return quoted(f"{judging.said(title)}: {judging.said(texts[role])}")

    told = [
        gettext("{answer} is right.", answer=named(title, mine))
        if mine == right
        else gettext("You chose {answer}; right would be {best}.", answer=named(title, mine), best=named(title, right))
        for title, mine, right in zip((question.best_title, question.worst_title), given, keys[nearest], strict=True)
    ]
    return part(question, score, score == 1, *told, judging.said(wanted.because))


def some_of_the_options(question: Question, said: Sequence[Choice], wanted: Expected, judging: Judging) -> PartGrade:
    """Jaccard: how many options are in both sets, of those in either. With `includes`: how many of the wanted ones."""
    titles = {name: judging.said(title) for name, title in question.titles().items()}
    chosen = {one.label for one in said if one.chosen}
    if wanted.bounded:
        right = wanted.holds(len(chosen))
        return part(
            question, float(right), right, gettext("{count} chosen.", count=len(chosen)), judging.said(wanted.because)
        )
    if wanted.one_of is not None:
        graded = [_set_against({str(one) for one in case}, chosen) for case in wanted.one_of]
        score, needed = max(graded), {str(one) for one in wanted.one_of[graded.index(max(graded))]}
        judged = chosen
    elif wanted.includes is not None:
        needed = {str(one) for one in wanted.includes}
        judged = chosen & needed
        score = _set_against(needed, judged)
    else:
        needed, judged = {str(one) for one in wanted.answer}, chosen
        score = _set_against(needed, judged)
    missing = [title for one, title in titles.items() if one in needed - chosen]
    extra = [title for one, title in titles.items() if one in judged - needed]
    return part(
        question,
        score,
        score >= (1.0 if wanted.share is None else wanted.share),
        "" if missing or extra else gettext("All that you chose is right."),
        gettext("{options} should have been chosen too.", options=all_of(missing)) if missing else "",
        gettext("{options} should not have been chosen.", options=all_of(extra)) if extra else "",
        judging.said(wanted.because),
    )


def _set_against(needed: set[str], chosen: set[str]) -> float:
    either = needed | chosen
    return len(needed & chosen) / len(either) if either else 1.0


def _accepted(question: Question, wanted: Expected, titles: Mapping[str, str]) -> list[str]:
    """Every option that is right."""
    if wanted.bounded:
        return [option for option in titles if wanted.holds(_number(question, option))]
    return [str(one) for one in (wanted.one_of if wanted.one_of is not None else [wanted.answer])]


def _number(question: Question, option: str) -> float:
    found = question.numbers().get(option)
    if found is None:
        raise NoNumbers(question=question.id, option=option)
    return found
