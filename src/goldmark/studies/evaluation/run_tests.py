"""The planned tests, all of them and no others, with the planned correction."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from goldmark.records.figures import Interval
from goldmark.records.tables import Cell, Table
from goldmark.results.options import AnalysisOptions, with_interval
from goldmark.results.published.humanlike.study import pair_cells
from goldmark.stats.inference import tests
from goldmark.studies.design.file import Study
from goldmark.studies.evaluation.outcomes import Floats, Outcomes
from goldmark.studies.evaluation.planned_tests import PlannedTest, planned_tests

PLANNED = "Planned tests"
_CORRECTIONS: Mapping[str, Callable[[Sequence[float | None]], list[float | None]]] = {
    "bonferroni": tests.bonferroni,
    "holm": tests.holm,
    "none": list,
}


def tested(study: Study, outcomes: Outcomes, settings: AnalysisOptions) -> list[Table]:
    """The planned tests, all of them and no others, with the planned correction."""
    planned = planned_tests(study.file)
    rows = [_test(one, outcomes, settings) for one in planned if not one.corrects_itself]
    found = [p if isinstance(p := row["p"], float) else None for row in rows]
    for row, p in zip(rows, _CORRECTIONS[study.file.correction](found), strict=True):
        row["p_corrected"] = p
        row["significant"] = None if p is None else p < study.file.alpha
    signature = settings.signature(figure="study-tests", study=study.name, correction=study.file.correction)
    notes = (
        "means: two-sided t-tests of participants' outcomes (Welch's between groups); several levels: one-way analysis "
        f"of variance; level {study.file.alpha:g}",
        f"correction: {study.file.correction}, over the {len(rows)} tests of this table",
    )
    labels = {"in": "in the cells", "p_corrected": "p corrected", "freedom": "d.f."}
    tables = [Table.of(PLANNED, rows, notes=notes, signature=signature, labels=labels)] if rows else []
    tables += [_tukey(one, outcomes, settings, signature) for one in planned if one.corrects_itself]
    return tables


class PlannedTestResult(NamedTuple):
    """A test as it came out: what was found, how large it is and how that is called."""

    outcome: tests.SignificanceTest
    statistic: str
    freedom: str | None
    difference: float | None
    difference_interval: Interval | None
    measure: str
    effect: float | None
    effect_interval: Interval | None


def _test(test: PlannedTest, outcomes: Outcomes, settings: AnalysisOptions) -> dict[str, Cell]:
    samples = [outcomes.values(conditions) for _, conditions in test.groups]
    made = _MAKERS[test.kind](test, samples, settings.level)
    found = made.outcome
    return {
        "test": test.title,
        "in": test.scope,
        "people": " + ".join(str(len(sample)) for sample in samples),
        **with_interval("difference", made.difference, made.difference_interval),
        "statistic": f"{made.statistic} = {found.statistic:.2f}" if found.statistic is not None else None,
        "freedom": made.freedom,
        "p": found.p,
        "p_corrected": None,
        "significant": None,
        "measure": made.measure,
        **with_interval("effect", made.effect, made.effect_interval),
        "reason": found.reason,
    }


def _against(test: PlannedTest, samples: Sequence[Floats], level: float) -> PlannedTestResult:
    sample, expected = samples[0], float(test.against or 0.0)
    found, size = tests.one_sample_t(sample, expected), tests.one_sample_d(sample, expected, level)
    gap = float(sample.mean()) - expected if len(sample) else None
    interval = tests.mean_interval(sample - expected, level)
    return PlannedTestResult(found, "t", _freedom(found), gap, interval, "Cohen's d", size.d, size.interval)


def _compare(test: PlannedTest, samples: Sequence[Floats], level: float) -> PlannedTestResult:
    first, second = samples
    found, size = tests.two_sample_t(first, second), tests.cohen_d(first, second, level)
    gap = float(first.mean() - second.mean()) if len(first) and len(second) else None
    interval = tests.mean_difference_interval(first, second, level)
    return PlannedTestResult(found, "t", _freedom(found), gap, interval, "Cohen's d", size.d, size.interval)


def _variance(test: PlannedTest, samples: Sequence[Floats], level: float) -> PlannedTestResult:
    found, explained = tests.anova(samples)
    freedom = None if found.freedom is None else f"{len(samples) - 1}, {found.freedom:g}"
    return PlannedTestResult(found, "F", freedom, None, None, "eta squared", explained, None)


def _freedom(found: tests.SignificanceTest) -> str | None:
    return None if found.freedom is None else f"{found.freedom:.4g}"


_MAKERS: Mapping[str, Callable[[PlannedTest, Sequence[Floats], float], PlannedTestResult]] = {
    "against": _against,
    "compare": _compare,
    "variance": _variance,
}


def _tukey(test: PlannedTest, outcomes: Outcomes, settings: AnalysisOptions, signature: str) -> Table:
    samples = [outcomes.values(conditions) for _, conditions in test.groups]
    names = [name for name, _ in test.groups]
    rows: list[dict[str, Cell]] = []
    for pair in tests.tukey_hsd(samples, settings.level):
        size = tests.cohen_d(samples[pair.first], samples[pair.second], settings.level)
        rows.append({**pair_cells(pair, names, settings), **with_interval("d", size.d, size.interval)})
    notes = ("p-values and intervals of differences hold for all these pairs at once",)
    title = f"All pairs of {test.what} (Tukey's HSD), {test.scope}"
    return Table.of(title, rows, notes=notes, signature=signature, labels={"d": "Cohen's d"})
