"""A submission's outputs as they arrive: JSON lines, plain or packed, read line by line and checked whole.

Uploads are untrusted. Nothing here holds more than a line and the ids of the dataset, whatever the size of the file; a
packed file is unpacked only as far as the limit, so a small file cannot become a huge one.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

import orjson

from goldmark.errors import GoldmarkError, Problem, ProblemsFound
from goldmark.leaderboards.definition.tasks import AnswerReader
from goldmark.texts.readers.archives import TooManyFiles, open_zip
from goldmark.texts.segmentation.text import check_characters

LARGEST = 256_000_000  # bytes, unpacked
LONGEST_OUTPUT = 100_000  # characters
LONGEST_LINE = 12 * LONGEST_OUTPUT + 10_000  # every character may be written as two \uXXXX
MOST_PROBLEMS = 500
MOST_MEMBERS = 500  # of an archive in which there is one file of outputs, and what systems put beside it
SPARE_LINES = 10_000  # more than two for each item: empty ones, or too many
UTF_16 = (b"\xff\xfe", b"\xfe\xff")


class NotReadableUpload(GoldmarkError):
    code = "SUBMISSION-01"
    message = "{name} cannot be read: {why}"


def open_upload(path: Path) -> BinaryIO:
    """A file of this machine, as if it were sent."""
    try:
        return path.open("rb")
    except OSError as error:
        raise NotReadableUpload(name=path, why=error.strerror or error) from error


class UploadTooLarge(GoldmarkError):
    code = "SUBMISSION-02"
    message = "{name} holds more than {limit:,} bytes of outputs; was it packed from something else?"


@dataclass(frozen=True)
class Received:
    """What a file of outputs holds: one for every item, nothing else."""

    outputs: int
    digest: str


class _Limited(io.RawIOBase):
    """A stream that refuses to give more than so many bytes."""

    def __init__(self, source: BinaryIO, name: str, limit: int) -> None:
        self._source, self._name, self._limit, self._given = source, name, limit, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            some = self._source.read(len(buffer))
        except (zlib.error, EOFError, OSError, zipfile.BadZipFile, RuntimeError, NotImplementedError) as error:
            raise NotReadableUpload(name=self._name, why=f"it is packed, but broken ({error})") from error
        self._given += len(some)
        if self._given > self._limit:
            raise UploadTooLarge(name=self._name, limit=self._limit)
        buffer[: len(some)] = some
        return len(some)


@contextmanager
def unpacked(stream: BinaryIO, name: str, *, limit: int = LARGEST) -> Iterator[BinaryIO]:
    """The lines of a file that may be packed with gzip or zip; told by its first bytes, not by its name."""
    stream.seek(0)
    start = stream.read(4)
    stream.seek(0)
    if start[:2] == b"\x1f\x8b":
        with gzip.GzipFile(fileobj=stream, mode="rb") as inner:
            yield _buffered(cast(BinaryIO, inner), name, limit)
    elif start == b"PK\x03\x04":
        with _archive(stream, name) as archive, _only_member(archive, name) as member:
            yield _buffered(member, name, limit)
    elif start[:2] in UTF_16:
        raise NotReadableUpload(name=name, why="it is encoded as UTF-16; save it as UTF-8")
    else:
        yield _buffered(stream, name, limit)


def _buffered(source: BinaryIO, name: str, limit: int) -> BinaryIO:
    return cast(BinaryIO, io.BufferedReader(_Limited(source, name, limit), 1 << 18))


@contextmanager
def _archive(stream: BinaryIO, name: str) -> Iterator[zipfile.ZipFile]:
    try:
        archive = open_zip(stream, most=MOST_MEMBERS)
    except TooManyFiles as error:
        raise NotReadableUpload(name=name, why=f"{error}; pack the one file of outputs") from error
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise NotReadableUpload(name=name, why=f"it is no zip archive ({error})") from error
    with archive:
        yield archive


@contextmanager
def _only_member(archive: zipfile.ZipFile, name: str) -> Iterator[BinaryIO]:
    files = [one for one in archive.infolist() if not one.is_dir() and not one.filename.startswith("__MACOSX/")]
    if len(files) != 1:
        raise NotReadableUpload(name=name, why=f"the archive holds {len(files)} files; pack the one file of outputs")
    try:
        with archive.open(files[0]) as member:
            yield cast(BinaryIO, member)
    except (RuntimeError, NotImplementedError, zipfile.BadZipFile) as error:  # a password, an unknown packing
        raise NotReadableUpload(name=name, why=f"the archive cannot be opened ({error})") from error


def check_outputs(
    stream: BinaryIO, name: str, items: Sequence[str], *, reader: AnswerReader | None = None, limit: int = LARGEST
) -> Received:
    """Every item answered once and nothing else, or `ProblemsFound` with all that is wrong.

    A `reader` reads answers of a task; without one, outputs are texts.
    """
    positions = {item: position for position, item in enumerate(items)}
    seen: dict[int, int] = {}  # position: line
    digests: list[bytes] = [b""] * len(items)
    problems = _Problems(name)
    with unpacked(stream, name, limit=limit) as lines:
        for number, line in _lines(lines, name, len(items)):
            found = _output(line, number, positions, problems, reader)
            if found is None:
                continue
            position, output = found
            if position in seen:
                what = f'"{items[position]}" was already answered on line {seen[position]}'
                problems.add(number, what, "keep one of the two", "id")
                continue
            seen[position] = number
            digests[position] = hashlib.sha256(output.encode()).digest()
    for position, item in enumerate(items):
        if position not in seen:
            problems.add(None, f'there is no output for "{item}"', "every item of the dataset needs one", "id")
    problems.raise_if_any()
    return Received(len(items), hashlib.sha256(b"".join(digests)).hexdigest())


def read_outputs(
    stream: BinaryIO, name: str, items: Sequence[str], *, reader: AnswerReader | None = None, limit: int = LARGEST
) -> Iterator[tuple[int, str]]:
    """Position and text of every output, in the order of the file, which `check_outputs` has found right."""
    positions = {item: position for position, item in enumerate(items)}
    with unpacked(stream, name, limit=limit) as lines:
        for number, line in _lines(lines, name, len(items)):
            found = _output(line, number, positions, _Problems(name), reader)
            if found is not None:
                yield found


class _Problems:
    """All problems, up to a number that a person can still read."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.found: list[Problem] = []
        self.more = 0

    def add(self, line: int | None, what: str, remedy: str = "", part: str = "") -> None:
        if len(self.found) >= MOST_PROBLEMS:
            self.more += 1
            return
        where = self.name if line is None else f"{self.name}:{line}"
        self.found.append(Problem(where, what, remedy, part))

    def raise_if_any(self) -> None:
        if self.more:
            self.found.append(Problem(self.name, f"{self.more:,} more problems of these kinds"))
        if self.found:
            raise ProblemsFound(self.found, consequence="nothing was submitted")


