"""Can people tell machine text from human text? Every column of HUMANLIKE's tables 1 and 2, and the tests.

The person is the unit: intervals and tests are about other evaluators, and take the texts as they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from goldmark.errors import GoldmarkError, Problem, ProblemsFound
from goldmark.records.figures import Figure, Interval, counted
from goldmark.records.tables import Cell, Table
from goldmark.records.tidy.columns import CheckedColumns, Column, Columns
from goldmark.results.options import AnalysisOptions, with_interval
from goldmark.results.published.humanlike.signal_detection import signal_table
from goldmark.stats.agreement_measures.alpha import krippendorff
from goldmark.stats.agreement_measures.unit_labels import UnitLabels
from goldmark.stats.inference.bootstrap import Floats, ratio
from goldmark.stats.inference.sums import OfSums, sums_figure
from goldmark.stats.significance import tests

EVERYWHERE = "all"
JUDGEMENTS = Columns(
    Column("evaluator", about="who judged"),
    Column("text", about="which text"),
    Column("truth", about="who wrote it", among=("human", "machine")),
    Column("answer", about="definitely/possibly human/machine, in words or as 1 (definitely human) to 4"),
    Column("condition", about="model, training or other condition", optional=True),
    Column("domain", about="kind of text", optional=True),
)
SCALE = {"1": (False, True), "2": (False, False), "3": (True, False), "4": (True, True)}


class NoSuchCondition(GoldmarkError):
    code = "STUDY-01"
    message = "condition {name!r} is not in the file; it has {present}"


class SourceJudgement(NamedTuple):
    evaluator: str
    text: str
    machine: bool
    said_machine: bool
    confident: bool


Cells = Mapping[tuple[str, str], list[SourceJudgement]]  # by condition and domain


class TaskWording(NamedTuple):
    """What is to be told from what, in words, and how often guessing is right."""

    finding: str = "machine"
    other: str = "human"
    chance: float = 0.5

    @property
    def title(self) -> str:
        noun = " text" if self[:2] == ("machine", "human") else ""
        return f"Telling {self.finding}{noun} from {self.other}{noun}"


def study(checked: CheckedColumns, settings: AnalysisOptions) -> list[Table]:
    """The tables of a file of judgements."""
    return study_tables(_cells(checked), settings)


MACHINE_OR_HUMAN = TaskWording()


def study_tables(cells: Cells, settings: AnalysisOptions, about: TaskWording = MACHINE_OR_HUMAN) -> list[Table]:
    """Results by condition and domain, comparisons with a baseline condition, analysis of variance, Tukey's HSD."""
    chance = about.chance if settings.chance is None else settings.chance
    conditions = list(dict.fromkeys(condition for condition, _ in cells))
    if settings.baseline and settings.baseline not in conditions:
        raise NoSuchCondition(name=settings.baseline, present=", ".join(conditions))
    accuracy = {place: evaluator_accuracies(judgements) for place, judgements in cells.items()}
    results = [
        {"condition": place[0], "domain": place[1], **figures(judgements, settings)}
        for place, judgements in cells.items()
    ]
    against_chance = [tests.one_sample_t(accuracy[place], chance) for place in cells]
    adjusted = tests.bonferroni([outcome.p for outcome in against_chance])
    for row, outcome, p in zip(results, against_chance, adjusted, strict=True):
        row |= {"t": outcome.statistic, "freedom": outcome.freedom, "p": outcome.p, "p_bonferroni": p}
        row["significant"] = None if p is None else p < settings.alpha
        row["reason"] = row.pop("reason")  # last, where a reader looks for it
    notes = _notes(cells, against_chance, about)
    signature = settings.signature(figure="study", interval="jackknife-evaluators", chance=chance)
    labels = {**RESULT_LABELS, "percent_human": f"% {about.other}"}
    tables = [Table.of(about.title, results, notes=notes, signature=signature, labels=labels)]
    baseline = settings.baseline or conditions[0]
    if len(conditions) > 1:
        tables.append(_comparisons(cells, accuracy, baseline, settings, signature))
    tables.extend(_variance(accuracy, conditions, settings, signature))
    tables.append(signal_table(cells.items(), ("condition", "domain"), settings, signature))
    return tables


RESULT_LABELS = {
    "f1": "F1",
    "alpha": "Kripp. alpha",
    "percent_confident": "% confident",
    "freedom": "d.f.",
    "p_bonferroni": "p (Bonferroni)",
}


def read_answer(text: str) -> tuple[bool, bool] | None:
    """Whether it says machine, and whether it says so definitely; None if it cannot be understood."""
    word = text.strip().lower()
    if word in SCALE:
        return SCALE[word]
    machine, human = ("machine" in word), ("human" in word)
    if machine == human:
        return None
    return machine, re.search(r"definite", word) is not None


