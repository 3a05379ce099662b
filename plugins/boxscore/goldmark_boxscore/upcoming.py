"""Sentences about what comes next: who plays whom, where and when. Read clause by clause, tested by the schedule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from goldmark.records.spans import Span
from goldmark_boxscore.claims import Claim, Fault, Judgement, Part, Subject, contradicted, supported, unknown
from goldmark_boxscore.discourse import SentenceView
from goldmark_boxscore.grammar import phrases
from goldmark_boxscore.judge_season import other_part_of_day
from goldmark_boxscore.judging import Court, judges
from goldmark_boxscore.league import LeagueTeam
from goldmark_boxscore.patterns import Match, Sentence, find
from goldmark_boxscore.season import Fixture
from goldmark_boxscore.units import TextUnit

FACING = {
    "against", "with", "host", "hosts", "hosting", "on", "face", "faces", "play", "plays", "battle", "visit", "visits",
    "await", "awaits", "meet", "welcome", "versus", "challenge", "at", "facing", "playing", "welcoming",
}  # fmt: skip
DAYS_OFF = 2  # that "a few" or "a couple" must be
PARTS_OF_DAY = {"afternoon", "evening", "night"}


def is_upcoming(view: SentenceView) -> bool:
    """Does a sentence tell of games to come: in its words, or by a third team without a word of the past?"""
    if phrases("upcoming").search(view.sentence.text) is not None:
        return True
    dated = any(unit.kind == "day" for unit in view.units) or phrases("facing").search(view.sentence.text) is not None
    told = phrases("past").search(view.sentence.text) or any(unit.text.endswith("ed") for unit in view.units)
    return dated and view.names_another_team() and not told


def next_game_claims(view: SentenceView, number: int) -> Iterator[Claim]:
    """One claim for each clause that tells of a next game."""
    if not is_upcoming(view):
        return
    team: str | None = None
    for clause in _clauses(view.units):
        subject = _subject(clause, view)
        team = subject.team if subject else team or view.team_before
        parts = dict(_parts(clause, subject))
        if team and parts:
            spans = [part.span for part in parts.values()]
            span = Span(min(span.start for span in spans), max(span.end for span in spans))
            yield Claim("next-game", number, span, parts, Subject(team=team, mention=subject), team)


def _clauses(units: Sequence[TextUnit]) -> list[list[TextUnit]]:
    clauses: list[list[TextUnit]] = [[]]
    for place, unit in enumerate(units):
        next_codes = [other.code for other in units[place + 1 : place + 3]]
        joined = unit.text == "and" and place and units[place - 1].text == "," and "T" in next_codes
        if unit.text.lower() in {"while", ";"} or joined:
            clauses.append([])
        else:
            clauses[-1].append(unit)
    return [clause for clause in clauses if clause]


def _subject(clause: Sequence[TextUnit], view: SentenceView) -> TextUnit | None:
    playing = [unit for unit in clause if unit.team and view.before.game.side(unit.team)]
    if len(playing) == 1 and any(unit.team and view.before.game.side(unit.team) is None for unit in clause):
        return playing[0]  # "the Bulls await the Hawks": the one that played is the one told of
    for place, unit in enumerate(clause):
        if unit.team and view.before.game.side(unit.team):
            before = [other.text.lower() for other in clause[max(0, place - 2) : place] if other.text.lower() != "the"]
            deck = before[-1:] == ["for"]
            if deck or not before or before[-1] not in FACING | {"to", "in"}:
                return unit
            return None
    return None


def _parts(clause: Sequence[TextUnit], subject: TextUnit | None) -> Iterator[tuple[str, Part]]:
    for place, unit in enumerate(clause):
        words = [other.text for other in clause[place : place + 5]]
        if unit.kind == "day":
            yield "day", Part((unit,))
        elif unit.text in PARTS_OF_DAY and place and clause[place - 1].kind == "day":
            yield "part", Part((unit,))
        elif unit.team and unit is not subject:
            yield ("city" if _is_place(clause, place) else "opponent"), Part((unit,))
        elif unit.text in {"few", "couple"} and "days" in words[:3]:
            yield "rest", Part((unit,))
        elif words == ["back", "-", "to", "-", "back"]:
            yield "back-to-back", Part(tuple(clause[place : place + 5]))
    yield from _venue(Sentence.of(clause))


def _venue(clause: Sentence) -> Iterator[tuple[str, Part]]:
    """The last words of a clause that say whether its game is at home."""
    found = [(match, role) for role in ("stays", "leaves") for match in find(phrases(role), clause)]
    # "away from home" holds "home", but is one phrase
    found = [(one, role) for one, role in found if not any(_within(one, other) for other, _ in found)]
    if found:
        match, role = max(found, key=lambda item: item[0].start)
        yield role, Part(clause.units[match.start : match.end])


def _within(one: Match, other: Match) -> bool:
    return other.start <= one.start and one.end <= other.end and (one.start, one.end) != (other.start, other.end)


def _is_place(clause: Sequence[TextUnit], place: int) -> bool:
    """Is a city named as where the game is, and not for its team?"""
    before = [unit.text.lower() for unit in clause[max(0, place - 2) : place]]
    return clause[place].form == "city" and before[-1:] in (["to"], ["in"]) and before != ["host", "to"]


@judges("next-game")
def next_game(claim: Claim, court: Court) -> Judgement:
    team = claim.subject.team
    if court.season is None or team is None:
        return unknown(claim, "no schedule to look it up in")
    game = court.season.next_game(team, court.game.day)
    if game is None:
        return unknown(claim, f"the schedule has no next game of the {team}")
    faults = list(_faults(claim, game, team, court))
    where = "at home" if game.at_home(team) else "on the road"
    evidence = f"next for the {team}: {where} against the {game.opponent(team)} on {game.day:%A, %-d %B}"
    return contradicted(claim, *faults, evidence=evidence) if faults else supported(claim, evidence)


def _in_same_city(said: Part, against: LeagueTeam | None) -> bool:
    """A city with two teams may mean either."""
    return against is not None and said.unit.form == "city" and said.text in (against.city, *against.places)


def _faults(claim: Claim, game: Fixture, team: str, court: Court) -> Iterator[Fault]:
    opponent, day, venue = claim.part("opponent"), claim.part("day"), claim.part("stays") or claim.part("leaves")
    against = court.league.by_name.get(game.opponent(team))
    where = "at home" if game.at_home(team) else "on the road"
    facing = f"the {team}'s next game is {where} against the {game.opponent(team)}"
    if opponent is not None and opponent.team != game.opponent(team) and not _in_same_city(opponent, against):
        city = f"{against.city} " if against else ""
        yield Fault(opponent.span, "NAME", f"{city}{game.opponent(team)}", facing)
    if day is not None and day.text != f"{game.day:%A}":
        yield Fault(day.span, "NAME", f"{game.day:%A}", f"the {team}'s next game is on {game.day:%A, %-d %B}")
    part = claim.part("part")
    if part is not None and (right := other_part_of_day(part.text, game)):
        yield Fault(part.span, "WORD", right, f"the {team}'s next game starts at {game.start}")
    if venue is not None and (claim.part("stays") is not None) != game.at_home(team):
        right = "home" if game.at_home(team) else "road"
        yield Fault(venue.span, "WORD", right, facing)
    city_part = claim.part("city")
    if city_part is not None:
        host = court.league.by_name.get(game.home)
        if host is not None and city_part.text not in (host.city, *host.places):
            yield Fault(city_part.span, "NAME", host.city, f"it is played in {host.city}")
    rest = claim.part("rest")
    if rest is not None and (game.day - court.game.day).days - 1 < DAYS_OFF:
        yield Fault(rest.span, "WORD", "", f"the next game is on {game.day:%A, %-d %B}")
    double = claim.part("back-to-back")
    if double is not None and (game.day - court.game.day).days != 1:
        yield Fault(double.span, "WORD", "", f"the next game is on {game.day:%A, %-d %B}")
