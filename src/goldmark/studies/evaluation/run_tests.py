"""The planned tests, all of them and no others, with the planned correction."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from goldmark.records.figures import Interval
from goldmark.records.tables import Cell, Table
from goldmark.results.options import AnalysisOptions, with_interval
from goldmark.results.published.humanlike.study import pair_cells
from goldmark.stats.inference.scales import Ends, clipped
from goldmark.stats.significance import tests
from goldmark.stats.significance.equivalence import equivalence, equivalence_to
from goldmark.studies.design.file import Study
from goldmark.studies.evaluation.mixed_test import MixedTest, mixed_test
from goldmark.studies.evaluation.outcomes import Floats, Outcomes, Participant, ends_of_outcome
from goldmark.studies.evaluation.planned_tests import PlannedTest, planned_tests

PLANNED = "Planned tests"
People = Sequence[Participant]


def tested(study: Study, outcomes: Outcomes, settings: AnalysisOptions) -> list[Table]:
    """The planned tests, all of them and no others, with the planned correction and intervals that match it."""
    correction, alpha = study.file.correction, study.file.alpha
    settings = replace(settings, level=1 - alpha)
    planned = [one for one in planned_tests(study.file) if not one.corrects_itself]
    samples = [[outcomes.people(conditions) for _, conditions in one.groups] for one in planned]
    # A model is fitted once: which level its interval has is known when all p-values are.
    models = [_model(test, some) for test, some in zip(planned, samples, strict=True)]
    together = list(zip(planned, samples, models, strict=True))
    p_values = [_made(*one, level=0.95).outcome.p for one in together]
    level = tests.matching_level(correction, p_values, alpha)
    corrected = tests.CORRECTIONS[correction](p_values)
    over = any(one.over_texts for one in planned)
    ends = ends_of_outcome(study)
    rows = [
        _row(*one, ends, level, p, None if p is None else p < alpha, closed=correction == "holm", over=over)
        for one, p in zip(together, corrected, strict=True)
    ]
    signature = settings.signature(figure="study-tests", study=study.name, correction=correction)
    notes = [
        "means: two-sided t-tests of participants' outcomes (Welch's between groups); several levels: one-way analysis "
        f"of variance; level {alpha:g}",
        f"correction: {correction}, over the {len(rows)} tests of this table; intervals have the level that matches it",
    ]
    if any(one.over_texts for one in planned):
        notes.append(
            "over people and texts: a linear mixed model of every answer with both as crossed random effects, "
            "Satterthwaite's degrees of freedom; d is of people's means"
        )
    if any(one.margin is not None for one in planned):
        notes.append("equal up to a margin: two one-sided tests; they differ by less where the interval lies within it")
    labels = {
        "in": "in the cells",
        "p_corrected": "p corrected",
        "freedom": "d.f.",
        "level": "level of the intervals",
        "significant": "shown",
    }
    tables = [Table.of(PLANNED, rows, notes=tuple(notes), signature=signature, labels=labels)] if rows else []
    own = [one for one in planned_tests(study.file) if one.corrects_itself]
    return tables + [_tukey(one, outcomes, settings, signature) for one in own]


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


def _model(test: PlannedTest, samples: Sequence[People]) -> MixedTest | None:
    return mixed_test(samples, float(test.against or 0.0), test.margin) if test.over_texts else None


def _made(test: PlannedTest, samples: Sequence[People], model: MixedTest | None, *, level: float) -> PlannedTestResult:
    means = [np.array([one.mean for one in sample], dtype=np.float64) for sample in samples]
    made = _MAKERS[test.kind](test, means, level)
    if model is None:
        return made
    outcome, contrast = model
    if contrast is None:
        return made._replace(outcome=outcome, freedom=None, difference_interval=None)
    interval = contrast.interval(level)
    return made._replace(
        outcome=outcome, freedom=_freedom(outcome), difference=contrast.value, difference_interval=interval
    )


def _row(
    test: PlannedTest,
    samples: Sequence[People],
    model: MixedTest | None,
    ends: Ends,
    level: float,
    p: float | None,
    shown: bool | None,
    *,
    closed: bool,
    over: bool,
) -> dict[str, Cell]:
    # Two one-sided tests at alpha have the interval that leaves alpha out on either side.
    own = level if test.margin is None else 2 * level - 1
    made = _made(test, samples, model, level=own)
    found = made.outcome
    interval = made.difference_interval
    if interval is not None:
        interval = clipped(interval, *_possible(test, ends))
    if closed and shown and test.margin is None and interval is not None:
        interval = _up_to_zero(made.difference or 0.0, interval)
    return {
        "test": test.title,
        "in": test.scope,
        **({"over": "people and texts" if test.over_texts else "people"} if over else {}),
        "people": " + ".join(str(len(sample)) for sample in samples),
        **with_interval("difference", made.difference, interval),
        "level": None if interval is None else own,
        "statistic": f"{made.statistic} = {found.statistic:.2f}" if found.statistic is not None else None,
        "freedom": made.freedom,
        "p": found.p,
        "p_corrected": p,
        "significant": shown,
        "measure": made.measure,
        **with_interval("effect", made.effect, made.effect_interval),
        "reason": found.reason,
    }


def _possible(test: PlannedTest, ends: Ends) -> Ends:
    """Between which numbers a difference can lie: of a mean from a number, or of two means."""
    low, high = ends
    return (low - test.against, high - test.against) if test.against is not None else (low - high, high - low)


def _up_to_zero(difference: float, interval: Interval) -> Interval:
    """What Holm's correction found and Bonferroni's would not: the interval that holds for all ends at 0."""
    if difference > 0:
        return Interval(max(0.0, interval.low), interval.high, interval.level)
    return Interval(interval.low, min(0.0, interval.high), interval.level)


def _against(test: PlannedTest, samples: Sequence[Floats], level: float) -> PlannedTestResult:
    sample, expected = samples[0], float(test.against or 0.0)
    found = tests.one_sample_t(sample, expected)
    if test.margin is not None:
        found = equivalence_to(sample, expected, test.margin)
    size = tests.one_sample_d(sample, expected, level)
    gap = float(sample.mean()) - expected if len(sample) else None
    interval = tests.mean_interval(sample - expected, level) if found.p is not None else None
    return PlannedTestResult(found, "t", _freedom(found), gap, interval, "Cohen's d", size.d, size.interval)


def _compare(test: PlannedTest, samples: Sequence[Floats], level: float) -> PlannedTestResult:
    first, second = samples
    found = tests.two_sample_t(first, second)
    if test.margin is not None:
        found = equivalence(first, second, test.margin)
    size = tests.cohen_d(first, second, level)
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
