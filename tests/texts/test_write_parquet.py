"""Parquet that is written piece by piece fails as the pieces or the disk do."""

from __future__ import annotations

import errno
import resource
import signal
from collections.abc import Iterator
from pathlib import Path

import polars
import pytest

from goldmark.texts.readers.sheets.parquet import write_frames

SCHEMA = {"number": polars.Int64()}


class CalledOff(BaseException):
    """As of a job that somebody stops."""


def frames(error: BaseException | None = None) -> Iterator[polars.DataFrame]:
    for first in range(0, 40_000, 10_000):
        yield polars.DataFrame({"number": range(first, first + 10_000)}, schema=SCHEMA)
    if error is not None:
        raise error


def test_all_pieces_are_there_in_their_order(tmp_path: Path) -> None:
    write_frames(frames(), SCHEMA, tmp_path / "all.parquet", 3_000)
    assert polars.read_parquet(tmp_path / "all.parquet")["number"].to_list() == list(range(40_000))
    write_frames(iter(()), SCHEMA, tmp_path / "none.parquet", 3_000)
    assert polars.read_parquet(tmp_path / "none.parquet").schema == polars.Schema(SCHEMA)


@pytest.mark.parametrize("error", [ValueError("row 7"), CalledOff()])
def test_what_a_piece_fails_with_is_what_is_told(error: BaseException, tmp_path: Path) -> None:
    with pytest.raises(type(error)) as found:
        write_frames(frames(error), SCHEMA, tmp_path / "some.parquet", 3_000)
    assert found.value is error


def test_what_the_disk_refuses_is_told_as_such(tmp_path: Path) -> None:
    allowed, told = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, allowed[1]))
    try:
        with pytest.raises(OSError, match=r"some\.parquet") as found:
            write_frames(frames(), SCHEMA, tmp_path / "some.parquet", 3_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, allowed)
        signal.signal(signal.SIGXFSZ, told)
    assert found.value.errno == errno.EFBIG
