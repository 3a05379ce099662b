"""A simulated crowd through the real application: spammers are caught, careful people are left alone, scores hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest

from goldmark.campaigns.definition.settings import Quality, Settings, TestQuestions
from goldmark.simulate.crowd import HABITS, VALUES, Ask, expected_rating, explain, rate
from goldmark.simulate.rehearsal import (
    RULES,
    RehearsalPlan,
    RehearsalResult,
    people_table,
    rehearse,
    score_table,
    texts,
)
from goldmark.store.upkeep.health import check
from goldmark.web.services import Services
from tests.databases import fresh
from tests.web.house import Served, TestClient, one_app

SMALL = RehearsalPlan(
    units=30,
    settings=Settings(
        labels_per_unit=4,
        test_questions=TestQuestions(positive=0.25, negative=0.25),
        quality=Quality(rules=RULES),
    ),
    crowd={"careful": 5, "sloppy": 1, "always-agree": 1, "random": 1, "copy-paste": 1, "drop-out": 1},
    test_questions=15,
)


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    opened = Services.open(fresh(tmp_path_factory.mktemp("crowd")))
    yield opened
    opened.store.close()


@pytest.fixture(scope="module")
def outcomes(services: Services) -> tuple[RehearsalResult, RehearsalResult]:
    """The same crowd twice: with test questions and the rule that excludes, and without."""
    ask = asking(TestClient(Served(one_app(), services)))
    first, second = (
        rehearse(services.store, services.links, ask, setup, name=name, rng=np.random.default_rng(11))
        for setup, name in ((SMALL, "watched"), (SMALL.unwatched(), "unwatched"))
    )
    return first, second


def asking(client: TestClient) -> Ask:
    def ask(method: str, path: str, token: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
        headers = {"authorization": f"Bearer {token}"}
        reply = client.request(method, f"/api/v1{path}", json=dict(body), headers=headers)
        assert reply.status_code == 200, reply.text
        found: Mapping[str, Any] = reply.json()
        return found

    return ask


@pytest.mark.slow
def test_spammers_are_caught_and_careful_people_are_not(outcomes: tuple[RehearsalResult, RehearsalResult]) -> None:
    watched, _ = outcomes
    assert {one.name for one in watched.caught} == {one.name for one in watched.spammers}
    assert all(one.tests <= 15 for one in watched.caught)
    assert watched.wronged == ()
    assert watched.spam_labels == 0


def test_scores_hold_after_exclusion_and_suffer_without_test_questions(
    outcomes: tuple[RehearsalResult, RehearsalResult],
) -> None:
    watched, unwatched = outcomes
    assert all(one.holds for one in watched.scores)
    assert unwatched.caught == ()
    assert unwatched.spam_labels > 0
    assert unwatched.error > watched.error


def test_excluded_work_was_done_again_by_others(
    services: Services, outcomes: tuple[RehearsalResult, RehearsalResult]
) -> None:
    watched, _ = outcomes
    # A drop-out keeps the unit it held until its lease runs out.
    assert watched.labels_wanted - watched.labels_done <= SMALL.crowd["drop-out"]
    assert check(services.store).problems == ()


def test_tables_say_what_happened(outcomes: tuple[RehearsalResult, RehearsalResult]) -> None:
    watched, _ = outcomes
    people = people_table(watched)
    assert people.notes == ("3 of 3 spammers excluded, 0 careful people",)
    assert people.column("annotators") == tuple(SMALL.crowd)
    assert score_table(watched, "Scores").column("holds") == (True, True, True)


@pytest.mark.parametrize("quality", VALUES)
def test_the_truth_is_what_careful_people_say_on_average(quality: float) -> None:
    rng, careful = np.random.default_rng(1), HABITS["careful"]
    said = [VALUES[rate(careful, quality, rng)] for _ in range(4_000)]
    # The standard error of 4,000 ratings with a standard deviation below 0.2 is below 0.0032.
    assert np.mean(said) == pytest.approx(expected_rating(careful, quality), abs=4 * 0.0032)


def test_habits_show_in_what_is_written() -> None:
    rng = np.random.default_rng(2)
    text = "river garden engine market winter letter captain bridge orchard signal river garden"
    assert explain(HABITS["copy-paste"], text, rng) in text
    assert explain(HABITS["random"], text, rng) == "good"
    assert len(explain(HABITS["careful"], text, rng).split()) > 3


def test_nothing_that_is_shown_tells_a_test_question_from_another_text() -> None:
    units, _ = texts(SMALL, np.random.default_rng(3))
    names = [unit.id for unit in units]
    assert len(set(names)) == len(names) == 30 + 30
    assert all(name.startswith("text ") for name in names)
    assert sum("test" in unit.hidden for unit in units) == 30
