"""Read units from files of any known format: all of them, or none and every problem at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from goldmark.errors import GoldmarkError, Kind, Problem, ProblemsFound
from goldmark.records.mistakes import Mistake
from goldmark.records.units import Unit
from goldmark.texts.readers.formats import reader_for
from goldmark.texts.readers.rows import SegmentationRules, unit_from_row
from goldmark.texts.segmentation.sentences import find_splitter
from goldmark.texts.segmentation.tokens import find_tokeniser


class NoSuchUnit(GoldmarkError):
    code = "FILE-03"
    kind = Kind.MISSING
    message = 'there is no unit "{id}"; {remedy}'


class NotUtf8(GoldmarkError):
    code = "FILE-04"
    message = "byte {place} of standard input is not UTF-8; give the text as UTF-8"


LIMIT_BYTES = 512 * 1024 * 1024


def read_units(
    paths: Iterable[Path | str],
    *,
    format: str | None = None,  # noqa: A002
    tokeniser: str = "rules",
    sentences: str = "rules",
    limit_bytes: int = LIMIT_BYTES,
) -> list[Unit]:
    """The units of all files in order; raises `ProblemsFound` with everything that is wrong in any of them."""
    find_tokeniser(tokeniser)
    find_splitter(sentences)
    rules = SegmentationRules(tokeniser, sentences)
    units: list[Unit] = []
    problems: list[Problem] = []
    seen: dict[str, str] = {}
    for path in map(Path, paths):
        before = (len(units), len(problems))
        try:
            reader = reader_for(path, format)
        except GoldmarkError as error:
            problems.append(Problem(str(path), str(error)))
            continue
        for row in reader.rows(path, limit_bytes, problems):
            unit = unit_from_row(row, rules, problems)
            if unit is None:
                continue
            if unit.id in seen:
                what = f'the id "{unit.id}" was already used at {seen[unit.id]}'
                problems.append(Problem(row.where, what, "give every unit an id of its own", "id"))
                continue
            seen[unit.id] = row.where
            units.append(unit)
        if before == (len(units), len(problems)):
            problems.append(Problem(str(path), "the file holds no row"))
    if problems:
        raise ProblemsFound(problems, "nothing was imported")
    return units


def find_unit(units: Sequence[Unit], id: str | None) -> Unit:  # noqa: A002
    """The unit with this id, or the first if none is asked for."""
    if id is None:
        return units[0]
    for unit in units:
        if unit.id == id:
            return unit
    close = get_close_matches(id, [unit.id for unit in units], n=1)
    raise NoSuchUnit(id=id, remedy=f'did you mean "{close[0]}"?' if close else f"there are {len(units)} units")


class GoldUnits(NamedTuple):
    """Texts of a shared task and the gold mistakes in them, which may be read as one annotator's work."""

    units: list[Unit]
    mistakes: dict[str, tuple[Mistake, ...]]  # by unit id; every unit has an entry


def read_gsml(
    gsml: Path,
    texts: Path,
    *,
    categories: Sequence[str] | None = None,
    limit_bytes: int = LIMIT_BYTES,
) -> GoldUnits:
    """A folder of texts and the mistake list that belongs to it, in the shared task's tokens and sentences."""
    from goldmark.texts.readers.gsml import read_mistakes

    units = read_units([texts], format="folder", tokeniser="whitespace", sentences="full_stop", limit_bytes=limit_bytes)
    known = {unit.id: unit.shown.texts["text"].text for unit in units}
    mistakes = read_mistakes(gsml, known, categories=categories, overlap=True)
    by_unit: dict[str, list[Mistake]] = {unit.id: [] for unit in units}
    for mistake in mistakes:
        by_unit[mistake.text_id].append(mistake)
    return GoldUnits(units, {unit: tuple(found) for unit, found in by_unit.items()})
