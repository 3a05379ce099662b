"""What a format is: a way to write a campaign to files, to read one from them, or both."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from goldmark.errors import GoldmarkError, Problem, ProblemList
from goldmark.exchange.campaign.archive import Files, Sources, as_sources
from goldmark.exchange.campaign.rows import Located, Row, rows_of
from goldmark.exchange.campaign.rows_read import record_of
from goldmark.exchange.responses.from_campaign import through
from goldmark.exchange.responses.given import ReadAnswers
from goldmark.observations.files import FileKind
from goldmark.records.campaigns import CampaignRecord

Written = Iterator[tuple[str, bytes]]  # files, each with its path inside the export
Write = Callable[[CampaignRecord, str | None], Written]
ReadRows = Callable[[Sources, list[Problem]], Iterator[Located]]  # the rows of these files, a few at a time
WriteRows = Callable[[Iterator[Row], Path], None]  # into files of an empty folder, of which little is held at a time


class OnlyAnswers(GoldmarkError):
    code = "EXCHANGE-04"
    message = (
        "no whole campaign can be read from this format; if it holds answers, create the campaign from its texts first "
        "and then bring them in with goldmark campaign import-answers"
    )


class NoFields(GoldmarkError):
    code = "EXCHANGE-06"
    message = "files of this format do not have texts in fields of any name, so none can be named ({text!r})"


class OnlyRead(GoldmarkError):
    code = "EXCHANGE-05"
    message = "a campaign's record cannot be written in this format; goldmark plugin list formats says what each is for"


def _not_written(record: CampaignRecord, question: str | None) -> Written:
    raise OnlyRead


def _not_read(files: Files) -> CampaignRecord:
    raise OnlyAnswers


def everything(write: Callable[[CampaignRecord], Written]) -> Write:
    """For formats that hold all questions."""
    return lambda record, question: write(record)


def by_rows(write: WriteRows) -> Write:
    """For formats that are written row by row: the same of a record that is all there."""

    def written(record: CampaignRecord, question: str | None) -> Written:
        with tempfile.TemporaryDirectory(prefix="goldmark-export-") as made:
            write(rows_of(record), Path(made))
            for path in sorted(Path(made).iterdir()):
                yield path.name, path.read_bytes()

    return written


def of_rows(read: ReadRows) -> Callable[[Files], CampaignRecord]:
    """For formats that are read row by row: a record that is all there."""

    def gathered(files: Files) -> CampaignRecord:
        problems: list[Problem] = ProblemList()
        return record_of(read(as_sources(files), problems), problems)

    return gathered


@dataclass(frozen=True)
class Format:
    """`complete` ones restore everything, the others what they carry. `single` ones are one file (what else they write
    stands beside it under that file's name), the others a folder.

    `write` takes the question whose spans are wanted, which only formats that hold one question look at. `answers`
    reads answers for a campaign that has its units; left out, they are those of the campaign that `read` gives.
    """

    name: str
    purpose: str
    write: Write = _not_written
    read: Callable[..., CampaignRecord] = _not_read  # of files; where `fields` says so, of a field's name, too
    answers: ReadAnswers | None = None
    complete: bool = False
    single: bool = False
    protocol: str = ""  # the built-in protocol that such files answer, where they are all of one method
    no_place: tuple[str, ...] = ()  # what of a campaign it cannot hold, as `left_out` counts it
    curator: str = ""  # under whose name files of whole projects have the gold list
    fields: bool = False  # its texts stand in fields of any name, so that the right one may have to be named
    tables: FileKind | None = None  # written as tables of observations, row by row from the database
    only_marks: bool = False  # it holds nothing else, so that a protocol that asks for none cannot use it
    keys: tuple[str, ...] = ()  # which of an object in JSON tell that it is a file of this format
    begins: str = ""  # or what such a file begins with
    rows: WriteRows | None = None  # how a campaign of any size is written, row by row from the database
    read_rows: ReadRows | None = None  # how a campaign of any size is read

    def read_files(self, files: Files, text: str | None = None) -> CampaignRecord:
        """The campaign in these files, with its text in the field of this name if one is given."""
        if text is None:
            return self.read(files)
        if not self.fields:
            raise NoFields(text=text)
        return self.read(files, text)

    @property
    def exports(self) -> bool:
        return self.tables is not None or self.write is not _not_written

    @property
    def imports(self) -> bool:
        return self.answers is not None or self.read is not _not_read

    @property
    def read_answers(self) -> ReadAnswers:
        return self.answers or through(self.read)
