"""How sure the box score checker is of its marks: fitted on the training texts, measured on texts left out.

`python -m benchmarks.checker_confidence --write` writes the fitted numbers and the reliability plot into the
repository. Needs ../shared/data.
"""

from __future__ import annotations

import sys
from pathlib import Path

import yaml

from benchmarks._checker_crossval import judged_marks, operating_points, print_kinds, print_reliability, read_all
from benchmarks.checker import DATA
from goldmark.stats.mistake_matching import by_text
from goldmark.texts.readers.gsml import read_mistakes, read_spaced_texts
from goldmark_boxscore.confidence import Confidence
from goldmark_boxscore.plugin import open_boxscore

ROOT = Path(__file__).resolve().parents[1]
FITTED = ROOT / "plugins" / "boxscore" / "goldmark_boxscore" / "data" / "confidence.yaml"
PLOT = ROOT / "docs" / "design" / "checker-reliability.svg"
HEAD = "# Fitted on the marks of the 60 training texts: `python -m benchmarks.checker_confidence --write`.\n"


def main(*, write: bool = False) -> None:
    if not DATA.is_dir():
        print("../shared/data is not here; nothing measured", file=sys.stderr)
        return
    task = DATA / "accuracy-shared-task" / "train"
    texts = read_spaced_texts(task / "texts")
    gold = by_text(read_mistakes(task / "gsml.csv", texts))
    opened, _ = open_boxscore({"games": task / "shared_task.jsonl", "season": DATA / "nba"})
    every = read_all(opened.checker, texts, opened.games, gold)
    marks = judged_marks(every)
    print_reliability(marks, PLOT if write else None)
    operating_points(every, marks)
    print_kinds(marks)
    if write:
        model = Confidence.fit([(item.signs, item.right) for item in marks])
        FITTED.write_text(HEAD + yaml.safe_dump(model.as_data(), sort_keys=False), encoding="utf-8")
        print(f"written: {FITTED.relative_to(ROOT)}, {PLOT.relative_to(ROOT)}")


if __name__ == "__main__":
    main(write="--write" in sys.argv[1:])
