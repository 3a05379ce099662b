"""Soft labels: what people said of a unit as a distribution, and how far a prediction is from it.

Where people differ, their one most frequent answer hides that they do. With p the shares of people's answers to a unit
and q predicted probabilities,

    cross-entropy = - sum p ln q              at least the entropy of p, which only q = p reaches
    Jensen-Shannon = H((p + q) / 2) - (H(p) + H(q)) / 2, with logarithms to base 2: 0 if equal, 1 if nothing is shared
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import scipy

from goldmark.records.figures import Figure
from goldmark.stats.inference.bootstrap import ratio
from goldmark.stats.inference.sums import sums_figure
from goldmark.stats.models.log_gamma import Floats


class Distances(NamedTuple):
    """How far a prediction is from what people said, on average over units."""

    cross_entropy: Figure
    jensen_shannon: Figure


def entropies(shares: Floats) -> Floats:
    """Of each row, in nats."""
    found: Floats = scipy.special.entr(shares).sum(axis=-1)
    return found


def cross_entropies(people: Floats, predicted: Floats) -> Floats:
    """Of each row, in nats; infinite where people said what was predicted never to be said."""
    with np.errstate(divide="ignore"):
        found: Floats = -scipy.special.xlogy(people, predicted).sum(axis=-1)
    return found


def divergences(people: Floats, predicted: Floats) -> Floats:
    """Jensen and Shannon's of each row, 0 to 1."""
    middle = entropies((people + predicted) / 2)
    own = (entropies(people) + entropies(predicted)) / 2
    found: Floats = np.clip((middle - own) / np.log(2), 0.0, 1.0)
    return found


def distances(people: Floats, predicted: Floats, level: float = 0.95) -> Distances:
    """Of units x values, each row a distribution. Intervals are over units."""
    across = cross_entropies(people, predicted)
    never = int(np.isinf(across).sum())
    if never:
        units = "one unit" if never == 1 else f"{never} units"
        why = f"infinite: in {units} people gave an answer that has probability 0"
        cross = Figure(None, reason=why, used=len(across))
    else:
        cross = mean_over_units(across, top=None, level=level)
    return Distances(cross, mean_over_units(divergences(people, predicted), level=level))


def mean_over_units(values: Floats, *, top: float | None = 1.0, level: float = 0.95) -> Figure:
    counts = np.stack([np.ones(len(values)), values], axis=1)
    found = sums_figure(counts, lambda sums: ratio(sums[:, 1], sums[:, 0]), top=top, level=level, what="unit")
    if found.interval is None or found.interval.low >= 0:
        return found
    return replace(found, interval=found.interval._replace(low=0.0))  # no entropy is below


def one_against_others(votes: Floats, level: float = 0.95) -> Figure:
    """Jensen-Shannon of one person's answer from the shares of the others, on average over people, then over units.

    What says how well people themselves foretell people. `votes` are units x values; units with one answer are left
    out.
    """
    several = votes[votes.sum(axis=1) > 1]
    total = several.sum(axis=1)
    mean = np.zeros(len(several))
    for value in range(votes.shape[1]):
        said = several[:, value] > 0
        others = several[said].copy()
        others[:, value] -= 1
        rest = others / (total[said] - 1)[:, None]
        answer = np.broadcast_to(np.eye(votes.shape[1])[value], rest.shape)
        mean[said] += divergences(rest, answer) * several[said, value] / total[said]
    if not len(several):
        return Figure(None, reason="no unit was answered by two people", used=0)
    return mean_over_units(mean, level=level)
