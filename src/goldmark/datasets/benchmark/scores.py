"""Scores of answers: counts per text first, figures from their sums, intervals by leaving texts out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldmark.datasets.benchmark import maxmatch
from goldmark.datasets.benchmark.tasks import BenchmarkTask, TaskItem, TaskSpans
from goldmark.errors import GoldmarkError
from goldmark.records.figures import Figure, Interval, Signature, counted
from goldmark.stats.inference.bootstrap import ratio
from goldmark.stats.inference.proportions import mean_of_intervals
from goldmark.stats.inference.sums import sums_figure

Floats = NDArray[np.float64]
LEVEL = 0.95
ENOUGH = 20  # texts of the rarer kind


@dataclass(frozen=True)
class Scores:
    """What a model's answers are worth: figures by name, in the order of the task."""

    task: str
    figures: Mapping[str, Figure]
    items: int
    texts: int
    signature: str


def score(
    task: BenchmarkTask,
    items: Sequence[TaskItem],
    answers: Sequence[Any],
    *,
    seed: int | None = None,
    bertscore: str = "",
) -> Scores:
    """Score an answer for every item. `bertscore` is the folder of a checkpoint; without it there is no BERTScore."""
    texts = list(dict.fromkeys(item.text_id for item in items))
    made = {
        "task": task.name,
        "interval": "jackknife-texts",
        "level": LEVEL,
        **({"seed": seed} if seed is not None else {}),
    }
    if task.name == "rationale":
        figures, more = _rationales(items, answers, bertscore)
        return Scores(task.name, figures, len(items), len(texts), str(Signature.of(**made, **more)))
    counts, formulas = _COUNTS[task.name](items, answers)
    place = {name: number for number, name in enumerate(texts)}
    sums = np.zeros((len(texts), counts.shape[1]))
    np.add.at(sums, [place[item.text_id] for item in items], counts)
    figures = {name: sums_figure(sums, formulas[name], level=LEVEL) for name in task.figures}
    if "balanced_accuracy" in figures:
        figures["balanced_accuracy"] = _balanced(sums, figures["balanced_accuracy"])
        figures |= {name: _careful(sums, figures[name]) for name in ("balanced_accuracy", "f1")}
    extra = {"maxmatch": f"unchanged-{maxmatch.MOST_UNCHANGED}"} if task.name == "correct" else {}
    return Scores(task.name, figures, len(items), len(texts), str(Signature.of(**made, **extra)))


def _found(sums: Floats) -> Floats:
    """Erroneous texts that were said to be."""
    return ratio(sums[:, 0], sums[:, 0] + sums[:, 2])


def _left(sums: Floats) -> Floats:
    """Fine texts that were left alone."""
    return ratio(sums[:, 3], sums[:, 3] + sums[:, 1])


def _balanced(sums: Floats, figure: Figure) -> Figure:
    """With an interval put together from those of its two shares: of few erroneous texts all may happen to be found."""
    halves = [sums_figure(sums, one, most=len(sums), level=LEVEL) for one in (_found, _left)]
    known = [(one.value, one.interval) for one in halves if one.value is not None and one.interval is not None]
    interval = mean_of_intervals(known) if len(known) == len(halves) else None
    return Figure(figure.value, interval, halves[0].reason or halves[1].reason, figure.used)


def _careful(sums: Floats, figure: Figure) -> Figure:
    """All but accuracy rests on the rarer kind of texts; of few the interval holds more often than it says."""
    erroneous = int((sums[:, 0] + sums[:, 2] > 0).sum())
    fewer = min(erroneous, len(sums) - erroneous)
    if figure.interval is None or figure.reason or fewer >= ENOUGH:
        return figure
    kind = "erroneous" if fewer == erroneous else "fine"
    why = f"rests on {counted(fewer, f'{kind} text')}: with fewer than {ENOUGH} the interval is wider than it need be"
    return replace(figure, reason=why)


_Counted = tuple[Floats, dict[str, Callable[[Floats], Floats]]]


def _f1(found: int, extra: int, missed: int) -> Callable[[Floats], Floats]:
    """F1 of a class from the columns true positive, false positive, false negative; undefined if it never occurs."""
    return lambda sums: ratio(2 * sums[:, found], 2 * sums[:, found] + sums[:, extra] + sums[:, missed])


def _detect(items: Sequence[TaskItem], answers: Sequence[bool]) -> _Counted:
    """Columns: erroneous and said so, said so wrongly, missed, fine and said so."""
    counts = np.zeros((len(items), 4))
    for row, (item, answer) in enumerate(zip(items, answers, strict=True)):
        counts[row, 0 if item.gold and answer else 1 if answer else 2 if item.gold else 3] = 1
    return counts, {
        "accuracy": lambda sums: ratio(sums[:, 0] + sums[:, 3], sums.sum(axis=1)),
        "balanced_accuracy": lambda sums: (_found(sums) + _left(sums)) / 2,
        "f1": _f1(0, 1, 2),
    }


