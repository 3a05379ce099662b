"""Checking an answer: what it costs beside reading its JSON, which nobody can leave out."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

from goldmark.protocols import load, validate
from goldmark.records.units import ShownText, ShownUnit
from goldmark.texts.readers.gsml import spaced_text

WORDS, SPANS, TIMES = 300, 15, 500


def main() -> None:
    text = spaced_text("u", " ".join(["word"] * WORDS))
    protocol, shown = load("accuracy"), ShownUnit({"text": ShownText(text)})
    marks = [{"id": f"e{n}", "start": 20 * n, "end": 20 * n + 3, "label": "NUMBER"} for n in range(SPANS)]
    answers = {"mistakes": [{**mark, "comment": "c" * 80} for mark in marks]}
    written = json.dumps(answers)
    checking, reading = _seconds(lambda: validate(protocol, answers, shown)), _seconds(lambda: json.loads(written))
    print(f"answer of {SPANS} spans on {WORDS} words checked in {1e6 * checking:.0f} us", end="")
    print(f", {checking / reading:.1f} times the reading of its JSON; bar: 1,000 answers a second")


def _seconds(work: Callable[[], object]) -> float:
    work()
    start = time.process_time()
    for _ in range(TIMES):
        work()
    return (time.process_time() - start) / TIMES
