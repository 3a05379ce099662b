"""Best-worst scaling: of a few texts people name the best and the worst, and every text gets a score.

Score = (how often best - how often worst) / how often shown, from -1 to 1 (Orme 2009). It is the mean of judgements of
1, -1 and 0, so intervals and ranks are those of the one ranking engine, over sets and annotators.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
from scipy import stats

from goldmark.errors import Problem, ProblemsFound
from goldmark.records.columns import CheckedColumns, Column, Columns
from goldmark.records.figures import Signature
from goldmark.records.tables import Cell, Table
from goldmark.results.options import AnalysisOptions, counted
from goldmark.results.published.catalogue import Analysis, AnalysisPicture, FileNeeded, needed
from goldmark.results.result_table import ResultTable
from goldmark.stats.ranks.judgements import Judgements
from goldmark.stats.ranks.ranking import RankingRules, rank

BEST, WORST = "best", "worst"
SCORES = {BEST: 1.0, WORST: -1.0}
SPLITS = 100  # random halves of the answers
SHOWN = Columns(
    Column("unit", about="the set of texts that were shown together"),
    Column("annotator", about="who chose"),
    Column("item", about="one of the texts that were shown"),
    Column("chosen", empty=True, among=("", BEST, WORST), about="`best`, `worst`, or nothing"),
    Column("system", optional=True, about="whose text it is, if systems are to be scored instead of texts"),
)


def best_worst(checked: CheckedColumns, settings: AnalysisOptions) -> list[Table]:
    """The score of every item, or system, with its interval and rank; and how far halves of the answers agree."""
    units, people, items = (checked.texts(name) for name in ("unit", "annotator", "item"))
    chosen = [str(one or "") for one in checked.values["chosen"]]
    sizes = _check(checked, units, people, items, chosen)
    by = "system" if "system" in checked else "item"
    names = checked.texts(by)
    score = np.array([SCORES.get(one, 0.0) for one in chosen])
    rules = RankingRules(
        "judgements", resamples=settings.resamples, level=settings.level, alpha=settings.alpha, ends=(-1.0, 1.0)
    )
    ranking = rank(Judgements.of(names, units, people, score), rules, rng=settings.rng())
    tally = {word: Counter(name for name, one in zip(names, chosen, strict=True) if one == word) for word in SCORES}
    rows: list[dict[str, Cell]] = []
    for place in ranking.order():
        found, ranks = ranking.scores[place], ranking.ranks[place]
        name = ranking.systems[place]
        rows.append(
            {
                "name": name,
                "value": found.value,
                "low": found.low,
                "high": found.high,
                "rank": "" if ranks is None else str(ranks),
                "best": tally[BEST][name],
                "worst": tally[WORST][name],
                "n": found.labels,
                "reason": found.reason,
            }
        )
    each = f"{min(sizes)}" if min(sizes) == max(sizes) else f"{min(sizes)} to {max(sizes)}"
    notes = (
        f"{counted(len(sizes), 'answer')} by {len(set(people))} people to {counted(len(set(units)), 'set')} of {each}",
        "score: (best - worst) / shown; ranks hold for all at once",
    )
    signature = str(
        Signature.of(figure="best-worst", score="counting", clusters="sets-and-annotators", level=settings.level)
    )
    called = {"name": by, "value": "score", "n": "shown"}
    halves = Table.of(
        "Do halves of the answers agree?",
        [_halves(units, people, names, score, settings.rng())],
        notes=(f"mean of {SPLITS} random halves of the answers to every set; random:seed {settings.seed}",),
        signature=signature,
        name="halves",
    )
    return [Table.of("Best-worst scores", rows, notes=notes, signature=signature, labels=called), halves]


def _check(
    checked: CheckedColumns, units: list[str], people: list[str], items: list[str], chosen: list[str]
) -> list[int]:
    """How many texts each answer had before it; every answer needs one best, one worst and something between."""
    answers: dict[tuple[str, str], list[int]] = {}
    for row, both in enumerate(zip(units, people, strict=True)):
        answers.setdefault(both, []).append(row)
    problems = [
        Problem(checked.frame.where(rows[0]), f"{person} on {unit}: {what}", remedy)
        for (unit, person), rows in answers.items()
        for what, remedy in _wrong([items[row] for row in rows], [chosen[row] for row in rows])
    ]
    if problems:
        raise ProblemsFound(problems, consequence="nothing was computed")
    return [len(rows) for rows in answers.values()]


def _wrong(items: list[str], chosen: list[str]) -> Iterator[tuple[str, str]]:
    if len(set(items)) < len(items):
        yield "a text is listed twice", "list every text of a set once for each person"
    if len(items) < 3:
        yield f"{counted(len(items), 'text')} shown", "a set has three texts or more; compare two with comparisons"
    for word in (BEST, WORST):
        if chosen.count(word) != 1:
            yield f"{chosen.count(word)} texts are {word}", f"say `{word}` of exactly one text"


def _halves(
    units: list[str], people: list[str], names: list[str], score: np.ndarray, rng: np.random.Generator
) -> dict[str, Cell]:
    """Spearman's and Pearson's correlation of the scores of two halves (Kiritchenko and Mohammad 2017)."""
    unit = np.unique(units, return_inverse=True)[1]
    answer = np.unique(np.char.add(np.char.add(np.array(units), "\x1f"), np.array(people)), return_inverse=True)[1]
    name = np.unique(names, return_inverse=True)[1]
    of_answer = np.zeros(int(answer.max()) + 1, dtype=np.int64)
    of_answer[answer] = unit
    found = []
    for _ in range(SPLITS):
        # Answers to each set in random order, taken in turns; which half begins is drawn for each set.
        order = np.lexsort((rng.random(len(of_answer)), of_answer))
        turn = np.arange(len(order)) - np.searchsorted(of_answer[order], of_answer[order])
        half = np.zeros(len(order), dtype=np.int64)
        half[order] = (turn + rng.integers(0, 2, size=int(unit.max()) + 1)[of_answer[order]]) % 2
        means = []
        for side in (0, 1):
            own = half[answer] == side
            shown = np.bincount(name[own], minlength=int(name.max()) + 1).astype(np.float64)
            total = np.bincount(name[own], weights=score[own], minlength=len(shown))
            means.append(np.where(shown > 0, total / np.maximum(shown, 1), np.nan))
        both = ~np.isnan(means[0]) & ~np.isnan(means[1])
        one, other = means[0][both], means[1][both]
        if len(one) > 2 and np.ptp(one) > 0 and np.ptp(other) > 0:
            found.append((stats.spearmanr(one, other)[0], stats.pearsonr(one, other)[0]))
    if not found:
        why = "in no split did three or more have scores in both halves that vary"
        return {"spearman": None, "pearson": None, "splits": 0, "reason": why}
    spearman, pearson = np.mean(found, axis=0).tolist()
    return {"spearman": spearman, "pearson": pearson, "splits": len(found), "reason": ""}


BEST_WORST = Analysis(
    "best-worst",
    "Best-worst scaling: scores of texts or systems of which people chose the best and the worst of a few.",
    "",
    (FileNeeded("shown", SHOWN),),
    lambda files, settings: best_worst(needed(files[0]), settings),
    AnalysisPicture(0, "value", ("name",)),
)
BEST_WORST_TABLE = ResultTable(BEST_WORST.name, BEST_WORST.about, BEST_WORST.name, analysis=BEST_WORST)
