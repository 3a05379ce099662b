from __future__ import annotations

import numpy as np
import pytest

from goldmark.observations.given_tables import GivenTables
from goldmark.records.tidy.columns import Frame
from goldmark.results.inputs.table_inputs import TableInputs
from goldmark.results.options import AnalysisOptions
from goldmark.results.tables.preferences.comparison_models import bradley_terry_tables, few_people
from goldmark.results.tables.preferences.comparisons import ORDER_UNKNOWN, order_effect


def compared(*cells: tuple[str, str, str, str, int], people: int = 3) -> TableInputs:
    """Comparisons from (system a, system b, shown first, preferred, how often)."""
    rows = [
        {"unit": f"u{place}-{n}", "item": f"i{n}", "annotator": f"p{n % people}", "question": "better"}
        | dict(zip(("a", "b", "first", "preferred"), cell[:4], strict=True))
        for place, cell in enumerate(cells)
        for n in range(cell[4])
    ]
    return TableInputs.of_tables(GivenTables({"comparisons": Frame.of(rows)}, None, ()))


def test_the_stored_order_is_what_the_order_effect_is_made_of() -> None:
    # The roles change places: what is shown first is what counts. By hand: (log 3 -+ log 1.5) / 2.
    given = compared(
        ("old", "new", "b", "b", 30), ("old", "new", "b", "a", 10), ("old", "new", "a", "a", 18),
        ("new", "old", "b", "a", 12),
    )  # fmt: skip
    strengths, fit = bradley_terry_tables(given, AnalysisOptions())
    rows = {row["system"]: row for row in strengths.records()}
    assert list(rows) == ["new", "old", "(shown first)"]
    assert float(str(rows["new"]["value"])) == pytest.approx((np.log(3) - np.log(1.5)) / 4)
    assert float(str(rows["(shown first)"]["value"])) == pytest.approx((np.log(3) + np.log(1.5)) / 2)
    assert rows["new"]["reason"] == few_people(3)
    assert fit.records()[0]["p"] is None


def test_a_strength_without_limit_is_a_reason() -> None:
    (row,) = bradley_terry_tables(compared(("old", "new", "a", "b", 5)), AnalysisOptions())[0].records()
    assert row["value"] is None
    assert "has no limit" in str(row["reason"])


def test_comparisons_of_unknown_order_count_for_strengths_and_not_for_the_order() -> None:
    ordered = [
        ("old", "new", "b", "b", 30),
        ("old", "new", "b", "a", 10),
        ("old", "new", "a", "a", 18),
        ("new", "old", "b", "a", 12),
    ]
    elsewhere = [("old", "new", "", "b", 25), ("old", "new", "", "a", 15)]

    known, both = (
        {
            str(row["system"]): float(str(row["value"]))
            for row in bradley_terry_tables(compared(*rows), AnalysisOptions())[0].records()
        }
        for rows in (ordered, [*ordered, *elsewhere])
    )
    (effect,) = order_effect(compared(*ordered, *elsewhere).frames["comparisons"], AnalysisOptions()).records()
    (nothing,) = order_effect(compared(*elsewhere).frames["comparisons"], AnalysisOptions()).records()

    assert known["new"] < both["new"]
    assert effect["n"] == 70
    assert (nothing["value"], nothing["reason"]) == (None, ORDER_UNKNOWN)
    assert "(shown first)" not in {
        row["system"] for row in bradley_terry_tables(compared(*elsewhere), AnalysisOptions())[0].records()
    }
