"""The Lantern League: an invented basketball league whose games add up.

Eight teams play each other twice. Every game is simulated possession by possession, so that points, quarters, assists,
rebounds and steals agree with one another the way they do in a real box score. Games have the shape that published
data-to-text collections of basketball games use, so that whatever reads those reads these. No team, player, arena or
city in it exists.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

import numpy as np

SEED = 2025
FIRST_DAY = date(2025, 10, 7)  # a Tuesday
QUARTERS = 4
POSSESSIONS = 24  # of each team in a quarter
STARTERS = ("F", "F", "C", "G", "G")
ROTATION = (35, 34, 32, 36, 33, 24, 19, 14, 13, 0)  # usual minutes in the order of the roster; they sum to 240
COUNTS = ("FGM", "FGA", "FG3M", "FG3A", "FTM", "FTA", "OREB", "DREB", "AST", "STL", "BLK", "TO", "PF", "PTS")


@dataclass(frozen=True)
class Team:
    """A team: where it plays, and its players in the order forwards, centre, guards, then the bench."""

    city: str
    name: str
    arena: str
    division: str
    colours: str
    strength: float
    players: tuple[str, ...]


def _team(city: str, name: str, arena: str, division: str, colours: str, strength: float, players: str) -> Team:
    return Team(city, name, arena, division, colours, strength, tuple(players.split(", ")))


TEAMS = (
    _team(
        "Port Ansel", "Herons", "Tidewater Hall", "Coast", "teal and white", 0.04,
        "Tobias Wenlock, Kwame Adjei-Holt, Ruben Castellane, Idris Farrow, Mateo Villarin, "
        "Soren Lindqvale, Dashiell Oyelaran, Hiro Takemori, Emeka Duru, Caspian Rook",
    ),
    _team(
        "Saltmarsh", "Pilots", "Lighthouse Arena", "Coast", "navy and gold", 0.02,
        "Anders Halloway, Javier Montero-Ruiz, Bakari Osei, Quentin Marsh, Theo Papadakis, "
        "Lucian Brandt, Rashid Amari, Oisin Tierney, Kofi Mensah-Grey, Pavel Novotny",
    ),
    _team(
        "Merrow Bay", "Corsairs", "Breakwater Dome", "Coast", "black and crimson", 0.0,
        "Darnell Okafor-Finch, Leif Sorensby, Amadou Sarrel, Nico Valdarno, Jamal Whitcombe, "
        "Samir Haddany, Gareth Pell, Tomasz Wilk, Ezra Lowell, Vikram Anand",
    ),
    _team(
        "Gullhaven", "Tides", "Harbour Lights Center", "Coast", "sea green and silver", -0.05,
        "Marcus Elderfield, Ilya Dragomir, Benedict Achebe, Rafael Quintela, Owen Tamblyn, "
        "Yusuf Karaman, Dominic Strand, Haruki Endo, Silas Varga, Lorenzo Bexley",
    ),
    _team(
        "Hollin Falls", "Millers", "The Granary", "Hills", "wheat and brown", 0.03,
        "Gideon Ashgrove, Nnamdi Eze-Carter, Viktor Hallström, Elias Monteith, Andre Beaumaris, "
        "Callum Reyes, Desmond Yarrow, Matteo Fiorani, Bilal Saidi, Jonah Pike",
    ),
    _team(
        "Copperdale", "Foxes", "Foundry Court", "Hills", "copper and black", 0.05,
        "Isaiah Thornbrook, Dragan Petrovan, Chidi Umeh, Malcolm Devereaux, Luca Santoro-Bell, "
        "Wyatt Coldwell, Tarek Benali, Sven Arkwright, Osman Yilde, Perry Lockhart",
    ),
    _team(
        "Eastmere", "Comets", "Observatory Pavilion", "Hills", "violet and white", -0.02,
        "Jericho Vance-Ward, Pascal Dubrel, Ngozi Balewa, Adrian Kestrel, Rohan Mehrotra, "
        "Frederik Dahlgaard, Terrence Ballow, Kenji Morishita, Lamar Stroud, Abel Figueroa-Dean",
    ),
    _team(
        "Thornwick", "Badgers", "Kiln Street Arena", "Hills", "forest green and cream", -0.06,
        "Conrad Mbeki-Shaw, Stellan Rask, Obinna Tolliver, Diego Arancibia, Wesley Hartnoll, "
        "Milos Jankovar, Ade Fashanu-Cole, Ronan Gately, Zaid Karim, Hugo Pemberley",
    ),
)  # fmt: skip

# How each place in the roster plays: share of shots, of which threes, accuracy, rebounds, assists, steals and blocks.
_STYLE = {
    "shots": (1.1, 0.95, 0.9, 1.25, 1.05, 0.9, 0.8, 0.75, 0.7, 0.6),
    "threes": (0.3, 0.2, 0.05, 0.4, 0.45, 0.45, 0.3, 0.15, 0.4, 0.2),
    "boards": (1.1, 1.3, 1.7, 0.6, 0.55, 0.6, 0.9, 1.4, 0.5, 1.2),
    "passes": (0.7, 0.5, 0.4, 1.9, 1.3, 1.0, 0.6, 0.3, 1.0, 0.3),
    "hands": (0.9, 0.8, 0.6, 1.3, 1.2, 1.0, 0.8, 0.6, 1.0, 0.7),
    "reach": (0.9, 1.1, 2.2, 0.3, 0.3, 0.3, 0.7, 1.6, 0.2, 1.2),
}


@dataclass
class _Side:
    """One team while its game is played."""

    team: Team
    minutes: list[int]
    counts: list[dict[str, int]] = field(default_factory=lambda: [dict.fromkeys(COUNTS, 0) for _ in range(10)])
    quarters: list[int] = field(default_factory=lambda: [0] * QUARTERS)

    def weights(self, style: str) -> list[float]:
        fouled_out = [count["PF"] >= 6 for count in self.counts]
        return [
            0.0 if out else minutes * share
            for minutes, share, out in zip(self.minutes, _STYLE[style], fouled_out, strict=True)
        ]

    def score(self, player: int, points: int, quarter: int) -> None:
        self.counts[player]["PTS"] += points
        self.quarters[quarter] += points

    @property
    def points(self) -> int:
        return sum(self.quarters)


@dataclass(frozen=True)
class Game:
    """One game as it was played, or, before its day, as it is announced."""

    day: date
    home: _Side
    visitor: _Side

    @property
    def winner(self) -> Team:
        return self.home.team if self.home.points > self.visitor.points else self.visitor.team


def season(rng: np.random.Generator, teams: Sequence[Team] = TEAMS) -> list[Game]:
    """A whole season in the order of its days: each team meets each other team once at home and once away."""
    return [_play(day, home, visitor, rng) for day, home, visitor in schedule(teams)]


def schedule(teams: Sequence[Team] = TEAMS) -> Iterator[tuple[date, Team, Team]]:
    """Day, home team, visiting team. Two rounds a week, each spread over two days."""
    half = list(_rounds(teams))
    rounds = [*half, *([(visitor, home) for home, visitor in pairs] for pairs in half)]
    for number, pairs in enumerate(rounds):
        week, second = divmod(number, 2)
        for place, (home, visitor) in enumerate(pairs):
            later = 1 if place >= len(pairs) // 2 else 0
            yield FIRST_DAY + timedelta(days=7 * week + (3 if second else 0) + later), home, visitor


def _rounds(teams: Sequence[Team]) -> Iterator[list[tuple[Team, Team]]]:
    # The circle method: the first team stays, the others move on by one place each round.
    circle = list(teams)
    for number in range(len(circle) - 1):
        pairs = [(circle[i], circle[-1 - i]) for i in range(len(circle) // 2)]
        yield [(b, a) if (number + place) % 2 else (a, b) for place, (a, b) in enumerate(pairs)]
        circle.insert(1, circle.pop())


def _play(day: date, home: Team, visitor: Team, rng: np.random.Generator) -> Game:
    while True:
        sides = _Side(home, _minutes(rng)), _Side(visitor, _minutes(rng))
        form = [
            side.team.strength + (rng.random() - 0.5) * 0.12 + edge for side, edge in zip(sides, (0.02, 0), strict=True)
        ]
        for quarter in range(QUARTERS):
            for _ in range(POSSESSIONS):
                _attack(sides[0], sides[1], form[0], quarter, rng)
                _attack(sides[1], sides[0], form[1], quarter, rng)
        if sides[0].points != sides[1].points:  # the shape of the line score has no place for overtime
            return Game(day, *sides)


def _minutes(rng: np.random.Generator) -> list[int]:
    minutes = list(ROTATION)
    if rng.random() < 0.3:  # somebody rests, and the last man of the bench plays
        resting = 5 + int(rng.random() * 4)
        minutes[resting], minutes[9] = 0, minutes[resting]
    playing = [i for i, share in enumerate(minutes) if share]
    for _ in range(14):
        one, other = (playing[int(rng.random() * len(playing))] for _ in range(2))
        if minutes[one] > 6 and minutes[other] < 42:
            minutes[one] -= 1
            minutes[other] += 1
    return minutes


def _pick(weights: Sequence[float], rng: np.random.Generator) -> int:
    place = rng.random() * sum(weights)
    for index, weight in enumerate(weights):
        place -= weight
        if place < 0:
            return index
    return max(range(len(weights)), key=lambda index: weights[index])


def _attack(us: _Side, them: _Side, form: float, quarter: int, rng: np.random.Generator) -> None:
    while True:  # until somebody scores, loses the ball, or the defence has the rebound
        shooter = _pick(us.weights("shots"), rng)
        mine = us.counts[shooter]
        if rng.random() < 0.13:
            mine["TO"] += 1
            if rng.random() < 0.55:
                them.counts[_pick(them.weights("hands"), rng)]["STL"] += 1
            return
        if rng.random() < 0.09:
            them.counts[_pick(them.weights("hands"), rng)]["PF"] += 1
            for _ in range(2):
                mine["FTA"] += 1
                if rng.random() < 0.77:
                    mine["FTM"] += 1
                    us.score(shooter, 1, quarter)
            return
        three = rng.random() < _STYLE["threes"][shooter]
        mine["FGA"] += 1
        mine["FG3A"] += three
        if rng.random() < (0.36 if three else 0.52) + form:
            mine["FGM"] += 1
            mine["FG3M"] += three
            us.score(shooter, 3 if three else 2, quarter)
            if rng.random() < 0.6:
                passes = us.weights("passes")
                passes[shooter] = 0
                us.counts[_pick(passes, rng)]["AST"] += 1
            return
        if not three and rng.random() < 0.11:
            them.counts[_pick(them.weights("reach"), rng)]["BLK"] += 1
        if rng.random() < 0.25:
            us.counts[_pick(us.weights("boards"), rng)]["OREB"] += 1
            continue
        if rng.random() < 0.93:  # else the ball went out of bounds
            them.counts[_pick(them.weights("boards"), rng)]["DREB"] += 1
        if rng.random() < 0.12:
            us.counts[_pick(us.weights("hands"), rng)]["PF"] += 1
        return


def standings(games: Sequence[Game]) -> dict[str, tuple[int, int]]:
    """Wins and losses of every team after these games."""
    table = {team.name: (0, 0) for game in games for team in (game.home.team, game.visitor.team)}
    for game in games:
        for team in (game.home.team, game.visitor.team):
            won, lost = table[team.name]
            table[team.name] = (won + 1, lost) if game.winner is team else (won, lost + 1)
    return table


def as_rows(games: Sequence[Game]) -> Iterator[dict[str, Any]]:
    """Each game in the shape of the published collections: everything is text, players are numbered."""
    for number, game in enumerate(games):
        table = standings(games[: number + 1])
        yield {
            "day": f"{game.day:%m_%d_%y}",
            "home_name": game.home.team.name,
            "home_city": game.home.team.city,
            "vis_name": game.visitor.team.name,
            "vis_city": game.visitor.team.city,
            "home_line": _line(game.home, table),
            "vis_line": _line(game.visitor, table),
            "box_score": _box(game),
            "summary": [],
        }


def _percent(made: int, tried: int) -> str:
    return str(int(100 * made / tried + 0.5)) if tried else "0"


def _line(side: _Side, table: dict[str, tuple[int, int]]) -> dict[str, str]:
    total = {key: sum(count[key] for count in side.counts) for key in COUNTS}
    won, lost = table[side.team.name]
    return {
        "TEAM-NAME": side.team.name,
        "TEAM-CITY": side.team.city,
        "TEAM-WINS": str(won),
        "TEAM-LOSSES": str(lost),
        "TEAM-PTS": str(total["PTS"]),
        **{f"TEAM-PTS_QTR{number}": str(points) for number, points in enumerate(side.quarters, start=1)},
        "TEAM-FG_PCT": _percent(total["FGM"], total["FGA"]),
        "TEAM-FG3_PCT": _percent(total["FG3M"], total["FG3A"]),
        "TEAM-FT_PCT": _percent(total["FTM"], total["FTA"]),
        "TEAM-REB": str(total["OREB"] + total["DREB"]),
        "TEAM-AST": str(total["AST"]),
        "TEAM-TOV": str(total["TO"]),
    }


def _box(game: Game) -> dict[str, dict[str, str]]:
    box: dict[str, dict[str, str]] = {}
    number = 0
    for side in (game.visitor, game.home):
        for place, (player, count) in enumerate(zip(side.team.players, side.counts, strict=True)):
            played = side.minutes[place] > 0
            row = {
                "FIRST_NAME": player.split(" ", 1)[0],
                "SECOND_NAME": player.split(" ", 1)[1],
                "PLAYER_NAME": player,
                "TEAM_CITY": side.team.city,
                "START_POSITION": STARTERS[place] if place < len(STARTERS) else "N/A",
                "MIN": str(side.minutes[place]),
                **{key: str(count[key]) for key in COUNTS},
                "REB": str(count["OREB"] + count["DREB"]),
                "FG_PCT": _percent(count["FGM"], count["FGA"]),
                "FG3_PCT": _percent(count["FG3M"], count["FG3A"]),
                "FT_PCT": _percent(count["FTM"], count["FTA"]),
            }
            for key, value in row.items():
                known = key in {"FIRST_NAME", "SECOND_NAME", "PLAYER_NAME", "TEAM_CITY", "START_POSITION"}
                box.setdefault(key, {})[str(number)] = value if played or known else "N/A"
            number += 1
    return box
