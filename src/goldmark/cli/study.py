"""`goldmark study`: plan and evaluate a controlled study."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, Parameter

from goldmark.cli.choices import Count, Flag, NamesAndValues, Probability, Seed
from goldmark.cli.show import Format, show
from goldmark.cli.study_run import analyse, check, code, create, exclusions, plan

app = App(name="study", help="Plan, run and analyse controlled studies.")
for command in (check, plan, create, analyse, exclusions, code):
    app.command(command)


@app.command
def power(
    *,
    n: int | None = None,
    effect: float | None = None,
    power: float | None = None,
    accuracy: float | None = None,
    baseline: float = 0.5,
    texts: int = 5,
    between: float = 0.0,
    design: Literal["one-sample", "paired", "two-sample"] = "two-sample",
    groups: int = 2,
    alpha: Probability = 0.05,
    comparisons: int = 1,
    json: Flag = False,
) -> int:
    """Give two of people, effect and power; the third is computed, before anyone is paid.

    With nothing but an effect, the number of people for a power of 0.8.

    Parameters
    ----------
    n
        People in each group (or pairs).
    effect
        Cohen's d; with more than two groups, Cohen's f.
    power
        The probability of finding the effect.
    accuracy
        Instead of an effect: the accuracy expected, compared with `--baseline`.
    baseline
        Chance, or the accuracy of the other group.
    texts
        With `--accuracy`: how many texts each person judges.
    between
        With `--accuracy`: standard deviation of people's true accuracies.
    design
        Against a fixed number, of pairs, or of two groups of people.
    groups
        More than two: analysis of variance.
    alpha
        The level of the test.
    comparisons
        How many tests are made; alpha is divided by it (Bonferroni).
    json
        For machines.
    """
    from goldmark.analysis.planning import Plan, PlanUnclear, plan
    from goldmark.cli.output import explain, print_json

    wanted = Plan(
        n=n,
        effect=effect,
        power=power,
        accuracy=accuracy,
        baseline=baseline,
        texts=texts,
        between=between,
        design=design,
        groups=groups,
        alpha=alpha,
        comparisons=comparisons,
    )
    try:
        table = plan(wanted)
    except PlanUnclear as error:
        explain(error)
        return 2
    if json:
        print_json({**table.records()[0], "notes": list(table.notes), "signature": table.signature})
    else:
        show(table)
    return 0


@app.command
def results(
    file: Path,
    *,
    column: NamesAndValues = (),
    keep: NamesAndValues = (),
    baseline: str = "",
    chance: float = 0.5,
    resamples: Count = 2000,
    alpha: Probability = 0.05,
    seed: Seed = 17,
    plot: Path | None = None,
    format: Annotated[Format, Parameter(name="--format")] = "table",  # noqa: A002
    json: Flag = False,
) -> int:
    """Accuracy and more by condition, with all tests: the same as `goldmark table study`.

    Parameters
    ----------
    file
        One answer per row: evaluator, text, truth, answer; condition and domain where there are any.
    column
        What the file calls a column: `--column evaluator=worker`.
    keep
        Only rows whose column has one of these values: `--keep question=source`.
    baseline
        The condition that others are compared with (the first, if not given).
    chance
        The accuracy of guessing.
    resamples
        How often to resample for the intervals.
    alpha
        The level below which a corrected p-value counts as significant.
    seed
        Where resampling starts; the same seed gives the same table.
    plot
        Write a picture of accuracies and intervals (PNG, PDF or SVG).
    format
        How to print: for people, as CSV at full precision, or as LaTeX (booktabs).
    json
        For machines.
    """
    from goldmark.cli.table import table

    return table(
        "study",
        file,
        column=column,
        keep=keep,
        baseline=baseline,
        chance=chance,
        resamples=resamples,
        alpha=alpha,
        seed=seed,
        plot=plot,
        format=format,
        json=json,
    )
