"""Spans at the same place are one object, however they are asked for."""

from __future__ import annotations

import pytest

from goldmark.records import spans
from goldmark.records.spans import EmptyOrReversedSpan, Span, shared_span, shared_spans


def test_spans_at_the_same_place_are_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spans, "MOST_SHARED", len(spans._KNOWN) + 2)
    places = [(start, start + 1) for start in range(900_000, 900_005)]  # more than are kept
    assert shared_spans(places) == [Span(*place) for place in places]
    assert all(found is shared_span(*place) for found, place in zip(shared_spans(places), places, strict=True))
    assert len(spans._KNOWN) <= spans.MOST_SHARED


def test_what_is_no_span_is_refused() -> None:
    with pytest.raises(EmptyOrReversedSpan):
        shared_spans([(1, 1)])
    for place in (1.0, True, "1", None):
        with pytest.raises(TypeError, match="is no whole number"):
            shared_span(place, 9)
