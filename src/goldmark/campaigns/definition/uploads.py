"""Campaigns and texts that arrive as uploaded files or inside a request.

Whatever the door, the files are put into a folder of their own and read the same way as from a disk, so every check and
every message is the same. The folder is gone afterwards.
"""

from __future__ import annotations

import errno
import json
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, NamedTuple, TypeVar

from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.campaigns.definition.file import Check, create_planned, nothing_else, read_campaign
from goldmark.campaigns.definition.units.additions import add_texts
from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.errors import GoldmarkError, Problem, ProblemsFound
from goldmark.records.units import Unit
from goldmark.store import Store, open_store
from goldmark.texts.readers.confined import confined
from goldmark.texts.readers.sheets.columns import UploadedSheet, first_rows, write_mapped
from goldmark.texts.readers.units import read_units

SMALL = 250_000  # bytes; if all of them are tokens, a second of work that others feel
LONGEST_NAME, LONGEST_PATH = 200, 1_000  # bytes, as disks count
OF_NAMES = frozenset({errno.ENAMETOOLONG, errno.EEXIST, errno.EISDIR, errno.ENOTDIR})  # a full disk is none of these
PACKED = frozenset({".parquet", ".pq", ".xlsx", ".xlsm", ".zip", ".gz"})
PACKED_BEGINNINGS = (b"PK", b"PAR1", b"\x1f\x8b")
CAMPAIGN_ENDINGS = (".yaml", ".yml")
CAMPAIGN_FILE = "campaign.yaml"
TEXTS_FILE = "texts.jsonl"
PROTOCOL_FILE = "protocol.yaml"
SUGGESTIONS_FOLDER = "suggestions"
TABLE_ENDINGS = (".csv", ".tsv", ".xlsx", ".xlsm", ".parquet", ".pq")

Given = TypeVar("Given")


class NoCampaignFile(GoldmarkError):
    code = "UPLOAD-01"
    message = "among the files ({names}) there is no campaign file; it is called campaign.yaml, or it is the only .yaml"


class FileNameNotUsable(GoldmarkError):
    code = "UPLOAD-02"
    message = "a file cannot be called {name!r} here; give it a short, plain name without '..' that no folder has"


class NoTexts(GoldmarkError):
    code = "UPLOAD-03"
    message = "no file with texts was given; choose a JSONL, CSV or Parquet file, or text files"


class NothingUploaded(GoldmarkError):
    code = "UPLOAD-04"
    message = "no file with {what} was given; choose one"


class Uploaded(NamedTuple):
    """A file as it arrives."""

    name: str
    content: BinaryIO


def create_from_files(
    store: Store, files: Sequence[Uploaded], also: Check = nothing_else, *, author: str
) -> CampaignRow:
    """Create the campaign in uploaded files: its campaign file, texts, and a protocol if it has its own."""
    with _folder() as folder:
        names = _put(folder, files)
        file = _campaign_file(names)
        return import_upload(store, ContentCache(store), _create_there, file, folder, also=also, author=author)


def create_from_parts(
    store: Store,
    settings: Mapping[str, Any],
    files: Sequence[Uploaded] = (),
    *,
    rows: Iterable[Mapping[str, Any]] = (),
    protocol: Mapping[str, Any] | str | None = None,
    suggestions: Uploaded | None = None,
    also: Check = nothing_else,
    author: str,
) -> CampaignRow:
    """Create a campaign from what a form or a request says; see `campaign_folder`."""
    with campaign_folder(settings, files, rows=rows, protocol=protocol, suggestions=suggestions) as file:
        work = (_create_there, file.name, file.parent)
        return import_upload(store, ContentCache(store), *work, also=also, author=author)


def _create_there(
    store: Store, content: ContentCache, file: str, folder: Path, *, also: Check, author: str
) -> CampaignRow:
    return create_planned(store, read_campaign(folder / file, also), author=author)


