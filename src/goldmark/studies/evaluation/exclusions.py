"""Whose answers should be looked at before the analysis: suggested by rules, decided by a person who sees no condition.

The rules look at what people wrote to explain their answers. They only suggest: a rule cannot tell a lazy explanation
from a short good one, and a decision that was made blind is worth more than a rule that was tuned on the results.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import shorten

from goldmark.protocols.answers import giving
from goldmark.protocols.responses import ReadResponse, read_responses
from goldmark.records.answers import Words
from goldmark.records.campaigns import CampaignRecord
from goldmark.records.figures import counted
from goldmark.studies.design.file import Study
from goldmark.studies.design.language import AccuracyOutcome, Exclude

# Names of the rules, as they stand in reports.
COPIED = "copied text"
SHORT = "too short"
VAGUE = "vague"
MISMATCH = "does not match the answer"
SAME = "the same for several texts"
RULES = (COPIED, SHORT, VAGUE, MISMATCH, SAME)

KEPT = "participant kept"  # the kind of event when somebody looked and let the answers stand
RUN = 4  # words in a row that are no accident
QUOTED = 60  # characters by which a text is called to mind
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
# Words that say nothing about a text: without them, a vague explanation is empty.
_EMPTY = frozenset(
    _WORD.findall(
        """
        a am an and any are as at be because been being believe but by can choose chose could definitely did do does
        feel feels for from generated good great guess had has have how human humans i if in is it its just kind know
        like look looks made machine machines make makes me more most much my nice no not nothing ok okay of on one
        opinion or people person possibly probably rating read reads really reason said same say says seem seems seemed
        select selected so some something sort sound sounds sure text than that the there they thing things think this
        those thought to very was way well were what when which who why will with would write writer written wrote yes
        you
        """
    )
)
_NOT = re.compile(r"\b(?:not|no|never|nor|neither|isn't|wasn't|doesn't|don't|didn't|can't|couldn't|wouldn't|than)\b")
_SAYING = (
    r"(?:is|was|be|sounds?|seems?|seemed|looks?|feels?|reads?|definitely|clearly|obviously|written|generated|made)"
)
_MEANS = {
    "human": r"(?:human|person|people|someone|somebody)",
    "machine": r"(?:machine|computer|robot|bot|a\.?i\.?|algorithm|software|program)",
}


@dataclass(frozen=True)
class FlaggedExplanation:
    """One explanation that a rule stumbled over."""

    rule: str
    unit: str
    question: str
    detail: str


@dataclass(frozen=True)
class Suggestion:
    """A participant whose answers somebody should look at, and why."""

    annotator: str
    findings: tuple[FlaggedExplanation, ...]

    @property
    def rules(self) -> tuple[str, ...]:
        return tuple(rule for rule in RULES if any(one.rule == rule for one in self.findings))


def explanation_questions(study: Study) -> tuple[str, ...]:
    if study.file.explanations is not None:
        return study.file.explanations
    return tuple(question.id for question in giving(study.protocol, Words))


def suggestions(study: Study, record: CampaignRecord) -> list[Suggestion]:
    """Everybody that the study's rules suggest, in the order of the campaign's annotators."""
    rules, questions = study.file.exclude, explanation_questions(study)
    given: dict[str, list[ReadResponse]] = {}
    for one in read_responses(record, record.final_responses(with_excluded=True)):
        given.setdefault(one.annotator, []).append(one)
    found = []
    for person in record.annotators:
        findings = [one for answer in given.get(person.id, []) for one in _findings(study, rules, questions, answer)]
        if rules.same:
            findings += _repeated(given.get(person.id, []), questions)
        if len({one.unit for one in findings}) >= rules.texts:
            found.append(Suggestion(person.id, tuple(findings)))
    return found


def _findings(
    study: Study, rules: Exclude, questions: Sequence[str], answer: ReadResponse
) -> Iterator[FlaggedExplanation]:
    unit = answer.unit
    for question in questions:
        said = answer.said.told(question)
        if not said:
            continue
        share = copied_share(said, [shown.text.characters for shown in unit.shown.texts.values()])
        if rules.copied is not None and share >= rules.copied:
            yield FlaggedExplanation(COPIED, unit.id, question, f"{100 * share:.0f} % of it stands in the text")
        number = len(_words(said))
        if rules.short is not None and number < rules.short:
            yield FlaggedExplanation(SHORT, unit.id, question, counted(number, "word"))
        if rules.vague and is_vague(said):
            yield FlaggedExplanation(VAGUE, unit.id, question, "it gives no reason")
        if rules.mismatch and isinstance(study.file.outcome, AccuracyOutcome):
            other = contradicts(said, study.file.outcome, answer.said.told(study.file.outcome.question))
            if other:
                yield FlaggedExplanation(MISMATCH, unit.id, question, f"it says {other}")


def _words(text: str) -> list[str]:
    return [word.lower().replace("’", "'") for word in _WORD.findall(text)]


def copied_share(said: str, texts: Iterable[str]) -> float:
    """Which part of an explanation's words stands in runs of at least four words that the text has too."""
    words = _words(said)
    if len(words) < RUN:
        return 0.0
    runs = {tuple(own[start : start + RUN]) for own in map(_words, texts) for start in range(len(own) - RUN + 1)}
    copied = [False] * len(words)
    for start in range(len(words) - RUN + 1):
        if tuple(words[start : start + RUN]) in runs:
            copied[start : start + RUN] = [True] * RUN
    return sum(copied) / len(words)


def is_vague(said: str) -> bool:
    """Whether nothing is left of an explanation without the words that every explanation could have."""
    return not any(word not in _EMPTY and not word.isdigit() for word in _words(said))


def contradicts(said: str, outcome: AccuracyOutcome, option: str) -> str:
    """The group that an explanation plainly names though its answer names another, or nothing.

    Only a plain statement counts, such as "it was written by a person", and none that is negated.
    """
    chosen = next((group for group, options in outcome.says.items() if option in options), "")
    named = {group for group in outcome.says if _names(said, group)}
    return next((group for group in outcome.says if group != chosen and named == {group}), "")


def _names(said: str, group: str) -> bool:
    means = _MEANS.get(group, re.escape(group.replace("_", " ").replace("-", " ")))
    pattern = re.compile(rf"\b{_SAYING}\b((?:\W+\w+){{0,3}}?)\W+{means}\b(?!\s*-?\s*like)")
    for clause in re.split(r"[.;!?,]|\bbut\b|\bif\b|\bto make\b|\bmore\b|\bless\b", said.lower()):
        if pattern.search(clause) and not _NOT.search(clause):
            return True
    return False


def _repeated(given: Sequence[ReadResponse], questions: Sequence[str]) -> Iterator[FlaggedExplanation]:
    """The earlier text is named by its first words, which everybody may see; its id may say who wrote it."""
    seen: dict[str, str] = {}
    for unit, _, said in given:
        for question in questions:
            words = " ".join(_words(said.told(question)))
            if not words:
                continue
            if words in seen:
                yield FlaggedExplanation(SAME, unit.id, question, f"written before, about the text “{seen[words]}”")
            characters = " ".join(shown.text.characters for shown in unit.shown.texts.values())
            seen.setdefault(words, shorten(characters, QUOTED, placeholder=" …"))


def decided(record: CampaignRecord) -> Mapping[str, str]:
    """Whom somebody has looked at already: kept or excluded."""
    states = {one.id: one.state for one in record.annotators}
    said = {one.subject: "kept" for one in record.events if one.kind == KEPT}
    said |= {name: "excluded" for name, state in states.items() if state == "excluded"}
    return said
