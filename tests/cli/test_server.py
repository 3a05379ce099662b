"""`goldmark serve` and `goldmark demo` call the server the way it wants to be called; `serve` becomes it."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from unittest.mock import create_autospec

import psutil
import pytest

from goldmark.cli import run
from goldmark.cli.server import run_server
from goldmark.web.runtime import server

SERVE = (sys.executable, "-m", "goldmark", "serve", "--workers", "0")


@pytest.mark.parametrize(
    "command", ["serve --database g.db --workers 0 --public https://eval.example.org", "demo start"]
)
def test_the_server_is_run(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    called = create_autospec(server.run)  # refuses what the server does not take
    monkeypatch.setattr(server, "run", called)
    monkeypatch.setattr(os, "execve", here)
    monkeypatch.chdir(tmp_path)
    assert run([*command.split(), "--port", "0"]) == 0
    assert called.call_args.kwargs["port"] == 0
    assert called.call_args.args[0].endswith(".db")


def here(_: str, arguments: Sequence[str], environment: Mapping[str, str]) -> None:
    """What the program does that takes this one's place."""
    run_server.serve(environment["GOLDMARK_DATABASE"], **json.loads(arguments[-1]))


def test_the_command_becomes_the_server_and_ends_with_it(tmp_path: Path) -> None:
    command = [*SERVE, "--port", "0", "--database", str(tmp_path / "secret-word.db")]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert re.fullmatch(r"Goldmark is at http://127\.0\.0\.1:\d+\n", process.stderr.readline())
        arguments = psutil.Process(process.pid).cmdline()
        assert run_server.__name__ in arguments
        assert "secret-word" not in " ".join(arguments), "an address may hold a password"
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()
    assert process.returncode == 130
    assert "Traceback" not in said


def test_what_a_user_can_mend_is_a_sentence(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        command = [*SERVE, "--port", port, "--database", str(tmp_path / "g.db")]
        refused = subprocess.run(command, capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert "SERVE-01" in refused.stderr
    assert "Traceback" not in refused.stderr
