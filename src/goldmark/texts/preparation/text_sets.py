"""Sets of texts that are judged beside one another: outputs of several systems for an item, in a balanced design.

The story: of an item with ten outputs nobody can compare all, so people see a few at a time. Sets are drawn one after
the other, each text by these wishes, the first that decides: the text that was shown least, the one whose system stood
least often beside those already in the set, the one whose system was shown least; then at random. So every text of an
item is shown equally often, or some once more where the numbers do not divide, and over the items every two systems
meet about equally often. Which letter a text gets is random, too; the server draws the order on the page anew for each
annotator.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from goldmark.errors import Problem, ProblemsFound
from goldmark.texts.preparation.rows import NotATextRow, Values
from goldmark.texts.readers.rows import KNOWN, LETTERS

OF_TEXTS = KNOWN - {"id", "text", "a", "b", "context"}  # what a row may say of its text, kept by letter
FEWEST, MOST = 2, len(LETTERS)


class DrawnSets(NamedTuple):
    """The rows of a campaign, and how even the design is."""

    rows: list[Values]
    left_out: dict[str, str]  # by item: why it has no set
    texts: int
    systems: int
    shown: tuple[int, int]  # how often a text is shown: least, most
    met: tuple[int, int]  # how often two systems meet, of those that have an item in common: least, most


class _Tally(NamedTuple):
    """How often each system was shown, and every two of them together."""

    shown: NDArray[np.int64]
    met: NDArray[np.int64]


def draw_sets(rows: Sequence[Values], *, size: int = 4, each: int = 2, rng: np.random.Generator) -> DrawnSets:
    """Sets of so many texts, in which every text is shown `each` times, or once more where the numbers do not divide.

    Rows say `item` and `system`; where no row says either, every text is one of a single pool and scored by itself.
    """
    if not FEWEST <= size <= MOST or each < 1:
        raise NotATextRow(reason=f"a set has {FEWEST} to {MOST} texts, each shown once or more; asked: {size}, {each}")
    pools = _pools(rows)
    names = sorted({_system(row) for row in rows})
    code = {name: place for place, name in enumerate(names)}
    tally = _Tally(np.zeros(len(names), np.int64), np.zeros((len(names), len(names)), np.int64))
    left_out, made = {}, []
    counts: list[int] = []
    common = np.zeros_like(tally.met, dtype=np.bool_)
    for item, pool in pools.items():
        if len(pool) < size:
            left_out[item] = f"{len(pool)} of the {size} texts that a set has"
            continue
        systems = np.array([code[_system(row)] for row in pool])
        common[np.ix_(systems, systems)] = True
        shown = np.zeros(len(pool), np.int64)
        for number in range(1, -(-each * len(pool) // size) + 1):
            chosen = _draw(systems, shown, tally, size, rng)
            texts = [pool[place] for place in rng.permutation(chosen)]
            made.append(_unit(f"{item}-{number}" if item else f"set-{number}", texts))
        counts += shown.tolist()
    problems = [problem for one in made if isinstance(one, Problem) for problem in [one]]
    if problems:
        raise ProblemsFound(problems, "nothing was written")
    met = [int(tally.met[a, b]) for a, b in combinations(range(len(names)), 2) if common[a, b]]
    ends = [(min(some, default=0), max(some, default=0)) for some in (counts, met)]
    units = [one for one in made if not isinstance(one, Problem)]
    return DrawnSets(units, left_out, len(counts), len(names), ends[0], ends[1])


def _pools(rows: Sequence[Values]) -> dict[str, list[Values]]:
    """The texts of each item; every system has one at most."""
    alone = not any("item" in row or "system" in row for row in rows)
    pools: dict[str, list[Values]] = {}
    problems = []
    seen: dict[tuple[str, str], str] = {}
    for row in rows:
        missing = [] if alone else [key for key in ("item", "system") if not str(row.get(key) or "")]
        if missing:
            remedy = "say `item` and `system` of every text, or of none"
            problems.append(Problem(row["id"], f"the row has no {' and no '.join(missing)}", remedy, missing[0]))
            continue
        item = "" if alone else str(row["item"])
        before = seen.setdefault((item, _system(row)), row["id"])
        if before != row["id"]:
            problems.append(Problem(row["id"], f"{_system(row)} has another text for {item}: {before}"))
        pools.setdefault(item, []).append(row)
    if problems:
        raise ProblemsFound(problems, "nothing was written")
    return pools


def _system(row: Mapping[str, object]) -> str:
    """Whom a text is scored for; a text without a system for itself."""
    return str(row["system"] if row.get("system") else row["id"])


def _draw(
    systems: NDArray[np.int64], shown: NDArray[np.int64], tally: _Tally, size: int, rng: np.random.Generator
) -> list[int]:
    """The places of one set's texts in their pool; what was drawn is counted."""
    chosen: list[int] = []
    free = np.ones(len(systems), np.bool_)
    for _ in range(size):
        met = tally.met[np.ix_(systems, systems[chosen])].sum(axis=1) if chosen else np.zeros(len(systems), np.int64)
        best = np.lexsort((rng.random(len(systems)), tally.shown[systems], met, shown, ~free))[0]
        chosen.append(int(best))
        free[best] = False
    shown[chosen] += 1
    own = systems[chosen]
    tally.shown[own] += 1
    tally.met[np.ix_(own, own)] += 1
    return chosen


def _unit(name: str, texts: Sequence[Values]) -> Values | Problem:
    """One row of a campaign's file: the texts by letter, what they share, and whose each is."""
    by_letter = dict(zip(LETTERS, texts, strict=False))
    contexts = [one.get("context") for one in texts]
    if any(one != contexts[0] for one in contexts):
        ids = ", ".join(str(one["id"]) for one in texts)
        return Problem(
            name, f"its texts have different contexts ({ids})", "texts of one item are shown with one context"
        )
    shown: Values = {letter: one["text"] for letter, one in by_letter.items()}
    unit: Values = {"id": name, **(shown if len(texts) == FEWEST else {"texts": shown})}
    if contexts[0] is not None:
        unit["context"] = contexts[0]
    return {**unit, **dict(_facts(by_letter))}


def _facts(texts: Mapping[str, Values]) -> Iterator[tuple[str, object]]:
    """What rows say of their texts, by letter; other facts once if all texts share them, else for each letter."""
    for letter, one in texts.items():
        yield f"system_{letter}", _system(one)
        yield f"text_id_{letter}", one["id"]
    for key in dict.fromkeys(key for one in texts.values() for key in one):
        if key in ("id", "text", "context", "system"):
            continue
        said = {letter: one[key] for letter, one in texts.items() if one.get(key) is not None}
        if key in OF_TEXTS:
            yield key, said
        elif len(said) == len(texts) and all(one == next(iter(said.values())) for one in said.values()):
            yield key, next(iter(said.values()))
        else:
            yield from ((f"{key}_{letter}", one) for letter, one in said.items())
