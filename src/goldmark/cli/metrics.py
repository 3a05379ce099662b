"""`goldmark metrics`: automatic metrics, and how they correlate with people."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, Parameter

from goldmark.cli.choices import Count, Flag, NamesAndValues, Probability, Seed, named_values
from goldmark.cli.metrics_compute import compute, list_metrics
from goldmark.cli.show import Format, draw, show

app = App(name="metrics", help="Automatic metrics, and how they correlate with people.")
app.command(compute)
app.command(list_metrics, name="list")


@app.command
def correlate(
    file: Path,
    *,
    human: str = "",
    ratings: Path | None = None,
    question: str = "",
    keep: NamesAndValues = (),
    metric: Annotated[tuple[str, ...], Parameter(negative="")] = (),
    unit: str = "",
    item: str = "",
    system: str = "",
    level: Annotated[tuple[Literal["segment", "item", "within-system", "system"], ...], Parameter(negative="")] = (),
    method: Annotated[tuple[Literal["pearson", "spearman", "kendall", "kendall-c"], ...], Parameter(negative="")] = (),
    interval: Literal["usual", "systems", "items", "fisher", "none"] = "usual",
    test: Literal["permutation", "williams", "none"] = "permutation",
    resamples: Count = 1000,
    permutations: Count = 1000,
    alpha: Probability = 0.05,
    seed: Seed = 17,
    plot: Path | None = None,
    format: Annotated[Format, Parameter(name="--format")] = "table",  # noqa: A002
    json: Flag = False,
) -> None:
    """Correlate metrics with the human score: one output per row, one column per metric.

    People's scores stand in the same file, or in the ratings of a campaign (`--ratings`), which are matched by `unit`,
    or by `item` and `system`, and averaged over the labels of each output.

    Parameters
    ----------
    file
        CSV, TSV or JSON lines, such as `goldmark metrics compute --segments` writes.
    human
        The column of human scores: `human`, or in a file of ratings `score` or else `value`.
    ratings
        A file of people's ratings, one label per row, such as a campaign's `ratings.csv`; or of any other score of
        outputs.
    question
        Which question of the ratings; short for `--keep question=NAME`.
    keep
        Only ratings whose column has one of these values: `--keep condition=trained`. Rows with `test` or `excluded`
        true are left out unless their column is named here.
    metric
        A column of a metric; say it several times. Without it: every other column that holds only numbers.
    unit
        The column that names the output (`unit`, if there is one), to match ratings.
    item
        The column that names the test item (`item`, if there is one).
    system
        The column that names the system (`system`, if there is one), for the levels `system` and `within-system`.
    level
        `segment` (all outputs), `item` (within items, then the mean), `within-system` (within systems, then the mean)
        or `system` (means of systems).
    method
        Without it: pearson, spearman and kendall (tau-b, which corrects for ties).
    interval
        Resample `systems` or `items`, or use `fisher`'s transformation. Usually: Fisher's over systems; systems are
        resampled over outputs (items, where no system is named) and within systems, items within items.
    test
        Between every two metrics; `williams` is for pearson only.
    resamples
        How often to resample for the intervals.
    permutations
        How often scores are swapped in the permutation test.
    alpha
        The level below which a corrected p-value counts as significant.
    seed
        Where resampling starts; the same seed gives the same table.
    plot
        Write a picture of correlations and intervals (PNG, PDF or SVG).
    format
        How to print: for people, as CSV at full precision, or as LaTeX (booktabs).
    json
        For machines.
    """
    from goldmark.analysis.human_scores import HUMAN, with_human_scores
    from goldmark.analysis.metrics import MetricOptions, metric_columns
    from goldmark.analysis.metrics import correlate as correlated
    from goldmark.texts.tidy import read_tidy

    frame = read_tidy(file)
    notes: tuple[str, ...] = ()
    given = {"unit": unit, "item": item, "system": system}
    names = {name: column for name, column in given.items() if column}
    if ratings is not None:
        wanted = {**named_values(keep), **({"question": [question]} if question else {})}
        frame, notes = with_human_scores(frame, read_tidy(ratings), keep=wanted, human=human, names=names)
    people = HUMAN if ratings is not None else human or HUMAN
    known_system = (system or "system") in frame.cells
    options = MetricOptions(
        levels=level or (("segment", "system") if known_system else ("segment",)),
        methods=method or ("pearson", "spearman", "kendall"),
        interval=interval,
        test=test,
        resamples=resamples,
        permutations=permutations,
        alpha=alpha,
        seed=seed,
    )
    roles = [column or name for name, column in given.items()]
    metrics = list(metric) or metric_columns(frame, people, roles)
    first, *rest = correlated(frame, metrics, options, {**names, "human": people})
    draw(first, "correlation", ("level", "method", "metric"), plot)
    show(first.noting(*notes), *rest, form=format, json=json)
