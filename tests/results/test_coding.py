from __future__ import annotations

import pytest

from goldmark.records.tidy.columns import Frame
from goldmark.results.published import catalogue

# HUMANLIKE table 3 in per mille of labels.
PUBLISHED = {
    "none": {"form": 471, "content": 246, "machine": 283},
    "examples": {"form": 325, "content": 500, "machine": 175},
}


def test_table_3_of_the_humanlike_paper() -> None:
    rows = [
        {"condition": condition, "comment": f"{condition}{number % 150}", "group": group}
        for condition, groups in PUBLISHED.items()
        for number, group in enumerate(name for name, count in groups.items() for _ in range(count))
    ]
    rows.append({"condition": "none", "comment": "x", "group": "null"})
    table = catalogue.run("coding", [Frame.of(rows)])[0]
    assert len(table.rows) == 6
    for row in table.records():
        expected = PUBLISHED[str(row["condition"])][str(row["group"])] / 10
        assert row["percent"] == pytest.approx(expected)
        assert row["percent_low"] <= row["percent"] <= row["percent_high"]  # type: ignore[operator]
    assert table.notes == ("left out: 1 label without a group (or null)",)
