"""`goldmark rank`: systems ordered by people's scores, with what can be said about the order."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, Parameter

from goldmark.cli.options import (
    Alpha,
    Count,
    Flag,
    Keep,
    PlotOutput,
    Probability,
    Resamples,
    Seed,
    columns,
)
from goldmark.cli.output import emit
from goldmark.records.tables import Cell

app = App(name="rank", help="Rank systems by people's scores.")


@app.default
def rank(
    file: Annotated[Path, Parameter(help="The scores.")],
    *,
    system: Annotated[str, Parameter(help="The column that names whose output was judged.")] = "system",
    item: Annotated[
        str,
        Parameter(
            help="The column that names the test item (`item`, or `unit` where that is empty); items are shared "
            "between systems."
        ),
    ] = "",
    annotator: Annotated[
        str,
        Parameter(
            help="The column that names who judged (`annotator`, if there is one). Without it intervals are about "
            "items only."
        ),
    ] = "",
    score: Annotated[
        str, Parameter(help="The column of scores (`score`, or else `value`); an empty cell is no score.")
    ] = "",
    keep: Keep = (),
    z: Annotated[
        Flag, Parameter(help="Standardise each annotator's scores (all their rows, before --keep) before averaging.")
    ] = False,
    weigh: Annotated[
        Literal["items", "judgements"],
        Parameter(help="Average over `items` (each counts once, as WMT does) or over single `judgements`."),
    ] = "items",
    draw: Annotated[
        Literal["items-and-annotators", "items"],
        Parameter(
            help="What intervals take to be drawn by chance; `items` keeps the very annotators, as GENIE and WMT do."
        ),
    ] = "items-and-annotators",
    test: Annotated[
        Literal["permutation", "signed-rank", "rank-sum", "mcnemar"] | None,
        Parameter(
            help="Rank by tests that take the annotators as they are, corrected by Holm, instead of by step-down tests "
            "of differences: `permutation` or `signed-rank` on shared items, `rank-sum` as WMT does, or `mcnemar` "
            "for one yes or no an item."
        ),
    ] = None,
    minimum: Annotated[
        float | None,
        Parameter(
            help="Where the scale starts, for the bound of the standard error; 0 if all scores lie between 0 and 1."
        ),
    ] = None,
    maximum: Annotated[float | None, Parameter(help="Where the scale ends.")] = None,
    resamples: Resamples = 2000,
    level: Annotated[
        Probability, Parameter(help="How often an interval, and all ranges of ranks at once, should hold the truth.")
    ] = 0.95,
    permutations: Annotated[Count, Parameter(help="How often signs are flipped in the permutation test.")] = 10_000,
    alpha: Alpha = 0.05,
    seed: Seed = 17,
    pairs: Annotated[Flag, Parameter(help="Also print every pair of systems, as a list and as a matrix.")] = False,
    output: PlotOutput = PlotOutput(),
) -> None:
    """Rank the systems of a file of scores (CSV, TSV or JSON lines), one judgement per row."""
    from goldmark.records.tidy.kept import named_values
    from goldmark.results.rank_tables import RankOptions
    from goldmark.results.rank_tables import rank as ranked
    from goldmark.texts.readers.tidy import read_tidy

    options = RankOptions(
        z=z,
        weigh=weigh,
        draw="items" if draw == "items" else "items and annotators",
        test=test,
        minimum=minimum,
        maximum=maximum,
        resamples=resamples,
        level=level,
        permutations=permutations,
        alpha=alpha,
        seed=seed,
        keep=named_values(keep),
    )
    given = columns(system=system, item=item, annotator=annotator, score=score)
    result = ranked(read_tidy(file), options, given)
    facts = {
        "systems": [_for_machines(row, "mean") for row in result.systems.records()],
        "pairs": [_for_machines(row, "difference") for row in result.pairs.records()],
        "notes": result.systems.notes,
        "signature": result.systems.signature,
    }
    tables = [result.systems, result.pairs, result.matrix] if pairs else [result.systems]
    emit(output, facts, tables=tables, picture=("mean", ("system",)))


def _for_machines(row: dict[str, Cell], figure: str) -> dict[str, object]:
    """A row with its interval as a pair of numbers, and a range of ranks as two."""
    found: dict[str, object] = {}
    for name, value in row.items():
        if name in ("rank", "rank_alone"):
            best, _, worst = str(value).partition("-")
            found[name] = {"best": int(best), "worst": int(worst or best)} if best else None
        elif name == f"{figure}_low":
            found["interval"] = None if value is None else [value, row[f"{figure}_high"]]
        elif name != f"{figure}_high":
            found[name] = value
    return found
