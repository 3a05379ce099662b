"""Which output is shown with which item in a test question, made of outputs that are known to be right.

A positive pair is an item with a gold output of its own. A negative one is an item with the gold output of another
item, which looks right at a glance and is not: it is none of the item's own gold outputs, and none of an item that
shows the same beside its output. No gold output is in two pairs, so nobody meets the same text again and wonders why,
and no words are right in one pair and wrong in another.

Items are ranked at random. Those at the top show their own output and those at the end lend theirs, so that an item
that is added later moves few of the others.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from goldmark.campaigns.definition.settings import TestQuestions
from goldmark.campaigns.definition.units.unit_order import rank
from goldmark.records.units import Sign


class GoldItem(NamedTuple):
    """An item and every output that is known to be right for it; the last is the one that is shown as right."""

    item: str
    outputs: tuple[str, ...]
    beside: str = ""  # what is shown with an output: whatever is right beside it, is right for all items that show it
    lends: int | None = 0  # the place of the output that other items may be shown with; none: they may not


class ShownPair(NamedTuple):
    """What a test question shows: an item, and the output at a place among those of the same or of another item."""

    sign: Sign
    item: str
    of: str
    place: int


def plain(text: str) -> str:
    """A text as it is compared: case, ways of writing a character, spaces and the last full stop make no other text."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    words = "".join(folded.split())
    return words.rstrip(".!?。") or words


