from __future__ import annotations

import numpy as np
import pytest

from goldmark.records.tidy.columns import Frame
from goldmark.results.published import catalogue
from goldmark.results.published.genie.design import UnevenLabels, majority


def labels(rng: np.random.Generator) -> Frame:
    """360 items, 3 labels, 3 days and two scales, as in GENIE 4: items of different quality, noisy labels."""
    rows = []
    quality = rng.beta(4, 2, size=360)
    for scale, steps in (("binary", 1), ("likert", 4)):
        for day in range(3):
            noisy = np.clip(quality[:, None] + rng.normal(0, 0.2, size=(360, 3)), 0, 1)
            for item, scores in enumerate(np.round(noisy * steps) / steps):
                rows += [{"item": item, "score": score, "scale": scale, "day": day} for score in scores]
    return Frame.of(rows)


@pytest.fixture(scope="module")
def tables() -> list[dict[str, object]]:
    return [dict(row) for row in catalogue.run("design", [labels(np.random.default_rng(4))])[0].records()]


def test_every_design_is_there_once(tables: list[dict[str, object]]) -> None:
    designs = {(row["scale"], row["aggregation"], row["labelling"]) for row in tables}
    assert len(tables) == len(designs) == 8
    assert all(row["days"] == 3 for row in tables)


def test_unilabelling_varies_less(tables: list[dict[str, object]]) -> None:
    """GENIE 4: the biggest effect is that of unilabelling, in every combination of scale and aggregation."""
    variance = {(row["scale"], row["aggregation"], row["labelling"]): row["variance"] for row in tables}
    for scale in ("binary", "likert"):
        for aggregation in ("mean", "majority"):
            one, many = (variance[scale, aggregation, kind] for kind in ("unilabelling", "multilabelling"))
            assert one < many  # type: ignore[operator]


def test_variance_of_multilabelling_by_hand() -> None:
    # 30 items with two labels 0 and 30 with two labels 1. Two labels each: half of the 60 items are drawn, so the
    # estimate is the mean of 30 fair coins, variance .25 / 30. Unilabelling has none: an item's labels are equal.
    frame = Frame.of([{"item": i, "score": i % 2} for i in range(60) for _ in range(2)])
    rows = {
        (row["aggregation"], row["labelling"]): row["variance"] for row in catalogue.run("design", [frame])[0].records()
    }
    assert rows["mean", "multilabelling"] == pytest.approx(0.25 / 30, rel=0.25)
    assert rows["mean", "unilabelling"] == 0


def test_majority() -> None:
    assert majority(np.array([[1.0, 0, 1], [0, 0, 1], [0, 0.5, 1]])) == pytest.approx([1, 0, 0.5])


def test_uneven_labels_are_refused() -> None:
    with pytest.raises(UnevenLabels, match="from 1 to 2 labels"):
        catalogue.run("design", [Frame.of([{"item": i, "score": 1} for i in (1, 1, 2)])])


def test_one_day_says_nothing_about_stability() -> None:
    table = catalogue.run("design", [Frame.of([{"item": i // 2, "score": i % 3 / 2} for i in range(20)])])[0]
    assert all(row["between_days_sd"] is None for row in table.records())
    assert any("one day only" in note for note in table.notes)
