"""What the model of noisy annotators says of people, as records: nothing here computes, so a page loads no numbers."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from goldmark.records.figures import Interval


class AnnotatorEstimate(NamedTuple):
    """What is known of one annotator: the probability of being noisy, by kind of question and in all."""

    worker: str
    correct: int
    n: int
    noisy: float
    flagged: bool
    by_kind: tuple[tuple[str, float], ...]
    expected_accuracy: float | None  # None where there are several kinds, each with its own


class Moment(NamedTuple):
    """What was known of someone after so many test questions."""

    asked: int
    right: int
    noisy: float
    at: datetime


class SignAccuracy(NamedTuple):
    """Test questions of one sign: how many were right, with the exact interval of the share, and what follows."""

    sign: str
    right: int
    asked: int
    interval: Interval
    noisy: float


class AnnotatorStatus(NamedTuple):
    """What the model says of one person now."""

    judgement: AnnotatorEstimate
    by_sign: tuple[SignAccuracy, ...]
