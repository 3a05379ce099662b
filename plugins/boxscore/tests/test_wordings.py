"""Many ways of saying one thing; the truth is the invented game and season of invented_league.py."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from goldmark_boxscore.grammar import inflected
from invented_league import marked, season

# True of the Badgers as 0 and the Herons as 1, and wrong the other way round, at the words in braces.
RESULTS = [
    "The {0} {outplayed} the {1} .",
    "The {0} cruised to a {victory} over the {1} .",
    "The {0} used a late run to {knock off} the {1} .",
    "The {1} were {trounced} by the {0} .",
    "The {1} {could n't keep up} with the {0} .",
    "The {0} {emerged victorious} .",
    "The {1} {came up short} .",
    "The {1} never recovered and {lost} .",
    "The {0} {led} at the half .",
    "The {1} went into the locker room {trailing} .",
    "The {0} {took} the second quarter .",
    "The {0} were {better} on the glass .",
    "The {1} {lost} the rebounding battle .",
    "The {1} committed {fewer} turnovers .",
    "The {0} shot the ball {better} .",
    "The {1} {hosted} the {0} .",
    "The {0} {paid a visit to} the {1} .",
    "The {1} were the {hosts} .",
]


@pytest.mark.parametrize("sentence", RESULTS)
def test_words_that_are_true_of_one_team_are_marked_when_said_of_the_other(sentence: str) -> None:
    words = re.findall(r"\{(\D[^}]*)\}", sentence)[0]
    plain = sentence.replace(f"{{{words}}}", words)
    assert marked(plain.format("Badgers", "Herons")) == []
    assert marked(plain.format("Herons", "Badgers")) == [(words, "WORD")]


NUMBERS = [
    ("When it was over , the board showed 112 - 101 .", ["101"]),
    ("The Badgers needed a big night to win it , 113 - 104 .", ["113"]),
    ("The final margin was nine points .", ["nine"]),
    ("At the midway point , it was 55 - 48 .", ["48"]),
    ("The teams were separated by six points at the half .", ["six"]),
    ("The Badgers won the second quarter by 12 .", ["12"]),
    ("Now 7 - 4 , the Badgers can rest .", ["4"]),
    ("The Badgers have a 7 - 3 mark .", []),
    ("The Badgers earned their eighth win of the season .", ["eighth"]),
    ("The Badgers made an epic 3 - 1 comeback in the playoffs .", []),  # nothing near their record
    ("The Badgers are riding a four - game winning streak .", ["four"]),
    ("The Herons ' slide is now up to three games .", []),
    ("The Herons lost for the fourth straight time .", ["fourth"]),
    ("The Herons have lost each of their last two games .", ["two"]),
    ("The Badgers came into this game riding a two - game winning streak .", []),
    ("A Friday meeting with the Pilots is next for the Badgers .", []),
    ("A Sunday meeting with the Foxes is next for the Badgers .", ["Sunday", "Foxes"]),
    ("On Saturday , the Foxes await the Herons .", []),
    ("The Herons will be away from home on Saturday .", []),
    ("The Badgers will be away from home on Friday .", ["away from home"]),
    ("The Badgers and Herons met in Thornwick .", ["Thornwick"]),
    ("The Badgers reserves added 14 .", ["14"]),
    ("The top scorer for the Badgers was Stellan Rask with 18 points .", ["top scorer"]),
    ("Milos Jank was the second - leading scorer for the Badgers with 12 points .", ["second"]),
    ("The Badgers got a team - high 18 points from Stellan Rask .", ["team - high"]),
]


@pytest.mark.parametrize(("text", "wrong"), NUMBERS)
def test_figures_are_tested_wherever_a_sentence_puts_them(text: str, wrong: list[str], tmp_path: Path) -> None:
    assert sorted(words for words, _ in marked(text, season(tmp_path))) == sorted(wrong)


def test_hopes_are_no_results() -> None:
    assert marked("The Herons could not beat the Badgers .") == []
    assert marked("Tobias Wenlock tried to lift the Herons to a win .") == []


def test_forms_of_verbs_are_made_by_rule_or_listed() -> None:
    bases, participles = inflected(["topped", "edged", "took down"], {"took": "take"})
    assert {"top", "edge", "take down"} <= set(bases)
    assert {"topping", "edging", "taking down"} <= set(participles)
