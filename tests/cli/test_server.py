"""`goldmark serve` and `goldmark demo` call the server the way it wants to be called."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import create_autospec

import pytest

from goldmark.cli import run
from goldmark.web.runtime import server


@pytest.mark.parametrize(
    "command", ["serve --database g.db --workers 0 --public https://eval.example.org", "demo start"]
)
def test_the_server_is_run(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    called = create_autospec(server.run)  # refuses what the server does not take
    monkeypatch.setattr(server, "run", called)
    monkeypatch.chdir(tmp_path)
    assert run([*command.split(), "--port", "0"]) == 0
    assert called.call_args.kwargs["port"] == 0
    assert called.call_args.args[0].endswith(".db")