@contextmanager
def campaign_folder(
    settings: Mapping[str, Any],
    files: Sequence[Uploaded] = (),
    *,
    rows: Iterable[Mapping[str, Any]] = (),
    protocol: Mapping[str, Any] | str | None = None,
    suggestions: Uploaded | None = None,
) -> Iterator[Path]:
    """A campaign file for a while, with all that it names; texts come as files, or as the rows of a JSONL file.

    `settings` are the keys of a campaign file; `protocol`, if given, is the content of a protocol file of its own, or
    its text; `suggestions` are a mistake list about the texts.
    """
    with _folder() as folder:
        names = _put(folder, files) + _put_rows(folder, rows)
        if not names:
            raise NoTexts
        texts = {**settings.get("texts", {}), "path": names if len(names) > 1 else names[0]}
        if protocol is not None:
            if isinstance(protocol, str):
                _write(folder / PROTOCOL_FILE, protocol)
            else:
                _write_json(folder / PROTOCOL_FILE, protocol)
            settings = {**settings, "protocol": PROTOCOL_FILE}
        if suggestions is not None:  # in a folder of its own: texts may come in a file of the same name
            [listed] = _put(folder, [suggestions._replace(name=f"{SUGGESTIONS_FOLDER}/{suggestions.name}")])
            settings = {**settings, "suggestions": listed}
        _write_json(folder / CAMPAIGN_FILE, {**settings, "texts": texts})
        yield folder / CAMPAIGN_FILE


def uploaded_sheet(files: Sequence[Uploaded]) -> UploadedSheet | None:
    """The first rows of an upload that is one table; nothing if it is anything else."""
    with _one_table(files) as path:
        return None if path is None else read_upload(first_rows, path)


@contextmanager
def mapped_texts(
    files: Sequence[Uploaded], roles: Mapping[str, str], context: Sequence[str]
) -> Iterator[Sequence[Uploaded]]:
    """The one table that was uploaded as a file of texts, by what its columns are; other files as they are."""
    with _one_table(files) as path:
        if path is None:
            yield files
            return
        target = path.parent / "mapped"
        read_upload(partial(write_mapped, target=target, roles=dict(roles), context=list(context)), path)
        with target.open("rb") as content:
            yield [Uploaded(TEXTS_FILE, content)]


@contextmanager
def _one_table(files: Sequence[Uploaded]) -> Iterator[Path | None]:
    with _folder() as folder:
        names = _put(folder, files)
        for file in files:
            file.content.seek(0)
        one = len(names) == 1 and names[0].lower().endswith(TABLE_ENDINGS)
        yield folder / names[0] if one else None


def add_uploaded(
    store: Store,
    name: str,
    files: Sequence[Uploaded] = (),
    *,
    rows: Iterable[Mapping[str, Any]] = (),
    tokeniser: str,
    sentences: str,
    author: str,
) -> int:
    """More texts for a campaign, as files or as rows; all of them or none."""
    with _folder() as folder:
        names = _put(folder, files) + _put_rows(folder, rows)
        if not names:
            raise NoTexts
        how = {"names": names, "tokeniser": tokeniser, "sentences": sentences, "author": author}
        return import_upload(store, ContentCache(store), _add_there, name, folder, **how)


def _add_there(
    store: Store, content: ContentCache, name: str, folder: Path, *, names: Sequence[str], **how: Any
) -> int:
    return add_texts(store, name, [folder / one for one in names], **how)


def units_from_rows(rows: Iterable[Mapping[str, Any]], *, tokeniser: str, sentences: str) -> list[Unit]:
    """Units inside a request, each row as a line of a JSONL file has it."""
    with _folder() as folder:
        paths = [folder / one for one in _put_rows(folder, rows)]
        return read_units(paths, tokeniser=tokeniser, sentences=sentences)


def units_from_files(files: Sequence[Uploaded]) -> list[Unit]:
    """Units in uploaded files."""
    with _folder() as folder:
        names = _put(folder, files)
        if not names:
            raise NoTexts
        return read_upload(read_units, [folder / one for one in names])


def read_upload(read: Callable[[Any], Given], where: Path | Sequence[Path]) -> Given:
    """Read uploaded files; what could be more than it seems, in a process that may not use up the machine."""
    files = _all_files(where.parent if isinstance(where, Path) else where[0].parent)
    return read(where) if _harmless(files) else confined(_named(files), read, where)


def import_upload(
    store: Store, content: ContentCache, work: Callable[..., Given], name: str, path: Path, **options: Any
) -> Given:
    """What `work` makes of an upload that goes into a campaign. If it could be more than it seems, all of that happens
    in a process that may not use up the machine, with a way of its own to the database."""
    files = [
        *_all_files(path),
        *(one for given in options.values() if isinstance(given, Path) for one in _all_files(given)),
    ]
    if _harmless(files):
        return work(store, content, name, path, **options)
    address = store.url.render_as_string(hide_password=False)
    made: Given = confined(_named(files), _import_there, address, work, name, path, options)
    return made


