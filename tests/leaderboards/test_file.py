"""A leaderboard file is checked whole: every problem at once, with its line."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldmark.campaigns.definition.settings import Subset
from goldmark.errors import ProblemsFound
from goldmark.leaderboards.definition.file import BoardFileMissing, BoardPlan, read_board
from goldmark.leaderboards.definition.items import DatasetInput
from goldmark.leaderboards.definition.settings import BoardSettings, BoardSubset, Data, Opening
from goldmark.leaderboards.human.scheduling.schedule import next_opening
from goldmark.protocols import load
from goldmark.records.units import ShownUnit, Unit
from tests.campaigns.plans import choose
from tests.leaderboards.ground import items, write_board


def problems_of(path: Path) -> list[str]:
    with pytest.raises(ProblemsFound) as found:
        read_board(path)
    return [f"{Path(one.where).name}: {one.what}" for one in found.value.problems]


def test_a_small_file_is_enough(tmp_path: Path) -> None:
    plan = read_board(write_board(tmp_path))
    assert (plan.name, plan.title, len(plan.items)) == ("questions", "Is the answer correct?", 6)
    assert plan.settings.human.labels_per_unit == 1  # unilabelling, as GENIE found best
    assert plan.items[0].references == ("It is 1.",)


def test_everything_wrong_is_told_at_once_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "items.jsonl").write_text(
        '{"id": "a", "context": {"Q": "?"}}\n'
        '{"id": "a", "reference": "x"}\n'
        '{"id": "b", "reference": ""}\n'
        '{"id": "c", "text": "an output"}\n',
        encoding="utf-8",
    )
    (tmp_path / "board.yaml").write_text(
        "leaderboard: Questions\n"
        "protocol: rating-qa\n"
        "data: {items: items.jsonl}\n"
        "subset: {size: none}\n"
        "human:\n"
        "  labels_per_unit: 0\n"
        "  pric: 0.1\n"
        "opening:\n"
        "  days: mondays\n"
        "  at: 25:00\n"
        "  zone: Mars/Olympus\n"
        "metrics: [bleu, blue]\n",
        encoding="utf-8",
    )
    found = problems_of(tmp_path / "board.yaml")
    lines = [one.split(" ")[0] for one in found]
    assert lines == [
        "board.yaml:1:",
        "board.yaml:4:",
        "board.yaml:6:",
        "board.yaml:7:",
        "board.yaml:9:",
        "board.yaml:10:",
        "board.yaml:11:",
        "items.jsonl:2:",
        "items.jsonl:3:",
        "items.jsonl:4:",
    ]
    assert '"25:00" is no time of day' in found[5]


@pytest.mark.parametrize(
    ("keys", "line", "words"),
    [
        ({"subset": {"size": 7}}, 5, "the subset has 7 items, the data 6"),
        ({"scores": {"main": "corect"}}, 5, '"corect" is no question of rating-qa/1'),
        ({"metrics": ["bleu", "blue"]}, 6, "there is no metric 'blue' (did you mean 'bleu'?)"),
        ({"metrics": ["bleu", "bleu"]}, 6, 'the metric "bleu" is named twice'),
        ({"submit": {"who": "teams"}}, 5, "only teams may submit, but no team is named"),
        ({"submit": {"teams": {"A": ["ann"], "B": ["ann"]}}}, 8, 'the account "ann" is in the teams "A" and "B"'),
        ({"submit": {"teams": {"Lab": [], "LAB": []}}}, 7, 'the teams "Lab" and "LAB" look alike'),
        ({"protocol": "accuracy"}, 2, "no question of accuracy/1 has options with numbers"),
        ({"protocol": "pairwise"}, 2, "pairwise/1 asks about 2 texts at once"),
        ({"protocol": "rating-qq"}, 2, 'there is no built-in protocol "rating-qq"'),
        ({"data": "../secret.jsonl"}, 3, "leads outside the folder"),
        (
            {"human": {"batch": {"size": 2, "per_person": 1}, "recruit": {"platform": "prolifik"}}},
            9,
            "there is no connector 'prolifik' (did you mean 'prolific'?)",
        ),
        ({"opening": {"first": "2026-02-01", "last": "2026-01-01"}}, 4, "is before the first"),
        ({"human": {"language": "xx"}}, 5, "there is no catalogue for 'xx'; there are en, de"),
    ],
)
def test_what_no_single_key_can_be_wrong_about(tmp_path: Path, keys: dict[str, Any], line: int, words: str) -> None:
    [found] = problems_of(write_board(tmp_path, **keys))
    assert found.startswith(f"board.yaml:{line}: ")
    assert words in found


def test_gold_and_test_questions_need_references(tmp_path: Path) -> None:
    rows = [{key: value for key, value in one.items() if key != "references"} for one in items(2)]
    found = problems_of(
        write_board(
            tmp_path,
            rows,
            data={"items": "items.jsonl", "shown_reference": "Reference"},
            human={"gold": True, "test_questions": {"positive": 0.05}},
        )
    )
    assert [one.split(": ")[1] for one in found] == [
        "a shown reference cannot be made",
        "the gold row cannot be made",
        "test questions cannot be made",
    ]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BoardFileMissing):
        read_board(tmp_path / "board.yaml")


@given(
    st.sets(st.text("abcdef", min_size=1, max_size=3), min_size=1, max_size=20), st.integers(1, 20), st.integers(0, 9)
)
def test_the_subset_is_the_one_that_campaigns_would_choose(names: set[str], size: int, seed: int) -> None:
    some = tuple(DatasetInput(name, (), (), "", {}) for name in sorted(names))
    settings = BoardSettings(subset=BoardSubset(size=size, seed=seed))
    plan = BoardPlan("b", "B", load("rating-qa"), settings, Data(items="x"), some, "")
    units = [Unit(f"{name}-{system}", ShownUnit({}), {"item": name}) for name in names for system in "xy"]
    assert plan.chosen() == {unit.hidden["item"] for unit in choose(units, Subset(size=size, seed=seed))}


def test_settings_survive_the_database(tmp_path: Path) -> None:
    opening = {"days": "weekend", "at": "9:30", "zone": "Europe/Vienna", "first": "2026-01-01"}
    settings = read_board(write_board(tmp_path, opening=opening)).settings
    assert BoardSettings.model_validate_json(settings.model_dump_json()) == settings
    assert json.loads(settings.model_dump_json())["opening"]["at"] == "09:30:00"


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        # Local time in Los Angeles is UTC-8 until 8 March 2026, 2:00, and UTC-7 from then on.
        ("2026-03-05T17:59", "2026-03-05T18:00"),
        ("2026-03-05T18:00", "2026-03-05T18:00"),
        ("2026-03-05T18:01", "2026-03-06T18:00"),
        ("2026-03-06T18:01", "2026-03-09T17:00"),
        ("2026-03-07T06:00", "2026-03-09T17:00"),  # a Friday evening there
    ],
)
def test_openings(now: str, expected: str) -> None:
    opening = Opening.model_validate({"days": "weekdays", "at": "10:00", "zone": "America/Los_Angeles"})
    found = next_opening(opening, datetime.fromisoformat(now).replace(tzinfo=UTC))
    assert found == datetime.fromisoformat(expected).replace(tzinfo=UTC)


def test_openings_between_two_dates() -> None:
    opening = Opening.model_validate({"at": "10:00", "first": "2026-03-10", "last": "2026-03-11"})
    assert next_opening(opening, datetime(2026, 1, 1, tzinfo=UTC)) == datetime(2026, 3, 10, 10, tzinfo=UTC)
    assert next_opening(opening, datetime(2026, 3, 11, 10, 1, tzinfo=UTC)) is None


@given(st.integers(1_577_000_000, 1_900_000_000))
def test_an_opening_is_never_in_the_past_nor_more_than_a_long_weekend_away(second: int) -> None:
    now = datetime.fromtimestamp(second, UTC)
    opening = Opening.model_validate({"days": "weekdays", "at": "10:00", "zone": "America/Los_Angeles"})
    found = next_opening(opening, now)
    assert found is not None
    assert 0 <= (found - now).total_seconds() <= (3 * 24 + 1) * 3600
