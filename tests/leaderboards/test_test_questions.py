"""Test questions of a round: no item's right answer is ever called wrong, whatever the references are."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from goldmark.campaigns.definition.settings import TestQuestions
from goldmark.campaigns.test_questions.gold_pairs import GoldItem
from goldmark.campaigns.transfer.export import record_of
from goldmark.errors import ProblemsFound
from goldmark.leaderboards.definition.boards import create_board, find_board, history
from goldmark.leaderboards.definition.file import BoardPlan, read_board
from goldmark.leaderboards.definition.items import DatasetInput
from goldmark.leaderboards.definition.settings import BoardSettings, Data
from goldmark.leaderboards.human.open_round import open_round
from goldmark.leaderboards.human.scheduling.scheduler import tick
from goldmark.leaderboards.human.test_questions import (
    MOST_TESTS,
    NoTestQuestions,
    pairs_of_round,
    turn_of,
    wanted_of_round,
)
from goldmark.protocols import load
from goldmark.records.units import Unit, sign_of
from goldmark.store import Store
from tests.leaderboards.ground import NAME, NOW, make_board, send, write_board

RATES = {"positive": 0.1, "negative": 0.1}


def rows(*references: Sequence[str]) -> list[dict[str, Any]]:
    """An item for each list of references, with a question of its own."""
    return [
        {"id": f"q{number}", "context": {"Question": f"Question {number}?"}, "references": list(right)}
        for number, right in enumerate(references)
    ]


def plan(subset: int | None = None, **human: Any) -> dict[str, Any]:
    keys: dict[str, Any] = {"human": {"start": "automatic", "test_questions": RATES, **human}}
    return keys if subset is None else {**keys, "subset": {"size": subset, "seed": 0}}


def opened(store: Store, folder: Path, items: list[dict[str, Any]], **keys: Any) -> list[Unit]:
    """The test questions of a board's first round."""
    make_board(store, folder, items, **keys)
    outputs = [json.dumps({"id": one["id"], "output": f"System says {one['id']}."}) for one in items]
    send(store, "System", "\n".join(outputs).encode())
    assert [one.what for one in tick(store, NOW)] == ["opened"]
    return [unit for unit in record_of(store, "questions-round-1").units if sign_of(unit.hidden)]


def text_of(unit: Unit) -> str:
    return unit.shown.texts["text"].text.characters


def asked_about(unit: Unit) -> str:
    """The item by the question that people see, not by what the unit says of itself."""
    return "q" + unit.shown.context[0].text.removeprefix("Question ").removesuffix("?")  # type: ignore[union-attr]


def same(one: str, other: str) -> bool:
    return "".join(one.casefold().split()) == "".join(other.casefold().split())


def check(tests: list[Unit], items: list[dict[str, Any]]) -> Counter[str]:
    """What holds of any test questions; returns how many there are of each sign."""
    right = {one["id"]: one["references"] for one in items}
    for unit in tests:
        own = any(same(text_of(unit), words) for words in right[asked_about(unit)])
        assert own == (unit.hidden["test"] == "positive"), (unit.id, text_of(unit))
    signs: dict[str, set[str]] = {"positive": set(), "negative": set()}
    for unit in tests:
        signs[str(unit.hidden["test"])].add("".join(text_of(unit).casefold().split()))
    assert not signs["positive"] & signs["negative"]
    return Counter(str(unit.hidden["test"]) for unit in tests)


def test_references_that_repeat_are_not_called_wrong(store: Store, tmp_path: Path) -> None:
    items = rows(*([["Yes."]] * 10 + [["YES ."]] * 5 + [["No."]] * 5))
    often = {"positive": 0.2, "negative": 0.2}
    assert min(check(opened(store, tmp_path, items, **plan(test_questions=often)), items).values()) >= 5


