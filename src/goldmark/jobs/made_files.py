"""Files that jobs make for people to fetch: on disk beside the database, until a day has passed.

A server and its workers share a folder. On several machines it must be one that all of them see: GOLDMARK_FILES.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from goldmark.errors import Conflict, Failed, Missing
from goldmark.jobs.queue import Job
from goldmark.store import Store
from goldmark.store.engine import SqliteStore

KEPT = 24 * 3600  # seconds
MAKING = "goldmark-making-"  # how folders begin in which files are made


class NotMadeYet(Conflict):
    code = "JOB-06"
    message = "job {number} is {state}; its file can be fetched once it is done"


class FileGone(Missing):
    code = "JOB-07"
    message = (
        "the file of job {number} is not on this server: it is kept for a day, and on several machines GOLDMARK_FILES "
        "must be a folder that all of them see; have it made again"
    )


class FolderNotOurs(Failed):
    code = "JOB-08"
    message = "{folder} belongs to another user of this machine; say with GOLDMARK_FILES where files may be put"


class MadeFile(NamedTuple):
    """What a job that made a file returns."""

    file: str  # its name in the folder
    name: str  # what people should save it as
    bytes: int


def files_folder(store: Store) -> Path:
    """Where the files of this database's jobs are."""
    said = os.environ.get("GOLDMARK_FILES")
    if said:
        folder = Path(said)
    elif isinstance(store, SqliteStore):
        folder = store.path.with_name(f"{store.path.name}-files")
    else:
        known = hashlib.sha256(store.address.encode()).hexdigest()[:16]
        folder = Path(tempfile.gettempdir()) / f"goldmark-files-{known}"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not said and hasattr(os, "getuid") and folder.stat().st_uid != os.getuid():
        raise FolderNotOurs(folder=folder)
    return folder


def sweep_files(folder: Path) -> None:
    """Away with what nobody fetched within a day, and with what a worker left who was killed while it made one."""
    for path in folder.iterdir():
        try:
            if time.time() - path.stat().st_mtime <= KEPT:
                continue
            if path.is_file():
                path.unlink(missing_ok=True)
            elif path.name.startswith(MAKING):
                shutil.rmtree(path, ignore_errors=True)
        except FileNotFoundError:  # another worker was faster
            continue


def file_of(store: Store, job: Job) -> tuple[Path, MadeFile]:
    """The file that a job has made."""
    if job.state != "done":
        raise NotMadeYet(number=job.id, state=job.state)
    found: Any = job.result
    try:
        made = MadeFile(**found)
    except TypeError:
        raise FileGone(number=job.id) from None
    path = files_folder(store) / Path(made.file).name
    if not path.is_file():
        raise FileGone(number=job.id)
    return path, made
