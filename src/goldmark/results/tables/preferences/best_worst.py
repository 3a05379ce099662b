"""Best-worst scaling: of a few texts people name the best and the worst, and every text gets a score.

Score = (how often best - how often worst) / how often shown, from -1 to 1 (Orme 2009). It is the mean of judgements of
1, -1 and 0, so intervals and ranks are those of the one ranking engine, over sets and annotators. A campaign's answers
come as comparisons, every two texts that an answer tells apart; here they are put together again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from goldmark.errors import Problem, ProblemsFound
from goldmark.records.figures import Signature, counted
from goldmark.records.tables import Cell, Table
from goldmark.records.tidy.columns import CheckedColumns, Column, Columns
from goldmark.results.inputs.groups import Rows, questions, rows_of
from goldmark.results.inputs.table_inputs import TableInputs
from goldmark.results.options import AnalysisOptions
from goldmark.results.published.catalogue import Analysis, AnalysisPicture, FileNeeded
from goldmark.results.result_table import COMPARED, Needs, ResultTable
from goldmark.stats.ranks.judgements import Judgements
from goldmark.stats.ranks.ranking import RankingRules, rank

BEST, WORST = "best", "worst"
SCORES = {BEST: 1.0, WORST: -1.0}
FEWEST = 3  # texts of a set
SPLITS = 100  # random halves of the answers
SHOWN = Columns(
    Column("unit", about="the set of texts that were shown together"),
    Column("annotator", about="who chose"),
    Column("item", about="one of the texts that were shown"),
    Column("chosen", empty=True, among=("", BEST, WORST), about="`best`, `worst`, or nothing"),
    Column("system", optional=True, about="whose text it is, if systems are to be scored instead of texts"),
)


class ShownTexts(NamedTuple):
    """Every text that an answer had before it: of which set, who answered, what is scored, and what was said of it."""

    sets: list[str]
    items: list[str]  # what several sets may be about
    people: list[str]
    names: list[str]
    chosen: list[str]

    @property
    def score(self) -> NDArray[np.float64]:
        return np.array([SCORES.get(one, 0.0) for one in self.chosen])

    def sizes(self) -> list[int]:
        """How many texts each answer had before it."""
        return list(Counter(zip(self.sets, self.people, strict=True)).values())


def best_worst(checked: CheckedColumns, settings: AnalysisOptions) -> list[Table]:
    """The score of every item, or system, with its interval and rank; and how far halves of the answers agree."""
    units, people, items = (checked.texts(name) for name in ("unit", "annotator", "item"))
    chosen = [str(one or "") for one in checked.values["chosen"]]
    _check(checked, units, people, items, chosen)
    by = "system" if "system" in checked else "item"
    rows, halves, signature, notes = _scored(
        ShownTexts(units, units, people, checked.texts(by), chosen), "sets", settings
    )
    return _tables(rows, [halves], by, signature, notes, settings)


def best_worst_of_comparisons(given: TableInputs, settings: AnalysisOptions) -> list[Table]:
    """The same of a campaign's answers, question by question."""
    frame = given.frames["comparisons"]
    rows: list[dict[str, Cell]] = []
    halves: list[dict[str, Cell]] = []
    told: list[str] = []
    signature = ""
    for question in questions(frame, given.order):
        shown = _shown(rows_of(frame, question))
        if not shown.sets:
            continue
        scores, half, signature, notes = _scored(shown, "items", settings)
        rows += ({"question": question, **row} for row in scores)
        halves.append({"question": question, **half})
        told += (one for one in notes if one not in told)
    return _tables(rows, halves, "system", signature, tuple(told), settings)


class _Answer(NamedTuple):
    """One answer, put together from its rows: by role, whose text it is and how often it was the better one."""

    place: int  # of its first row
    set: str
    item: str
    person: str
    systems: dict[str, str]
    wins: dict[str, int]

    def chosen(self, role: str) -> str:
        return BEST if self.wins[role] == len(self.wins) - 1 else "" if self.wins[role] else WORST


def _answers(rows: Rows) -> list[_Answer]:
    found: dict[tuple[str, str], _Answer] = {}
    columns = (rows.frame.cells[name] for name in ("preferred", "a", "b", "role_a", "role_b"))
    for place, (unit, item, person, preferred, a, b, role_a, role_b) in enumerate(
        zip(rows.unit, rows.item, rows.annotator, *columns, strict=True)
    ):
        answer = found.setdefault((unit, person), _Answer(place, unit, item, person, {}, {}))
        for side, role, system in (("a", role_a, a), ("b", role_b, b)):
            answer.systems[role] = system
            answer.wins[role] = answer.wins.get(role, 0) + (preferred == side)
    return [one for one in found.values() if len(one.wins) >= FEWEST]


