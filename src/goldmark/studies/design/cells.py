"""The cells of a study: which combinations of levels there are, and which of them a selection means."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from goldmark.studies.design.language import Levels, Selection, StudyFile

_BLANK = re.compile(r"\{([a-z][a-z0-9_]*)\}")


@dataclass(frozen=True)
class Cell:
    """One combination of levels; its name is the campaign's condition."""

    name: str
    levels: Mapping[str, str]


def cells_of(study: StudyFile) -> tuple[Cell, ...]:
    """The cells in the order of the factors' levels."""
    combined = (dict(zip(study.factors, levels, strict=True)) for levels in itertools.product(*study.factors.values()))
    wanted = study.cells
    return tuple(
        Cell(".".join(levels.values()), levels)
        for levels in combined
        if wanted is None or any(selects(one, levels) for one in wanted)
    )


def selects(selection: Selection, levels: Mapping[str, str]) -> bool:
    """Whether a cell with these levels is meant."""
    return all(levels.get(factor) in as_levels(wanted) for factor, wanted in selection.items())


def as_levels(wanted: Levels) -> tuple[str, ...]:
    return (wanted,) if isinstance(wanted, str) else wanted


def chosen(cells: Sequence[Cell], selection: Selection) -> tuple[Cell, ...]:
    return tuple(cell for cell in cells if selects(selection, cell.levels))


def parted(cells: Sequence[Cell], factors: Sequence[str]) -> dict[tuple[str, ...], tuple[Cell, ...]]:
    """The cells by their levels of some factors, in the order of the cells."""
    found: dict[tuple[str, ...], list[Cell]] = {}
    for cell in cells:
        found.setdefault(tuple(cell.levels[factor] for factor in factors), []).append(cell)
    return {levels: tuple(some) for levels, some in found.items()}


def filled_in(pattern: str, levels: Mapping[str, str]) -> str:
    """A name or value with the cell's levels in place of {factor}."""
    return _BLANK.sub(lambda found: levels[found.group(1)], pattern)


def blanks(pattern: str) -> Iterator[str]:
    """The factors that a name or value mentions."""
    yield from _BLANK.findall(pattern)


def stratum_of(study: StudyFile, group: str, levels: Mapping[str, str]) -> str:
    """The stratum in which a cell finds its texts of a group; cells whose texts are the same share it."""
    used = dict.fromkeys(factor for value in study.groups[group].values() for factor in blanks(value))
    return ".".join([group, *(levels[factor] for factor in used)])


def facts_of(study: StudyFile, group: str, levels: Mapping[str, str]) -> dict[str, str]:
    """The hidden facts that a text of this group has in this cell."""
    return {key: filled_in(value, levels) for key, value in study.groups[group].items()}


def shares(study: StudyFile) -> dict[str, float]:
    """How many texts of each group one participant reads, on average."""
    mix = study.per_participant.mix
    total = sum(mix.values())
    return {group: study.per_participant.texts * weight / total for group, weight in mix.items()}
