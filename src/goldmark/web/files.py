"""Files that a browser or a program saves."""

from __future__ import annotations

import tempfile
from pathlib import Path

from fastapi.responses import FileResponse, Response
from starlette.background import BackgroundTask


def saved(content: str | bytes, name: str, kind: str = "text/csv") -> Response:
    """Always to be saved, never to be shown by us: a report has styles that our pages' policy would refuse."""
    media = f"{kind}; charset=utf-8" if kind.startswith("text/") else kind
    return Response(content, media_type=media, headers={"content-disposition": f'attachment; filename="{name}"'})


def new_file(suffix: str = "") -> Path:
    """A file for something large, so that a slow reader holds no memory."""
    with tempfile.NamedTemporaryFile(prefix="goldmark-", suffix=suffix, delete=False) as file:
        return Path(file.name)


def sent(path: Path, name: str, kind: str) -> FileResponse:
    """A file of ours, gone once it is sent."""
    gone = BackgroundTask(path.unlink, missing_ok=True)
    return FileResponse(path, media_type=kind, filename=name, background=gone)
