"""`goldmark leaderboard plan`: how many annotations, what they cost, which differences they show."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from goldmark.cli.choices import Count, Flag, Probability
from goldmark.cli.show import Format, show


def plan(
    *,
    annotations: Count | None = None,
    error: float | None = None,
    difference: float | None = None,
    mean: float = 0.5,
    deviation: float | None = None,
    price: float = 0.0,
    tests: float = 0.1,
    systems: Count = 1,
    power: Probability = 0.8,
    alpha: Probability = 0.05,
    format: Annotated[Format, Parameter(name="--format")] = "table",  # noqa: A002
    json: Flag = False,
) -> None:
    """How many annotations a system needs. Give their number, the standard error to reach, or a difference to find.

    Parameters
    ----------
    annotations
        How many annotations there are for one system.
    error
        The standard error that its score should have at most.
    difference
        A difference between two systems that should be found.
    mean
        The score that is expected, between 0 and 1; the middle is the worst case (Bhatia-Davis).
    deviation
        The standard deviation of a single annotation, where a pilot or an earlier round has measured it.
    price
        What one label costs.
    tests
        The share of test questions among all labels.
    systems
        How many systems are to be judged.
    power
        The probability with which the difference should be found.
    alpha
        The level of the test.
    format
        How to print: for people, as CSV at full precision, or as LaTeX (booktabs).
    json
        For machines.
    """
    from goldmark.leaderboards.planning import Wanted, plan_annotations

    wanted = Wanted(
        annotations=annotations,
        error=error,
        mean=mean,
        deviation=deviation,
        price=price,
        tests=tests,
        systems=systems,
        difference=difference,
        power=power,
        alpha=alpha,
    )
    show(plan_annotations(wanted), form=format, json=json)
