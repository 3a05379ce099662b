"""Label aggregation on a million labels, against crowd-kit where it can be had.

crowd-kit asks for torch and transformers, which its classification models never import, so it is installed without
its dependencies into an environment of its own in the user's cache. Where that fails, only our own times are printed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import psutil

from goldmark.stats.models.aggregation import ItemLabels
from goldmark.stats.models.latent_truth import Method, aggregate

ITEMS, EACH, ANNOTATORS, VALUES = 200_000, 5, 2_000, 4
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "goldmark-bench" / "crowd-kit"
NEEDS = ("numpy", "scipy", "pandas", "attrs", "tqdm", "scikit-learn", "nltk")
MACE_ITERATIONS, MACE_DEFAULT = 3, 10 * 50  # measured, and crowd-kit's own 10 restarts of 50

PEER = f"""
import sys, time
import numpy as np, pandas as pd
from crowdkit.aggregation.classification import MACE, DawidSkene, OneCoinDawidSkene
data = np.load(sys.argv[1])
frame = pd.DataFrame({{"task": data["item"], "worker": data["annotator"], "label": data["value"]}})
for name, model in (("dawid-skene", DawidSkene()), ("one-coin", OneCoinDawidSkene()),
                    ("mace", MACE(n_restarts=1, n_iter={MACE_ITERATIONS}))):
    begun = time.process_time()
    labels = model.fit_predict(frame)
    seconds = time.process_time() - begun
    print(name, seconds, (labels.sort_index().to_numpy() == data["truth"]).mean())
"""


def main() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, VALUES, ITEMS)
    item = np.repeat(np.arange(ITEMS), EACH)
    annotator = rng.integers(0, ANNOTATORS, len(item))
    knows = rng.uniform(size=len(item)) < rng.beta(4, 2, ANNOTATORS)[annotator]
    value = np.where(knows, truth[item], rng.integers(0, VALUES, len(item)))
    print(f"{len(item):,} labels, {ITEMS:,} items, {ANNOTATORS:,} annotators, {VALUES} values; CPU time")
    ours: dict[str, float] = {}
    methods: tuple[Method, ...] = ("majority", "dawid-skene", "one-coin", "mace")
    for method in methods:
        begun = time.process_time()
        done = aggregate(ItemLabels.of(item, annotator, value), method, rng=np.random.default_rng(0))
        ours[method] = time.process_time() - begun
        right = float((done.posterior.argmax(axis=1) == truth).mean())
        steps = f", {done.ending.iterations} steps" if done.ending else ""
        print(f"  {method:12} {ours[method]:7.2f} s, accuracy {right:.4f}{steps}")
    print(f"  {psutil.Process().memory_info().rss / 1e6:.0f} MB of memory held at the end")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "labels.npz"
        np.savez(file, item=item, annotator=annotator, value=value, truth=truth)
        _compare(file, ours)


def _compare(file: Path, ours: dict[str, float]) -> None:
    python = _environment()
    if python is None:
        print("crowd-kit could not be installed here: no comparison")
        return
    answer = subprocess.run([python, "-c", PEER, file], capture_output=True, text=True, check=False)
    if answer.returncode:
        print(f"crowd-kit failed: {answer.stderr.strip().splitlines()[-1:]}: no comparison")
        return
    for line in answer.stdout.splitlines():
        name, seconds, right = line.split()
        spent, how = float(seconds), "its defaults"
        if name == "mace":
            spent *= MACE_DEFAULT / (MACE_ITERATIONS + 1)  # it begins with one more pass over the labels
            how = f"its 10 restarts of 50 steps, from {MACE_ITERATIONS} measured"
        times = f"{spent:7.2f} s ({how}), {spent / ours[name]:.1f} times as long"
        print(f"  crowd-kit {name:12} {times}, accuracy {float(right):.4f}")


def _environment() -> Path | None:
    python = CACHE / "bin" / "python"
    uv = Path(sys.executable).with_name("uv")
    if (CACHE / ".ready").exists():
        return python
    try:
        subprocess.run([uv, "venv", "--quiet", "--clear", "--python", sys.executable, CACHE], check=True)
        install: list[str | Path] = [uv, "pip", "install", "--quiet", "--python", python]
        subprocess.run([*install, "--no-deps", "crowd-kit"], check=True)
        subprocess.run([*install, *NEEDS], check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    (CACHE / ".ready").touch()
    return python


if __name__ == "__main__":
    main()
