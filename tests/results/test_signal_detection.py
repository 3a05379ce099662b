"""d' and criterion against a textbook's example, and by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from goldmark.results.options import AnalysisOptions
from goldmark.results.published.humanlike.signal_detection import criterion, d_prime, signal
from goldmark.results.published.humanlike.study import SourceJudgement


def judged(evaluator: str, machine: int, hits: int, human: int, false: int) -> list[SourceJudgement]:
    found = [SourceJudgement(evaluator, f"m{place}", True, place < hits, False) for place in range(machine)]
    return found + [SourceJudgement(evaluator, f"h{place}", False, place < false, False) for place in range(human)]


def test_the_example_of_stanislaw_and_todorov() -> None:
    # Behavior Research Methods 1999: 25 signal and 25 noise trials, 20 hits and 10 false alarms: d' = 1.09, c = -.29,
    # without the half that we add; of many such trials it hardly counts.
    sums = 1000 * np.array([[25.0, 20.0, 25.0, 10.0]])
    assert d_prime(sums)[0] == pytest.approx(1.095, abs=0.001)
    assert criterion(sums)[0] == pytest.approx(-0.294, abs=0.001)
    # With it: z(20.5 / 26) - z(10.5 / 26).
    assert d_prime(sums / 1000)[0] == pytest.approx(norm.ppf(20.5 / 26) - norm.ppf(10.5 / 26))


def test_leaning_is_no_skill() -> None:
    always = [one for person in range(12) for one in judged(f"p{person}", 5, 5, 5, 5)]
    row = signal(always, AnalysisOptions())
    assert row["d_prime"] == pytest.approx(0)
    assert row["criterion"] < -2  # type: ignore[operator]
    assert row["d_prime_low"] is None
    assert "nothing tells how far" in str(row["reason"])


def test_what_was_simulated_is_recovered() -> None:
    rng = np.random.default_rng(4)
    hit, false = norm.cdf(1.2 / 2 - 0.3), norm.cdf(-1.2 / 2 - 0.3)
    people = [
        one
        for person in range(60)
        for one in judged(f"p{person}", 10, int(rng.binomial(10, hit)), 10, int(rng.binomial(10, false)))
    ]
    row = signal(people, AnalysisOptions())
    assert row["d_prime_low"] < 1.2 < row["d_prime_high"]  # type: ignore[operator]
    assert row["criterion_low"] < 0.3 < row["criterion_high"]  # type: ignore[operator]
    assert (row["evaluators"], row["answers"]) == (60, 1200)


def test_one_kind_of_text_tells_nothing() -> None:
    row = signal(judged("p", 4, 3, 0, 0), AnalysisOptions())
    assert row["d_prime"] is None
    assert row["false_alarm_rate"] is None
    assert row["reason"] == "texts of both kinds are needed"
