"""Comparisons of two texts: win rates, every pair of systems, and whether the order of showing them mattered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from goldmark.records.columns import Frame
from goldmark.records.tables import Cell, Table
from goldmark.results.inputs.groups import EVERYTHING, Rows, questions, rows_of
from goldmark.results.options import AnalysisOptions, of_figure
from goldmark.results.result_table import COMPARED, from_observations
from goldmark.results.tables.ratings import shares_signature
from goldmark.results.tables.rows import shares

POINTS = {"tie": 0.5}  # a tie is half a win for each


def win_rates(frame: Frame, settings: AnalysisOptions, by: str = "system", order: Sequence[str] = ()) -> Table:
    """How often each system was preferred when it stood in a comparison; a tie counts half."""
    found: list[dict[str, Cell]] = []
    for question in questions(frame, order):
        rows = rows_of(frame, question, "question")
        sides = [(rows, side) for side in "ab"]
        both = _joined([_of_side(rows, side) for rows, side in sides])
        points = [point for rows, side in sides for point in _points(rows, side)]
        made = shares(both, points, settings)
        for group in sorted(made, key=lambda name: (-(made[name][0].value or 0), name)):
            own = [point for point, name in zip(points, both.group, strict=True) if name == group]
            wins, ties = sum(point == 1 for point in own), sum(point == POINTS["tie"] for point in own)
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
        a, b = rows.frame.cells["a"], rows.frame.cells["b"]
        for first, second in combinations(sorted({*a, *b}), 2):
            here = [place for place in range(len(rows)) if {a[place], b[place]} == {first, second}]
            if not here:
                continue
            points = [
                POINTS.get(preferred, float((preferred == "a") == (a[place] == first)))
                for place in here
                for preferred in [rows.frame.cells["preferred"][place]]
            ]
            figure, _ = shares(_picked(rows, here, EVERYTHING), points, settings)[EVERYTHING]
            counts: dict[str, Cell] = {"ties": sum(point == POINTS["tie"] for point in points)}
            found.append({"question": question, "first": first, "second": second, **of_figure(figure), **counts})
    labels = {"value": "first preferred", "n": "comparisons"}
    return Table.of("Systems compared", found, signature=shares_signature(settings), labels=labels)


def order_effect(frame: Frame, settings: AnalysisOptions, by: str = "system", order: Sequence[str] = ()) -> Table:
    """How often the text that was shown first was preferred; without an effect of order, half of the time."""
    found: list[dict[str, Cell]] = []
    for question in questions(frame, order):
        rows = rows_of(frame, question, "question")
        points = [
            POINTS.get(preferred, float(preferred == first))
            for preferred, first in zip(rows.frame.cells["preferred"], rows.frame.cells["first"], strict=True)
        ]
        whole = _picked(rows, range(len(rows)), EVERYTHING)
        figure, _ = shares(whole, points, settings)[EVERYTHING]
        shown = rows.frame.cells["first"]
        balance: dict[str, Cell] = {"a_first": shown.count("a"), "b_first": shown.count("b")}
        found.append({"question": question, **of_figure(figure), **balance})
    labels = {"value": "first preferred", "n": "comparisons", "a_first": "a shown first", "b_first": "b shown first"}
    return Table.of(
        "Does the order matter?",
        found,
        signature=shares_signature(settings),
        labels=labels,
        reference=(0.5, "the order does not matter"),
    )


def _points(rows: Rows, side: str) -> Iterator[float]:
    for preferred in rows.frame.cells["preferred"]:
        yield POINTS.get(preferred, float(preferred == side))


def _of_side(rows: Rows, side: str) -> Rows:
    return Rows(rows.frame.cells[side], rows.item, rows.unit, rows.annotator, rows.frame)


def _joined(parts: Sequence[Rows]) -> Rows:
    return Rows(
        [one for part in parts for one in part.group],
        [one for part in parts for one in part.item],
        [one for part in parts for one in part.unit],
        [one for part in parts for one in part.annotator],
        parts[0].frame,
    )


def _picked(rows: Rows, places: Sequence[int], group: str) -> Rows:
    return Rows(
        [group] * len(places),
        [rows.item[place] for place in places],
        [rows.unit[place] for place in places],
        [rows.annotator[place] for place in places],
        rows.frame,
    )


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
