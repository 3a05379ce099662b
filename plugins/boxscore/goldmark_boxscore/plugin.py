"""The box score checker as a plug-in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from goldmark.checkers.plugins import CannotCheck, CheckedClaim, CheckedText, CheckerType, Relation
from goldmark.errors import Problem
from goldmark.records.texts import Text
from goldmark_boxscore.checker import BoxScoreChecker
from goldmark_boxscore.claims import Claim, Judgement, Part
from goldmark_boxscore.games import Game, read_games
from goldmark_boxscore.judge_players import SHOTS, shot_kind
from goldmark_boxscore.judge_teams import percent_of
from goldmark_boxscore.league import read_league
from goldmark_boxscore.season import Season

TOO_LONG = 10_000  # tokens; a summary of one game has a few hundred
# The least probability of a mark to report. Chosen on the training texts alone, by cross-validation over texts.
MODES = {"strict": 0.88, "balanced": 0.6, "generous": 0.0}
RELATION_KINDS = {"count", "made-and-tried", "percentage"}


@dataclass(frozen=True)
class SummaryChecker:
    """A checker of many texts, each about the game that names it."""

    checker: BoxScoreChecker
    games: Mapping[str, Game]

    def check(self, text: Text) -> CheckedText:
        game = self.games.get(text.id)
        if game is None:
            raise CannotCheck(text=text.id, reason="no game has its id as shared_task_text_id")
        if not text.tokens:
            raise CannotCheck(text=text.id, reason="it is empty")
        if len(text.tokens) > TOO_LONG:
            raise CannotCheck(text=text.id, reason=f"it has {len(text.tokens)} tokens, more than {TOO_LONG}")
        checked = self.checker.check(text, game)
        claims = tuple(_claim(judgement) for judgement in checked.judgements)
        return CheckedText(checked.mistakes, claims, checked.doubts)


def _claim(judgement: Judgement) -> CheckedClaim:
    claim = judgement.claim
    return CheckedClaim(claim.span, claim.reading(), judgement.status, judgement.evidence, _relations(judgement))


def _relations(judgement: Judgement) -> tuple[Relation, ...]:
    """The claim's numbers as relations: of a player or a team, a statistic, its value."""
    claim = judgement.claim
    who = claim.subject.player.name if claim.subject.player else claim.subject.team
    wrong = {fault.span for fault in judgement.faults}
    if claim.kind in RELATION_KINDS:
        pairs = numbers_in(claim)
    elif claim.kind == "record":
        pairs = [(role, claim.parts[role]) for role in ("wins", "losses")]
    elif claim.kind == "final-score":
        who, pairs = "game", [("score", claim.parts["a"]), ("score", claim.parts["b"])]
    else:
        return ()
    if who is None or judgement.status == "unknown":
        return ()
    return tuple(
        Relation(who, what, f"{part.number:g}", "contradicted" if part.span in wrong else "supported")
        for what, part in pairs
    )


def numbers_in(claim: Claim) -> list[tuple[str, Part]]:
    """The statistics a claim gives, by our names, with the words that give them."""
    if claim.kind in {"count", "percentage"}:
        stat = claim.part("stat")
        if claim.kind == "count":
            return [(stat.unit.stat if stat else "turnovers", claim.parts["value"])]
        return [(percent_of(claim), claim.parts["value"])]
    kind = shot_kind(claim)
    if kind not in SHOTS:
        return []
    return [(stat, claim.parts[role]) for stat, role in zip(SHOTS[kind], ("made", "tried"), strict=True)]


def open_boxscore(sources: Mapping[str, Path]) -> tuple[SummaryChecker, list[Problem]]:
    """Games, and if given a season's tables and another league, ready to check texts."""
    league = read_league(sources.get("league"))
    games, problems = read_games(sources["games"])
    folder = sources.get("season")
    season = Season(folder, known_as=league.known_as) if folder else None
    return SummaryChecker(BoxScoreChecker(league, season), games), problems


BOXSCORE = CheckerType(
    "boxscore",
    "basketball summaries against box scores, line scores and schedules",
    {
        "games": "games as JSON lines, as in the accuracy shared task",
        "season": "folder with the season's tables: schedule, team and player box scores",
        "league": "the league's teams as YAML or JSON",
    },
    open_boxscore,
    frozenset({"season", "league"}),
    MODES,
)