def _lines(stream: BinaryIO, name: str, items: int) -> Iterator[tuple[int, bytes]]:
    """Lines that are not empty, by their numbers. A few kilobytes unpack to millions, which take minutes to count."""
    number, most = 0, 2 * items + SPARE_LINES
    while line := stream.readline(LONGEST_LINE + 1):
        number += 1
        if number > most:
            raise NotReadableUpload(name=name, why=f"it has more than {most:,} lines, and the board {items:,} items")
        if len(line) > LONGEST_LINE:
            raise NotReadableUpload(
                name=name, why=f"line {number} has more than {LONGEST_LINE:,} bytes; is it JSON lines, one a line?"
            )
        if number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")
        if line.strip():
            yield number, line


def _output(
    line: bytes, number: int, positions: Mapping[str, int], problems: _Problems, reader: AnswerReader | None
) -> tuple[int, str] | None:
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        problems.add(
            number,
            f"byte {error.start + 1} of the line (0x{line[error.start]:02x}) is not UTF-8",
            "save the file as UTF-8",
        )
        return None
    try:
        values = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        problems.add(number, f"the line is not JSON: {error.msg}", 'write {"id": ..., "output": ...} on each line')
        return None
    if not isinstance(values, dict) or "id" not in values or (reader is None and "output" not in values):
        keys = ", ".join(map(str, list(values)[:6])) if isinstance(values, dict) else "no object"
        problems.add(number, f"the line has {keys or 'no key'}", 'it needs "id" and "output"')
        return None
    name = values["id"] if reader is None else reader.name_of(values)
    if isinstance(name, int) and not isinstance(name, bool):
        name = str(name)
    if not isinstance(name, str) or name not in positions:
        problems.add(number, f'"{str(name)[:80]}" is no item of this board', "leave the line out", "id")
        return None
    try:
        output = values["output"] if reader is None else reader.read(name, values)
    except ValueError as error:
        problems.add(number, f'the answer for "{name}" cannot be read: {error}', part="output")
        return None
    if not isinstance(output, str):
        problems.add(number, f'the output for "{name}" is not text', "write it in quotation marks", "output")
        return None
    if not output.strip():
        problems.add(number, f'the output for "{name}" is empty', "a system has to answer every item", "output")
        return None
    if len(output) > LONGEST_OUTPUT:
        problems.add(
            number,
            f'the output for "{name}" has {len(output):,} characters',
            f"{LONGEST_OUTPUT:,} are allowed",
            "output",
        )
        return None
    try:
        check_characters(output, "the output")
    except GoldmarkError as error:
        problems.add(number, str(error), part="output")
        return None
    return positions[name], output
