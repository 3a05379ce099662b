"""`goldmark metrics`: automatic metrics, and how they correlate with people."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, Parameter

from goldmark.cli.options import (
    Alpha,
    Corrected,
    Count,
    NamesAndValues,
    Output,
    PlotOutput,
    Resamples,
    Seed,
    TableOutput,
)
from goldmark.cli.output import emit, parts, talk

app = App(name="metrics", help="Automatic metrics, and how they correlate with people.")


@app.command
def compute(
    outputs: Path,
    *,
    references: Path | None = None,
    metrics: str = "bleu,chrf,rouge1,rouge2,rougeL",
    segments: Path | None = None,
    processes: Count | None = None,
    dask: str = "",
    output: TableOutput = TableOutput(),
) -> int:
    """Score outputs against references. A metric that fails is told, and the others are still computed.

    Parameters
    ----------
    outputs
        JSON lines with `id`, `output` and perhaps `system`; or a .txt file with one output a line.
    references
        JSON lines with `id`, `reference` or `references` (a list), and perhaps `source`; or a .txt file.
    metrics
        Names with their options, such as `bleu:tokenize=zh,chrf`; `goldmark metrics list` shows them.
    segments
        Write the score of every text to this file (CSV: system, item and one column per metric), for `correlate`.
    processes
        How many processes count at once. Default: GOLDMARK_PROCESSES, else one for each core.
    dask
        Address of a Dask scheduler whose workers count instead. Default: GOLDMARK_DASK.
    """
    from goldmark.cli.progress import bar
    from goldmark.exchange.campaign.archive import write_file
    from goldmark.jobs.fanout import WorkerPool
    from goldmark.metrics.files import read_outputs
    from goldmark.metrics.plugins import parse_list
    from goldmark.metrics.systems import metrics_table, score_systems, segments_csv

    specs = parse_list(metrics)
    systems = read_outputs(outputs, references)
    with WorkerPool.from_environment(processes=processes, dask=dask) as pool, bar() as told:
        found, failed = score_systems(systems, specs, pool=pool, progress=told)
    if segments is not None:
        write_file(segments, segments_csv(found).encode(), over=True)
    results = [
        {key: value for key, value in {"system": one.system, **one.scores.to_json()}.items() if key != "segments"}
        for one in found
    ]
    wrong = [
        {"system": one.system, "metric": one.metric, "code": one.error.code, "message": str(one.error)}
        for one in failed
    ]
    emit(output, {"results": results, "failed": wrong}, tables=[metrics_table(found)] if found else [])
    for one in failed:
        talk(f"{f'{one.system}: ' if one.system else ''}{one.metric}: {one.error} [{one.error.code}]")
    return 1 if failed else 0


@app.command(name="list")
def list_metrics(*, output: Output = Output()) -> None:
    """Which metrics there are, what they measure, and their options."""
    from goldmark.metrics.plugins import METRICS

    told = ("name", "purpose", "options", "top", "higher_is_better", "needs_references", "needs_sources")
    rows, lines = [], []
    for kind in METRICS.usable().values():
        rows.append(parts(kind, *told))
        lines.append(f"{kind.name}\n    {kind.purpose}")
        lines += [f"      {option:<10}  {meaning}" for option, meaning in kind.options.items()]
    emit(output, {"metrics": rows}, lines=lines)


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
    method: Annotated[
        tuple[Literal["pearson", "spearman", "kendall", "kendall-c", "pairwise", "soft-pairwise"], ...],
        Parameter(negative=""),
    ] = (),
    interval: Literal["usual", "systems", "items", "fisher", "none"] = "usual",
    test: Literal["permutation", "perm-both", "williams", "none"] = "permutation",
    correction: Corrected = "holm",
    resamples: Resamples = 1000,
    permutations: Count = 1000,
    alpha: Alpha = 0.05,
    seed: Seed = 17,
    output: PlotOutput = PlotOutput(),
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
        Without it: pearson, spearman and kendall (tau-b, which corrects for ties). `pairwise` is the share of pairs
        that the metric orders as people do: at level `item` with ties, whose threshold is calibrated, as WMT has it;
        `soft-pairwise`, at level `system`, how far the metric is as sure of the order as people are.
    interval
        Leave out `systems` or `items` in turn, or use `fisher`'s transformation. Usually: Fisher's over systems;
        systems are left out over outputs (items, where no system is named) and within systems, items within items.
    test
        Between every two metrics. `permutation` swaps the scores of whole items (over systems: of whole systems),
        `perm-both` of single outputs, as WMT does; `williams` is for pearson only.
    permutations
        How often scores are swapped in the permutation test.
    """
    from goldmark.records.tidy.kept import named_values
    from goldmark.results.inputs.files.human_scores import HUMAN, with_human_scores
    from goldmark.results.metrics.metric_correlations import correlate as correlated
    from goldmark.results.metrics.metric_correlations import metric_columns
    from goldmark.results.metrics.metric_scores import MetricOptions
    from goldmark.texts.readers.tidy import read_tidy

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
        correction=correction,
        resamples=resamples,
        permutations=permutations,
        alpha=alpha,
        seed=seed,
    )
    roles = [column or name for name, column in given.items()]
    metrics = list(metric) or metric_columns(frame, people, roles)
    first, *rest = correlated(frame, metrics, options, {**names, "human": people})
    emit(output, tables=[first.noting(*notes), *rest], picture=("correlation", ("level", "method", "metric")))
