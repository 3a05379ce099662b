"""Signs of careless work, each worked out by hand."""

from __future__ import annotations

import gc
from math import log
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection

from goldmark.campaigns.lifecycle import find_campaign
from goldmark.campaigns.transfer.export import record_of
from goldmark.protocols import parse
from goldmark.protocols.answers import read
from goldmark.quality.answers_given import TimedResponse
from goldmark.quality.evidence import KnownErrors, Signals, signals_of
from goldmark.quality.signals import (
    Comparable,
    MeanSignal,
    SharedWords,
    ShareSignal,
    TimedAnswer,
    choice_of,
    explained,
    explanations,
    is_copied,
    is_off_topic,
    likeness,
    mean_of,
    pace,
    sameness,
)
from goldmark.records.answers import ReadAnswer
from goldmark.records.units import ShownText, ShownUnit
from goldmark.store import open_store
from goldmark.texts.segmentation.text import make_text
from tests.campaigns.house import NAME, House, pair

TEXT = "The Foxes won on Friday night because their guard scored thirty points against a tired defence."


def answers(*closed: str, seconds: float = 30.0) -> list[TimedAnswer]:
    return [TimedAnswer(str(place), seconds, one, ()) for place, one in enumerate(closed)]


def test_a_third_of_the_usual_time_is_too_fast() -> None:
    # Usual 30 s: below 10 s is too fast, so 9 is and 10 is not.
    found = pace([TimedAnswer("u", seconds, "", ()) for seconds in (9.0, 10.0, 40.0)], 30.0)
    assert found.median == 10.0
    assert found.fast == ShareSignal(1, 3)
    assert pace([], 30.0).median is None
    unknown = [TimedAnswer("u", seconds, "", ()) for seconds in (0.0, 40.0, 0.0)]  # brought in from elsewhere
    assert (pace(unknown, 30.0).median, pace(unknown, 30.0).fast.of) == (40.0, 1)
    assert pace(answers("a"), None).fast.value is None


def test_runs_entropy_and_the_commonest_answer() -> None:
    # a a a b: a run of three; entropy of (3/4, 1/4) over log 4 kinds = (0.75 log(4/3) + 0.25 log 4) / log 4.
    found = sameness(answers("a", "a", "a", "b"), kinds=4)
    assert found.longest_run == 3
    assert found.entropy == pytest.approx((0.75 * log(4 / 3) + 0.25 * log(4)) / log(4))
    assert found.commonest == ShareSignal(3, 4)


@given(st.integers(1, 30))
def test_always_the_same_has_no_entropy(n: int) -> None:
    found = sameness(answers(*["agree"] * n), kinds=5)
    assert found.entropy == 0
    assert found.longest_run == found.commonest.found == n


def test_nothing_is_said_of_nothing() -> None:
    assert sameness([], kinds=5) == (0, None, ShareSignal(0, 0))
    assert explanations([], frozenset()).copied.value is None


@pytest.mark.parametrize(
    ("said", "copied"),
    [
        ("their guard scored thirty points against a tired defence", True),
        ("THEIR guard scored thirty points, against a tired defence!!", True),
        ("I think so: their guard scored thirty points", False),  # five of eight words
        ("scored thirty points", False),  # too short to be more than a quotation
        ("nobody who follows the sport would put it in this way", False),
    ],
)
def test_an_explanation_is_copied_if_most_of_it_stands_in_the_text(said: str, copied: bool) -> None:
    assert is_copied(said, TEXT) is copied


def test_off_topic_shares_no_longer_word_with_the_text_or_with_others() -> None:
    said = SharedWords([("Bo", "the grammar is odd"), ("Cleo", "odd grammar"), ("Ada", "pizza"), ("Ada", "grammar")])
    others = said.known_to_others("Ada")
    assert said.known_to_others("Bo") == {"grammar"}
    assert said.known_to_others("nobody") == {"grammar"}
    assert others == {"grammar"}, "said by two people other than Ada; shorter words tell nothing"
    assert is_off_topic("lovely weather", TEXT, others)
    assert not is_off_topic("strange grammar", TEXT, others)
    assert not is_off_topic("what about Friday", TEXT, others)
    assert not is_off_topic("ok", TEXT, others), "too short to be about anything"


