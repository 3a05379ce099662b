"""An invented game and season that the tests of the checker share; every expected value can be read off here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from goldmark.records.mistakes import Mistake
from goldmark.texts.readers.gsml import spaced_text, words_of
from goldmark_boxscore.checker import BoxScoreChecker
from goldmark_boxscore.games import Game, parse_game
from goldmark_boxscore.league import League, LeagueTeam
from goldmark_boxscore.season import Season

LEAGUE = League(
    (
        LeagueTeam("Herons", "Port Ansel", ("Tidewater Hall",), division="Coast"),
        LeagueTeam("Badgers", "Thornwick", ("Kiln Street Arena",), division="Hills"),
        LeagueTeam("Foxes", "Copperdale", ("Foundry Court",), division="Hills"),
        LeagueTeam("Pilots", "Saltmarsh", ("Lighthouse Arena",), division="Coast"),
    ),
    {"Ada Quill": "Pilots"},
)

COLUMNS = ("PLAYER_NAME", "TEAM_CITY", "START_POSITION", "MIN", "PTS", "REB", "AST", "STL", "BLK", "TO")
SHOTS = ("FGM", "FGA", "FG3M", "FG3A", "FTM", "FTA")
#            name, city, position, minutes, points, rebounds, assists, steals, blocks, turnovers; shots made and tried
PLAYERS = (
    ("Conrad Vale", "Thornwick", "F", 35, 24, 11, 3, 1, 0, 2, 9, 18, 2, 5, 4, 4),
    ("Stellan Rask", "Thornwick", "G", 34, 18, 4, 8, 2, 0, 3, 7, 15, 3, 8, 1, 2),
    ("Milos Jank", "Thornwick", "N/A", 22, 12, 5, 2, 0, 1, 1, 5, 9, 0, 1, 2, 2),
    ("Hugo Pember", "Thornwick", "N/A", "N/A", "N/A", "N/A", "N/A", "N/A", "N/A", "N/A", *["N/A"] * 6),
    ("Tobias Wenlock", "Port Ansel", "F", 36, 30, 6, 5, 0, 2, 4, 11, 20, 4, 9, 4, 6),
    ("Kwame Adjei", "Port Ansel", "G", 33, 9, 3, 12, 3, 0, 2, 4, 12, 1, 4, 0, 0),
    ("Soren Lind", "Port Ansel", "N/A", 24, 14, 8, 1, 1, 1, 0, 6, 10, 0, 0, 2, 3),
)


def row(**changes: Any) -> dict[str, Any]:
    """The game as the shared task stores it: Wednesday, 12 November 2025, Badgers 112, Herons 104 at Tidewater Hall."""
    box: dict[str, dict[str, str]] = {
        column: {str(number): str(player[place]) for number, player in enumerate(PLAYERS)}
        for place, column in enumerate((*COLUMNS, *SHOTS))
    }
    return {
        "shared_task_text_id": "T1",
        "day": "11_12_25",
        "home_name": "Herons",
        "home_city": "Port Ansel",
        "vis_name": "Badgers",
        "vis_city": "Thornwick",
        "home_line": _line("Herons", 6, 4, (30, 20, 28, 26), 44, 31, 70, 40, 22, 12),
        "vis_line": _line("Badgers", 7, 3, (25, 30, 27, 30), 49, 38, 80, 45, 25, 15),
        "box_score": box,
    } | changes


def _line(name: str, wins: int, losses: int, quarters: tuple[int, ...], *rest: int) -> dict[str, str]:
    keys = ("TEAM-FG_PCT", "TEAM-FG3_PCT", "TEAM-FT_PCT", "TEAM-REB", "TEAM-AST", "TEAM-TOV")
    numbers = {f"TEAM-PTS_QTR{number}": points for number, points in enumerate(quarters, 1)}
    numbers |= {"TEAM-PTS": sum(quarters), "TEAM-WINS": wins, "TEAM-LOSSES": losses}
    numbers |= dict(zip(keys, rest, strict=True))
    return {"TEAM-NAME": name} | {key: str(value) for key, value in numbers.items()}


def game(**changes: Any) -> Game:
    return parse_game(row(**changes))


SCHEDULE = """\
game_date,season,home_name,home_score,away_name,away_score
2025-11-05,2026,Badgers,101,Foxes,99
2025-11-07,2026,Herons,90,Pilots,95
2025-11-09,2026,Pilots,88,Badgers,97
2025-11-10,2026,Foxes,100,Herons,93
2025-11-12,2026,Herons,104,Badgers,112
2025-11-14,2026,Badgers,90,Pilots,80
2025-11-15,2026,Foxes,90,Herons,80
"""
BOXES = """\
game_date,season,athlete_display_name,did_not_play,minutes,points,rebounds,assists,steals,blocks
2025-11-09,2026,Conrad Vale,False,30,16,12,2,0,0
2025-11-09,2026,Stellan Rask,False,31,30,2,5,1,0
2025-11-12,2026,Conrad Vale,False,35,24,11,3,1,0
2025-11-12,2026,Stellan Rask,False,34,18,4,8,2,0
"""


def season(folder: Path) -> Season:
    (folder / "schedule.csv").write_text(SCHEDULE, encoding="utf-8")
    (folder / "players.csv").write_text(BOXES, encoding="utf-8")
    return Season(folder)


def marked(text: str, tables: Season | None = None, **changes: Any) -> list[tuple[str, str]]:
    """What the checker marks in a text about the game: the words and their category."""
    whole = spaced_text("T1", text)
    checked = BoxScoreChecker(LEAGUE, tables).check(whole, game(**changes))
    return [(words_of(whole, mistake.span), mistake.label) for mistake in checked.mistakes]


def doubted(text: str) -> list[tuple[str, str]]:
    """What the checker says may be wrong besides."""
    whole = spaced_text("T1", text)
    doubts = BoxScoreChecker(LEAGUE).check(whole, game()).doubts
    return [(words_of(whole, doubt.span), doubt.label) for doubt in doubts]


def mistakes(text: str, tables: Season | None = None) -> tuple[Mistake, ...]:
    return BoxScoreChecker(LEAGUE, tables).check(spaced_text("T1", text), game()).mistakes
