"""Exports on disk: one file, a folder, or a zip archive of that folder; the same bytes for the same campaign."""

from __future__ import annotations

import gzip
import hashlib
import io
import re
import shutil
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, BinaryIO
from urllib.parse import quote

from goldmark.errors import Conflict, Failed, Missing
from goldmark.observations.folders import all_or_nothing
from goldmark.texts.readers.archives import open_zip
from goldmark.texts.readers.formats import inside

LIMIT_BYTES = 4 * 1024**3
MOST_FILES = 100_000  # in one archive
TIGHTEST = 200  # times smaller than what it unpacks to: ten times what texts or tables are ever packed to
UNSUSPICIOUS = 20_000_000  # bytes unpacked, at which packing does not matter
AT_ONCE = 1 << 20  # bytes of a file in memory while it is copied

Files = Mapping[str, bytes]  # by path inside the export, with forward slashes
Sources = Mapping[str, Callable[[], IO[bytes]]]  # the same files, to be opened and read one after the other


class TargetInUse(Conflict):
    code = "EXCHANGE-11"
    message = "{path} already exists; name a new one, so that nothing is overwritten"


class NothingToImport(Missing):
    code = "EXCHANGE-12"
    message = "{path} cannot be imported: {reason}"


class CannotWrite(Failed):
    code = "WRITE-01"
    message = "{path} cannot be written: {reason}"


@contextmanager
def _written(path: Path, *, over: bool = False) -> Iterator[BinaryIO]:
    """A new file to write to or, with `over`, also one that is there."""
    try:
        with path.open("wb" if over else "xb") as file:
            yield file
    except FileExistsError:
        raise TargetInUse(path=path) from None
    except OSError as error:
        raise CannotWrite(path=path, reason=error.strerror or str(error)) from None


def write_file(path: Path, content: bytes, *, over: bool = False) -> None:
    """Write a new file or, with `over`, also over one that is there."""
    with _written(path, over=over) as file:
        file.write(content)


def copy_file(source: Path, path: Path) -> None:
    """A file of any size to a place where none is."""
    with source.open("rb") as content, _written(path) as file:
        shutil.copyfileobj(content, file, AT_ONCE)


@contextmanager
def empty_folder(path: Path) -> Iterator[Path]:
    """A new folder, or one with nothing in it, that will hold everything or nothing."""
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise TargetInUse(path=path)
    with all_or_nothing(path):
        yield path


def write_folder(path: Path, files: Iterable[tuple[str, bytes]]) -> None:
    """Write files into a new or empty folder."""
    with empty_folder(path):
        for name, content in files:
            target = inside(path, name)
            target.parent.mkdir(parents=True, exist_ok=True)
            write_file(target, content)