def test_no_reference_of_an_item_is_called_wrong(sqlite: Store, tmp_path: Path) -> None:
    # Every item's second reference is another item's first one, in either direction.
    items = rows(*([f"Answer {n}.", f"Answer {(n + step) % 12}."] for step in (1, 11) for n in range(12)))
    counted = check(opened(sqlite, tmp_path, items, **plan()), items)
    assert min(counted.values()) >= 3


@pytest.mark.parametrize("spare", [1, 2, 3])
def test_few_items_to_spare(sqlite: Store, tmp_path: Path, spare: int) -> None:
    items = rows(*([f"It is {n}."] for n in range(10)))
    tests = opened(sqlite, tmp_path, items, **plan(10 - spare))
    counted = check(tests, items)
    assert counted["positive"] >= 1
    assert counted["negative"] >= 1
    judged = {str(unit.hidden["item"]) for unit in judged_units(sqlite)}
    assert not {asked_about(unit) for unit in tests} & judged
    # What is not asked about lends its reference only if there is no other way.
    assert {str(unit.hidden["gold_of"]) in judged for unit in tests if unit.hidden["test"] == "negative"} == {
        spare == 1
    }


def judged_units(store: Store) -> list[Unit]:
    return [unit for unit in record_of(store, "questions-round-1").units if not sign_of(unit.hidden)]


def test_nothing_that_is_judged_is_borrowed(sqlite: Store, tmp_path: Path) -> None:
    """The gold row shows the first references of the judged items, so only their others may be lent."""
    items = rows(*([f"It is {n}.", f"I say {n}."] for n in range(10)))
    tests = opened(sqlite, tmp_path, items, **plan(9, gold=True))
    assert check(tests, items) == {"positive": 1, "negative": 1}
    judged = {text_of(unit) for unit in judged_units(sqlite)}
    assert sum(words.startswith("It is") for words in judged) == 9
    assert not judged & {text_of(unit) for unit in tests}


def test_a_test_question_of_a_board(sqlite: Store, tmp_path: Path) -> None:
    items = rows(*([f"It is {n}.", f"I say {n}."] for n in range(8)))
    data = {"items": "items.jsonl", "shown_reference": "Reference"}
    tests = {unit.id: unit for unit in opened(sqlite, tmp_path, items, data=data, **plan(4))}
    assert len(tests) == 4
    for name, unit in tests.items():
        item, of = str(unit.hidden["item"]), str(unit.hidden["gold_of"])
        sign = str(unit.hidden["test"])
        assert name == f"{item} / test {'+' if sign == 'positive' else '-'}"
        assert asked_about(unit) == item
        assert unit.shown.context[-1].text == f"It is {item[1:]}."  # type: ignore[union-attr]
        assert text_of(unit) == (f"I say {item[1:]}." if sign == "positive" else f"I say {of[1:]}.")
        # The middle of strongly disagree (0) and strongly agree (1), for the only axis of rating-qa.
        assert unit.hidden["expected"] == {"correct": {"at_least": 0.5} if sign == "positive" else {"below": 0.5}}


def test_no_test_question_shows_a_text_that_stands_beside_any_output(sqlite: Store, tmp_path: Path) -> None:
    """The attack: an output that equals the reference beside it, or beside any other output, is a test question."""
    items = [
        {**one, "paraphrase": f"The sum is {n}."} for n, one in enumerate(rows(*([f"It is {n}."] for n in range(20))))
    ]
    data = {"items": "items.jsonl", "shown_reference": "Reference"}
    tests = opened(sqlite, tmp_path, items, data=data, **plan(8, test_questions={"positive": 0.25, "negative": 0.25}))
    beside = {unit.shown.context[-1].text for unit in (*tests, *judged_units(sqlite))}  # type: ignore[union-attr]
    assert len(tests) == 8
    assert not beside & {text_of(unit) for unit in tests}


