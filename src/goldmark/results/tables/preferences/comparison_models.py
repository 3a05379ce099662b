"""Strengths of systems from comparisons of two texts: Bradley-Terry with ties and an effect of order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from goldmark.errors import GoldmarkError
from goldmark.records.figures import Figure, Signature
from goldmark.records.tables import Cell, Table
from goldmark.records.tidy.coded import Coded
from goldmark.records.tidy.columns import Frame
from goldmark.results.inputs.groups import questions, rows_of
from goldmark.results.inputs.table_inputs import TableInputs
from goldmark.results.options import AnalysisOptions, of_figure
from goldmark.results.result_table import COMPARED, ResultTable
from goldmark.stats.models.bradley_terry import FEW_PEOPLE, FIRST, SECOND, TIE, BradleyTerry, bradley_terry

SHOWN_FIRST = "(shown first)"
NO_END = "what being shown first adds has no limit in so few comparisons, and is left out of the model"
NOBODY = "differences between people are not in the interval"


def bradley_terry_tables(given: TableInputs, settings: AnalysisOptions) -> list[Table]:
    """Of every comparison question: the strengths, what order and ties do, and whether the model fits."""
    frame = given.frames["comparisons"]
    strengths: list[dict[str, Cell]] = []
    checks: list[dict[str, Cell]] = []
    for question in questions(frame, given.order):
        asked: dict[str, Cell] = {"question": question}
        try:
            names, model = fitted(frame, question)
        except GoldmarkError as error:
            strengths.append({**asked, "system": "", **of_figure(Figure(None, reason=str(error)))})
            continue
        checks.append({**asked, **_check(model)})
        for what, figure in _figures(names, model, settings.level):
            strengths.append({**asked, "system": what, **of_figure(figure)})
    signature = str(
        Signature.of(
            figure="bradley-terry",
            ties="davidson",
            order="davidson-beaver",
            interval="sandwich-t",
            clusters="items-and-annotators",
            level=settings.level,
        )
    )
    notes = (
        "strength: log odds of being preferred to an average system; two systems differ by the difference of theirs",
        "(shown first): what being shown first adds; (tie): log odds of a tie between equals",
    )
    return [
        Table.of(
            "Strength of systems",
            strengths,
            notes=notes,
            signature=signature,
            labels={"value": "strength", "n": "comparisons"},
            reference=(0.0, "an average system"),
        ),
        Table.of(
            "Does the model fit?",
            checks,
            notes=("a small p: who wins against whom is not told by one strength for each system",),
            signature=signature,
            labels={"x2": "X²"},
            name="fit",
        ),
    ]


def fitted(frame: Frame, question: str) -> tuple[list[str], BradleyTerry]:
    """The systems by name, and the model of one question's comparisons."""
    rows = rows_of(frame, question, "question")
    cells = rows.frame.cells
    both = Coded.of([*cells["a"], *cells["b"]])
    codes, names = both.used()
    order = sorted(range(len(names)), key=names.__getitem__)
    codes = np.argsort(order)[codes]
    a, b = np.split(codes, 2)
    first = rows.frame.coded("first")
    shown = first.equal("b")
    known = shown | first.equal("a")  # else nobody knows: answers that were made elsewhere
    preferred = rows.frame.coded("preferred")
    won = np.where(shown, preferred.equal("b"), preferred.equal("a"))
    outcome = np.where(preferred.equal("tie"), TIE, np.where(won, FIRST, SECOND))
    people = rows.annotator.used()[0] if any(rows.people()) else None
    items = rows.item.used()[0]
    model = bradley_terry(np.where(shown, b, a), np.where(shown, a, b), outcome, people, items, known=known)
    return [names[place] for place in order], model


def _figures(names: Sequence[str], model: BradleyTerry, level: float) -> list[tuple[str, Figure]]:
    why = NOBODY if model.clusters.people is None else few_people(model.people)
    places = sorted(range(len(names)), key=lambda place: -model.strengths[place])
    found = [(names[place], model.figure(model.unit(place), level)) for place in places]
    extra = [name for name, value in ((SHOWN_FIRST, model.order), ("(tie)", model.tie)) if value is not None]
    found += ((name, model.figure(model.unit(len(names) + row), level)) for row, name in enumerate(extra))
    figures = [(name, Figure(one.value, one.interval, why, one.used)) for name, one in found]
    if model.order_endless:
        figures.append((SHOWN_FIRST, Figure(None, reason=NO_END, used=model.comparisons)))
    return figures


def few_people(people: int) -> str:
    """What stands beside a strength of few people's comparisons."""
    few = f"{people} people compared; from fewer than {FEW_PEOPLE} nothing sure can be said of how people differ"
    return few if people < FEW_PEOPLE else ""


def _check(model: BradleyTerry) -> dict[str, Cell]:
    return {
        "x2": model.misfit,
        "df": model.misfit_df,
        "p": model.misfit_p,
        "cyclic_triples": model.cycles,
        "triples": model.triples,
        "people": model.people,
        "comparisons": model.comparisons,
        "reason": "" if model.misfit_df > 0 else "the model has as many parameters as there are kinds of outcomes",
    }


BRADLEY_TERRY_TABLE = ResultTable(
    "bradley-terry",
    "How strong systems are, from comparisons, with ties and order.",
    "bradley-terry",
    ("comparisons",),
    bradley_terry_tables,
    "dots",
    needs=COMPARED,
)
