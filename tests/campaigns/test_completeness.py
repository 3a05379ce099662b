"""What an import would refuse, told once; what is only incomplete can be kept, what cannot be placed never."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from goldmark.campaigns.transfer.completeness import AnswerCheck, told_once
from goldmark.campaigns.transfer.export import record_of
from goldmark.campaigns.transfer.restore import completed, restore
from goldmark.errors import Problem, ProblemsFound
from goldmark.exchange.campaign.marks import campaign_of
from goldmark.protocols import load, parse
from goldmark.store import Store
from goldmark.texts.segmentation.text import make_text
from tests.campaigns.house import unit

PROTOCOL = """
protocol: strict/1
title: Mark and explain
taxonomies: {kinds: [{id: name, children: [{id: place}, {id: person}]}, {id: number}]}
steps:
  - questions:
      - id: mistakes
        kind: spans
        at_least: 1
        labels: {tree: kinds}
        attributes:
          - {id: correction, kind: text, at_least: 3}
          - {id: kind, kind: choice, options: [a, b], when: label == number}
        links: {about: {exactly: 1}}
        require: correction != "?"
      - {id: reasons, kind: choices, options: [x, y, z], at_least: 2}
      - {id: score, kind: number, at_least: 0, at_most: 10}
  - when: score > 5
    questions: [{id: why, kind: text}]
"""
MARK: dict[str, Any] = {
    "id": "e1",
    "start": 1,
    "end": 2,
    "label": "name.place",
    "correction": "Owls",
    "links": {"about": [{"start": 0, "end": 1}]},
}
RIGHT: dict[str, Any] = {"mistakes": [MARK], "reasons": ["x", "y"], "score": 3}


def found(**changed: Any) -> tuple[bool, bool]:
    """Whether the protocol refuses the answer, and whether it does so even if incomplete ones are kept."""
    mark = {key: value for key, value in (MARK | changed.pop("mark", {})).items() if value is not None}
    answers = {key: value for key, value in (RIGHT | {"mistakes": [mark]} | changed).items() if value is not None}
    verdict = AnswerCheck(parse(PROTOCOL)).check(answers, unit("u").shown)
    return bool(verdict.problems), bool(verdict.lasting)


def test_a_right_answer() -> None:
    assert found() == (False, False)


@pytest.mark.parametrize(
    "changed",
    [
        {"mark": {"correction": None}},
        {"mark": {"correction": "Ox"}},  # too short
        {"mark": {"label": None}},
        {"mark": {"label": "name"}},  # too general
        {"mark": {"links": None}},
        {"mark": {"label": "number"}},  # a kind is asked of a number
        {"mark": {"kind": "a"}},  # and of nothing else
        {"mistakes": []},
        {"mistakes": None},
        {"mistakes": [MARK, {**MARK, "id": "e2"}]},  # they overlap
        {"reasons": ["x"]},
        {"score": None},
        {"score": 7},  # why?
        {"why": "because"},  # nobody asked
    ],
    ids=str,
)
def test_what_lacks_something_can_be_kept(changed: dict[str, Any]) -> None:
    assert found(**changed) == (True, False)


@pytest.mark.parametrize(
    "changed",
    [
        {"mark": {"start": 1, "end": 90}},
        {"mark": {"label": "colour"}},
        {"mark": {"label": "number", "kind": "c"}},
        {"mark": {"hue": "red"}},
        {"mark": {"links": {"about": [{"start": 3, "end": 2}]}}},
        {"mark": {"links": {"to": []}}},
        {"mistakes": "none"},
        {"reasons": ["x", "w"]},
        {"score": 11},
        {"score": "three"},
        {"mood": "good"},
    ],
    ids=str,
)
def test_what_cannot_be_placed_never(changed: dict[str, Any]) -> None:
    assert found(**changed) == (True, True)


def test_suggestions_that_were_never_seen_need_no_decision() -> None:
    shown = unit("u").shown
    text = shown.texts["text"]
    suggested = {**text.to_json(), "suggested": [{"id": "s1", "start": 0, "end": 1, "label": "NAME"}]}
    offered = replace(shown, texts={"text": type(text).from_json(suggested, id="u")})
    verdict = AnswerCheck(load("accuracy")).check({"mistakes": []}, offered)
    assert [one.what for one in verdict.problems] == ["1 suggestion is not decided yet."]
    assert verdict.lasting == []


def test_equal_problems_are_told_once_and_hundreds_of_others_are_counted() -> None:
    same = [Problem(f"a.csv:{line}", "it is wrong", "mend it") for line in range(2, 122)]
    assert [str(one) for one in told_once([*same, Problem("a.csv:7", "it is late")])] == [
        "a.csv:2  it is wrong ... and 119 more lines like this; mend it",
        "a.csv:7  it is late",
    ]
    assert told_once(same[:2])[0].what == "it is wrong ... and 1 more line like this"
    many = told_once([Problem(f"a.csv:{line}", f"unit {line} is not known") for line in range(1, 201)])
    assert (len(many), str(many[-1])) == (51, "a.csv:51  and 150 problems more, from here on")


def test_a_whole_campaign_is_told_the_same_way(store: Store) -> None:
    texts = {f"u{number}": make_text(f"u{number}", "The Foxes won .") for number in range(9)}
    bare = {"id": "m1", "start": 1, "end": 2, "label": "NAME"}
    asked = load("accuracy-severity")
    given = campaign_of(texts, {(name, "Ada"): [bare] for name in texts}, question="mistakes")
    record = completed(given, asked, name="old")
    with pytest.raises(ProblemsFound) as caught:
        restore(store, record, author="test")
    assert "... and 8 more answers like this" in str(caught.value.problems[0])
    assert "--keep-incomplete" in str(caught.value)
    restore(store, record, author="test", keep_incomplete=True)
    assert len(record_of(store, "old").final_responses()) == 9


def test_answers_of_a_campaign_that_cannot_be_placed_are_refused_whatever_is_kept(store: Store) -> None:
    texts = {"u0": make_text("u0", "The Foxes won .")}
    outside = {"id": "m1", "start": 1, "end": 20, "label": "NAME"}
    with pytest.raises(ProblemsFound) as caught:
        completed(campaign_of(texts, {("u0", "Ada"): [outside]}, question="mistakes"), load("accuracy"), name="old")
    assert "the mark 1-20 is not in the text" in str(caught.value.problems[0])
    record = completed(campaign_of(texts, {("u0", "Ada"): []}, question="mistakes"), load("accuracy"), name="old")
    (response,) = record.responses
    for broken in (
        replace(record, responses=(replace(response, answers={"mistakes": [outside]}),)),
        replace(record, protocol="other/1"),
        replace(record, units=()),
    ):
        with pytest.raises(ProblemsFound) as caught:
            restore(store, broken, author="test", keep_incomplete=True)
        assert "--keep-incomplete" not in str(caught.value)
