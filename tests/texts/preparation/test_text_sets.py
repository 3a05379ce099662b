"""Sets of texts: every text equally often, every two systems about equally often, and campaigns can read them."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from goldmark.errors import GoldmarkError, ProblemsFound
from goldmark.texts.preparation.text_sets import DrawnSets, draw_sets
from goldmark.texts.readers.units import read_units


def outputs(items: int, systems: int) -> list[dict[str, Any]]:
    return [
        {
            "id": f"{item}.{system}",
            "text": f"text {item} by {system}",
            "item": f"i{item}",
            "system": f"s{system}",
            "context": {"Request": f"number {item}"},
            "domain": f"d{item % 2}",
            "length": system,
        }
        for item in range(items)
        for system in range(systems)
    ]


def drawn(rows: list[dict[str, Any]], **how: Any) -> DrawnSets:
    return draw_sets(rows, rng=np.random.default_rng(7), **how)


@pytest.mark.parametrize(
    ("systems", "size", "each"), [(10, 4, 2), (6, 4, 2), (5, 3, 3), (4, 4, 1), (7, 5, 1), (6, 2, 2)]
)
def test_every_text_is_shown_alike_and_pairs_of_systems_are_spread(systems: int, size: int, each: int) -> None:
    made = drawn(outputs(24, systems), size=size, each=each)
    letters = "abcde"[:size]
    sets = [[row[f"system_{letter}"] for letter in letters] for row in made.rows]
    assert all(len(set(one)) == size for one in sets)
    shown = Counter((row["item"], row[f"system_{letter}"]) for row in made.rows for letter in letters)
    assert set(shown.values()) <= set(range(made.shown[0], made.shown[1] + 1))
    assert each == made.shown[0] >= made.shown[1] - 1
    assert len(shown) == 24 * systems
    by_system = Counter(system for one in sets for system in one)
    assert max(by_system.values()) - min(by_system.values()) <= 1
    met = Counter(frozenset(pair) for one in sets for pair in combinations(one, 2))
    mean = sum(met.values()) / (systems * (systems - 1) / 2)
    assert (min(met.values()), max(met.values())) == made.met
    assert made.met[0] >= mean - 2.5
    assert made.met[1] <= mean + 2.5


def test_a_campaign_reads_them_and_what_is_hidden_stays_hidden(tmp_path: Path) -> None:
    made = drawn(outputs(3, 5), size=4, each=2)
    path = tmp_path / "sets.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in made.rows), encoding="utf-8")
    for unit, row in zip(read_units([path]), made.rows, strict=True):
        assert [one.text.characters for one in unit.shown.texts.values()] == list(row["texts"].values())
        assert unit.hidden["item"] == row["item"]
        assert unit.hidden["domain"] in ("d0", "d1")
        assert {"system_a", "system_d", "text_id_a", "length_a"} <= set(unit.hidden)
        for letter, shown in unit.shown.texts.items():
            assert shown.text.characters == f"text {row['item'][1:]} by {row[f'system_{letter}'][1:]}"
        assert "system" not in json.dumps(unit.shown.to_json())


def test_the_same_seed_draws_the_same_sets_and_letters_are_random() -> None:
    assert drawn(outputs(20, 5)) == drawn(outputs(20, 5))
    first = Counter(row["system_a"] for row in drawn(outputs(40, 4), each=1).rows)
    assert len(first) == 4
    assert max(first.values()) < 25


def test_texts_without_systems_are_one_pool_and_scored_by_themselves() -> None:
    made = drawn([{"id": f"w{n}", "text": f"word {n}"} for n in range(20)], each=4)
    assert (len(made.rows), made.shown, made.systems) == (20, (4, 4), 20)
    assert made.met[1] <= 2
    assert all(row["system_a"] == row["text_id_a"] for row in made.rows)


def test_what_does_not_fit_is_said() -> None:
    few = drawn([*outputs(1, 4), {"id": "x", "text": "y", "item": "alone", "system": "s1"}])
    assert few.left_out == {"alone": "1 of the 4 texts that a set has"}
    rows = outputs(1, 4)
    with pytest.raises(ProblemsFound, match="1 problem"):
        drawn([*rows, {"id": "x", "text": "y", "item": "i0"}])
    with pytest.raises(ProblemsFound, match="1 problem"):
        drawn([*rows, {**rows[0], "id": "again"}])
    with pytest.raises(ProblemsFound, match="1 problem"):
        drawn([{**rows[0], "context": {"Request": "another"}}, *rows[1:]], each=1)
    for wrong in ({"size": 1}, {"size": 6}, {"each": 0}):
        with pytest.raises(GoldmarkError, match="2 to 5 texts"):
            drawn(rows, **wrong)
