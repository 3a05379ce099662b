"""Test questions are made of gold outputs: none keeps its own, none is shown twice, and all look like any unit."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from goldmark.campaigns.definition.file import CampaignPlan, read_campaign
from goldmark.campaigns.definition.settings import Subset, TestQuestions
from goldmark.campaigns.definition.units.unit_intake import checked_tests
from goldmark.campaigns.test_questions.expected_answers import usual_answers
from goldmark.campaigns.test_questions.test_units import GoldOutput, made_of_gold
from goldmark.errors import ProblemsFound
from goldmark.protocols import load
from goldmark.records.units import ShownText, ShownUnit, Unit, sign_of
from goldmark.texts.introduced_errors.domain import read_domain
from goldmark.texts.introduced_errors.rows import introduce_in_rows
from goldmark.texts.readers.rows import SegmentationRules
from goldmark.texts.segmentation.text import make_text
from tests.campaigns.plans import choose


def gold(item: str, words: str) -> GoldOutput:
    shown = ShownText(make_text(item, words))
    return GoldOutput(item, (), shown)


def test_no_gold_output_is_used_twice_and_the_rates_set_the_proportion() -> None:
    golds = [gold(f"i{number}", f"Output number {number} .") for number in range(30)]
    made = made_of_gold(golds, TestQuestions(positive=0.1, negative=0.05))
    assert Counter(sign_of(one.hidden) for one in made) == {"positive": 20, "negative": 10}
    assert len({one.shown.texts["text"].text.characters for one in made}) == 30
    for one in made:
        assert (one.hidden["item"] == one.hidden["gold_of"]) == (one.hidden["test"] == "positive")


def test_two_gold_outputs_are_enough_for_both_signs() -> None:
    made = made_of_gold([gold("a", "One ."), gold("b", "Two .")], TestQuestions(positive=0.4, negative=0.02))
    assert Counter(sign_of(one.hidden) for one in made) == {"positive": 1, "negative": 1}


def test_what_is_right_where_nobody_says_so() -> None:
    good, bad = ({"test": sign} for sign in ("positive", "negative"))
    unit = Unit("i", ShownUnit({"text": gold("i", "Some words .").output}))
    cases: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
        ("rating-qa", good, {"correct": {"at_least": 0.5}}),
        ("rating-qa", bad, {"correct": {"below": 0.5}}),
        ("rating-summary", bad, {"overall": {"below": 0.5}}),  # the others may be fine in another item's summary
        ("humanlike", bad, {}),  # its numbers are no ratings from 0 to 1
        ("accuracy", good, {}),
        ("accuracy", {"introduced": [{"start": 1, "end": 2}]}, {"mistakes": {"includes": [{"start": 1, "end": 2}]}}),
    ]
    for protocol, hidden, expected in cases:
        found = usual_answers(load(protocol), Unit(unit.id, unit.shown, hidden))
        assert {key: {name: value[name] for name in expected[key]} for key, value in found.items()} == expected


def write(folder: Path, rows: list[dict[str, Any]], tests: str, *, protocol: str = "rating-qa") -> Path:
    (folder / "texts.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    path = folder / "campaign.yaml"
    path.write_text(f"campaign: c\nprotocol: {protocol}\ntexts: texts.jsonl\ntest_questions:\n{tests}")
    return path


def rows(items: int, systems: int = 2) -> list[dict[str, Any]]:
    return [
        {
            "id": f"s{system}-{item}",
            "item": f"q{item}",
            "system": f"s{system}",
            "text": f"System {system} says {item} .",
            "context": {"Question": f"What is {item} ?"},
            "reference": f"It is {item} .",
        }
        for item in range(items)
        for system in range(systems)
    ]


def read(folder: Path, given_rows: list[dict[str, Any]], tests: str, **more: str) -> CampaignPlan:
    return read_campaign(write(folder, given_rows, tests, **more))


def questions_in(plan: CampaignPlan) -> list[Unit]:
    return [unit for unit in plan.units if sign_of(unit.hidden)]


def test_a_campaign_file_names_the_column_of_gold_outputs(tmp_path: Path) -> None:
    plan = read(tmp_path, rows(20), "  positive: 0.05\n  negative: 0.05\n  gold: reference\n")
    made = questions_in(plan)
    assert len(plan.units) == 40 + 20
    assert Counter(sign_of(unit.hidden) for unit in made) == {"positive": 10, "negative": 10}
    assert plan.settings.test_questions == TestQuestions(positive=0.05, negative=0.05)
    questions = {f"q{item}": f"What is {item} ?" for item in range(20)}
    for unit in made:
        item, of = str(unit.hidden["item"]), str(unit.hidden["gold_of"])
        assert unit.shown.context[0].text == questions[item]  # type: ignore[union-attr]
        assert unit.shown.texts["text"].text.characters == f"It is {of[1:]} ."
        assert unit.hidden["expected"] == {
            "correct": {"at_least": 0.5} if unit.hidden["test"] == "positive" else {"below": 0.5}
        }


def test_test_questions_stay_when_a_subset_is_chosen(tmp_path: Path) -> None:
    plan = read(tmp_path, rows(20), "  positive: 0.05\n  gold: reference\n")
    chosen = choose(plan.units, Subset(size=3))
    assert Counter(sign_of(unit.hidden) for unit in chosen) == {None: 6, "positive": 20}


def test_gold_outputs_come_from_a_file_as_well(tmp_path: Path) -> None:
    golds = [{"id": f"g{item}", "item": f"q{item}", "text": f"Gold {item} ."} for item in range(10)]
    (tmp_path / "gold.jsonl").write_text("\n".join(map(json.dumps, golds)))
    plan = read(tmp_path, rows(10), "  positive: 0.1\n  negative: 0.1\n  texts: gold.jsonl\n")
    for unit in questions_in(plan):
        assert unit.shown.texts["text"].text.characters.startswith("Gold ")
        assert unit.shown.context[0].title == "Question"  # from the campaign's own unit of that item


def test_an_item_may_have_several_gold_outputs(tmp_path: Path) -> None:
    """In the column of one system's row and another's, and in a file: none of them is wrong, and ids stay apart."""
    texts = rows(6)
    for row in texts:
        item = int(row["item"].removeprefix("q"))
        row["reference"] = f"It is {item if row['system'] == 's0' else (item + 1) % 6} ."
    golds = [{"id": f"g{item}", "item": f"q{item}", "text": f"It is {(item + 2) % 6} ."} for item in range(6)]
    (tmp_path / "gold.jsonl").write_text("\n".join(map(json.dumps, golds)))
    sources = "  positive: 0.1\n  negative: 0.1\n  gold: reference\n  texts: gold.jsonl\n"
    made = questions_in(read(tmp_path, texts, sources))
    assert {sign_of(unit.hidden) for unit in made} == {"positive", "negative"}
    assert len({unit.id for unit in made}) == len(made)
    for unit in made:
        item = int(str(unit.hidden["item"]).removeprefix("q"))
        right = {f"It is {(item + step) % 6} ." for step in range(3)}
        assert (unit.shown.texts["text"].text.characters in right) == (unit.hidden["test"] == "positive")


def test_ready_made_test_questions_say_what_is_right_by_quoting(tmp_path: Path) -> None:
    ready = {
        "id": "t1",
        "test": "negative",
        "text": "The Foxes lost on Friday .",
        "expected": {"mistakes": [{"quote": "lost", "label": "WORD"}]},
    }
    (tmp_path / "tests.jsonl").write_text(json.dumps(ready))
    texts = [{"id": "a", "text": "The Foxes won on Friday ."}]
    plan = read(tmp_path, texts, "  negative: 0.1\n  texts: tests.jsonl\n", protocol="accuracy")
    (unit,) = questions_in(plan)
    assert unit.hidden["expected"] == {"mistakes": [{"start": 2, "end": 3, "label": "WORD"}]}


def problems(folder: Path, given_rows: list[dict[str, Any]], tests: str, **more: str) -> str:
    with pytest.raises(ProblemsFound) as found:
        read(folder, given_rows, tests, **more)
    return "\n".join(f"{one.where.rpartition('/')[2]} {one.what}; {one.remedy}" for one in found.value.problems)


def test_every_problem_is_named_with_its_line(tmp_path: Path) -> None:
    assert "5% positive test questions are wanted, and there are none" in problems(
        tmp_path, rows(3), "  positive: 0.05\n"
    )
    assert "0 items have a gold output in 'goldd'" in problems(tmp_path, rows(3), "  positive: 0.05\n  gold: goldd\n")
    assert 'there is no key "golden" here; did you mean "gold"?' in problems(
        tmp_path, rows(3), "  positive: 0.05\n  golden: reference\n"
    )
    assert "3 items have a gold output to make test questions of, and at a rate of 0" in problems(
        tmp_path, rows(3), "  gold: reference\n"
    )
    alike = [{**row, "reference": "The same ."} for row in rows(4)]
    assert "5% negative test questions are wanted, and there are none" in problems(
        tmp_path, alike, "  positive: 0.05\n  negative: 0.05\n  gold: reference\n"
    )
    assert "campaign.yaml:4 at most half" in problems(tmp_path, rows(3), "  positive: 0.4\n  negative: 0.2\n")
    assert "nothing says what is right" in problems(
        tmp_path, rows(4), "  positive: 0.1\n  gold: reference\n", protocol="accuracy"
    )
    assert 'there is no question "corect"; did you mean "correct"?' in problems(
        tmp_path, rows(4), "  positive: 0.1\n  gold: reference\n  expected: {positive: {corect: {at_least: 0.5}}}\n"
    )
    marked = [{**row, "test": "negative"} if row["id"] == "s0-1" else row for row in rows(4)]
    assert "there are 1 negative test questions, and at a rate of 0" in problems(tmp_path, marked, "  positive: 0\n")


def test_a_text_with_a_prompt_has_no_place_for_a_plain_gold_output(tmp_path: Path) -> None:
    prompted = [{**row, "prompt": "System"} for row in rows(4)]
    told = problems(tmp_path, prompted, "  positive: 0.1\n  gold: reference\n")
    assert "begins with a prompt" in told


def test_a_gold_output_cannot_stand_for_one_of_two_texts(tmp_path: Path) -> None:
    pairs = [{"id": "u1", "a": "One .", "b": "Two .", "best": "One ."}]
    (tmp_path / "gold.jsonl").write_text(json.dumps({"id": "g1", "a": "One .", "b": "Three ."}))
    for source, what in (("gold: best", "a unit for pairwise/1"), ("texts: gold.jsonl", "the row 'g1'")):
        told = problems(tmp_path, pairs, f"  positive: 0.1\n  {source}\n", protocol="pairwise")
        assert f"{what} has several texts" in told


def test_texts_added_later_need_a_right_answer_too() -> None:
    unit = Unit("i", ShownUnit({"text": gold("i", "Some words .").output}))
    with pytest.raises(ProblemsFound):
        checked_tests(load("accuracy"), [Unit("t", unit.shown, {"test": "positive"})], "c")
    (ready,) = checked_tests(load("rating-qa"), [Unit("t", unit.shown, {"test": "positive"})], "c")
    assert ready.hidden["expected"] == {"correct": {"at_least": 0.5}}


def test_errors_introduced_into_a_text_are_what_is_to_be_found_in_it() -> None:
    unit = Unit("i", ShownUnit({"text": gold("i", "Some words here .").output}))
    introduced = [{"start": 1, "end": 2, "label": "WORD"}]
    made = Unit("t", unit.shown, {"test": "introduced", "introduced": introduced})
    (ready,) = checked_tests(load("accuracy"), [made], "c")
    assert ready.hidden["expected"] == {"mistakes": {"includes": [{"start": 1, "end": 2}], "recall": 0.5}}
    beyond = Unit("t", unit.shown, {"introduced": [{"start": 3, "end": 9, "label": "WORD"}]})
    with pytest.raises(ProblemsFound) as found:
        checked_tests(load("accuracy"), [beyond], "c")
    assert "lies outside of its text" in found.value.problems[0].what


def test_texts_with_introduced_errors_go_through_a_campaign_file(tmp_path: Path) -> None:
    source = [{"id": "g1", "text": "The Herons won by 27. Chidi Umeh led."}]
    made = introduce_in_rows(source, read_domain("lantern"), np.random.default_rng(1), SegmentationRules(), test=True)
    (tmp_path / "tests.jsonl").write_text("\n".join(map(json.dumps, made.rows)))
    texts = [{"id": "a", "text": "The Foxes won on Friday ."}]
    plan = read(tmp_path, texts, "  negative: 0.1\n  texts: tests.jsonl\n", protocol="accuracy")
    (unit,) = questions_in(plan)
    wrong = [(one.span.start, one.span.end) for one in made.mistakes]
    assert [(one["start"], one["end"]) for one in unit.hidden["expected"]["mistakes"]["includes"]] == wrong  # type: ignore[index]
    assert unit.shown.texts["text"].text.words() == tuple(made.rows[0]["tokens"])
