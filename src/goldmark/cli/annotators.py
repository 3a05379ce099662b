"""`goldmark annotators`: find noisy annotators, and see by simulation how well they are found."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Parameter, validators

from goldmark.cli.show import Format, show

if TYPE_CHECKING:
    from goldmark.quality.noisy import NoisyAnnotators
    from goldmark.records.figures import Figure
    from goldmark.simulate.noisy import Study
    from goldmark.stats.mixtures import BetaMixture, MixtureFit

app = App(name="annotators", help="Find noisy annotators; simulate how well they are found.")
for verb in ("platform_ids", "erase", "evidence", "warn", "exclude", "restore"):
    app.command(f"goldmark.cli.annotators_people:{verb}", name=verb.replace("_", "-"))

Seed = Annotated[int, Parameter(validator=validators.Number(gte=0))]


@app.command
def fit(
    file: Path,
    /,
    *,
    criterion: Literal["rate", "class"] = "rate",
    components: Annotated[int | None, Parameter(validator=validators.Number(gte=1, lte=100))] = None,
    prior: Literal["learned", "jeffreys", "uniform", "fixed"] = "learned",
    worker: str = "",
    correct: str = "correct",
    n: Annotated[str, Parameter(name="--n")] = "n",
    kind: str = "kind",
    seed: Seed = 0,
    format: Format = "table",  # noqa: A002
    json: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """How probably each annotator is noisy, judged by their test questions.

    FILE has a row per annotator with the columns worker (or annotator), correct and n; a column kind (positive,
    negative) makes the kinds of test question be modelled apart and combined. Rows of one worker and kind are added up.

    Parameters
    ----------
    file
        CSV or JSON lines.
    criterion
        rate: an accuracy below 0.9 is noisy. class: any component but the best is.
    components
        How many kinds of annotators; 2 unless the prior has but one.
    prior
        learned from the file (with 40 pseudo-annotators), or jeffreys, uniform, fixed.
    worker
        The column that names the annotator: `worker` or `annotator`, whichever there is.
    correct
        The column of right answers.
    n
        The column of test questions answered.
    kind
        The column of the kind of test question, if there is one.
    seed
        Where the random starts of learning come from.
    format
        How to print: table, csv or latex.
    json
        For machines.
    """
    from goldmark.cli.output import print_json
    from goldmark.quality.noisy import Model, judgement_table, mixture_table
    from goldmark.quality.tallies import fit_table
    from goldmark.texts.tidy import read_tidy

    names = {"worker": worker, "correct": correct, "n": n, "kind": kind}
    fitted = fit_table(read_tidy(file), Model.choose(criterion, prior, components), names, seed=seed)
    if json:
        print_json(_fit_json(fitted))
        return
    judgements = fitted.judge()
    tables = [judgement_table(fitted, judgements)]
    if format == "table":
        tables.append(mixture_table(fitted))
    show(*tables, form=format)


@app.command
def simulate(
    *,
    rounds: Annotated[int, Parameter(validator=validators.Number(gte=1))] = 25,
    seed: Seed = 0,
    questions: Path | None = None,
    n: Annotated[str, Parameter(name="--n")] = "n",
    format: Format = "table",  # noqa: A002
    json: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """How well the models find noisy annotators: precision and recall by test questions answered.

    Parameters
    ----------
    rounds
        How many crowds to draw.
    seed
        Where the randomness comes from.
    questions
        A file with a row per annotator and a column n: how many test questions each answers. Without it, 88
        annotators with between 1 and 162.
    n
        The column of test questions in that file.
    format
        How to print: table, csv or latex.
    json
        For machines.
    """
    import numpy as np

    from goldmark.cli.output import print_json
    from goldmark.simulate.noisy import QUESTIONS, study, study_table

    numbers = QUESTIONS if questions is None else _read_questions(questions, n)
    done = study(rng=np.random.default_rng(seed), rounds=rounds, questions=numbers, seed=seed)
    if json:
        print_json(_study_json(done))
    else:
        show(study_table(done), form=format)


def _read_questions(path: Path, column: str) -> tuple[int, ...]:
    from goldmark.quality.tallies import MOST
    from goldmark.records.columns import Column, Columns
    from goldmark.texts.tidy import read_tidy

    checked = Columns(Column("n", "whole", low=1, high=MOST)).check(read_tidy(path), {"n": column}, options=True)
    return tuple(int(number) for number in checked.filled("n"))


def _fit_json(fitted: NoisyAnnotators) -> dict[str, object]:
    judgements = fitted.judge()
    kinds = {
        kind or "all": {"mixture": _mixture_json(mixture), "fit": _ending_json(fitted.fits.get(kind))}
        for kind, mixture in fitted.mixtures.items()
    }
    return {
        "model": fitted.model.name,
        "criterion": fitted.model.criterion,
        "prior": fitted.model.prior,
        "threshold": fitted.model.threshold if fitted.model.criterion == "rate" else None,
        "flag_at": fitted.model.flag_at,
        "converged": fitted.converged,
        "flagged": [one.worker for one in judgements if one.flagged],
        "workers": [
            {
                "worker": one.worker,
                "correct": one.correct,
                "n": one.n,
                "probability_noisy": one.noisy,
                "flagged": one.flagged,
                "expected_accuracy": one.expected_accuracy,
                "by_kind": {kind or "all": probability for kind, probability in one.by_kind},
            }
            for one in judgements
        ],
        "kinds": kinds,
        "signature": str(fitted.signature),
    }


def _mixture_json(mixture: BetaMixture) -> dict[str, object]:
    return {
        "weights": list(mixture.weights),
        "alphas": list(mixture.alphas),
        "betas": list(mixture.betas),
        "means": list(mixture.means),
        "best": mixture.best,
    }


def _ending_json(fit: MixtureFit | None) -> dict[str, object] | None:
    if fit is None:
        return None
    return {
        "converged": fit.converged,
        "iterations": fit.iterations,
        "log_likelihood": fit.log_likelihood,
        "starts": len(fit.starts),
        "starts_agreeing": fit.starts_agreeing,
        "at_limit": fit.at_limit,
    }


def _study_json(done: Study) -> dict[str, object]:
    return {
        "rows": [
            {
                "model": row.model.name,
                "questions": row.bucket,
                "annotators": row.annotators,
                "noisy": row.noisy,
                "flagged": row.flagged,
                "found": row.found,
                "precision": _figure_json(row.precision),
                "recall": _figure_json(row.recall),
            }
            for row in done.rows
        ],
        "rounds": done.rounds,
        "fits": done.fits,
        "fits_not_converged": done.fits_not_converged,
        "signature": str(done.signature),
    }


def _figure_json(figure: Figure) -> dict[str, object]:
    interval = figure.interval
    return {
        "value": figure.value,
        "interval": None if interval is None else [interval.low, interval.high],
        "reason": figure.reason or None,
    }