def test_shown_references_alone_make_no_test_question(sqlite: Store, tmp_path: Path) -> None:
    data = {"items": "items.jsonl", "shown_reference": "Reference"}
    found = read_board(write_board(tmp_path, rows(["It is 1."], ["It is 2."]), data=data, **plan()))
    [words] = found.warnings()  # files of older versions are read, and told
    assert "give items a second reference or a paraphrase" in words
    create_board(sqlite, found, author="test")
    lines = [json.dumps({"id": item.name, "output": "Well."}) for item in found.items]
    send(sqlite, "System", "\n".join(lines).encode())
    [waits] = tick(sqlite, NOW)
    assert (waits.what, "has a reference that is not shown" in waits.why) == ("waits", True)


def test_most_of_each_sign_and_the_same_again() -> None:
    rates = TestQuestions(positive=0.05, negative=0.05)
    spare = [GoldItem(f"q{n}", (f"It is {n}.",)) for n in range(1_000)]
    pairs = pairs_of_round([], spare, rates, gold=False)
    assert Counter(pair.sign for pair in pairs) == {"positive": MOST_TESTS, "negative": MOST_TESTS}
    assert pairs == pairs_of_round([], spare[::-1], rates, gold=False)


CANNOT = "10% negative test questions are wanted, and none can be made"


@pytest.mark.parametrize(
    ("references", "keys", "remedy"),
    [
        ([["Yes."]], plan(), "add items"),
        ([["Yes."], ["yes"], ["YES ."]], plan(), "add items"),
        ([["Yes."], ["yes"], ["YES ."]], plan(1), "make subset.size smaller"),
        # One to spare, and every other reference is shown in the gold row.
        ([[f"It is {n}."] for n in range(5)], plan(4, gold=True), "leave out human.gold"),
    ],
)
def test_rates_that_cannot_be_met_are_told_with_the_file(
    tmp_path: Path, references: list[list[str]], keys: dict[str, Any], remedy: str
) -> None:
    with pytest.raises(ProblemsFound) as found:
        read_board(write_board(tmp_path, rows(*references), **keys))
    [problem] = found.value.problems
    assert problem.part == "human.test_questions"
    assert CANNOT in problem.what
    assert remedy in problem.remedy


def test_a_round_without_the_test_questions_it_should_have_says_so_and_waits(sqlite: Store) -> None:
    """A board that was created before its file was checked for it."""
    some = tuple(DatasetInput(f"q{n}", (), ("Yes.",), "", {}) for n in range(3))
    settings = BoardSettings.model_validate(plan())
    create_board(sqlite, BoardPlan(NAME, NAME, load("rating-qa"), settings, Data(items="x"), some, ""), author="test")
    send(sqlite, "System", b"\n".join(json.dumps({"id": one.name, "output": "So."}).encode() for one in some))
    [happened] = tick(sqlite, NOW)
    assert (happened.what, happened.why.startswith(CANNOT)) == ("waits", True)
    assert "create the board anew" in happened.why
    with pytest.raises(NoTestQuestions, match="10% negative"):
        open_round(sqlite, NAME, 1, who="manager", now=NOW)
    told = sqlite.read(lambda connection: history(connection, find_board(connection, NAME)))
    assert (told[0].kind, told[0].reason) == ("round waits", happened.why)


def test_test_questions_take_turns_from_round_to_round() -> None:
    """Outputs are new in every round: a text that came before could only be a test question."""
    rates = TestQuestions(positive=0.1, negative=0.1)
    spare = [GoldItem(f"q{number}", (f"answer {number}",)) for number in range(104)]
    # 100 units at one in eight, of each sign: as many as somebody is asked who judges all of them.
    assert wanted_of_round(rates, 100) == (13, 13)
    turns = [{one.item for one in turn_of(spare, rates, number=number, units=100)} for number in (1, 2, 3, 4, 5)]
    assert [len(one) for one in turns] == [26] * 5
    assert set().union(*turns[:4]) == {one.item for one in spare}, "nobody meets one again before all had their turn"
    assert turns[4] == turns[0]
    assert len(turn_of(spare[:20], rates, number=3, units=100)) == 20, "where there are few, all are asked"
    assert wanted_of_round(TestQuestions(positive=0.2), 4) == (2, 0), (
        "few units have two, and none of a sign not wanted"
    )
