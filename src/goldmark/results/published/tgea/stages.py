"""Agreement of annotators, task by task (TGEA table 3)."""

from __future__ import annotations

from goldmark.records.figures import counted
from goldmark.records.tables import Cell, Table
from goldmark.records.tidy.columns import CheckedColumns, Column, Columns
from goldmark.results.options import AnalysisOptions, with_interval
from goldmark.stats.agreement_measures.alpha import krippendorff, percent_agreement
from goldmark.stats.agreement_measures.kappa import cohen_pairs
from goldmark.stats.agreement_measures.unit_labels import UnitLabels

STAGES = Columns(
    Column("task", about="which question: detection, spans, type..."),
    Column("unit", about="which text or error"),
    Column("annotator", about="who answered"),
    Column("label", about="the answer", empty=True),
)


def stages(checked: CheckedColumns, settings: AnalysisOptions) -> list[Table]:
    """Percent agreement, Cohen's kappa (mean of pairs) and Krippendorff's alpha for each task."""
    tasks, units, people, answers = (checked.texts(name) for name in ("task", "unit", "annotator", "label"))
    rng = settings.rng()
    rows: list[dict[str, Cell]] = []
    for task in dict.fromkeys(tasks):
        own = [row for row in range(len(checked)) if tasks[row] == task and answers[row]]
        labels = UnitLabels.of([units[row] for row in own], [people[row] for row in own], [answers[row] for row in own])
        equal = percent_agreement(labels, rng=rng)
        alpha = krippendorff(labels, "nominal", rng=rng)
        kappa = cohen_pairs(labels).mean
        rows.append(
            {
                "task": task,
                **with_interval("agreement", equal.value, equal.interval),
                **with_interval("kappa", kappa.value, kappa.interval),
                **with_interval("alpha", alpha.value, alpha.interval),
                "units": equal.used,
                "skipped": equal.skipped,
                "reason": "; ".join(dict.fromkeys(filter(None, (equal.reason, kappa.reason, alpha.reason)))),
            }
        )
    empty = sum(not answer for answer in answers)
    notes = ["units that only one annotator answered are skipped"]
    if empty:
        notes.append(f"left out: {counted(empty, 'empty answer')}")
    return [
        Table.of(
            "Agreement by task",
            rows,
            notes=tuple(notes),
            signature=settings.signature(figure="agreement", kappa="cohen, mean of pairs", interval="jackknife-units"),
            labels={"alpha": "Kripp. alpha"},
        )
    ]
