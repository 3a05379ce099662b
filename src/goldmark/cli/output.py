"""How commands speak: data on standard output, talk on standard error."""

from __future__ import annotations

import sys

from goldmark.errors import GoldmarkError, ProblemsFound


def talk(message: str) -> None:
    """Tell the person something that is not data."""
    print(message, file=sys.stderr)


def print_json(data: object) -> None:
    """Write data for machines: keys in the order given, numbers exact, text as it is."""
    import json

    json.dump(data, sys.stdout, ensure_ascii=False, indent=2, allow_nan=False)
    sys.stdout.write("\n")


def explain(error: GoldmarkError) -> None:
    """Say what was wrong and how to mend it."""
    if isinstance(error, ProblemsFound):
        for problem in error.problems:
            talk(str(problem))
    talk(f"{error} [{error.code}]")
