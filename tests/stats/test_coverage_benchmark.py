"""The coverage benchmark: what it promises of itself, and that the documentation shows what was counted."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import coverage
from benchmarks.coverage import every_simulation, judge
from benchmarks.coverage_cells.cell import Cell, Outcome, Simulation, of_one
from benchmarks.coverage_cells.counts import Count, Counted, is_stale, load, replicate
from benchmarks.coverage_cells.designs import Design, cuts_for

TEST = Cell("a test", "a coin", "false positives", "tests")
INTERVAL = Cell("an interval", "a coin", "coverage", "tests")
COIN = of_one(INTERVAL, lambda rng: Outcome(bool((x := rng.random()) < 0.95), "", (x,)))


def test_the_page_shows_what_was_counted() -> None:
    there = {path.name: path.read_text(encoding="utf-8") for path in coverage.PAGES.iterdir()}
    assert there == coverage.pages(load()), "run: python -m benchmarks.coverage --list --write"


def test_every_cell_was_counted_often_enough_and_none_fails() -> None:
    counts = load()
    for one in every_simulation():
        assert one.name in counts, f"run: python -m benchmarks.coverage --only {one.name!r} --write"
        for cell in one.cells:
            count = counts[one.name].cells[cell.name]
            assert count.made >= coverage.REPLICATIONS, cell.name
            assert not judge(cell, count).broken, cell.name


@pytest.mark.parametrize("simulation", every_simulation(), ids=lambda one: one.name)
def test_the_code_still_gives_the_numbers_that_were_counted(simulation: Simulation) -> None:
    assert not is_stale(simulation, load()[simulation.name], data_sets=1), (
        f"count anew: python -m benchmarks.coverage --only {simulation.name!r} --write"
    )


def test_every_cell_names_a_page_that_shows_its_lines() -> None:
    counts = load()
    for name in {cell.page for cell in coverage.every_cell()}:
        text = (coverage.STATISTICS / f"{name}.md").read_text(encoding="utf-8")
        assert coverage.BEGIN in text, f"{name}.md has no place for its lines"
        assert coverage.part_of_page(name, text, counts) == text, "run: python -m benchmarks.coverage --list --write"


def test_a_run_that_stopped_goes_on_as_if_it_had_not() -> None:
    assert replicate(COIN, replicate(COIN, None, 7), 13) == replicate(COIN, None, 20)


def test_counts_of_other_numbers_are_stale() -> None:
    counted = replicate(COIN, None, 3)
    other = of_one(INTERVAL, lambda rng: Outcome(bool((x := rng.random()) < 0.95), "", (x + 0.1,)))
    more = Simulation((INTERVAL, TEST), lambda rng: [Outcome(True), Outcome(False)])
    assert not is_stale(COIN, counted)
    assert is_stale(other, counted)
    assert is_stale(more, counted)
    assert is_stale(COIN, Counted(counted.cells, [[*one, 1.0] for one in counted.seen]))


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
