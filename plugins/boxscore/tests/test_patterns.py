"""The pattern language of the grammar."""

from __future__ import annotations

import pytest

from goldmark_boxscore.grammar import rules
from goldmark_boxscore.league import read_words
from goldmark_boxscore.patterns import Sentence, compiled, find, needed
from goldmark_boxscore.units import Lexicon, merge_records
from invented_league import LEAGUE, game

LISTS = {"beat": ["defeated", "held off"]}


def sentence(text: str) -> Sentence:
    tokens = text.split()
    lexicon = Lexicon(game(), LEAGUE, read_words(), frozenset({"roy maddern"}))
    return Sentence.of(merge_records(list(lexicon.units(tokens, 0, len(tokens)))))


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("The Thornwick Badgers ( 7 - 3 ) held off Port Ansel .", "the T held off T . "),  # a record is left out
        ("Conrad Vale had a pair of steals , a block", "P had a N of S , N S "),
        ("Rask shot 2 - of - 5 from three - point range", "P shot N - of - N from three-point range "),
        ("On Friday at Tidewater Hall , Roy Maddern", "on D at A , P "),
        ("He had 10-of-17 and a double-double", "he had N - of - N and a double - double "),
    ],
)
def test_a_sentence_becomes_a_string_of_units(text: str, units: str) -> None:
    assert sentence(text).text == units


@pytest.mark.parametrize(
    ("pattern", "text", "slots"),
    [
        ("T:a {beat}:verb [the] T", "The Badgers held off the Herons", {"a": "Badgers", "verb": "held off"}),
        ("N:x [-] S:y", "a 20 - point game", {"x": "20", "y": "point"}),
        ("P:who ... N:x S", "Conrad Vale , as he so often does , had 24 points", {"who": "Conrad Vale", "x": "24"}),
        ("P:who .. N:x S", "Conrad Vale , as he so often does , had 24 points", None),  # the gap is too long
        ("(at home|on the road):where", "they play on the road", {"where": "on the road"}),
    ],
)  # fmt: skip
def test_slots_hold_the_words_that_fill_them(pattern: str, text: str, slots: dict[str, str] | None) -> None:
    here = sentence(text)
    found = next(find(compiled(pattern, LISTS), here), None)
    if slots is None:
        assert found is None
    else:
        assert found is not None
        words = {
            role: " ".join(unit.text for unit in here.units[start:end]) for role, (start, end) in found.slots.items()
        }
        assert words == slots


def test_a_pattern_knows_words_it_cannot_do_without() -> None:
    assert needed("T:a {beat}:verb [the] T:b", LISTS) == ("defeated", "held off")
    assert needed("N:x [-] S:y", LISTS) == ()


def test_every_rule_of_the_grammar_compiles() -> None:
    assert len({rule.kind for rule in rules()}) > 40
