"""The tests that a study plans, one by one: which participants are compared with which, or with what number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from goldmark.studies.design.cells import Cell, cells_of, chosen, parted
from goldmark.studies.design.language import AccuracyOutcome, StudyFile, Test

TestKind = Literal["against", "compare", "variance", "pairs"]


@dataclass(frozen=True)
class PlannedTest:
    """One test. `groups` are named sets of cells whose participants are pooled."""

    kind: TestKind
    what: str  # the factor, or the outcome
    scope: str  # in which cells, in words
    groups: tuple[tuple[str, tuple[str, ...]], ...]
    against: float | None = None
    margin: float | None = None  # up to which means are to be shown equal
    over_texts: bool = False  # whether texts could have been others as well as people

    @property
    def title(self) -> str:
        names = [name for name, _ in self.groups]
        other = f"{self.against:g}" if self.kind == "against" else names[-1]
        if self.kind in ("against", "compare"):
            equal = "" if self.margin is None else f", equal up to {self.margin:g}"
            return f"{names[0]} against {other}{equal}"
        return f"{'all pairs of' if self.kind == 'pairs' else 'any difference between'} {self.what}"

    @property
    def corrects_itself(self) -> bool:
        """Tukey's test is corrected for its own pairs."""
        return self.kind == "pairs"


def planned_tests(study: StudyFile) -> tuple[PlannedTest, ...]:
    """Every test that the file plans, in its order."""
    cells = cells_of(study)
    return tuple(one for test in study.tests for one in _expanded(study, test, cells))


def _expanded(study: StudyFile, test: Test, cells: Sequence[Cell]) -> list[PlannedTest]:
    found: list[PlannedTest] = []
    over_texts = test.over == "people-and-texts"
    for levels, some in parted(chosen(cells, test.where), test.each).items():
        scope = _scope(study, test, dict(zip(test.each, levels, strict=True)))
        if test.against is not None:
            name = ", ".join(levels) or "everybody"
            group = ((name, _names(some)),)
            number = _number(study, test)
            found.append(PlannedTest("against", "outcome", scope, group, number, test.margin, over_texts))
            continue
        factor = test.compare or test.variance or test.pairs or ""
        groups = tuple((level, _names(of)) for (level,), of in parted(some, [factor]).items())
        if test.compare is None:
            found.append(PlannedTest("variance" if test.variance else "pairs", factor, scope, groups))
            continue
        base = [group for group in groups if group[0] == test.to]
        found += [
            PlannedTest("compare", factor, scope, (group, base[0]), margin=test.margin, over_texts=over_texts)
            for group in groups
            if base and group[0] != test.to
        ]
    return found


def _number(study: StudyFile, test: Test) -> float:
    if test.against == "chance":
        return study.outcome.chance if isinstance(study.outcome, AccuracyOutcome) else 0.0
    return float(test.against or 0.0)


def _names(cells: Sequence[Cell]) -> tuple[str, ...]:
    return tuple(cell.name for cell in cells)


def _scope(study: StudyFile, test: Test, levels: dict[str, str]) -> str:
    """The cells that a test looks at, in words: `model: gpt3, domain: news`."""
    said = {factor: wanted if isinstance(wanted, str) else " or ".join(wanted) for factor, wanted in test.where.items()}
    said |= levels
    return ", ".join(f"{factor}: {said[factor]}" for factor in study.factors if factor in said) or "all cells"