def digest_of(text: str) -> bytes:
    """By which texts that are the same as they are compared are known, where there are too many to keep."""
    return hashlib.blake2b(plain(text).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def shown_beside(context: Sequence[Mapping[str, Any]]) -> str:
    """What an item's context says, to tell items by it; empty if it has none."""
    return json.dumps(context, sort_keys=True) if context else ""


def gold_pairs(
    items: Iterable[GoldItem], rates: TestQuestions, *, most: int | None = None, borrowed: Iterable[GoldItem] = ()
) -> list[ShownPair]:
    """Positive and negative pairs in the proportion of their rates, as far as the outputs allow; `most` of each sign.

    If no negative pair can be made of the items alone, outputs are borrowed from others, in their order, about which
    nothing is asked. Where a sign is wanted and no such pair can be made, there is none: see `test_units.lacking`.
    """
    given = sorted((one for one in items if one.outputs), key=lambda one: rank(rates.seed, "test question", one.item))
    known = _compared([*given, *borrowed])
    ordered, others = known[: len(given)], known[len(given) :]
    limit = len(ordered) if most is None else most
    showing, lending = _shared_out(ordered, rates, limit)
    busy = {one.name for one in (*showing, *lending)}
    unused = [one for one in ordered if one.name not in busy]
    negative = _lent(lending, [*unused, *showing])
    if rates.negative and not negative:
        said = {one.own for one in showing}
        negative = _placed([one for one in others if one.lent and one.lent not in said], ordered, [])[:limit]
    return [
        *(ShownPair("positive", one.name, one.name, len(one.gold.outputs) - 1) for one in showing),
        *(ShownPair("negative", one.name, lender.name, lender.gold.lends or 0) for one, lender in negative),
    ]


class _Known(NamedTuple):
    """An item with its outputs as they are compared."""

    gold: GoldItem
    own: str  # what it shows as right
    lent: str  # what other items are shown with; empty: nothing
    right: frozenset[str]  # all that is right for it

    @property
    def name(self) -> str:
        return self.gold.item

    def can_be_asked_with(self, lender: _Known) -> bool:
        return lender.lent not in self.right


Lent = tuple[_Known, _Known]  # an item, and whose output it is shown with


def _compared(items: Sequence[GoldItem]) -> list[_Known]:
    """Right for an item are its own outputs, and those of items that show the same beside theirs."""
    words = [tuple(map(plain, one.outputs)) for one in items]
    shown_as = [("beside", one.beside) if one.beside else ("item", one.item) for one in items]
    right: dict[tuple[str, str], set[str]] = defaultdict(set)
    for key, outputs in zip(shown_as, words, strict=True):
        right[key].update(outputs)
    frozen = {key: frozenset(outputs) for key, outputs in right.items()}
    return [
        _Known(
            one,
            own=outputs[-1] if outputs else "",
            lent=outputs[one.lends] if outputs and one.lends is not None else "",
            right=frozen[key],
        )
        for one, outputs, key in zip(items, words, shown_as, strict=True)
    ]


def _shared_out(ordered: Sequence[_Known], rates: TestQuestions, most: int) -> tuple[list[_Known], list[_Known]]:
    """The items that show their own output, and those that lend theirs to another; no words are in both.

    One that lends is set aside first, so that outputs that repeat cannot use up what a negative pair needs.
    """
    right_for: Counter[str] = Counter()
    for words, items in Counter(one.right for one in ordered).items():  # shared sets once, however many share them
        right_for.update(dict.fromkeys(words, items))
    lenders = [one for one in reversed(ordered) if one.lent and right_for[one.lent] < len(ordered)]
    if not rates.negative or not lenders:
        return (list(ordered[:most]) if rates.positive else []), []
    showing: list[_Known] = []
    lending, taken = lenders[:1], {lenders[0].name}
    right, wrong = set[str](), {lenders[0].lent}
    # Words are only ever added, so what is passed over stays so, and the items are gone over once from each end.
    from_top = (one for one in ordered if one.name not in taken and one.own not in wrong)
    from_end = (one for one in lenders if one.name not in taken and one.lent not in right)

    def show_another() -> bool:
        one = next(from_top, None) if rates.positive and len(showing) < most else None
        if one is not None:
            showing.append(one)
            taken.add(one.name)
            right.add(one.own)
        return one is not None

    def lend_another() -> bool:
        one = next(from_end, None) if len(lending) < most else None
        if one is not None:
            lending.append(one)
            taken.add(one.name)
            wrong.add(one.lent)
        return one is not None

    def positive_is_due() -> bool:
        return round(len(showing) * rates.negative, 9) <= round(len(lending) * rates.positive, 9)

    while (show_another() or lend_another()) if positive_is_due() else (lend_another() or show_another()):
        pass
    return showing, lending


def _lent(lenders: Sequence[_Known], others: Sequence[_Known]) -> list[Lent]:
    """Every lender's output with an item for which it is wrong: one cyclic permutation of the lenders, if there is one.

    Lenders of the same words stand together in the cycle, which is turned by the size of the largest such group; that
    parts all of them unless one group is more than half. What is left over goes to `others`.
    """
    groups: dict[str, list[_Known]] = {}
    for one in lenders:
        groups.setdefault(one.lent, []).append(one)
    cycle = [one for group in groups.values() for one in group]
    turn = max((len(group) for group in groups.values()), default=0)
    turned = [(one, cycle[(place + turn) % len(cycle)]) for place, one in enumerate(cycle)]
    pairs = [(one, lender) for one, lender in turned if one.can_be_asked_with(lender)]
    left = [(one, lender) for one, lender in turned if not one.can_be_asked_with(lender)]
    return _placed([lender for _, lender in left], [*others, *(one for one, _ in left)], pairs)


def _placed(lenders: Iterable[_Known], free: Iterable[_Known], pairs: Iterable[Lent]) -> list[Lent]:
    """The pairs, and further ones of lenders and free items; a lender may give up its item if it finds another."""
    free, pairs = list(free), list(pairs)
    hopeless: set[str] = set()

    def take(lender: _Known) -> _Known | None:
        place = next((place for place, one in enumerate(free) if one.can_be_asked_with(lender)), None)
        return None if place is None else free.pop(place)

    def take_over(lender: _Known) -> bool:
        tried: set[str] = set()
        for place, (one, before) in enumerate(pairs):
            if before.lent in tried or not one.can_be_asked_with(lender):
                continue
            tried.add(before.lent)
            if (elsewhere := take(before)) is not None:
                pairs[place] = (one, lender)
                pairs.append((elsewhere, before))
                return True
        return False

    for lender in lenders:
        if not free:
            break
        if lender.lent in hopeless:
            continue
        if (one := take(lender)) is not None:
            pairs.append((one, lender))
        elif not take_over(lender):
            hopeless.add(lender.lent)
    return pairs
