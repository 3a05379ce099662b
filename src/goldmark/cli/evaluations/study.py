"""`goldmark study`: plan, run and evaluate a controlled study."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, Parameter

from goldmark.cli.figures.table import FileOptions, table
from goldmark.cli.options import Output, PlotCall, PlotOutput, Probability
from goldmark.cli.output import emit, explain

app = App(name="study", help="Plan, run and analyse controlled studies.")
for verb in ("check", "plan", "create", "change", "analyse", "exclusions", "code"):
    app.command(f"goldmark.cli.evaluations.study_campaign:{verb}", name=verb)


@app.command
def power(
    *,
    n: Annotated[int | None, Parameter(help="People in each group (or pairs).")] = None,
    effect: Annotated[float | None, Parameter(help="Cohen's d; with more than two groups, Cohen's f.")] = None,
    power: Annotated[float | None, Parameter(help="The probability of finding the effect.")] = None,
    accuracy: Annotated[
        float | None, Parameter(help="Instead of an effect: the accuracy expected, compared with `--baseline`.")
    ] = None,
    baseline: Annotated[float, Parameter(help="Chance, or the accuracy of the other group.")] = 0.5,
    texts: Annotated[int, Parameter(help="With `--accuracy` or `--pool`: how many texts each person judges.")] = 5,
    between: Annotated[
        float, Parameter(help="With `--accuracy`: standard deviation of people's true accuracies.")
    ] = 0.0,
    design: Annotated[
        Literal["one-sample", "paired", "two-sample"],
        Parameter(help="Against a fixed number, of pairs, or of two groups of people."),
    ] = "two-sample",
    groups: Annotated[int, Parameter(help="More than two: analysis of variance.")] = 2,
    margin: Annotated[
        float | None,
        Parameter(
            help="Instead of an effect: show that two means are equal up to so many standard deviations (TOST); 0 asks "
            "which margin `--n` people can show."
        ),
    ] = None,
    pool: Annotated[
        int | None,
        Parameter(
            help="How many different texts each group reads, if what is found is to hold for other texts too (`over: "
            "people-and-texts`); 0 asks how many `--n` people need."
        ),
    ] = None,
    between_texts: Annotated[
        float,
        Parameter(
            help="With `--pool`: standard deviation of texts' true means; with `--effect` in units of that between "
            "people's outcomes."
        ),
    ] = 0.0,
    alpha: Annotated[Probability, Parameter(help="The level of the test.")] = 0.05,
    comparisons: Annotated[int, Parameter(help="How many tests are made; alpha is divided by it (Bonferroni).")] = 1,
    output: Output = Output(),
) -> int:
    """Give two of people, effect and power; the third is computed, before anyone is paid.

    With nothing but an effect, the number of people for a power of 0.8.
    """
    from goldmark.results.power_plans import PlanUnclear, PowerPlan, plan

    wanted = PowerPlan(
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
        margin=margin,
        pool=pool,
        between_texts=between_texts,
    )
    try:
        made = plan(wanted)
    except PlanUnclear as error:
        explain(error)
        return 2
    emit(output, {**made.records()[0], "notes": made.notes, "signature": made.signature}, tables=[made])
    return 0


@app.command
def results(
    file: Annotated[
        Path,
        Parameter(help="One answer per row: evaluator, text, truth, answer; condition and domain where there are any."),
    ],
    *,
    analysis: FileOptions = FileOptions(),
    output: PlotOutput = PlotOutput(),
) -> int:
    """Accuracy and more by condition, with all tests: the same as `goldmark table study`."""
    return table("study", file, analysis=analysis, call=PlotCall(**vars(output)))
