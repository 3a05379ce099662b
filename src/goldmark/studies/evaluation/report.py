"""A study's report: what was planned, what became of everybody, what was found, and what can be said of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from goldmark.records.campaigns import CampaignRecord
from goldmark.records.figures import counted
from goldmark.records.tables import Cell as TableCell
from goldmark.records.tables import Table
from goldmark.studies.design.cells import cells_of
from goldmark.studies.design.create import written_in
from goldmark.studies.design.file import Study
from goldmark.studies.design.language import TablePart
from goldmark.studies.design.plan import digest_of
from goldmark.studies.evaluation.conclusions import conclusions, limits
from goldmark.studies.evaluation.outcomes import Flow, Outcomes, outcomes_of
from goldmark.studies.evaluation.run_tests import tested
from goldmark.studies.evaluation.tables import histogram, outcome_in_words, results, settings_for


@dataclass(frozen=True)
class Registration:
    """When the plan was written down, and whether that was before the first answer."""

    digest: str
    at: datetime | None
    first_answer: datetime | None
    kept: bool  # whether the plan is still the one that was written down

    @property
    def before(self) -> bool | None:
        """None where the times are not known, or nobody has answered."""
        if self.at is None or self.first_answer is None:
            return None
        return self.at <= self.first_answer


@dataclass(frozen=True)
class StudyReport:
    """Everything about a finished study, or about one as far as it has come."""

    study: str
    title: str
    outcome: str
    registration: Registration
    flow: Flow
    results: tuple[Table, ...]
    histograms: tuple[Table, ...]
    tests: tuple[Table, ...]
    people: tuple[Table, ...]  # by cell: planned, joined, excluded, analysed
    conclusions: tuple[str, ...]
    limits: tuple[str, ...]

    @property
    def tables(self) -> tuple[Table, ...]:
        return (*self.results, *self.tests, *self.histograms, *self.people)


def report_of(study: Study, record: CampaignRecord, *, resamples: int = 2000) -> StudyReport:
    """The report of a study from its campaign, as it runs or as it was exported."""
    outcomes = outcomes_of(study, record)
    settings = settings_for(study.file, resamples)
    made = tested(study, outcomes, settings)
    registration = registration_of(study, record)
    return StudyReport(
        study=study.name,
        title=study.title,
        outcome=outcome_in_words(study),
        registration=registration,
        flow=outcomes.flow,
        results=tuple(results(study, outcomes, settings)),
        histograms=tuple(histogram(study, outcomes, part) for part in _histograms(study)),
        tests=tuple(made),
        people=(_people(study, outcomes),),
        conclusions=tuple(conclusions(study, outcomes, made)),
        limits=tuple(limits(study, outcomes, record, registered_before=registration.before)),
    )


def registration_of(study: Study, record: CampaignRecord) -> Registration:
    told = written_in(record)
    answered = [one.server_time for one in record.responses if one.server_time is not None]
    digest = digest_of(study.file, study.protocol)
    return Registration(
        digest,
        told.at if told else None,
        min(answered, default=None),
        told is None or told.facts.get("digest") == digest,
    )


def _histograms(study: Study) -> Sequence[TablePart]:
    varied = tuple(factor for factor, levels in study.file.factors.items() if len(levels) > 1)
    return study.file.tables or (TablePart(rows=varied or tuple(study.file.factors)[:1]),)


def _people(study: Study, outcomes: Outcomes) -> Table:
    rows: list[dict[str, TableCell]] = []
    for cell in cells_of(study.file):
        counts = outcomes.flow.cells.get(cell.name, {})
        rows.append(
            {
                **cell.levels,
                "planned": study.file.participants,
                **{
                    name: counts.get(name, 0)
                    for name in ("joined", "not_begun", "not_finished", "excluded", "analysed")
                },
            }
        )
    notes = [f"excluded: {reason}, {count}" for reason, count in outcomes.flow.excluded.items()]
    if outcomes.without_condition:
        notes.append(
            f"left out: {counted(outcomes.without_condition, 'person who is', 'people who are')} in no condition"
        )
    labels = {"not_begun": "never answered", "not_finished": "did not finish"}
    return Table.of(
        "Participants by cell",
        rows,
        notes=tuple(notes),
        signature=f"figure:flow|study:{study.name}",
        labels=labels,
    )
