"""Everything that speaks for or against an annotator, gathered from the database: test questions, signals, costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from itertools import groupby
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
from goldmark.protocols.answers import read
from goldmark.protocols.shown_order import AS_GIVEN
from goldmark.quality import signals
from goldmark.quality.estimates import AnnotatorStatus, Moment, SignAccuracy
from goldmark.quality.test_questions import TestAnswer, answers_of
from goldmark.records.answers import ReadAnswer
from goldmark.records.campaigns import exclusion_notes
from goldmark.records.introduced import Introduced, introduced_errors, touches
from goldmark.records.tables import Cell, Table
from goldmark.store import Store
from goldmark.store.tables import assignment, response, test_answer, unit, unit_secret

if TYPE_CHECKING:
    from goldmark.quality.noisy import NoisyAnnotators, QuestionScore
    from goldmark.quality.noisy_monitor import NoisyMonitor

NO_COST = ExclusionCost(0, 0)
NOTHING_KNOWN = signals.ShareSignal(0, 0)
INTRODUCED_ROLE = "text"  # the text of a unit into which errors are introduced


class TimedResponse(NamedTuple):
    """One answer as it stands, and how long it took in all."""

    unit_id: int
    annotator_id: int
    said: ReadAnswer
    closed: str  # what was chosen, as they saw it, written so that the same choice reads the same
    shown: str  # what the unit's texts say, if the answer explains anything: only then is it held against them
    seconds: float
    counts: bool


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

    given = answers_given(connection, row, content)
    fitted = watching.fitted(connection, row.id, noisy_monitor.model_of(row.settings.quality))
    tallies: dict[int, list[QuestionScore]] = {}
    for tally in noisy_monitor.tallies(connection, row.id):
        tallies.setdefault(int(tally.worker), []).append(tally)
    graded = noisy_monitor.graded_answers(connection, row.id)
    found = signals_of(connection, row, given)
    cost, price = costs(connection, row), row.settings.pay.per_unit
    answers = Counter(one.annotator_id for one in given if one.counts)
    people = tuple(
        Evidence(
            person,
            answers[person.id],
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


def answers_given(
    connection: Connection, row: CampaignRow, content: ContentCache, annotator_id: int | None = None
) -> list[TimedResponse]:
    """The newest answers of a campaign, or of one person, in the order in which they were given."""
    whose = assignment.c.campaign_id == row.id if annotator_id is None else assignment.c.annotator_id == annotator_id
    rows = connection.execute(
        select(
            assignment.c.id,
            assignment.c.unit_id,
            assignment.c.annotator_id,
            assignment.c.revision,
            assignment.c.protocol_id,
            response.c.revision.label("this"),
            response.c.answers,
            response.c.seconds_active,
            unit.c.counts,
            assignment.c.shown_first,
        )
        .join(assignment, assignment.c.id == response.c.assignment_id)
        .join(unit, unit.c.id == assignment.c.unit_id)
        .where(whose)
        .order_by(assignment.c.finished_at, assignment.c.id, response.c.revision)
    )
    seconds: dict[int, float] = {}
    newest = []
    for one in rows:
        seconds[one.id] = seconds.get(one.id, 0.0) + one.seconds_active
        if one.this == one.revision:
            newest.append(one)
    found: dict[int, TimedResponse] = {}
    # Unit by unit, so that each is fetched once, and only if somebody marked or explained something in it.
    for unit_id, same in groupby(sorted(newest, key=lambda one: one.unit_id), key=lambda one: one.unit_id):
        shown = content.shown_later(unit_id)
        for one in same:
            protocol = content.protocol(one.protocol_id)
            said = read(protocol, one.answers, shown)
            order = content.order(one.protocol_id, one.shown_first)
            # As they saw it: who always takes the first text gives one answer to everything.
            seen = said
            if order is not AS_GIVEN:
                seen = read(protocol, order.answers(one.answers), content.shown_later(unit_id, order))
            texts = "\n".join(text.characters for text in shown.texts.values()) if signals.explained(said) else ""
            about = (unit_id, one.annotator_id, said, signals.choice_of(seen), texts)
            found[one.id] = TimedResponse(*about, seconds[one.id], one.counts)
    return [found[one.id] for one in newest]


def signals_of(connection: Connection, row: CampaignRow, given: Sequence[TimedResponse]) -> Mapping[int, Signals]:
    """Everybody's signals, by number; those who have answered nothing yet have empty ones."""
    answered = answered_by(given)
    usual = median_seconds(connection, row)
    choices = len({one.closed for some in answered.values() for one in some if one.closed})
    shared = signals.SharedWords(
        (str(who), said) for who, some in answered.items() for one in some for said in one.said
    )
    alike = _agreement(given)
    values = [one.value for one in alike.values() if one.value is not None]
    middle = median(values) if values else None
    errors = errors_found(connection, row, given)
    recalls = [one.value for one in errors.values() if one.value is not None]
    usual_recall = median(recalls) if recalls else None
    return {
        person.id: Signals(
            signals.pace(own, usual),
            signals.sameness(own, choices),
            signals.explanations(own, shared.known_to_others(str(person.id))),
            alike.get(person.id, signals.MeanSignal(None, 0)),
            middle,
            errors.get(person.id, NOTHING_KNOWN),
            usual_recall,
        )
        for person in list_annotators(connection, row)
        for own in [answered.get(person.id, [])]
    }


