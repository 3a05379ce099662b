"""For those who run a server: whether it lives and can work, what it has done, its logs, its backups, its doctor."""

from __future__ import annotations

import io
import json
import logging
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import insert, text

from goldmark.accounts.links import SignedLinks
from goldmark.accounts.rate_limits import RateLimits
from goldmark.accounts.roles import Role
from goldmark.accounts.second_factor import SecondFactors
from goldmark.accounts.service import AccountService
from goldmark.cli import run
from goldmark.store import Store, open_store
from goldmark.store.tables import job
from goldmark.store.upkeep import kept_backups
from goldmark.store.upkeep.backup import backup
from goldmark.store.upkeep.kept_backups import BackupNotSound, BackupPlan
from goldmark.web.runtime import operation
from goldmark.web.runtime.diagnosis import diagnose
from goldmark.web.runtime.logs import JsonLines, without_secrets
from tests.web.house import House


def test_it_lives_and_is_ready_until_its_tables_are_of_another_version(house: House) -> None:
    client = house.client()
    assert client.get("/healthz").text == "ok\n"
    assert client.get("/readyz").text == "ready\n"
    store, older = house.services.store, text("UPDATE alembic_version SET version_num = '0001'")
    store.write(lambda connection: connection.execute(older))
    assert operation.not_ready(store) == "the tables are of another version"


def test_metrics_are_for_this_machine_and_for_managers(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    client = house.client()
    client.get("/signin")
    client.get("/a/secret-of-somebody")
    client.get("/nothing/here")
    assert client.get("/metrics").status_code == 401  # the test's client comes from elsewhere
    assert house.program("curator").get("/metrics").status_code == 403
    found = house.program("manager").get("/metrics")
    assert found.status_code == 200
    assert "secret-of-somebody" not in found.text
    assert re.search(r'method="GET",pattern="/signin",status="200"\} \d', found.text)
    assert re.search(r'pattern="none",status="404"\} \d', found.text)
    assert re.search(r'goldmark_reply_seconds_count\{process="\d+",area="annotators"\} \d', found.text)
    for line in found.text.splitlines():
        assert line.startswith("#") or re.fullmatch(r'\w+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? [0-9.e+-]+', line), line
    monkeypatch.setattr(operation, "address_of", lambda request: "127.0.0.1")
    assert client.get("/metrics").status_code == 200
    assert client.get("/metrics", headers={"x-forwarded-for": "203.0.113.9"}).status_code == 401


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    stream, logger = io.StringIO(), logging.getLogger("goldmark")
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    yield stream
    logger.removeHandler(handler)
    logger.setLevel(logging.NOTSET)


def test_logs_are_lines_of_json_that_open_no_door(house: House, written: io.StringIO) -> None:
    house.client().get("/a/very-secret-link?next=gm_abc")
    try:
        raise ValueError("postgresql://ann:hunter2@db/x refused gm_abcdef at /link/one-time-secret")
    except ValueError:
        logging.getLogger("goldmark.test").exception("Bearer gm_zzz failed")
    reply, failed = map(json.loads, written.getvalue().splitlines())
    assert (reply["message"], reply["method"], reply["status"]) == ("reply", "GET", reply["status"])
    assert reply["pattern"].startswith("/a/{")
    assert "ValueError: postgresql://ann:***@db/x refused gm_*** at /link/***" in failed["error"]
    for secret in ("very-secret", "hunter2", "abcdef", "one-time", "zzz"):
        assert secret not in written.getvalue()
    assert without_secrets("nothing to hide: 12:30") == "nothing to hide: 12:30"


def test_errors_of_the_database_do_not_repeat_what_people_wrote(store: Store) -> None:
    with pytest.raises(Exception, match="no_such_table") as told:
        store.read(lambda connection: connection.execute(text("SELECT :x FROM no_such_table"), {"x": "my secret"}))
    assert "my secret" not in str(told.value)


def test_backups_by_schedule_are_tried_and_the_oldest_leave(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, store = tmp_path / "backups", open_store(database)
    made = [BackupPlan(folder, keep=2).make(store) for _ in range(3)]
    assert BackupPlan(folder).kept() == [made[1].path, made[2].path]
    assert sorted(folder.iterdir()) == [made[1].path, made[2].path]  # nothing else is left lying there

    def damaged(source: Store, target: Path) -> int:
        size = backup(source, target)
        with target.open("r+b") as file:
            file.truncate(size // 2)
        return size

    monkeypatch.setattr(kept_backups, "backup", damaged)
    with pytest.raises((BackupNotSound, Exception), match=r"not a Goldmark backup|did not come back"):
        BackupPlan(folder, keep=1).make(store)
    assert BackupPlan(folder).kept() == [made[1].path, made[2].path]  # a bad one drives out nobody
    store.close()


def test_the_command_makes_one_and_the_doctor_sees_it(
    sqlite_database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = str(tmp_path / "backups")
    Path(sqlite_database).chmod(0o600)
    assert run(["database", "keep-backups", folder, "--once", "--database", sqlite_database, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["responses"] == 0
    monkeypatch.setenv("GOLDMARK_PUBLIC", "https://eval.example.org")
    assert run(["doctor", "--backups", folder, "--database", sqlite_database, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["ok"] is True
    assert {one["what"]: one["state"] for one in said["findings"]} == {
        "version": "ok",
        "extras": "ok",
        "signing key": "ok",
        "address": "ok",
        "disk": "ok",
        "database": "ok",
        "accounts": "look",
        "backups": "ok",
    }


def test_the_doctor_finds_what_is_wrong(
    sqlite_database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("GOLDMARK_SECRET")
    key = Path(f"{sqlite_database}.key")
    key.write_text("x" * 40)
    key.chmod(0o644)
    monkeypatch.setenv("GOLDMARK_PUBLIC", "http://eval.example.org")
    store, old = open_store(sqlite_database), datetime.now(UTC) - timedelta(hours=1)
    about = {"kind": "x", "arguments": {}, "subject": "", "attempt": 0, "most_attempts": 3, "done": 0, "message": ""}
    late = {**about, "state": "waiting", "due_at": old, "author": "test", "created_at": old}
    store.write(lambda connection: connection.execute(insert(job).values(**late)))
    ada = AccountService(store).create("Ada", Role.OWNER, None, author="test")
    SecondFactors(store, SignedLinks(b"another key"), RateLimits(store)).begin(ada, "", address="", where="")
    store.close()
    (tmp_path / "empty").mkdir()
    Path(sqlite_database).chmod(0o644)
    assert run(["doctor", "--database", sqlite_database, "--backups", str(tmp_path / "empty")]) == 1
    said = capsys.readouterr()
    wrong = {line.split(":")[0].split()[-1] for line in said.out.splitlines() if line.strip().startswith("wrong")}
    assert wrong == {"key", "address", "jobs", "accounts", "backups"}
    assert "1 second factors were set up with another signing key" in said.out
    assert f"chmod 600 {sqlite_database}*" in said.out
    found = {one.what: one.state for one in diagnose("postgresql://nobody:pw@127.0.0.1:1/none")}
    assert (found["signing key"], found["database"]) == ("wrong", "wrong")
