"""Numbers and scales: mean per system with its interval and rank, distribution, differences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from goldmark.records.figures import Figure, Signature
from goldmark.records.tables import Cell, Table
from goldmark.records.tidy.columns import Frame
from goldmark.results.inputs.files.rating_rows import scale_ends
from goldmark.results.inputs.groups import Rows, questions, rows_of
from goldmark.results.options import AnalysisOptions, of_figure
from goldmark.results.result_table import CHOSEN, RATED, from_observations
from goldmark.results.tables.rows import of_score, ranked, shares
from goldmark.stats.ranks.ranking import Ranking

MEANS = {"standard_error": "s.e.", "value": "mean", "n": "answers"}


def numbers(rows: Rows) -> NDArray[np.float64]:
    return rows.frame.coded("value").numbers()


def ratings(frame: Frame, settings: AnalysisOptions, by: str = "system", order: Sequence[str] = ()) -> Table:
    """The mean of every question and system; items count alike, and the best comes first."""
    found: list[dict[str, Cell]] = []
    signature = ""
    for question in questions(frame, order):
        rows = rows_of(frame, question, by)
        ranking = ranked(rows, numbers(rows), settings, scale_ends(rows.frame))
        signature = ranking.signature(z=False, seed=settings.seed)
        for place in ranking.order():
            ranks = ranking.ranks[place]
            found.append(
                {
                    "question": question,
                    by: ranking.systems[place],
                    **of_score(ranking.scores[place]),
                    "rank": "" if ranks is None else str(ranks),
                    "cluster": ranking.clusters[place],
                }
            )
    return Table.of("Mean ratings", found, signature=signature, labels=MEANS)


def distribution(frame: Frame, settings: AnalysisOptions, by: str = "system", order: Sequence[str] = ()) -> Table:
    """How often each answer was given, from the lowest to the highest."""
    found: list[dict[str, Cell]] = []
    for question in questions(frame, order):
        rows = rows_of(frame, question, by)
        labels = rows.frame.coded("label")
        code, names = labels.used()
        value = np.zeros(len(names))
        value[code] = numbers(rows)
        scale = sorted(zip(names, value.tolist(), strict=True), key=lambda entry: entry[1])
        if len(scale) > MOST_LABELS:
            continue  # a number from 0 to 100 has no options to count
        made = {label: shares(rows, labels.equal(label), settings) for label, _ in scale}
        found += share_rows(question, by, made)
    return Table.of("Distribution of answers", found, signature=shares_signature(settings), labels={"value": "share"})


MOST_LABELS = 12


def share_rows(
    question: str, by: str, made: Mapping[str, Mapping[str, tuple[Figure, int]]]
) -> Iterator[dict[str, Cell]]:
    """The shares of every label and group, group by group."""
    for group in dict.fromkeys(group for some in made.values() for group in some):
        for label, some in made.items():
            if group in some:
                figure, count = some[group]
                yield {"question": question, by: group, "label": label, **of_figure(figure), "count": count}


def differences(frame: Frame, settings: AnalysisOptions, by: str = "system", order: Sequence[str] = ()) -> Table:
    """Every two systems compared on the items that both have."""
    found: list[dict[str, Cell]] = []
    signature = ""
    for question in questions(frame, order):
        rows = rows_of(frame, question, by)
        ranking = ranked(rows, numbers(rows), settings, scale_ends(rows.frame), differences=True)
        signature = ranking.signature(z=False, seed=settings.seed)
        found += ({"question": question, **row} for row in pairs(ranking))
    return Table.of(
        "Differences between systems", found, signature=signature, labels=DIFFERENCES, reference=NO_DIFFERENCE
    )


NO_DIFFERENCE = (0.0, "no difference")
DIFFERENCES = {"value": "difference", "n": "shared items", "p_adjusted": "p (all pairs)"}


def pairs(ranking: Ranking) -> list[dict[str, Cell]]:
    """Differences of a ranking, the better system first."""
    return [
        {
            "first": ranking.systems[one.first],
            "second": ranking.systems[one.second],
            "value": one.difference,
            "low": one.interval and one.interval.low,
            "high": one.interval and one.interval.high,
            "n": one.shared,
            "p": one.p,
            "p_adjusted": one.adjusted,
            "significant": ranking.sure(one),
            "reason": one.reason,
        }
        for one in ranking.pairs()
    ]


def choices(frame: Frame, settings: AnalysisOptions, by: str = "system", order: Sequence[str] = ()) -> Table:
    """The share of answers that chose each option."""
    found: list[dict[str, Cell]] = []
    for question in questions(frame, order):
        rows = rows_of(frame, question, by)
        several = takes_several(rows)
        labels, chosen = rows.frame.coded("label"), rows.frame.coded("chosen").equal("true")
        made = {}
        for label in labels.used()[1]:
            here = labels.equal(label)
            own = np.flatnonzero(here)
            made[label] = shares(rows.take(own), chosen[own], settings) if several else shares(rows, here, settings)
        found += share_rows(question, by, made)
    return Table.of("Share of choices", found, signature=shares_signature(settings), labels={"value": "share"})


def takes_several(rows: Rows) -> bool:
    """Whether one answer has several rows: every option of it, chosen or not."""
    if "false" in rows.frame.cells["chosen"]:
        return True
    answers = np.unique(rows.unit.codes * np.int64(len(rows.annotator.names)) + rows.annotator.codes)
    return len(answers) < len(rows)


def shares_signature(settings: AnalysisOptions) -> str:
    return str(
        Signature.of(figure="share", interval="wilson-clustered", clusters="items-and-annotators", level=settings.level)
    )


RATINGS_TABLE = from_observations(
    "ratings", "The mean of every rating, with interval and rank.", "ratings", "ratings", ratings, RATED, "dots"
)
DISTRIBUTION_TABLE = from_observations(
    "distribution", "How often each answer of a scale was given.", "shares", "ratings", distribution, RATED, "stacked"
)
DIFFERENCES_TABLE = from_observations(
    "differences", "Every two systems compared by their ratings.", "ratings", "ratings", differences, RATED, "dots"
)
CHOICES_TABLE = from_observations(
    "choices", "The share of each option.", "shares", "choices", choices, CHOSEN, "stacked"
)
