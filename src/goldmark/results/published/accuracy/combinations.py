"""What each set of annotators finds, and how much of what they report is right (ACCURACY tables 5 and 6)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations as choose

import numpy as np
from numpy.typing import NDArray

from goldmark.errors import GoldmarkError, Problem, ProblemsFound
from goldmark.records.figures import counted
from goldmark.records.tables import Cell, Table
from goldmark.records.tidy.coded import first_seen
from goldmark.records.tidy.columns import CheckedColumns, Column, Columns, MissingColumn
from goldmark.results.options import AnalysisOptions, with_interval
from goldmark.stats.inference.proportions import few_texts, ratio_interval

MOST_ANNOTATORS = 8
RULES = ("any", "majority", "all")

REPORTS = Columns(
    Column("error", about="which error was reported; the same span is the same error"),
    Column("annotator", about="who reported it; empty for a gold error that nobody reported", empty=True),
    Column("gold", "yes", about="is it in the gold list? (recall)", optional=True, empty=True),
    Column("valid", "yes", about="is it right, as verified? (precision)", optional=True, empty=True),
    Column(
        "text",
        about="in which text; intervals are over texts, or over errors if there is no such column",
        optional=True,
    ),
)


class TooManyAnnotators(GoldmarkError):
    code = "COMBINE-01"
    message = "{count} annotators make {sets:,} sets; at most {most} annotators can be tabulated: leave some rows out"


def combinations(reports: CheckedColumns, settings: AnalysisOptions) -> list[Table]:
    """Recall and precision of every set of annotators, when any, a majority or all of them must have reported."""
    found, people, gold, valid, cluster = _matrix(reports)
    if len(people) > MOST_ANNOTATORS:
        raise TooManyAnnotators(count=len(people), sets=2 ** len(people) - 1, most=MOST_ANNOTATORS)
    sets = [team for size in range(1, len(people) + 1) for team in choose(range(len(people)), size)]
    known = ~np.isnan(valid)
    right = known & (np.nan_to_num(valid) > 0)
    columns: list[NDArray[np.float64]] = [gold.astype(np.float64)]
    places: dict[tuple[tuple[int, ...], str], int] = {}
    for team in sets:
        count = found[:, list(team)].sum(axis=1)
        for rule in RULES:
            if rule == "majority" and len(team) < 3:
                continue  # of one or two people, a majority is all of them
            reported = _reported(count, len(team), rule)
            places[team, rule] = len(columns)
            columns += [part.astype(np.float64) for part in (reported & gold, reported & known, reported & right)]
    counts = np.stack(columns, axis=1)
    clusters = int(cluster.max()) + 1
    per_cluster = np.stack([np.bincount(cluster, weights=column, minlength=clusters) for column in counts.T], axis=1)
    total = counts.sum(axis=0)

    def figure(name: str, above: int, below: int) -> dict[str, Cell]:
        value = float(total[above] / total[below]) if total[below] else None
        return with_interval(name, value, ratio_interval(per_cluster[:, above], per_cluster[:, below], settings.level))

    recall, precision = [], []
    for team in sets:
        label = "-".join(people[member] for member in team)
        seen: dict[str, Cell] = {"combination": label}
        said: dict[str, Cell] = {"combination": label}
        for rule in RULES:
            place = places.get((team, rule))
            empty: dict[str, Cell] = with_interval(rule, None, None)
            seen |= figure(rule, place, 0) if place is not None else empty
            said |= figure(rule, place + 2, place + 1) if place is not None else empty
            said[f"{rule}_reports"] = int(total[place + 1]) if place is not None else None
        recall.append(seen)
        precision.append(said)
    notes = _notes(reports, found, people, gold, known, cluster)
    unit = "texts" if "text" in reports else "errors"
    if few := few_texts(clusters, unit.removesuffix("s")):
        notes = (*notes, few)
    signature = settings.signature(figure="combinations", interval=f"wilson-jackknife-{unit}")
    labels = {"any_reports": "reports", "majority_reports": "reports", "all_reports": "reports"}
    return [
        Table.of("Recall of annotator combinations", recall, notes=notes, signature=signature),
        Table.of(
            "Precision of annotator combinations",
            precision,
            notes=notes,
            signature=signature,
            labels=labels,
            name="precision",
        ),
    ]


def _reported(count: NDArray[np.int64], size: int, rule: str) -> NDArray[np.bool_]:
    least = {"any": 1, "majority": size // 2 + 1, "all": size}[rule]
    return count >= least


def _matrix(
    reports: CheckedColumns,
) -> tuple[NDArray[np.int64], list[str], NDArray[np.bool_], NDArray[np.float64], NDArray[np.int64]]:
    """Errors x annotators, the annotators, which errors are gold, which are right (NaN unknown), their clusters."""
    if "gold" not in reports and "valid" not in reports:
        raise MissingColumn(
            needed="'gold' or 'valid'", source=reports.frame.source, present=", ".join(reports.frame.cells), remedy=""
        )
    error, errors = first_seen(reports.texts("error"))
    annotators = reports.texts("annotator")
    people = sorted({name for name in annotators if name})
    place = {name: column for column, name in enumerate(people)}
    found = np.zeros((len(errors), len(people)), dtype=np.int64)
    for row, name in enumerate(annotators):
        if name:
            found[error[row], place[name]] = 1
    gold = _one_value(reports, "gold" if "gold" in reports else "valid", errors, error)
    valid = _one_value(reports, "valid" if "valid" in reports else "gold", errors, error)
    cluster = np.arange(len(errors))
    if "text" in reports:
        texts = first_seen(reports.texts("text"))[0]
        cluster[error] = texts
    return found, people, np.nan_to_num(gold) > 0, valid, cluster


def _one_value(
    checked: CheckedColumns, name: str, errors: Sequence[str], error: NDArray[np.int64]
) -> NDArray[np.float64]:
    """A fact about each error, which every row of that error must state alike or leave empty."""
    values = np.full(len(errors), np.nan)
    problems = []
    for row, value in enumerate(checked.yes(name)):
        if value is None:
            continue
        place = error[row]
        if not np.isnan(values[place]) and bool(values[place]) != value:
            problems.append(
                Problem(
                    checked.frame.where(row),
                    f"column {checked.names[name]!r} of error {errors[place]!r} contradicts an earlier row",
                    "each error has one value",
                )
            )
        values[place] = value
    if problems:
        raise ProblemsFound(problems, consequence="nothing was computed")
    return values


def _notes(
    reports: CheckedColumns,
    found: NDArray[np.int64],
    people: Sequence[str],
    gold: NDArray[np.bool_],
    known: NDArray[np.bool_],
    cluster: NDArray[np.int64],
) -> tuple[str, ...]:
    notes = [
        f"{counted(int(gold.sum()), 'gold error')}, {counted(int((found.sum(axis=1) > 0).sum()), 'reported error')}"
    ]
    missed = int((gold & (found.sum(axis=1) == 0)).sum())
    if missed:
        notes.append(f"reported by nobody: {counted(missed, 'gold error')}")
    unknown = int((~known & (found.sum(axis=1) > 0)).sum())
    if unknown:
        notes.append(f"left out of precision: {counted(unknown, 'reported error')} not verified")
    if "text" in reports:
        texts = int(cluster.max()) + 1
        for column, name in enumerate(people):
            silent = texts - len(np.unique(cluster[found[:, column] > 0]))
            if silent:
                notes.append(f"{name} reported nothing in {silent} of {texts} texts; leave out texts they never saw")
    return tuple(notes)
