"""From a campaign's answers to one number per participant: the person is the unit of every test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from goldmark.campaigns.assignments.strata import named_stratum
from goldmark.protocols.responses import ReadResponse, read_responses
from goldmark.records.answers import ReadAnswer
from goldmark.records.campaigns import CampaignRecord
from goldmark.records.figures import Interval
from goldmark.records.units import Unit
from goldmark.results.published.humanlike.study import SourceJudgement
from goldmark.stats.inference.scales import COUNT, OPEN, SHARE, Ends, clipped, mean_on_scale, told_ends
from goldmark.stats.significance.tests import mean_interval
from goldmark.studies.design.file import Study
from goldmark.studies.design.language import AccuracyOutcome, MarksOutcome, MeanOutcome, ShareOutcome

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Participant:
    """Somebody who finished, with their outcome on each text."""

    name: str
    condition: str
    values: tuple[float, ...]
    judgements: tuple[SourceJudgement, ...] = ()  # only where answers are right or wrong
    seconds: float = 0.0
    texts: tuple[str, ...] = ()  # which each value is of

    @property
    def mean(self) -> float:
        return float(np.mean(self.values))


@dataclass(frozen=True)
class Flow:
    """What became of everybody who joined, as reports of trials draw it."""

    joined: int
    not_begun: int  # never answered: stopped at the training or before the first text
    not_finished: int  # answered some texts and stopped
    excluded: Mapping[str, int]  # finished, by reason
    analysed: int
    cells: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcomes:
    """Everybody whose answers count, and what became of the others."""

    participants: tuple[Participant, ...]
    flow: Flow
    without_condition: int = 0

    def values(self, conditions: Sequence[str]) -> Floats:
        """The outcomes of the people in these cells."""
        wanted = set(conditions)
        return np.asarray([one.mean for one in self.participants if one.condition in wanted], dtype=np.float64)

    def people(self, conditions: Sequence[str]) -> list[Participant]:
        wanted = set(conditions)
        return [one for one in self.participants if one.condition in wanted]


def outcomes_of(study: Study, record: CampaignRecord) -> Outcomes:
    """Each participant's outcome. Who did not finish or is excluded is counted in the flow and nowhere else."""
    answers: dict[str, list[ReadResponse]] = {}
    for one in read_responses(record, record.final_responses(with_excluded=True)):
        answers.setdefault(one.annotator, []).append(one)
    wanted = study.file.per_participant.texts
    excluded_people = () if record.counts_excluded else record.exclusions()
    reasons = {one.annotator: one.rule or one.reason or "no reason given" for one in excluded_people}
    tally: dict[str, Counter[str]] = {}
    excluded: Counter[str] = Counter()
    analysed: list[Participant] = []
    lost = 0
    # In the order of names, not of arrival: an export may order them otherwise, and resampling must not notice.
    for person in sorted(record.annotators, key=lambda one: one.id):
        condition = person.facts.get("condition")
        if not isinstance(condition, str):
            lost += 1
            continue
        counts = tally.setdefault(condition, Counter())
        counts["joined"] += 1
        given = sorted(answers.get(person.id, []), key=lambda one: one.unit.id)
        if person.id in reasons:
            counts["excluded"] += 1
            excluded[reasons[person.id]] += 1
        elif not given:
            counts["not_begun"] += 1
        elif len(given) < wanted:
            counts["not_finished"] += 1
        else:
            counts["analysed"] += 1
            analysed.append(_participant(study, person.id, condition, given))
    flow = Flow(
        joined=sum(counts["joined"] for counts in tally.values()),
        not_begun=sum(counts["not_begun"] for counts in tally.values()),
        not_finished=sum(counts["not_finished"] for counts in tally.values()),
        excluded=dict(excluded.most_common()),
        analysed=len(analysed),
        cells={name: dict(counts) for name, counts in tally.items()},
    )
    return Outcomes(tuple(analysed), flow, lost)


def _participant(study: Study, name: str, condition: str, given: Sequence[ReadResponse]) -> Participant:
    seconds = sum(one.response.seconds_active or 0.0 for one in given)
    outcome, texts = study.file.outcome, tuple(one.unit.id for one in given)
    if isinstance(outcome, AccuracyOutcome):
        judgements = tuple(_judgement(outcome, name, one) for one in given)
        right = tuple(float(one.machine == one.said_machine) for one in judgements)
        return Participant(name, condition, right, judgements, seconds, texts)
    return Participant(name, condition, tuple(value_of(outcome, one.said) for one in given), (), seconds, texts)


def _judgement(outcome: AccuracyOutcome, name: str, answer: ReadResponse) -> SourceJudgement:
    option = answer.said.told(outcome.question)
    said = next(group for group, options in outcome.says.items() if option in options)
    return SourceJudgement(
        name,
        answer.unit.id,
        group_of(answer.unit) == outcome.finding,
        said == outcome.finding,
        option in outcome.confident,
    )


def group_of(unit: Unit) -> str:
    """The group of texts to which a unit belongs; its stratum begins with it."""
    return (named_stratum(unit.hidden) or "").partition(".")[0]


def value_of(outcome: MeanOutcome | MarksOutcome | ShareOutcome, said: ReadAnswer) -> float:
    """What one answer adds to its person's mean."""
    if isinstance(outcome, MarksOutcome):
        return float(sum(not outcome.labels or one.label in outcome.labels for one in said.marks_of(outcome.question)))
    if isinstance(outcome, ShareOutcome):
        return float(said.told(outcome.question) in outcome.options)
    return next((one.value for one in said.ratings if one.question == outcome.question), 0.0)


def ends_of_outcome(study: Study) -> Ends:
    """Between which numbers a person's outcome can lie."""
    outcome = study.file.outcome
    if isinstance(outcome, MarksOutcome):
        return COUNT
    if not isinstance(outcome, MeanOutcome):
        return SHARE
    asked = next((one for one in study.protocol.questions() if one.id == outcome.question), None)
    return (told_ends(*asked.ends()) if asked else None) or OPEN


def mean_of_people(means: Floats, ends: Ends, level: float) -> Interval | None:
    """Student's interval, as the t-test has it, within the scale; where all people are at one end of it, Wilson's."""
    found = mean_interval(means, level)
    if found is None or found.low == found.high:
        return mean_on_scale(means, ends, level)
    return clipped(found, *ends)
