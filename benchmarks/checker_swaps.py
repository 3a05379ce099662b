"""One wrong word or several wrong figures? The checker on sentences of ours about games that no text here tells of.

Each case says something in the manner of generated summaries, and one thing in it is wrong in a known way: the name of
a player or a team, the kind of a shot or a period, with every figure as it should be for the right one; or the figures,
with every name right. Recall and precision by mistake, sort by sort. Needs ../shared/data.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks._season_games import season_games
from benchmarks.checker import DATA
from goldmark.records.mistakes import Mistake
from goldmark.records.spans import Span
from goldmark.records.texts import Text
from goldmark.stats.mistake_matching import count
from goldmark.texts.readers.gsml import spaced_text
from goldmark_boxscore.checker import BoxScoreChecker
from goldmark_boxscore.games import Game, Player, Side, read_games
from goldmark_boxscore.judge_players import in_words
from goldmark_boxscore.league import read_league
from goldmark_boxscore.season import Season

GAMES = 150
LINES = (  # what is said of a player; every slot is one of his figures
    "{P} led the way for the {T} with {points} points , {rebounds} rebounds and {assists} assists .",
    "{P} chipped in {points} points ( {fgm} - {fga} FG , {tpm} - {tpa} 3Pt , {ftm} - {fta} FT ) , {rebounds} rebounds "
    "and {assists} assists .",
    "{P} finished with {points} points on {fgm} - of - {fga} shooting , in {minutes} minutes .",
    "{P} added {points} points and {rebounds} rebounds .",
    "{P} followed with {points} points , {assists} assists , {rebounds} rebounds and {steals} steals .",
    "{P} went {fgm} - for - {fga} from the field and {ftm} - for - {fta} from the free throw line to score {points} "
    "points , while also adding {rebounds} rebounds .",
    "{P} saw the floor as well . He finished with {points} points , {rebounds} rebounds and {assists} assists in "
    "{minutes} minutes .",
    "{P} had {points} points , {rebounds} rebounds , {assists} assists , {steals} steals and {blocks} blocks .",
)
TEAM_LINES = (
    "The {T} shot {fg%} percent from the field and {3p%} percent from three - point range .",
    "The {T} grabbed {rebounds} rebounds and committed {turnovers} turnovers in this one .",
    "The {T} ( {wins} - {losses} ) came into this game with plenty of energy .",
    "The {T} had {assists} assists and {turnovers} turnovers .",
)
CONTRAST = (
    "The {A} shot {A.fg%} percent from the field and {A.3p%} percent from long range , while the {B} shot {B.fg%} "
    "percent from the field and {B.3p%} percent from long range ."
)
PERIODS = {
    "first quarter": ("q1",),
    "second quarter": ("q2",),
    "third quarter": ("q3",),
    "fourth quarter": ("q4",),
    "first half": ("q1", "q2"),
    "second half": ("q3", "q4"),
}
Stats = dict[str, float]


class _NoCase(Exception):
    """This game does not lend itself to a case of this sort."""


@dataclass(frozen=True)
class Case:
    """A text about a game, and what is wrong in it."""

    sort: str
    game: Game
    text: Text
    wrong: tuple[Mistake, ...]


def cases(games: Iterable[Game], rng: np.random.Generator) -> Iterator[Case]:
    """A case of every sort for every game that has one."""
    sorts: dict[str, Callable[[Game, np.random.Generator], str]] = {
        "player: wrong name": _wrong_name,
        "player: wrong name and figure": lambda game, rng: _wrong_name(game, rng, besides=1),
        "player: wrong figures": _wrong_figures,
        "player: figures of two": _blend,
        "team: wrong name": _wrong_team,
        "team: wrong figures": _wrong_team_figures,
        "team: own player follows": _own_player_follows,
        "team: one on both sides": _both_sides,
        "shot: wrong word": lambda game, rng: _shots(game, rng, word=True),
        "shot: wrong figures": lambda game, rng: _shots(game, rng, word=False),
        "period: wrong word": lambda game, rng: _period(game, rng, word=True),
        "period: wrong figures": lambda game, rng: _period(game, rng, word=False),
        "all true": _all_true,
    }
    for game in games:
        for sort, write in sorts.items():
            try:
                yield _case(sort, game, write(game, rng))
            except _NoCase:
                continue


def _case(sort: str, game: Game, marked: str) -> Case:
    """`<` and `>` stand around what is wrong."""
    winner = game.winner
    assert winner is not None
    loser = game.other(winner)
    marked = (
        f"The {winner.name} defeated the {loser.name} , {winner.value('points')} - {loser.value('points')} , on "
        f"{game.day:%A} . {marked}"
    )
    tokens: list[str] = []
    wrong = []
    start = 0
    for token in marked.split():
        if token == "<":
            start = len(tokens)
        elif token == ">":
            wrong.append(Mistake("V", Span(start, len(tokens)), "NAME"))
        else:
            tokens.append(token)
    return Case(sort, game, spaced_text("V", " ".join(tokens)), tuple(wrong))


def _said(value: float) -> str:
    whole = round(value)
    return in_words(whole, "word") if whole < 10 else str(whole)


def _slots(line: str) -> list[str]:
    return [part.split("}")[0] for part in line.split("{")[1:] if part.split("}")[0] not in {"P", "T"}]


def _filled(line: str, name: str, team: str, stats: Stats, wrong: Iterable[str] = ()) -> str:
    for slot in _slots(line):
        joined = slot in {"fgm", "fga", "tpm", "tpa", "ftm", "fta", "fg%", "3p%", "wins", "losses"}
        said = str(round(stats[slot])) if joined else _said(stats[slot])
        line = line.replace(f"{{{slot}}}", f"< {said} >" if slot in wrong else said)
    return line.replace("{P}", name).replace("{T}", team)


def _line(rng: np.random.Generator) -> str:
    return str(LINES[rng.integers(len(LINES))])


def _figures(player: Player | Side, line: str) -> Stats:
    values = {slot: player.value(slot) for slot in _slots(line)}
    if None in values.values():
        raise _NoCase
    return {slot: value for slot, value in values.items() if value is not None}


def _leads(line: str, player: Player, side: Side) -> bool:
    return "led the way" not in line or side.ranked()[0] == player


def _someone(side: Side, rng: np.random.Generator, among: int = 8) -> Player:
    ranked = side.ranked()[:among]
    return ranked[rng.integers(len(ranked))]


def _side(game: Game, rng: np.random.Generator) -> Side:
    return game.sides[rng.integers(2)]


def _story(side: Side, rng: np.random.Generator, told: Player | None = None) -> str:
    """Two sentences that say whose story it is; the second is a true line of somebody."""
    player = told or _someone(side, rng, 4)
    line = LINES[4]
    return f"The {side.name} got going early . {_filled(line, player.name, side.name, _figures(player, line))} "


def _wrong_name(game: Game, rng: np.random.Generator, besides: int = 0) -> str:
    side = _side(game, rng)
    owner = _someone(side, rng)
    named = _someone(side if rng.random() < 0.75 else game.other(side), rng)
    line = _line(rng)
    right = _figures(owner, line)
    differ = sum(right[slot] != value for slot, value in _figures(named, line).items())
    if named == owner or differ < 2 + 2 * besides or not _leads(line, owner, side):
        raise _NoCase
    told = owner if rng.random() < 0.25 else named if rng.random() < 0.5 and named.team == side.name else None
    stats, wrong = _spoilt(right, _figures(named, line), besides, owner, game, rng)
    return _story(side, rng, told) + _filled(line, f"< {named.name} >", side.name, stats, wrong)


def _spoilt(
    right: Stats, also: Stats, how_many: int, owner: Player | Side, game: Game, rng: np.random.Generator
) -> tuple[Stats, list[str]]:
    """Some figures changed: half of them to what somebody else had, the others by a little."""
    free = [slot for slot in right if slot not in {"points"} or how_many > 1 or len(right) < 3]
    wrong = [free[place] for place in rng.permutation(len(free))[:how_many]]
    stats = dict(right)
    pool = game.players if isinstance(owner, Player) else game.sides
    for slot in wrong:
        copied = pool[rng.integers(len(pool))].value(slot) if rng.random() < 0.5 else None
        near = right[slot] + int(rng.integers(1, 5)) * (1 if rng.random() < 0.5 or right[slot] < 5 else -1)
        stats[slot] = copied if copied is not None and copied not in (right[slot], also.get(slot)) else near
    return stats, wrong


def _wrong_figures(game: Game, rng: np.random.Generator) -> str:
    side = _side(game, rng)
    owner, line = _someone(side, rng), _line(rng)
    right = _figures(owner, line)
    if not _leads(line, owner, side):
        raise _NoCase
    stats, wrong = _spoilt(right, right, int(rng.integers(1, len(right) + 1)), owner, game, rng)
    return _story(side, rng) + _filled(line, owner.name, side.name, stats, wrong)


def _blend(game: Game, rng: np.random.Generator) -> str:
    """Fewer than half of the figures are another player's."""
    side = _side(game, rng)
    owner, other, line = _someone(side, rng), _someone(_side(game, rng), rng), _line(rng)
    right, theirs = _figures(owner, line), _figures(other, line)
    differ = [slot for slot in right if right[slot] != theirs[slot]]
    if owner == other or not differ or not _leads(line, owner, side):
        raise _NoCase
    wrong = differ[: max(1, (len(right) - 1) // 2)]
    stats = {slot: theirs[slot] if slot in wrong else right[slot] for slot in right}
    return _story(side, rng) + _filled(line, owner.name, side.name, stats, wrong)


def _team_line(rng: np.random.Generator) -> str:
    return str(TEAM_LINES[rng.integers(len(TEAM_LINES))])


def _wrong_team(game: Game, rng: np.random.Generator) -> str:
    side, line = _side(game, rng), _team_line(rng)
    right, other = _figures(side, line), _figures(game.other(side), line)
    if any(right[slot] == other[slot] for slot in right):
        raise _NoCase
    return _filled(line, "", f"< {game.other(side).name} >", right)


def _wrong_team_figures(game: Game, rng: np.random.Generator) -> str:
    side, line = _side(game, rng), _team_line(rng)
    right = _figures(side, line)
    stats = {slot: value + int(rng.integers(1, 9)) for slot, value in right.items()}
    return _filled(line, "", side.name, stats, list(stats))


def _own_player_follows(game: Game, rng: np.random.Generator) -> str:
    """The other team's record, but this team's player: the record is wrong."""
    side = _side(game, rng)
    other, leader = game.other(side), side.ranked()[0]
    if any(side.value(what) == other.value(what) for what in ("wins", "losses")):
        raise _NoCase
    line = _filled("{P} , who finished with {points} points and {rebounds} rebounds .", leader.name, "",
                   _figures(leader, "{points} {rebounds}"))  # fmt: skip
    return f"The {side.name} ( < {other.value('wins')} > - < {other.value('losses')} > ) were led by {line}"


def _both_sides(game: Game, rng: np.random.Generator) -> str:
    first = _side(game, rng)
    second = game.other(first)
    stats = ("fg%", "3p%")
    if any(first.value(stat) in (None, second.value(stat)) for stat in stats):
        raise _NoCase
    line = CONTRAST
    for letter, side in (("A", first), ("B", second)):
        for stat in stats:
            line = line.replace(f"{{{letter}.{stat}}}", str(side.value(stat)))
    names = [f"< {second.name} >", second.name] if rng.random() < 0.5 else [first.name, f"< {first.name} >"]
    return line.replace("{A}", names[0]).replace("{B}", names[1])


def _shots(game: Game, rng: np.random.Generator, *, word: bool) -> str:
    side = _side(game, rng)
    player = _someone(side, rng)
    stats = _figures(player, "{fgm} {fga} {tpm} {tpa} {ftm} {fta} {points}")
    if any(stats[a] == stats[b] for a, b in (("tpm", "ftm"), ("tpa", "fta"))) or not stats["fta"]:
        raise _NoCase  # nobody writes that somebody made none of no free throws
    phrase = "from the three - point line"
    made, tried = stats["ftm"], stats["fta"]
    if not word:
        made, tried = stats["tpm"] + 1, stats["tpa"] + int(rng.integers(2, 4))
        if (made, tried) in {(stats["ftm"], stats["fta"]), (stats["fgm"], stats["fga"])}:
            raise _NoCase
    pair = f"{made:g} - for - {tried:g}" if word else f"< {made:g} > - for - < {tried:g} >"
    return (
        f"{player.name} went {stats['fgm']:g} - for - {stats['fga']:g} from the field and {pair} "
        f"{phrase.replace('three - point', '< three - point >') if word else phrase} to score "
        f"{_said(stats['points'])} points ."
    )


def _period(game: Game, rng: np.random.Generator, *, word: bool) -> str:
    names = list(PERIODS)
    said, meant = (names[place] for place in rng.permutation(len(names))[:2])
    side = _side(game, rng)
    other = game.other(side)
    right = side.scored(PERIODS[meant]), other.scored(PERIODS[meant])
    shown = side.scored(PERIODS[said]), other.scored(PERIODS[said])
    if None in right or right[0] == shown[0] or right[1] == shown[1] or (right[0] or 0) <= (right[1] or 0):
        raise _NoCase
    if word:
        return f"The {side.name} outscored the {other.name} , {right[0]} - {right[1]} , in the < {said} > ."
    if (shown[0] or 0) <= (shown[1] or 0):
        raise _NoCase
    a, b = (shown[0] or 0) + int(rng.integers(2, 7)), (shown[1] or 0) - int(rng.integers(1, 5))
    pairs = {(side.scored(quarters), other.scored(quarters)) for quarters in PERIODS.values()}
    if (a, b) in pairs:
        raise _NoCase
    return f"The {side.name} outscored the {other.name} , < {a} > - < {b} > , in the {said} ."


def _all_true(game: Game, rng: np.random.Generator) -> str:
    side = _side(game, rng)
    told = [_story(side, rng)]
    for line in (LINES[int(rng.integers(1, len(LINES)))], LINES[3]):
        player = _someone(side, rng)
        told.append(_filled(line, player.name, side.name, _figures(player, line)))
    line = _team_line(rng)
    told.append(_filled(line, "", side.name, _figures(side, line)))
    return " ".join(told)


def swap_cases(seed: int = 11, games: int = GAMES) -> tuple[list[Case], BoxScoreChecker]:
    """The cases and a checker for them."""
    league = read_league()
    season = Season(DATA / "nba", known_as=league.known_as)
    texts, _ = read_games(DATA / "accuracy-shared-task" / "train" / "shared_task.jsonl")
    rng = np.random.default_rng(seed)
    without = {(game.day, game.home.name) for game in texts.values()}
    chosen = season_games(DATA / "nba", season, league, without=without, count=games, rng=rng)
    return list(cases(list(chosen), rng)), BoxScoreChecker(league, season)


def main() -> None:
    if not DATA.is_dir():
        print("../shared/data is not here; nothing measured", file=sys.stderr)
        return
    every, checker = swap_cases()
    print(f"anchor swaps in sentences of ours about {GAMES} other games")
    print("  what is wrong                    recall  precision   wrong  marked  cases")
    table: dict[str, list[tuple[int, int, int]]] = {}
    for case in every:
        counts = count(case.wrong, checker.check(case.text, case.game).mistakes)
        table.setdefault(case.sort, []).append((counts.found, counts.gold, counts.submitted))
    table["all"] = [row for kept in table.values() for row in kept]
    for sort, rows in table.items():
        found, wrong, marked = (sum(column) for column in zip(*rows, strict=True))
        recall = f"{found / wrong:.3f}" if wrong else "    -"
        precision = f"{found / marked:.3f}" if marked else "    -"
        print(f"  {sort:32} {recall:>6} {precision:>9} {wrong:8} {marked:7} {len(rows):6}")


if __name__ == "__main__":
    main()
