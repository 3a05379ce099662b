"""The kept files of every version, and the command that reads them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from goldmark.cli import run

HERE = Path(__file__).parent
VERSIONS = sorted(path.parent.name for path in HERE.glob("*/expected.json"))


class Command:
    """The `goldmark` command on one database."""

    def __init__(self, address: str, capsys: pytest.CaptureFixture[str]) -> None:
        self.address, self.capsys = address, capsys

    def __call__(self, *words: str) -> str:
        return self.plain(*words, "--database", self.address)

    def plain(self, *words: str) -> str:
        """A command that needs no database."""
        self.capsys.readouterr()
        code = run(words)
        printed = self.capsys.readouterr()
        assert code == 0, (words, printed.out + printed.err)
        return printed.out

    def data(self, *words: str) -> Any:
        return json.loads(self(*words, "--json"))

    def export(self, campaign: str, folder: Path) -> str:
        target = folder / f"{campaign}-{len(list(folder.iterdir()))}.jsonl"
        self("campaign", "export", campaign, str(target))
        return target.read_text(encoding="utf-8")


class Kept:
    """The files of one version."""

    def __init__(self, version: str) -> None:
        self.folder = HERE / version
        self.expected: Any = json.loads((self.folder / "expected.json").read_text(encoding="utf-8"))

    def unpack(self, target: Path) -> str:
        """Its database, which is a backup as well."""
        target.write_bytes(gzip.decompress((self.folder / "backup.gz").read_bytes()))
        return str(target)


@pytest.fixture(params=VERSIONS)
def kept(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Kept:
    found = Kept(request.param)
    monkeypatch.setenv("GOLDMARK_SECRET", found.expected["secret"])
    return found


@pytest.fixture
def command(kept: Kept, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    """The command on the version's database, upgraded."""
    found = Command(kept.unpack(tmp_path / "goldmark.db"), capsys)
    found("database", "upgrade")
    return found


@pytest.fixture
def fresh(sqlite_database: str, capsys: pytest.CaptureFixture[str]) -> Command:
    """The command on a new database."""
    return Command(sqlite_database, capsys)
