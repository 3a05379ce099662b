"""A campaign in a notebook, wherever it is: a database, an export, tidy tables, rows."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, TypeVar

from goldmark.errors import GoldmarkError
from goldmark.exchange.campaign.archive import read_files, write_folder
from goldmark.notebook.result import NoSuchTable, Result
from goldmark.observations.files import PROTOCOL_FILE, kind_of
from goldmark.observations.filter import Filter
from goldmark.observations.frames import collect
from goldmark.observations.given_tables import GivenTables, counting, read_tables
from goldmark.observations.schema import TABLES
from goldmark.observations.source import RecordSource
from goldmark.protocols import Protocol, load
from goldmark.records.campaigns import CampaignRecord
from goldmark.records.tables import Table
from goldmark.records.tidy.columns import READERS, Frame
from goldmark.records.tidy.columns import Kind as CellKind
from goldmark.results.all_tables import Marks, Results, assembled, results_of, results_of_tables
from goldmark.results.options import AnalysisOptions
from goldmark.store import Store
from goldmark.texts.readers.tidy import NoSuchFile

Answer = TypeVar("Answer")
Asked = str | Path | Protocol | None  # a protocol by its name or path, or as it was loaded


class NotForThese(GoldmarkError):
    code = "NOTEBOOK-07"
    message = "{option} needs a campaign in a database{or_else}; {remedy}"


class ProtocolNotSaid(GoldmarkError):
    code = "NOTEBOOK-09"
    message = "these files do not say what was asked; name it: read_campaign(..., protocol='accuracy')"


class ResultsRequest(NamedTuple):
    """What somebody asks of results."""

    settings: AnalysisOptions
    by: str
    only: Sequence[str]
    answers: Filter
    marks: Marks


@dataclass(frozen=True, repr=False)
class Campaign:
    """A campaign that was read; `results(campaign)` computes its figures.

    `campaign["ratings"]` is a table of its observations; others are texts, choices, spans, comparisons, words, people.
    """

    name: str
    protocol: Protocol | None  # what was asked; None where files do not tell
    compute: Callable[[ResultsRequest], Results]
    observe: Callable[[], Mapping[str, Frame]]

    @cached_property
    def frames(self) -> Mapping[str, Frame]:
        """What counts of its observations, with every column; read once."""
        return self.observe()

    def __getitem__(self, table: str) -> Result:
        if table not in TABLES:
            raise NoSuchTable(name=table, why="", known=", ".join(TABLES))
        frame = self.frames[table]
        kinds = {column: kind_of(column, table) for column in frame.cells}
        columns = [_typed(cells, kinds[column]) for column, cells in frame.cells.items()]
        rows = tuple(zip(*columns, strict=True))
        title = f"{table.capitalize()} of {self.name or 'these tables'}: {TABLES[table].row}"
        return Result({table: Table(title, tuple(frame.cells), rows)}, frame=frame)

    def __iter__(self) -> Iterator[str]:
        """The tables that have rows."""
        return (name for name, frame in self.frames.items() if len(frame))

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(self.frames[name]):,} {name}" for name in self)
        return f"Campaign {self.name!r} ({self.protocol.id if self.protocol else 'protocol not known'}): {counts}"


def _typed(cells: Sequence[str], kind: CellKind) -> Sequence[object]:
    """Numbers as numbers, yes or no as such."""
    return cells if kind == "text" else [READERS[kind](cell) if cell else None for cell in cells]


def read_campaign(
    source: str | Path,
    name: str | None = None,
    *,
    format: str | None = None,  # noqa: A002
    protocol: Asked = None,
) -> Campaign:
    """A campaign from its database, from an export, or from a file of another tool.

    Args:
        source: A file, folder or zip archive that was exported; with `name`, a database: an SQLite file or a
            `postgresql://` address.
        name: Which campaign of the database.
        format: How it was written; `goldmark plugin list formats` names all. Without it: tidy where the protocol
            lies beside the tables, else jsonl.
        protocol: What was asked, for formats that do not say it.

    Returns:
        A campaign whose tables of observations are `campaign["ratings"]` and so on, for `results(campaign)`.
    """
    if "://" not in str(source) and not Path(source).exists():
        raise NoSuchFile(path=source, here=Path.cwd())
    if name is not None:
        return of_database(str(source), name)
    path, asked = Path(source), protocol_of(protocol)
    if format == "tidy" or (format is None and _is_tidy(path)):
        tables = _tidy(path)
        return of_tables(tables._replace(protocol=asked or tables.protocol), path.stem)
    from goldmark.campaigns.transfer.restore import read_record

    return of_record(read_record(path, format or "jsonl", asked))


def protocol_of(asked: Asked) -> Protocol | None:
    return load(asked) if isinstance(asked, str | Path) else asked


def _is_tidy(path: Path) -> bool:
    if path.suffix.lower() == ".zip":
        return PROTOCOL_FILE in read_files(path)
    return path.is_dir()


def _tidy(path: Path) -> GivenTables:
    if path.suffix.lower() != ".zip":
        return read_tables([path], without=())
    with tempfile.TemporaryDirectory(prefix="goldmark-tidy-") as folder:
        write_folder(Path(folder), read_files(path).items())
        return read_tables([Path(folder)], without=())


def of_database(address: str, name: str) -> Campaign:
    """A campaign that people may be working in: results are of what is there when they are asked for."""
    from goldmark.campaigns.transfer.observe import observe, observing

    def asking(work: Callable[[Store], Answer]) -> Answer:
        from goldmark.store import open_store
        from goldmark.store.migrate import prepare

        store = open_store(address)
        try:
            prepare(store)
            return work(store)
        finally:
            store.close()

    def compute(wanted: ResultsRequest) -> Results:
        settings, by, only, answers, marks = wanted
        return asking(lambda store: results_of(store, name, settings, by=by, wanted=answers, marks=marks, only=only))

    asked = asking(lambda store: observing(store, name, lambda source: source.protocol))
    return Campaign(name, asked, compute, lambda: asking(lambda store: observe(store, name, without=()).frames))


def of_record(record: CampaignRecord) -> Campaign:
    """A campaign in an export that holds everything, or in a file of another tool."""
    if record.protocol not in {one.id for one in record.protocols}:
        raise ProtocolNotSaid
    source = RecordSource(record)

    def compute(wanted: ResultsRequest) -> Results:
        _refuse_gold(wanted)
        title = str(record.settings.get("title") or source.campaign)
        found = collect(source, wanted.answers)
        excluded = record.exclusions()
        return assembled(title, found, wanted.settings, by=wanted.by, excluded=excluded, only=wanted.only)

    return Campaign(source.campaign, source.protocol, compute, lambda: collect(source, without=()).frames)


def of_tables(tables: GivenTables, name: str = "") -> Campaign:
    """A campaign in tidy tables."""

    def compute(wanted: ResultsRequest) -> Results:
        _refuse_gold(wanted)
        if wanted.answers.narrows:
            raise NotForThese(
                option="choosing systems, conditions, people or dates",
                or_else=" or a complete export",
                remedy="choose rows of your tables instead",
            )
        wants = wanted.answers
        found = counting(tables, tests=wants.tests, excluded=wants.excluded, models=wants.models)
        return results_of_tables(found, wanted.settings, by=wanted.by, only=wanted.only, title=name)

    return Campaign(name, tables.protocol, compute, lambda: tables.frames)


def _refuse_gold(wanted: ResultsRequest) -> None:
    if wanted.marks != "raw":
        raise NotForThese(option="marks='gold'", or_else="", remedy="give its address and its name to read_campaign")
