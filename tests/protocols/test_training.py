"""Training and qualification in the protocol language: what they say is checked when the protocol is loaded."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from goldmark.protocols import Protocol, check, parse, present
from goldmark.protocols.training.exercises import QuoteMisplaced, find_quote, key_of, shown_of
from goldmark.texts.segmentation.text import make_text

WHOLE = """protocol: taught/1
title: Find the errors
taxonomies: {t: [{id: NAME}, {id: NUMBER}]}
grading: {errors: {recall: 0.5}, fluent: {within: 1}}
steps:
  - id: mark
    questions:
      - {id: errors, kind: spans, labels: {tree: t}, attributes: [{id: correction, kind: text}]}
      - {id: fluent, kind: choice, options: {bad: 0, fair: 1, good: 2}}
training:
  none: []
  full:
    - {title: First, instructions: "Read **this**."}
    - examples:
        - text: The Foxes won on Friday, and on Friday they rested.
          expected:
            errors: [{quote: Friday, nth: 2, label: NAME, correction: SECRET-CORRECTION, because: SECRET-REASON}]
            fluent: {at_least: 1}
          explanation: SECRET-EXPLANATION
    - comparison:
        ask: Which of the two is longer?
        pairs: [{a: "One.", b: "One and two.", answer: b, explanation: SECRET-PAIR}]
    - practice:
        - text: Nothing is known here.
qualification:
  name: errors-1
  accepts: [errors-0]
  units:
    - text: The Herons won.
      expected: {errors: {is: [{quote: Herons, label: [NAME, NUMBER]}], precision: 0}}
  pass: {right: 0.5, spans: {errors: {recall: 0.7}}, steps: {mark: 0.5}, questions: {errors: 1}}
  attempts: 2
