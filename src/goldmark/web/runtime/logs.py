"""Logs for programs: a JSON object on each line, without anything that opens a door."""

from __future__ import annotations

import io
import json
import logging
import os
import re
import sys
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

# API tokens, passwords in addresses, and the part of our own links that is the credential.
SECRETS = re.compile(
    r"(?P<token>\bgm_)[\w-]+"
    r"|(?P<address>\b\w{1,30}://[^\s:/@]*:)[^\s/@]+(?=@)"
    r"|(?P<link>/(?:a|join|link|crowd|done|team)/)[^\s/?\"']+"
    r"|(?P<header>\b[Bb]earer )\S+"
)


_log = logging.getLogger("goldmark.server")


def without_secrets(said: str) -> str:
    return SECRETS.sub(lambda found: next(filter(None, found.groups()), "") + "***", said)


class JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        said = record.getMessage()
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": said if getattr(record, "whole", False) else without_secrets(said),
            **getattr(record, "facts", {}),
        }
        if record.exc_info:
            line["error"] = without_secrets(self.formatException(record.exc_info))
        return json.dumps(line, ensure_ascii=False, default=str)


class _Printed(io.TextIOBase):
    """Standard error, where what is printed and not logged becomes an object too: why a program ended, say."""

    def __init__(self, write: Callable[[str], None], number: int) -> None:
        self._write, self._number, self._begun = write, number, ""

    def write(self, said: str) -> int:
        *whole, self._begun = (self._begun + said).split("\n")
        for line in filter(str.strip, whole):
            self._write(line)
        return len(said)

    def fileno(self) -> int:
        return self._number


def log_as_json() -> None:
    """From now on everything that this program says, each request among it, goes to standard error as JSON."""
    handler = logging.StreamHandler(sys.__stderr__)
    handler.setFormatter(JsonLines())
    # A full disk, or a reader who has gone: to say so on standard error would be one more line that cannot be written.
    handler.handleError = lambda record: None  # type: ignore[method-assign]
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.getLogger("goldmark").setLevel(logging.INFO)
    logging.captureWarnings(True)
    if sys.__stderr__ is not None:
        sys.stderr = _Printed(_log.error, sys.__stderr__.fileno())
    sys.excepthook = lambda *error: _log.critical("the program broke off", exc_info=error)
    threading.excepthook = lambda error: _log.critical(
        "a thread broke off", exc_info=(error.exc_type, error.exc_value or error.exc_type(), error.exc_traceback)
    )


def teller(*, as_json: bool | None = None, whole: bool = False) -> Callable[[str], None]:
    """How a program that runs for long says what it does: in words, or as GOLDMARK_LOG wants it.

    What is said `whole` keeps its links: the one that makes the first account is nowhere else.
    """
    if not (os.environ.get("GOLDMARK_LOG") == "json" if as_json is None else as_json):
        return lambda line: print(line, file=sys.stderr)
    log_as_json()
    return lambda line: _log.info(line, extra={"whole": whole})
