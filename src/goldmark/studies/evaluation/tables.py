"""Tables of a study's results: what people did in each cell, and how their scores are spread."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from goldmark.records.tables import Cell as TableCell
from goldmark.records.tables import Table
from goldmark.results.options import AnalysisOptions, with_interval
from goldmark.results.published.humanlike.signal_detection import signal_table
from goldmark.results.published.humanlike.study import figures
from goldmark.studies.design.cells import Cell, cells_of, chosen, parted
from goldmark.studies.design.file import Study
from goldmark.studies.design.language import AccuracyOutcome, MarksOutcome, StudyFile, TablePart
from goldmark.studies.evaluation.outcomes import Floats, Outcomes, Participant, ends_of_outcome, mean_of_people

ALL = "all"
Rows = list[dict[str, TableCell]]


def settings_for(file: StudyFile, resamples: int = 2000) -> AnalysisOptions:
    chance = file.outcome.chance if isinstance(file.outcome, AccuracyOutcome) else 0.5
    return AnalysisOptions(resamples=resamples, seed=file.seed, alpha=file.alpha, chance=chance)


def outcome_in_words(study: Study) -> str:
    """The outcome as a table's heading says it."""
    outcome = study.file.outcome
    if isinstance(outcome, AccuracyOutcome):
        return "accuracy"
    if isinstance(outcome, MarksOutcome):
        return "marks a text"
    return f"{'share' if outcome.kind == 'share' else 'mean'} of {outcome.question.replace('_', ' ')}"


def results(study: Study, outcomes: Outcomes, settings: AnalysisOptions) -> list[Table]:
    """The tables that the study asks for; without any, one by each factor and one by cell."""
    file = study.file
    wanted = file.tables or _default_tables(file)
    made = [_results(study, outcomes, part, settings) for part in wanted]
    if isinstance(file.outcome, AccuracyOutcome):
        made.append(_signal(study, outcomes, wanted[-1], settings))
    return made


def _signal(study: Study, outcomes: Outcomes, part: TablePart, settings: AnalysisOptions) -> Table:
    """How well people tell the groups of texts apart, whichever they lean to."""
    cells = {
        levels: [one for person in outcomes.people([cell.name for cell in cells]) for one in person.judgements]
        for levels, cells in _groups(study.file, part).items()
    }
    signature = settings.signature(figure="study-signal", study=study.name, interval="jackknife-participants")
    return signal_table(cells.items(), part.rows, settings, signature)


def _default_tables(file: StudyFile) -> tuple[TablePart, ...]:
    varied = [factor for factor, levels in file.factors.items() if len(levels) > 1] or list(file.factors)[:1]
    by_factor = [TablePart(title=f"Results by {factor}", rows=(factor,)) for factor in varied]
    whole = TablePart(title="Results by cell", rows=tuple(file.factors))
    return (*by_factor, whole) if len(varied) > 1 else tuple(by_factor)


def _results(study: Study, outcomes: Outcomes, part: TablePart, settings: AnalysisOptions) -> Table:
    rows: Rows = []
    for levels, cells in _groups(study.file, part).items():
        people = outcomes.people([cell.name for cell in cells])
        named: dict[str, TableCell] = dict(zip(part.rows, levels, strict=True))
        rows.append({**named, **_row(study, people, settings)})
    widest = max(rows, key=len, default={})
    rows = [
        {column: row.get(column) for column in widest} for row in rows
    ]  # a cell that nobody finished has no figures
    signature = settings.signature(figure="study-results", study=study.name, interval="jackknife-participants")
    notes = ["the person is the unit: intervals are about other participants"]
    outcome = study.file.outcome
    labels = {"mean": outcome_in_words(study), "sd": "s.d. of people", "f1": "F1", "alpha": "Kripp. alpha"}
    if isinstance(outcome, AccuracyOutcome):
        others = [group for group in outcome.says if group != outcome.finding]
        labels |= {"percent_human": f"% {' or '.join(others)}", "percent_confident": "% confident"}
        notes.append(f"precision, recall and F1 are of finding {outcome.finding}; guessing gives {outcome.chance:g}")
    else:
        notes[0] = "the person is the unit: means and intervals (Student's) are of participants' means"
    title = part.title or f"Results by {', '.join(part.rows)}"
    return Table.of(title, rows, notes=tuple(notes), signature=signature, labels=labels)


