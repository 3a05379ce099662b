"""Climb the likelihood of a Beta-binomial mixture from many starts at once, by Newton steps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from goldmark.stats.models.log_gamma import Floats, Ints, rising

# Where log alpha and log beta may go. The limits stand for "everyone alike" (a binomial) and "never right" or "never
# wrong"; at 1e9 a Beta-binomial and a binomial over 100,000 questions differ by less than one part in 10,000.
LOWEST, HIGHEST = float(np.log(1e-6)), float(np.log(1e9))
# The longest step in any log-parameter: a start can cross the whole plane in a dozen steps, but not in one.
LONGEST_STEP = 2.0
# A curvature smaller than this part of the largest is treated as this large, so that flat directions give long but
# finite steps.
FLATTEST = 1e-9
HALVINGS = 30


class ClimbResults(NamedTuple):
    """Per start: where the climb ended and how (log likelihoods without the binomial coefficients)."""

    log_likelihoods: Floats
    weights: Floats
    log_alphas: Floats
    log_betas: Floats
    iterations: Ints
    converged: NDArray[np.bool_]


class _Data(NamedTuple):
    """Distinct results and how many people have each; every count is looked up among the distinct ones."""

    people: Floats
    right: tuple[Floats, Ints]
    wrong: tuple[Floats, Ints]
    asked: tuple[Floats, Ints]


def climb(
    right: Ints, asked: Ints, people: Floats, starts: Floats, *, iterations: int, tolerance: float
) -> ClimbResults:
    """From `starts` (log alpha, log beta; each starts x components), with equal weights, to a maximum each.

    The parameters of a start are its weights' logits, log alphas and log betas, in one row. A step is the gradient
    divided by the absolute curvature in each principal direction: uphill where Newton's own step would go to a saddle.
    """
    data = _Data(people, *(_distinct(values) for values in (right, asked - right, asked)))
    size, components = starts.shape[1:]
    place = np.concatenate([np.zeros((size, components)), starts[0], starts[1]], axis=1)
    value = _value(place, data)
    steps, done = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=bool)
    for _ in range(iterations):
        active = np.flatnonzero(~done)
        if not active.size:
            break
        gradient, curvature = _slopes(place[active], data)
        step, gain = _uphill(place[active], gradient, curvature)
        arrived = gain <= tolerance * np.maximum(1.0, np.abs(value[active]))
        done[active[arrived]] = True
        active, step, gain = active[~arrived], step[~arrived], gain[~arrived]
        moved = _search(place, value, active, step, gain, data)
        steps[active] += 1
        # No step, however short, goes up: rounding has the last word, and this is as high as it gets.
        done[active[~moved]] = True
    logits, log_alphas, log_betas = np.split(place, 3, axis=1)
    return ClimbResults(value, np.exp(_log_weights(logits)), log_alphas, log_betas, steps, done)


def _distinct(values: Ints) -> tuple[Floats, Ints]:
    distinct, where = np.unique(values, return_inverse=True)
    return distinct.astype(float), where


def _log_weights(logits: Floats) -> Floats:
    top = logits.max(axis=1, keepdims=True)
    return np.asarray(logits - top - np.log(np.exp(logits - top).sum(axis=1, keepdims=True)))


def _terms(place: Floats, data: _Data, derivatives: bool) -> tuple[Floats, list[tuple[Floats, ...]]]:
    """Starts x components x results: log weight + log likelihood; and the parts the derivatives are made of."""
    logits, log_alphas, log_betas = np.split(place, 3, axis=1)
    alphas, betas = np.exp(log_alphas)[:, :, None], np.exp(log_betas)[:, :, None]
    parts = [
        tuple(found[:, :, where] for found in rising(a, distinct, derivatives))
        for a, (distinct, where) in ((alphas, data.right), (betas, data.wrong), (alphas + betas, data.asked))
    ]
    joint = _log_weights(logits)[:, :, None] + parts[0][0] + parts[1][0] - parts[2][0]
    return joint, parts


def _value(place: Floats, data: _Data) -> Floats:
    joint, _ = _terms(place, data, derivatives=False)
    top = joint.max(axis=1)
    return np.asarray((top + np.log(np.exp(joint - top[:, None]).sum(axis=1))) @ data.people)


def _slopes(place: Floats, data: _Data) -> tuple[Floats, Floats]:
    """Gradient and Hessian of the log likelihood in every start's parameters."""
    joint, parts = _terms(place, data, derivatives=True)
    components = joint.shape[1]
    share = np.exp(joint - joint.max(axis=1, keepdims=True))
    share /= share.sum(axis=1, keepdims=True)
    logits, log_alphas, log_betas = np.split(place, 3, axis=1)
    weights, alphas, betas = np.exp(_log_weights(logits)), np.exp(log_alphas)[:, :, None], np.exp(log_betas)[:, :, None]
    by_alpha = alphas * (parts[0][1] - parts[2][1])
    by_beta = betas * (parts[1][1] - parts[2][1])
    weighted = share * data.people  # starts x components x results
    # Of one result, the gradient in component k's parameters is share_k times (1 in its logit, by_alpha, by_beta);
    # the logit's own -weight_k is the same for all results and is put in at the end.
    slopes = np.concatenate([share, share * by_alpha, share * by_beta], axis=1)
    total = slopes @ data.people
    k = np.arange(components)
    hessian = -np.matmul(slopes * data.people, slopes.transpose(0, 2, 1))
    own = np.zeros_like(hessian)
    a, b = components + k, 2 * components + k
    second_alpha = by_alpha + alphas**2 * (parts[0][2] - parts[2][2])
    second_beta = by_beta + betas**2 * (parts[1][2] - parts[2][2])
    for row, column, term in (
        (k, k, 1.0),
        (k, a, by_alpha),
        (k, b, by_beta),
        (a, a, second_alpha + by_alpha**2),
        (b, b, second_beta + by_beta**2),
        (a, b, -alphas * betas * parts[2][2] + by_alpha * by_beta),
    ):
        sums = (weighted * term).sum(axis=2)
        own[:, row, column] = sums
        own[:, column, row] = sums
    hessian += own
    number = data.people.sum()
    gradient = total.copy()
    gradient[:, :components] -= number * weights
    hessian[:, :components, :components] -= number * (
        weights[:, :, None] * np.eye(components) - weights[:, :, None] * weights[:, None, :]
    )
    return gradient, hessian


