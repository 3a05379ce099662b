"""Which reading counts: curated before approved before voted, and never parts of several."""

from __future__ import annotations

import pytest

from goldmark.datasets.release.selection import MEANING, RULES, OmittedText, SelectedReading, choose, nearest
from goldmark.datasets.sources.readings import Reading, ReadText
from tests.datasets.house import mark, text

FINE = Reading("Ada")
ONE = Reading("Bea", (mark(1, 2),))
WIDE = Reading("Cy", (mark(0, 4),))
SAME = Reading("Dee", (mark(1, 2),))
ODD = Reading("Eve", discarded="ambiguous")
GOLD = Reading("", (mark(2, 3),), approved=True)


def basis(read: ReadText, rule: str) -> tuple[str, Reading] | str:
    found = choose(read, rule)  # type: ignore[arg-type]
    return found.why if isinstance(found, OmittedText) else (found[0].basis, found[0].reading)


def sentence(*readings: Reading, gold: Reading | None = None) -> ReadText:
    return text("T", "one two three four five", *readings, gold=gold)


@pytest.mark.parametrize(
    ("readings", "gold", "rule", "expected"),
    [
        ((FINE, ONE), GOLD, "auto", ("gold", GOLD)),
        ((FINE, ONE), None, "gold", "no finished gold list"),
        ((FINE,), None, "auto", ("only", FINE)),
        ((FINE, ONE, WIDE, SAME), None, "auto", ("vote", ONE)),
        ((FINE, ONE), None, "auto", "no majority"),
        ((FINE, ONE, ODD), None, "vote", "no majority"),
        ((ODD, ODD, ONE), None, "vote", "discarded: ambiguous"),
        ((ODD,), None, "auto", "discarded: ambiguous"),
        ((ONE, FINE), None, "first", ("first", ONE)),
        ((), None, "auto", "nobody has answered"),
        ((FINE,), None, "approved", "not approved by a reviewer"),
    ],
)
def test_rules(readings: tuple[Reading, ...], gold: Reading | None, rule: str, expected: object) -> None:
    assert basis(sentence(*readings, gold=gold), rule) == expected


def test_what_a_reviewer_approved_comes_before_a_vote() -> None:
    approved = Reading("Ada", approved=True)
    assert basis(sentence(ONE, SAME, approved), "auto") == ("approved", approved)


def test_all_keeps_everybody_but_those_who_set_the_text_aside() -> None:
    assert choose(sentence(FINE, ODD, ONE), "all") == [
        SelectedReading(FINE, "all", ("Ada",)),
        SelectedReading(ONE, "all", ("Bea",)),
    ]


def test_of_a_majority_the_reading_nearest_to_the_others_is_taken() -> None:
    # Erroneous tokens: {1}, {0,1,2,3}, {1}. F1 of {1} and the wide one: 2*1/(1+4) = 0.4.
    # Sums with itself: 1 + 0.4 + 1 = 2.4; the wide one 0.4 + 1 + 0.4 = 1.8. Bea comes before Dee.
    assert nearest([WIDE, ONE, SAME]) == ONE


def test_who_agreed_stands_with_the_row() -> None:
    found = choose(sentence(FINE, ONE, SAME), "vote")
    assert isinstance(found, list)
    assert found[0].annotators == ("Bea", "Dee")


def test_every_rule_is_explained() -> None:
    assert set(MEANING) == set(RULES)
