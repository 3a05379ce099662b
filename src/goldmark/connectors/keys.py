"""Keys to platforms: from the environment, or from a file that nobody else can read. They are kept nowhere."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from goldmark.errors import GoldmarkError

FILE = "GOLDMARK_KEYS"


class KeyMissing(GoldmarkError):
    code = "KEYS-01"
    message = (
        "{name} is not known: set it in the environment, or in a file of lines NAME=value that {file} names and that "
        "only its owner can read"
    )


class KeysTooOpen(GoldmarkError):
    code = "KEYS-02"
    message = "{path} can be read by others (its mode is {mode}); run: chmod 600 {path}"


class KeysNotReadable(GoldmarkError):
    code = "KEYS-03"
    message = "the file of keys {path} cannot be read: {why}"


def key(name: str) -> str:
    """A key that must be there."""
    found = maybe(name)
    if not found:
        raise KeyMissing(name=name, file=FILE)
    return found


def maybe(name: str, default: str = "") -> str:
    """A key that need not be there. The environment comes first."""
    return os.environ.get(name, "") or _in_file().get(name, default)


def _in_file() -> dict[str, str]:
    given = os.environ.get(FILE, "")
    if not given:
        return {}
    path = Path(given)
    try:
        mode = path.stat().st_mode
        if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise KeysTooOpen(path=path, mode=f"{stat.S_IMODE(mode):o}")
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise KeysNotReadable(path=path, why=error.strerror) from error
    pairs = (line.partition("=") for line in lines if line.strip() and not line.lstrip().startswith("#"))
    return {name.strip(): value.strip() for name, _, value in pairs}
