"""MaxMatch (M²): precision and recall of a correction, judged by the edits that explain it best.

Dahlmeier and Ng (2012), "Better evaluation for grammatical error correction". A corrected text does not say which edits
made it: "feeds a word" from "feeds word" is either an insertion or "word -> a word". All ways in which the source can
become the output with the fewest changes form a lattice. Neighbouring changes may be taken together as one edit, with
at most two unchanged words in it. Of all paths through the lattice the one counts that contains most gold edits, and
among those the one with fewest other edits.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

MOST_UNCHANGED = 2
SPARE_WORDS = 500  # that an output may have beyond twice the words of its source: as many as a model writes by mistake
BETA = 0.5
_Node = tuple[int, int]  # words of the source and of the output that lie behind
_Inside = tuple[int, bool]  # of an edit, how many unchanged words it has so far, and whether there is a change


class _Way(NamedTuple):
    """The best way to a node, and whence its last step or edit comes; of equal ones that from further left.

    Its cost is how many gold edits it has (as a negative number), how many others, and how many words those cover, so
    that of equal ways the one with the smallest edits is told.
    """

    cost: tuple[int, int, int]
    origin: _Node


class Edit(NamedTuple):
    """Words `start` up to `end` of the source become other words; equal start and end is an insertion."""

    start: int
    end: int
    words: tuple[str, ...]


class GoldEdit(NamedTuple):
    """An edit that is right, with every correction that is accepted for it."""

    start: int
    end: int
    accepted: frozenset[tuple[str, ...]]


class EditCounts(NamedTuple):
    """Of one text: edits that are gold, edits proposed, gold edits."""

    correct: int
    proposed: int
    gold: int


def most_words(source: Sequence[str]) -> int:
    """How many words an output may have to be compared with a source: time and memory grow with both."""
    return 2 * len(source) + SPARE_WORDS


def gold_edits(source: Sequence[str], edits: Iterable[Edit]) -> list[GoldEdit]:
    """Gold edits without the words that stay: "a library -> opened a library" is the insertion of "opened"."""
    trimmed: dict[tuple[int, int], set[tuple[str, ...]]] = {}
    for edit in edits:
        start, end, words = edit
        while start < end and words and source[start] == words[0]:
            start, words = start + 1, words[1:]
        while start < end and words and source[end - 1] == words[-1]:
            end, words = end - 1, words[:-1]
        if start < end or words:
            trimmed.setdefault((start, end), set()).add(words)
    return [GoldEdit(start, end, frozenset(words)) for (start, end), words in sorted(trimmed.items())]


def count(
    source: Sequence[str],
    output: Sequence[str],
    references: Sequence[Sequence[GoldEdit]],
    *,
    so_far: EditCounts = EditCounts(0, 0, 0),  # noqa: B008
    most_unchanged: int = MOST_UNCHANGED,
    beta: float = BETA,
) -> EditCounts:
    """The counts of one text; of several references the one that gives the best F with all texts before it."""
    lattice = EditLattice(source, output, most_unchanged)
    best: tuple[float, int, int] | None = None
    chosen = EditCounts(0, 0, 0)
    for gold in references or [()]:
        edits = lattice.edits(gold)
        correct = _matched(edits, gold)
        mine = EditCounts(correct, len(edits), len(gold))
        total = EditCounts(*(one + two for one, two in zip(so_far, mine, strict=True)))
        rank = (f_score(total, beta), correct, -len(edits) - len(gold))
        if best is None or rank > best:
            best, chosen = rank, mine
    return chosen


def f_score(counts: EditCounts, beta: float = BETA) -> float:
    """F of summed counts; nothing proposed is a precision of 1, nothing to correct a recall of 1.

    One division of the counts, so that references which are equally good are exactly equal.
    """
    below = counts.proposed + beta**2 * counts.gold
    return (1 + beta**2) * counts.correct / below if below else 1.0


def _matched(edits: Sequence[Edit], gold: Sequence[GoldEdit]) -> int:
    """How many gold edits were made; the same insertion made twice is right once."""
    open_ = list(gold)
    for edit in edits:
        for one in open_:
            if (edit.start, edit.end) == (one.start, one.end) and edit.words in one.accepted:
                open_.remove(one)
                break
    return len(gold) - len(open_)


class EditLattice:
    """All shortest ways from a source to an output, and the edits that neighbouring changes can be taken as."""

    def __init__(self, source: Sequence[str], output: Sequence[str], most_unchanged: int = MOST_UNCHANGED) -> None:
        self._output = tuple(output)
        self._end = (len(source), len(output))
        self._steps = _shortest(source, output)
        self._order = sorted(self._steps)  # every step leads to a later node, so this is an order to walk in
        self._most = most_unchanged

    def edits(self, gold: Sequence[GoldEdit]) -> list[Edit]:
        """The edits that lead from the source to the output, chosen to match as many gold edits as possible.

        Of edits that are not gold, each step is taken once for all that it may be a part of, so that a long output
        takes time in proportion to the lattice: to try every edit by itself would be its square.
        """
        wanted: dict[int, list[tuple[int, tuple[str, ...]]]] = defaultdict(list)
        for one in gold:
            wanted[one.start] += ((one.end, words) for words in one.accepted)
        best: dict[_Node, _Way] = {self._order[0]: _Way((0, 0, 0), self._order[0])}
        edited: dict[_Node, bool] = {}  # whether the best way to a node ends with an edit
        within: dict[_Node, dict[_Inside, _Way]] = defaultdict(dict)

        def offer(node: _Node, way: _Way, *, edit: bool) -> None:
            if node not in best or way < best[node]:
                best[node], edited[node] = way, edit

        for node in self._order:
            inside = within.pop(node, {})
            if ends := [way for (_, changed), way in inside.items() if changed]:
                offer(node, min(ends), edit=True)
            matches, others, covered = best[node].cost
            inside[0, False] = _Way((matches, others + 1, covered), node)  # an edit may begin here
            for following, same in self._steps[node]:
                if same:
                    offer(following, _Way(best[node].cost, node), edit=False)
                size = _words_between(node, following)
                known = within[following]
                for (unchanged, changed), ((right, wrong, words), origin) in inside.items():
                    key = (unchanged + same, changed or not same)
                    way = _Way((right, wrong, words + size), origin)
                    if key[0] <= self._most and (key not in known or way < known[key]):
                        known[key] = way
            for end, accepted in wanted.get(node[0], ()):
                target = (end, node[1] + len(accepted))
                if self._output[node[1] : target[1]] == accepted and self._is_edit(node, target):
                    cost = (matches - 1, others, covered + _words_between(node, target))
                    offer(target, _Way(cost, node), edit=True)
        found: list[Edit] = []
        node = self._end
        while node in edited:
            origin = best[node].origin
            if edited[node]:
                found.append(Edit(origin[0], node[0], self._output[origin[1] : node[1]]))
            node = origin
        return found[::-1]

    def _is_edit(self, start: _Node, end: _Node) -> bool:
        """Whether one edit can lead from here to there: at least one change, and few unchanged words."""
        # Of every node on the way: the fewest unchanged words before it, with and without a change among them.
        fewest: dict[tuple[_Node, bool], int] = {(start, False): 0}
        waiting = [(start, False)]
        while waiting:
            node, changed = waiting.pop()
            unchanged = fewest[node, changed]
            for following, same in self._steps[node]:
                key = (following, changed or not same)
                cost = unchanged + same
                near = following[0] <= end[0] and following[1] <= end[1]
                if near and cost <= self._most and cost < fewest.get(key, self._most + 1):
                    fewest[key] = cost
                    waiting.append(key)
        return (end, True) in fewest


def _words_between(start: _Node, end: _Node) -> int:
    return end[0] - start[0] + end[1] - start[1]


def _shortest(source: Sequence[str], output: Sequence[str]) -> dict[_Node, list[tuple[_Node, bool]]]:
    """Steps (to which node, unchanged or not) of every node that lies on a way with the fewest changes."""
    rows, columns = len(source), len(output)
    far = [[0] * (columns + 1) for _ in range(rows + 1)]  # changes from here to the end
    for i in range(rows, -1, -1):
        for j in range(columns, -1, -1):
            if i == rows or j == columns:
                far[i][j] = (rows - i) + (columns - j)
            else:
                across = far[i + 1][j + 1] + (source[i] != output[j])
                far[i][j] = min(across, far[i + 1][j] + 1, far[i][j + 1] + 1)
    steps: dict[_Node, list[tuple[_Node, bool]]] = {}
    waiting: list[_Node] = [(0, 0)]
    while waiting:
        i, j = node = waiting.pop()
        if node in steps:
            continue
        steps[node] = found = []
        if i < rows and j < columns:
            same = source[i] == output[j]
            if far[i][j] == far[i + 1][j + 1] + (not same):
                found.append(((i + 1, j + 1), same))
        if i < rows and far[i][j] == far[i + 1][j] + 1:
            found.append(((i + 1, j), False))
        if j < columns and far[i][j] == far[i][j + 1] + 1:
            found.append(((i, j + 1), False))
        waiting.extend(step for step, _ in found)
    return steps