def test_explanations_are_counted_by_what_is_wrong_with_them() -> None:
    given = [
        TimedAnswer("1", 9, "", ("good text",), TEXT),
        TimedAnswer("2", 9, "", ("good text",), TEXT),
        TimedAnswer("3", 9, "", ("because their guard scored thirty points against a tired defence",), TEXT),
        TimedAnswer("4", 9, "", ("", "  "), TEXT),
    ]
    found = explanations(given, frozenset())
    assert found == (3, ShareSignal(1, 3), ShareSignal(2, 3), ShareSignal(2, 3), ShareSignal(2, 3))


PROTOCOL = parse("""
protocol: signs/1
title: Signs
steps:
  - questions:
      - {id: verdict, kind: choice, options: [good, bad]}
      - {id: many, kind: choices, options: [a, b, c]}
      - id: errors
        kind: spans
        attributes: [{id: note, kind: text}, {id: comment, kind: text}]
        explains: note
      - {id: why, kind: text}
""")


def said(**answers: Any) -> ReadAnswer:
    return read(PROTOCOL, answers, ShownUnit({"text": ShownText(make_text("t", TEXT))}))


def alike(mine: ReadAnswer, theirs: ReadAnswer) -> float | None:
    return likeness(Comparable.of(mine), Comparable.of(theirs))


def test_closed_answers_are_alike_or_not_and_marks_by_their_tokens() -> None:
    mine = said(verdict="bad", errors=[{"start": 0, "end": 2}], why="x")
    theirs = said(verdict="bad", errors=[{"start": 1, "end": 3}], why="y")
    # Tokens {0, 1} and {1, 2}: F1 = 2 * 1 / 4; the verdicts are equal; explanations are not compared.
    assert alike(mine, theirs) == pytest.approx((1 + 0.5) / 2)
    assert alike(said(errors=[]), said(errors=[])) == 1.0
    assert alike(said(many=["a", "b"]), said(many=["b", "a"])) == 1.0
    assert alike(said(why="x"), said(why="x")) is None
    assert mean_of([0.75, 1.0]) == MeanSignal((0.75 + 1) / 2, 2)
    assert mean_of([]) == MeanSignal(None, 0)


def test_what_counts_as_a_choice_and_as_an_explanation() -> None:
    marks = [{"start": 0, "end": 1, "note": "no", "comment": "seen"}]
    answer = said(verdict="bad", many=["b", "a"], errors=marks, why="so")
    assert choice_of(answer) == "verdict=bad;many=a+b;errors=1 marks"
    assert explained(answer) == ("so", "no")


def test_who_always_takes_the_first_text_gives_one_answer_to_everything(sqlite_database: str) -> None:
    """Stored, their choices are of both roles, since the order is drawn; the sign looks at what they saw."""
    store = open_store(sqlite_database)
    house = House.build(store, [pair(f"u{number}") for number in range(8)], "pairwise")
    following = house.next(token := house.person("Ada"))
    while following.task is not None:
        _, following = house.submit(token, following.task, {"preferred": "a"})
    assert {one.answers["preferred"] for one in record_of(store, NAME).responses} == {"a", "b"}

    def look(connection: Connection) -> Signals:
        row = find_campaign(connection, NAME)
        (found,) = signals_of(connection, row, house.work.content).signals.values()
        return found

    assert store.read(look).sameness.commonest == ShareSignal(8, 8)
    store.close()


def test_no_more_answers_are_held_than_one_text_has(sqlite_database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many there are: before, every answer of the campaign was in memory at once."""
    store = open_store(sqlite_database)
    house = House.build(store, [pair(f"u{number}") for number in range(12)], "pairwise", labels_per_unit=2)
    for name in ("Ada", "Bo"):
        following = house.next(token := house.person(name))
        while following.task is not None:
            _, following = house.submit(token, following.task, {"preferred": "a"})
    held: list[int] = []
    adds = KnownErrors.add

    def add(self: KnownErrors, one: TimedResponse) -> None:
        gc.collect()
        held.append(sum(isinstance(thing, TimedResponse) for thing in gc.get_objects()))
        adds(self, one)

    monkeypatch.setattr(KnownErrors, "add", add)
    found = store.read(lambda open_: signals_of(open_, find_campaign(open_, NAME), house.work.content))
    assert list(found.answers.values()) == [12, 12]
    assert len(held) == 24
    assert max(held) <= 4  # two of a text, and those of the text before, which are on their way out
    store.close()