"""


def problems_of(tmp_path: Path, old: str, new: str) -> list[tuple[int, str, str]]:
    assert old in WHOLE
    path = tmp_path / "p.yaml"
    path.write_text(WHOLE.replace(old, new), encoding="utf-8")
    return [(int(one.where.rpartition(":")[2]), one.part, one.what) for one in check(path)]


@pytest.fixture
def whole() -> Protocol:
    return parse(WHOLE)


def line_of(words: str) -> int:
    return next(number for number, line in enumerate(WHOLE.splitlines(), start=1) if words in line)


def test_a_whole_protocol_loads_and_loads_again(whole: Protocol) -> None:
    again = parse(json.dumps(whole.resolved))
    assert again.file == whole.file
    assert again.digest == whole.digest
    assert list(whole.file.training) == ["none", "full"]


def test_what_is_taught_is_part_of_the_digest(whole: Protocol) -> None:
    """It is stored once per digest, so a corrected answer key must make another."""
    assert parse(WHOLE.replace("SECRET-REASON", "another reason")).digest != whole.digest
    assert parse(WHOLE.replace("recall: 0.7", "recall: 0.8")).digest != whole.digest


def test_the_page_gets_no_answer(whole: Protocol) -> None:
    sent = json.dumps(present(whole))
    assert "SECRET" not in sent
    assert "Herons" not in sent
    assert "training" not in sent


def test_a_quotation_becomes_a_place(whole: Protocol) -> None:
    part = whole.file.training["full"][1]
    assert part.examples is not None
    (exercise,) = part.examples
    shown = shown_of(exercise, "one")
    questions = {question.id: question for question in whole.questions()}
    (passage,) = key_of(exercise.expected, questions, shown)["errors"]
    text = shown.texts["text"].text
    assert text.token(passage["start"]) == "Friday"
    assert (passage["start"], passage["end"]) == (8, 9)  # The Foxes won on Friday , and on Friday


@pytest.mark.parametrize(
    ("quote", "nth", "by", "what"),
    [
        ("cat", None, "token", "3 times"),
        ("at", None, "token", "inside a token"),
        ("dog", None, "token", "does not stand"),
        ("", None, "token", "does not stand"),
        ("cat", 4, "token", "not 4"),
    ],
)
def test_a_quotation_that_names_no_place(quote: str, nth: int | None, by: str, what: str) -> None:
    with pytest.raises(QuoteMisplaced) as error:
        find_quote(make_text("t", "A cat, a cat and a cat."), quote, nth, by)
    assert what in error.value.what


def test_a_quotation_in_characters() -> None:
    assert find_quote(make_text("t", "A cat."), "at", None, "character") == (3, 5)


@pytest.mark.parametrize(
    ("old", "new", "line", "part", "what"),
    [
        ("recall: 0.5}", "share: 0.5}", "grading:", "grading.errors.share", "means nothing for a question of kind"),
        ("fluent: {within: 1}", "fluency: {within: 1}", "grading:", "grading.fluency", "no question"),
        ("nth: 2, ", "", "SECRET-CORRECTION", "training.full.1.examples.0.expected.errors.0.quote", "2 times"),
        (
            "label: NAME, correction",
            "label: NAMES, correction",
            "SECRET-CORRECTION",
            "training.full.1.examples.0.expected.errors.0.label",
            'no label "NAMES"',
        ),
        (
            "fluent: {at_least: 1}",
            "fluent: great",
            "fluent: {at_least",
            "training.full.1.examples.0.expected.fluent",
            "not one of the options",
        ),
        (
            "fluent: {at_least: 1}",
            "fluent: {at_last: 1}",
            "fluent: {at_least",
            "training.full.1.examples.0.expected.fluent",
            "cannot be read",
        ),
        (
            "because: SECRET-REASON",
            "becos: x",
            "SECRET-CORRECTION",
            "training.full.1.examples.0.expected.errors.0.becos",
            "has no",
        ),
        ("answer: b", "answer: c", "pairs:", "training.full.2.comparison.pairs.0.answer", ""),
        ('a: "One."', 'a: " "', "pairs:", "training.full.2.comparison.pairs.0.a", "empty"),
        (
            "{title: First, instructions",
            "{title: First, practice: [{text: x}], instructions",
            "title: First",
            "training.full.0",
            "one of",
        ),
        ("text: The Herons won.", "a: The Herons won.", "units:", "", "the row has"),
        ("attempts: 2", "take: 2", "qualification:", "qualification", "take is 2"),
        (
            "steps: {mark: 0.5}",
            "steps: {marks: 0.5}",
            "pass:",
            "qualification.pass.steps.marks",
            'no step "marks"',
        ),
        (
            "questions: {errors: 1}",
            "questions: {fluent: 1}",
            "pass:",
            "qualification.pass.questions.fluent",
            "no text of the qualification",
        ),
        (
            "precision: 0}",
            "within: 2}",
            "precision: 0",
            "qualification.units.0.expected.errors.within",
            "means nothing",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_line_and_key(
    tmp_path: Path, old: str, new: str, line: str, part: str, what: str
) -> None:
    found = problems_of(tmp_path, old, new)
    assert found, "nothing was found"
    number = line_of(line) if line else found[0][0]
    assert [one for one in found if what in one[2] and abs(one[0] - number) <= 1], found
    if part:
        assert part in [one[1] for one in found]


def test_a_qualification_that_nobody_decides(tmp_path: Path) -> None:
    rule = "pass: {right: 0.5, spans: {errors: {recall: 0.7}}, steps: {mark: 0.5}, questions: {errors: 1}}"
    ((_, _, what),) = problems_of(tmp_path, f"  {rule}\n", "")
    assert '"pass" must say' in what
    assert problems_of(tmp_path, rule, "decide: reviewer") == []


SETS = """protocol: sets/1
extends: best-worst/1
training:
  lessons:
    - examples:
        - texts: [Salt and Spine., The Tidemark., Books., Inkwell Quay.]
          context: {Request: Name a bookshop.}
          expected: {picked: a>c}
          explanation: A name should be remembered.
qualification:
  name: sets-1
  units: [{texts: {a: Gull., b: Boat., c: Marguerite., d: Sea.}, expected: {picked: {one_of: [a>b, c>b]}}}]
  pass: {score: 0.5}
"""


def test_exercises_of_several_texts(tmp_path: Path) -> None:
    protocol = parse(SETS)
    (part,) = protocol.file.training["lessons"]
    assert part.examples is not None
    shown = shown_of(part.examples[0], "exercise")
    assert [one.text.characters for one in shown.texts.values()][:2] == ["Salt and Spine.", "The Tidemark."]
    path = tmp_path / "sets.yaml"

    def problems(old: str, new: str) -> str:
        path.write_text(SETS.replace(old, new))
        return "; ".join(one.what for one in check(path))

    assert "a and b and c, but the protocol asks about a and b and c and d" in problems(", Inkwell Quay.", "")
    assert "The best and the worst text must be two texts" in problems("picked: a>c", "picked: a>a")
    assert '"texts" must be a list of three to five texts' in problems("d: Sea.", "f: Sea.")
