"""Read units from files of any known format: all of them, or none and every problem at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path

from goldmark.errors import GoldmarkError, Missing, Problem, ProblemList, ProblemsFound
from goldmark.records.spooled.records import Spooled
from goldmark.records.spooled.units import CannotBeKept
from goldmark.records.units import Unit
from goldmark.texts.readers.formats import reader_for
from goldmark.texts.readers.rows import SegmentationRules, unit_from_row
from goldmark.texts.segmentation.sentences import find_splitter
from goldmark.texts.segmentation.tokens import find_tokeniser


class NoSuchUnit(Missing):
    code = "FILE-03"
    message = 'there is no unit "{id}"; {remedy}'


class NotUtf8(GoldmarkError):
    code = "FILE-04"
    message = "byte {place} of standard input is not UTF-8; give the text as UTF-8"


LIMIT_BYTES = 4 * 1024**3


def read_units(
    paths: Iterable[Path | str],
    *,
    format: str | None = None,  # noqa: A002
    tokeniser: str = "rules",
    sentences: str = "rules",
    limit_bytes: int = LIMIT_BYTES,
) -> list[Unit]:
    """The units of all files in order; raises `ProblemsFound` with everything that is wrong in any of them."""
    units: list[Unit] = []
    rules = SegmentationRules(tokeniser, sentences)
    hand_on_units(paths, units.append, format=format, rules=rules, limit_bytes=limit_bytes)
    return units


def hand_on_units(
    paths: Iterable[Path | str],
    take: Callable[[Unit], None],
    *,
    format: str | None = None,  # noqa: A002
    rules: SegmentationRules,
    limit_bytes: int = LIMIT_BYTES,
) -> None:
    """The same one by one, as they are read: of files of any size a row is in memory at a time.

    If anything is wrong, what was handed on is good for nothing.
    """
    find_tokeniser(rules.tokeniser)
    find_splitter(rules.sentences)
    problems: list[Problem] = ProblemList()
    seen: Spooled[str] = Spooled(pack=str.encode, unpack=bytes.decode)  # where every id was used
    for path in map(Path, paths):
        before = (len(seen), len(problems))
        try:
            reader = reader_for(path, format)
        except GoldmarkError as error:
            problems.append(Problem(str(path), str(error)))
            continue
        for row in reader.rows(path, limit_bytes, problems):
            unit = unit_from_row(row, rules, problems)
            if unit is None:
                continue
            if not seen.add(unit.id, row.where):
                what = f'the id "{unit.id}" was already used at {seen.named(unit.id)}'
                problems.append(Problem(row.where, what, "give every unit an id of its own", "id"))
                continue
            try:
                take(unit)
            except CannotBeKept as error:
                problems.append(Problem(row.where, str(error)))
        if before == (len(seen), len(problems)):
            problems.append(Problem(str(path), "the file holds no row"))
    if problems:
        raise ProblemsFound(problems, "nothing was imported")


def find_unit(units: Sequence[Unit], id: str | None) -> Unit:  # noqa: A002
    """The unit with this id, or the first if none is asked for."""
    if id is None:
        return units[0]
    for unit in units:
        if unit.id == id:
            return unit
    close = get_close_matches(id, [unit.id for unit in units], n=1)
    raise NoSuchUnit(id=id, remedy=f'did you mean "{close[0]}"?' if close else f"there are {len(units)} units")
