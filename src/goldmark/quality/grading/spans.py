"""Grading marked passages: what was found, what was missed, what is no error, with partial credit.

A passage to find is found if a mark shares at least one position with it; one mark may find several, because people
mark "second double-double in a row" where a key has two mistakes. Found, it earns credit for place, label and
correction; the score of the text is all credit over the passages to find and the marks that found nothing:

    score = sum of credits / (passages to find + extra marks),   1 if there is nothing to find and nothing was marked
    credit = (3 place + 2 label + 1 correction) / (3 + 2 + 1), of which only what the key speaks of is counted
    place = 2 |passage and mark| / (|passage| + |mark|), the mark that fits best
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pydantic import ValidationError

from goldmark.languages import gettext
from goldmark.protocols.expected import Expected, ExpectedNotReadable, ExpectedSpan
from goldmark.protocols.kinds.spans import SpansQuestion
from goldmark.protocols.parts import in_words
from goldmark.quality.grading.grades import GradedMark, Judging, PartGrade, Verdict, part, quoted
from goldmark.quality.grading.words import says
from goldmark.records.answers import Mark, Marks

PLACE, LABEL, CORRECTION = 3.0, 2.0, 1.0


class LearnerMark(NamedTuple):
    """A mark of the learner."""

    id: str
    start: int
    end: int
    label: str
    correction: str


@dataclass(frozen=True, slots=True)
class ExpectedPassage:
    """One passage to find, with the learner's mark that fits it best."""

    passage: ExpectedSpan
    mark: LearnerMark | None
    place: float = 0.0
    label_right: bool | None = None  # None: the key names no label
    correction_right: bool | None = None

    @property
    def credit(self) -> float:
        if self.mark is None:
            return 0.0
        earned = [(PLACE, self.place)]
        if self.label_right is not None:
            earned.append((LABEL, float(self.label_right)))
        if self.correction_right is not None:
            earned.append((CORRECTION, float(self.correction_right)))
        return sum(weight * share for weight, share in earned) / sum(weight for weight, _ in earned)


def marked_passages(question: SpansQuestion, said: Sequence[Marks], wanted: Expected, judging: Judging) -> PartGrade:
    """See the module's words. `includes` does not judge what was marked beside the passages to find."""
    marks = [_marked(question, mark) for one in said for mark in one.marks]
    if wanted.bounded:
        right = wanted.holds(len(marks))
        return part(question, float(right), right, f"{_count(len(marks), 'passage')} marked.", wanted.because)
    keys = (
        wanted.one_of if wanted.one_of is not None else [wanted.answer if wanted.includes is None else wanted.includes]
    )
    graded = [_against(question, marks, _passages(question, key), wanted, judging) for key in keys]
    return max(graded, key=lambda one: (one.right, one.score))


def _against(
    question: SpansQuestion,
    marks: Sequence[LearnerMark],
    passages: Sequence[ExpectedSpan],
    wanted: Expected,
    judging: Judging,
) -> PartGrade:
    useful = [mark for mark in marks if not _says_nothing(mark, passages, question, judging)]
    findings = [_finding(passage, useful, question) for passage in passages if not passage.optional]
    extra = [mark for mark in marks if mark not in useful or not any(_overlaps(mark, one) for one in passages)]
    counted = [] if wanted.includes is not None else extra
    found = [one for one in findings if one.mark is not None]
    labelled = [one for one in found if one.label_right is not None]
    out_of = len(findings) + len(counted)
    score = sum(one.credit for one in findings) / out_of if out_of else 1.0
    good_marks = len(marks) - len(extra)
    right = (
        _share(len(found), len(findings)) >= _all(wanted.recall)
        and _share(good_marks, good_marks + len(counted)) >= _all(wanted.precision)
        and _share(sum(bool(one.label_right) for one in labelled), len(labelled)) >= _all(wanted.category)
    )
    words = _PassageFeedback(question, judging)
    told = [words.finding(one) for one in findings]
    told += [words.no_error(mark) for mark in counted]
    told += [
        words.optional(passage, mark)
        for passage in passages
        if passage.optional
        for mark in marks
        if _overlaps(mark, passage)
    ]
    summary = _summary(len(found), len(findings), len(counted))
    counts = {
        "expected": len(findings),
        "found": len(found),
        "marks": len(marks),
        "extra": len(counted),
        "labels": len(labelled),
        "labels_right": sum(bool(one.label_right) for one in labelled),
        "corrections": sum(one.correction_right is not None for one in found),
        "corrections_right": sum(bool(one.correction_right) for one in found),
    }
    sentences = (summary, wanted.because) if wanted.because else (summary,)
    return PartGrade(question.id, score, right, sentences, tuple(sorted(told, key=_order)), counts)


def _finding(passage: ExpectedSpan, marks: Sequence[LearnerMark], question: SpansQuestion) -> ExpectedPassage:
    """The passage with its best mark: the one that earns most."""
    cases = [_judged(passage, mark, question) for mark in marks if _overlaps(mark, passage)]
    return max(cases, key=lambda one: one.credit, default=ExpectedPassage(passage, None))


