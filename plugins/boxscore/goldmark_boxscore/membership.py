"""Which team's story a sentence tells, and players of the other team who turn up in it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from goldmark.records.spans import Span
from goldmark_boxscore.claims import Claim, Fault, Judgement, Part, Subject, contradicted, supported
from goldmark_boxscore.discourse import SentenceView
from goldmark_boxscore.judging import Court, judges
from goldmark_boxscore.patterns import compiled, find

# What ties a player to the team that is being told of: he adds to, follows, or is one of what came before.
JOINING = re.compile(
    r"(added|adding|chipped|followed|was next|right behind|was second on|finished second|was the only other|also|"
    r"came off|was n't far|not far behind|was right|(?:led|paced) the (?:bench|second unit)|posted|"
    r"was a nice spark)"
)
OPENING = 3  # units within which a team's name opens a sentence
STARTING = re.compile(
    r"((?:led|paced)(?! the (?:bench|second unit))|player of the game|spearheaded|high - point man|did all he could|"
    r"carried the load)"
)
LED_THE_WAY = re.compile(r"P led the way (?:with|,)")
THEIR_LEADER = re.compile(r"(they were|the team was) led by")
# A sentence's own statement of whose player it tells of.
STATED = tuple(
    compiled(pattern, {})
    for pattern in (
        "T:team (was|were) (led|paced)",
        "(led|paced) [the] T:team ~(with|in|,|.|to|on|and)",
        "(led|paced|leading|pacing) the (way|charge|team|offense|attack|scoring) for [the] T:team",
        "only other T:team",
        "only other (player|starter|reserve) (for|on) [the] T:team",
    )
)


def membership_claims(view: SentenceView, number: int) -> Iterator[Claim]:
    """For every player of a sentence that names no team: does he belong to the story? Moves the story on."""
    before = view.before
    units = view.units
    named = [unit for unit in units if unit.team and before.game.side(unit.team)]
    players = [(place, unit) for place, unit in enumerate(units) if unit.player is not None]
    if not players:
        if named and named[0] in units[:3]:
            before.story = named[0].team
        before.announced = bool(named)
        view.story = before.story
        return
    first = players[0][1].player
    assert first is not None  # noqa: S101 -- chosen for having a player
    starts = STARTING.search(view.sentence.text) is not None and not THEIR_LEADER.match(view.sentence.text)
    if before.announced and LED_THE_WAY.match(view.sentence.text):
        starts = False
    before.announced = False
    stated, unsettled = _stated(view), before.unsettled
    # "Millsap led the way for Orlando", who plays for Atlanta: whose players come next, nobody can tell.
    before.unsettled = stated is not None and stated != first.team
    teams = {unit.team for unit in named}
    if starts or first.team in teams:  # "the only Bucks starter", "a bright spot for the Bucks": the text says whose
        before.story = first.team
    elif named and units.index(named[0]) < OPENING:
        before.story = named[0].team
    elif not named and not _joins(view, players[0][0], first=True):
        before.story = first.team  # nothing ties him to what came before: another story begins
    story = view.story = before.story
    # One who broke in for a sentence, and then the story goes on: the one who goes on with it is not out of place.
    back = before.told == 1 and before.broken_off == first.team
    before.broken_off = story if not starts and not named and not back and first.team != story else None
    for place, unit in players:
        said = unit.player
        if said is None or story is None or unsettled or (starts and unit is players[0][1]):
            continue
        if back and said.team == first.team:
            continue
        if said.team not in teams and _joins(view, place, first=unit is players[0][1]):
            parts = {"player": Part((unit,))}
            span = Span(unit.start, unit.end)
            told = before.told if before.told_team == story else 0
            yield Claim("membership", number, span, parts, Subject(said, said.team, unit), story, told)
    for _, unit in players:
        team = unit.player.team if unit.player else None
        before.told, before.told_team = (before.told + 1 if team == before.told_team else 1), team
    if not starts and not named:
        before.story = first.team


def _stated(view: SentenceView) -> str | None:
    """The team of this game that a sentence says its player is of."""
    for pattern in STATED:
        for found in find(pattern, view.sentence):
            team = view.units[found.slots["team"][0]].team
            if view.before.game.side(team) is not None:
                return team
    return None


def _joins(view: SentenceView, place: int, *, first: bool) -> bool:
    """Is a player told of as one more of the same team?"""
    before = " ".join(unit.code for unit in view.units[max(0, place - 3) : place])
    after = " ".join(unit.code for unit in view.units[place + 1 : place + 6])
    if THEIR_LEADER.match(view.sentence.text) or (first and LED_THE_WAY.match(view.sentence.text)):
        return True
    if after.startswith("LP N S"):
        return True
    announced = view.sentence.text.startswith("the only other ") and before.endswith("was")
    return announced or JOINING.match(after) is not None or (not first and before.endswith("while"))


@judges("membership")
def membership(claim: Claim, court: Court) -> Judgement:
    player = claim.parts["player"].player
    if player is None or claim.story is None or player.team == claim.story:
        return supported(claim)
    comment = f"{player.name} played for the {player.team}, not the {claim.story}"
    return contradicted(claim, Fault(claim.span, "CONTEXT", "", comment))


def mixed_names(view: SentenceView, number: int) -> Iterator[Claim]:
    """Names of nobody: one player's first name before another's last."""
    for unit in view.units:
        if unit.form == "mixed" and unit.player is not None:
            span, parts = Span(unit.start, unit.end), {"player": Part((unit,))}
            yield Claim("mixed-name", number, span, parts, Subject(unit.player, unit.player.team, unit), view.story)


@judges("mixed-name")
def mixed_name(claim: Claim, court: Court) -> Judgement:
    name = claim.parts["player"].text
    return contradicted(claim, Fault(claim.span, "NAME", "", f"nobody of this game is called {name}"))
