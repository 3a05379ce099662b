from __future__ import annotations

from typing import Any

import pytest

from goldmark.results.power_plans import PlanUnclear, PowerPlan, plan


def row(**options: Any) -> dict[str, Any]:
    return plan(PowerPlan(**options)).records()[0]


def test_130_evaluators_of_the_humanlike_paper() -> None:
    # HUMANLIKE 2.3: 130 evaluators for each setting at a power of 0.8; two such settings are told apart at d = 0.35.
    assert row(effect=0.35)["n"] == 130
    assert row(effect=0.35)["total"] == 260
    assert row(n=130)["effect"] == pytest.approx(0.349, abs=0.001)
    assert row(n=130, effect=0.35)["power"] == pytest.approx(0.803, abs=0.001)


def test_asking_often_costs_power() -> None:
    assert row(n=130, comparisons=15)["effect"] == pytest.approx(0.472, abs=0.001)


def test_accuracy_becomes_an_effect() -> None:
    found = plan(PowerPlan(accuracy=0.58, baseline=0.5, texts=5, n=130, design="one-sample"))
    assert "Cohen's d = 0.359" in found.notes[0]
    assert found.records()[0]["total"] == 130


def test_more_than_two_groups() -> None:
    assert row(n=130, effect=0.25, groups=4)["total"] == 520


@pytest.mark.parametrize(
    "unclear",
    [
        {},
        {"effect": 0.3, "accuracy": 0.6},
        {"effect": 0.3, "n": 20, "power": 0.8},
        {"n": 1},
        {"n": 20, "power": 1.5},
        {"effect": 0.3, "alpha": 0.0},
        {"effect": 0.3, "comparisons": 0},
        {"accuracy": 1.5},
        {"accuracy": 0.6, "groups": 3},
    ],
)
def test_an_unclear_plan_is_refused(unclear: dict[str, Any]) -> None:
    with pytest.raises(PlanUnclear):
        plan(PowerPlan(**unclear))


def test_a_plan_over_people_and_texts() -> None:
    texts = {"effect": 0.5, "texts": 10, "between_texts": 0.6}
    people = row(**texts, pool=40)
    assert people["found"] == "people"
    assert float(str(people["power"])) >= 0.8
    pool = row(**texts, pool=0, n=120)
    assert pool["found"] == "texts"
    again = row(**texts, pool=pool["texts"], n=120)
    assert (again["found"], again["power"]) == ("power", pool["power"])
    assert float(str(row(**texts, pool=int(str(pool["texts"])) - 1, n=120)["power"])) < 0.8


@pytest.mark.parametrize(
    "unclear",
    [
        {"effect": 0.5, "between_texts": 0.2},
        {"effect": 0.5, "pool": 5, "between_texts": 1.0},
        {"effect": 0.5, "pool": 3, "texts": 5},
        {"effect": 0.5, "pool": 0},
        {"effect": 0.5, "pool": 20, "design": "paired"},
        {"effect": 0.5, "pool": 20, "between_texts": 4.0},
        {"effect": 0.1, "n": 5, "pool": 0, "between_texts": 0.5},
    ],
)
def test_a_plan_over_texts_that_cannot_be_made_says_why(unclear: dict[str, Any]) -> None:
    with pytest.raises(PlanUnclear):
        plan(PowerPlan(**unclear))
