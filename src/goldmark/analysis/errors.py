"""Errors per text by system and category (ACCURACY tables 9 and 10)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from goldmark.analysis.settings import Settings, counted, with_interval
from goldmark.errors import Problem, ProblemsFound
from goldmark.records.columns import Checked, Column, Columns, MissingColumn
from goldmark.records.tables import Cell, Table
from goldmark.stats.bootstrap import Floats, percentile_interval, resampled_sums
from goldmark.stats.ranking import encode

ERRORS = Columns(
    Column("text", about="in which text the error is"),
    Column("system", about="who wrote the text; not needed if a list of texts is given", optional=True, empty=True),
    Column("category", about="the error's category; empty for a text without errors", empty=True),
    Column("annotator", about="who found it; the mean over a text's annotators counts", optional=True, empty=True),
    Column("start", about="where it starts; then an empty category is one more category", optional=True, empty=True),
    Column("introduced", "yes", about="introduced on purpose? such errors are left out", optional=True, empty=True),
)
TEXTS = Columns(Column("text", about="every text that was checked"), Column("system", about="who wrote it"))


def errors_per_text(errors: Checked, texts: Checked | None, settings: Settings) -> list[Table]:
    """Mean number of errors in a text, by system and category; the interval resamples the system's texts.

    Where the table says who found an error, a text has as many as its annotators found on average.
    """
    system_of = _systems(errors, texts)
    names = list(system_of)
    place = {name: row for row, name in enumerate(names)}
    introduced = errors.yes("introduced") if "introduced" in errors else [False] * len(errors)
    marks = [
        (place[name], "" if on_purpose else label)
        for name, label, on_purpose in zip(errors.texts("text"), _categories(errors), introduced, strict=True)
    ]
    readers = _readers(errors, place)
    frequency: dict[str, int] = {}
    for _, label in marks:
        if label:
            frequency[label] = frequency.get(label, 0) + 1
    categories = sorted(frequency, key=lambda label: (-frequency[label], label))
    counts = np.zeros((len(names), len(categories) + 1))
    column = {label: number for number, label in enumerate(categories)}
    for row, label in marks:
        if label:
            counts[row, column[label]] += 1
            counts[row, -1] += 1
    found = int(counts[:, -1].sum())
    counts /= readers[:, None]
    systems, system = encode([system_of[name] for name in names])
    rng = settings.rng()
    rows: list[dict[str, Cell]] = []
    notes: list[str] = []
    for number, name in enumerate(systems):
        own = counts[system == number]
        figures: dict[str, Cell] = {"system": name, "texts": len(own)}
        resampled = resampled_sums(own, resamples=settings.resamples, rng=rng) / len(own) if len(own) > 1 else None
        for position, label in enumerate([*(f"errors {label}" for label in categories), "total"]):
            interval = None if resampled is None else percentile_interval(resampled[:, position], level=settings.level)
            figures |= with_interval(label, float(own[:, position].mean()), interval)
        rows.append(figures)
        if resampled is None:
            notes.append(f"{name} has no intervals: one text alone cannot be resampled")
    rows.sort(key=lambda entry: float(entry["total"] or 0))
    clean = int((counts[:, -1] == 0).sum())
    notes.append(f"{counted(found, 'error')} in {counted(len(names), 'text')}; without any: {clean:,}")
    if readers.max(initial=1) > 1:
        notes.append("errors of a text are the mean over its annotators; one who found none needs a row to count")
    if any(introduced):
        notes.append(f"{counted(sum(map(bool, introduced)), 'mark')} on introduced errors left out")
    # A category may be called "system" or "total": the prefix keeps such a column apart.
    labels = {f"errors {label}": label for label in categories}
    return [
        Table.of(
            "Errors per text",
            rows,
            notes=tuple(notes),
            signature=settings.signature(figure="errors-per-text", resampled="texts"),
            labels=labels,
        )
    ]


NO_CATEGORY, NO_SYSTEM = "no category", "no system"


def _categories(errors: Checked) -> list[str]:
    """The category of every row; empty for one that says that nothing was found."""
    starts = errors.texts("start") if "start" in errors else [""] * len(errors)
    rows = zip(errors.texts("category"), starts, strict=True)
    return [label or (NO_CATEGORY if start else "") for label, start in rows]


def _readers(errors: Checked, place: Mapping[str, int]) -> Floats:
    """How many people read each text; one, where the table does not say who found an error."""
    people: list[set[str]] = [set() for _ in place]
    if "annotator" in errors:
        for name, annotator in zip(errors.texts("text"), errors.texts("annotator"), strict=True):
            people[place[name]].add(annotator)
    return np.array([max(1, len(some)) for some in people], dtype=np.float64)


def _systems(errors: Checked, texts: Checked | None) -> dict[str, str]:
    """Which system wrote each text; every text must be known and have one author only."""
    source = texts if texts is not None else errors
    if "system" not in source:
        raise MissingColumn(
            needed="'system'",
            source=source.frame.source,
            present=", ".join(source.frame.cells),
            remedy="; add it, or give a second file with text and system",
        )
    system_of: dict[str, str] = {}
    problems: list[Problem] = []
    for row, (text, system) in enumerate(zip(source.texts("text"), source.texts("system"), strict=True)):
        system = system or NO_SYSTEM
        if system_of.setdefault(text, system) != system:
            problems.append(
                Problem(
                    source.frame.where(row), f"text {text!r} is of {system!r} here and of {system_of[text]!r} above"
                )
            )
    if texts is not None:
        problems += [
            Problem(errors.frame.where(row), f"text {text!r} is not in {texts.frame.source}", "add it there")
            for row, text in enumerate(errors.texts("text"))
            if text not in system_of
        ]
    if problems:
        raise ProblemsFound(problems, consequence="nothing was computed")
    return system_of
