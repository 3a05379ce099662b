"""Mixed models with crossed people and items: a linear and an ordinal one of 20,000 ratings."""

from __future__ import annotations

import time

import numpy as np

from goldmark.stats.mixed_models.rating_models import RatingDesign, linear_rating_model, ordinal_rating_model

SYSTEMS, ITEMS, LABELS, PEOPLE = 4, 1250, 4, 60


def main() -> None:
    rng = np.random.default_rng(0)
    system, item, _ = (codes.ravel() for codes in np.indices((SYSTEMS, ITEMS, LABELS)))
    person = np.argsort(rng.random((SYSTEMS * ITEMS, PEOPLE)), axis=1)[:, :LABELS].ravel()
    hidden = (
        np.array([0, 0.3, 0.5, 1.0])[system]
        + rng.normal(0, 0.7, ITEMS)[item]
        + rng.normal(0, 0.5, (SYSTEMS, ITEMS))[system, item]
        + rng.normal(0, 0.8, PEOPLE)[person]
        + rng.normal(0, 0.3, (PEOPLE, SYSTEMS))[person, system]
        + rng.logistic(size=len(system))
    )
    score = np.searchsorted([-2, -0.7, 0.8, 2.0], hidden).astype(float)
    design = RatingDesign.of(*([f"{code:04}" for code in codes] for codes in (system, item, person)))
    for name, fit in (("linear", linear_rating_model), ("ordinal", ordinal_rating_model)):
        start, busy = time.perf_counter(), time.process_time()
        model = fit(design, score)
        pairs = model.pairs  # with their intervals
        took, work = time.perf_counter() - start, time.process_time() - busy
        print(f"{name}: {len(score):,} ratings, {len(design.effects)} random effects, {len(pairs)} differences with")
        print(f"  intervals   {took:6.1f} s ({work:.1f} s of one core; bar for the ordinal model: 20 s)")


if __name__ == "__main__":
    main()
