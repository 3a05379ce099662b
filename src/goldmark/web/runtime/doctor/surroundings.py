"""What surrounds a database: the machine, keys, the address, and other servers that were named."""

from __future__ import annotations

import os
import shutil
import socket
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from goldmark import __version__
from goldmark.accounts.links import NotAPublicAddress, known_address, public_address
from goldmark.accounts.notices.account_events import SENDER, SMTP
from goldmark.accounts.session_times import SessionTimeNotUsable, session_times
from goldmark.accounts.session_times import said as said_span
from goldmark.store import Store
from goldmark.store.engine import SqliteStore
from goldmark.web.runtime.doctor.finding import Diagnosis

EXTRAS = {
    "psycopg": "postgres",
    "polars": "parquet",
    "matplotlib": "plots",
    "httpx": "client",
    "sacrebleu": "metrics",
    "jieba": "chinese",
    "boto3": "mturk",
    "distributed": "cluster",
}
LEAST_FREE = 1e9  # bytes
LARGEST_LOG = 256e6  # bytes of SQLite's write-ahead log; it is folded in long before that
FEWEST_FILES = 1024  # that a process may have open; each person who asks at a moment takes one
MOUNTS = Path("/proc/mounts")
PATIENCE = 3.0  # seconds, for another server
ELSEWHERE = ("nfs", "cifs", "smb", "afs", "9p", "fuse.sshfs", "fuse.glusterfs", "ceph")  # file systems of a network


def machine() -> Iterator[Diagnosis]:
    version = ".".join(map(str, sys.version_info[:3]))
    yield Diagnosis("version", "ok", f"Goldmark {__version__} on Python {version}")
    there = [extra for module, extra in EXTRAS.items() if find_spec(module)]
    yield Diagnosis("extras", "ok", f"installed: {', '.join(there) or 'none'}")
    if sys.platform != "win32":
        import resource

        most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        if most < FEWEST_FILES:
            said = f"a process may have {most} files and connections open, and each person who asks takes one"
            yield Diagnosis("limits", "wrong", said, f"ulimit -n {FEWEST_FILES} or more; systemd: LimitNOFILE")


def keys(address: str) -> Iterator[Diagnosis]:
    given, file = os.environ.get("GOLDMARK_SECRET", ""), Path(f"{address}.key")
    if given:
        short = len(given) < 16
        what = "GOLDMARK_SECRET is shorter than 16 characters" if short else "GOLDMARK_SECRET is set"
        yield Diagnosis("signing key", "wrong" if short else "ok", what, "make a longer one" if short else "")
    elif "://" in address:
        remedy = "set it to a long random value, the same for all servers"
        yield Diagnosis("signing key", "wrong", "GOLDMARK_SECRET is not set, and PostgreSQL needs it", remedy)
    if given and "://" not in address and file.exists():
        said = f"GOLDMARK_SECRET is set, so {file} is not used: is it for every command and the server alike?"
        yield Diagnosis("signing key", "look", said, "unset the one or remove the other")
    elif file.exists() and not file.stat().st_size:
        yield Diagnosis("signing key", "wrong", f"{file} is empty", "put back your copy of it")
    elif file.exists():
        loose = os.name == "posix" and file.stat().st_mode & 0o077
        said = f"{file} can be read by other users of this machine" if loose else f"it is in {file}; keep a copy"
        yield Diagnosis("signing key", "wrong" if loose else "ok", said, f"chmod 600 {file}" if loose else "")


def address_of_people(address: str) -> Iterator[Diagnosis]:
    public = known_address(address)
    try:
        public = public_address(public)
    except NotAPublicAddress as error:
        yield Diagnosis("address", "wrong", str(error))
        return
    if urlsplit(public).hostname in ("127.0.0.1", "localhost", "::1"):
        remedy = "name the address people use with --public or GOLDMARK_PUBLIC"
        yield Diagnosis("address", "look", f"links begin with {public}, which works only on this machine", remedy)
    elif not public.startswith("https://"):
        yield Diagnosis(
            "address", "wrong", f"{public} sends passwords and links unencrypted", "put a proxy with TLS before it"
        )
    else:
        yield Diagnosis("address", "ok", public)


def sessions() -> Iterator[Diagnosis]:
    try:
        times = session_times()
    except SessionTimeNotUsable as error:
        yield Diagnosis("sessions", "wrong", str(error), "set it right, or not at all")
        return
    idle, longest, proof = map(said_span, times)
    said = f"they end after {idle} without use and after {longest}; what does most harm asks again after {proof}"
    yield Diagnosis("sessions", "ok", said)


