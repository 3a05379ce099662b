"""Files that a browser or a program saves."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from anyio import CancelScope, to_thread
from fastapi.responses import FileResponse, Response
from starlette.types import Receive, Scope, Send


def saved(content: str | bytes, name: str, kind: str = "text/csv") -> Response:
    """Always to be saved, never to be shown by us: a report has styles that our pages' policy would refuse."""
    media = f"{kind}; charset=utf-8" if kind.startswith("text/") else kind
    return Response(content, media_type=media, headers={"content-disposition": f'attachment; filename="{name}"'})


@contextmanager
def new_file(suffix: str = "") -> Iterator[Path]:
    """A file for something large, so that a slow reader holds no memory; gone at once if it cannot be made."""
    with tempfile.NamedTemporaryFile(prefix="goldmark-", suffix=suffix, delete=False) as file:
        path = Path(file.name)
    try:
        yield path
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def sent(path: Path, name: str, kind: str) -> FileResponse:
    """A file of ours, gone once it is sent."""
    return _SentOnce(path, media_type=kind, filename=name)


class _SentOnce(FileResponse):
    """Gone however it ends: sent, broken off, or refused because a part is asked for that it has not."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            with CancelScope(shield=True):
                await to_thread.run_sync(partial(Path(self.path).unlink, missing_ok=True))
