"""`goldmark rank`: systems ordered by people's scores, with what can be said about the order."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, Parameter

from goldmark.cli.choices import Count, Flag, NamesAndValues, Probability, Seed, named_values
from goldmark.cli.show import Format, show
from goldmark.records.tables import Cell

app = App(name="rank", help="Rank systems by people's scores.")


@app.default
def rank(
    file: Path,
    *,
    system: str = "system",
    item: str = "",
    annotator: str = "",
    score: str = "",
    keep: NamesAndValues = (),
    z: Flag = False,
    weigh: Literal["items", "judgements"] = "items",
    draw: Literal["items-and-annotators", "items"] = "items-and-annotators",
    test: Literal["permutation", "signed-rank", "rank-sum"] | None = None,
    minimum: float | None = None,
    maximum: float | None = None,
    resamples: Count = 2000,
    level: Probability = 0.95,
    permutations: Count = 10_000,
    alpha: Probability = 0.05,
    seed: Seed = 17,
    pairs: Flag = False,
    plot: Path | None = None,
    format: Annotated[Format, Parameter(name="--format")] = "table",  # noqa: A002
    json: Flag = False,
) -> None:
    """Rank the systems of a file of scores (CSV, TSV or JSON lines), one judgement per row.

    Parameters
    ----------
    file
        The scores.
    system
        The column that names whose output was judged.
    item
        The column that names the test item (`item`, or `unit` where that is empty); items are shared between systems.
    annotator
        The column that names who judged (`annotator`, if there is one). Without it only items are resampled.
    score
        The column of scores (`score`, or else `value`); an empty cell is no score.
    keep
        Only rows whose column has one of these values: `--keep question=overall`, `--keep type=SYSTEM,REPEAT`; `*` is
        every value. z-scores are made before, from all rows of the question. Rows with `test` or `excluded` true are
        left out unless their column is named here.
    z
        Standardise each annotator's scores (all their rows) before averaging.
    weigh
        Average over `items` (each counts once, as WMT does) or over single `judgements`.
    draw
        What intervals take to be drawn by chance; `items` keeps the very annotators, as GENIE and WMT do.
    test
        Rank by tests between every two systems, corrected by Holm, instead of by intervals that do not meet:
        `permutation` or `signed-rank` on shared items, or `rank-sum` as WMT does.
    minimum
        Where the scale starts, for the bound of the standard error; 0 if all scores lie between 0 and 1.
    maximum
        Where the scale ends.
    resamples
        How often to resample for the intervals.
    level
        How often an interval should hold the truth.
    permutations
        How often signs are flipped in the permutation test.
    alpha
        The level below which a corrected p-value counts as significant.
    seed
        Where resampling starts; the same seed gives the same table.
    pairs
        Also print every pair of systems.
    plot
        Write a picture of scores and intervals (PNG, PDF or SVG).
    format
        How to print: for people, as CSV at full precision, or as LaTeX (booktabs).
    json
        For machines.
    """
    from goldmark.analysis.ratings import RankOptions
    from goldmark.analysis.ratings import rank as ranked
    from goldmark.cli.output import print_json
    from goldmark.cli.show import draw as picture
    from goldmark.texts.tidy import read_tidy

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
    given = {"system": system, "item": item, "annotator": annotator, "score": score}
    result = ranked(read_tidy(file), options, {name: column for name, column in given.items() if column})
    picture(result.systems, "mean", ("system",), plot)
    if json:
        print_json(
            {
                "systems": [_for_machines(row, "mean") for row in result.systems.records()],
                "pairs": [_for_machines(row, "difference") for row in result.pairs.records()],
                "notes": list(result.systems.notes),
                "signature": result.systems.signature,
            }
        )
        return
    show(result.systems, *((result.pairs,) if pairs else ()), form=format)


def _for_machines(row: dict[str, Cell], figure: str) -> dict[str, object]:
    """A row with its interval as a pair of numbers, and a range of ranks as two."""
    found: dict[str, object] = {}
    for name, value in row.items():
        if name == "rank":
            best, _, worst = str(value).partition("-")
            found["rank"] = {"best": int(best), "worst": int(worst or best)} if best else None
        elif name == f"{figure}_low":
            found["interval"] = None if value is None else [value, row[f"{figure}_high"]]
        elif name != f"{figure}_high":
            found[name] = value
    return found
