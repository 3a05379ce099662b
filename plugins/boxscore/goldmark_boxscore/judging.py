"""A registry of judges: each tests the claims of one kind against the data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from goldmark_boxscore.claims import Claim, Judgement, unknown
from goldmark_boxscore.games import Game, Player, Side
from goldmark_boxscore.league import League, Vocabulary
from goldmark_boxscore.season import Season


@dataclass
class Court:
    """All that a judge may look at, and what the text has said before."""

    game: Game
    league: League
    words: Vocabulary
    season: Season | None = None
    mentioned: list[Player] = field(default_factory=list)  # players named before this sentence
    last: Player | None = None  # the player whom the sentence before was about

    @property
    def neutral(self) -> bool:
        """Was the game in neither team's own place?"""
        fixture = self.season.game_on(self.game.home.name, self.game.day) if self.season else None
        return fixture is not None and fixture.neutral

    def side_of(self, player: Player) -> Side:
        return self.game.home if player.team == self.game.home.name else self.game.away


Judge = Callable[[Claim, Court], Judgement]
JUDGES: dict[str, Judge] = {}


def judges(*kinds: str) -> Callable[[Judge], Judge]:
    """Say which kinds of claims a function judges."""

    def register(judge: Judge) -> Judge:
        JUDGES.update(dict.fromkeys(kinds, judge))
        return judge

    return register


def judge(claim: Claim, court: Court) -> Judgement:
    """Test a claim; a kind without a judge stays unknown."""
    return JUDGES[claim.kind](claim, court) if claim.kind in JUDGES else unknown(claim, "nothing to test it against")
