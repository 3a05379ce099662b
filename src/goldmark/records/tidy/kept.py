"""Which rows of a table count: one question's, and neither test questions nor excluded people unless they are kept.

The tables of an exported campaign hold every question and every answer, and say of each row whether it answers a test
question (`test`) and whether it was excluded (`excluded`). A figure is about one question and leaves such rows out; it
says how many, and `--keep COLUMN=VALUE` chooses others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from goldmark.errors import GoldmarkError
from goldmark.records.tidy.columns import EMPTY, NO, YES, CheckedColumns, Columns, Frame, refuse_json

Keep = Mapping[str, Sequence[str]]  # by column, the values wanted of it
ANY = "*"  # among them: every value

# Columns whose rows are left out if they say so, unless someone keeps them: what they say then, and why.
SET_ASIDE: Mapping[str, tuple[bool, str]] = {
    "test": (True, "answers to test questions"),
    "excluded": (True, "work that is excluded"),
    "chosen": (False, "options that were not chosen"),
}


def named_values(options: Sequence[str]) -> dict[str, list[str]]:
    """`type=SYSTEM,REPEAT` as a column and the values wanted of it; said twice, both lists count."""
    wanted: dict[str, list[str]] = {}
    for option in options:
        name, _, values = option.partition("=")
        wanted.setdefault(name.strip(), []).extend(value.strip() for value in values.split(","))
    return wanted


class NoSuchColumn(GoldmarkError):
    code = "KEEP-01"
    message = "--keep {column}={wanted}: {source} has no column {column!r}; it has {present}"


class NothingKept(GoldmarkError):
    code = "KEEP-02"
    message = "--keep {column}={wanted}: no row of {source} has that; {column} is {present}"


class SeveralValues(GoldmarkError):
    code = "KEEP-03"
    message = (
        "{source} holds several values of {column!r}: {present}; choose one with --keep {column}={first}{otherwise}"
    )


@dataclass(frozen=True)
class OmittedRows:
    """How many rows do not count, and why."""

    count: int
    why: str

    def to_json(self) -> dict[str, object]:
        return {"count": self.count, "what": "rows", "why": self.why}

    def note(self) -> str:
        return f"left out: {self.count:,} row{'s' * (self.count != 1)}, {self.why}"


class Kept(NamedTuple):
    frame: Frame
    left_out: tuple[OmittedRows, ...]


class CheckedRows(NamedTuple):
    checked: CheckedColumns
    left_out: tuple[OmittedRows, ...]


def check_kept(
    columns: Columns,
    frame: Frame,
    keep: Keep,
    names: Mapping[str, str] | None = None,
    *,
    one: Sequence[str] = ("question",),
    options: bool = False,
) -> CheckedRows:
    """The columns that a statistic needs, of the rows that count; our own exports are read as they are.

    Refused are JSON in a cell, and several values in the columns `one`, unless the statistic itself asks for these. See
    `Columns.check` for `names` and `options`.
    """
    called = columns.called(frame, names, exported=True)
    frame, left_out = kept_rows(frame, keep, aside=[name for name in SET_ASIDE if name not in called.values()])
    for column in columns:
        if not column.free:
            refuse_json(frame, called[column.name])  # first of all: no choice of rows makes one value of these
    require_one(frame, *(name for name in one if name not in called.values()))
    return CheckedRows(columns.check(frame, names, options=options, exported=True), left_out)


def kept_rows(frame: Frame, keep: Keep, *, aside: Sequence[str] = ("test", "excluded")) -> Kept:
    """The rows that count, and how many do not.

    Only rows with one of the values that `keep` wants of a column. What `aside` names (see `SET_ASIDE`) is left out by
    itself, where `keep` does not say otherwise.
    """
    left: list[OmittedRows] = []
    for column, wanted in keep.items():
        fits = holding(frame, column, wanted)
        if not any(fits):
            present = listed(values(frame, column))
            raise NothingKept(column=column, wanted=",".join(wanted), source=frame.source, present=present)
        frame = _filtered(frame, fits, f"{column} is not {' or '.join(wanted)}", left)
    for column in aside:
        when, why = SET_ASIDE[column]
        says = None if column in keep else flags(frame, column)
        if says is not None:
            fits = [one is not when for one in says]
            frame = _filtered(frame, fits, f"{why}; --keep {column}=true,false counts them too", left)
    return Kept(frame, tuple(left))


def holding(frame: Frame, column: str, wanted: Sequence[str]) -> list[bool]:
    """Of every row, whether its column holds one of these values."""
    if column not in frame.cells:
        told = ",".join(wanted)
        raise NoSuchColumn(column=column, wanted=told, source=frame.source, present=", ".join(frame.cells))
    among = {_plain(column, one) for one in wanted}
    return [ANY in among or _plain(column, cell) in among for cell in frame.cells[column]]


def flags(frame: Frame, column: str) -> list[bool | None] | None:
    """What a column of yes and no says of every row, if it is one and means what our exports mean by it.

    `chosen` does only beside a question.
    """
    words = [cell.strip().lower() for cell in frame.cells.get(column, ())]
    if not words or set(words) - YES - NO - EMPTY or (column == "chosen" and not frame.is_export):
        return None
    return [_yes(word) for word in words]


def require_one(frame: Frame, *columns: str, otherwise: str = "") -> None:
    """Refuse a table with several values in one of these columns: a figure over several questions means nothing.

    `otherwise` says what else than to choose one the reader may do.
    """
    for column in columns:
        found = values(frame, column)
        if len(found) > 1:
            named = {"column": column, "present": listed(found), "first": found[0]}
            raise SeveralValues(source=frame.source, **named, otherwise=otherwise)


def values(frame: Frame, column: str) -> list[str]:
    """The different values of a column in the order of the table, empty cells apart."""
    return list(dict.fromkeys(filter(None, (cell.strip() for cell in frame.cells.get(column, ())))))


def _filtered(frame: Frame, fits: Sequence[bool], why: str, left: list[OmittedRows]) -> Frame:
    if all(fits):
        return frame
    rows = [row for row, fit in enumerate(fits) if fit]
    left.append(OmittedRows(len(fits) - len(rows), why))
    return frame.take(rows)


def _yes(cell: str) -> bool | None:
    word = cell.strip().lower()
    return True if word in YES else False if word in NO else None


def _plain(column: str, cell: str) -> str | bool:
    """A cell as it is compared: true, True and yes are the same where a column says yes or no."""
    said = _yes(cell) if column in SET_ASIDE else None
    return cell.strip() if said is None else said


def listed(found: Sequence[str], most: int = 20) -> str:
    """Names in a sentence: the first ones, and how many there are beyond them."""
    return ", ".join(found[:most]) + (f" and {len(found) - most:,} more" if len(found) > most else "")
