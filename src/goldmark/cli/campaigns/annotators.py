"""`goldmark annotators`: find noisy annotators, and see by simulation how well they are found."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import App, Parameter
from cyclopts.validators import Number

from goldmark.cli.options import Count, Seed, TableOutput
from goldmark.cli.output import emit, figure_json, parts

if TYPE_CHECKING:
    from goldmark.quality.noisy import NoisyAnnotators
    from goldmark.simulate.noisy import SimulationStudy
    from goldmark.stats.models.beta_mixtures import MixtureFit

app = App(name="annotators", help="Find noisy annotators; simulate how well they are found.")
for verb in ("platform_ids", "erase", "evidence", "warn", "exclude", "keep", "restore"):
    app.command(f"goldmark.cli.campaigns.people:{verb}", name=verb.replace("_", "-"))


@app.command
def fit(
    file: Annotated[Path, Parameter(help="CSV or JSON lines.")],
    /,
    *,
    criterion: Annotated[
        Literal["rate", "class"],
        Parameter(help="rate: an accuracy below 0.9 is noisy. class: any component but the best is."),
    ] = "rate",
    components: Annotated[
        int | None,
        Parameter(
            validator=Number(gte=1, lte=100), help="How many kinds of annotators; 2 unless the prior has but one."
        ),
    ] = None,
    prior: Annotated[
        Literal["learned", "jeffreys", "uniform", "fixed"],
        Parameter(help="learned from the file (with 40 pseudo-annotators), or jeffreys, uniform, fixed."),
    ] = "learned",
    worker: Annotated[
        str, Parameter(help="The column that names the annotator: `worker` or `annotator`, whichever there is.")
    ] = "",
    correct: Annotated[str, Parameter(help="The column of right answers.")] = "correct",
    n: Annotated[str, Parameter(name="--n", help="The column of test questions answered.")] = "n",
    kind: Annotated[str, Parameter(help="The column of the kind of test question, if there is one.")] = "kind",
    seed: Seed = 0,
    output: TableOutput = TableOutput(),
) -> None:
    """How probably each annotator is noisy, judged by their test questions.

    FILE has a row per annotator with the columns worker (or annotator), correct and n; a column kind (positive,
    negative) makes the kinds of test question be modelled apart and combined. Rows of one worker and kind are added up.
    """
    from goldmark.quality.noisy import AnnotatorModel, judgement_table, mixture_table
    from goldmark.quality.tallies import fit_table
    from goldmark.texts.readers.tidy import read_tidy

    names = {"worker": worker, "correct": correct, "n": n, "kind": kind}
    fitted = fit_table(read_tidy(file), AnnotatorModel.choose(criterion, prior, components), names, seed=seed)
    tables = [judgement_table(fitted, fitted.judge())]
    if output.format == "table":
        tables.append(mixture_table(fitted))
    emit(output, _fit_json(fitted), tables=tables)


@app.command
def simulate(
    *,
    rounds: Annotated[Count, Parameter(help="How many crowds to draw.")] = 25,
    seed: Seed = 0,
    questions: Annotated[
        Path | None,
        Parameter(
            help="A file with a row per annotator and a column n: how many test questions each answers. "
            "Without it, 88 annotators with between 1 and 162."
        ),
    ] = None,
    n: Annotated[str, Parameter(name="--n", help="The column of test questions in that file.")] = "n",
    processes: Annotated[
        Count | None,
        Parameter(help="How many crowds are drawn at once. Default: GOLDMARK_PROCESSES, else one for each core."),
    ] = None,
    dask: Annotated[
        str, Parameter(help="Address of a Dask scheduler that draws them instead. Default: GOLDMARK_DASK.")
    ] = "",
    output: TableOutput = TableOutput(),
) -> None:
    """How well the models find noisy annotators: precision and recall by test questions answered."""
    import numpy as np

    from goldmark.cli.progress import bar
    from goldmark.jobs.fanout import WorkerPool
    from goldmark.simulate.noisy import QUESTIONS, study, study_table

    numbers = QUESTIONS if questions is None else _read_questions(questions, n)
    rng = np.random.default_rng(seed)
    with WorkerPool.from_environment(processes=processes, dask=dask) as pool, bar() as told:
        done = study(rng=rng, rounds=rounds, questions=numbers, seed=seed, pool=pool, progress=told)
    emit(output, _study_json(done), tables=[study_table(done)])


def _read_questions(path: Path, column: str) -> tuple[int, ...]:
    from goldmark.quality.tallies import MOST
    from goldmark.records.tidy.columns import Column, Columns
    from goldmark.texts.readers.tidy import read_tidy

    checked = Columns(Column("n", "whole", low=1, high=MOST)).check(read_tidy(path), {"n": column}, options=True)
    return tuple(int(number) for number in checked.filled("n"))


def _fit_json(fitted: NoisyAnnotators) -> dict[str, Any]:
    model, judgements = fitted.model, fitted.judge()
    return {
        "model": model.name,
        **parts(model, "criterion", "prior", "flag_at"),
        "threshold": model.threshold if model.criterion == "rate" else None,
        "converged": fitted.converged,
        "flagged": [one.worker for one in judgements if one.flagged],
        "workers": [
            parts(one, "worker", "correct", "n", "flagged", "expected_accuracy")
            | {"probability_noisy": one.noisy}
            | {"by_kind": {kind or "all": probability for kind, probability in one.by_kind}}
            for one in judgements
        ],
        "kinds": {
            kind or "all": {
                "mixture": parts(mixture, "weights", "alphas", "betas", "means", "best"),
                "fit": _ending(fitted.fits.get(kind)),
            }
            for kind, mixture in fitted.mixtures.items()
        },
        "signature": str(fitted.signature),
    }


def _ending(fit: MixtureFit | None) -> dict[str, Any] | None:
    if fit is None:
        return None
    ended = parts(fit, "converged", "iterations", "log_likelihood", "starts_agreeing", "at_limit")
    return {**ended, "starts": len(fit.starts)}


def _study_json(done: SimulationStudy) -> dict[str, Any]:
    return {
        "rows": [
            {"model": row.model.name, "questions": row.bucket}
            | parts(row, "annotators", "noisy", "flagged", "found")
            | {"precision": figure_json(row.precision), "recall": figure_json(row.recall)}
            for row in done.rows
        ],
        **parts(done, "rounds", "fits", "fits_not_converged"),
        "signature": str(done.signature),
    }
