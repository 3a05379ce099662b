"""Everything that speaks for or against an annotator, gathered from the database: test questions, signals, costs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import Connection, Text, select, type_coerce

from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.campaigns.assignments.notices import Notice, told
from goldmark.campaigns.lifecycle import CampaignRow, look_into
from goldmark.campaigns.progress import median_seconds
from goldmark.people.account_annotators import annotator_numbered
from goldmark.people.annotators import AnnotatorRow, list_annotators
from goldmark.people.exclusions import ExclusionCost, costs, excluded_people
from goldmark.quality import signals
from goldmark.quality.answers_given import PersonsAnswers, TimedResponse, answers_by_unit
from goldmark.quality.estimates import AnnotatorStatus, Moment, SignAccuracy
from goldmark.quality.test_questions import TestAnswer, answers_of
from goldmark.records.campaigns import exclusion_notes
from goldmark.records.introduced import Introduced, introduced_errors, touches
from goldmark.records.tables import Cell, Table
from goldmark.store import Store
from goldmark.store.tables import test_answer, unit, unit_secret

if TYPE_CHECKING:
    from goldmark.quality.noisy import NoisyAnnotators, QuestionScore
    from goldmark.quality.noisy_monitor import NoisyMonitor

NO_COST = ExclusionCost(0, 0)
NOTHING_KNOWN = signals.ShareSignal(0, 0)
INTRODUCED_ROLE = "text"  # the text of a unit into which errors are introduced


class Signals(NamedTuple):
    """The signs of careless work of one person."""

    pace: signals.Pace
    sameness: signals.Sameness
    explanations: signals.Explanations
    agreement: signals.MeanSignal
    usual_agreement: float | None  # the median over everybody
    errors_found: signals.ShareSignal  # of the errors that are known to be in texts that they read
    usual_errors_found: float | None = None  # the median over everybody


NO_SIGNALS = Signals(
    signals.Pace(None, None, NOTHING_KNOWN),
    signals.Sameness(0, None, NOTHING_KNOWN),
    signals.Explanations(0, NOTHING_KNOWN, NOTHING_KNOWN, NOTHING_KNOWN, NOTHING_KNOWN),
    signals.MeanSignal(None, 0),
    None,
    NOTHING_KNOWN,
)


class Evidence(NamedTuple):
    """All about one person."""

    person: AnnotatorRow
    answers: int
    status: AnnotatorStatus | None  # None: no test question was answered
    signals: Signals
    cost: ExclusionCost
    money: float | None  # what these labels cost at the campaign's price
    course: tuple[Moment, ...]  # how the probability of being noisy went, test question by test question

    @property
    def noisy(self) -> float | None:
        """The probability of being noisy; None before any test question."""
        return self.status.judgement.noisy if self.status else None

    @property
    def flagged(self) -> bool:
        return bool(self.status and self.status.judgement.flagged)

    @property
    def by_sign(self) -> tuple[SignAccuracy, ...]:
        return self.status.by_sign if self.status else ()


class PersonFile(NamedTuple):
    """All about one person, with their answers to test questions and what they were told."""

    evidence: Evidence
    tests: list[TestAnswer]
    told: Sequence[tuple[Notice, datetime | None]]


class CrowdEvidence(NamedTuple):
    """All about everybody, and the model that judged them."""

    people: tuple[Evidence, ...]
    model: NoisyAnnotators | None  # None: nobody has answered a test question


def evidence_table(store: Store, content: ContentCache, name: str) -> Table:
    """Everybody's test questions, signs of careless work and the cost of excluding them; the most doubtful first."""

    from goldmark.quality.noisy_monitor import NoisyMonitor

    def look(connection: Connection, row: CampaignRow) -> Table:
        found = crowd(connection, row, content, NoisyMonitor())
        doubtful = sorted(found.people, key=lambda one: -1.0 if one.noisy is None else one.noisy, reverse=True)
        return Table.of(
            f"Annotators of {name}",
            [_cells(one) for one in doubtful],
            notes=exclusion_notes(excluded_people(connection, row)),
            signature=str(found.model.signature) if found.model else "",
        )

    return look_into(store, name, look)


def _cells(one: Evidence) -> dict[str, Cell]:
    by_sign = {sign.sign: sign for sign in one.by_sign}
    found, said = one.signals, one.signals.explanations
    return {
        "annotator": one.person.name,
        "state": one.person.state,
        "answers": one.answers,
        **{
            f"{sign}_{what}": getattr(by_sign[sign], what) if sign in by_sign else 0
            for sign in ("positive", "negative")
            for what in ("right", "asked")
        },
        "probability_noisy": one.noisy,
        "flagged": one.flagged,
        "seconds": found.pace.median,
        "too_fast": found.pace.fast.value,
        "same_answer": found.sameness.commonest.value,
        "longest_run": found.sameness.longest_run,
        "copied": said.copied.value,
        "too_short": said.short.value,
        "agreement": found.agreement.value,
        "errors_found": found.errors_found.value,
        "labels_lost": one.cost.labels,
        "units_reopened": one.cost.reopened,
        "money": one.money,
    }


