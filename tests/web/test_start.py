"""How a server starts: what it says and in which form, with which key, and under which address."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from goldmark.accounts.links import NotAPublicAddress, public_address
from goldmark.accounts.signing_keys import KeyFileEmpty, Keys, is_unknown, remember, signing_key
from goldmark.store import Store
from goldmark.web.runtime import server

BREAKS_OFF = """
import sys, threading, warnings
from goldmark.web.runtime.logs import teller
say = teller(as_json=True, whole=True)
say("the first account: https://x.org/link/one-time")
warnings.warn("an old way")
print("printed, with gm_token and two\\nlines", file=sys.stderr)
one = threading.Thread(target=lambda: 1 / 0)
one.start()
one.join()
raise ValueError("https://x.org/link/secret")
"""


def test_all_that_a_program_says_is_lines_of_json(tmp_path: Path) -> None:
    """Also what is printed and not logged, and how it broke off."""
    ended = subprocess.run([sys.executable, "-c", BREAKS_OFF], capture_output=True, text=True, check=False)
    lines = [json.loads(line) for line in ended.stderr.splitlines()]
    assert [line["level"] for line in lines] == ["info", "warning", "error", "error", "critical", "critical"]
    assert lines[0]["message"].endswith("/link/one-time"), "it is said to whoever starts the server, and nowhere else"
    assert [line["message"] for line in lines[2:4]] == ["printed, with gm_*** and two", "lines"]
    assert "ZeroDivisionError" in lines[4]["error"]
    assert "ValueError: https://x.org/link/***" in lines[5]["error"]


def test_a_server_that_cannot_start_says_so_as_json_too(sqlite_database: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = str(taken.getsockname()[1])
        command = ["serve", "--log", "json", "--port", port, "--database", sqlite_database]
        ended = subprocess.run(
            [sys.executable, "-m", "goldmark", *command], capture_output=True, text=True, check=False
        )
    assert ended.returncode == 1
    (line,) = map(json.loads, ended.stderr.splitlines())
    assert line["level"] == "error"
    assert line["message"].endswith("[SERVE-01]")


@pytest.mark.parametrize("given", ["https://x.org", "https://x.org/", "http://10.0.0.1:8000", " https://x.org:8443 "])
def test_addresses_that_people_can_use(given: str) -> None:
    assert public_address(given) == given.strip().rstrip("/")


@pytest.mark.parametrize(
    "given",
    [
        "x.org",
        "https://x.org/goldmark",
        "ftp://x.org",
        "https://",
        "https://x.org:many",
        "https://u:p@x.org",
        "//x.org",
    ],
)
def test_addresses_with_which_no_link_would_work_are_refused(given: str) -> None:
    with pytest.raises(NotAPublicAddress, match="a name of its own"):
        public_address(given)


def test_an_empty_key_signs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk leaves one behind, and with it anybody could make links."""
    monkeypatch.delenv("GOLDMARK_SECRET")
    address = str(tmp_path / "goldmark.db")
    Path(f"{address}.key").touch()
    with pytest.raises(KeyFileEmpty):
        signing_key(address)
    Path(f"{address}.key").unlink()
    assert signing_key(address) == signing_key(address)


def test_another_signing_key_is_noticed(store: Store) -> None:
    first, second = Keys.only(b"the first"), Keys.only(b"the second")

    def unknown(keys: Keys) -> bool:
        return store.read(lambda connection: is_unknown(connection, keys))

    assert not unknown(first)
    assert [remember(store, first), remember(store, first)] == [False, False]
    assert unknown(second)
    assert [remember(store, second), remember(store, second)] == [True, False]


def test_a_key_that_is_replaced_as_it_should_be_is_not_complained_of(store: Store) -> None:
    remember(store, Keys.only(b"the first"))
    assert not remember(store, Keys(b"the second", (b"the first",), b"the first"))
    assert not remember(store, Keys(b"the second", (), b"the first")), "the first was taken away after a while"


def test_the_server_refuses_such_an_address_before_it_does_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "listen", lambda host, port: pytest.fail("it went on"))
    with pytest.raises(NotAPublicAddress):
        server.run(str(tmp_path / "new.db"), host="127.0.0.1", port=0, public="https://x.org/sub", say=print)
    assert list(tmp_path.iterdir()) == []