def _cells(checked: CheckedColumns) -> dict[tuple[str, str], list[SourceJudgement]]:
    """Judgements by condition and domain; every condition also has a cell for all its domains together."""
    rows = len(checked)
    conditions = checked.texts("condition") if "condition" in checked else [EVERYWHERE] * rows
    domains = checked.texts("domain") if "domain" in checked else [EVERYWHERE] * rows
    problems: list[Problem] = []
    found: dict[tuple[str, str], list[SourceJudgement]] = {}
    seen: set[tuple[str, str, str]] = set()
    for row, (evaluator, text, truth, answer) in enumerate(
        zip(*(checked.texts(name) for name in ("evaluator", "text", "truth", "answer")), strict=True)
    ):
        read = read_answer(answer)
        if read is None:
            remedy = "definitely or possibly human or machine is needed, or 1 to 4"
            problems.append(Problem(checked.frame.where(row), f"the answer {answer!r} is not understood", remedy))
            continue
        if (conditions[row], evaluator, text) in seen:
            problems.append(
                Problem(checked.frame.where(row), f"{evaluator!r} judged {text!r} before", "keep one answer")
            )
            continue
        seen.add((conditions[row], evaluator, text))
        judgement = SourceJudgement(evaluator, text, truth == "machine", *read)
        found.setdefault((conditions[row], EVERYWHERE), []).append(judgement)
        if domains[row] != EVERYWHERE:
            found.setdefault((conditions[row], domains[row]), []).append(judgement)
    if problems:
        raise ProblemsFound(problems, consequence="nothing was computed")
    order = list(dict.fromkeys(condition for condition, _ in found))
    return {place: found[place] for place in sorted(found, key=lambda place: order.index(place[0]))}


def evaluator_accuracies(judgements: list[SourceJudgement]) -> Floats:
    """Each evaluator's share of right answers."""
    counts = _counts(judgements)
    shares: Floats = counts[:, 1] / counts[:, 0]
    return shares


def _counts(judgements: list[SourceJudgement]) -> Floats:
    """One row per evaluator: answers, right, machine found, machine said, machine there, human said, confident."""
    place: dict[str, int] = {}
    rows = [place.setdefault(judgement.evaluator, len(place)) for judgement in judgements]
    counts = np.zeros((len(place), 7))
    for row, (_, _, machine, said, confident) in zip(rows, judgements, strict=True):
        counts[row] += (1, machine == said, machine and said, said, machine, not said, confident)
    return counts


# Each figure from the sums of the seven counts, with where it ends.
_FORMULAS: Mapping[str, tuple[OfSums, float]] = {
    "accuracy": (lambda sums: ratio(sums[:, 1], sums[:, 0]), 1.0),
    "f1": (lambda sums: ratio(2 * sums[:, 2], sums[:, 3] + sums[:, 4]), 1.0),
    "precision": (lambda sums: ratio(sums[:, 2], sums[:, 3]), 1.0),
    "recall": (lambda sums: ratio(sums[:, 2], sums[:, 4]), 1.0),
    "percent_human": (lambda sums: 100 * ratio(sums[:, 5], sums[:, 0]), 100.0),
    "percent_confident": (lambda sums: 100 * ratio(sums[:, 6], sums[:, 0]), 100.0),
}


def figures(judgements: list[SourceJudgement], settings: AnalysisOptions) -> dict[str, Cell]:
    """Accuracy and all that goes with it, each with its interval over evaluators."""
    counts = _counts(judgements)
    row: dict[str, Cell] = {"evaluators": len(counts), "answers": len(judgements)}
    reasons: dict[str, None] = {}
    for name, (formula, top) in _FORMULAS.items():
        found = sums_figure(counts, formula, top=top, most=len(judgements), level=settings.level, what="evaluator")
        if name == "accuracy":
            found = _accuracy(counts, found, settings.level)
        row |= with_interval(name, found.value, found.interval)
        reasons[found.reason] = None
    labels = UnitLabels.of(
        [judgement.text for judgement in judgements],
        [judgement.evaluator for judgement in judgements],
        ["machine" if judgement.said_machine else "human" for judgement in judgements],
    )
    alpha = krippendorff(labels, "nominal", rng=settings.rng())
    row |= with_interval("alpha", alpha.value, alpha.interval)
    reasons |= {f"alpha: {alpha.reason}" if alpha.reason else "": None}
    return {**row, "reason": "; ".join(filter(None, reasons))}


def _accuracy(counts: Floats, share: Figure, level: float) -> Figure:
    """With Student's interval of evaluators' shares, as the t-test has it, unless they are all right or all wrong."""
    found = sums_figure(counts, _FORMULAS["accuracy"][0], top=None, level=level, what="evaluator")
    if found.interval is None:
        return share
    low, high, _ = found.interval
    return replace(found, interval=Interval(max(0.0, low), min(1.0, high), level))


