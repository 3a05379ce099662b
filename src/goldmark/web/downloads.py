"""A campaign as a file to download."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path, PurePosixPath

from fastapi.responses import FileResponse
from starlette.background import BackgroundTask

from goldmark.observations.files import FileKind
from goldmark.store import Store


def download(
    store: Store,
    name: str,
    format_name: str,
    question: str | None = None,
    *,
    with_excluded: bool = False,
    with_tests: bool = False,
) -> FileResponse:
    """The campaign in this format. It is put into a file first, so that a slow reader holds no memory."""
    # Imported here: a server starts faster without the formats of other tools.
    from goldmark.campaigns.transfer.export import record_of
    from goldmark.exchange.formats import FORMATS, export_bytes

    tables = FORMATS.find(format_name).tables
    if tables is not None:
        made, content = "tables.zip", _tables(store, name, tables, with_excluded=with_excluded, with_tests=with_tests)
    else:
        record = record_of(store, name, with_excluded=with_excluded)
        made, content = export_bytes(record, format_name, question=question)
    handle, path = tempfile.mkstemp(prefix="goldmark-export-")
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    ending = PurePosixPath(made).suffix
    return FileResponse(
        path,
        media_type="application/zip" if ending == ".zip" else "application/octet-stream",
        filename=f"{name}.{format_name}{ending}" if ending != f".{format_name}" else f"{name}{ending}",
        background=BackgroundTask(Path(path).unlink, missing_ok=True),
    )


def _tables(store: Store, name: str, kind: FileKind, *, with_excluded: bool, with_tests: bool) -> bytes:
    from goldmark.campaigns.transfer.observe import write_observations
    from goldmark.observations.rows import Filter

    with tempfile.TemporaryDirectory(prefix="goldmark-tidy-") as folder:
        archive = Path(folder) / "tidy.zip"
        write_observations(store, name, archive, Filter(tests=with_tests, excluded=with_excluded), kind)
        return archive.read_bytes()
