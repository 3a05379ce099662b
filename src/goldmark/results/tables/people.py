"""Who took part: how much, how fast, how far they agree; who was excluded and why; and how answers came in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from goldmark.records.campaigns import ExclusionRecord
from goldmark.records.figures import Figure, Signature
from goldmark.records.tables import Cell, Table
from goldmark.records.tidy.coded import Coded
from goldmark.records.tidy.columns import Frame
from goldmark.results.inputs.groups import EVERYTHING
from goldmark.results.inputs.table_inputs import TableInputs
from goldmark.results.options import AnalysisOptions
from goldmark.results.result_table import ANSWERS, Needs, ResultTable
from goldmark.results.tables.agreement import agreement_of_people, agreement_pairs, pairs_of

MADE = str(Signature.of(figure="counts"))


def people(
    frames: Mapping[str, Frame],
    settings: AnalysisOptions,
    introduced: Mapping[str, Figure] | None = None,
    pairs: Table | None = None,
) -> Table:
    """Every annotator whose answers count. `pairs` is the table of every two annotators, if it was made before."""
    frame = frames["people"]
    agree = agreement_of_people(frames, pairs or agreement_pairs(frames, settings))
    rows: list[dict[str, Cell]] = []
    for place, name in enumerate(frame.cells["annotator"]):
        found = (introduced or {}).get(name)
        rows.append(
            {
                "annotator": name,
                "kind": frame.cells["kind"][place],
                "condition": frame.cells["condition"][place],
                "responses": int(frame.cells["responses"][place]),
                "test_questions": int(frame.cells["test_questions"][place]),
                "seconds_median": _number(frame.cells["seconds_median"][place]),
                "hours": _hours(frame.cells["seconds_total"][place]),
                "agreement": agree.get(name),
                **(
                    {
                        "introduced_found": found.value if found else None,
                        "introduced_found_low": found.interval.low if found and found.interval else None,
                        "introduced_found_high": found.interval.high if found and found.interval else None,
                    }
                    if introduced
                    else {}
                ),
            }
        )
    return Table.of(
        "People",
        rows,
        notes=("agreement: with each other person on the same units, the mean over questions and people",),
        signature=MADE,
        labels={"seconds_median": "seconds (median)", "introduced_found": "introduced errors found"},
    )


def _number(cell: str) -> float | None:
    return float(cell) if cell else None


def _hours(cell: str) -> float | None:
    return float(cell) / 3600 if cell else None


def exclusions(found: Sequence[ExclusionRecord]) -> Table:
    """Who is excluded, by which rule or whom, and how much work that is."""
    rows: list[dict[str, Cell]] = [
        {
            "annotator": one.annotator,
            "rule": one.rule,
            "reason": one.reason,
            "decided_by": one.author,
            "at": one.at.isoformat(timespec="minutes") if one.at else None,
            "responses": one.responses,
        }
        for one in found
    ]
    return Table.of("Excluded annotators", rows, signature=MADE, labels={"reason": "why"})


def progress(frames: Mapping[str, Frame], settings: AnalysisOptions) -> Table:
    """How many answers came in on each day, and in all up to then."""
    came = [frames[name] for name in ("ratings", "choices", "comparisons", "spans", "words")]
    unit, annotator, at = (Coded.joined([frame.coded(name) for frame in came]) for name in ("unit", "annotator", "at"))
    dated = np.flatnonzero(~at.equal(""))
    answers = unit.codes[dated] * np.int64(len(annotator.names)) + annotator.codes[dated]
    first = dated[np.unique(answers, return_index=True)[1]]
    del answers, dated
    often = np.bincount(at.codes[first], minlength=len(at.names))
    days: Counter[str] = Counter()
    for moment, many in zip(at.names, often.tolist(), strict=True):
        if many:
            days[moment[:10]] += many
    rows: list[dict[str, Cell]] = []
    total = 0
    for day in sorted(days):
        total += days[day]
        rows.append({"day": day, "responses": days[day], "total": total})
    return Table.of("Progress", rows, notes=("days in UTC",), signature=MADE)


def coverage(frames: Mapping[str, Frame], settings: AnalysisOptions, by: str = "system") -> Table:
    """How many texts each system has, how many of them were answered, and how often."""
    texts = frames["texts"]
    work = np.flatnonzero(~texts.coded("test").equal("true"))
    group = texts.coded(by if by in texts.cells else "system").take(work).mapped(lambda group: group or EVERYTHING)
    unit, item, responses = (texts.coded(name).take(work) for name in ("unit", "item", "responses"))
    answers = responses.whole()
    rows: list[dict[str, Cell]] = []
    for name in sorted(group.used()[1]):
        own = group.equal(name)
        answered = own & (answers > 0)
        units, total = _different(unit, own), int(answers[own].sum())
        counts = {"texts": units, "items": _different(item, own), "answered": _different(unit, answered)}
        rows.append({by: name, **counts, "responses": total, "responses_per_text": total / units})
    return Table.of("Texts and answers", rows, signature=MADE, labels={"answered": "texts answered"})


def _different(column: Coded, rows: NDArray[np.bool_]) -> int:
    """How many different texts stand in some of its rows."""
    return int(np.count_nonzero(np.bincount(column.codes[rows], minlength=len(column.names))))


def _people(given: TableInputs, settings: AnalysisOptions) -> list[Table]:
    found = {one.annotator: one.share for one in given.stored.introduced} if given.stored else {}
    return [people(given.frames, settings, found, pairs_of(given, settings))]


COVERAGE_TABLE = ResultTable(
    "coverage",
    "Texts, and how many answers they have.",
    "people",
    ("texts",),
    lambda given, settings: [coverage(given.frames, settings, given.by)],
)
PEOPLE_TABLE = ResultTable(
    "people", "Who took part: how much, how fast, how far they agree.", "people", ("people",), _people
)
PROGRESS_TABLE = ResultTable(
    "progress",
    "Answers by day.",
    "people",
    ANSWERS,
    lambda given, settings: [progress(given.frames, settings)],
    "line",
)
EXCLUSIONS_TABLE = ResultTable(
    "exclusions",
    "Who is excluded, and why.",
    "people",
    make=lambda given, settings: [exclusions(given.excluded)],
    needs=Needs(lambda given: "" if given.excluded else "nobody is known to be excluded", "with excluded annotators"),
)
