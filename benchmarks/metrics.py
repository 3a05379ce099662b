"""Metrics and jobs: ours against the packages called directly, an interval by sums against sacrebleu's own.

Also what a second process brings, and how many small jobs one worker does. Ratios are what counts; seconds of one core
where nothing else is said.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from goldmark.jobs import Running, Worker, enqueue, register
from goldmark.jobs.fanout import WorkerPool
from goldmark.metrics.plugins import Spec, Texts, opened
from goldmark.metrics.scores import score
from goldmark.stats.inference.sums import sums_figure
from goldmark.store import open_store
from goldmark.store.migrate import upgrade

TEXTS, WORDS, RESAMPLES, JOBS = 4_000, 40, 1_000, 300


def main() -> None:
    texts = corpus(np.random.default_rng(7))
    direct(texts)
    intervals(texts)
    with WorkerPool(processes=2) as pool:
        fan_out(texts, pool)
    jobs()


def corpus(rng: np.random.Generator) -> Texts:
    """Outputs that share three words of four with their reference, words as frequent as Zipf says."""
    vocabulary = np.array([f"w{number}" for number in range(5_000)])
    share = 1 / np.arange(1, 5_001)
    words = rng.choice(vocabulary, size=(TEXTS, WORDS), p=share / share.sum())
    other = rng.choice(vocabulary, size=(TEXTS, WORDS), p=share / share.sum())
    outputs = np.where(rng.random((TEXTS, WORDS)) < 0.75, words, other)
    return Texts([" ".join(row) for row in outputs], [[" ".join(row)] for row in words])


def seconds(work: Callable[[], Any], clock: Callable[[], float] = time.process_time) -> float:
    start = clock()
    work()
    return clock() - start


def measure(name: str, texts: Texts) -> float:
    return seconds(lambda: score(Spec.parse(name), texts))


def direct(texts: Texts) -> None:
    """All we add to a package: the interval, every text's own value, the signature."""
    from rouge_score.rouge_scorer import RougeScorer
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF

    few = texts.part(0, 1_000)
    streams = [[references[0] for references in few.references]]
    rouge = RougeScorer(["rougeL"], use_stemmer=True)
    packages: dict[str, Callable[[], Any]] = {
        "bleu": lambda: BLEU().corpus_score(list(few.outputs), streams),
        "chrf": lambda: CHRF().corpus_score(list(few.outputs), streams),
        "rougeL": lambda: [rouge.score(*pair) for pair in zip(streams[0], few.outputs, strict=True)],
    }
    for name, package in packages.items():
        measure(name, few.part(0, 10))
        theirs, ours = seconds(package), measure(name, few)
        print(f"{name:7} 1,000 texts: package {theirs:.2f} s, ours with interval and segments {ours:.2f} s", end="")
        print(f" ({ours / theirs:.2f} times)")


def intervals(texts: Texts) -> None:
    from sacrebleu.metrics.bleu import BLEU

    streams = [[references[0] for references in texts.references]]
    plain = seconds(lambda: BLEU().corpus_score(list(texts.outputs), streams))
    theirs = seconds(lambda: BLEU().corpus_score(list(texts.outputs), streams, n_bootstrap=RESAMPLES)) - plain
    metric = opened(Spec.parse("bleu"))
    counts = metric.count(texts)
    ours = seconds(lambda: sums_figure(counts, metric.corpus, top=100.0))
    print(f"interval of BLEU, {TEXTS:,} texts, {RESAMPLES:,} resamples or each text left out: ", end="")
    print(f"sacrebleu {theirs:.2f} s, ours {ours:.2f} s ({theirs / ours:.1f} times faster)")


def fan_out(texts: Texts, pool: WorkerPool) -> None:
    def waited(given: WorkerPool | None, some: Texts = texts) -> float:
        return seconds(lambda: score(Spec.parse("chrf"), some, pool=given), time.perf_counter)

    waited(pool, texts.part(0, 400))  # processes take a while to start, once
    alone, together = waited(None), waited(pool)
    print(f"chrf of {TEXTS:,} texts, waited: one process {alone:.2f} s, two {together:.2f} s", end="")
    print(f" ({alone / together:.2f} times)")


@register("benchmark.nothing")
def _nothing(running: Running) -> None:
    running.progress(1, 1)


def jobs() -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(str(Path(folder) / "goldmark.db"))
        upgrade(store)
        for _ in range(JOBS):
            store.write(lambda connection: enqueue(connection, "benchmark.nothing", {}, author="benchmark"))
        took = seconds(Worker(store).run_until_empty, time.perf_counter)
        store.close()
    print(f"small jobs: {JOBS / took:.0f} a second by one worker on SQLite, every step on disk")