def _groups(file: StudyFile, part: TablePart) -> dict[tuple[str, ...], tuple[Cell, ...]]:
    """The rows of a table: with several factors, each level of the first also has a row for all its cells."""
    cells = chosen(cells_of(file), part.where)
    found = parted(cells, part.rows)
    if len(part.rows) == 1:
        return found
    rows: dict[tuple[str, ...], tuple[Cell, ...]] = {}
    for (first,), some in parted(cells, part.rows[:1]).items():
        rows[first, *([ALL] * (len(part.rows) - 1))] = some
        rows |= {levels: of for levels, of in found.items() if levels[0] == first}
    return rows


def _row(study: Study, people: Sequence[Participant], settings: AnalysisOptions) -> dict[str, TableCell]:
    judgements = [judgement for person in people for judgement in person.judgements]
    if isinstance(study.file.outcome, AccuracyOutcome) and judgements:
        row = figures(judgements, settings)
        return {"participants": row.pop("evaluators"), **row}
    if isinstance(study.file.outcome, AccuracyOutcome):
        return {"participants": len(people), "answers": 0}
    means = np.asarray([person.mean for person in people], dtype=np.float64)
    known = len(means) > 0
    interval = mean_of_people(means, ends_of_outcome(study), settings.level)
    return {
        "participants": len(people),
        "answers": sum(len(person.values) for person in people),
        **with_interval("mean", float(means.mean()) if known else None, interval),
        "sd": float(means.std(ddof=1)) if len(means) > 1 else None,
    }


def histogram(study: Study, outcomes: Outcomes, part: TablePart) -> Table:
    """How many people reached which score, in each row of a table of results."""
    rows: Rows = []
    edges = _edges(study, outcomes)
    for levels, cells in parted(chosen(cells_of(study.file), part.where), part.rows).items():
        people = outcomes.people([cell.name for cell in cells])
        counts = Counter(_place(person, edges, study) for person in people)
        for place, name in enumerate(_names(edges, study)):
            named: dict[str, TableCell] = dict(zip(part.rows, levels, strict=True))
            share = 100 * counts[place] / len(people) if people else None
            rows.append({**named, "score": name, "participants": counts[place], "percent": share})
    texts = study.file.per_participant.texts
    scored = isinstance(study.file.outcome, AccuracyOutcome)
    title = f"Scores out of {texts}" if scored else f"Participants by {outcome_in_words(study)}"
    return Table.of(title, rows, signature=f"figure:histogram|study:{study.name}", labels={"percent": "% of people"})


def _edges(study: Study, outcomes: Outcomes) -> Floats:
    if isinstance(study.file.outcome, AccuracyOutcome):
        return np.arange(study.file.per_participant.texts + 1, dtype=np.float64)
    means = [person.mean for person in outcomes.participants]
    return np.histogram_bin_edges(means, bins="sturges") if means else np.asarray([0.0, 1.0])


def _place(person: Participant, edges: Floats, study: Study) -> int:
    if isinstance(study.file.outcome, AccuracyOutcome):
        return round(sum(person.values))
    return min(int(np.searchsorted(edges, person.mean, side="right")) - 1, len(edges) - 2)


def _names(edges: Floats, study: Study) -> list[str]:
    if isinstance(study.file.outcome, AccuracyOutcome):
        return [f"{edge:g}" for edge in edges]
    return [f"{low:.3g}–{high:.3g}" for low, high in pairwise(edges)]
