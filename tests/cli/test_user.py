"""`goldmark user`: accounts from the command line, as data for machines and as sentences for people."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from goldmark.accounts.links import SignedLinks, remember_address
from goldmark.accounts.one_time_codes import code_of, step_at
from goldmark.accounts.rate_limits import RateLimits
from goldmark.accounts.second_factor import SecondFactors
from goldmark.accounts.service import AccountService
from goldmark.cli import run
from goldmark.store import open_store


def told(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, Any, str]:
    code = run(["user", *words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_from_account_to_token(sqlite_database: str, capsys: pytest.CaptureFixture[str]) -> None:
    here = ("--database", sqlite_database)
    code, out, _ = told(capsys, "create", "Ada", "--role", "owner", "--public", "https://x.org/", "--json", *here)
    made = json.loads(out)
    assert (code, made["role"]) == (0, "owner")
    assert made["link"].startswith("https://x.org/link/")
    store = open_store(sqlite_database)
    responses = AccountService(store)
    looked = responses.look_at_link(made["link"].rpartition("/")[2])
    assert looked is not None
    assert looked.name == "Ada"
    code, out, _ = told(capsys, "token", "Ada", *here)
    assert responses.account_of(out.strip(), "token").name == "Ada"
    told(capsys, "token", "Ada", "--days", "0", *here)
    ends, never = (one.expires_at for one in responses.tokens(looked.id))
    assert ends is not None
    assert timedelta(days=89) < ends - datetime.now(UTC) < timedelta(days=91), "unless one says otherwise"
    assert never is None
    assert told(capsys, "token", "Ada", "--days", "-1", *here)[0] == 2
    store.close()


def test_roles_and_shutting_out(sqlite_database: str, capsys: pytest.CaptureFixture[str]) -> None:
    here = ("--database", sqlite_database)
    for name, role in (("Ada", "owner"), ("Bo", "curator")):
        assert told(capsys, "create", name, "--role", role, *here)[0] == 0
    assert told(capsys, "role", "Bo", "manager", "--reason", "trusted", *here)[0] == 0
    assert told(capsys, "deactivate", "Bo", *here)[0] == 0
    assert told(capsys, "list", *here)[1] == "Ada\towner\nBo\tmanager\tdeactivated\n"
    assert told(capsys, "reactivate", "Bo", *here)[0] == 0
    assert told(capsys, "list", *here)[1] == "Ada\towner\nBo\tmanager\n"


def test_a_locked_out_owner_is_let_in_from_the_terminal(
    sqlite_database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    here = ("--database", sqlite_database)
    told(capsys, "create", "Ada", "--role", "owner", *here)
    store = open_store(sqlite_database)
    accounts, links = AccountService(store), SignedLinks(b"a key")
    factors, ada = SecondFactors(store, links, RateLimits(store)), accounts.find("Ada")
    key = factors.begin(ada, "", address="", where="").secret
    factors.confirm(ada, code_of(base64.b32decode(key), step_at(datetime.now(UTC))))
    assert accounts.find("Ada").second_factor
    code, out, _ = told(capsys, "reset-second-factor", "Ada", "--reason", "phone in the lake", "--json", *here)
    assert (code, json.loads(out)["second_factor"]) == (0, False)
    assert not accounts.find("Ada").second_factor
    store.close()


def test_mistakes_are_sentences(sqlite_database: str, capsys: pytest.CaptureFixture[str]) -> None:
    here = ("--database", sqlite_database)
    told(capsys, "create", "Ada", "--role", "owner", *here)
    for words, said in (
        (("create", "Ada"), "there is an account 'Ada' already"),
        (("deactivate", "Ada"), "'Ada' is the last owner"),
        (("link", "Bo"), "there is no account 'Bo'"),
        (("reset-second-factor", "Bo"), "there is no account 'Bo'"),
        (("reset-second-factor", "Ada"), "there is no second factor"),
    ):
        code, _, err = told(capsys, *words, *here)
        assert code == 1
        assert said in err
    assert told(capsys, "create", "Bo", "--role", "king", *here)[0] == 2


def test_links_begin_where_the_server_was_last_started(
    capsys: pytest.CaptureFixture[str], sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GOLDMARK_PUBLIC", raising=False)
    here = ("--database", sqlite_database)
    told(capsys, "create", "Ada", *here)
    assert told(capsys, "link", "Ada", *here)[1].startswith("http://127.0.0.1:8000/link/")
    remember_address(sqlite_database, "http://127.0.0.1:9321")
    assert told(capsys, "link", "Ada", *here)[1].startswith("http://127.0.0.1:9321/link/")
    monkeypatch.setenv("GOLDMARK_PUBLIC", "https://eval.example.org/")
    assert told(capsys, "link", "Ada", *here)[1].startswith("https://eval.example.org/link/")
    assert told(capsys, "link", "Ada", "--public", "https://x.org", *here)[1].startswith("https://x.org/link/")
