"""What today's program says, in words of our own: the one place to change when it says the same thing otherwise.

Expected values are kept in these words and never change.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

# What says which row of a table it is.
KEYS = ("question", "system", "label", "measure", "level", "first", "second", "stage")


def answers(export: str) -> list[list[Any]]:
    """Every revision of every answer in an export as JSON lines: unit, annotator, revision, whether final, answers."""
    return sorted(
        [row["unit"], row["annotator"], row["revision"], row["final"], row["answers"]]
        for row in map(json.loads, export.splitlines())
        if row["record"] == "response"
    )


def states(export: str) -> dict[str, int]:
    """How many assignments are in which state."""
    rows = map(json.loads, export.splitlines())
    return dict(Counter(row["state"] for row in rows if row["record"] == "assignment"))


def figures(results: Mapping[str, Any]) -> dict[str, list[list[Any]]]:
    """Every point estimate of a campaign's results, by table and row; intervals and notes may improve."""
    return {one["name"]: rows for one in results["tables"] if (rows := table(one))}


def table(one: Mapping[str, Any]) -> list[list[Any]]:
    """The point estimates of a table, each after what says which row it is."""
    rows = one["tables"][0]["rows"] if "tables" in one else one["rows"]
    return [[*(str(row[key]) for key in KEYS if row.get(key)), row["value"]] for row in rows if "value" in row]


def standings(board: Mapping[str, Any]) -> list[list[Any]]:
    """Rank, system, version, human score and metrics."""
    return [
        [row[key] for key in ("rank", "system", "version", "correct", "bleu", "chrf")]
        for row in board["tables"][0]["rows"]
    ]


def study(report: Mapping[str, Any]) -> dict[str, Any]:
    """Whether the plan still is what was written down, and the accuracy of each cell."""
    return {
        "digest": report["plan"]["digest"],
        "unchanged": report["plan"]["unchanged"],
        "accuracy": {row["model"]: row["accuracy"] for row in report["tables"][0]["rows"]},
    }


def ledger(found: Mapping[str, Any]) -> list[list[Any]]:
    """What happened to places and money, in its order."""
    return [[row["kind"], row["amount"]] for row in found["entries"]]
