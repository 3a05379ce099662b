"""The table of baselines in docs/how-to/benchmark.md: `python -m tests.baselines_page` makes it anew.

The simulated texts are made here. HaluQuestQA lies beside the checkout; where it does not, its rows stay as they are.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from goldmark.datasets.benchmark.run import BASELINES, baselines
from goldmark.datasets.release.build import build
from goldmark.datasets.release.loader import Dataset
from goldmark.datasets.sources.haluquestqa import HaluQuestQA
from goldmark.datasets.sources.spans import SpansFile
from tools.simulate.errors import simulated_texts

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "how-to" / "benchmark.md"
HALUQUESTQA = ROOT.parents[0] / "shared" / "data" / "haluquestqa"
HEAD = "| dataset | task | figure | `random` | `linear` |\n|---|---|---|---|---|\n"
SIMULATED, OTHER = "2,000 simulated texts", "HaluQuestQA"
FIGURES = {
    "balanced_accuracy": "balanced accuracy",
    "erroneous_f1": "F1 of erroneous tokens",
    "macro_f1": "macro F1",
    "f0.5": "F0.5",
    "rouge_l": "ROUGE-L",
}


def simulated(folder: Path) -> Dataset:
    """2,000 simulated texts, a quarter of them erroneous, a fifth Chinese."""
    lines = [one.as_spans() for one in simulated_texts(2000, rng=np.random.default_rng(17))]
    (folder / "simulated.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    build(SpansFile(folder / "simulated.jsonl"), folder / "simulated")
    return Dataset(folder / "simulated")


def haluquestqa(folder: Path) -> Dataset:
    build(HaluQuestQA(HALUQUESTQA), folder / "haluquestqa")
    return Dataset(folder / "haluquestqa")


def rows_of(title: str, data: Dataset, tasks: tuple[str, ...] = ()) -> Iterator[str]:
    table, _ = baselines(data, seed=17, tasks=tasks)
    for row in table.records():
        shown = [
            f"{row[model] or 0:.2f} [{row[f'{model}_low'] or 0:.2f}, {row[f'{model}_high'] or 0:.2f}]"
            for model in BASELINES
        ]
        yield f"| {title} | {row['task']} | {FIGURES[str(row['figure'])]} | {shown[0]} | {shown[1]} |\n"


def table_of(told: Callable[[str], None] = lambda said: None) -> str:
    """The whole table, made anew."""
    rows: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        rows += rows_of(SIMULATED, simulated(Path(name)))
        told("".join(rows))
        if HALUQUESTQA.is_dir():
            rows += rows_of(OTHER, haluquestqa(Path(name)))
        else:
            rows += [line for line in written(PAGE.read_text(encoding="utf-8")) if line.startswith(f"| {OTHER}")]
    return HEAD + "".join(rows)


def written(page: str) -> list[str]:
    """The rows that stand in the page."""
    after = page.partition(HEAD)[2]
    return [line for line in after.partition("\n\n")[0].splitlines(keepends=True) if line.startswith("|")]


def main() -> None:
    page = PAGE.read_text(encoding="utf-8")
    before, _, after = page.partition(HEAD)
    rest = after[after.index("\n\n") :]
    PAGE.write_text(before + table_of(lambda said: print(said, file=sys.stderr)).rstrip("\n") + rest, encoding="utf-8")


if __name__ == "__main__":
    main()
