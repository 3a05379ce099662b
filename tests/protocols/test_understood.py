"""Answers as people and other tools write them, in a cell of a spreadsheet say, and what is kept of them."""

from __future__ import annotations

import pytest

from goldmark.protocols import Protocol, load, parse
from goldmark.protocols.presentation import present, taught_words, words_of

PROTOCOL = """
protocol: cells/1
title: Cells
taxonomies: {kinds: [{id: A, title: Grammar, children: [{id: x, title: Tense}, {id: y}]}, {id: B, children: [{id: y}]}]}
steps:
  - questions:
      - {id: scale, kind: choice, options: [{id: bad, value: 0, title: Not good}, {id: good, value: 1}]}
      - {id: topics, kind: choices, options: [sport, art], at_least: 0}
      - {id: score, kind: number}
      - {id: why, kind: text}
      - id: errors
        kind: spans
        labels: {tree: kinds}
        attributes:
          - {id: how_bad, kind: choice, options: {minor: 1, major: 5}}
          - {id: fix, kind: text, required: false}
"""


@pytest.fixture(scope="module")
def cells() -> Protocol:
    return parse(PROTOCOL)


@pytest.mark.parametrize(
    ("question", "given", "kept"),
    [
        ("scale", "good", "good"),
        ("scale", " GOOD ", "good"),
        ("scale", "not good", "bad"),
        ("scale", 1, "good"),
        ("scale", "0.0", "bad"),
        ("scale", "excellent", "excellent"),  # the check of the answer says what is wrong with it
        ("scale", True, True),
        ("topics", "art", ["art"]),
        ("topics", "Art; sport", ["art", "sport"]),
        ("topics", "sport | ", ["sport"]),
        ("topics", '["art"]', ["art"]),
        ("topics", ["ART", "chess"], ["art", "chess"]),
        ("score", "7", 7),
        ("score", "7.5", 7.5),
        ("score", "seven", "seven"),
        ("why", "[as it is]", "[as it is]"),
        ("why", {"a": 1}, '{"a": 1}'),
        ("errors", " ", []),
        ("errors", "[not json", "[not json"),
        ("errors", '{"start": 1}', {"start": 1}),
        (
            "errors",
            '[{"start": 1, "end": 2, "label": "tense", "how_bad": 5, "fix": ""}, {"id": "e1", "label": "y"}, 3]',
            [{"id": "e2", "start": 1, "end": 2, "label": "A.x", "how_bad": "major"}, {"id": "e1", "label": "y"}, 3],
        ),
    ],
)
def test_a_cell_is_understood(cells: Protocol, question: str, given: object, kept: object) -> None:
    asked = next(one for step in cells.steps for one in step.questions if one.id == question)
    assert asked.understood(given, cells.around) == kept


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("a>c", "a>c"),
        ("A > C", "a>c"),
        ("a, c", "a>c"),
        ('{"best": "a", "worst": "c"}', "a>c"),
        (["a", "c"], "a>c"),
        ("a", "a"),
        ("a>a", "a>a"),
        (7, 7),
    ],
)
def test_the_best_and_the_worst_are_understood(given: object, kept: object) -> None:
    protocol = load("best-worst")
    [asked] = [one for step in protocol.steps for one in step.questions if one.kind == "best_worst"]
    assert asked.understood(given, protocol.around) == kept
    assert (kept in asked.titles()) == (kept == "a>c")


@pytest.mark.parametrize("name", ["accuracy", "tgea", "humanlike", "best-worst"])
def test_what_people_read_is_all_there_is_to_translate(name: str) -> None:
    """A protocol whose every sentence has another one shows those, and nothing that an answer names changes."""
    protocol = load(name)
    read = [*words_of(protocol), *taught_words(protocol)]
    assert all(one.strip() for one in read)
    german, english = present(protocol, "de"), present(protocol)
    assert german["instructions_html"] != english["instructions_html"]
    assert german["title"] != english["title"]
    ids = [[question["id"] for question in step["questions"]] for step in english["steps"]]
    assert [[question["id"] for question in step["questions"]] for step in german["steps"]] == ids
