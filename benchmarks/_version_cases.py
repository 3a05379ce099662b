"""Statistics by their front door, each timed by the processor: run by `versions` for whichever Goldmark is on the path.

Nothing here may need what one of the two versions lacks, so it is all `import goldmark`, commands, and files.
"""

from __future__ import annotations

import csv
import io
import json
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np

LEAST = 0.4  # seconds of the processor: quick cases are repeated
WORDS = ("NAME", "NUMBER", "WORD", "CONTEXT")


def write(path: Path, head: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(head)
        writer.writerows(rows)


def make(folder: Path) -> None:
    """The same data for both, made once."""
    rng = np.random.default_rng(1)
    _labels(folder, rng)
    _ratings(folder, rng)
    _marks(folder, rng)
    _metrics(folder, rng)
    n = rng.integers(5, 60, size=400)
    good = rng.binomial(n, np.where(rng.random(400) < 0.15, 0.5, 0.92))
    write(folder / "workers.csv", ("worker", "correct", "n"), zip(map("w{}".format, range(400)), good, n, strict=True))


def _labels(folder: Path, rng: np.random.Generator) -> None:
    truth = rng.integers(0, 4, size=5000)
    rows = []
    for unit, label in enumerate(truth.tolist()):
        for person in rng.choice(40, size=4, replace=False).tolist():
            said = label if rng.random() < 0.75 else int(rng.integers(4))
            rows.append((f"u{unit}", f"p{person}", said))
    write(folder / "labels.csv", ("unit", "annotator", "value"), rows)


def _ratings(folder: Path, rng: np.random.Generator) -> None:
    head = ("question", "unit", "item", "system", "annotator", "value")
    system, item = 0.1 * rng.standard_normal(10), 0.5 * rng.standard_normal(500)
    rows = [
        (question, f"s{s}i{i}", f"i{i}", f"s{s}", f"p{p}", round(float(system[s] + item[i] + rng.normal()), 2))
        for question in ("fluent", "correct", "brief", "overall")
        for s in range(10)
        for i in range(500)
        for p in rng.choice(50, size=5, replace=False).tolist()
    ]
    write(folder / "ratings.csv", head, rows)
    write(folder / "overall.csv", head, [row for row in rows if row[0] == "overall"])
    many = [
        (f"s{s}", f"i{i}", f"p{(s + i) % 40}", round(float(0.05 * s + rng.normal()), 3))
        for s in range(200)
        for i in range(800)
    ]
    write(folder / "many.csv", ("system", "item", "annotator", "score"), many)


def _marks(folder: Path, rng: np.random.Generator) -> None:
    texts = folder / "texts"
    texts.mkdir()
    spans: list[tuple[Any, ...]] = []
    lists: dict[str, list[tuple[Any, ...]]] = {"gold": [], "one": [], "two": []}
    for text in range(60):
        name = f"T{text:03}"
        (texts / f"{name}.txt").write_text(" ".join(f"w{word}" for word in range(330)))
        places = [(int(at) * 5, str(rng.choice(WORDS))) for at in sorted(rng.choice(64, size=20, replace=False))]
        for person in ("Ada", "Bo", "Cleo"):
            own = [(start + int(rng.integers(2)), label) for start, label in places[:6] if rng.random() < 0.7]
            spans += [(name, person, start, start + 2, 330, label) for start, label in own] or [
                (name, person, "", "", 330, "")
            ]
        for chosen, share in (("gold", 1.0), ("one", 0.8), ("two", 0.6)):
            lists[chosen] += [
                (name, 1, at, f"w{start} w{start + 1}", *(start + 1, start + 2) * 2, label, "", "")
                for at, (start, label) in enumerate(places, start=1)
                if rng.random() < share
            ]
    write(folder / "spans.csv", ("unit", "annotator", "start", "end", "tokens", "label"), spans)
    head = ["TEXT_ID", "SENTENCE_ID", "ANNOTATION_ID", "TOKENS", "SENT_TOKEN_START", "SENT_TOKEN_END"]
    head += ["DOC_TOKEN_START", "DOC_TOKEN_END", "TYPE", "CORRECTION", "COMMENT"]
    for chosen, rows in lists.items():
        write(folder / f"{chosen}.csv", head, rows)


def _metrics(folder: Path, rng: np.random.Generator) -> None:
    rows = []
    for i in range(200):
        hard = rng.normal()
        for s in range(12):
            human = hard + 0.1 * s + rng.normal()
            near = [round(float(human + spread * rng.normal()), 4) for spread in (0.8, 1.0, 2.0)]
            rows.append((f"i{i}", f"s{s}", round(float(human), 4), *near))
    write(folder / "metrics.csv", ("item", "system", "human", "good", "fair", "poor"), rows)


def command(*given: str) -> None:
    """A command in this process: what it computes, without the start of Python."""
    from goldmark.cli import main

    before = sys.argv
    sys.argv = ["goldmark", *given]
    try:
        with redirect_stdout(io.StringIO()):
            main()
    except SystemExit as end:
        if end.code:
            raise
    finally:
        sys.argv = before


def cases(folder: Path) -> dict[str, Callable[[], object]]:
    import goldmark as gm

    f = {path.stem: str(path) for path in folder.glob("*.csv")}
    texts, read = str(folder / "texts"), gm.results
    lists: dict[str, Any] = {"texts": texts, "categories": list(WORDS)}
    correlate = ("metrics", "correlate", f["metrics"], "--json", "--level", "segment", "--level", "item")
    return {
        "agreement, nominal, 20,000 labels by 40 people": lambda: gm.agreement(f["labels"]),
        "agreement, interval, 25,000 ratings by 50 people": lambda: gm.agreement(f["overall"], level="interval"),
        "agreement on spans with gamma, 60 texts x 3 people": lambda: gm.span_agreement(f["spans"]),
        "ranks, 10 systems x 500 items x 5 labels": lambda: gm.rank(f["overall"]),
        "ranks by permutation, 10 systems x 500 items x 5": lambda: gm.rank(f["overall"], test="permutation"),
        "ranks, 200 systems x 800 items": lambda: gm.rank(f["many"]),
        "Dawid-Skene, 20,000 labels": lambda: gm.aggregate(f["labels"], method="dawid-skene"),
        "MACE, 20,000 labels": lambda: gm.aggregate(f["labels"], method="mace"),
        "noisy annotators (mixture), 400 people": lambda: gm.noisy_annotators(f["workers"]),
        "score of a mistake list, 60 texts": lambda: gm.score(f["gold"], f["one"], **lists),
        "two mistake lists compared, 60 texts": lambda: gm.compare(f["gold"], f["one"], f["two"], **lists),
        "correlation of 3 metrics, intervals alone": lambda: command(*correlate, "--test", "none"),
        "correlation of 3 metrics, permutation tests": lambda: command(*correlate, "--interval", "none"),
        "results of 100,000 ratings": lambda: read(ratings=f["ratings"]),
    }


def main() -> None:
    folder, wanted = Path(sys.argv[1]), sys.argv[2:]
    found = {}
    for name, work in cases(folder).items():
        if wanted and not any(word in name for word in wanted):
            continue
        begun = time.process_time()
        work()  # also loads what is needed
        first = time.process_time() - begun
        taken: list[float] = []
        while not taken or (sum(taken) < LEAST and len(taken) < 20):
            begun = time.process_time()
            work()
            taken.append(time.process_time() - begun)
        found[name] = min(first, *taken)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
