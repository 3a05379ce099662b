"""One table by its name, of whatever there is: a campaign, exported files, files with columns of their own.

All ways lead to the same functions, so they give the same digits.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from goldmark.errors import GoldmarkError
from goldmark.observations.filter import COUNTING, Filter
from goldmark.observations.given_tables import GivenTables, counting, read_tables
from goldmark.records.campaigns import exclusion_notes
from goldmark.records.tables import Table
from goldmark.records.tidy.columns import Frame
from goldmark.records.tidy.kept import Keep, kept_rows
from goldmark.results.all_tables import Marks, given_of, look_at
from goldmark.results.catalogue import RESULTS, TableNotPossible, tables_of
from goldmark.results.inputs.table_inputs import TableInputs
from goldmark.results.options import AnalysisOptions
from goldmark.results.published import catalogue as own_files
from goldmark.results.result_table import ResultTable
from goldmark.store import Store
from goldmark.texts.readers.tidy import read_tidy

OBSERVED = frozenset({"unit", "annotator", "question"})  # columns that every table of observations has


class NothingToReadFrom(GoldmarkError):
    code = "RESULTS-08"
    message = "say what table {name!r} is to be made of: {ways}"


def of_campaign(
    store: Store,
    name: str,
    campaign: str,
    settings: AnalysisOptions,
    *,
    by: str = "system",
    wanted: Filter = COUNTING,
    marks: Marks = "raw",
) -> list[Table]:
    """A table of a campaign in the database, or why the campaign has no such table and which it has."""
    one = RESULTS.find(name)
    looked = look_at(store, campaign, wanted, marks)
    notes = (*exclusion_notes(looked.excluded, counted=wanted.excluded), *looked.found.left.notes())
    if "spans" in one.reads:
        notes = (*notes, *looked.notes)
    # Somebody who asks for one table waits for it.
    made = tables_of(one, given_of(store, looked, by), replace(settings, patient=True), f"campaign {campaign!r}")
    return [table.noting(*(note for note in notes if note not in table.notes)) for table in made]


def of_files(
    name: str,
    paths: Sequence[Path],
    settings: AnalysisOptions,
    names: Mapping[str, str] | None = None,
    *,
    by: str = "system",
    tests: bool = False,
    excluded: bool = False,
    models: bool = False,
    keep: Keep | None = None,
) -> list[Table]:
    """A table of files: a folder or tables that a campaign was exported to, or files with columns of their own.

    `keep` names values of columns: only rows that have one of them count.
    """
    one = RESULTS.find(name)
    if not paths:
        raise NothingToReadFrom(name=name, ways=ways(one))
    if one.analysis is not None and (names or not (one.reads and _observed(paths))):
        return _of_own_files(one.analysis, paths, settings, names or {}, keep)
    tables = read_tables(paths, names, only=one.reads[0] if len(one.reads) == 1 and len(paths) == 1 else "")
    tables = tables._replace(frames={table: _kept(frame, keep or {}) for table, frame in tables.frames.items()})
    try:
        kept = counting(tables, tests=tests, excluded=excluded, models=models)
        return _of_tables(one, kept, settings, by, paths[0].name)
    except TableNotPossible:
        # Without what was asked, a single table may still have the columns that the published method needs.
        if one.analysis is None or tables.protocol is not None or any(path.is_dir() for path in paths):
            raise
        return _of_own_files(one.analysis, paths, settings, {}, keep)


def picture_of(name: str, made: Sequence[Table]) -> tuple[Table, str, Sequence[str]]:
    """The table that people would rather look at, the column with its figures, and those that say what they are of."""
    analysis = RESULTS.find(name).analysis
    known = analysis.picture if analysis else None
    if known is not None and known.value in made[min(known.table, len(made) - 1)].columns:
        return made[min(known.table, len(made) - 1)], known.value, known.labels
    rows = made[0].records()
    numbers = [
        name for name in made[0].columns if any(isinstance(row[name], float | int) for row in rows) and name != "n"
    ]
    value = next((name for name in numbers if name == "value" or f"{name}_low" in numbers), [*numbers, "value"][0])
    return made[0], value, [name for name in made[0].columns if name not in numbers and name != "reason"]


def _of_own_files(
    analysis: own_files.Analysis,
    paths: Sequence[Path],
    settings: AnalysisOptions,
    names: Mapping[str, str],
    keep: Keep | None,
) -> list[Table]:
    own_files.check_files(analysis, len(paths))
    called = own_files.check_names(analysis, names)
    return own_files.run(analysis, [read_tidy(path) for path in paths], settings, called, keep)


def _kept(frame: Frame, keep: Keep) -> Frame:
    """The rows that are wanted of a table that has the columns; another table of the same folder may not."""
    known = {column: values for column, values in keep.items() if column in frame.cells and len(frame)}
    return kept_rows(frame, known, aside=()).frame if known else frame


def _of_tables(one: ResultTable, tables: GivenTables, settings: AnalysisOptions, by: str, what: str) -> list[Table]:
    made = tables_of(one, TableInputs.of_tables(tables, by), replace(settings, patient=True), what)
    return [table.noting(*tables.notes) for table in made]


def _observed(paths: Sequence[Path]) -> bool:
    """Whether these are tables of observations: a folder of them, or files with their columns."""
    return any(path.is_dir() or path.suffix.lower() == ".parquet" or _says(path) >= OBSERVED for path in paths)


def _says(path: Path) -> set[str]:
    """The words of a file's first line, which names its columns."""
    if not path.is_file():
        return set()
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        return set(re.findall(r"\w+", file.readline()))


def ways(one: ResultTable) -> str:
    """What a table can be made of, in words."""
    said = []
    if one.make is not None:
        said.append(f"a {one.campaigns} (--campaign NAME)")
    if one.make is not None and one.reads:
        said.append(f"the folder of an exported campaign (--format tidy) or its {' or '.join(_files(one))}")
    if one.analysis is not None:
        wanted = ", then ".join(file.name + (" (optional)" * file.optional) for file in one.analysis.files)
        said.append(f"a file with columns of its own ({wanted})")
    return "; or ".join(said)


def _files(one: ResultTable) -> list[str]:
    return [f"{name}.csv" for name in one.reads]
