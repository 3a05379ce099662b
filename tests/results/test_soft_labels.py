"""Answers as distributions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon
from scipy.stats import entropy

from goldmark.errors import ProblemsFound
from goldmark.results.one_table import of_files
from goldmark.results.options import AnalysisOptions
from goldmark.results.tables.soft_labels import ALIKE, ONE, PEOPLE, soft_label_tables
from goldmark.stats.models import soft_labels as soft
from tests.results.test_consistency import answer, given

SAID = {"u1": "yes yes no", "u2": "no no no", "u3": "yes maybe no", "u4": "yes yes yes"}


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    lines = [f"{unit},p{who},{word}" for unit, said in SAID.items() for who, word in enumerate(said.split())]
    path = tmp_path / "labels.csv"
    path.write_text("\n".join(["unit,annotator,label", *lines, "u4,p9,"]) + "\n")
    return path


def predictions(folder: Path, text: str) -> Path:
    path = folder / "predictions.csv"
    path.write_text("unit,label,probability,system\n" + text)
    return path


def test_distances_are_scipys() -> None:
    rng = np.random.default_rng(1)
    people, guess = rng.dirichlet(np.ones(4), size=50), rng.dirichlet(np.ones(4), size=50)
    assert soft.entropies(people) == pytest.approx(entropy(people, axis=1))
    assert soft.cross_entropies(people, guess) == pytest.approx(
        entropy(people, axis=1) + entropy(people, guess, axis=1)
    )
    assert soft.divergences(people, guess) == pytest.approx(jensenshannon(people, guess, base=2, axis=1) ** 2)


def test_predictions_are_held_against_what_people_said(labels: Path, tmp_path: Path) -> None:
    file = predictions(
        tmp_path,
        "u1,yes,0.6,m\nu1,no,0.4,m\nu2,no,1,m\nu4,yes,1,m\nu1,yes,1,sure\nu3,yes,1,sure\nu8,yes,1,sure\n",
    )
    table, units = of_files("soft-labels", [labels, file], AnalysisOptions())
    rows = {str(row["prediction"]): row for row in table.records()}
    shares = np.array([2 / 3, 1 / 3])
    assert rows["m"]["cross_entropy"] == pytest.approx(-(shares @ np.log([0.6, 0.4])) / 3)
    assert rows["m"]["jensen_shannon"] == pytest.approx(jensenshannon(shares, [0.6, 0.4], base=2) ** 2 / 3)
    assert rows["sure"]["cross_entropy"] is None
    assert "infinite: in 2 units" in str(rows["sure"]["reason"])
    # By hand: u1 2:1, u3 three ways, two units without doubt.
    assert rows[PEOPLE]["cross_entropy"] == pytest.approx((entropy(shares) + np.log(3)) / 4)
    assert rows[ALIKE]["cross_entropy"] == pytest.approx(np.log(3))
    # One against two others: u1 twice (yes against yes-no), once (no against yes-yes); u3 always against two others.
    half = jensenshannon([1, 0], [0.5, 0.5], base=2) ** 2
    assert rows[ONE]["jensen_shannon"] == pytest.approx((2 / 3 * half + 1 / 3 + 1) / 4)
    assert any("m predicts nothing for 1 unit" in note for note in table.notes)
    assert any("predictions for 1 unit that nobody labelled" in note for note in table.notes)
    assert any("1 row without a label" in note for note in table.notes)
    first = units.records()[0]
    assert (first["unit"], first["answers"]) == ("u1", 3)
    assert first["p(yes)"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("u1,yes,0.6,m\nu1,no,0.2,m\n", "add up to 0.8"),
        ("u1,yes,0.6,m\nu1,yes,0.4,m\n", "two probabilities of 'yes'"),
        ("u1,yes,1.6,m\n", "1.6"),
    ],
)
def test_nonsense_is_told_with_its_line(labels: Path, tmp_path: Path, text: str, what: str) -> None:
    with pytest.raises(ProblemsFound) as told:
        of_files("soft-labels", [labels, predictions(tmp_path, text)], AnalysisOptions())
    (problem,) = told.value.problems
    assert "predictions.csv" in str(problem)
    assert what in str(problem)


def test_models_of_a_campaign_are_predictions() -> None:
    rows = [
        answer(unit, f"p{n}", word) | {"kind": "person"}
        for unit, said in SAID.items()
        for n, word in enumerate(said.split())
    ]
    rows += [answer(unit, "gpt", "yes") | {"kind": "model"} for unit in SAID]
    (table,) = soft_label_tables(given(choices=rows), AnalysisOptions())
    found = {str(row["prediction"]): row for row in table.records()}
    assert found["gpt"]["units"] == 4
    assert found["gpt"]["jensen_shannon"] > found[PEOPLE]["jensen_shannon"]  # type: ignore[operator]
