"""What an annotator needs beside a game summary: line score, box scores, standings and both teams' seasons so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tools.samples.league import QUARTERS, STARTERS, TEAMS, Game, Team, standings

_BOX = ("PTS", "FGM", "FGA", "FG3M", "FG3A", "FTM", "FTA", "OREB", "DREB", "REB", "AST", "STL", "BLK", "TO", "PF")
_HEADINGS = {"FG3M": "3PM", "FG3A": "3PA"}


def context_of(games: Sequence[Game], number: int) -> list[dict[str, Any]]:
    """The tables of one game, as units hold them; nothing later than that day but where the teams play next."""
    game = games[number]
    before = [other for other in games if other.day <= game.day]
    return [
        _line_score(game),
        _box_score(game.visitor),
        _box_score(game.home),
        _season(games, number, game.visitor.team),
        _season(games, number, game.home.team),
        _standings(before),
    ]


def _table(title: str, columns: Sequence[str], rows: list[list[Any]]) -> dict[str, Any]:
    return {"kind": "table", "title": title, "columns": list(columns), "rows": rows}


def _day(game: Game) -> str:
    return f"{game.day:%A}, {game.day.day} {game.day:%B %Y}"


def _line_score(game: Game) -> dict[str, Any]:
    title = f"Line score: {_day(game)}, {game.home.team.arena}, {game.home.team.city}"
    rows = []
    for side, role in ((game.visitor, "visitors"), (game.home, "home")):
        total = {key: sum(count[key] for count in side.counts) for key in side.counts[0]}
        rows.append(
            [f"{side.team.city} {side.team.name}", role, *side.quarters, side.points]
            + [f"{total[made]}-{total[tried]}" for made, tried in (("FGM", "FGA"), ("FG3M", "FG3A"), ("FTM", "FTA"))]
            + [
                _percent(total[made], total[tried])
                for made, tried in (("FGM", "FGA"), ("FG3M", "FG3A"), ("FTM", "FTA"))
            ]
            + [total["OREB"] + total["DREB"], total["AST"], total["TO"]]
        )
    quarters = [f"Q{quarter + 1}" for quarter in range(QUARTERS)]
    columns = ["Team", "Role", *quarters, "Points", "FG", "3P", "FT", "FG %", "3P %", "FT %", "Rebounds", "Assists"]
    return _table(title, [*columns, "Turnovers"], rows)


def _percent(made: int, tried: int) -> int | None:
    return int(100 * made / tried + 0.5) if tried else None


def _box_score(side: Any) -> dict[str, Any]:
    rows: list[list[Any]] = []
    for place, player in enumerate(side.team.players):
        start = STARTERS[place] if place < len(STARTERS) else "bench"
        if not side.minutes[place]:
            rows.append([player, "did not play", None, *(None for _ in _BOX)])
            continue
        count = side.counts[place] | {"REB": side.counts[place]["OREB"] + side.counts[place]["DREB"]}
        rows.append([player, start, side.minutes[place], *(count[key] for key in _BOX)])
    columns = ["Player", "Start", "MIN", *(_HEADINGS.get(key, key) for key in _BOX)]
    return _table(f"Box score: {side.team.city} {side.team.name}", columns, rows)


def _season(games: Sequence[Game], number: int, team: Team) -> dict[str, Any]:
    """Every game of the team up to this one, the latest first, and the next one on top."""
    rows: list[list[Any]] = []
    won = lost = 0
    ahead = next((game for game in games[number + 1 :] if team in (game.home.team, game.visitor.team)), None)
    for game in games[: number + 1]:
        if team not in (game.home.team, game.visitor.team):
            continue
        ours, theirs = (game.home, game.visitor) if game.home.team is team else (game.visitor, game.home)
        won, lost = (won + 1, lost) if ours.points > theirs.points else (won, lost + 1)
        result = f"{'won' if ours.points > theirs.points else 'lost'} {ours.points}-{theirs.points}"
        rows.insert(0, [_day(game), *_where(game, team), result, f"{won}-{lost}"])
    if ahead is not None:
        rows.insert(0, [_day(ahead), *_where(ahead, team), "next game", None])
    columns = ["Day", "Opponent", "Where", "Arena", "Result", "Record"]
    return _table(f"Season so far: {team.city} {team.name}", columns, rows)


def _where(game: Game, team: Team) -> tuple[str, str, str]:
    home = game.home.team is team
    opponent = game.visitor.team if home else game.home.team
    return f"{opponent.city} {opponent.name}", "home" if home else "away", game.home.team.arena


def _standings(games: Sequence[Game]) -> dict[str, Any]:
    table = standings(games)
    ordered = sorted(TEAMS, key=lambda team: (team.division, -table[team.name][0], table[team.name][1]))
    rows: list[list[Any]] = [[team.division, f"{team.city} {team.name}", *table[team.name]] for team in ordered]
    return _table("Standings after that day", ["Division", "Team", "Won", "Lost"], rows)
