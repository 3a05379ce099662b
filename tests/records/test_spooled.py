"""Records that wait in a file are the records that were put there, in their order, each under its key."""

from __future__ import annotations

import pickle

import pytest

from goldmark.records.spans import Span
from goldmark.records.spooled.records import Spooled
from goldmark.records.spooled.units import CannotBeKept, PackedUnit, SpooledUnits
from goldmark.records.units import ContextText, GivenMark, ShownText, ShownUnit, Suggested, Unit
from goldmark.texts.segmentation.text import make_text

TEXT = "The Foxes won.\n\nThey were “glad” of it."


def unit(name: str, **hidden: object) -> Unit:
    shown = ShownText(
        make_text(name, TEXT),
        prompt=Span(0, 2),
        given=(GivenMark(1, 2, "NAME"),),
        language="en",
        suggested=(Suggested("s1", 2, 3, "WORD", {"comment": "line\nbreak"}),),
    )
    return Unit(name, ShownUnit({"text": shown}, (ContextText("Source", "a\nb"),)), hidden)


def test_what_was_put_in_comes_out_in_its_order() -> None:
    found = Spooled([("b", {"x": 1}), ("a", {"x": [2]})])
    assert found.add("c", {"x": (3,)})
    assert not found.add("a", {"x": 9})
    assert list(found) == [{"x": 1}, {"x": [2]}, {"x": (3,)}]
    assert (len(found), found[0], found[-1], found[1:]) == (3, {"x": 1}, {"x": (3,)}, ({"x": [2]}, {"x": (3,)}))
    assert list(found.by_key()) == [{"x": [2]}, {"x": 1}, {"x": (3,)}]
    assert list(found.keys()) == ["b", "a", "c"]
    assert (found.knows("a"), found.named("a"), found.named("z")) == (True, {"x": [2]}, None)
    found.replace("a", {"x": 0})
    assert found[1] == {"x": 0}
    with pytest.raises(IndexError):
        found[3]


def test_nothing_is_lost_because_it_is_called_like_another() -> None:
    with pytest.raises(ValueError, match="'a'"):
        SpooledUnits([unit("a"), unit("b"), unit("a")])


def test_it_is_equal_to_what_holds_the_same() -> None:
    found = Spooled([("a", 1), ("b", 2)])
    assert found == (1, 2)
    assert (1, 2) == found  # noqa: SIM300 (a tuple asks it as well)
    assert found != (2, 1)
    assert found != (1,)
    assert pickle.loads(pickle.dumps(found)) == (1, 2)


def test_more_than_its_memory_holds_waits_in_a_file() -> None:
    found = Spooled((str(number), bytes([number % 256]) * 100_000) for number in range(200))
    assert [one[0] for one in found] == [number % 256 for number in range(200)]


def test_units_come_back_whole_and_in_the_order_of_a_rank() -> None:
    units = [unit("a", system="s1", facts={"n": [1, None, 0.1]}), unit("b\u2028", item="i")]
    found = SpooledUnits(units)
    assert found == units
    assert SpooledUnits.of(found) is found
    ranked = found.all_packed(lambda name: {"a": b"\xff", "b\u2028": b"\x00"}[name])
    assert [one.id for one in ranked] == ["b\u2028", "a"]
    packed = found.one_packed("a")
    assert isinstance(packed, PackedUnit)
    assert packed.hidden == units[0].hidden
    assert packed.unit() == units[0]


@pytest.mark.parametrize("fact", [2**70, [[]]])
def test_what_no_database_keeps_is_refused(fact: object) -> None:
    if fact == [[]]:
        for _ in range(300):
            fact = [fact]
    with pytest.raises(CannotBeKept, match="'a'"):
        SpooledUnits([unit("a", fact=fact)])
