"""The one reader of answers: what each kind of question says, and what the declared roles of attributes mean."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from goldmark.errors import ProblemsFound
from goldmark.plugins import Plugin
from goldmark.protocols import Protocol, load, parse
from goldmark.protocols.answers import deciding, main_rating, marking, rating, read
from goldmark.protocols.kinds import KINDS, Question
from goldmark.protocols.kinds.number import NumberQuestion
from goldmark.records.answers import Choice, Comparison, Marks, Rating, Words
from goldmark.records.spans import Span
from goldmark.records.units import ShownText, ShownUnit
from goldmark.texts.segmentation.text import make_text

SHOWN = ShownUnit({"text": ShownText(make_text("t", "Anna won the first game on Friday ."))})

EVERYTHING = """
protocol: everything/1
title: Everything
taxonomies: {kinds: [{id: A, children: [{id: x}, {id: y}]}, {id: B}]}
steps:
  - questions:
      - {id: scale, kind: choice, options: {bad: 0, good: 1}}
      - {id: verdict, kind: choice, options: [fine, {id: odd, sets_aside: true}]}
      - {id: topics, kind: choices, options: [sport, art], at_least: 0}
      - {id: score, kind: number}
      - {id: why, kind: text}
  - when: verdict == fine
    questions:
      - id: errors
        kind: spans
        labels: {tree: kinds}
        links: {shown_by: {at_most: 2}}
        attributes:
          - {id: fix, kind: text, required: false}
          - {id: note, kind: text, required: false}
          - {id: how_bad, kind: choice, options: {minor: 1, major: 5}}
          - {id: comment, kind: text, required: false}
        rewrites: fix
        explains: note
        ranks: how_bad
        weights: [{when: label == A.y and how_bad == minor, is: 0.1}]