def others() -> Iterator[Diagnosis]:
    """Other servers that were named: do they answer? Nothing is sent to them."""
    mail, sender, dask = (os.environ.get(name, "") for name in (SMTP, SENDER, "GOLDMARK_DASK"))
    if mail or sender:
        scheme = urlsplit(mail).scheme
        if not (mail and sender) or scheme not in ("smtp", "smtps"):
            said = f"{SMTP} must be smtp:// or smtps:// and a host, and {SENDER} an address to send from"
            yield Diagnosis("mail", "wrong", said, "set both, or neither")
        else:
            yield _answers("mail", mail, 465 if scheme == "smtps" else 587, SMTP)
    if dask:
        if not find_spec("distributed"):
            remedy = "pip install 'goldmark[cluster]'"
            yield Diagnosis("cluster", "wrong", "GOLDMARK_DASK is set, and Dask is not installed", remedy)
        else:
            yield _answers("cluster", dask, 8786, "GOLDMARK_DASK")


def _answers(what: str, address: str, port: int, named: str) -> Diagnosis:
    try:
        parts = urlsplit(address)
        host, port = parts.hostname or "", parts.port or port
        socket.create_connection((host, port), timeout=PATIENCE).close()
    except (OSError, ValueError) as error:
        return Diagnosis(what, "wrong", f"nobody answers where {named} says: {error}", f"mend {named}, or that server")
    return Diagnosis(what, "ok", f"{host}:{port} answers")


def database_files(store: SqliteStore) -> Iterator[Diagnosis]:
    if not os.access(store.path, os.W_OK) or not os.access(store.path.parent, os.W_OK):
        yield Diagnosis(
            "files", "wrong", f"{store.path} and its folder cannot be written by this user", "change their owner"
        )
    if os.name == "posix" and store.path.stat().st_mode & 0o077:
        said = f"{store.path} can be read by others on this machine: hidden facts, ids, hashes of passwords"
        yield Diagnosis("files", "look", said, f"chmod 600 {store.path}*, unless they are meant to")
    owner = store.path.stat().st_uid
    beside = [Path(f"{store.path}{end}") for end in ("-wal", "-shm", ".key")]
    if strange := [str(path) for path in beside if path.exists() and path.stat().st_uid != owner]:
        said = f"another user than that of the database owns {', '.join(strange)}: was a command run as root?"
        yield Diagnosis("files", "wrong", said, f"chown them like {store.path}")
    if kind := _network(store.path):
        said = f"{store.path} is on a network drive ({kind}), whose locks SQLite cannot rely on: answers can be lost"
        yield Diagnosis("files", "wrong", said, "put it on a disk of this machine, or use PostgreSQL")
    free = shutil.disk_usage(store.path.parent).free
    needed = max(LEAST_FREE, store.path.stat().st_size)
    remedy = "make room: a full disk refuses answers" if free < needed else ""
    state: Literal["ok", "wrong"] = "wrong" if free < needed else "ok"
    yield Diagnosis("disk", state, f"{free / 1e9:.1f} GB are free beside the database", remedy)
    log = Path(f"{store.path}-wal")
    if log.exists() and log.stat().st_size > LARGEST_LOG:
        said = f"{log} has {log.stat().st_size / 1e6:.0f} MB: something has been reading for very long"
        yield Diagnosis("disk", "look", said, "end old exports and commands; it is folded in then")


def _network(path: Path) -> str:
    """The kind of file system if it is one of a network."""
    try:
        mounts = [line.split()[1:3] for line in MOUNTS.read_text(encoding="utf-8").splitlines()]
    except OSError:  # only where the system tells
        return ""
    where = path.resolve()
    around = [(place, kind) for place, kind in mounts if where.is_relative_to(place.replace("\\040", " "))]
    _, kind = max(around, key=lambda mount: len(mount[0]), default=("", ""))
    return kind if kind.startswith(ELSEWHERE) else ""


def made_files(store: Store) -> Iterator[Diagnosis]:
    """Where workers put what people fetch from the server."""
    said = os.environ.get("GOLDMARK_FILES")
    if said and not Path(said).is_dir():
        yield Diagnosis(
            "made files", "wrong", f"there is no folder {said} (GOLDMARK_FILES)", "make it on every machine"
        )
    elif said and not os.access(said, os.W_OK):
        yield Diagnosis("made files", "wrong", f"{said} cannot be written by this user", "change its owner")
    elif not said and not isinstance(store, SqliteStore):
        what = "exports that workers make are put among temporary files of the machine that makes them"
        remedy = "with servers or workers on several machines set GOLDMARK_FILES to a folder that all of them see"
        yield Diagnosis("made files", "look", what, remedy)