def _judged(passage: ExpectedSpan, mark: LearnerMark, question: SpansQuestion) -> ExpectedPassage:
    common = min(passage.end, mark.end) - max(passage.start, mark.start)
    place = 2 * common / (passage.end - passage.start + mark.end - mark.start)
    return ExpectedPassage(
        passage,
        mark,
        place,
        mark.label in passage.labels if passage.labels and question.labels else None,
        any(says(mark.correction, one) for one in passage.corrections)
        if passage.corrections and question.corrected_by
        else None,
    )


def _says_nothing(
    mark: LearnerMark, passages: Sequence[ExpectedSpan], question: SpansQuestion, judging: Judging
) -> bool:
    """A mark over more than half of the text, most of it right, does not say what is wrong, so it finds nothing."""
    text = judging.shown.texts[question.text_of(judging.around.texts)]
    whole = text.tokens if question.by == "token" else len(text.characters)
    length = mark.end - mark.start
    touched = sum(max(0, min(mark.end, one.end) - max(mark.start, one.start)) for one in passages)
    return length * 2 > whole and length > 2 * touched


def _overlaps(mark: LearnerMark, passage: ExpectedSpan) -> bool:
    return mark.start < passage.end and passage.start < mark.end


def _marked(question: SpansQuestion, mark: Mark) -> LearnerMark:
    """A mark in the positions that the question counts, as its key does."""
    place = mark.tokens if question.by == "token" else mark.characters
    return LearnerMark(mark.id, place.start, place.end, mark.label, mark.correction or "")


def _passages(question: SpansQuestion, key: object) -> list[ExpectedSpan]:
    try:
        return [ExpectedSpan.model_validate(one) for one in key]  # type: ignore[attr-defined]
    except (TypeError, ValidationError) as error:
        reason = "it must be a list of passages with start and end"
        raise ExpectedNotReadable(question=question.id, reason=reason) from error


def _all(share: float | None) -> float:
    return 1.0 if share is None else share


def _share(some: int, of: int) -> float:
    return some / of if of else 1.0


def _order(mark: GradedMark) -> tuple[int, int]:
    return mark.start, mark.end


def _count(number: int, noun: str) -> str:
    return f"{number or 'no'} {noun}{'' if number == 1 else 's'}"


def _summary(found: int, expected: int, extra: int) -> str:
    if not expected and not extra:
        return "Right: there is nothing to mark."
    beside = f" {_count(extra, 'mark').capitalize()} {'is' if extra == 1 else 'are'} on words that are not wrong."
    if not expected:
        return f"There is nothing to mark here.{beside}"
    return f"You found {found} of {expected}.{beside if extra else ''}"


class _PassageFeedback:
    """Sentences for the learner about single passages."""

    def __init__(self, question: SpansQuestion, judging: Judging) -> None:
        self.question = question
        self.judging = judging
        self.text = judging.shown.texts[question.text_of(judging.around.texts)]
        self.labels = judging.around.taxonomies[question.labels.tree].paths if question.labels else {}

    def finding(self, one: ExpectedPassage) -> GradedMark:
        passage, label = one.passage, one.passage.labels[0] if one.passage.labels else ""
        if one.mark is None:
            said = [gettext("Missed: {words} is wrong.", words=self.quote(passage.start, passage.end))]
            if label:
                said.append(gettext("Its category is {label}.", label=self.title(label)))
            if passage.corrections:
                said.append(gettext("It should say {words}.", words=quoted(passage.corrections[0])))
            return self._mark("missed", passage, "", label, said, passage.because)
        said = [gettext("Found: {words}.", words=self.quote(passage.start, passage.end))]
        if one.label_right is False:
            wrong = self.title(one.mark.label)
            said.append(gettext("Its category is {label}, not {wrong}.", label=self.title(label), wrong=wrong))
        if one.correction_right is False:
            said.append(gettext("It should say {words}.", words=quoted(passage.corrections[0])))
        if one.mark.end - one.mark.start > 2 * (passage.end - passage.start) + 1:
            said.append(gettext("Your mark is longer than it needs to be."))
        return self._mark("found", passage, one.mark.id, label, said, passage.because)

    def no_error(self, mark: LearnerMark) -> GradedMark:
        said = [gettext("Not an error: {words}.", words=self.quote(mark.start, mark.end))]
        return GradedMark("extra", mark.start, mark.end, mark.id, mark.label, " ".join(said))

    def optional(self, passage: ExpectedSpan, mark: LearnerMark) -> GradedMark:
        said = [gettext("{words} may be marked or not.", words=self.quote(mark.start, mark.end))]
        return self._mark("optional", passage, mark.id, mark.label, said, passage.because)

    def _mark(
        self,
        verdict: Verdict,
        passage: ExpectedSpan,
        own: str,
        label: str,
        said: list[str],
        because: str,
    ) -> GradedMark:
        because = self.judging.said(because.strip())
        words = " ".join([*said, because] if because else said)
        return GradedMark(verdict, passage.start, passage.end, own, label, words)

    def quote(self, start: int, end: int) -> str:
        places = (start, end)
        if self.question.by == "token":
            places = (self.text.places[start][0], self.text.places[end - 1][1])
        words = self.text.characters[places[0] : places[1]]
        return quoted(words if len(words) <= 120 else words[:117] + "…")

    def title(self, label: str) -> str:
        found = self.labels.get(label)
        return self.judging.said(found.name if found else in_words(label)) or gettext("none")
