"""The invented league adds up: what a box score says in two places is the same in both."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from goldmark.samples import sample
from tools.samples import league

KEYS = {"day", "home_name", "home_city", "vis_name", "vis_city", "home_line", "vis_line", "box_score", "summary"}


@cache
def games() -> list[dict[str, Any]]:
    lines = (sample("accuracy").folder / "games.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def side(game: dict[str, Any], which: str) -> tuple[dict[str, int], list[dict[str, str]]]:
    """The line of one team as numbers, and its players who were on the court."""
    line = {key: int(value) for key, value in game[f"{which}_line"].items() if value.isdigit()}
    box = game["box_score"]
    numbers = [number for number, city in box["TEAM_CITY"].items() if city == game[f"{which}_city"]]
    players = [{key: column[number] for key, column in box.items()} for number in numbers]
    return line, [player for player in players if player["MIN"] != "N/A"]


SIDES = [(number, which) for number in range(56) for which in ("home", "vis")]


@pytest.mark.parametrize(("number", "which"), SIDES)
def test_totals_of_players_and_quarters_agree(number: int, which: str) -> None:
    line, players = side(games()[number], which)
    total: Counter[str] = Counter()
    for player in players:
        total.update({key: int(value) for key, value in player.items() if value.isdigit()})
        points = 2 * int(player["FGM"]) + int(player["FG3M"]) + int(player["FTM"])  # a three is a field goal, plus one
        assert points == int(player["PTS"])
        assert int(player["OREB"]) + int(player["DREB"]) == int(player["REB"])
        for made, tried in (("FGM", "FGA"), ("FG3M", "FG3A"), ("FTM", "FTA"), ("FG3M", "FGM"), ("FG3A", "FGA")):
            assert int(player[made]) <= int(player[tried])
        assert int(player["PF"]) <= 6
        assert 0 < int(player["MIN"]) <= 48
    assert total["MIN"] == 5 * 48
    assert total["PTS"] == line["TEAM-PTS"] == sum(line[f"TEAM-PTS_QTR{quarter}"] for quarter in (1, 2, 3, 4))
    assert (total["REB"], total["AST"], total["TO"]) == (line["TEAM-REB"], line["TEAM-AST"], line["TEAM-TOV"])
    assert total["AST"] <= total["FGM"]
    assert sum(player["START_POSITION"] != "N/A" for player in players) == 5


@pytest.mark.parametrize("number", range(56))
def test_what_one_team_gains_the_other_lost(number: int) -> None:
    sides = [side(games()[number], which)[1] for which in ("home", "vis")]
    sums = [{key: sum(int(player[key]) for player in players) for key in league.COUNTS} for players in sides]
    for ours, theirs in (sums, sums[::-1]):
        assert ours["STL"] <= theirs["TO"]
        assert ours["BLK"] <= (theirs["FGA"] - theirs["FG3A"]) - (theirs["FGM"] - theirs["FG3M"])
        assert ours["DREB"] + theirs["OREB"] <= theirs["FGA"] - theirs["FGM"]


def test_records_follow_from_results() -> None:
    won: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    for game in games():
        points = {which: int(game[f"{which}_line"]["TEAM-PTS"]) for which in ("home", "vis")}
        winner, loser = ("home", "vis") if points["home"] > points["vis"] else ("vis", "home")
        assert points["home"] != points["vis"]
        won[game[f"{winner}_name"]] += 1
        lost[game[f"{loser}_name"]] += 1
        for which in ("home", "vis"):
            name, line = game[f"{which}_name"], game[f"{which}_line"]
            assert (int(line["TEAM-WINS"]), int(line["TEAM-LOSSES"])) == (won[name], lost[name])
    assert sum(won.values()) == 56


def test_every_pair_of_teams_meets_once_in_each_arena_and_nobody_plays_twice_a_day() -> None:
    fixtures = list(league.schedule())
    assert len({(home.name, visitor.name) for _, home, visitor in fixtures}) == len(fixtures) == 8 * 7
    busy = [(day, team.name) for day, *teams in fixtures for team in teams]
    assert len(busy) == len(set(busy))
    assert [day for day, *_ in fixtures] == sorted(day for day, *_ in fixtures)


def test_names_are_unmistakable() -> None:
    players = [player for team in league.TEAMS for player in team.players]
    assert len(players) == len(set(players)) == 80
    surnames = [player.split(" ", 1)[1] for player in players]
    assert len(surnames) == len(set(surnames))
    for attribute in ("city", "name", "arena", "colours"):
        assert len({getattr(team, attribute) for team in league.TEAMS}) == 8


def test_a_game_has_the_shape_of_the_published_collection(shared_data: Path) -> None:
    with (shared_data / "accuracy-shared-task/train/shared_task.jsonl").open(encoding="utf-8") as lines:
        theirs = json.loads(next(lines))
    ours = games()[0]
    assert set(ours) == KEYS <= set(theirs)
    assert set(ours["box_score"]) == set(theirs["box_score"])
    assert set(ours["home_line"]) == set(theirs["home_line"]) == set(ours["vis_line"])


def test_another_seed_makes_another_season() -> None:
    seasons = [[game.home.points for game in league.season(np.random.default_rng(seed))] for seed in (1, 1, 2)]
    assert seasons[0] == seasons[1] != seasons[2]
