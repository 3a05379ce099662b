"""Labels of a file: both ways of reading give the same, and the same complaints."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldmark.errors import GoldmarkError, ProblemsFound
from goldmark.results.inputs.files import labels as module
from goldmark.results.inputs.files.labels import read_labels
from goldmark.stats.agreement_measures.unit_labels import UnitLabels

NAMES = {"unit": "unit", "annotator": "annotator", "value": "value"}


def entries(labels: UnitLabels) -> list[tuple[object, object, object]]:
    return [
        (labels.unit_names[unit], labels.annotator_names[who], labels.scale[value])
        for unit, who, value in zip(labels.units, labels.annotators, labels.values, strict=True)
    ]


ROWS = st.lists(
    st.tuples(st.sampled_from("xyz"), st.sampled_from("AB"), st.sampled_from(["", "1", "2", "2.0", " 10", "NA"])),
    min_size=1,
    max_size=8,
)


@pytest.mark.parametrize("level", ["nominal", "interval"])
def test_both_ways_of_reading_agree(level: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "labels.csv"

    def outcome() -> object:
        try:
            labels, missing, _ = read_labels(path, NAMES, level=level)  # type: ignore[arg-type]
        except ProblemsFound as error:
            return [str(problem) for problem in error.problems]
        return entries(labels), list(labels.unit_names), missing

    @given(ROWS)
    def check(rows: list[tuple[str, str, str]]) -> None:
        path.write_text("\n".join(["unit,annotator,value", *(",".join(row) for row in rows)]))
        fast = outcome()
        with monkeypatch.context() as patch:
            patch.setattr(module, "read_coded", lambda *_, **__: None)
            assert fast == outcome()

    check()


def test_ranks_follow_the_order_given(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("unit,annotator,value\na,x,good\na,y,poor\n")
    labels, *_ = read_labels(path, NAMES, level="ordinal", order=["poor", "fair", "good"])
    assert entries(labels) == [("a", "x", 2), ("a", "y", 0)]
    with pytest.raises(ProblemsFound) as caught:
        read_labels(path, NAMES, level="ordinal", order=["poor", "fair"])
    assert str(caught.value.problems[0]).startswith("labels.csv:2  column 'value' holds 'good'")


def test_missing_names_are_refused_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("unit,annotator,value\na,,1\n")
    with pytest.raises(ProblemsFound) as caught:
        read_labels(path, NAMES)
    assert str(caught.value.problems[0]).startswith("labels.csv:2  column 'annotator' is empty")


def test_columns_may_have_other_names(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("who;what;score\nx;a;1\ny;a;2\n")
    labels, *_ = read_labels(path, {"unit": "what", "annotator": "who", "value": "score"}, level="ratio")
    assert entries(labels) == [("a", "x", 1.0), ("a", "y", 2.0)]
    with pytest.raises(GoldmarkError, match="has who, what, score"):
        read_labels(path, NAMES)