def _import_there(address: str, work: Callable[..., Given], name: str, path: Path, options: Mapping[str, Any]) -> Given:
    store = open_store(address)
    try:
        return work(store, ContentCache(store), name, path, **options)
    finally:
        store.close()


def _all_files(place: Path) -> list[Path]:
    return [place] if place.is_file() else [path for path in place.rglob("*") if path.is_file()]


def _harmless(files: Sequence[Path]) -> bool:
    small = sum(path.stat().st_size for path in files) <= SMALL
    return small and not any(path.suffix.lower() in PACKED or _begins_packed(path) for path in files)


def _begins_packed(path: Path) -> bool:
    """Whatever it is called: a reader may look into a file and not at its name."""
    with path.open("rb") as file:
        return file.read(4).startswith(PACKED_BEGINNINGS)


def _named(files: Sequence[Path]) -> str:
    return ", ".join(path.name for path in files[:3])


@contextmanager
def unpacked(files: Sequence[Uploaded], what: str) -> Iterator[Path]:
    """Uploaded files for a while: the file itself if it is one, else a folder of them. `what` they should hold."""
    if not files:
        raise NothingUploaded(what=what)
    with _folder() as folder:
        names = _put(folder, files)
        yield folder / names[0] if len(names) == 1 else folder


@contextmanager
def put_in_folder(files: Sequence[Uploaded]) -> Iterator[tuple[Path, list[str]]]:
    """Uploaded files in a folder for a while, and their names there."""
    with _folder() as folder:
        yield folder, _put(folder, files)


@contextmanager
def _folder() -> Iterator[Path]:
    """A folder for a while. Problems found in it are told without its path, which means nothing to the uploader."""
    with tempfile.TemporaryDirectory(prefix="goldmark-upload-") as made:
        folder = Path(made).resolve()
        try:
            yield folder
        except ProblemsFound as error:
            raise error.told_as(_without(folder, problem) for problem in error.problems) from error
        except GoldmarkError as error:
            facts = {name: str(fact) if isinstance(fact, Path) else fact for name, fact in error.facts.items()}
            error.facts = {name: _here(folder, fact) for name, fact in facts.items()}
            error.args = tuple(_here(folder, said) for said in error.args)
            raise


def _without(folder: Path, problem: Problem) -> Problem:
    told = (problem.where, problem.what, problem.remedy, problem.part)
    return Problem(*(_here(folder, one) for one in told))


def _here(folder: Path, told: Any) -> Any:
    return told.replace(f"{folder}/", "") if isinstance(told, str) else told


def _put(folder: Path, files: Sequence[Uploaded]) -> list[str]:
    names = []
    for file in files:
        name = _safe_name(file.name)
        path = folder / name
        with _named_so(name):
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("wb") as target:
                shutil.copyfileobj(file.content, target)
        names.append(name)
    return names


@contextmanager
def _named_so(name: str) -> Iterator[None]:
    """What a disk has against a name is told as such, also that a file and a folder are called alike."""
    try:
        yield
    except OSError as error:
        if error.errno not in OF_NAMES:
            raise
        raise FileNameNotUsable(name=name[:200]) from error


def _put_rows(folder: Path, rows: Iterable[Mapping[str, Any]]) -> list[str]:
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    if not lines:
        return []
    _write(folder / TEXTS_FILE, "\n".join(lines))
    return [TEXTS_FILE]


def _write_json(path: Path, data: Mapping[str, Any]) -> None:
    """JSON is YAML; one key a line, so that a message can name the line."""
    _write(path, json.dumps(data, ensure_ascii=False, indent=2))


def _write(path: Path, text: str) -> None:
    with _named_so(path.name):
        path.write_text(text, encoding="utf-8")


def _safe_name(name: str) -> str:
    if not name.isprintable() or len(name.encode()) > LONGEST_PATH:
        raise FileNameNotUsable(name=name[:200])
    parts = PurePosixPath(name.replace("\\", "/")).parts
    if not parts or any(part in ("..", "/") or part[0] == "." or len(part.encode()) > LONGEST_NAME for part in parts):
        raise FileNameNotUsable(name=name[:200])
    return "/".join(parts)


def _campaign_file(names: Sequence[str]) -> str:
    candidates = [name for name in names if name.lower().endswith(CAMPAIGN_ENDINGS)]
    named = [name for name in candidates if PurePosixPath(name).stem == "campaign"]
    if len(named) == 1:
        return named[0]
    if len(candidates) == 1:
        return candidates[0]
    raise NoCampaignFile(names=", ".join(names) or "none were given")