def _comparisons(
    cells: Cells,
    accuracy: Mapping[tuple[str, str], Floats],
    baseline: str,
    settings: AnalysisOptions,
    signature: str,
) -> Table:
    """Each condition against the baseline, overall and by domain."""
    compared = [
        (condition, domain, sample, accuracy[baseline, domain])
        for (condition, domain), sample in accuracy.items()
        if condition != baseline and (baseline, domain) in accuracy
    ]
    outcomes = [tests.two_sample_t(sample, other) for _, _, sample, other in compared]
    p_values = [outcome.p for outcome in outcomes]
    # Intervals that hold for all comparisons at once, as the corrected p-values do.
    level = tests.matching_level("bonferroni", p_values, settings.alpha)
    rows: list[dict[str, Cell]] = []
    shared: set[str] = set()
    for (condition, domain, sample, other), outcome, p in zip(
        compared, outcomes, tests.bonferroni(p_values), strict=True
    ):
        effect = tests.cohen_d(sample, other, level)
        gap = float(sample.mean() - other.mean())
        rows.append(
            {
                "condition": condition,
                "baseline": baseline,
                "domain": domain,
                **with_interval("difference", gap, tests.mean_difference_interval(sample, other, level)),
                "t": outcome.statistic,
                "freedom": outcome.freedom,
                "p": outcome.p,
                "p_bonferroni": p,
                "significant": None if p is None else p < settings.alpha,
                **with_interval("d", effect.d, effect.interval),
                "reason": outcome.reason,
            }
        )
        shared |= {judgement.evaluator for judgement in cells[condition, domain]} & {
            judgement.evaluator for judgement in cells[baseline, domain]
        }
    notes = [
        f"Welch's t-test of evaluators' accuracies; corrected for {len(rows)} comparisons, and so are the intervals "
        f"({100 * level:.4g} % each)"
    ]
    if shared:
        notes.append(f"in both conditions: {counted(len(shared), 'evaluator')}, but the test takes groups as separate")
    return Table.of(
        f"Accuracy compared with {baseline}",
        rows,
        notes=tuple(notes),
        signature=signature,
        labels={**RESULT_LABELS, "d": "Cohen's d"},
        name="comparisons",
    )


def pair_cells(pair: tests.TukeyPair, names: Sequence[str], settings: AnalysisOptions) -> dict[str, Cell]:
    """A pair of Tukey's test as the cells of a table."""
    return {
        "first": names[pair.first],
        "second": names[pair.second],
        "difference": pair.difference,
        "difference_low": pair.low,
        "difference_high": pair.high,
        "p": pair.p,
        "significant": pair.p < settings.alpha,
    }


def _variance(
    accuracy: Mapping[tuple[str, str], Floats], conditions: list[str], settings: AnalysisOptions, signature: str
) -> list[Table]:
    domains = list(dict.fromkeys(domain for _, domain in accuracy if domain != EVERYWHERE))
    questions: list[tuple[str, list[NDArray[np.float64]]]] = []
    if len(conditions) > 1:
        questions.append(("condition", [accuracy[condition, EVERYWHERE] for condition in conditions]))
    for condition in conditions:
        groups = [accuracy[condition, domain] for domain in domains if (condition, domain) in accuracy]
        if len(groups) > 1:
            questions.append((f"domain, in {condition}", groups))
    rows: list[dict[str, Cell]] = []
    for factor, groups in questions:
        outcome, explained = tests.anova(groups)
        rows.append(
            {
                "factor": factor,
                "f": outcome.statistic,
                "freedom_between": len(groups) - 1,
                "freedom_within": outcome.freedom,
                "p": outcome.p,
                "eta_squared": explained,
                "reason": outcome.reason,
            }
        )
    if not rows:
        return []
    labels = {"f": "F", "freedom_between": "d.f. between", "freedom_within": "d.f. within"}
    title = "Does accuracy differ? Analysis of variance"
    tables = [Table.of(title, rows, signature=signature, labels=labels, name="variance")]
    if len(conditions) > 2:
        pairs = tests.tukey_hsd(questions[0][1], settings.level)
        tukey = [pair_cells(pair, conditions, settings) for pair in pairs]
        notes = ("p-values and intervals hold for all pairs at once",)
        title = "All pairs of conditions: Tukey's HSD"
        tables.append(Table.of(title, tukey, notes=notes, signature=signature, name="pairs"))
    return tables


def _notes(cells: Cells, outcomes: list[tests.SignificanceTest], about: TaskWording) -> tuple[str, ...]:
    binned = f"answers are binned into {about.other} and {about.finding}"
    notes = [f"{binned}; precision, recall and F1 are of finding {about.finding}"]
    made = sum(outcome.p is not None for outcome in outcomes)
    notes.append(f"two-sided t-test of evaluators' accuracies against chance; corrected for {made} tests")
    notes.extend(
        f"{condition}, {domain}: no test, {outcome.reason}"
        for (condition, domain), outcome in zip(cells, outcomes, strict=True)
        if outcome.p is None
    )
    return tuple(notes)
