"""People with themselves."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from goldmark.observations.given_tables import GivenTables
from goldmark.observations.schema import TABLES
from goldmark.records.tidy.columns import Frame
from goldmark.results.inputs.table_inputs import TableInputs
from goldmark.results.options import AnalysisOptions
from goldmark.results.tables.consistency import CONSISTENCY_TABLE, EVERYBODY, consistency_tables
from goldmark.stats.agreement_measures import consistency
from goldmark.stats.agreement_measures.consistency import RepeatedReadings


def given(**tables: list[dict[str, str]]) -> TableInputs:
    empty = {name: Frame(name, {column: [] for column in one.all_columns}) for name, one in TABLES.items()}
    return TableInputs.of_tables(GivenTables({**empty, **{k: Frame.of(rows) for k, rows in tables.items()}}, None, ()))


def answer(unit: str, who: str, label: str, repeats: str = "") -> dict[str, str]:
    return {"unit": unit, "item": unit, "system": "", "annotator": who, "question": "fine", "repeats": repeats} | {
        "label": label,
        "chosen": "true",
        "value": label,
    }


def made(inputs: TableInputs) -> dict[tuple[str, str], dict[str, object]]:
    (table,) = consistency_tables(inputs, AnalysisOptions())
    return {(str(row["annotator"]), str(row["measure"])): dict(row) for row in table.records()}


def test_choices_of_the_same_person_are_compared() -> None:
    rows = []
    for unit in range(20):
        for who, wrong in (("ann", 2), ("bob", 5)):
            said = "yes" if unit % 2 else "no"
            again = said if unit >= wrong else ("no" if unit % 2 else "yes")
            rows += [answer(f"u{unit}", who, said), answer(f"v{unit}", who, again, f"u{unit}")]
    rows.append(answer("v99", "ann", "yes", "u99"))  # who never saw the first
    found = made(given(choices=rows))
    assert found["ann", "percent"]["value"] == pytest.approx(0.9)
    assert found["bob", "percent"]["value"] == pytest.approx(0.75)
    assert found[EVERYBODY, "percent"]["value"] == pytest.approx(33 / 40)
    assert found[EVERYBODY, "percent"]["n"] == 40
    # Cohen's kappa by hand: nine of ten equal, both ways half of each.
    assert found["ann", "kappa"]["value"] == pytest.approx(0.8)
    low, high = found["ann", "percent"]["low"], found["ann", "percent"]["high"]
    assert low < 0.9 < high  # type: ignore[operator]
    (table,) = consistency_tables(given(choices=rows), AnalysisOptions())
    assert any("1 answer by people who did not" in note for note in table.notes)


def test_numbers_are_weighed_by_their_distance() -> None:
    rng = np.random.default_rng(2)
    first = rng.integers(1, 6, size=30)
    second = np.clip(first + rng.integers(-1, 2, size=30), 1, 5)
    rows = [answer(f"u{n}", "ann", str(x)) for n, x in enumerate(first)]
    rows += [answer(f"v{n}", "ann", str(y), f"u{n}") for n, y in enumerate(second)]
    found = made(given(ratings=rows))
    # Quadratic kappa of two columns is Lin's concordance with divisor n.
    cov = np.cov(first, second, bias=True)
    expected = 2 * cov[0, 1] / (cov[0, 0] + cov[1, 1] + (first.mean() - second.mean()) ** 2)
    assert found[EVERYBODY, "kappa, quadratic"]["value"] == pytest.approx(expected)
    assert ("ann", "percent") not in found  # the same as everybody


def test_marks_are_compared_by_their_tokens() -> None:
    def mark(unit: str, start: int, end: int, repeats: str = "") -> dict[str, str]:
        return answer(unit, "ann", "x", repeats) | {
            "role": "text", "start": str(start), "end": str(end), "tokens": "20"
        }  # fmt: skip

    rows = [mark("u1", 0, 4), mark("v1", 2, 4, "u1"), mark("u2", 5, 6), mark("v2", 5, 6, "u2"), mark("u3", 1, 9)]
    found = made(given(spans=rows))
    assert found[EVERYBODY, "token_f1"]["value"] == pytest.approx(2 * (2 + 1) / (4 + 2 + 1 + 1))
    assert found[EVERYBODY, "token_f1"]["n"] == 2


def test_without_repeats_there_is_no_table_and_a_reason() -> None:
    assert "repeats" in CONSISTENCY_TABLE.missing(given(choices=[answer("u", "ann", "yes")]))


def test_intervals_over_units_and_people_hold() -> None:
    # 12 people of different steadiness on 40 units of different difficulty; 300 data sets vary by .013.
    rng = np.random.default_rng(5)
    unit, person = np.repeat(np.arange(40), 12), np.tile(np.arange(12), 40)
    held = 0
    truth = float(stats.norm.cdf(1.0 / np.sqrt(1 + 0.25 + 0.25)))
    for _ in range(300):
        lean = 1.0 + rng.normal(0, 0.5, size=40)[unit] + rng.normal(0, 0.5, size=12)[person]
        equal = (rng.normal(size=480) < lean).astype(float)
        figure = consistency.share_kept(RepeatedReadings(unit, person), np.ones(480), equal)
        assert figure.interval is not None
        held += figure.interval.low <= truth <= figure.interval.high
    assert 0.91 <= held / 300 <= 0.985
