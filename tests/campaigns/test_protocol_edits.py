"""A protocol's text changed field by field: only what was changed is written, and the rest stays as it was typed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from goldmark.campaigns.definition.protocol_edits import (
    NewItem,
    NotAMark,
    OptionFields,
    fields_of,
    with_fields,
    with_item,
    with_key,
)
from goldmark.protocols import load, parse

RATING = """# ours
protocol: ours/1
extends: rating-qa/1
title: Is it right?  # short

# what people read
summary: Say so.
"""
COPY = "protocol: ours/1\nextends: accuracy/1\ntitle: Errors\n"


def test_only_what_differs_is_written() -> None:
    protocol = parse(RATING)
    words = {"title": "Is it right?", "summary": "Say so, please.", "instructions": protocol.instructions}
    (question,) = fields_of(protocol)
    text = with_fields(RATING, words, [question])
    assert text == RATING.replace("Say so.", "Say so, please.")
    assert with_fields(text, {}, []) == text


def test_options_with_their_numbers() -> None:
    (question,) = fields_of(parse(RATING))
    assert [(one.id, one.value) for one in question.options][:2] == [("strongly_disagree", "0"), ("disagree", "0.25")]
    kept = [replace(one, title="") if one.id == "neutral" else one for one in question.options]
    text = with_fields(RATING, {}, [replace(question, options=(*kept, OptionFields("", "Cannot say", "")))])
    (changed,) = fields_of(parse(text))
    assert [one.id for one in changed.options] == [
        "strongly_disagree",
        "disagree",
        "agree",
        "strongly_agree",
        "cannot_say",
    ]
    assert text.startswith("# ours\n")
    assert "change:" in text  # it goes on saying only what differs


def test_a_question_of_a_protocol_that_stands_alone() -> None:
    source = load("rating-qa").source.replace("protocol: rating-qa/1", "protocol: ours/1")
    (question,) = fields_of(parse(source))
    text = with_fields(source, {}, [replace(question, ask="Is it?")])
    assert [one.ask for one in fields_of(parse(text))] == ["Is it?"]
    assert "change:" not in text


def test_training_and_qualification_items() -> None:
    item = NewItem("examples", "Kim had 24 points.", {"mistakes": "24 | NUMBER | 22 | the box score\n"}, {}, "Count.")
    text = with_item(with_item(COPY, item), replace(item, place="practice"))
    text = with_item(with_item(text, item), replace(item, place="qualification"))
    found = parse(text).file
    assert [(part.title, len(part.examples or part.practice or ())) for part in found.training["lessons"]] == [
        ("Examples", 2),
        ("Practice", 1),
    ]
    assert found.qualification is not None
    assert (found.qualification.name, found.qualification.attempts) == ("ours", 2)
    # What the other protocol taught stays where one is added.
    more = with_item("protocol: ours/1\nextends: accuracy-qualified/1\n", item)
    assert len(parse(more).file.training["lessons"]) == 3
    with pytest.raises(NotAMark):
        with_item(COPY, replace(item, marks={"mistakes": "24 NUMBER"}))


def test_a_key_is_written_where_it_stood() -> None:
    text = "a: 1\nb:\n- x\n- y\n\n# about c\nc: 3\n"
    assert with_key(text, "b", ["z"]) == "a: 1\nb:\n- z\n\n# about c\nc: 3\n"
    assert with_key("a: 1", "b", "two\nlines\n") == "a: 1\nb: |\n  two\n  lines\n"
