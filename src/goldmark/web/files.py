"""Files that a browser or a program saves."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fastapi.responses import FileResponse, Response
from starlette.background import BackgroundTask


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
    gone = BackgroundTask(path.unlink, missing_ok=True)
    return FileResponse(path, media_type=kind, filename=name, background=gone)
