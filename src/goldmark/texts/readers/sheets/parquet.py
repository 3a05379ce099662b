"""Parquet files, looked at before they are unfolded: a few kilobytes of them can hold gigabytes of the same text."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from goldmark.errors import Conflict

if TYPE_CHECKING:
    import polars

MOST_ROWS = 5_000_000
MOST_BYTES = 1_000_000_000


class PolarsMissing(Conflict):
    code = "PARQUET-01"
    message = "{what} polars; install it with: pip install 'goldmark[parquet]'"


class NotParquet(Exception):
    """Why a file is not read; for whoever reads it to put into words."""


def need_polars(what: str = "Parquet files need") -> None:
    """Say how to get polars where it is not installed: it is larger than everything else together."""
    if find_spec("polars") is None:  # not imported: that takes 20 MB, and Parquet may be written much later
        raise PolarsMissing(what=what)


def read_frame(content: bytes, most_bytes: int = MOST_BYTES) -> polars.DataFrame:
    """The table, with equal texts still shared in memory; raises `NotParquet`."""
    need_polars()
    import polars

    try:
        rows = polars.scan_parquet(io.BytesIO(content)).select(polars.len()).collect().item()
        if rows > MOST_ROWS:
            raise NotParquet(f"the file has {rows:,} rows; {MOST_ROWS:,} are allowed")
        frame = polars.read_parquet(io.BytesIO(content))
        texts = [name for name, kind in frame.schema.items() if kind == polars.String]
        sizes = frame.select(polars.col(name).str.len_bytes().cast(polars.UInt64).sum() for name in texts)
        whole = sum(size or 0 for size in sizes.row(0)) if texts else 0
        whole += frame.drop(texts).estimated_size()
    except (polars.exceptions.PolarsError, OSError, ValueError) as error:
        raise NotParquet(f"the file is not Parquet: {error}") from error
    except polars.exceptions.PanicException as error:  # no Exception: it would end the process
        raise NotParquet("the file is damaged Parquet") from error
    if whole > most_bytes:
        raise NotParquet(f"the file unfolds to {whole:,} bytes; {most_bytes:,} are allowed")
    return frame


def write_frames(
    frames: Iterable[polars.DataFrame], schema: Mapping[str, polars.DataType], target: Path, rows: int
) -> None:
    """One file of many frames, of which a few are in memory together; its groups have `rows` rows each."""
    from polars.io.plugins import register_io_source

    broken: list[BaseException] = []

    def each(*_wishes: object) -> Iterator[polars.DataFrame]:  # which columns, rows and so on: all, of a whole file
        try:
            yield from frames
        except BaseException as error:
            broken.append(error)
            raise

    whole = register_io_source(each, schema=schema)
    try:
        whole.sink_parquet(target, compression="zstd", row_group_size=rows)
    except BaseException as error:  # what broke off inside Polars comes out of it as something of its own
        if broken:
            raise broken[0] from None
        if refused := re.search(r"\(os error (\d+)\)", str(error)):  # a full disk, say
            number = int(refused[1])
            raise OSError(number, os.strerror(number), str(target)) from error
        raise
