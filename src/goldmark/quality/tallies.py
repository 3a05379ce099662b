"""A table of test questions answered, one row per annotator and kind, from which noisy annotators are found."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from goldmark.errors import Problem, ProblemsFound
from goldmark.quality.noisy import AnnotatorModel, NoisyAnnotators, QuestionScore
from goldmark.records.tidy.columns import Column, Columns, Frame, line_of

MOST = 1e9  # questions that one annotator may have answered; more is a slip of the keyboard
TALLIES = Columns(
    Column("worker", about="who answered"),
    Column("correct", "whole", about="how many answers were right", low=0),
    Column("n", "whole", about="how many test questions were answered", low=0, high=MOST),
    Column("kind", about="the kind of test question: positive or negative", optional=True),
)


def fit_table(
    frame: Frame, model: AnnotatorModel, names: Mapping[str, str] | None = None, *, seed: int = 0
) -> NoisyAnnotators:
    """A model of the annotators of a table; `names` says how it calls its columns."""
    return NoisyAnnotators.fit(read_tallies(frame, names), model, rng=np.random.default_rng(seed), seed=seed)


def read_tallies(frame: Frame, names: Mapping[str, str] | None = None) -> list[QuestionScore]:
    """Every annotator's right answers and questions; or every bad row of the table at once."""
    worker = "annotator" if "annotator" in frame.cells and "worker" not in frame.cells else "worker"
    called = {"worker": worker, **{name: column for name, column in (names or {}).items() if column}}
    impossible = _more_right_than_asked(frame, called)
    try:
        checked = TALLIES.check(frame, called, options=True)
    except ProblemsFound as found:
        problems = sorted([*found.problems, *impossible], key=line_of)
        raise ProblemsFound(problems, consequence="nothing was computed") from None
    if impossible:
        raise ProblemsFound(impossible, consequence="nothing was computed")
    kinds = checked.texts("kind") if "kind" in checked else [""] * len(checked)
    rows = zip(checked.texts("worker"), checked.filled("correct"), checked.filled("n"), kinds, strict=True)
    return [QuestionScore(name, int(right), int(asked), kind) for name, right, asked, kind in rows]


def _more_right_than_asked(frame: Frame, names: Mapping[str, str]) -> list[Problem]:
    """Looked for in the cells as they are, so that these rows are told of together with all others."""
    correct, n = (frame.cells.get(names.get(name, name), ()) for name in ("correct", "n"))
    return [
        Problem(frame.where(row), f"{right} right answers to {asked} questions", "correct is at most n")
        for row, (right, asked) in enumerate(zip(correct, n, strict=False))
        if right.strip().isdecimal() and asked.strip().isdecimal() and int(right) > int(asked)
    ]
