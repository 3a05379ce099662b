"""The formats by name, and the two verbs: export a campaign, import a campaign."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from goldmark.errors import GoldmarkError, Kind
from goldmark.exchange import (
    appraise,
    factgenie,
    gsml,
    gsml_answers,
    jsonlines,
    label_studio,
    mqm,
    pearmut,
    tabular,
    thresh,
    tidy_answers,
    webanno,
)
from goldmark.exchange.answers import ReadAnswers
from goldmark.exchange.carried_answers import through
from goldmark.exchange.packing import LIMIT_BYTES, Files, read_files, write_file, write_folder, zipped
from goldmark.exchange.projects import answers_of
from goldmark.records.campaigns import CampaignRecord

Written = Iterator[tuple[str, bytes]]


class UnknownExportFormat(GoldmarkError):
    code = "EXCHANGE-03"
    kind = Kind.MISSING
    message = 'there is no format "{name}"; the known ones are {known}'


class OnlyAnswers(GoldmarkError):
    code = "EXCHANGE-04"
    message = (
        '"{name}" holds answers without their texts; create the campaign from its texts first, and then bring in the '
        "answers with goldmark campaign import-answers"
    )


@dataclass(frozen=True)
class Format:
    """A way to write a campaign. `complete` ones restore everything; the others restore what they carry.

    `single` formats are one file; the others a folder, or a zip archive of it. `write` takes the question whose spans
    are wanted, which only formats that hold one question look at.
    """

    name: str
    purpose: str
    complete: bool
    single: bool
    write: Callable[[CampaignRecord, str | None], Written]
    read: Callable[[Files], CampaignRecord]


@dataclass(frozen=True)
class ImportFormat:
    """A way to read annotations: a whole campaign, answers for a campaign that has its units, or both.

    `protocol` is the built-in protocol that such files answer, where they are all of one method.
    """

    name: str
    purpose: str
    read: Callable[[Files], CampaignRecord] | None
    answers: ReadAnswers
    protocol: str = ""


FORMATS: dict[str, Format] = {}
IMPORTS: dict[str, ImportFormat] = {}


def register(one: Format) -> Format:
    """Add a format that is written and read; a plug-in does the same."""
    FORMATS[one.name] = one
    register_import(ImportFormat(one.name, one.purpose, one.read, through(one.read)))
    return one


def register_import(one: ImportFormat) -> ImportFormat:
    """Add a format that is only read, or read answers of a known one in a way of its own; a plug-in does the same."""
    IMPORTS[one.name] = one
    return one


def find_format(name: str) -> Format:
    try:
        return FORMATS[name]
    except KeyError:
        raise UnknownExportFormat(name=name, known=", ".join(sorted(FORMATS))) from None


def find_import(name: str) -> ImportFormat:
    try:
        return IMPORTS[name]
    except KeyError:
        raise UnknownExportFormat(name=name, known=", ".join(sorted(IMPORTS))) from None


def export_files(record: CampaignRecord, format_name: str, *, question: str | None = None) -> Written:
    """The files of an export, each with its path inside it."""
    return find_format(format_name).write(record, question)


def export_bytes(record: CampaignRecord, format_name: str, *, question: str | None = None) -> tuple[str, bytes]:
    """An export to download: a name, and the file itself or a zip archive of its folder."""
    found = find_format(format_name)
    files = found.write(record, question)
    return next(files) if found.single else (f"{found.name}.zip", zipped(files))


def export_campaign(record: CampaignRecord, format_name: str, path: Path, *, question: str | None = None) -> None:
    """Write a campaign to a new file, or to a new folder, or to a zip archive if the path ends in .zip."""
    found = find_format(format_name)
    if found.single or path.suffix.lower() == ".zip":
        write_file(path, export_bytes(record, format_name, question=question)[1])
    else:
        write_folder(path, found.write(record, question))


def import_campaign(path: Path, format_name: str, *, limit_bytes: int = LIMIT_BYTES) -> CampaignRecord:
    """Read a campaign back; raises `ProblemsFound` with everything that is wrong, and then reads nothing."""
    found = find_import(format_name)
    if found.read is None:
        raise OnlyAnswers(name=format_name)
    return found.read(read_files(path, limit_bytes=limit_bytes))


def _everything(write: Callable[[CampaignRecord], Written]) -> Callable[[CampaignRecord, str | None], Written]:
    return lambda record, question: write(record)


for one in (
    Format("jsonl", "everything, one row a line", True, True, _everything(jsonlines.write), jsonlines.read),
    Format("csv", "everything, a table for each kind", True, False, _everything(tabular.write_csv), tabular.read_csv),
    Format(
        "parquet", "everything, typed tables", True, False, _everything(tabular.write_parquet), tabular.read_parquet
    ),
    Format("gsml", "final spans as a mistake list with its texts", False, False, gsml.write, gsml.read),
    Format("webanno-tsv", "final spans for WebAnno and INCEpTION", False, False, webanno.write, webanno.read),
    Format("label-studio", "final responses as tasks", False, True, _everything(label_studio.write), label_studio.read),
):
    register(one)

for reader in (
    ImportFormat("tidy", "a row for each unit and annotator, a column for each question", None, tidy_answers.read),
    ImportFormat("gsml", "everybody's mistakes as a list with ANNOTATOR", gsml.read, gsml_answers.read),
    ImportFormat("mqm", "MQM ratings as TSV, errors in <v>...</v>", mqm.read, answers_of(mqm.project), mqm.PROTOCOL),
    ImportFormat("factgenie", "factgenie's lines of outputs and annotations", factgenie.read, factgenie.answers),
    ImportFormat("pearmut", "pearmut's lines of annotations", pearmut.read, answers_of(pearmut.project)),
    ImportFormat("appraise", "Appraise's document tasks as JSON lines", appraise.read, answers_of(appraise.project)),
    ImportFormat("thresh", "thresh's lists of edits, with its template", thresh.read, answers_of(thresh.project)),
):
    register_import(reader)
