"""The formats by name, and the two verbs: export a campaign, import a campaign.

A format is a module with a `Format`, a line here, and its part of docs/reference/export-formats.md; pages, commands and
the API take it from there.
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from goldmark.errors import Problem, ProblemList, ProblemsFound
from goldmark.exchange.campaign.archive import (
    LIMIT_BYTES,
    Files,
    TargetInUse,
    copy_file,
    empty_folder,
    open_sources,
    read_files,
    write_file,
    write_folder,
    zip_folder,
    zipped,
)
from goldmark.exchange.campaign.rows import Row
from goldmark.exchange.campaign.rows_read import record_of
from goldmark.exchange.format import Format, OnlyAnswers, OnlyRead
from goldmark.exchange.looks_like import beginnings, looks_like
from goldmark.plugins import Group
from goldmark.records.campaigns import CampaignRecord

_log = logging.getLogger(__name__)

FORMATS: Group[Format] = Group(
    "formats",
    "format",
    Format,
    {
        "jsonl": "goldmark.exchange.campaign.jsonlines:JSONL",
        "csv": "goldmark.exchange.campaign.tabular:CSV",
        "parquet": "goldmark.exchange.campaign.tabular:PARQUET",
        "tidy": "goldmark.exchange.responses.tidy:TIDY",
        "tidy-parquet": "goldmark.exchange.responses.tidy:TIDY_PARQUET",
        "gsml": "goldmark.exchange.responses.gsml:GSML",
        "webanno-tsv": "goldmark.exchange.campaign.webanno:WEBANNO",
        "cas": "goldmark.exchange.campaign.cas:CAS",
        "label-studio": "goldmark.exchange.label_studio.format:LABEL_STUDIO",
        "label-studio-config": "goldmark.exchange.label_studio.format:LABEL_STUDIO_CONFIG",
        "mqm": "goldmark.exchange.foreign_projects.translation.mqm:MQM",
        "factgenie": "goldmark.exchange.foreign_projects.factgenie:FACTGENIE",
        "pearmut": "goldmark.exchange.foreign_projects.translation.pearmut:PEARMUT",
        "appraise": "goldmark.exchange.foreign_projects.translation.appraise:APPRAISE",
        "doccano": "goldmark.exchange.foreign_projects.doccano:DOCCANO",
        "potato": "goldmark.exchange.foreign_projects.potato:POTATO",
        "argilla": "goldmark.exchange.foreign_projects.argilla:ARGILLA",
        "thresh": "goldmark.exchange.foreign_projects.thresh:THRESH",
    },
    lambda found, name: "" if found.exports or found.imports else "it can be neither written nor read",
    lambda found: f"{found.purpose} ({' and '.join(['export'] * found.exports + ['import'] * found.imports)})",
)


def exports() -> dict[str, Format]:
    """The formats that a campaign can be written in."""
    return {name: one for name, one in FORMATS.usable().items() if one.exports}


def imports() -> dict[str, Format]:
    """The formats that answers, and most of them whole campaigns, can be read from."""
    return {name: one for name, one in FORMATS.usable().items() if one.imports}


def export_bytes(record: CampaignRecord, format_name: str, *, question: str | None = None) -> tuple[str, bytes]:
    """An export to download: a name, and the file itself or a zip archive of its folder."""
    found = FORMATS.find(format_name)
    files = found.write(record, question)
    return next(files) if found.single else (f"{found.name}.zip", zipped(files))


def export_campaign(record: CampaignRecord, format_name: str, path: Path, *, question: str | None = None) -> None:
    """Write a campaign to a new file, or to a new folder, or to a zip archive if the path ends in .zip."""
    found = FORMATS.find(format_name)
    if found.single:
        (_, content), *beside = found.write(record, question)
        write_file(path, content)
        for name, more in beside:
            write_file(path.with_name(f"{path.stem}.{name}"), more)
    elif path.suffix.lower() == ".zip":
        write_file(path, export_bytes(record, format_name, question=question)[1])
    else:
        write_folder(path, found.write(record, question))


def export_rows(rows: Iterator[Row], format_name: str, path: Path) -> None:
    """The same row by row, in a format that is written so, whatever the size of the campaign."""
    found = FORMATS.find(format_name)
    if found.rows is None:
        raise OnlyRead
    if not found.single and path.suffix.lower() != ".zip":
        with empty_folder(path) as folder:
            found.rows(rows, folder)
        return
    if path.exists():  # before the work, not after it
        raise TargetInUse(path=path)
    with tempfile.TemporaryDirectory(prefix="goldmark-export-") as made:
        found.rows(rows, Path(made))
        if found.single:
            (file,) = Path(made).iterdir()
            copy_file(file, path)
        else:
            zip_folder(Path(made), path)


def spool_campaign(path: Path, format_name: str) -> CampaignRecord:
    """The same of a campaign of any size, in a format that is read row by row: what was read waits in files."""
    found = FORMATS.find(format_name)
    if found.read_rows is None:
        raise OnlyAnswers
    problems: list[Problem] = ProblemList()
    with open_sources(path) as sources, recognising(format_name, lambda: beginnings(sources)):
        return record_of(found.read_rows(sources, problems), problems, spooled=True)


def import_campaign(
    path: Path, format_name: str, *, text: str | None = None, limit_bytes: int = LIMIT_BYTES
) -> CampaignRecord:
    """Read a campaign back; raises `ProblemsFound` with everything that is wrong, and then reads nothing."""
    found = FORMATS.find(format_name)
    files = read_files(path, limit_bytes=limit_bytes)
    with recognising(format_name, lambda: files):
        return found.read_files(files, text)


@contextmanager
def in_words(format_name: str) -> Iterator[None]:
    """Other tools' files are nested deeply, and anything may stand where something else belongs: told, not a crash.

    It is logged with its traceback, since it may be our reader that is wrong.
    """
    try:
        yield
    except (AttributeError, TypeError, LookupError, ValueError, ArithmeticError, RecursionError) as error:
        _log.warning("a file of the format %s was not understood", format_name, exc_info=error)
        what = f"something in it is of another kind than {format_name} has there"
        remedy = "export it again and change nothing by hand; if that does not help, report it with the file"
        raise ProblemsFound([Problem("the import", what, remedy)], "nothing was imported") from error


@contextmanager
def recognising(format_name: str, files: Callable[[], Files]) -> Iterator[None]:
    """Files that are refused as one format and look like another are refused with a word about that."""
    try:
        with in_words(format_name):
            yield
    except ProblemsFound as error:
        other = looks_like(files(), imports().values())
        if other is None or other == format_name:
            raise
        hint = f"{error.facts['consequence']}; this looks like a file of another format: try --format {other}"
        raise ProblemsFound(error.problems, hint) from None
