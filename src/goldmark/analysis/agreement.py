"""Agreement on labels, computed in one way for the command, the results and the files."""

from __future__ import annotations

import numpy as np

from goldmark.records.figures import Figure
from goldmark.stats.agreement import Labels, Level, krippendorff, percent_agreement
from goldmark.stats.agreement_kappa import fleiss

RESAMPLES = 1000
SEED = 17


def label_agreement(labels: Labels, level: Level, *, resamples: int = RESAMPLES, seed: int = SEED) -> dict[str, Figure]:
    """Alpha at a level, percent agreement and Fleiss' kappa.

    Each draws from a generator of its own, so that a figure does not depend on which others are computed with it.
    """
    return {
        "alpha": krippendorff(labels, level, rng=np.random.default_rng(seed), resamples=resamples),
        "percent": percent_agreement(labels, rng=np.random.default_rng(seed), resamples=resamples),
        "fleiss": fleiss(labels, rng=np.random.default_rng(seed), resamples=resamples),
    }