def _uphill(place: Floats, gradient: Floats, curvature: Floats) -> tuple[Floats, Floats]:
    """The step of every start, cut to the longest allowed, and the gain it promises."""
    components = place.shape[1] // 3
    logs = place[:, components:]
    held = np.zeros_like(place, dtype=bool)
    held[:, components:] = ((logs <= LOWEST) & (gradient[:, components:] < 0)) | (
        (logs >= HIGHEST) & (gradient[:, components:] > 0)
    )
    gradient = np.where(held, 0.0, gradient)
    curvature = np.where(held[:, :, None] | held[:, None, :], 0.0, curvature)
    values, vectors = np.linalg.eigh(curvature)
    size = np.abs(values)
    size = np.maximum(size, np.maximum(FLATTEST * size.max(axis=1, keepdims=True), 1e-12))
    along = np.einsum("spd,sp->sd", vectors, gradient)
    step = np.einsum("spd,sd->sp", vectors, along / size)
    longest = np.abs(step).max(axis=1, keepdims=True)
    cut = np.minimum(1.0, LONGEST_STEP / np.maximum(longest, 1e-300))
    return step * cut, np.asarray((gradient * step).sum(axis=1) * cut[:, 0])


def _search(place: Floats, value: Floats, active: Ints, step: Floats, gain: Floats, data: _Data) -> NDArray[np.bool_]:
    """Take each start's step, halved until it goes up; say which could move. Changes `place` and `value`."""
    components = place.shape[1] // 3
    moved = np.zeros(active.size, dtype=bool)
    waiting = np.arange(active.size)
    length = 1.0
    for _ in range(HALVINGS):
        if not waiting.size:
            break
        rows = active[waiting]
        trial = place[rows] + length * step[waiting]
        trial[:, components:] = np.clip(trial[:, components:], LOWEST, HIGHEST)
        trial[:, :components] -= trial[:, :components].max(axis=1, keepdims=True)
        reached = _value(trial, data)
        up = reached >= value[rows] + 1e-4 * length * gain[waiting]
        place[rows[up]], value[rows[up]] = trial[up], reached[up]
        moved[waiting[up]] = True
        waiting = waiting[~up]
        length /= 2
    return moved
