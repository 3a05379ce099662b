"""The pages of commands, made from the commands themselves: `python -m tests.commands_page` writes them."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from unittest.mock import patch

from cyclopts import App

from goldmark.cli.nouns import NOUNS, PLACES

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "reference" / "commands"
HEAD = """# Commands

Every command is a noun and then, mostly, a verb. Data goes to standard output and talk to standard error, so that
`goldmark ... --json > file` holds nothing but data. The exit code is 0 for success, 1 for an operation that failed (its
message says what to do and ends in a code such as `[FILE-01]`), and 2 for wrong usage.

These pages are made from the commands themselves. `goldmark --help` and `goldmark NOUN --help` say the same.

| noun | what it is for |
|---|---|
"""


def app_of(noun: str) -> App:
    app = importlib.import_module(PLACES[noun]).app
    assert isinstance(app, App)
    return app


def verbs_of(noun: str) -> list[str]:
    """The verbs of a noun; none if the noun is a command by itself."""
    return sorted(name for name in app_of(noun) if not name.startswith("-"))


def pages() -> Mapping[str, str]:
    """By the name of its file what each page says: one lists the nouns, and every noun has its own."""
    nouns = sorted(NOUNS)
    listed = "".join(f"| [`{noun}`]({noun}.md) | {NOUNS[noun]} |\n" for noun in nouns)
    return {"index.md": HEAD + listed, **{f"{noun}.md": _of(noun) for noun in nouns}}


def _of(noun: str) -> str:
    app = app_of(noun)
    # Without the program that happens to make the page, and without what a call in this process has left on the noun.
    with patch.object(sys, "argv", ["goldmark"]), patch.object(app, "_help", None):
        text = app.generate_docs(heading_level=1, usage_name=f"goldmark {noun}")
    text = re.sub(r"^#+ Table of Contents\n\n(?:[ *-].*\n)*\n?", "", text, flags=re.MULTILINE)
    text = re.sub(r"^\* \[`(\S+)`\]\(#\S+\)", r"* `\1`", text, flags=re.MULTILINE)  # anchors depend on the renderer
    heading, _, rest = text.partition("\n")
    rest = f"\n{NOUNS[noun]}\n{rest}"
    return "\n".join(line.rstrip() for line in f"{heading}\n{rest}".strip().splitlines()) + "\n"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8", newline="\n")
