"""Leave-texts-out cross-validation of what was fitted in the box score checker: its costs and its confidence.

Honest for the fitted numbers only: the rules were written by somebody who has read all training texts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product
from pathlib import Path

import numpy as np

from goldmark.records.mistakes import Mistake
from goldmark.records.texts import Text
from goldmark.stats.mistake_matching import MatchCounts, count, match
from goldmark_boxscore.checker import BoxScoreChecker
from goldmark_boxscore.confidence import Confidence, Signs
from goldmark_boxscore.games import Game
from goldmark_boxscore.judging import Court
from goldmark_boxscore.league import read_words
from goldmark_boxscore.mistakes import marks_of
from goldmark_boxscore.plugin import MODES
from goldmark_boxscore.verdicts import COSTS, Costs, explain

FOLDS = 10
GRID = [
    replace(COSTS, left=left, other_side=other_side, word=word)
    for left, other_side, word in product((1.0, 1.75, 2.5), (0.75, 1.5), (0.5, 1.0))
]
BINS = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 1.0)


@dataclass(frozen=True)
class Read:
    """A training text as the checker reads it, with its gold list."""

    text: Text
    court: Court
    gold: Sequence[Mistake]

    def marks(self, costs: Costs) -> list[tuple[Mistake, Signs]]:
        marks = marks_of(explain(self.text, self.court, costs), self.court.game)
        return [
            (Mistake(self.id, mark.fault.span, mark.fault.label, id=str(place)), mark.signs)
            for place, mark in enumerate(marks)
        ]

    @property
    def id(self) -> str:
        return self.text.id


@dataclass(frozen=True)
class Judged:
    """One mark: what tells how sure it is, whether the gold list has it, and its probability from other texts."""

    text: str
    signs: Signs
    right: bool
    mistake: Mistake
    probability: float = 0.0


def read_all(
    checker: BoxScoreChecker, texts: Mapping[str, Text], games: Mapping[str, Game], gold: Mapping[str, list[Mistake]]
) -> list[Read]:
    words = read_words()
    found = []
    for text in texts.values():
        game = checker.season.corrected(games[text.id]) if checker.season else games[text.id]
        found.append(Read(text, Court(game, checker.league, words, checker.season), gold.get(text.id, [])))
    return found


def folds(texts: Sequence[Read], seed: int = 3) -> list[set[str]]:
    order = np.random.default_rng(seed).permutation(len(texts))
    return [{texts[place].id for place in order[fold::FOLDS]} for fold in range(FOLDS)]


def crossvalidated_costs(texts: Sequence[Read]) -> tuple[list[MatchCounts], Counter[Costs]]:
    """Each text under the costs that did best on the texts of the other folds, and how often which were chosen."""
    counts = {
        costs: {one.id: count(one.gold, [mark for mark, _ in one.marks(costs)]) for one in texts} for costs in GRID
    }
    chosen: Counter[Costs] = Counter()
    held: list[MatchCounts] = []
    for fold in folds(texts):
        best = _best(counts, fold)
        chosen[best] += 1
        held += [counts[best][text] for text in sorted(fold)]
    return held, chosen


def _best(counts: Mapping[Costs, Mapping[str, MatchCounts]], fold: set[str]) -> Costs:
    """The costs with the highest F1 on the texts outside a fold; of equal ones those that the checker has."""
    scores = {costs: _f1([one for text, one in each.items() if text not in fold]) for costs, each in counts.items()}
    return max(scores, key=lambda costs: (scores[costs], costs == COSTS))


def _f1(counts: Sequence[MatchCounts]) -> float:
    return 2 * sum(c.found for c in counts) / sum(c.gold + c.submitted for c in counts)


def judged_marks(texts: Sequence[Read], costs: Costs = COSTS) -> list[Judged]:
    """Every mark with the probability that a model fitted on the other folds gives it."""
    found: list[Judged] = []
    for one in texts:
        marks = one.marks(costs)
        right = {mistake.id for _, mistake in match(one.gold, [mark for mark, _ in marks]).found}
        found += [Judged(one.id, signs, mark.id in right, mark) for mark, signs in marks]
    done: list[Judged] = []
    for fold in folds(texts):
        model = Confidence.fit([(item.signs, item.right) for item in found if item.text not in fold])
        done += [replace(item, probability=model.probability(item.signs)) for item in found if item.text in fold]
    return done


def print_kinds(marks: Sequence[Judged]) -> None:
    """Precision by kind of claim, of all marks and of those that the balanced mode keeps."""
    print("  kind of claim                 marks  right   balanced  right   mean probability (from other texts)")
    kinds = Counter(item.signs.kind for item in marks)
    for kind, _ in kinds.most_common():
        mine = [item for item in marks if item.signs.kind == kind]
        kept = [item for item in mine if item.probability >= MODES["balanced"]]
        mean = sum(item.probability for item in mine) / len(mine)
        share = f"{sum(item.right for item in kept) / len(kept):.3f}" if kept else "-"
        print(
            f"  {kind:28} {len(mine):6}  {sum(item.right for item in mine) / len(mine):.3f} {len(kept):10}  {share:>5}"
            f"   {mean:.3f}"
        )


def print_reliability(marks: Sequence[Judged], plot: Path | None = None) -> None:
    """Of the marks with a probability of about so much, how many are right."""
    base = sum(item.right for item in marks) / len(marks)
    brier = sum((item.probability - item.right) ** 2 for item in marks) / len(marks)
    print(f"  Brier score {brier:.4f}; {base * (1 - base):.4f} if every mark had the same probability")
    print("  probability        marks   mean   right")
    points = []
    for low, high in pairwise(BINS):
        inside = [item for item in marks if low <= item.probability < high or (high == 1.0 and item.probability == 1.0)]
        if inside:
            mean = sum(item.probability for item in inside) / len(inside)
            right = sum(item.right for item in inside) / len(inside)
            points.append((mean, right, len(inside)))
            print(f"  {low:.2f} to {high:.2f}     {len(inside):6}  {mean:.3f}   {right:.3f}  {'#' * round(40 * right)}")
    if plot is not None:
        plot.write_text(_svg(points), encoding="utf-8")


def _svg(points: Sequence[tuple[float, float, int]]) -> str:
    """The reliability plot: mean probability against the share that is right, a circle for each group of marks."""
    dots = "".join(
        f'<circle cx="{40 + 300 * x:.0f}" cy="{320 - 300 * y:.0f}" r="{2 + n**0.5 / 3:.1f}" fill="#2a6" '
        f'fill-opacity=".6">'
        f"<title>{n} marks: mean probability {x:.2f}, right {y:.2f}</title></circle>"
        for x, y, n in points
    )
    ticks = "".join(
        f'<text x="{40 + 300 * t:.0f}" y="338" text-anchor="middle">{t:g}</text>'
        f'<text x="34" y="{324 - 300 * t:.0f}" text-anchor="end">{t:g}</text>'
        for t in (0, 0.25, 0.5, 0.75, 1)
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 360 360" font-family="sans-serif" font-size="11" '
        'fill="#666" role="img" aria-label="Reliability of the checker\'s probabilities">'
        '<rect x="40" y="20" width="300" height="300" fill="none" stroke="#999"/>'
        '<line x1="40" y1="320" x2="340" y2="20" stroke="#999" stroke-dasharray="4"/>'
        f"{ticks}{dots}"
        '<text x="190" y="355" text-anchor="middle">probability given by a model of the other texts</text>'
        '<text x="12" y="170" text-anchor="middle" transform="rotate(-90 12 170)">share of marks that are right</text>'
        "</svg>\n"
    )


def operating_points(texts: Sequence[Read], marks: Sequence[Judged]) -> None:
    """Recall and precision of each mode, with probabilities from the other texts."""
    print("  mode         least probability   mistake R     P   token R     P")
    for mode, least in MODES.items():
        counts = [
            count(one.gold, [item.mistake for item in marks if item.text == one.id and item.probability >= least])
            for one in texts
        ]
        total = MatchCounts(*(sum(column) for column in zip(*counts, strict=True)))
        shares = (
            total.found / total.gold,
            total.found / total.submitted,
            total.tokens_found / total.gold_tokens,
            total.tokens_found / total.submitted_tokens,
        )
        print(f"  {mode:12} {least:17.2f}       " + "   ".join(f"{share:.3f}" for share in shares))
