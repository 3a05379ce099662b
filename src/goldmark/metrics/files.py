"""Outputs and references from files: JSON lines joined by id, or plain text with one text a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from goldmark.errors import Problem, ProblemsFound
from goldmark.metrics.plugins import Texts
from goldmark.texts.readers.tidy import NoSuchFile, NotReadable

NOTHING = "nothing was scored"
ONE = ""  # how the only system is called when nobody names one


class SystemOutputs(NamedTuple):
    """What one system wrote."""

    system: str
    ids: tuple[str, ...]
    texts: Texts


class _Given(NamedTuple):
    """What people wrote for one id."""

    references: tuple[str, ...]
    source: str | None


def read_outputs(outputs: Path, references: Path | None) -> list[SystemOutputs]:
    """Each system's outputs with their references, in the order of the references. Every problem is named at once.

    Rows of outputs have `id`, `output` and perhaps `system`; rows of references have `id`, `reference` or `references`,
    and perhaps `source`. Plain text files (`.txt`) are joined by their lines.
    """
    problems: list[Problem] = []
    given = _references(references, problems) if references else None
    systems: dict[str, dict[str, str]] = {}
    for where, row in _rows(outputs, "output", problems):
        number, output, system = _word(row, "id"), row.get("output"), str(row.get("system") or ONE)
        if number is None or not isinstance(output, str):
            problems.append(Problem(where, 'a row of outputs needs "id" and "output", a text'))
        elif number in systems.setdefault(system, {}):
            problems.append(Problem(where, f"the id {number} comes a second time{_of(system)}"))
        elif given is not None and number not in given:
            problems.append(Problem(where, f"there is no reference for the id {number}"))
        else:
            systems[system][number] = output
    if not systems and not problems:
        problems.append(Problem(str(outputs), "there is no row in it"))
    found = []
    for system, texts in systems.items():
        missing = [number for number in given or () if number not in texts]
        if missing:
            shown = ", ".join(missing[:5]) + (", ..." if len(missing) > 5 else "")
            what = f"{len(missing)} of {len(given or ())} outputs are missing{_of(system)}: {shown}"
            problems.append(Problem(str(outputs), what, "a score over fewer texts would be another score"))
            continue
        found.append(_joined(system, texts, given))
    if problems:
        raise ProblemsFound(problems, NOTHING)
    return found


def _joined(system: str, texts: dict[str, str], given: dict[str, _Given] | None) -> SystemOutputs:
    if given is None:
        return SystemOutputs(system, tuple(texts), Texts(list(texts.values())))
    sources = [one.source for one in given.values()]
    return SystemOutputs(
        system,
        tuple(given),
        Texts(
            outputs=[texts[number] for number in given],
            references=[one.references for one in given.values()],
            sources=[source for source in sources if source is not None] if None not in sources else (),
        ),
    )


def _references(path: Path, problems: list[Problem]) -> dict[str, _Given]:
    found: dict[str, _Given] = {}
    for where, row in _rows(path, "reference", problems):
        number, source = _word(row, "id"), row.get("source")
        texts = row.get("references", row.get("reference"))
        several = [texts] if isinstance(texts, str) else texts
        if number is None or not isinstance(several, list) or not all(isinstance(one, str) for one in several):
            problems.append(Problem(where, 'a row of references needs "id" and "reference" (or "references", a list)'))
        elif not several:
            problems.append(Problem(where, f"the id {number} has no reference"))
        elif number in found:
            problems.append(Problem(where, f"the id {number} comes a second time"))
        else:
            found[number] = _Given(tuple(several), source if isinstance(source, str) else None)
    return found


def _rows(path: Path, key: str, problems: list[Problem]) -> Iterator[tuple[str, dict[str, Any]]]:
    if not path.is_file():
        raise NoSuchFile(path=path, here=Path.cwd())
    try:
        content = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotReadable(path=path, reason=f"byte {error.start} is not UTF-8; save it as UTF-8") from None
    lines = content.split("\n")
    if lines[-1] == "":
        lines.pop()
    for number, line in enumerate(lines, 1):
        where = f"{path.name}:{number}"
        if path.suffix.lower() == ".txt":
            yield where, {"id": str(number), key: line.rstrip("\r")}
            continue
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            problems.append(Problem(where, f"this line is not JSON: {error}"))
            continue
        if isinstance(row, dict):
            yield where, row
        else:
            problems.append(Problem(where, "this line is not an object"))


def _word(row: dict[str, Any], key: str) -> str | None:
    value = row.get(key)
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else None


def _of(system: str) -> str:
    return f" of {system}" if system else ""
