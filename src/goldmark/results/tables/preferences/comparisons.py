"""Comparisons of two texts: win rates, every pair of systems, and whether the order of showing them mattered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from goldmark.records.figures import Figure
from goldmark.records.tables import Cell, Table
from goldmark.records.tidy.coded import Coded
from goldmark.records.tidy.columns import Frame
from goldmark.results.inputs.groups import Rows, questions, rows_of
from goldmark.results.options import AnalysisOptions, of_figure
from goldmark.results.result_table import COMPARED, from_observations
from goldmark.results.tables.ratings import shares_signature
from goldmark.results.tables.rows import shares

ORDER_UNKNOWN = "of answers made elsewhere nobody knows which text was shown first"
TIE = 0.5  # half a win for each


def win_rates(frame: Frame, settings: AnalysisOptions, by: str = "system", order: Sequence[str] = ()) -> Table:
    """How often each system was preferred when it stood in a comparison; a tie counts half."""
    found: list[dict[str, Cell]] = []
    for question in questions(frame, order):
        rows = rows_of(frame, question, "question")
        # Every comparison counts twice: once for the system on each side.
        both = replace(
            rows.take(np.tile(np.arange(len(rows)), 2)),
            group=Coded.of([system for side in "ab" for system in rows.frame.cells[side]]),
        )
        points = np.concatenate([_points(rows, side) for side in "ab"])
        made = shares(both, points, settings)
        for group in sorted(made, key=lambda name: (-(made[name][0].value or 0), name)):
            own = points[both.group.equal(group)]
            wins, ties = int((own == 1).sum()), int((own == TIE).sum())
            counts = {"wins": wins, "ties": ties, "losses": len(own) - wins - ties}
            found.append({"question": question, "system": group, **of_figure(made[group][0]), **counts})
    return Table.of(
        "Win rates",
        found,
        notes=("a tie counts as half a win; with more than two systems, who is compared with whom matters",),
        signature=shares_signature(settings),
        labels={"value": "win rate", "n": "comparisons"},
        reference=(0.5, "preferred as often as not"),
    )


def comparison_pairs(frame: Frame, settings: AnalysisOptions, by: str = "system", order: Sequence[str] = ()) -> Table:
    """Every two systems that were compared: how often the first of them was preferred."""
    found: list[dict[str, Cell]] = []
    for question in questions(frame, order):
        rows = rows_of(frame, question, "question")
        a, b = rows.frame.coded("a"), rows.frame.coded("b")
        to_a, to_b = _points(rows, "a"), _points(rows, "b")
        for first, second in combinations(sorted({*a, *b}), 2):
            on_a = a.equal(first) & b.equal(second)
            here = np.flatnonzero(on_a | (a.equal(second) & b.equal(first)))
            if not len(here):
                continue
            points = np.where(on_a, to_a, to_b)[here]
            figure, _ = shares(rows.take(here), points, settings)[question]
            counts: dict[str, Cell] = {"ties": int((points == TIE).sum())}
            found.append({"question": question, "first": first, "second": second, **of_figure(figure), **counts})
    labels = {"value": "first preferred", "n": "comparisons"}
    return Table.of("Systems compared", found, signature=shares_signature(settings), labels=labels)


def order_effect(frame: Frame, settings: AnalysisOptions, by: str = "system", order: Sequence[str] = ()) -> Table:
    """How often the text that was shown first was preferred; without an effect of order, half of the time."""
    found: list[dict[str, Cell]] = []
    for question in questions(frame, order):
        rows = rows_of(frame, question, "question")
        first = {side: rows.frame.coded("first").equal(side) for side in "ab"}
        known = np.flatnonzero(first["a"] | first["b"])
        if not len(known):
            found.append({"question": question, **of_figure(Figure(None, reason=ORDER_UNKNOWN, used=0))})
            continue
        points = np.where(first["a"], _points(rows, "a"), _points(rows, "b"))[known]
        figure, _ = shares(rows.take(known), points, settings)[question]
        balance: dict[str, Cell] = {f"{side}_first": int(shown.sum()) for side, shown in first.items()}
        found.append({"question": question, **of_figure(figure), **balance})
    labels = {"value": "first preferred", "n": "comparisons", "a_first": "a shown first", "b_first": "b shown first"}
    return Table.of(
        "Does the order matter?",
        found,
        signature=shares_signature(settings),
        labels=labels,
        reference=(0.5, "the order does not matter"),
    )


def _points(rows: Rows, side: str) -> NDArray[np.float64]:
    """What each comparison is worth to the text on one side."""
    preferred = rows.frame.coded("preferred")
    return preferred.numbers(lambda preferred: TIE if preferred == "tie" else float(preferred == side))


PAGE = "win-rates"
WIN_RATES_TABLE = from_observations(
    "win-rates", "How often each system was preferred.", PAGE, "comparisons", win_rates, COMPARED, "dots"
)
COMPARISON_PAIRS_TABLE = from_observations(
    "comparison-pairs", "Every two systems that were compared.", PAGE, "comparisons", comparison_pairs, COMPARED
)
ORDER_EFFECT_TABLE = from_observations(
    "order-effect", "Whether the text shown first is preferred.", PAGE, "comparisons", order_effect, COMPARED, "dots"
)
