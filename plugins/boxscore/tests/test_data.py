"""Reading games, seasons and leagues: what is missing or broken is said, and the rest is used."""

from __future__ import annotations

import gzip
import json
from datetime import date
from pathlib import Path

import pytest

from goldmark_boxscore.games import UnreadableGames, read_games
from goldmark_boxscore.league import UnusableLeague, read_league
from goldmark_boxscore.season import Season, UnusableSeason, plain_name
from invented_league import BOXES, SCHEDULE, game, row, season


def test_lines_that_cannot_be_used_are_reported_and_the_others_read(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    broken = ["{", json.dumps([1]), json.dumps({"home_name": "Herons"}), json.dumps(row(day="yesterday"))]
    path.write_text("\n".join([json.dumps(row()), *broken, "", json.dumps(row())]), encoding="utf-8")
    games, problems = read_games(path)
    assert list(games) == ["T1"]
    assert [problem.where for problem in problems] == [f"games.jsonl:{line}" for line in (2, 3, 4, 5, 7)]
    assert "vis_name, day, box_score" in problems[2].what
    assert "'yesterday'" in problems[3].what


def test_a_games_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableGames, match=r"none\.jsonl"):
        read_games(tmp_path / "none.jsonl")


def test_not_available_is_absent_and_not_zero() -> None:
    away = game().away
    pember = next(player for player in away.players if player.name == "Hugo Pember")
    assert not pember.played
    assert "points" not in pember.stats
    assert away.value("fgm") == 9 + 7 + 5  # sums leave out who did not play


def test_two_teams_of_one_city_are_told_apart_by_their_starters() -> None:
    data = row(home_city="Thornwick")
    data["box_score"]["TEAM_CITY"] = dict.fromkeys(data["box_score"]["TEAM_CITY"], "Thornwick")
    here = game(**data)
    assert [player.name for player in here.home.players] == ["Tobias Wenlock", "Kwame Adjei", "Soren Lind"]


def test_next_and_last_games_come_from_the_schedule(tmp_path: Path) -> None:
    tables = season(tmp_path)
    day = date(2025, 11, 12)
    upcoming = tables.next_game("Badgers", day)
    assert upcoming is not None
    assert (upcoming.day, upcoming.opponent("Badgers"), upcoming.at_home("Badgers")) == (
        date(2025, 11, 14),
        "Pilots",
        True,
    )
    assert [game.won_by("Herons") for game in tables.last_games("Herons", day)] == [False, False, False]
    assert tables.next_game("Herons", date(2025, 11, 15)) is None


def test_player_tables_may_be_compressed(tmp_path: Path) -> None:
    (tmp_path / "schedule.csv").write_text(SCHEDULE, encoding="utf-8")
    (tmp_path / "players.csv.gz").write_bytes(gzip.compress(BOXES.encode()))
    games = Season(tmp_path).player_games("Conrad Vale", date(2025, 11, 12))
    assert [game.stats["points"] for game in games] == [24, 16]


def test_a_folder_without_a_schedule_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(UnusableSeason, match="game_date"):
        Season(tmp_path).team_games("Herons")
    with pytest.raises(UnusableSeason, match="not a folder"):
        Season(tmp_path / "nowhere")


@pytest.mark.parametrize(("name", "content"), [("schedule.csv", b"\xff\xfe\x00"), ("schedule.csv.gz", b"not gzip")])
def test_a_table_that_cannot_be_read_is_named(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UnusableSeason, match="schedule"):
        Season(tmp_path).team_games("Herons")


def test_names_agree_across_tables() -> None:
    assert plain_name("Larry Nance, Jr.") == plain_name("Larry Nance Jr") == "larry nance"
    assert plain_name("C.J. Miles") == "cj miles"


def test_arenas_are_those_of_the_time() -> None:
    kings = read_league().by_name["Kings"]
    assert "Sleep Train Arena" in kings.arenas_on(date(2016, 4, 1))  # the last season there ended in 2016
    assert "Sleep Train Arena" not in kings.arenas_on(date(2016, 11, 1))


def test_a_league_is_a_list_of_teams_with_names_and_cities(tmp_path: Path) -> None:
    path = tmp_path / "league.json"
    path.write_text('[{"name": "Herons", "city": "Port Ansel", "arena": "Tidewater Hall"}]', encoding="utf-8")
    assert read_league(path).by_name["Herons"].arenas == ("Tidewater Hall",)
    path.write_text('[{"name": "Herons"}]', encoding="utf-8")
    with pytest.raises(UnusableLeague, match="name and a city"):
        read_league(path)
    assert len(read_league().teams) == 30
