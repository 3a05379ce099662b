"""Who a claim is about: names, pronouns, "the team", "the former", carried from sentence to sentence.

Also the story: which team's players the sentences are telling of, so that a player of the other team can be noticed.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from goldmark_boxscore.claims import Claim, Subject
from goldmark_boxscore.games import Game, Player
from goldmark_boxscore.patterns import Sentence
from goldmark_boxscore.units import TextUnit

PRONOUNS = {"he", "his", "him"}
# "The veteran finished with ...": said of the player of the sentence before.
ROLES = {
    "guard", "forward", "center", "veteran", "rookie", "swingman", "sharpshooter", "shooter", "youngster", "star",
    "reserve", "man", "playmaker",
}  # fmt: skip
# A team named after one of these starts a clause.
OPENERS = {"while", "as", "with", "where", "and", "but", "though", "although", ";"}
PRECEDING = {
    "playing",
    "in",
    "at",
    "on",
    "with",
    "after",
    "now",
    "despite",
    "coming",
    "winners",
    "losers",
    "riding",
    "having",
}
NOT_SUBJECT = {
    "without", "matched", "match", "than", "over", "defended", "like", "behind", "alongside", "joined", "supported",
    "against", "replaced", "replacing",
}  # fmt: skip
NOT_PLAYING = {"out", "sidelined", "unavailable", "inactive", "injured"}  # what follows "with X" who sat out
AT_PLACE = {"hosts": 0, "visitors": 1, "guests": 1}  # the home team and the other
NOT_HIM = (["place", "of"], ["in", "for"], ["absence", "of"], ["return", "of"], ["loss", "of"])
NOT_HIS = {"absence", "stead", "point", "stellar"}  # what follows "X's" when somebody else is meant
UNCLEAR = {
    "averaging",
    "averages",
    "averaged",
    "average",
    "collective",
    "combined",
}  # figures of more than this game or player
OF_PERSONS = {"count", "made-and-tried", "high", "giveaways"}
WITHIN = 4  # units in which a sentence says "the second-year guard"
A_PLAYERS_POINTS = 60  # no team scores less, no player here more
HOLDING = {"held", "holding", "hold", "limited", "limiting", "force", "forced", "forcing"}
LEADING = {
    "led",
    "lead",
    "leading",
    "guided",
    "guiding",
    "carried",
    "carrying",
    "propelled",
    "helped",
    "helping",
    "lifted",
}
ACTED_ON = {
    "count",
    "percentage",
    "threshold",
    "made-and-tried",
    "belittled",
}  # claims that may be about the team that was held
# What follows a team when the clause before it was about somebody else and the team is merely named.
TEAM_VERBS = {
    "shot", "went", "finished", "committed", "recording", "recorded", "were", "was", "had", "hit", "made", "held",
    "winning", "won", "connected", "posted", "outscored", "finishing", "shooting", "converted", "struggled",
    "forced", "scored", "knocked", "assisted", "dished", "totaled", "tallied", "turned",
}  # fmt: skip


@dataclass
class Discourse:
    """What has been talked about up to a sentence of one text."""

    game: Game
    player: Player | None = None
    player_unit: TextUnit | None = None  # where that player was named last
    story: str | None = None
    team: str | None = None
    team_unit: TextUnit | None = None
    mentioned: list[Player] = field(default_factory=list)
    named: tuple[TextUnit, ...] = ()  # whom the sentence before named, for "the former" and "the latter"
    told: int = 0  # players in a row, of one team
    told_team: str | None = None
    broken_off: str | None = None  # the team whose story the sentence before left for a player of the other
    unsettled: bool = False  # the sentence before named a team and a player of the other as its own
    announced: bool = False  # the sentence before named a team and none of its players

    def read(self, sentence: Sentence) -> SentenceView:
        view = SentenceView(self, sentence)
        view.settle()
        return view


@dataclass
class SentenceView:
    """One sentence with what was known before it."""

    before: Discourse
    sentence: Sentence
    story: str | None = None

    def __post_init__(self) -> None:
        self.player_before, self.player_unit_before = self.before.player, self.before.player_unit
        self.team_before, self.team_unit_before = self.before.team, self.before.team_unit
        self.named_before = self.before.named
        self._places = {id(unit): place for place, unit in enumerate(self.sentence.units)}
        unclear = (place for place, unit in enumerate(self.sentence.units) if unit.text.lower() in UNCLEAR)
        self._unclear_after = next(unclear, len(self.sentence.units))
        self._persons = any(unit.kind == "player" for unit in self.sentence.units)

    @property
    def units(self) -> tuple[TextUnit, ...]:
        return self.sentence.units

    def names_another_team(self) -> bool:
        """Does the sentence speak of a team that does not play in this game?"""
        return any(unit.team and self.before.game.side(unit.team) is None for unit in self.units)

    def settle(self) -> None:
        """Carry on to the next sentence what this one talked of."""
        subjects = [unit for unit in self.units if unit.player and self._is_subject(unit)]
        if subjects:
            self.before.player, self.before.player_unit = subjects[-1].player, subjects[-1]
            players = [unit.player for unit in subjects if unit.player is not None]
            self.before.mentioned += [player for player in players if player not in self.before.mentioned]
        self.before.named = tuple(unit for unit in self.units if unit.player)
        playing = [unit for unit in self.units if unit.team and self.before.game.side(unit.team)]
        if playing:
            self.before.team, self.before.team_unit = playing[0].team, playing[0]

    def _is_subject(self, unit: TextUnit) -> bool:
        place = self._places[id(unit)]
        before = [other.text.lower() for other in self.units[max(0, place - 3) : place]]
        after = [other.text.lower() for other in self.units[place + 1 : place + 3]]
        if before[-1:] and (before[-1] in NOT_SUBJECT or before[-2:] in NOT_HIM or "injured" in before):
            return False
        injury = [other.text for other in self.units[place + 1 : place + 4 : 2]] == ["(", ")"]  # "Parker ( knee ) out"
        if injury or (after[:1] and after[0] in NOT_PLAYING):
            return False
        return not (after[:1] and after[0] in {"'s", "'"} and after[-1] in NOT_HIS)

    def subject_of(self, claim: Claim) -> Subject:
        """Who a claim is about, from its place in the sentence."""
        verb = claim.part("verb")  # "in the fourth quarter, the Hawks outscored": who stands before the verb
        start = verb.span.start if verb is not None else claim.span.start
        place = bisect_right(self.units, start, key=lambda unit: unit.end)
        if (named := claim.part("player")) is not None and named.player is not None:
            return Subject(player=named.player, team=named.player.team, mention=named.unit)
        if (team := claim.part("team")) is not None and team.team is not None:
            return Subject(team=team.team, mention=team.unit)
        if claim.kind == "count" and claim.part("stat") is None:
            return self._actor(place)
        if claim.kind in {"count", "made-and-tried", "high", "double-double", "near-double"}:
            if self._unclear_after < place:
                return Subject()
            source = self._from_whom(place)
            if source is not None:
                return source
        reference = self._former_or_latter(place)
        if reference is not None:
            return reference
        acted_on = claim.kind in ACTED_ON
        for back in range(place - 1, -1, -1):
            unit, word = self.units[back], self.units[back].text.lower()
            if unit.kind == "player" and self._is_subject(unit):
                if unit.player is None:
                    return Subject(mention=unit)
                return Subject(unit.player, unit.player.team, unit, self._joined(back))
            if (unit.team or word == "them") and acted_on and self._is_acted_on(back):
                return self._victim(back)
            if unit.team and self._opens_clause(back, verb_needed=self._persons):
                if claim.kind in OF_PERSONS and self._tells_of_a_person():
                    return Subject()
                return Subject(team=unit.team, mention=unit)
            if word in AT_PLACE and back and self.units[back - 1].text.lower() == "the" and not self._persons:
                return Subject(team=self.before.game.sides[AT_PLACE[word]].name)
            if word == "they" and not self._player_in(0, back):
                return self._they(back)
            if self._is_pronoun(back) and not self._player_in(0, back) and self.player_before:
                return self._pronoun(place)
        ahead = self._player_ahead(place)
        teams = [unit for unit in self.units[:place] if unit.team]
        if ahead is not None and (not teams or self._announces_player()):
            return ahead
        if claim.kind in OF_PERSONS and self._tells_of_a_person():
            return Subject()
        if teams:
            return Subject(team=teams[0].team, mention=teams[0])
        return self._team_ahead(place) or Subject(team=self.team_before, antecedent=self.team_unit_before)

    def _team_ahead(self, place: int) -> Subject | None:
        """ "Playing in front of their home fans, the Hawks": a phrase before the subject is the subject's."""
        if self.units[0].text.lower() not in PRECEDING:
            return None
        comma = next((ahead for ahead in range(place, len(self.units)) if self.units[ahead].text == ","), None)
        named = [unit for unit in self.units[comma + 1 : comma + 3] if unit.team] if comma is not None else []
        return Subject(team=named[0].team, mention=named[0]) if named else None

    def _from_whom(self, place: int) -> Subject | None:
        """ "15 points from Patty Mills", "a 16-point effort from Aaron Gordon"."""
        for ahead in range(place + 1, min(place + 14, len(self.units))):
            unit = self.units[ahead]
            if unit.player is not None and self.units[ahead - 1].text == "from":
                return Subject(unit.player, unit.player.team, unit)
            if unit.kind in {"player", "team"} or unit.text in {"while", "but", "as"}:
                return None
        return None

    def _tells_of_a_person(self) -> bool:
        """Figures too small for a team belong to somebody whom the sentence does not name."""
        pairs = zip(self.units, self.units[1:], self.units[2:], strict=False)
        small = any(
            first.kind == "number"
            and first.number < A_PLAYERS_POINTS
            and "points" in {second.value, third.value if second.text == "-" else None}
            for first, second, third in pairs
        )
        return small or any(unit.kind == "stat" and unit.value == "minutes" for unit in self.units)

    def _actor(self, place: int) -> Subject:
        """The team that does something in a sentence: the first that it names."""
        unit = next((unit for unit in self.units[:place] if unit.team), None)
        antecedent = self.team_unit_before if unit is None else None
        return Subject(team=unit.team if unit else self.team_before, mention=unit, antecedent=antecedent)

    def _announces_player(self) -> bool:
        """ "The only other Hawk to reach double figures was ...": the name comes last."""
        return self.units[0].text.lower() in {"notching", "the"} and " other " in self.sentence.text

    def _is_acted_on(self, place: int) -> bool:
        before = place - 1
        if before >= 0 and self.units[before].text.lower() in {"the", "visiting", "host"}:
            before -= 1
        verb = self.units[before].text.lower() if before >= 0 else ""
        held = verb in HOLDING
        if verb in LEADING:  # "led the Rockets to a win with 34 points"
            return False
        follows = [unit.text.lower() for unit in self.units[place + 1 : place + 5]]
        return held or follows[:2] == ["to", "a"] or follows[:3] == ["to", "the", "tune"]

    def _victim(self, place: int) -> Subject:
        """The team that is held or forced; a team cannot hold itself, so then the other one is meant."""
        actor = self._defence(place) or next((unit.team for unit in self.units[:place] if unit.team), None)
        actor = actor or self.team_before
        side = self.before.game.side(actor)
        unit = self.units[place]
        if side is not None and unit.team in (None, actor):
            return Subject(team=self.before.game.other(side).name, mention=None)
        return Subject(team=unit.team, mention=unit)

    def _defence(self, place: int) -> str | None:
        """The team of "a stingy Hawks defense that held them": who holds is named right before."""
        for back in range(place - 1, max(place - WITHIN, 1), -1):
            if self.units[back].text == "that" and self.units[back - 1].text in {"defense", "effort", "attack"}:
                return self.units[back - 2].team
        return None

    def _they(self, place: int) -> Subject:
        named = [unit for unit in self.units[:place] if unit.team and self.before.game.side(unit.team)]
        if named:
            subjects = [unit for unit in named if self._opens_clause(self._places[id(unit)], verb_needed=False)]
            chosen = (subjects or named)[-1]
            return Subject(team=chosen.team, mention=chosen)
        return Subject(team=self.team_before, antecedent=self.team_unit_before)

    def _is_pronoun(self, place: int) -> bool:
        """He, or "the veteran" where a sentence begins with it."""
        word = self.units[place].text.lower()
        if word in ROLES and [unit.text for unit in self.units[place + 1 : place + 3]] == [",", "who"]:
            return True  # "business as usual for the point guard, who shot ..."
        if word not in ROLES or place > WITHIN or self.units[0].text != "The":
            return word in PRONOUNS
        return not any(unit.team for unit in self.units[:place])  # "the Kings' center" may be anybody

    def _pronoun(self, place: int) -> Subject:
        """He is the player of the sentence before, unless the sentence names him later ("Notching ... of his own")."""
        opening = self.units[0].text.lower()
        if opening in {"notching", "recording", "posting"}:
            ahead = self._player_ahead(place)
            if ahead is not None:
                return ahead
        player = self.player_before
        return Subject(player, player.team if player else None, antecedent=self.player_unit_before)

    def _player_in(self, start: int, end: int) -> bool:
        return any(unit.kind == "player" and self._is_subject(unit) for unit in self.units[start:end])

    def _player_ahead(self, place: int) -> Subject | None:
        for unit in self.units[place:]:
            if unit.kind == "player" and unit.player is not None and self._is_subject(unit):
                return Subject(unit.player, unit.player.team, unit)
        return None

    def _opens_clause(self, place: int, *, verb_needed: bool) -> bool:
        """Does a team's name start a clause of its own, so that what follows is the team's?"""
        before = place - 1
        if before >= 0 and self.units[before].text.lower() in {"the", "host"}:
            before -= 1
        follows = self.units[place + 1].text.lower() if place + 1 < len(self.units) else ""
        if follows == "," and place + 2 < len(self.units) and self.units[place + 2].text == "who":
            follows = "who"
        opened = before < 0 or self.units[before].text.lower() in OPENERS or self.units[before].text == ","
        return (opened and (not verb_needed or follows in TEAM_VERBS | {"'", "'s", "also"})) or follows == "who"

    def _joined(self, place: int) -> tuple[Player, ...]:
        """X and Y, named together right before what is said of them."""
        if place >= 2 and self.units[place - 1].text == "and" and self.units[place - 2].player:
            first, second = self.units[place - 2].player, self.units[place].player
            if first and second and first != second:
                return first, second
        return ()

    def _former_or_latter(self, place: int) -> Subject | None:
        for back in range(place - 1, -1, -1):
            unit = self.units[back]
            if unit.kind == "player":
                return None
            if unit.text.lower() in {"former", "latter"}:
                named = [unit for unit in self.units[:place] if unit.player]
                pair = named if len(named) > 1 else self.named_before
                if len(pair) != 2 and len(named) < 2:
                    return Subject()
                chosen = pair[-2] if unit.text.lower() == "former" else pair[-1]
                return Subject(chosen.player, chosen.player.team if chosen.player else None, chosen)
        return None
