"""Installations that are broken in one way each: the doctor says what is wrong and how to mend it."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from goldmark.accounts.signing_keys import Keys, remember
from goldmark.cli import run
from goldmark.store import open_store
from goldmark.store.upkeep.kept_backups import BackupPlan
from goldmark.web.runtime.doctor import surroundings
from goldmark.web.runtime.doctor.diagnosis import diagnose
from goldmark.web.runtime.doctor.finding import Diagnosis

OLD = (datetime.now(UTC) - timedelta(days=5)).strftime("%Y-%m-%d %H:%M:%S.%f")
JOB = f"""
INSERT INTO job (kind, arguments, subject, attempt, most_attempts, done, message, author, created_at, due_at, state,
heartbeat_at, finished_at) VALUES ('board-mail', '{{}}', '', 0, 3, 0, '', 't', '{OLD}', '{OLD}', '%s', '{OLD}', '{OLD}')
"""
BACKED_UP = (
    f"INSERT INTO event (at, author, kind, subject, reason, facts) VALUES ('{OLD}', 's', 'backup made', '', '', '{{}}')"
)


def sql(*statements: str) -> Callable[[str], None]:
    def do(path: str) -> None:
        with closing(sqlite3.connect(path)) as database:
            for one in statements:
                database.execute(one)
            database.commit()

    return do


def damage(path: str) -> None:
    with Path(path).open("r+b") as file:
        file.seek(4096 * 20)
        file.write(b"\xff" * 4096 * 30)


@pytest.fixture
def installation(sqlite_database: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """One in good order."""
    monkeypatch.delenv("GOLDMARK_SECRET", raising=False)
    monkeypatch.setenv("GOLDMARK_PUBLIC", "https://eval.example.org")
    Path(sqlite_database).chmod(0o600)
    key = Path(f"{sqlite_database}.key")
    key.write_text("k" * 40)
    key.chmod(0o600)
    store = open_store(sqlite_database)
    remember(store, Keys.only(key.read_bytes()))
    store.close()
    assert not [one for one in diagnose(sqlite_database) if one.state == "wrong"]
    return sqlite_database


@pytest.mark.parametrize(
    ("breaks", "what", "said", "remedy"),
    [
        (sql("DROP INDEX ix_assignment_open"), "tables", "ix_assignment_open is missing", "CREATE INDEX ix_assignment"),
        (sql("DROP TABLE notice"), "tables", "no table notice", "restore the last backup"),
        (sql("UPDATE alembic_version SET version_num = '0020'"), "tables", "at version 0020", "database upgrade"),
        (sql("UPDATE alembic_version SET version_num = '9999'"), "tables", "at version 9999", "a newer Goldmark"),
        (damage, "database", "malformed", "restore the last backup into a new file"),
        (lambda path: Path(f"{path}.key").unlink(), "signing key", "is lost", "put back your copy"),
        (lambda path: Path(f"{path}.key").write_text(""), "signing key", "is empty", "put back your copy"),
        (lambda path: Path(f"{path}.key").write_text("o" * 40), "signing key", "another key", "the server's"),
        (sql(JOB % "waiting"), "jobs", "1 wait for more", "goldmark jobs work"),
        (sql(JOB % "running"), "jobs", "nothing was heard", "it takes them over"),
        (sql(BACKED_UP), "backups", "120 hours old", "see why"),
    ],
)
def test_what_is_broken_is_told_with_its_remedy(
    installation: str, breaks: Callable[[str], None], what: str, said: str, remedy: str
) -> None:
    breaks(installation)
    wrong = [one for one in diagnose(installation) if one.state == "wrong"]
    assert [one.what for one in wrong] == [what], wrong
    assert said in wrong[0].said
    assert remedy in wrong[0].remedy


@pytest.mark.parametrize(
    ("name", "value", "what", "said"),
    [
        ("GOLDMARK_PUBLIC", "https://x.org/goldmark", "address", "cannot live in a folder"),
        ("GOLDMARK_SECRET", "short", "signing key", "shorter than 16"),
        ("GOLDMARK_SMTP", "smtp://mail.example.org", "mail", "GOLDMARK_MAIL_FROM"),
        ("GOLDMARK_DASK", "tcp://127.0.0.1:1", "cluster", "nobody answers"),
        ("GOLDMARK_FILES", "/no/such/folder", "made files", "no folder"),
    ],
)
def test_settings_that_lead_nowhere(
    installation: str, monkeypatch: pytest.MonkeyPatch, name: str, value: str, what: str, said: str
) -> None:
    monkeypatch.setenv(name, value)
    assert any(one.what == what and said in one.said for one in diagnose(installation) if one.state == "wrong")


def test_a_mail_server_that_does_not_answer(installation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDMARK_SMTP", "smtp://127.0.0.1:1")
    monkeypatch.setenv("GOLDMARK_MAIL_FROM", "goldmark@example.org")
    (wrong,) = [one for one in diagnose(installation) if one.state == "wrong"]
    assert (wrong.what, "nobody answers" in wrong.said) == ("mail", True)


@pytest.mark.parametrize("kind", ["nfs4", "cifs", "fuse.sshfs"])
def test_a_network_drive_is_no_place_for_sqlite(
    installation: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(f"/dev/sda1 / ext4 rw 0 0\nnas:/x {Path(installation).resolve().parent} {kind} rw 0 0\n")
    monkeypatch.setattr(surroundings, "MOUNTS", mounts)
    (wrong,) = [one for one in diagnose(installation) if one.state == "wrong"]
    assert kind in wrong.said
    assert "PostgreSQL" in wrong.remedy


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root gives files away")
def test_files_of_another_user_are_told(installation: str) -> None:
    log = Path(f"{installation}-wal")
    log.touch()
    os.chown(log, 12345, 12345)
    (wrong,) = [one for one in diagnose(installation) if one.state == "wrong"]
    assert "-wal" in wrong.said
    assert "chown" in wrong.remedy


def test_few_files_are_told(installation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    resource = pytest.importorskip("resource")
    monkeypatch.setattr(resource, "getrlimit", lambda which: (200, 200))
    (wrong,) = [one for one in diagnose(installation) if one.state == "wrong"]
    assert wrong.what == "limits"


def test_the_database_knows_of_backups_where_the_command_does_not(installation: str, tmp_path: Path) -> None:
    store = open_store(installation)
    BackupPlan(tmp_path / "elsewhere").make(store)
    store.close()
    (backups,) = [one for one in diagnose(installation) if one.what == "backups"]
    assert (backups.state, "0 hours old" in backups.said) == ("ok", True)


@pytest.mark.parametrize("address", ["mysql://x/y", "/no/such/folder/goldmark.db", "postgresql://nobody@127.0.0.1:1/x"])
def test_json_is_given_whatever_is_wrong(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", "--database", address, "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["ok"] is False
    assert [one["what"] for one in said["findings"] if one["state"] == "wrong"] == ["database"]


def test_settings_of_postgresql_that_lose_answers(postgres_database: str) -> None:
    """The server of the tests is set so, on purpose."""

    def told(found: list[Diagnosis]) -> set[str]:
        return {one.said.split()[0] for one in found if one.what == "PostgreSQL" and one.state == "wrong"}

    assert told(diagnose(postgres_database)) == {"fsync", "synchronous_commit", "full_page_writes", "autovacuum"}