def _shown(rows: Rows) -> ShownTexts:
    shown = ShownTexts([], [], [], [], [])
    for one in _answers(rows):
        for role, system in one.systems.items():
            for column, cell in zip(shown, (one.set, one.item, one.person, system, one.chosen(role)), strict=True):
                column.append(cell)
    return shown


def picks(rows: Rows) -> Iterator[tuple[str, Rows, list[str]]]:
    """Of answers that name the best and the worst of several texts: one row for each answer, and the role named so."""
    answers = _answers(rows)
    own = rows.take(np.array([one.place for one in answers], dtype=np.int64))
    yield BEST, own, [max(one.wins, key=one.wins.__getitem__) for one in answers]
    yield WORST, own, [min(one.wins, key=one.wins.__getitem__) for one in answers]


def of_several(rows: Rows) -> bool:
    """Whether answers name the best and the worst of several texts, instead of one of two."""
    return len({*rows.frame.cells["role_a"], *rows.frame.cells["role_b"]}) >= FEWEST


def _scored(
    shown: ShownTexts, within: str, settings: AnalysisOptions
) -> tuple[list[dict[str, Cell]], dict[str, Cell], str, tuple[str, ...]]:
    """The rows of one question, its halves, how they were made, and notes."""
    names, people, chosen, score = shown.names, shown.people, shown.chosen, shown.score
    sizes = shown.sizes()
    rules = RankingRules(
        "judgements", resamples=settings.resamples, level=settings.level, alpha=settings.alpha, ends=(-1.0, 1.0)
    )
    ranking = rank(Judgements.of(names, shown.items, people, score), rules, rng=settings.rng())
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
    sets = counted(len(set(shown.sets)), "set")
    notes = (
        f"{counted(len(sizes), 'answer')} by {len(set(people))} people to {sets} of {each}",
        "score: (best - worst) / shown; ranks hold for all at once",
    )
    signature = str(
        Signature.of(figure="best-worst", score="counting", clusters=f"{within}-and-annotators", level=settings.level)
    )
    return rows, _halves(shown.sets, people, names, score, settings.rng()), signature, notes


def _tables(
    rows: list[dict[str, Cell]],
    halves: list[dict[str, Cell]],
    by: str,
    signature: str,
    notes: tuple[str, ...],
    settings: AnalysisOptions,
) -> list[Table]:
    called = {"name": by, "value": "score", "n": "shown"}
    return [
        Table.of(
            "Best-worst scores",
            rows,
            notes=notes,
            signature=signature,
            labels=called,
            reference=(0.0, "best as often as worst"),
        ),
        Table.of(
            "Do halves of the answers agree?",
            halves,
            notes=(f"mean of {SPLITS} random halves of the answers to every set; random:seed {settings.seed}",),
            signature=signature,
            name="halves",
        ),
    ]


def _check(checked: CheckedColumns, units: list[str], people: list[str], items: list[str], chosen: list[str]) -> None:
    """Every answer needs one best, one worst and something between."""
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


def _wrong(items: list[str], chosen: list[str]) -> Iterator[tuple[str, str]]:
    if len(set(items)) < len(items):
        yield "a text is listed twice", "list every text of a set once for each person"
    if len(items) < FEWEST:
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
            found.append((scipy.stats.spearmanr(one, other)[0], scipy.stats.pearsonr(one, other)[0]))
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
    best_worst,
    AnalysisPicture(0, "value", ("name",)),
)


def _why_not(given: TableInputs) -> str:
    """Which questions name the best and the worst, only their answers tell."""
    frame = given.frames["comparisons"]
    if any(of_several(rows_of(frame, question)) for question in questions(frame)):
        return ""
    return COMPARED.why_not(given) or "nobody named the best and the worst of three texts or more"


BEST_WORST_TABLE = ResultTable(
    BEST_WORST.name,
    BEST_WORST.about,
    BEST_WORST.name,
    ("comparisons",),
    best_worst_of_comparisons,
    "dots",
    needs=Needs(_why_not, "that asks for the best and the worst of several texts"),
    analysis=BEST_WORST,
)
