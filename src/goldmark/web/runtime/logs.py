"""Logs for programs: a JSON object on each line, without anything that opens a door."""

from __future__ import annotations

import json
import logging
import re
import sys
from datetime import UTC, datetime
from typing import Any

# API tokens, passwords in addresses, and the part of our own links that is the credential.
SECRETS = re.compile(
    r"(?P<token>\bgm_)[\w-]+"
    r"|(?P<address>\b\w{1,30}://[^\s:/@]*:)[^\s/@]+(?=@)"
    r"|(?P<link>/(?:a|join|link|crowd|done|team)/)[^\s/?\"']+"
    r"|(?P<header>\b[Bb]earer )\S+"
)


def without_secrets(said: str) -> str:
    return SECRETS.sub(lambda found: next(filter(None, found.groups()), "") + "***", said)


class JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": without_secrets(record.getMessage()),
            **getattr(record, "facts", {}),
        }
        if record.exc_info:
            line["error"] = without_secrets(self.formatException(record.exc_info))
        return json.dumps(line, ensure_ascii=False, default=str)


def log_as_json() -> None:
    """From now on everything that this program logs, each request among it, goes to standard error as JSON."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.getLogger("goldmark").setLevel(logging.INFO)