"""


@pytest.fixture(scope="module")
def everything() -> Protocol:
    return parse(EVERYTHING)


def test_every_kind_of_answer_is_read(everything: Protocol) -> None:
    answers = {"scale": "good", "verdict": "fine", "topics": ["art"], "score": 7, "why": " Because.\n", "errors": []}
    assert read(everything, answers, SHOWN).said == (
        Rating("scale", 1.0, "good", 0.0, 1.0),
        Choice("verdict", "fine"),
        Choice("topics", "sport", False),
        Choice("topics", "art", True),
        Rating("score", 7.0, "7"),
        Words("why", "Because."),
        Marks("errors", "text"),
    )


def test_a_comparison_names_both_texts() -> None:
    protocol = load("pairwise")
    two = ShownUnit({role: ShownText(make_text(role, "Some words .")) for role in "ab"})
    assert read(protocol, {"preferred": "b"}, two).said == (Comparison("preferred", ("a", "b"), "b"),)
    assert read(protocol, {"preferred": "tie"}, two).said == (Comparison("preferred", ("a", "b"), None),)


def test_roles_of_attributes_are_what_the_protocol_declares(everything: Protocol) -> None:
    span: dict[str, Any] = {
        "id": "e1",
        "start": 1,
        "end": 3,
        "label": "A.y",
        "fix": "lost the\n",
        "note": "It was Bo.",
        "how_bad": "minor",
        "comment": "not the explanation",
        "links": {"shown_by": [{"start": 5, "end": 6}]},
    }
    found = read(everything, {"errors": [span]}, SHOWN).marked("errors")
    assert found is not None
    (mark,) = found.marks
    assert (mark.tokens, mark.characters) == (Span(1, 3), Span(5, 12))
    assert (mark.label, mark.correction, mark.explanation, mark.severity) == ("A.y", "lost the", "It was Bo.", "minor")
    assert mark.weight == 0.1  # the exception holds before the number of the option
    assert mark.links == (("shown_by", Span(5, 6)),)
    assert mark.other_attributes("fix", "note", "how_bad") == {"comment": "not the explanation"}
    (other,) = read(everything, {"errors": [{**span, "label": "B"}]}, SHOWN).marks[0].marks
    assert other.weight == 1


def test_characters_are_read_as_the_tokens_that_they_touch() -> None:
    protocol = parse(
        "protocol: letters/1\ntitle: Letters\nsteps: [{questions: [{id: odd, kind: spans, by: character}]}]"
    )
    (mark,) = read(protocol, {"odd": [{"id": "e", "start": 2, "end": 6}]}, SHOWN).marks[0].marks
    assert (mark.tokens, mark.characters) == (Span(0, 2), Span(2, 6))


def test_what_cannot_be_read_is_told(everything: Protocol) -> None:
    answers = {
        "scale": "great",
        "score": "seven",
        "errors": [{"id": "e9", "start": 3, "end": 99}, {"id": "e1", "start": 0, "end": 1}],
        "other": 1,
    }
    found = read(everything, answers, SHOWN)
    assert [one.where for one in found.unread] == ["scale", "score", "errors", "other"]
    assert [mark.id for mark in found.marks[0].marks] == ["e1"]


def test_a_protocol_says_what_ranks_decides_and_sets_aside(everything: Protocol) -> None:
    (marks,) = marking(everything)
    assert [one.id for one in rating(everything)] == ["scale", "score"]
    assert main_rating(everything) is None
    main = main_rating(load("rating-summary"))
    assert main is not None
    assert main.id == "overall"
    decides = deciding(everything, marks)
    assert decides is not None
    assert decides.id == "verdict"
    assert everything.set_aside == {"verdict": {"odd"}}
    assert load("tgea").set_aside == {"verdict": {"ambiguous", "too_many"}}


def test_who_is_not_asked_for_marks_has_marked_nothing_unless_the_text_is_set_aside() -> None:
    tgea = load("tgea")
    assert read(tgea, {"verdict": "fine"}, SHOWN).marked("errors") == Marks("errors", "text", asked=False)
    assert read(tgea, {"verdict": "ambiguous"}, SHOWN).marked("errors") is None
    assert read(tgea, {"verdict": "erroneous"}, SHOWN).marked("errors") is None  # asked, and not answered
    assert read(tgea, {"verdict": ["ambiguous"]}, SHOWN).unread  # kept although it is wrong: told, not a traceback


def test_no_correction_means_delete_only_where_the_label_decides_it() -> None:
    span = {"id": "e1", "start": 0, "end": 1, "label": "redundancy.subject", "rationale": "Twice."}
    tgea = {"verdict": "erroneous", "errors": [span]}
    assert read(load("tgea"), tgea, SHOWN).marks[0].marks[0].correction == ""
    accuracy = {"mistakes": [{"id": "e1", "start": 0, "end": 1, "label": "NAME", "comment": "No."}]}
    assert read(load("accuracy"), accuracy, SHOWN).marks[0].marks[0].correction is None


def test_only_a_whole_answer_sets_a_text_aside() -> None:
    question = "{id: topics, kind: choices, options: [sport, {id: murky, sets_aside: true}]}"
    with pytest.raises(ProblemsFound) as caught:
        parse(f"protocol: p/1\ntitle: P\nsteps: [{{questions: [{question}]}}]")
    assert "kind choice" in caught.value.problems[0].remedy


class Silent(Question):
    """Says nothing of what its answers mean."""

    kind: Literal["silent"]

    def problems(self, answer: object, asked: object) -> Any:
        yield from ()


class Misnamed(NumberQuestion):
    """Asks for a number, under a name that no protocol can give."""


@pytest.mark.parametrize(("name", "why"), [("silent", "does not say 'read'"), ("misnamed", "needs a field kind")])
def test_a_kind_whose_answers_nobody_could_read_is_refused(
    name: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    offered = (Plugin("question_kinds", name, f"{__name__}:{name.title()}", "others"),)
    monkeypatch.setattr("goldmark.plugins.installed", lambda: {"question_kinds": offered})
    assert name not in KINDS.usable()
    with pytest.raises(ProblemsFound) as caught:
        parse(f"protocol: p/1\ntitle: P\nsteps: [{{questions: [{{id: one, kind: {name}}}]}}]")
    assert why in caught.value.problems[0].what
