"""The interval of a median of answers that hang together, such as the times of a few people.

Woodruff's (1952): the share of answers below the median is one half, and how far that share would move with other
people is known from those there are; where the answers of these shares lie are the ends. Nothing is resampled, nothing
is taken to be normal but a share, and it holds with five people as with fifty.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from goldmark.records.figures import Figure, Interval
from goldmark.records.tidy.coded import Codes
from goldmark.stats.inference.student import student_quantile

FAR_MORE = 4  # an answer counts for at most so many, however evenly people happen to lie around the median


def clustered_median(values: ArrayLike, cluster: Codes, level: float = 0.95, what: str = "person") -> Figure:
    """The median of all values, each of a cluster (a code from 0)."""
    sample = np.asarray(values, dtype=np.float64)
    if not len(sample):
        return Figure(None, reason="there is nothing to count", used=0)
    median, n = float(np.median(sample)), len(sample)
    names, code = np.unique(cluster, return_inverse=True)
    clusters, many = len(names), "people" if what == "person" else f"{what}s"
    if clusters < 2:
        return Figure(median, reason=f"one {what} alone says nothing of other {many}", used=n)
    above = (np.sign(sample - median) / 2).astype(np.float64)
    away = np.bincount(code, weights=above, minlength=clusters)
    variance = max(clusters / (clusters - 1) * float(away @ away) / n**2, 0.25 / (FAR_MORE * n))
    half = student_quantile((1 + level) / 2, clusters - 1) * math.sqrt(variance)
    if half >= 0.5 - 0.5 / n:
        why = f"{clusters} {many} are too few to say how far the median would move with others"
        return Figure(median, reason=why, used=n)
    low, high = np.quantile(sample, [0.5 - half, 0.5 + half]).tolist()
    return Figure(median, Interval(low, high, level), used=n)