def crowd(connection: Connection, row: CampaignRow, content: ContentCache, watching: NoisyMonitor) -> CrowdEvidence:
    """Every annotator of a campaign with all evidence, in the order in which they joined."""
    from goldmark.quality import noisy_monitor

    fitted = watching.fitted(connection, row.id, noisy_monitor.model_of(row.settings.quality))
    tallies: dict[int, list[QuestionScore]] = {}
    for tally in noisy_monitor.tallies(connection, row.id):
        tallies.setdefault(int(tally.worker), []).append(tally)
    graded = noisy_monitor.graded_answers(connection, row.id)
    found, answers = signals_of(connection, row, content)
    cost, price = costs(connection, row), row.settings.pay.per_unit
    people = tuple(
        Evidence(
            person,
            answers.get(person.id, 0),
            noisy_monitor.status(fitted, tallies[person.id]) if fitted and person.id in tallies else None,
            found[person.id],
            lost := cost.get(person.id, NO_COST),
            None if price is None else round(price * lost.labels, 2),
            tuple(noisy_monitor.course(fitted, graded[person.id])) if fitted and person.id in graded else (),
        )
        for person in list_annotators(connection, row)
    )
    return CrowdEvidence(people, fitted)


def person_file(
    connection: Connection, row: CampaignRow, annotator_id: int, gathered: Callable[[int], Evidence | None]
) -> PersonFile:
    """Everything on one annotator, with the evidence that was gathered on them."""
    person = annotator_numbered(connection, row, annotator_id)
    evidence = gathered(person.id)
    if evidence is None:  # they came since
        evidence = Evidence(person, 0, None, NO_SIGNALS, NO_COST, None, ())
    return PersonFile(evidence, answers_of(connection, row, person.id), told(connection, person.id))


class CrowdSignals(NamedTuple):
    """Everybody's signals, and how many of their answers count, by number."""

    signals: Mapping[int, Signals]
    answers: Mapping[int, int]


def signals_of(connection: Connection, row: CampaignRow, content: ContentCache) -> CrowdSignals:
    """Everybody's signals; those who have answered nothing yet have empty ones."""
    given: defaultdict[int, PersonsAnswers] = defaultdict(PersonsAnswers)
    choices: dict[str, int] = {}
    known = KnownErrors(connection, row)
    for answers in answers_by_unit(connection, row, content):
        alike = _alike([signals.Comparable.of(one.said) if one.counts else None for one in answers])
        for one, values in zip(answers, alike, strict=True):
            known.add(one)
            choice = choices.setdefault(one.closed, len(choices))
            given[one.annotator_id].add(one, choice, values)
    usual, kinds = median_seconds(connection, row), len(choices.keys() - {""})
    shared = signals.SharedWords((str(who), said) for who, own in given.items() for said in own.explanations())
    agree = {who: own.agreement() for who, own in given.items()}
    middle = _middle(one.value for one in agree.values())
    errors = known.found()
    usual_recall = _middle(one.value for one in errors.values())
    named, nothing = list(choices), PersonsAnswers()
    found = {
        person.id: Signals(
            signals.pace(own, usual),
            signals.sameness(own, kinds),
            signals.explanations(own, shared.known_to_others(str(person.id))),
            agree.get(person.id, signals.MeanSignal(None, 0)),
            middle,
            errors.get(person.id, NOTHING_KNOWN),
            usual_recall,
        )
        for person in list_annotators(connection, row)
        for own in [given.get(person.id, nothing).in_turn(named)]
    }
    return CrowdSignals(found, {who: own.counting for who, own in given.items()})


def _middle(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None


def _alike(said: Sequence[signals.Comparable | None]) -> list[list[float]]:
    """Of each answer to a unit how alike it is to each of the others'; of one that does not count, nothing."""
    return [
        [
            value
            for turn, theirs in enumerate(said)
            if turn != place and mine is not None and theirs is not None
            for value in [signals.likeness(mine, theirs)]
            if value is not None
        ]
        for place, mine in enumerate(said)
    ]


def timed_answers(given: Sequence[TimedResponse]) -> list[signals.TimedAnswer]:
    """One person's answers as signals look at them."""
    return [signals.TimedAnswer(str(one.unit_id), one.seconds, one.closed, one.explained, one.shown) for one in given]


class KnownErrors:
    """Of the errors that are known to be in texts, how many each person marked who answered them.

    In test questions all that were expected, as they were graded; in work those that were introduced on purpose.
    """

    def __init__(self, connection: Connection, row: CampaignRow) -> None:
        self._found: Counter[int] = Counter()
        self._of: Counter[int] = Counter()
        query = select(test_answer.c.annotator_id, test_answer.c.grade).where(test_answer.c.campaign_id == row.id)
        for who, grade in connection.execute(query):
            for counts in (part["counts"] for part in grade.get("parts", ()) if part.get("counts")):
                self._found[who] += counts.get("found", 0)
                self._of[who] += counts.get("expected", 0)
        self._introduced = introduced_in_work(connection, row)

    def add(self, one: TimedResponse) -> None:
        errors = self._introduced.get(one.unit_id, ())
        marked = [marks for marks in one.said.marks if marks.role == INTRODUCED_ROLE] if errors else []
        for error in errors if marked else ():
            tokens = [mark.tokens for marks in marked for mark in marks.marks]
            self._found[one.annotator_id] += touches(error.span, tokens)
            self._of[one.annotator_id] += 1

    def found(self) -> dict[int, signals.ShareSignal]:
        return {who: signals.ShareSignal(self._found[who], number) for who, number in self._of.items()}


def introduced_in_work(connection: Connection, row: CampaignRow) -> dict[int, tuple[Introduced, ...]]:
    """The introduced errors of texts that are no test questions, by unit."""
    hidden = connection.execute(
        select(unit.c.id, unit_secret.c.facts)
        .join(unit_secret, unit_secret.c.unit_id == unit.c.id)
        .where(
            unit.c.campaign_id == row.id,
            unit.c.counts,
            type_coerce(unit_secret.c.facts, Text).contains('"introduced"'),
        )
    )
    return {unit_id: introduced_errors(facts) for unit_id, facts in hidden}
