"""Of which references a round's test questions are made, and what is missing where none can be."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from math import ceil

from goldmark.campaigns.definition.settings import TestQuestions
from goldmark.campaigns.definition.units.unit_order import rank
from goldmark.campaigns.test_questions.gold_pairs import GoldItem, ShownPair, gold_pairs, plain
from goldmark.campaigns.test_questions.test_units import lacking
from goldmark.errors import Conflict

MOST_TESTS = 200  # of each sign; nobody is asked more
FEWEST = 2  # of each sign that is wanted


class NoTestQuestions(Conflict):
    code = "ROUND-07"
    message = "{what}; {remedy}, and create the board anew"


def pairs_of_round(
    judged: Sequence[GoldItem],
    spare: Sequence[GoldItem],
    rates: TestQuestions,
    *,
    gold: bool,
    outputs: Collection[str] = (),
    most: int = MOST_TESTS,
) -> list[ShownPair]:
    """Pairs of items to spare and references, or of those that people judge where all are judged; `most` of each sign.

    Where the items to spare do not do for a single negative question, references of judged items are borrowed: none
    that the gold row shows (`gold`), and rather none that is also a system's output.
    """
    if not any(one.outputs for one in spare):
        return gold_pairs(judged, rates, most=most)
    return gold_pairs(spare, rates, most=most, borrowed=_lenders(judged, rates, gold, set(map(plain, outputs))))


def wanted_of_round(rates: TestQuestions, units: int) -> tuple[int, int]:
    """How many positive and negative test questions a round of so many units has.

    As many as somebody is asked who judges every unit: then each comes to as many people as a unit does, and nobody
    knows one by how often it came.
    """
    work = max(0.1, 1 - rates.positive - rates.negative)

    def wanted(rate: float) -> int:
        return min(MOST_TESTS, max(FEWEST, ceil(units * rate / work))) if rate else 0

    return wanted(rates.positive), wanted(rates.negative)


def turn_of(spare: Sequence[GoldItem], rates: TestQuestions, *, number: int, units: int) -> list[GoldItem]:
    """The items to spare whose turn it is in this round: one for each test question that it has.

    Outputs are new in every round. A text that comes again in a later one could only be a test question, so items take
    turns, and come again when all have had theirs.
    """
    ordered = sorted(spare, key=lambda one: rank(rates.seed, "turn", one.item))
    block = sum(wanted_of_round(rates, units))
    if block >= len(ordered):
        return ordered
    start = (number - 1) * block % len(ordered)
    return (ordered[start:] + ordered[:start])[:block]


def _lenders(judged: Sequence[GoldItem], rates: TestQuestions, gold: bool, outputs: set[str]) -> list[GoldItem]:
    # Where the first reference is shown beside outputs (`lends` is another), the gold row shows the last.
    in_row = {plain(one.outputs[-1 if one.lends else 0]) for one in judged if one.outputs} if gold else set()

    def lends(one: GoldItem) -> int | None:
        beside = {plain(one.outputs[0])} if one.lends else set()
        free = [place for place, words in enumerate(map(plain, one.outputs)) if words not in in_row | beside]
        return min(free, key=lambda place: (plain(one.outputs[place]) in outputs, place), default=None)

    def later(one: GoldItem) -> tuple[bool, bytes]:
        is_output = one.lends is not None and plain(one.outputs[one.lends]) in outputs
        return is_output, rank(rates.seed, "borrowed", one.item)

    return sorted((one._replace(lends=lends(one)) for one in judged), key=later)


def shortages(
    rates: TestQuestions, pairs: Sequence[ShownPair], *, spare: bool, gold: bool
) -> Iterator[tuple[str, str]]:
    """What is wanted and cannot be had, with the remedy."""
    for sign, rate in lacking(rates, (pair.sign for pair in pairs)):
        what = f"{rate:.0%} {sign} test questions are wanted, and none can be made: "
        if sign == "positive":
            yield what + "no item that could be asked about has a reference that is not shown", "add references"
            continue
        remedies = ["add items with other references and contexts", f"leave out human.test_questions.{sign}"]
        if spare:
            remedies.insert(0, "make subset.size smaller")
            remedies += ["leave out human.gold"] * gold
        reason = "every reference that could be shown is right for every item that could be asked about"
        yield what + reason, ", or ".join(remedies)
