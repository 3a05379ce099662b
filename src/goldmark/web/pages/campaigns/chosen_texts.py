"""The part of a form in which texts are chosen: files as they are, or a table whose columns somebody says the sense of.

New campaigns, more texts for a campaign and new studies ask the same.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from goldmark.campaigns.definition.protocols import find_protocol
from goldmark.campaigns.definition.units.needed_context import MissingContext
from goldmark.campaigns.definition.uploads import Uploaded, mapped_texts, units_from_rows, uploaded_sheet
from goldmark.errors import GoldmarkError, ProblemsFound
from goldmark.records.units import Unit
from goldmark.texts.readers.rows import KNOWN
from goldmark.texts.readers.sheets.columns import ROLES, guessed, mapped
from goldmark.texts.segmentation.sentences import SPLITTERS
from goldmark.texts.segmentation.tokens import TOKENISERS
from goldmark.web.visits import Visit

MOST_LOOKED_AT = 20_000_000  # bytes
FEW_VALUES = 12  # of a fact by which texts are grouped
WAYS = {"tokeniser": "rules", "sentences": "rules"}


class SeenFact(NamedTuple):
    """A hidden key of the texts: its values with how many texts have each, unless there are many."""

    key: str
    values: list[tuple[str, int]]
    different: int


def _roles(visit: Visit) -> dict[str, str]:
    """Which column of a table is what, as the form says."""
    return {role: visit.given.get(f"column.{role}", "") for role in ROLES}


def cut(visit: Visit) -> dict[str, str]:
    """How texts are cut into tokens and sentences."""
    return {one: given for one in WAYS if (given := visit.given.get(one, ""))}


@contextmanager
def chosen(visit: Visit) -> Iterator[Sequence[Uploaded]]:
    """The files as they are, or the one table whose columns were named as a file of texts."""
    roles = _roles(visit)
    if not any(roles.values()):
        yield visit.uploads
        return
    with mapped_texts(visit.uploads, roles, visit.lines("context")) as files:
        yield files


def look(visit: Visit) -> dict[str, Any]:
    """What is in the chosen file, which column is what, and how the first texts are cut, for a page to show."""
    ways = {**WAYS, **cut(visit)}
    facts: dict[str, Any] = {**nothing_chosen(), "ways": ways}
    try:
        sheet = uploaded_sheet(visit.uploads)
        if sheet is not None:
            asked = any(f"column.{role}" in visit.given for role in ROLES)
            roles = _roles(visit) if asked else guessed(sheet.columns)
            known = {role: column for role, column in roles.items() if column in sheet.columns}
            context = [one for one in visit.lines("context") if one in sheet.columns]
            facts |= {"sheet": sheet, "roles": known, "context": context}
            facts["first"] = units_from_rows(mapped(sheet, known, context), **ways)
            facts["missing"] = _missing(visit, facts["first"])
    except ProblemsFound as error:
        facts["problem"] = "; ".join(str(one.what) for one in error.problems[:5])
    except GoldmarkError as error:
        facts["problem"] = str(error)
    return facts


def _missing(visit: Visit, first: list[Unit]) -> list[str]:
    """What the protocol that was chosen needs beside the texts, and these lack."""
    wanted = visit.given.get("protocol", "")
    if not wanted:
        return []
    protocol = visit.read(lambda connection: find_protocol(connection, wanted)).protocol
    missing = MissingContext(protocol, first)
    return [*(one.what for one in missing.problems("")), *missing.warnings()]


def hidden_facts(visit: Visit) -> list[SeenFact]:
    """What the chosen texts say of themselves, as far as it can be told without cutting them up."""
    with suppress(GoldmarkError), chosen(visit) as files:  # what is wrong is said beside the columns
        return facts_in(row for file in files for row in _lines(file))
    return []


def facts_in(rows: Iterable[Mapping[str, Any]]) -> list[SeenFact]:
    """The hidden keys of some rows with their values, those of few values first."""
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        for key, value in row.items():
            if key not in KNOWN and isinstance(value, str | int | float):
                counts.setdefault(key, Counter())[str(value)] += 1
    seen = [
        SeenFact(key, sorted(found.items()) if len(found) <= FEW_VALUES else [], len(found))
        for key, found in counts.items()
    ]
    return sorted(seen, key=lambda one: not one.values)


def _lines(file: Uploaded) -> Iterator[dict[str, Any]]:
    """The rows of a file of JSON lines; what is none is told when the study is checked."""
    if not file.name.lower().endswith(".jsonl"):
        return
    left = MOST_LOOKED_AT
    while left > 0 and (line := file.content.readline(left)):
        left -= len(line)
        with suppress(ValueError, RecursionError):
            row = json.loads(line)
            if isinstance(row, dict):
                yield row
    file.content.seek(0)


def nothing_chosen() -> dict[str, Any]:
    """The same before anything was chosen."""
    return {
        "sheet": None,
        "roles": {},
        "context": [],
        "problem": "",
        "first": [],
        "missing": [],
        "ways": WAYS,
        "always_cut": False,
        "tokenisers": sorted(TOKENISERS.usable()),
        "splitters": sorted(SPLITTERS.usable()),
    }
