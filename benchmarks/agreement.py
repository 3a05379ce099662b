"""Krippendorff's alpha and bootstrap intervals: time and peak memory against the usual ways."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable

MEASURED = """
import resource, sys, time
import numpy as np
{imports}
rng = np.random.default_rng(0)
annotators, items, labels, highest = {shape}
key = rng.choice(annotators * items, size=labels, replace=False)
units, people = key % items, key // items
truth = rng.normal(50, 20, items)
values = np.clip(np.rint((truth[units] + rng.normal(0, 15, labels)) * highest / 100), 0, highest).astype(np.int64)
del truth, key
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.perf_counter()
{work}
print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, alpha)
"""
OURS = (
    "from goldmark.stats.agreement_measures.alpha import krippendorff\n"
    "from goldmark.stats.agreement_measures.unit_labels import UnitLabels",
    "alpha = krippendorff(UnitLabels.of(units, people, values), 'interval').value",
)
PEER = (
    "import krippendorff",
    "table = np.full((annotators, items), np.nan); table[people, units] = values\n"
    "alpha = krippendorff.alpha(reliability_data=table, level_of_measurement='interval')",
)


def main() -> None:
    small = (1000, 5000, 50_000, 20)
    full = (1000, 50_000, 500_000, 100)
    print("Krippendorff's alpha, interval level (each in a process of its own; memory is the process's peak)")
    ours, peer = alpha(small, OURS), alpha(small, PEER)
    print(f"  {small[0]} annotators x {small[1]} items, {small[2]} labels 0-{small[3]}:")
    print(f"    krippendorff package  {peer[0]:7.3f} s  {peer[1]:7.0f} MB  alpha {peer[2]:.6f}")
    print(f"    goldmark              {ours[0]:7.3f} s  {ours[1]:7.0f} MB  alpha {ours[2]:.6f}")
    print(f"    ratio                 {peer[0] / ours[0]:7.1f} x  {peer[1] / ours[1]:6.1f} x")
    large = alpha(full, OURS)
    print(f"  {full[0]} annotators x {full[1]} items, {full[2]} labels 0-{full[3]}:")
    print(f"    goldmark              {large[0]:7.3f} s  {large[1]:7.0f} MB  (bar: 1 s, 150 MB)")


def alpha(shape: tuple[int, int, int, int], how: tuple[str, str]) -> tuple[float, float, float]:
    code = MEASURED.format(imports=how[0], shape=shape, work=how[1])
    printed = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    seconds, megabytes, value = printed.split()
    return float(seconds), float(megabytes), float(value)


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
