"""`dataset.json`: what a dataset is, how it was made, and which tasks its fields allow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import orjson

from goldmark.datasets.release.description.statistics import Statistics
from goldmark.errors import Missing

NAME = "dataset.json"
FORMAT = 1
TASKS = ("detect", "spans", "type", "correct", "rationale")


class NoDataset(Missing):
    code = "DATASET-13"
    message = "{path} is not a dataset: {reason}; make one with `goldmark dataset build` or `goldmark dataset import`"


@dataclass(frozen=True)
class Manifest:
    """A dataset in a few facts; all of them follow from the data and the options, none from the clock."""

    name: str
    title: str
    texts: Mapping[str, int]  # by split
    erroneous: int
    tokens: int
    errors: int
    annotators: int
    tasks: tuple[str, ...]
    types: tuple[str, ...]  # first level, sorted
    associated: bool
    languages: Mapping[str, int]
    systems: Mapping[str, int]
    bases: Mapping[str, int]
    read_twice: int
    left_out: Mapping[str, int]
    choose: str
    seed: int
    shares: tuple[int, int, int]
    licence: str
    protocol: str = ""
    origin: str = ""
    labels: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    format: int = FORMAT
    goldmark: str = ""
    near_copies: int = 0  # texts that are nearly the same as another; each group is in one split

    def to_bytes(self) -> bytes:
        return orjson.dumps(asdict(self), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def read_manifest(folder: Path) -> Manifest:
    """The facts of a dataset on disk."""
    path = folder / NAME
    try:
        data = orjson.loads(path.read_bytes())
    except OSError as error:
        raise NoDataset(path=folder, reason=f"it has no {NAME}") from error
    except ValueError as error:
        raise NoDataset(path=folder, reason=f"{NAME} cannot be read ({error})") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise NoDataset(path=folder, reason=f"{NAME} is not of format {FORMAT}")
    try:
        return Manifest(
            **{
                **data,
                "tasks": tuple(data["tasks"]),
                "types": tuple(data["types"]),
                "shares": tuple(data["shares"]),
                "labels": {path: tuple(names) for path, names in data["labels"].items()},
            }
        )
    except (TypeError, KeyError, AttributeError) as error:
        raise NoDataset(path=folder, reason=f"{NAME} lacks something ({error})") from error


def tasks_of(counted: Statistics, types: int) -> tuple[str, ...]:
    """The benchmark tasks that the fields of a dataset allow."""
    allowed = {
        "detect": 0 < counted.erroneous < counted.texts,
        "spans": counted.errors > 0,
        "type": types > 1,
        "correct": counted.corrected > 0,
        "rationale": counted.has["rationale"] > 0,
    }
    return tuple(task for task in TASKS if allowed[task])
