"""`linear` against `random` on every task: 2,000 simulated texts, and HaluQuestQA where it lies beside the checkout."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import numpy as np

from goldmark.datasets.benchmark.run import run
from goldmark.datasets.benchmark.tasks import TASKS
from goldmark.datasets.release.build import build
from goldmark.datasets.release.loader import Dataset
from goldmark.datasets.sources.haluquestqa import HaluQuestQA
from goldmark.datasets.sources.spans import SpansFile
from tools.simulate.errors import simulated_texts

HALUQUESTQA = Path(__file__).resolve().parents[2] / "shared" / "data" / "haluquestqa"


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines = [one.as_spans() for one in simulated_texts(2000, rng=np.random.default_rng(17))]
        (folder / "simulated.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        build(SpansFile(folder / "simulated.jsonl"), folder / "simulated")
        compare("2,000 simulated texts, a quarter of them erroneous, a fifth Chinese", Dataset(folder / "simulated"))
        if HALUQUESTQA.is_dir():
            build(HaluQuestQA(HALUQUESTQA), folder / "haluquestqa")
            compare("HaluQuestQA, 1,396 long answers", Dataset(folder / "haluquestqa"))


def compare(title: str, data: Dataset) -> None:
    print(f"{title} (test split, 95 % intervals over texts)")
    for task in data.manifest.tasks:
        figures = {model: run(data, task, model, seed=17) for model in ("random", "linear")}
        main_figure = TASKS[task].main
        told = []
        for model, result in figures.items():
            found = result.scores.figures[main_figure]
            interval = f"[{found.interval.low:.3f}, {found.interval.high:.3f}]" if found.interval else found.reason
            told.append(f"{model} {found.value or 0:.3f} {interval}")
        print(f"    {task:<10}{main_figure:<18}{'   '.join(told)}   {figures['linear'].seconds or 0:.0f} s", flush=True)


if __name__ == "__main__":
    main()
