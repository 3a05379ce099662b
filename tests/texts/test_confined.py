"""Files that are more than they seem: whoever sent them is told, and nobody else notices."""

from __future__ import annotations

import gzip
import io
import pickle
import threading
import time
import zipfile
from pathlib import Path

import polars
import pytest

from goldmark.campaigns.definition.uploads import _harmless
from goldmark.curation.gold_lists.layers import _ORDERED
from goldmark.errors import Problem, ProblemsFound
from goldmark.exchange.campaign.archive import NothingToImport, read_files, unzipped, zipped
from goldmark.protocols.kinds.base import number_in
from goldmark.texts.readers.confined import ReadingPlaces, TooMuchAtOnce, TooMuchToRead, confined
from goldmark.texts.readers.sheets.columns import read_sheet
from goldmark.texts.readers.sheets.parquet import NotParquet, read_frame
from goldmark.texts.readers.tidy import NotReadable, read_tidy
from goldmark.texts.readers.units import read_units
from goldmark.web.runtime.logs import without_secrets


def hoard(megabytes: int) -> int:
    return len(bytearray(megabytes * 2**20))


def spin(seconds: float) -> float:
    start = time.process_time()
    while time.process_time() - start < seconds:
        pass
    return seconds


def complain() -> None:
    raise ProblemsFound([Problem("texts.jsonl:2", "it is empty", "fill it")])


def test_problems_of_an_upload_come_back_as_they_are() -> None:
    with pytest.raises(ProblemsFound) as told:
        confined("a file", complain)
    assert told.value.problems == (Problem("texts.jsonl:2", "it is empty", "fill it"),)
    assert str(pickle.loads(pickle.dumps(told.value))) == str(told.value)


def test_too_much_memory_is_told() -> None:
    with pytest.raises(TooMuchToRead, match=r"big\.parquet is damaged, or needs more than 512 MB"):
        confined("big.parquet", hoard, 2000, memory=512 * 2**20)


def test_a_parquet_file_that_unfolds_to_gigabytes_is_refused(tmp_path: Path) -> None:
    bomb, text = tmp_path / "texts.parquet", polars.Series(["a " * 1_000_000])
    texts = text.sample(501, with_replacement=True)  # in memory once
    polars.DataFrame({"id": [f"u{n}" for n in range(501)], "text": texts}).write_parquet(bomb, compression="zstd")
    assert bomb.stat().st_size < 20_000
    with pytest.raises(ProblemsFound) as told:
        read_units([bomb])
    assert "the file unfolds to 1,002,00" in str(told.value.problems[0])
    with pytest.raises(ProblemsFound, match="unfolds to"):
        read_sheet(bomb)
    with pytest.raises(NotReadable, match="unfolds to"):
        read_tidy(bomb)


def test_an_archive_that_unpacks_to_a_thousand_times_its_size_is_refused(tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("responses.jsonl", b"\n" * 50_000_000)
    assert bomb.stat().st_size < 100_000
    with pytest.raises(NothingToImport, match="would unpack to 50,000,000 bytes"):
        read_files(bomb)
    with pytest.raises(NothingToImport, match="larger than the limit"):
        unzipped("bomb.jsonl.gz", gzip.compress(b"\n" * 50_000_000))


@pytest.mark.slow
def test_too_much_time_is_told() -> None:
    with pytest.raises(TooMuchToRead):
        confined("slow.csv", spin, 600, seconds=1)


def test_damaged_parquet_is_told_and_ends_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Polars panics over some files, with what is no Exception to Python."""

    def panic(content: object) -> None:
        raise polars.exceptions.PanicException("assertion failed")

    monkeypatch.setattr(polars, "read_parquet", panic)
    file = io.BytesIO()
    polars.DataFrame({"id": ["a"]}).write_parquet(file)
    with pytest.raises(NotParquet, match="damaged"):
        read_frame(file.getvalue())


def test_what_is_packed_is_confined_whatever_it_is_called(tmp_path: Path) -> None:
    """A reader that looks into a file and not at its name would unpack it inside the server."""
    for name, content in (("a.jsonl", zipped([("x", b"")])), ("b.csv", b"PAR1"), ("c.txt", gzip.compress(b""))):
        (tmp_path / name).write_bytes(content)
        assert not _harmless([tmp_path / name])
    (tmp_path / "plain.jsonl").write_bytes(b"{}")
    assert _harmless([tmp_path / "plain.jsonl"])


def test_no_cell_takes_more_than_linear_time() -> None:
    """Each of these took minutes, in which nobody was answered: Python reads patterns without letting others go on."""
    digits = "1" * 400_000
    assert number_in(f"{digits}x") == f"{digits}x"
    assert number_in("-1.50") == -1.5
    assert _ORDERED.sub("", digits, count=1) == digits
    assert _ORDERED.sub("", "1_NAME", count=1) == "NAME"
    assert without_secrets("a" * 400_000) == "a" * 400_000
    assert without_secrets("postgresql+psycopg://me:secret@host/db") == "postgresql+psycopg://me:***@host/db"


def test_a_few_files_are_read_at_once_a_few_wait_and_others_are_refused() -> None:
    """Forty at the same time kept all threads of a server, so that nobody at all was answered for minutes."""
    places = ReadingPlaces(1, 1)
    begun, go_on = threading.Event(), threading.Event()
    read: list[str] = []

    def reading(name: str) -> None:
        with places.one(name):
            begun.set()
            go_on.wait()
            read.append(name)

    def refused() -> bool:
        try:
            with places.one("c.csv"):
                return False
        except TooMuchAtOnce:
            return True

    first, second = (threading.Thread(target=reading, args=[name]) for name in ("a.csv", "b.csv"))
    first.start()
    begun.wait()
    second.start()
    while places._here.acquire(blocking=False):  # until the second has its place
        places._here.release()
    assert refused()
    go_on.set()
    first.join()
    second.join()
    assert read == ["a.csv", "b.csv"]
    assert not refused()


def test_what_is_confined_takes_a_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("goldmark.texts.readers.confined._places", ReadingPlaces(0, 0))
    with pytest.raises(TooMuchAtOnce, match=r"many\.csv was not read"):
        confined("many.csv", len, "abc")
