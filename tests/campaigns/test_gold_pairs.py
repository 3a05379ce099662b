"""Whatever the gold outputs are, a negative pair is wrong, a positive one right, and nothing is shown twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldmark.campaigns.definition.settings import TestQuestions
from goldmark.campaigns.test_questions.gold_pairs import GoldItem, ShownPair, gold_pairs, plain

WORDS = st.sampled_from(["yes", "Yes.", " YES ", "no", "No", "two", "２", "2", "three", "four", "Straße", "STRASSE"])
ITEMS = st.lists(st.lists(WORDS, min_size=1, max_size=3), max_size=14).map(lambda lists: items(*lists))
RATES = st.builds(
    TestQuestions,
    positive=st.sampled_from([0.0, 0.02, 0.05, 0.1, 0.2]),
    negative=st.sampled_from([0.0, 0.02, 0.05, 0.1, 0.2]),
    seed=st.integers(0, 5),
)
BOTH = TestQuestions(positive=0.05, negative=0.05)
NEGATIVE = TestQuestions(negative=0.05)


def items(*outputs: Sequence[str], beside: str = "", prefix: str = "i") -> list[GoldItem]:
    return [GoldItem(f"{prefix}{number}", tuple(own), beside) for number, own in enumerate(outputs)]


def written(text: str) -> str:
    """Our own reading of what makes no other text, simpler than the one that is tried."""
    return {"２": "2", "straße": "strasse"}.get(text.strip(" .").lower(), text.strip(" .").lower())


def spoken(pair: ShownPair, known: Sequence[GoldItem]) -> str:
    return written(next(one.outputs[pair.place] for one in known if one.item == pair.of))


def check(pairs: Sequence[ShownPair], asked: Sequence[GoldItem], known: Sequence[GoldItem]) -> Counter[str]:
    right = {one.item: set(map(written, one.outputs)) for one in asked}
    for pair in pairs:
        assert (spoken(pair, known) in right[pair.item]) == (pair.sign == "positive")
        assert pair.sign == "negative" or pair.of == pair.item
    assert len({(pair.of, pair.place) for pair in pairs}) == len(pairs)  # no gold output twice
    assert len({(pair.sign, pair.item) for pair in pairs}) == len(pairs)  # so that ids are unique
    of = {sign: {spoken(pair, known) for pair in pairs if pair.sign == sign} for sign in ("positive", "negative")}
    assert not of["positive"] & of["negative"]
    return Counter(str(pair.sign) for pair in pairs)


@given(ITEMS, RATES, st.none() | st.integers(1, 4))
def test_what_always_holds(given: list[GoldItem], rates: TestQuestions, most: int | None) -> None:
    pairs = gold_pairs(given, rates, most=most)
    found = check(pairs, given, given)
    assert bool(found["positive"]) == bool(rates.positive and given)
    # There is a negative one whenever somebody's first output is wrong for somebody else.
    possible = any(written(one.outputs[0]) not in set(map(written, other.outputs)) for one in given for other in given)
    assert bool(found["negative"]) == bool(rates.negative and possible)
    assert max(found.values(), default=0) <= (len(given) if most is None else most)
    # The same however the items are read.
    assert gold_pairs(given[::-1], rates, most=most) == pairs


@given(ITEMS, RATES, ITEMS)
def test_what_always_holds_of_borrowed_outputs(
    given: list[GoldItem], rates: TestQuestions, others: list[GoldItem]
) -> None:
    borrowed = [one._replace(item=f"o{one.item}") for one in others]
    pairs = gold_pairs(given, rates, borrowed=borrowed)
    check(pairs, given, [*given, *borrowed])
    alone = gold_pairs(given, rates)
    if any(pair.sign == "negative" for pair in alone):
        assert pairs == alone  # nothing is borrowed without need


@given(st.integers(2, 60), st.sampled_from([(0.05, 0.05), (0.1, 0.05), (0.05, 0.1), (0.15, 0.3), (0.3, 0.1)]))
def test_numbers_follow_the_rates(count: int, shares: tuple[float, float]) -> None:
    rates = TestQuestions(positive=shares[0], negative=shares[1])
    given = items(*([f"Output {number}"] for number in range(count)))
    found = check(gold_pairs(given, rates), given, given)
    assert found.total() == count  # every output is used
    # At most one more or less than the proportion, and at least one of each.
    assert abs(found["positive"] - count * shares[0] / sum(shares)) <= 1
    assert min(found.values()) >= 1


@given(st.lists(st.sampled_from("abcdef"), max_size=12))
def test_a_permutation_uses_all_outputs_unless_one_is_more_than_half(words: list[str]) -> None:
    found = gold_pairs(items(*words), NEGATIVE)
    largest = max(Counter(words).values(), default=0)
    # A group that is more than half can only meet the others, and they it.
    assert len(found) == (len(words) if 2 * largest <= len(words) else 2 * (len(words) - largest))


@given(st.sets(st.integers(0, 10_000), min_size=4, max_size=60), st.integers(0, 5))
def test_another_item_moves_few(numbers: set[int], seed: int) -> None:
    rates = TestQuestions(positive=0.05, negative=0.05, seed=seed)
    given = [GoldItem(f"i{number}", (f"Output {number}",)) for number in sorted(numbers)]
    before, after = set(gold_pairs(given[1:], rates)), set(gold_pairs(given, rates))
    # Its neighbour in the cycle gets another output, and one item at the border changes sides with its neighbours.
    assert len(before - after) <= 4


def test_the_seed_decides() -> None:
    given = items(*([f"Output {number}"] for number in range(20)))
    drawn = {tuple(gold_pairs(given, TestQuestions(positive=0.1, negative=0.1, seed=seed))) for seed in range(5)}
    assert len(drawn) == 5


@pytest.mark.parametrize(
    ("one", "other"),
    [("The  cat sat.", "the cat sat."), ("It is 3 .", "It is 3."), ("Ｌｉｍａ", "Lima"), ("ﬁve", "FIVE"), ("İ", "i̇")],
)
def test_ways_of_writing_make_no_other_text(one: str, other: str) -> None:
    assert plain(one) == plain(other)
    assert gold_pairs(items([one], [other]), NEGATIVE) == []


def test_signs_are_texts_too() -> None:
    assert plain("...") != plain("?")
    assert plain("+") != plain("-")


def test_what_is_right_beside_the_same_context_is_never_wrong_there() -> None:
    """The same question twice, with different references: each is right for both."""
    assert gold_pairs(items(["Lima"], ["The city of Lima"], beside="Capital of Peru?"), NEGATIVE) == []
    other = GoldItem("o", ("Paris",), "Capital of France?")
    lent = gold_pairs([*items(["Lima"], ["The city of Lima"], beside="Capital of Peru?"), other], NEGATIVE)
    assert {(pair.item, pair.of) for pair in lent} <= {("i0", "o"), ("i1", "o"), ("o", "i0"), ("o", "i1")}
    assert len(lent) == 2


def test_one_item_borrows() -> None:
    alone = items(["Lima"])
    others = items(["lima"], ["Paris"], ["Rome"], prefix="o")
    found = gold_pairs(alone, BOTH, borrowed=others)
    assert found == [ShownPair("positive", "i0", "i0", 0), ShownPair("negative", "i0", "o1", 0)]
    kept = [one._replace(lends=None) for one in others]
    assert gold_pairs(alone, BOTH, borrowed=kept) == found[:1]


def test_what_is_shown_as_right_is_not_borrowed() -> None:
    """The word two is wrong for the second item, and right in the positive pair of the first."""
    found = gold_pairs(items(["one", "two"], ["one"]), BOTH, borrowed=items(["Two"], prefix="o"))
    assert {(pair.sign, pair.item) for pair in found} == {("positive", "i0"), ("positive", "i1")}


@pytest.mark.parametrize("rates", [BOTH, NEGATIVE])
def test_twenty_thousand_items_with_two_outputs(rates: TestQuestions) -> None:
    """A tenth says no, so a tenth can be shown with other words, and as many of the others with theirs."""
    given = items(*(["yes" if number % 10 else "no"] for number in range(20_000)))
    found = Counter(pair.sign for pair in gold_pairs(given, rates))
    assert found["negative"] == (2_000 if rates.positive else 4_000)
