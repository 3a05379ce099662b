"""A SQLite file is served by one server, whose claim ends with it."""

from __future__ import annotations

import subprocess
import sys
from errno import ENOLCK
from pathlib import Path

import pytest

from goldmark.store.upkeep import one_server
from goldmark.store.upkeep.one_server import ServedAlready, served_by, the_only_server
from goldmark.web.runtime import server
from goldmark.web.runtime.doctor.diagnosis import diagnose

SERVES = """
import sys
from errno import ENOLCK
from goldmark.store.upkeep.one_server import the_only_server
with the_only_server(sys.argv[1]) as where:
    where("http://127.0.0.1:8000")
    print("serving", flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def _no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_server, "PATIENCE", 0.0)


def test_a_second_server_is_refused_until_the_first_is_gone_however_it_went(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = [sys.executable, "-c", SERVES, sqlite_database]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == "serving\n"
        monkeypatch.setattr(server, "listen", lambda *_: pytest.fail("it went on"))
        with pytest.raises(ServedAlready, match=f"by process {first.pid}, at http://127.0.0.1:8000, and"):
            server.run(sqlite_database, host="127.0.0.1", port=0, say=print)
        said = [one.said for one in diagnose(sqlite_database) if one.what == "server"]
        assert said == [f"this database is served by process {first.pid}, at http://127.0.0.1:8000"]
        first.kill()
    assert served_by(sqlite_database) == ""
    with the_only_server(sqlite_database):
        assert served_by(sqlite_database)


def test_another_name_of_the_same_file_is_the_same_file(sqlite_database: str, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    other.symlink_to(sqlite_database)
    with the_only_server(sqlite_database), pytest.raises(ServedAlready), the_only_server(str(other)):
        pass
    with the_only_server(str(other)):
        pass


def test_postgresql_takes_as_many_as_there_are() -> None:
    address = "postgresql://somebody@nowhere.example.org/g"
    with the_only_server(address), the_only_server(address):
        assert served_by(address) == ""


def test_a_file_system_without_locks_has_servers(sqlite_database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_locks(*_: object) -> None:
        raise OSError(ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", no_locks)
    with the_only_server(sqlite_database):
        assert served_by(sqlite_database) == ""
