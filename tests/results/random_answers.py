"""Answers that a protocol accepts, drawn at random from what its pages are given to ask."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from goldmark.protocols import Protocol
from goldmark.protocols.conditions import holds
from goldmark.protocols.presentation import present
from goldmark.protocols.validation import validate
from goldmark.records.units import ShownText, ShownUnit

WORDS = ("plain", "words", "nobody", "copied", "from", "anything", "shown", "here")


def answer(protocol: Protocol, shown: ShownUnit, rng: np.random.Generator) -> dict[str, Any]:
    """What somebody who answers by lot, but always validly, says of a unit."""
    given: dict[str, Any] = {}
    for step in present(protocol)["steps"]:
        if step["when"] is not None and not holds(step["when"], given, protocol.numbers):
            continue
        for question in step["questions"]:
            if question["when"] is None or holds(question["when"], given, protocol.numbers):
                given[question["id"]] = _answer(question, shown, rng)
    wrong = validate(protocol, given, shown)
    assert wrong == [], f"{protocol.id}: {wrong}"
    return given


def _answer(question: Mapping[str, Any], shown: ShownUnit, rng: np.random.Generator) -> Any:
    kind = question["kind"]
    if kind in ("choice", "compare"):
        return str(rng.choice([option["id"] for option in question["options"]]))
    if kind == "best_worst":
        return question["apart"].join(rng.choice(question["between"], size=2, replace=False))
    if kind == "choices":
        return _several(question, rng)
    if kind == "number":
        low, high = question["at_least"] or 0, question["at_most"] or 100
        return int(rng.integers(int(low), int(high) + 1))
    if kind == "text":
        return " ".join(rng.choice(WORDS, size=5))
    if kind == "spans":
        return _marks(question, shown, rng)
    raise NotImplementedError(f"say here how to answer a question of kind {kind}")


def _several(question: Mapping[str, Any], rng: np.random.Generator) -> list[str]:
    together = [option["id"] for option in question["options"] if not option["alone"]]
    alone = [option["id"] for option in question["options"] if option["alone"]]
    if alone and rng.random() < 0.2:
        return alone[:1]
    most = min(len(together), question["at_most"] or len(together), 3)
    return [str(one) for one in rng.choice(together, size=rng.integers(1, most + 1), replace=False)]


def _marks(question: Mapping[str, Any], shown: ShownUnit, rng: np.random.Generator) -> list[dict[str, Any]]:
    text = shown.texts[question["of"]]
    free = list(range(text.prompt.end if text.prompt else 0, len(text.text.tokens) - 1, 3))
    most = min(question["at_most"] or 3, len(free))
    count = int(rng.integers(question["at_least"], most + 1))
    starts = sorted(int(place) for place in rng.choice(free, size=count, replace=False))
    labels = _leaves(question["labels"]["labels"]) if question["labels"] else []
    marks = []
    for number, start in enumerate(starts, start=1):
        mark: dict[str, Any] = {"id": f"e{number}", **_place(question, text, start, start + int(rng.integers(1, 3)))}
        if labels:
            mark["label"] = str(rng.choice(labels))
        for attribute in question["attributes"]:
            mark[attribute["id"]] = _answer(attribute, shown, rng)
        linked = _place(question, text, free[0], free[0] + 1)
        links = {link["id"]: [linked] * link["at_least"] for link in question["links"]}
        marks.append({**mark, **({"links": links} if links else {})})
    return marks


def _place(question: Mapping[str, Any], text: ShownText, start: int, end: int) -> dict[str, int]:
    """These tokens in what the question's positions count."""
    if question["by"] == "token":
        return {"start": start, "end": end}
    return {"start": text.text.tokens[start].start, "end": text.text.tokens[end - 1].end}


def _leaves(labels: list[dict[str, Any]], above: str = "") -> list[str]:
    found: list[str] = []
    for label in labels:
        path = f"{above}{label['id']}"
        found += _leaves(label["children"], f"{path}.") if label.get("children") else [path]
    return found