def answered_by(given: Sequence[TimedResponse]) -> dict[int, list[signals.TimedAnswer]]:
    """Everybody's answers as signals look at them, by the person's number."""
    answered: dict[int, list[signals.TimedAnswer]] = {}
    for one in given:
        own = signals.explained(one.said)
        found = signals.TimedAnswer(str(one.unit_id), one.seconds, one.closed, own, one.shown)
        answered.setdefault(one.annotator_id, []).append(found)
    return answered


def _agreement(given: Sequence[TimedResponse]) -> dict[int, signals.MeanSignal]:
    """How far everybody agrees with the others on the units that they share."""
    by_unit: dict[int, list[TimedResponse]] = {}
    by_person: dict[int, list[TimedResponse]] = {}
    for one in given:
        if one.counts:
            by_unit.setdefault(one.unit_id, []).append(one)
            by_person.setdefault(one.annotator_id, []).append(one)
    return {
        who: signals.agreement(
            {str(one.unit_id): one.said for one in own},
            {
                str(one.unit_id): [other.said for other in by_unit[one.unit_id] if other.annotator_id != who]
                for one in own
            },
        )
        for who, own in by_person.items()
    }


def errors_found(
    connection: Connection, row: CampaignRow, given: Sequence[TimedResponse]
) -> dict[int, signals.ShareSignal]:
    """Of the errors that are known to be in texts, how many each person marked who answered them.

    In test questions all that were expected, as they were graded; in work those that were introduced on purpose.
    """
    found: Counter[int] = Counter()
    of: Counter[int] = Counter()
    query = select(test_answer.c.annotator_id, test_answer.c.grade).where(test_answer.c.campaign_id == row.id)
    for who, grade in connection.execute(query):
        for counts in (part["counts"] for part in grade.get("parts", ()) if part.get("counts")):
            found[who] += counts.get("found", 0)
            of[who] += counts.get("expected", 0)
    introduced = introduced_in_work(connection, row)
    for one in given:
        marked = [marks for marks in one.said.marks if marks.role == INTRODUCED_ROLE]
        for error in introduced.get(one.unit_id, ()) if marked else ():
            found[one.annotator_id] += touches(error.span, [mark.tokens for marks in marked for mark in marks.marks])
            of[one.annotator_id] += 1
    return {who: signals.ShareSignal(found[who], number) for who, number in of.items()}


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
