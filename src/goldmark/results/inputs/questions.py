"""What was asked, for those who read the results: the question as people saw it, and the ends of its scale."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from goldmark.protocols import Protocol
from goldmark.records.answers import Rating


@dataclass(frozen=True)
class AskedQuestion:
    """A question in the words that annotators read."""

    id: str
    ask: str = ""
    scale: tuple[float, float] | None = None  # the smallest and the largest number that can be answered
    options: Mapping[str, str] = field(default_factory=dict)  # by id: as people read them


def asked(protocol: Protocol) -> tuple[AskedQuestion, ...]:
    """The questions of a protocol, in their order."""
    return tuple(
        AskedQuestion(
            question.id,
            shown["ask"],
            _scale(list(question.numbers().values()), shown) if question.gives is Rating else None,
            _options(question.numbers(), shown),
        )
        for question in protocol.questions()
        for shown in [question.present(protocol.around)]
    )


def _options(numbers: Mapping[str, float], shown: Mapping[str, Any]) -> dict[str, str]:
    """The options of a scale from its lowest to its highest, others as they are listed."""
    titles = {option["id"]: option["title"] for option in shown.get("options", ())}
    return {name: titles[name] for name in sorted(titles, key=lambda name: numbers.get(name, 0.0))}


def _scale(numbers: list[float], shown: Mapping[str, object]) -> tuple[float, float] | None:
    low, high = (min(numbers), max(numbers)) if numbers else (shown.get("at_least"), shown.get("at_most"))
    known = isinstance(low, int | float) and isinstance(high, int | float) and low < high
    return (float(low), float(high)) if known else None  # type: ignore[arg-type]
