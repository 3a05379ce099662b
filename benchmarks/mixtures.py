"""The noisy-annotator mixture: our fit against the published procedure, and large crowds."""

from __future__ import annotations

import time

import numpy as np

from benchmarks import _published_mixture as published
from goldmark.quality.noisy import PSEUDO_CORRECT, PSEUDO_N
from goldmark.simulate.noisy import QUESTIONS, draw_crowd, study
from goldmark.stats.models.beta_mixtures import fit_mixture

STARTS = 10
MEASURED_STARTS = 2  # of the published ten: all of them take a minute or two, and starts differ little in length


def main() -> None:
    crowd = draw_crowd(QUESTIONS, np.random.default_rng(1))
    correct = np.concatenate([crowd.correct, PSEUDO_CORRECT])
    n = np.concatenate([crowd.n, PSEUDO_N])
    times = []
    for _ in range(5):
        begun = time.process_time()
        ours = fit_mixture(correct, n, components=2, rng=np.random.default_rng(0))
        times.append(time.process_time() - begun)
    seconds = float(np.median(times))
    begun = time.process_time()
    theirs = published.fit(
        correct.astype(float),
        (n - correct).astype(float),
        components=2,
        rng=np.random.default_rng(0),
        starts=MEASURED_STARTS,
    )
    peer = (time.process_time() - begun) * STARTS / MEASURED_STARTS
    print(f"88 annotators, 2 components: ours {seconds:.3f} s of CPU ({len(ours.starts)} starts)")
    print(
        f"  published procedure {peer:.1f} s of CPU for {STARTS} starts, "
        f"from {MEASURED_STARTS} measured: {peer / seconds:,.0f} times as long"
    )
    print(f"  log likelihood: ours {ours.log_likelihood:.6f}, published {theirs.log_likelihood:.6f}")
    for people in (10_000, 100_000):
        many = draw_crowd(np.random.default_rng(2).choice(QUESTIONS, size=people), np.random.default_rng(3))
        begun = time.perf_counter()
        fit = fit_mixture(many.correct, many.n, components=2, rng=np.random.default_rng(0))
        print(f"{people:,} annotators: {time.perf_counter() - begun:.2f} s, converged: {fit.converged}")
    begun = time.perf_counter()
    study(rng=np.random.default_rng(0))
    print(f"simulation study, 25 rounds x 8 models: {time.perf_counter() - begun:.1f} s")


if __name__ == "__main__":
    main()
