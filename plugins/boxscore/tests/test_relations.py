"""The claims of a summary as relations."""

from __future__ import annotations

from goldmark.checkers.plugins import CheckedText
from goldmark.checkers.relations import relations_of
from goldmark.texts.readers.gsml import spaced_text
from goldmark_boxscore.checker import BoxScoreChecker
from goldmark_boxscore.plugin import SummaryChecker
from invented_league import LEAGUE, game


def checked(text: str) -> CheckedText:
    return SummaryChecker(BoxScoreChecker(LEAGUE), {"T1": game()}).check(spaced_text("T1", text))


def test_relations_are_who_what_and_value_with_a_verdict() -> None:
    found = relations_of(checked("Conrad Vale had 24 points and nine rebounds on 9 - of - 18 shooting ."))
    assert [(item.triple, item.verdict) for item in found] == [
        (("Conrad Vale", "points", "24"), "supported"),
        (("Conrad Vale", "rebounds", "9"), "contradicted"),
        (("Conrad Vale", "fgm", "9"), "supported"),
        (("Conrad Vale", "fga", "18"), "supported"),
    ]
