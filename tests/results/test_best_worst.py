"""Best-worst scaling."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from goldmark.errors import ProblemsFound
from goldmark.results.one_table import of_files
from goldmark.results.options import AnalysisOptions

SETTINGS = AnalysisOptions(resamples=200)


def written(path: Path, rows: list[tuple[str, str, str, str]]) -> Path:
    path.write_text("\n".join(["unit,annotator,item,chosen", *map(",".join, rows)]) + "\n")
    return path


def answer(unit: str, who: str, items: str, best: str, worst: str) -> list[tuple[str, str, str, str]]:
    return [(unit, who, one, "best" if one == best else "worst" if one == worst else "") for one in items]


def test_scores_are_counted_by_hand(tmp_path: Path) -> None:
    rows = [
        *answer("s1", "p", "abcd", "a", "d"), *answer("s1", "q", "abcd", "b", "d"),
        *answer("s2", "p", "abce", "a", "e"), *answer("s2", "q", "abce", "a", "c"),
    ]  # fmt: skip
    table, halves = of_files("best-worst", [written(tmp_path / "shown.csv", rows)], SETTINGS)
    found = {row["name"]: row for row in table.records()}
    assert {name: row["value"] for name, row in found.items()} == {"a": 0.75, "b": 0.25, "c": -0.25, "d": -1, "e": -0.5}
    assert (found["a"]["best"], found["a"]["worst"], found["a"]["n"]) == (3, 0, 4)
    assert "4 answers by 2 people to 2 sets of 4" in table.notes
    assert halves.records()[0]["splits"] == 100


def test_true_strengths_are_found_in_order(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    strength = dict(zip("abcdefgh", np.linspace(-2, 2, 8), strict=True))
    rows = []
    for number in range(60):
        shown = "".join(rng.choice(list(strength), size=4, replace=False))
        for who in range(6):
            felt = {one: strength[one] + rng.gumbel() for one in shown}
            rows += answer(
                f"s{number}", f"p{who}", shown, max(felt, key=felt.__getitem__), min(felt, key=felt.__getitem__)
            )
    table, halves = of_files("best-worst", [written(tmp_path / "shown.csv", rows)], SETTINGS)
    assert [row["name"] for row in table.records()] == list("hgfedcba")
    assert table.records()[0]["rank"] in ("1", "1-2")
    assert float(str(halves.records()[0]["spearman"])) > 0.9


@pytest.mark.parametrize(
    ("rows", "what"),
    [
        (answer("s", "p", "abc", "a", "x"), "0 texts are worst"),
        (answer("s", "p", "ab", "a", "b"), "2 texts shown"),
        (answer("s", "p", "aabc", "b", "c"), "listed twice"),
    ],
)
def test_an_answer_names_one_best_and_one_worst(
    tmp_path: Path, rows: list[tuple[str, str, str, str]], what: str
) -> None:
    with pytest.raises(ProblemsFound) as told:
        of_files("best-worst", [written(tmp_path / "shown.csv", rows)], SETTINGS)
    assert any(what in str(problem) for problem in told.value.problems)
