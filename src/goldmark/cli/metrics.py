"""`goldmark metrics`: automatic metrics, and how they correlate with people."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, Parameter

from goldmark.cli.choices import Count, Flag, Probability, Seed
from goldmark.cli.metrics_compute import compute, list_metrics
from goldmark.cli.show import Format, draw, show

app = App(name="metrics", help="Automatic metrics, and how they correlate with people.")
app.command(compute)
app.command(list_metrics, name="list")


@app.command
def correlate(
    file: Path,
    *,
    human: str = "human",
    metric: Annotated[tuple[str, ...], Parameter(negative="")] = (),
    item: str = "",
    system: str = "",
    level: Annotated[tuple[Literal["segment", "item", "system"], ...], Parameter(negative="")] = (),
    method: Annotated[tuple[Literal["pearson", "spearman", "kendall", "kendall-c"], ...], Parameter(negative="")] = (),
    interval: Literal["bootstrap", "fisher", "none"] = "bootstrap",
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

    Parameters
    ----------
    file
        CSV, TSV or JSON lines.
    human
        The column of human scores.
    metric
        A column of a metric; say it several times. Without it: every other column that holds only numbers.
    item
        The column that names the test item (`item`, if there is one); items are resampled.
    system
        The column that names the system (`system`, if there is one), for the level `system`.
    level
        `segment` (all outputs), `item` (within items, then the mean) or `system` (means of systems).
    method
        Without it: pearson, spearman and kendall (tau-b, which corrects for ties).
    interval
        By resampling items, or by Fisher's transformation.
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
    from goldmark.analysis.metrics import MetricOptions, metric_columns
    from goldmark.analysis.metrics import correlate as correlated
    from goldmark.texts.tidy import read_tidy

    frame = read_tidy(file)
    names = {"human": human, **({"item": item} if item else {}), **({"system": system} if system else {})}
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
    metrics = list(metric) or metric_columns(frame, human, (item or "item", system or "system"))
    tables = correlated(frame, metrics, options, names)
    draw(tables[0], "correlation", ("level", "method", "metric"), plot)
    show(*tables, form=format, json=json)
