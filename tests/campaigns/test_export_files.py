"""A campaign is written row by row: the same bytes as from a record, and no more memory for a larger one."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars
import pytest

from goldmark.campaigns import told as telling
from goldmark.campaigns.definition.settings import Settings
from goldmark.campaigns.lifecycle import create, look_into
from goldmark.campaigns.transfer.export import record_of
from goldmark.campaigns.transfer.export_files import write_download, write_rows, written_answers
from goldmark.campaigns.transfer.observe import write_observations
from goldmark.campaigns.transfer.restore import restore
from goldmark.exchange.campaign import tabular
from goldmark.exchange.campaign.archive import TargetInUse
from goldmark.exchange.formats import FORMATS, export_bytes, import_campaign
from goldmark.people.exclusions import exclude
from goldmark.protocols import load
from goldmark.store import Store, open_store
from goldmark.texts.readers.sheets.parquet import PolarsMissing
from tests.campaigns.house import NAME, House
from tests.campaigns.house import unit as make_unit
from tests.databases import on_sqlite

ROWS = [name for name, one in FORMATS.usable().items() if one.rows is not None]


@pytest.fixture
def lived_in(store: Store) -> Store:
    """Reviews with replies, drafts, somebody excluded, names that only sort right by their characters."""
    house = House.build(store, 5, labels_per_unit=4, review={"required": True})
    for name in ("ada", "Ed", "Ädel", "Zoe"):
        token = house.person(name)
        held = house.task(token)
        house.submit(token, held)
        house.next(token)
    house.judge(held.id, "returned", "Rita")
    mark = {"id": "e1", "start": 4, "end": 5, "label": "NAME", "correction": "Monday"}
    house.submit(token, held, {"mistakes": [mark]}, reply="I see one more")
    exclude(store, NAME, "Ed", author="boss", reason="careless")
    return store


@pytest.mark.parametrize("name", ROWS)
@on_sqlite
def test_what_is_written_row_by_row_is_what_a_record_gives(
    name: str, lived_in: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tabular, "ROWS_AT_ONCE", 2)  # more than one part
    told: list[tuple[int, int | None]] = []
    monkeypatch.setattr(telling, "EVERY", 1)
    path = tmp_path / "download"
    called = write_download(lived_in, NAME, name, path, tell=lambda done, total, _: told.append((done, total)))
    record = record_of(lived_in, NAME)
    assert path.read_bytes() == export_bytes(record, name)[1]
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1][0] <= (told[-1][1] or 0)
    path.rename(tmp_path / called)
    again = import_campaign(tmp_path / called, name)
    assert export_bytes(again, name) == export_bytes(record, name)
    restore(lived_in, again, name="again", author="test")
    with pytest.raises(TargetInUse):
        write_rows(lived_in, NAME, name, tmp_path / called)
    counted = look_into(lived_in, NAME, written_answers)
    assert counted == (len(record.responses), len(record.final_responses()))


@pytest.mark.parametrize("name", ["parquet", "tidy-parquet"])
def test_an_export_that_is_refused_or_breaks_off_leaves_nothing(
    name: str, sqlite_database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    House.build(store := open_store(sqlite_database))
    there, new = tmp_path / "there", tmp_path / "some" / "where"
    there.mkdir()

    def write(folder: Path) -> None:
        if FORMATS.find(name).rows is None:
            write_observations(store, NAME, folder, kind="parquet")
        else:
            write_rows(store, NAME, name, folder)

    with monkeypatch.context() as without:
        without.setitem(sys.modules, "polars", None)
        for folder in (there, new):
            with pytest.raises(PolarsMissing):
                write(folder)
    with monkeypatch.context() as full:  # the disk, at the last of several files
        written = list[Path]()

        def refuses(write_one: Callable[..., None]) -> Callable[..., None]:
            def write(frame: object, path: Path, **more: Any) -> None:
                write_one(frame, path, **more)
                written.append(path)
                if len(written) == 3:
                    raise OSError(28, "No space left on device")

            return write

        full.setattr(polars.DataFrame, "write_parquet", refuses(polars.DataFrame.write_parquet))
        full.setattr(polars.LazyFrame, "sink_parquet", refuses(polars.LazyFrame.sink_parquet))
        for folder in (there, new):
            written.clear()
            with pytest.raises(OSError, match="No space"):
                write(folder)
    assert list(there.iterdir()) == []
    assert not (tmp_path / "some").exists()
    write(there)
    write(new)
    assert sorted(one.name for one in there.iterdir()) == sorted(one.name for one in new.iterdir())
    store.close()


@pytest.mark.parametrize("record", [False, True], ids=["written row by row", "read as one record"])
def test_a_larger_campaign_needs_no_more_memory(store: Store, tmp_path: Path, record: bool) -> None:
    words = " ".join(f"word{number}" for number in range(120))
    peaks = []
    for many in (300, 900):
        create(
            store,
            name=f"of-{many}",
            title="",
            protocol=load("accuracy"),
            settings=Settings(),
            units=[make_unit(f"u{number}", words) for number in range(many)],
            author="test",
        )
        tracemalloc.start()
        if record:
            assert sum(one.id.startswith("u") for one in record_of(store, f"of-{many}").units) == many
        else:
            write_rows(store, f"of-{many}", "jsonl", tmp_path / f"{many}.jsonl")
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    if not record:
        assert (tmp_path / "900.jsonl").stat().st_size > 2.9 * (tmp_path / "300.jsonl").stat().st_size
    assert peaks[1] < 1.3 * peaks[0]
