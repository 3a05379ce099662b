"""The coverage benchmark: what it promises of itself, and that the documentation shows every cell."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import coverage
from benchmarks.coverage import Count, every_cell, judge, replicate
from benchmarks.coverage_cells.cell import Cell, Outcome
from benchmarks.coverage_cells.designs import Design, cuts_for

TEST = Cell("a test", "a coin", "false positives", lambda rng: Outcome(bool(rng.random() < 0.05)), "tests")
INTERVAL = Cell("an interval", "a coin", "coverage", lambda rng: Outcome(bool(rng.random() < 0.95)), "tests")


def test_every_cell_is_in_the_page_and_every_line_of_the_page_is_a_cell() -> None:
    written = coverage.PAGE.read_text(encoding="utf-8")
    missing = [cell.name for cell in every_cell() if coverage._key(cell) not in written]
    assert not missing, "run: python -m benchmarks.coverage --only ... --write"
    assert coverage.page({}, written) == written


def test_every_cell_names_a_page_that_exists_and_each_page_shows_its_lines_as_the_whole_does() -> None:
    whole = coverage.PAGE.read_text(encoding="utf-8")
    for name in {cell.page for cell in every_cell()}:
        text = (coverage.STATISTICS / f"{name}.md").read_text(encoding="utf-8")
        assert coverage.part_of_page(name, text, whole) == text, "run: python -m benchmarks.coverage --list --write"


def test_a_run_that_stopped_goes_on_as_if_it_had_not() -> None:
    assert replicate(INTERVAL, 0, 7).with_(replicate(INTERVAL, 7, 13)) == replicate(INTERVAL, 0, 20)


@pytest.mark.parametrize(
    ("cell", "count", "verdict"),
    [
        # 2,000 of a true .95 vary by .005: .94 is near enough, .90 is not, nor is .99.
        (INTERVAL, Count(2000, 0, 1880), "holds"),
        (INTERVAL, Count(2000, 0, 1800), "FAILS, too narrow"),
        (INTERVAL, Count(2000, 0, 1980), "FAILS, too wide"),
        (INTERVAL, Count(50, 0, 44), "holds"),  # .88 of 50 may be .95
        (INTERVAL, Count(2000, 0, 1800, 2000, "few"), "warns: few"),
        (INTERVAL, Count(2000, 2000, 0, 0, "one item"), "refused: one item"),
        (TEST, Count(2000, 0, 100), "holds"),
        (TEST, Count(2000, 0, 200), "FAILS, too often"),
        (TEST, Count(2000, 0, 20), "FAILS, too seldom"),
    ],
)
def test_a_cell_fails_only_if_chance_cannot_explain_it(cell: Cell, count: Count, verdict: str) -> None:
    assert judge(cell, count).verdict == verdict


@pytest.mark.parametrize("layout", ["crossed", "spread", "nested"])
def test_a_design_draws_what_it_says(layout: str) -> None:
    binary = Design(layout=layout, items=400, annotators=30, annotator=0.1)  # type: ignore[arg-type]
    design = Design(layout=layout, items=400, annotators=30, annotator=0.1, cuts=cuts_for((0.2,), binary))  # type: ignore[arg-type]
    made = design.draw(np.random.default_rng(1))
    assert design.truth == pytest.approx((0.2,) * 4)
    assert made.score.mean() == pytest.approx(0.2, abs=0.04)
    labels = len(made.score) / 400 / 4
    assert labels == (30 if layout == "crossed" else 3)
    assert len(set(made.annotator.tolist())) == (120 if layout == "nested" else 30)
