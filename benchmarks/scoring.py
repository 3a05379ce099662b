"""`goldmark score` on sixty texts, from the shell: start-up, reading, matching, intervals and all."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from goldmark.records.mistakes import Mistake
from goldmark.records.spans import Span
from goldmark.texts.readers.gsml import CATEGORIES, spaced_text, write_mistakes

SHARED_TASK_SCRIPT = 9.0  # seconds that the shared task's own script took once for its 60 texts, without intervals


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_sample(folder)
        start = [sys.executable, "-c", "pass"]
        score = [sys.executable, "-m", "goldmark", "score", "gold.csv", "mine.csv", "--texts", "texts", "--json"]
        compare = [*score[:4], "compare", "gold.csv", "mine.csv", "gold.csv", "--texts", "texts", "--json"]
        print("60 texts of 330 tokens, 1,200 gold and 1,900 submitted mistakes, intervals included (median of 5 runs)")
        print(f"    python alone            {median(start, folder):6.3f} s")
        seconds = median(score, folder)
        print(f"    goldmark score          {seconds:6.3f} s  (bar: 0.5 s)")
        ratio = SHARED_TASK_SCRIPT / seconds
        print(f"    shared task's script    {SHARED_TASK_SCRIPT:6.3f} s  (measured once)  ratio {ratio:.0f} x")
        print(f"    goldmark score compare  {median(compare, folder):6.3f} s")


def median(command: list[str], folder: Path) -> float:
    def once() -> float:
        start = time.perf_counter()
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        return time.perf_counter() - start

    return statistics.median(once() for _ in range(5))


def write_sample(folder: Path) -> None:
    """Texts and lists of the size of the shared task's, made up at random."""
    rng = np.random.default_rng(1)
    (folder / "texts").mkdir()
    texts = {}
    for number in range(60):
        words = [f"w{word}" if word else "." for word in rng.integers(0, 25, size=330)]
        texts[f"T{number:03}"] = spaced_text(f"T{number:03}", " ".join(words))
        (folder / "texts" / f"T{number:03}.txt").write_text(texts[f"T{number:03}"].characters)
    for name, each in (("gold.csv", 20), ("mine.csv", 32)):
        mistakes = [
            Mistake(text, Span(int(start) * 5, int(start) * 5 + int(rng.integers(1, 5))), str(rng.choice(CATEGORIES)))
            for text in texts
            for start in sorted(rng.choice(66, size=each, replace=False))
        ]
        (folder / name).write_text(write_mistakes(mistakes, texts))


if __name__ == "__main__":
    main()
