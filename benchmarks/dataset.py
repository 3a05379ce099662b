"""A dataset of a million tokens: how long it takes to build, and how much memory, against one a quarter of its size."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from goldmark.datasets.release.build import files_of
from tools.simulate.errors import simulated_texts

BUILD = """
import resource, sys
from pathlib import Path
from goldmark.datasets.release.build import build
from goldmark.datasets.sources.bundle import BundleSource
manifest = build(BundleSource(Path(sys.argv[1])), Path(sys.argv[2]))
used = resource.getrusage(resource.RUSAGE_SELF)
print(manifest.tokens, sum(manifest.texts.values()), used.ru_maxrss // 1024, round(used.ru_utime + used.ru_stime, 1))
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for texts in (17_000, 68_000):
            bundle = folder / f"{texts}.jsonl"
            write_bundle(bundle, texts)
            start = time.perf_counter()
            made = subprocess.run(
                [sys.executable, "-c", BUILD, bundle, folder / f"{texts}"], check=True, capture_output=True, text=True
            )
            seconds = time.perf_counter() - start
            tokens, kept, peak = map(int, made.stdout.split()[:3])
            busy = float(made.stdout.split()[3])
            size = bundle.stat().st_size >> 20
            told = f"    {tokens:>9,} tokens in {kept:>6,} texts ({size} MB export)"
            print(f"{told}  {seconds:5.1f} s ({busy:.1f} s of computing)  peak {peak} MB", flush=True)
        subprocess.run(
            [sys.executable, "-c", BUILD, folder / "17000.jsonl", folder / "again"], check=True, capture_output=True
        )
        first, again = folder / "17000", folder / "again"
        same = [*files_of(first)] == [*files_of(again)] and all(
            (first / one).read_bytes() == (again / one).read_bytes() for one in files_of(first)
        )
        print(f"    a second build gives the same bytes: {'yes' if same else 'NO'}")


def write_bundle(path: Path, count: int) -> None:
    """An exported campaign in which one person answered every text rightly; texts repeat, ids do not."""
    from goldmark.protocols import load
    from goldmark.texts.segmentation.tokens import find_tokeniser

    protocol, cut = load("tgea"), find_tokeniser("rules")
    some = list(simulated_texts(4000, rng=np.random.default_rng(1)))
    with path.open("w", encoding="utf-8") as file:

        def put(kind: str, **values: object) -> None:
            file.write(json.dumps({"record": kind, **values}, ensure_ascii=False) + "\n")

        put("campaign", format=1, protocol=protocol.id, settings={"campaign": "large", "title": "A large campaign"})
        put("protocol", name=protocol.name, version=protocol.version, source=protocol.source)
        tokens = [[[span.start, span.end] for span in cut(one.text)] for one in some]
        for number in range(count):
            one = some[number % len(some)]
            text = {
                "characters": one.text,
                "tokens": tokens[number % len(some)],
                "sentences": [],
                "prompt": None,
                "language": one.language,
            }
            shown = {"texts": {"text": text}, "context": []}
            put("unit", id=f"L{number:06}", shown=shown, tokenisers={"text": "rules"}, hidden={})
        put("annotator", id="Ada", state="active", joined=None, facts={})
        for number in range(count):
            answers = some[number % len(some)].answers()
            put("response", unit=f"L{number:06}", annotator="Ada", revision=1, final=True, answers=answers)


if __name__ == "__main__":
    main()
