"""A unit keeps what is shown apart from what is hidden, and its JSON is what pages and the store agree on."""

from __future__ import annotations

import dataclasses
import json

import pytest

from goldmark.errors import GoldmarkError
from goldmark.records.spans import EmptyOrReversedSpan, Span
from goldmark.records.texts import Text
from goldmark.records.units import (
    ContextLink,
    ContextTable,
    ContextText,
    GivenMark,
    NotAUnit,
    PromptNotLeading,
    ShownText,
    ShownUnit,
    SpanOutsideText,
    UnevenRow,
    Unit,
    UnsafeLink,
    context_from_json,
)

TEXT = Text("sys-A/1", "The Hawks won .", (Span(0, 3), Span(4, 9), Span(10, 13), Span(14, 15)), (Span(0, 4),))
SHOWN = ShownText(TEXT, prompt=Span(0, 1), focus=Span(0, 4), given=(GivenMark(1, 2, "NAME"),), language="en")
UNIT = ShownUnit(
    {"text": SHOWN},
    (
        ContextText("Source", "Hawks 1"),
        ContextTable("Box score", ("Player", "PTS"), (("A", 3), ("B", None))),
        ContextLink("Game", "https://example.org/game"),
    ),
)


def test_the_json_is_the_agreed_one_and_holds_no_id() -> None:
    assert UNIT.to_json() == {
        "texts": {
            "text": {
                "characters": "The Hawks won .",
                "tokens": [[0, 3], [4, 9], [10, 13], [14, 15]],
                "sentences": [[0, 4]],
                "prompt": [0, 1],
                "focus": [0, 4],
                "given": [{"start": 1, "end": 2, "label": "NAME"}],
                "language": "en",
            }
        },
        "context": [
            {"kind": "text", "title": "Source", "text": "Hawks 1"},
            {"kind": "table", "title": "Box score", "columns": ["Player", "PTS"], "rows": [["A", 3], ["B", None]]},
            {"kind": "link", "title": "Game", "url": "https://example.org/game"},
        ],
    }
    assert "sys-A" not in json.dumps(UNIT.to_json())


def test_what_was_written_is_read_back() -> None:
    assert ShownUnit.from_json(json.loads(json.dumps(UNIT.to_json())), id="sys-A/1") == UNIT


def test_two_texts_have_ids_of_their_own() -> None:
    shown = ShownUnit.from_json({"texts": {"a": SHOWN.to_json(), "b": SHOWN.to_json()}}, id="u1")
    assert [shown.texts[role].text.id for role in ("a", "b")] == ["u1/a", "u1/b"]


def test_a_shown_unit_has_no_place_for_a_hidden_fact() -> None:
    assert [field.name for field in dataclasses.fields(ShownUnit)] == ["texts", "context"]
    assert "hidden" in {field.name for field in dataclasses.fields(Unit)}


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "data:text/html,x", "//example.org", "https://", "http://[", ""]
)
def test_only_web_addresses_are_links(url: str) -> None:
    with pytest.raises(UnsafeLink):
        ContextLink("x", url)


def test_spans_lie_inside_the_text() -> None:
    with pytest.raises(SpanOutsideText, match="the focus 2-5"):
        ShownText(TEXT, focus=Span(2, 5))
    with pytest.raises(SpanOutsideText, match="given mark"):
        ShownText(TEXT, given=(GivenMark(3, 9),))
    with pytest.raises(PromptNotLeading):
        ShownText(TEXT, prompt=Span(1, 2))
    with pytest.raises(EmptyOrReversedSpan):
        GivenMark(2, 2)


def test_tables_are_even() -> None:
    with pytest.raises(UnevenRow, match="row 2"):
        ContextTable("t", ("a", "b"), ((1, 2), (1,)))


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"texts": 3},
        {"texts": {"text": {}}},
        {"texts": {"text": {"characters": "a", "tokens": [[0]], "sentences": []}}},
        {"texts": {"text": {"characters": 1, "tokens": [], "sentences": []}}},
        {"texts": {}, "context": [{"kind": "video", "title": "x"}]},
        {"texts": {}, "context": [{"kind": "table", "title": "x", "columns": ["a"], "rows": [[{}]]}]},
        {"texts": {}, "context": [3]},
    ],
)
def test_anything_else_is_refused_with_a_reason(data: dict[str, object]) -> None:
    with pytest.raises(GoldmarkError):
        ShownUnit.from_json(data)


def test_an_unknown_kind_of_context_is_named() -> None:
    with pytest.raises(NotAUnit, match='"video"'):
        context_from_json({"kind": "video"})
