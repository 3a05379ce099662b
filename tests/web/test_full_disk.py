"""A full disk is told as what it is, nothing acknowledged is lost, and all goes on when there is room again."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import SpooledTemporaryFile
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.exc import OperationalError

from goldmark.store import engine, open_store
from goldmark.store.full_disk import is_full_disk
from goldmark.store.tables import response
from goldmark.web.runtime.doctor.contents import contents
from goldmark.web.runtime.operation import not_ready
from tests.web.house import MISTAKE, House

LONG = {**MISTAKE, "correction": "four " * 60}
UPLOAD = "/api/v1/campaigns/zoo/units/upload"


@contextmanager
def full(house: House) -> Iterator[None]:
    """SQLite may not make its file longer, and says what it says when the disk is full."""
    # The writer has one connection, which is the one that we are given.
    with house.services.store.engine().connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
    yield
    with house.services.store.engine().connect() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count = 1000000000")


def revisions(house: House) -> int:
    return len(house.services.store.read(lambda connection: connection.execute(select(response.c.id)).all()))


def test_what_does_not_fit_on_the_disk_is_not_kept_and_told(house: House) -> None:
    client = house.client(headers={"authorization": f"Bearer {house.person}"}, raise_server_exceptions=False)
    address = f"/api/v1/work/assignments/{house.response}/responses"
    acknowledged, number = revisions(house), 0

    def send() -> Any:
        answer = {"answers": {"mistakes": [LONG]}, "client_key": f"key-of-a-full-disk-{number}"}
        return client.post(address, json=answer)

    with full(house):
        while (reply := send()).status_code == 200:
            acknowledged, number = acknowledged + 1, number + 1
        assert (reply.status_code, reply.json()["code"]) == (507, "SERVER-02")
        assert "disk is full" in reply.json()["message"]
        assert client.get("/api/v1/work").status_code == 200, "what is there can be read"
    assert revisions(house) == acknowledged
    assert send().status_code == 200, "the same again, when there is room"


def test_a_file_for_which_there_is_no_room_is_told(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class Full(SpooledTemporaryFile[bytes]):
        def rollover(self) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("starlette.formparsers.SpooledTemporaryFile", Full)
    large = [("files", ("texts.jsonl", b" " * 2_100_000))]
    reply = house.program("manager").post(UPLOAD, files=large)
    assert (reply.status_code, reply.json()["code"]) == (507, "SERVER-02")
    assert "the disk is full" in caplog.text


def test_what_a_full_disk_looks_like() -> None:
    class OfPostgresql(Exception):
        sqlstate = "53100"

    assert is_full_disk(OperationalError("", {}, OfPostgresql()))
    assert is_full_disk(OSError(errno.EDQUOT, "quota"))
    assert not is_full_disk(OperationalError("", {}, Exception("something else")))
    assert not is_full_disk(FileNotFoundError(errno.ENOENT, "nothing there"))


def test_postgresql_without_room_is_not_ready_until_it_finds_some(
    postgres_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It tells nobody how full its disk is: known is that something failed, and then whether more would."""
    full = "DO $$ BEGIN RAISE disk_full; END $$"
    store = open_store(postgres_database)
    assert (not_ready(store), store.has_room(look=True)) == ("", True)
    with pytest.raises(OperationalError):
        store.write(lambda connection: connection.exec_driver_sql(full))
    with monkeypatch.context() as here:
        here.setattr(engine, "FIND_ROOM", full)
        assert not_ready(store) == "the disk is full"
        assert [one.remedy for one in contents(store, postgres_database) if one.what == "disk"] == [
            "make room where PostgreSQL keeps its data: a full disk refuses answers"
        ]
    assert not_ready(store) == ""
    store.close()
