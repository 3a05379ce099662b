"""Is a dataset whole? Its checksums, and that every row has the shape that the data card promises."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from goldmark.datasets.release.build import READINGS, SUMS, digest, files_of
from goldmark.datasets.release.manifest import Manifest, read_manifest
from goldmark.datasets.release.rows import COLUMNS, ERROR, READING
from goldmark.datasets.release.splits import SPLITS
from goldmark.errors import Problem
from goldmark.records.figures import counted

MOST = 200  # problems after which nobody reads on
_KINDS: dict[str, tuple[type, ...]] = {
    "text": (str,),
    "text or null": (str, type(None)),
    "number": (int,),
    "truth": (bool,),
    "list": (list,),
    "list of text": (list,),
    "list of numbers": (list,),
}


def check(folder: Path) -> list[Problem]:
    """Everything that is wrong with a dataset on disk, at most 200 problems."""
    manifest = read_manifest(folder)
    problems = list(_sums(folder))
    for problem in _rows(folder, manifest):
        problems.append(problem)
        if len(problems) >= MOST:
            break
    return problems


def _sums(folder: Path) -> Iterator[Problem]:
    try:
        lines = (folder / SUMS).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        yield Problem(SUMS, "the file is missing or cannot be read", "build the dataset again")
        return
    known: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        wanted, parted, name = line.partition("  ")
        if not parted:
            yield Problem(f"{SUMS}:{number}", "the line is not a checksum and a file")
        known[name] = wanted
    there = set(files_of(folder)) - {SUMS}
    for name in sorted({*known} - there):
        yield Problem(name, "the file is missing", f"it is listed in {SUMS}")
    for name in sorted(there - {*known}):
        yield Problem(name, f"the file is not listed in {SUMS}", "remove it, or build the dataset again")
    for name in sorted(there & {*known}):
        if digest(folder / name) != known[name]:
            yield Problem(name, "the file was changed: its checksum is another", "build the dataset again")


def _rows(folder: Path, manifest: Manifest) -> Iterator[Problem]:
    seen: dict[str, str] = {}
    for split in SPLITS:
        name = f"jsonl/{split}.jsonl"
        count = 0
        for where, row in _read(folder, name):
            if isinstance(row, Problem):
                yield row
                continue
            count += 1
            yield from _row(row, where, COLUMNS)
            if not isinstance(row.get("id"), str):
                continue
            if row["id"] in seen:
                yield Problem(where, f"text {row['id']!r} was already used at {seen[row['id']]}")
            seen[row["id"]] = where
        if count != manifest.texts.get(split):
            yield Problem(name, f"it has {counted(count, 'row')}, but dataset.json says {manifest.texts.get(split)}")
    for where, row in _read(folder, READINGS):
        yield from [row] if isinstance(row, Problem) else _row(row, where, READING)


def _read(folder: Path, name: str) -> Iterator[tuple[str, dict[str, Any] | Problem]]:
    path = folder / name
    if not path.is_file():
        yield name, Problem(name, "the file is missing")
        return
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            where = f"{name}:{number}"
            try:
                row = orjson.loads(line)
            except ValueError as error:
                yield where, Problem(where, f"the line is not JSON ({error})")
                continue
            yield where, row if isinstance(row, dict) else Problem(where, "the line is not an object")


def _row(row: Mapping[str, Any], where: str, columns: Mapping[str, tuple[str, str]]) -> Iterator[Problem]:
    wrong = list(_shape(row, where, columns))
    yield from wrong
    if wrong:
        return
    tokens = row.get("tokens")
    if tokens is not None and not _fits(row):
        yield Problem(where, "its tokens do not stand where `starts` says")
    if row["erroneous"] != bool(row["errors"]):
        found = counted(len(row["errors"]), "error")
        yield Problem(where, f"it is {'' if row['erroneous'] else 'not '}erroneous with {found}")
    for number, error in enumerate(row["errors"]):
        here = f"error {number + 1}: "
        bad = list(_shape(error, where, ERROR, here))
        yield from bad
        if bad:
            continue
        for passage in (error, *error["associated"]):
            start, end = passage["start"], passage["end"]
            if not 0 <= start < end <= (len(tokens) if tokens is not None else end):
                yield Problem(
                    where, f"{here}{start}-{end} does not fit a text of {counted(len(tokens or ()), 'token')}"
                )
        if error["label"] != ".".join(part for part in (error["type"], error["subtype"]) if part):
            yield Problem(where, f"{here}label, type and subtype do not agree")


def _shape(
    row: Mapping[str, Any], where: str, columns: Mapping[str, tuple[str, str]], here: str = ""
) -> Iterator[Problem]:
    if list(row) != list(columns):
        yield Problem(where, f"{here}its keys are {', '.join(row)}", f"they should be {', '.join(columns)}")
        return
    for name, (kind, _) in columns.items():
        value = row[name]
        if not isinstance(value, _KINDS[kind]) or (kind == "number" and isinstance(value, bool)):
            yield Problem(where, f"{here}{name} is {value!r}"[:200], f"it should be {kind}")


def _fits(row: Mapping[str, Any]) -> bool:
    text: str = row["text"]
    return len(row["tokens"]) == len(row["starts"]) and all(
        isinstance(start, int) and text.startswith(token, start)
        for token, start in zip(row["tokens"], row["starts"], strict=True)
    )
