"""One wrong word or several wrong figures: the explanation that costs least, and how sure the checker is of it."""

from __future__ import annotations

import pytest

from goldmark_boxscore.confidence import Confidence, Signs
from invented_league import doubted, marked, mistakes

EXPLAINED = [
    # Herons 6-4, Badgers 7-3: the opponent's record is one wrong team ...
    ("The Herons ( 7 - 3 ) came into this game with plenty of energy .", [("Herons", "NAME")]),
    # ... unless the sentence names the opponent, or the team's own player follows.
    ("The Herons ( 7 - 3 ) were up against the Badgers ( 7 - 3 ) .", [("7", "NUMBER"), ("3", "NUMBER")]),
    ("The Herons ( 7 - 3 ) were led by Tobias Wenlock , who had 30 points .", [("7", "NUMBER"), ("3", "NUMBER")]),
    # One team on both sides: 49 and 38 percent were the Badgers', 44 and 31 the Herons'.
    ("The Badgers shot 49 percent from the field and 38 percent from long range , while the Badgers shot 44 percent "
     "from the field and 31 percent from long range .", [("Badgers", "NAME")]),
    # Rask made 1 of 2 free throws and 3 of 8 three-pointers: a phrase has one wrong word, a table's brackets do not.
    ("Stellan Rask went 7 - for - 15 from the field and 1 - for - 2 from the three - point line .",
     [("three - point", "WORD")]),
    ("Stellan Rask had 18 points ( 7 - 15 FG , 1 - 2 3Pt ) .", [("1", "NUMBER"), ("2", "NUMBER")]),
    # Free throws are no part of shooting: Vale's 4 of 4 were free throws.
    ("Conrad Vale shot 9 - of - 18 from the field , including 4 - of - 4 from long range .",
     [("4", "NUMBER"), ("4", "NUMBER")]),
    # 30-20 was the second quarter.
    ("The Badgers outscored the Herons , 30 - 20 , in the third quarter .", [("third quarter", "WORD")]),
    # "He" goes back to the name, and Lind's figures tell whose it should be.
    ("Kwame Adjei was on the floor . He finished with 14 points , eight rebounds and an assist .",
     [("Kwame Adjei", "NAME")]),
    # Who has been told of already may be told of again under a wrong name.
    ("Soren Lind had 14 points and eight rebounds . Kwame Adjei had 14 points , eight rebounds and an assist .",
     [("Kwame Adjei", "NAME")]),
    # A tie goes to what the text says.
    ("Kwame Adjei had 14 points and three rebounds .", [("14", "NUMBER")]),
    # Wenlock of the Herons stands in Vale's place, and the story stays the Badgers': Rask is in his.
    ("The Badgers got going early . Tobias Wenlock added 24 points , 11 rebounds and three assists . Stellan Rask "
     "added 18 points .", [("Tobias Wenlock", "NAME")]),
    # Where the text itself is wrong about whose player he is, nobody after him is out of place.
    ("Conrad Vale led the way for the Herons with 24 points . Soren Lind was next with 14 points .",
     [("Herons", "NAME")]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), EXPLAINED, ids=[text for text, _ in EXPLAINED])
def test_the_cheapest_explanation_is_marked(text: str, expected: list[tuple[str, str]]) -> None:
    assert marked(text) == expected


DOUBTED = [
    # Lind had 14 points, eight rebounds and an assist: the text stands, and Lind is worth a look.
    ("Kwame Adjei had 14 points , three rebounds and an assist .", [("Kwame Adjei", "NAME")]),
    # A starter is no leader of the bench, and annotators do not agree whether he led.
    ("Stellan Rask led the bench with 18 points .", [("led", "WORD")]),
    # Nothing ties Wenlock of the Herons to the Badgers' story.
    ("The Badgers got going early . Tobias Wenlock had 30 points .", [("Tobias Wenlock", "CONTEXT")]),
    ("Conrad Vale had 24 points .", []),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), DOUBTED, ids=[text for text, _ in DOUBTED])
def test_what_annotators_mark_now_and_then_is_a_doubt(text: str, expected: list[tuple[str, str]]) -> None:
    assert doubted(text) == expected
    assert not set(expected) & set(marked(text))


def test_a_doubt_is_less_likely_than_a_mark() -> None:
    marks = [(Signs("count"), place % 10 > 0) for place in range(200)]
    marks += [(Signs("leader", doubtful=True), place % 5 == 0) for place in range(50)]
    model = Confidence.fit(marks)
    assert model.probability(Signs("never seen", doubtful=True)) == pytest.approx(0.2, abs=0.05)
    assert model.probability(Signs("never seen")) == pytest.approx(0.9, abs=0.05)


def test_every_mark_has_a_probability() -> None:
    found = mistakes("Stellan Rask had 17 points . Kwame Adjei had 14 points , eight rebounds and an assist .")
    assert len(found) == 2
    assert all(mistake.probability is not None and 0 < mistake.probability < 1 for mistake in found)


def test_a_rare_kind_is_drawn_towards_all_kinds() -> None:
    marks = [(Signs("often"), True)] * 90 + [(Signs("often"), False)] * 10 + [(Signs("once"), False)]
    model = Confidence.fit(marks)
    assert model.probability(Signs("never seen")) == pytest.approx(0.9, abs=0.05)
    assert 0.5 < model.probability(Signs("once")) < model.probability(Signs("often"))


def test_the_fit_recovers_what_lowers_the_odds() -> None:
    # Of marks with a small margin half are right, of those with a large one nine of ten.
    marks = [(Signs("count", margin=3.0), place % 10 > 0) for place in range(300)]
    marks += [(Signs("count", margin=0.0), place % 2 > 0) for place in range(300)]
    model = Confidence.fit(marks)
    assert model.probability(Signs("count", margin=3.0)) == pytest.approx(0.9, abs=0.03)
    assert model.probability(Signs("count", margin=0.0)) == pytest.approx(0.5, abs=0.03)
