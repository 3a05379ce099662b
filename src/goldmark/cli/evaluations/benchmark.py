"""`goldmark benchmark`: run baselines and score models on the tasks of a dataset."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, Parameter

from goldmark.cli.options import (
    Count,
    DatasetFolder,
    Output,
    Seed,
    TableOutput,
)
from goldmark.cli.output import emit, talk
from goldmark.records.figures import counted

app = App(name="benchmark", help="Run and score models on the tasks of a dataset.")

Task = Annotated[Literal["detect", "spans", "type", "correct", "rationale"], Parameter(help="Which task.")]
Split = Annotated[Literal["train", "dev", "test"], Parameter(help="Which texts are to be answered.")]
LeaveOut = Annotated[tuple[str, ...], Parameter(name="--leave-out", negative="", help="Types not asked for: other.")]
BertScore = Annotated[str, Parameter(help="Folder of a checkpoint for BERTScore (rationale); none without it.")]


@app.command(name="tasks")
def list_tasks(dataset: DatasetFolder, *, output: Output = Output()) -> None:
    """Show the tasks that a dataset allows and how much each asks."""
    from goldmark.datasets.benchmark.tasks import TASKS, items_of
    from goldmark.datasets.release.loader import Dataset
    from goldmark.datasets.release.splits import SPLITS

    found = Dataset(dataset)
    rows, lines = [], []
    for name in found.manifest.tasks:
        task = TASKS[name]
        sizes = {split: len(items_of(task, found.rows(split))) for split in SPLITS}
        rows.append({"task": name, "title": task.title, "figures": task.figures, **sizes})
        told = ", ".join(f"{size:,} {split}" for split, size in sizes.items())
        lines.append(f"{name:<10}{task.title} ({told}); figures: {', '.join(task.figures)}")
    emit(output, {"dataset": found.manifest.name, "tasks": rows}, lines=lines)


@app.command(name="run")
def run_benchmark(
    dataset: DatasetFolder,
    *,
    task: Task,
    model: Annotated[str, Parameter(help="random, linear, or the folder of a transformers checkpoint.")] = "linear",
    split: Split = "test",
    seed: Seed = 17,
    leave_out: LeaveOut = (),
    out: Annotated[Path | None, Parameter(help="Write the model's answers to this file.")] = None,
    bertscore: BertScore = "",
    epochs: Annotated[Count, Parameter(help="Of a checkpoint.")] = 3,
    rate: Annotated[float, Parameter(help="Learning rate of a checkpoint.")] = 2e-5,
    batch: Annotated[Count, Parameter(help="Texts at once, for a checkpoint.")] = 8,
    length: Annotated[Count, Parameter(help="Most pieces of a text, for a checkpoint.")] = 256,
    output: TableOutput = TableOutput(),
) -> int:
    """Train a model on train, let it choose on dev, and score its answers; a sealed test is only answered."""
    from goldmark.datasets.benchmark.predictions import write_predictions
    from goldmark.datasets.benchmark.run import answer, run, table
    from goldmark.datasets.release.loader import Dataset
    from goldmark.exchange.campaign.archive import TargetInUse, write_file

    if out is not None and out.exists():
        raise TargetInUse(path=out)
    tuned = {} if model in ("random", "linear") else {"epochs": epochs, "rate": rate, "batch": batch, "length": length}
    found = Dataset(dataset)
    if split == "test" and found.inputs(task) is not None:
        if out is None:
            talk("the answers of this test are not here: say with --out where to write the model's, and send them in")
            return 2
        asked, items, answers = answer(found, task, model, seed=seed, tell=talk, **tuned)
        write_file(out, b"".join(write_predictions(asked, items, answers)))
        emit(
            output,
            {"task": task, "items": len(items), "out": out},
            f"wrote {counted(len(items), 'answer')} to {out}; send the file in",
        )
        return 0
    result = run(
        found,
        task,
        model,
        seed=seed,
        split=split,
        leave_out=leave_out,
        bertscore=bertscore,
        tell=talk,
        **tuned,
    )
    if out is not None:
        write_file(out, b"".join(write_predictions(result.task, result.items, result.answers)))
    if result.seconds is not None:
        talk(f"trained and answered in {result.seconds:.1f} s")
    emit(output, tables=[table([result])])
    return 0


@app.command(name="baselines")
def compare_baselines(
    dataset: DatasetFolder,
    *,
    task: Annotated[tuple[Task, ...], Parameter(negative="", help="Only these; left out: all that it allows.")] = (),
    seed: Seed = 17,
    output: TableOutput = TableOutput(),
) -> None:
    """What guessing and the linear baseline reach in every task, by its main figure on the test split."""
    from goldmark.datasets.benchmark.run import baselines
    from goldmark.datasets.release.loader import Dataset

    emit(output, tables=[baselines(Dataset(dataset), seed=seed, tasks=task, tell=talk)[0]])


@app.command(name="score")
def score_predictions(
    dataset: DatasetFolder,
    predictions: Annotated[Path, Parameter(help="JSONL with an answer to every item of the split.")],
    *,
    task: Task,
    name: Annotated[str, Parameter(help="What to call the model; by default the file's name.")] = "",
    split: Split = "test",
    leave_out: LeaveOut = (),
    bertscore: BertScore = "",
    output: TableOutput = TableOutput(),
) -> None:
    """Score answers that any program wrote."""
    from goldmark.datasets.benchmark.run import score_file, table
    from goldmark.datasets.release.loader import Dataset

    result = score_file(
        Dataset(dataset),
        task,
        predictions,
        name=name,
        split=split,
        leave_out=leave_out,
        bertscore=bertscore,
    )
    emit(output, tables=[table([result])])


@app.command(name="seal")
def seal_benchmark(
    dataset: DatasetFolder,
    *,
    out: Annotated[
        Path, Parameter(name="--out", help="A new folder for everybody: train, dev, and the test's inputs.")
    ],
    key: Annotated[Path, Parameter(help="A new folder for you alone: the test's answers, with which you score.")],
    task: Annotated[
        tuple[Literal["detect", "spans", "type", "correct", "rationale"], ...],
        Parameter(
            negative="", help="Which tasks; may be given several times. All that the dataset allows, if none is."
        ),
    ] = (),
    output: Output = Output(),
) -> None:
    """Part a dataset into what participants get and the key with which their answers are scored."""
    from goldmark.datasets.benchmark.sealed import seal
    from goldmark.datasets.release.loader import Dataset

    made = seal(Dataset(dataset), out, key, task)
    told = ", ".join(f"{count:,} {name}" for name, count in made.items.items())
    emit(
        output,
        {"dataset": made.public.name, "out": out, "key": key, "items": made.items},
        f"{out}: for everybody; it asks {told}",
        f"{key}: keep this to yourself; score with: goldmark benchmark score {key} ANSWERS --task TASK",
    )


@app.command(name="publish")
def publish_board(
    dataset: DatasetFolder,
    *,
    task: Task,
    out: Annotated[Path, Parameter(name="--out", help="A new or empty folder.")],
    split: Split = "test",
    output: Output = Output(),
) -> None:
    """Write a leaderboard for a task: its file, its items with their answers, and what people are asked, if they are.

    Give it the key of a sealed benchmark: the board then asks what the benchmark's public folder asks. Of a dataset
    that was published whole, everybody has the answers.
    """
    from goldmark.datasets.benchmark.leaderboard import board_files
    from goldmark.datasets.release.loader import ASKED, Dataset
    from goldmark.exchange.campaign.archive import write_folder
    from goldmark.leaderboards.definition.file import read_board

    found = Dataset(dataset)
    if not (dataset / ASKED).is_file():
        talk(f"warning: {dataset} is no key of a sealed benchmark; see goldmark benchmark seal")
    write_folder(out, board_files(found, task, split))
    plan = read_board(out / "leaderboard.yaml")
    emit(
        output,
        {"leaderboard": plan.name, "folder": out, "items": len(plan.items)},
        f"{out}: leaderboard {plan.name!r} with {counted(len(plan.items), 'item')}; create it from leaderboard.yaml",
    )