def zipped(files: Iterable[tuple[str, bytes]]) -> bytes:
    """A zip archive that depends on the files alone: no times, no owners."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(_entry(name), content)
    return out.getvalue()


def zip_folder(folder: Path, path: Path) -> None:
    """The same of the files in a folder, of any size, as a new file."""
    with _written(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for one in sorted(folder.iterdir()):
            entry = _entry(one.name)
            entry.file_size = one.stat().st_size  # tells in time whether it needs the large form of an entry
            with one.open("rb") as source, archive.open(entry, "w") as target:
                shutil.copyfileobj(source, target, AT_ONCE)


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.create_system = 3
    entry.external_attr = 0o644 << 16
    return entry


def list_files(path: Path) -> list[str]:
    """The names of what `read_files` would read."""
    try:
        if path.is_dir():
            return [name for name, *_ in _in_folder(path)]
        if path.suffix.lower() != ".zip":
            return [path.name]
        with path.open("rb") as file, open_zip(file, most=MOST_FILES) as archive:
            return archive.namelist()
    except (OSError, zipfile.BadZipFile) as error:
        raise NothingToImport(path=path, reason=_reason(error)) from error


def without_archives(files: Files, *, limit_bytes: int = LIMIT_BYTES) -> dict[str, bytes]:
    """The files with what zip archives among them hold, each beside its archive; a file that is about somebody has
    that archive's name, whatever it is called inside: `TEXT/PERSON.zip` holds `TEXT/PERSON.xmi`.
    """
    plain: dict[str, bytes] = {}
    for path, content in files.items():
        if not path.lower().endswith(".zip"):
            plain[path] = content
            continue
        folder, slash, name = path.rpartition("/")
        try:
            with open_zip(io.BytesIO(content), most=MOST_FILES) as archive:
                held = _limited(_in_archive(archive), Path(path), limit_bytes)
        except (zipfile.BadZipFile, RuntimeError) as error:
            raise NothingToImport(path=path, reason=_reason(error)) from error
        limit_bytes -= sum(map(len, held.values()))
        for inner, one in held.items():
            ending = Path(inner).suffix.lower()
            kept = name[: -len(".zip")] + ending if ending in (".xmi", ".json") else Path(inner).name
            plain[f"{folder}{slash}{kept}"] = one
    return plain


def read_files(path: Path, *, limit_bytes: int = LIMIT_BYTES) -> dict[str, bytes]:
    """The files of an export by their path in it; a single file stands under its own name."""
    try:
        if path.is_dir():
            return _limited(_in_folder(path), path, limit_bytes)
        if path.suffix.lower() == ".zip":
            with path.open("rb") as file, open_zip(file, most=MOST_FILES) as archive:
                return _limited(_in_archive(archive), path, limit_bytes)
        return _limited(_alone(path), path, limit_bytes)
    except UNREADABLE as error:
        raise NothingToImport(path=path, reason=_reason(error)) from error


def _reason(error: Exception) -> str:
    if isinstance(error, zipfile.BadZipFile) and str(error) == "File is not a zip file":
        return "it is no zip archive, or not a whole one; download or pack it again"
    return str(error)


@contextmanager
def open_sources(path: Path, *, limit_bytes: int = LIMIT_BYTES) -> Iterator[Sources]:
    """What `read_files` reads, for those who go through large files and hold little of them."""
    try:
        if path.suffix.lower() == ".zip" and not path.is_dir():
            with path.open("rb") as file, open_zip(file, most=MOST_FILES) as archive:
                yield dict(_allowed(_in_archive(archive), path, limit_bytes))
        else:
            yield dict(_allowed(_in_folder(path) if path.is_dir() else _alone(path), path, limit_bytes))
    except UNREADABLE as error:
        raise NothingToImport(path=path, reason=_reason(error)) from error


def as_sources(files: Files) -> Sources:
    """Files that are in memory."""
    return {name: partial(io.BytesIO, content) for name, content in files.items()}


def unzipped(name: str, content: bytes, *, limit_bytes: int = LIMIT_BYTES) -> tuple[str, bytes]:
    """A file that was compressed by itself (.gz) as it was before; any other as it is."""
    if not name.lower().endswith(".gz"):
        return name, content
    limit_bytes = min(limit_bytes, max(UNSUSPICIOUS, TIGHTEST * len(content)))
    try:
        with gzip.open(io.BytesIO(content)) as file:
            plain = file.read(limit_bytes + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise NothingToImport(path=name, reason=str(error)) from error
    if len(plain) > limit_bytes:
        raise NothingToImport(path=name, reason="it is larger than the limit for imports")
    return name[:-3], plain


_Entry = tuple[str, int, Callable[[], IO[bytes]]]  # path, size, how to open it
UNREADABLE = (OSError, zipfile.BadZipFile, RuntimeError)  # RuntimeError: an archive with a password


def _limited(entries: Iterable[_Entry], path: Path, limit: int) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    for name, source in _allowed(entries, path, limit):
        with source() as file:
            files[name] = file.read()
    return files


def _allowed(entries: Iterable[_Entry], path: Path, limit: int) -> Iterator[tuple[str, Callable[[], IO[bytes]]]]:
    for name, size, source in entries:
        limit -= size
        if limit < 0:
            raise NothingToImport(path=path, reason="it is larger than the limit for imports")
        yield name, source


def _reading(path: Path) -> Callable[[], IO[bytes]]:
    return lambda: path.open("rb")


def _alone(path: Path) -> list[_Entry]:
    return [(path.name, path.stat().st_size, _reading(path))]


def _in_folder(path: Path) -> Iterator[_Entry]:
    for found in sorted(path.rglob("*")):
        relative = found.relative_to(path)
        if found.is_file() and not any(part.startswith(".") for part in relative.parts):
            target = inside(path, relative)
            yield relative.as_posix(), target.stat().st_size, _reading(target)


def _in_archive(archive: zipfile.ZipFile) -> Iterator[_Entry]:
    # zipfile never yields more than the size that an entry declares, so the sum of sizes is a true limit.
    entries = archive.infolist()
    whole = sum(entry.file_size for entry in entries)
    if whole > max(UNSUSPICIOUS, TIGHTEST * sum(entry.compress_size for entry in entries)):
        raise zipfile.BadZipFile(f"it would unpack to {whole:,} bytes, {TIGHTEST} times its size; pack what is needed")
    for entry in sorted(entries, key=lambda entry: entry.filename):
        if not entry.is_dir():
            yield entry.filename, entry.file_size, partial(archive.open, entry)


def safe_names(ids: Iterable[str], ending: str = "") -> dict[str, str]:
    """A file name for every id: the id itself where it can be one, and otherwise something near it that is unique.

    Names are told apart without regard to case, because some file systems have none.
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    for one in sorted(ids):  # so that the order in which they come does not matter
        plain = _EDGES.sub(lambda found: f"%{ord(found.group()):02X}", quote(one, safe=" ()+,=@&'!$#"))
        stem = plain.removesuffix(ending) if ending else plain
        name = stem + ending
        if not stem or len(name) > 150 or name.casefold() in taken or _DEVICES.fullmatch(stem.split(".")[0]):
            # A plain name has no "~" in it, so the two cannot meet.
            name = f"{stem[:100]}~{hashlib.sha256(one.encode()).hexdigest()[:32]}{ending}"
        taken.add(name.casefold())
        names[one] = name
    return names


_EDGES = re.compile(r"^[. ]|[. ]$|~")
_DEVICES = re.compile(r"con|prn|aux|nul|com\d|lpt\d", re.IGNORECASE)  # names that Windows keeps for itself