def _spans(items: Sequence[TaskItem], answers: Sequence[TaskSpans]) -> _Counted:
    """Columns, for erroneous and then for associated tokens: found, extra, missed."""
    counts = np.zeros((len(items), 6))
    for row, (item, answer) in enumerate(zip(items, answers, strict=True)):
        gold: TaskSpans = item.gold
        for place, right, said in (
            (0, gold.erroneous, answer.erroneous),
            (3, gold.associated, answer.associated),
        ):
            counts[row, place : place + 3] = len(right & said), len(said - right), len(right - said)
    return counts, {"erroneous_f1": _f1(0, 1, 2), "associated_f1": _f1(3, 4, 5)}


def _types(items: Sequence[TaskItem], answers: Sequence[str]) -> _Counted:
    """Columns: right, all, and for each type found, extra, missed."""
    kinds = {name: number for number, name in enumerate(sorted({item.gold for item in items}))}
    counts = np.zeros((len(items), 2 + 3 * len(kinds)))
    for row, (item, answer) in enumerate(zip(items, answers, strict=True)):
        counts[row, 0] = item.gold == answer
        counts[row, 1] = 1
        gold = 2 + 3 * kinds[item.gold]
        if item.gold == answer:
            counts[row, gold] = 1
        else:
            counts[row, gold + 2] = 1
            if answer in kinds:  # a type that does not occur here is only missed, as scikit-learn has it with labels
                counts[row, 2 + 3 * kinds[answer] + 1] = 1

    def macro(sums: Floats) -> Floats:
        each = [_f1(place, place + 1, place + 2)(sums) for place in range(2, sums.shape[1], 3)]
        table = np.stack(each)
        known = ~np.isnan(table)  # a resample may have lost a rare type; the mean is over those it has
        return ratio(np.where(known, table, 0.0).sum(axis=0), known.sum(axis=0).astype(np.float64))

    return counts, {"accuracy": lambda sums: ratio(sums[:, 0], sums[:, 1]), "macro_f1": macro}


def _corrections(items: Sequence[TaskItem], answers: Sequence[Sequence[str]]) -> _Counted:
    """Columns: edits that are gold, edits proposed, gold edits."""
    counts = np.zeros((len(items), 3))
    for row, (item, answer) in enumerate(zip(items, answers, strict=True)):
        counts[row] = maxmatch.count(item.tokens, answer, [maxmatch.gold_edits(item.tokens, item.edits)])

    def precision(sums: Floats) -> Floats:
        # Nothing proposed is nothing wrong: 1, as the authors' scorer has it.
        return np.where(sums[:, 1] == 0, 1.0, ratio(sums[:, 0], sums[:, 1]))

    def recall(sums: Floats) -> Floats:
        return np.where(sums[:, 2] == 0, 1.0, ratio(sums[:, 0], sums[:, 2]))

    def f_half(sums: Floats) -> Floats:
        right, wide = precision(sums), recall(sums)
        below = maxmatch.BETA**2 * right + wide
        return np.where(below == 0, 0.0, ratio((1 + maxmatch.BETA**2) * right * wide, below))

    return counts, {"precision": precision, "recall": recall, "f0.5": f_half}


_COUNTS: dict[str, Callable[[Sequence[TaskItem], Sequence[Any]], _Counted]] = {
    "detect": _detect,
    "spans": _spans,
    "type": _types,
    "correct": _corrections,
}


def _rationales(
    items: Sequence[TaskItem], answers: Sequence[str], bertscore: str
) -> tuple[dict[str, Figure], dict[str, str]]:
    """BLEU and ROUGE-L of words cut as the dataset's tokens are, so that Chinese is counted as English is."""
    from goldmark.metrics.plugins import Spec, Texts
    from goldmark.metrics.scores import score as measure

    def spaced(text: str, item: TaskItem) -> str:
        return " ".join(item.words()(text))

    outputs = [spaced(answer, item) for item, answer in zip(items, answers, strict=True)]
    cut = Texts(outputs, [[spaced(item.gold, item)] for item in items])
    plain = Texts(list(answers), [[item.gold] for item in items])
    wanted = {"bleu": ("bleu:tokenize=none", cut), "rouge_l": ("rougeL:stem=no,tokenize=unicode", cut)}
    if bertscore:
        wanted["bertscore"] = (f"bertscore:checkpoint={bertscore}", plain)
    figures: dict[str, Figure] = {}
    made: dict[str, str] = {}
    for name, (spec, texts) in wanted.items():
        try:
            found = measure(Spec.parse(spec), texts)
        except GoldmarkError as error:
            figures[name] = Figure(None, reason=str(error))
            continue
        figures[name] = _share(found.corpus, found.top)
        made[name] = found.signature.replace("|", "+")
    figures.setdefault("bertscore", Figure(None, reason="no checkpoint was given"))
    return figures, made


def _share(figure: Figure, top: float) -> Figure:
    """A figure that is told in percent as a share of 1, like all others here."""
    if figure.value is None:
        return figure
    low, high, level = figure.interval or (0.0, 0.0, LEVEL)
    interval = Interval(low / top, high / top, level) if figure.interval else None
    return Figure(figure.value / top, interval, figure.reason, used=figure.used)
