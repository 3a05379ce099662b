"""Scripts and styles at addresses that name their version, so that a browser that has them asks for none again.

The version is a hash of all of them together and stands in the path: what a module imports and a style names by a
relative address is of the same version by itself. They are read once: a program that is being replaced goes on with
the files that it began with, and never shows half of the old and half of the new. What is large, as what draws the
description of the API, is read again by the few who ask for it; if it has changed since, it is not there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from goldmark.web.question_kinds import scripts
from goldmark.web.security_headers import Receive, Scope, Send

FOLDER = Path(__file__).resolve().parents[1] / "static"
ADDRESS = "/static"
FOR_EVER = "public, max-age=31536000, immutable"
KINDS = {
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
    ".md": "text/markdown",
    ".txt": "text/plain",
}
LARGE = 100_000  # bytes


class StaticFile(NamedTuple):
    kept: bytes | None  # unless it is large
    path: Path
    kind: str
    tag: str

    def content(self) -> bytes | None:
        """None if it is no longer what it was."""
        if self.kept is not None:
            return self.kept
        try:
            found = self.path.read_bytes()
        except OSError:
            return None
        return found if _tag(found) == self.tag else None


def _tag(content: bytes) -> str:
    return f'"{hashlib.sha256(content).hexdigest()[:32]}"'


class StaticSet(NamedTuple):
    """All files by their place, and what they are together."""

    files: Mapping[str, StaticFile]
    version: str


def _current() -> StaticSet:
    """Our own files, and the modules of plug-ins among them; none of ours can be replaced."""
    return _read(tuple(scripts().items()))


@cache
def _read(added: tuple[tuple[str, Path], ...]) -> StaticSet:
    ours = {path.relative_to(FOLDER).as_posix(): path for path in FOLDER.rglob("*") if path.is_file()}
    files = {}
    whole = hashlib.sha256()
    for name, path in sorted({**dict(added), **ours}.items()):
        content = path.read_bytes()
        tag = _tag(content)
        whole.update(f"{name} {tag}\n".encode())
        kind = KINDS.get(path.suffix, "application/octet-stream")
        files[name] = StaticFile(content if len(content) < LARGE else None, path, kind, tag)
    return StaticSet(files, whole.hexdigest()[:16])


def asset(name: str) -> str:
    """The address of a file, for templates."""
    files, version = _current()
    if name not in files:
        raise KeyError(name)
    return f"{ADDRESS}/{version}/{name}"


class Static:
    """Plain ASGI. A name without a version works too, and is asked for anew each time."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        files, version = _current()
        name = request.url.path.partition(f"{ADDRESS}/")[2]
        first, _, rest = name.partition("/")
        current = first == version
        found = files.get(rest if current else name)
        if found is None:
            # Of another version: a page from before an upgrade. What it asks for is not here; loading it again helps.
            raise HTTPException(404, headers={"cache-control": "no-store"})
        if request.method not in ("GET", "HEAD"):
            raise HTTPException(405)
        headers = {"cache-control": FOR_EVER if current else "no-cache", "etag": found.tag}
        if request.headers.get("if-none-match") == found.tag:
            await Response(status_code=304, headers=headers)(scope, receive, send)
            return
        content = found.content()
        if content is None:
            raise HTTPException(404, headers={"cache-control": "no-store"})
        await Response(content, media_type=found.kind, headers=headers)(scope, receive, send)
