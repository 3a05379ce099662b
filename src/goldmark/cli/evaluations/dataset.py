"""`goldmark dataset`: release a campaign as a dataset, bring in another's, look at one and verify it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import App, Parameter
from cyclopts.types import ExistingFile

from goldmark.cli.options import (
    Call,
    DatasetFolder,
    Flag,
    Output,
    PlotOutput,
    Seed,
)
from goldmark.cli.output import draw, emit, talk
from goldmark.cli.store import opened
from goldmark.records.figures import counted

if TYPE_CHECKING:
    from goldmark.datasets.release.build import Options
    from goldmark.datasets.release.manifest import Manifest

app = App(name="dataset", help="Release a campaign as a dataset; import, show and verify datasets.")

Choose = Literal["auto", "gold", "approved", "vote", "first", "all"]
Out = Annotated[Path, Parameter(name="--out", help="A new or empty folder.")]
Licence = Annotated[str, Parameter(help="CC-BY-4.0, CC0-1.0 and others by name, or a file with its text.")]
Note = Annotated[ExistingFile | None, Parameter(help="A file with Markdown to put into the data card.")]
Shares = Annotated[str, Parameter(name="--split", help="Shares of train, dev and test.")]
NoContext = Annotated[Flag, Parameter(name="--no-context", help="Leave out what was shown beside a text.")]


@app.command(name="build")
def build_dataset(
    campaign: Annotated[str, Parameter(help="A campaign's name, or a file that `campaign export` wrote as JSONL.")],
    *,
    out: Out,
    choose: Annotated[Choose, Parameter(help="Which answer counts where several people read a text.")] = "auto",
    question: Annotated[str | None, Parameter(help="The question with the spans, if there are several.")] = None,
    discard: Annotated[
        tuple[str, ...],
        Parameter(help="Answers that set a text aside; if left out, those of which the protocol says so.", negative=""),
    ] = (),
    split: Shares = "8:1:1",
    seed: Seed = 17,
    licence: Licence = "",
    note: Note = None,
    no_context: NoContext = False,
    call: Call = Call(),
) -> None:
    """Build a dataset: JSONL and Parquet in three splits, statistics, data card, licence, checksums."""
    from goldmark.datasets.release.build import build

    options = _options(choose, split, seed, licence, note, no_context)
    path = Path(campaign)
    if path.suffix.lower() == ".jsonl":
        from goldmark.datasets.sources.bundle import BundleSource

        made = build(BundleSource(path, question=question, discard=discard), out, options, progress=_progress)
    else:
        from goldmark.campaigns.lifecycle import look_into
        from goldmark.datasets.sources.store import CampaignSource

        def make(connection: Any, row: Any) -> Manifest:
            source = CampaignSource(connection, row, question=question, discard=discard)
            return build(source, out, options, progress=_progress)

        with opened(call) as store:
            made = look_into(store, campaign, make)
    _tell(made, out, call)


@app.command(name="import")
def import_dataset(
    kind: Annotated[
        str,
        Parameter(
            help="A dataset that `goldmark plugin list dataset_sources` names, or `spans`: JSONL with a text and its "
            "errors on each line."
        ),
    ],
    path: Annotated[Path, Parameter(help="The folder or file of the dataset.")],
    *,
    out: Out,
    choose: Annotated[Choose | None, Parameter(help="Default: what suits this dataset.")] = None,
    split: Shares = "8:1:1",
    seed: Seed = 17,
    licence: Licence = "",
    note: Note = None,
    no_context: NoContext = False,
    output: Output = Output(),
) -> None:
    """Make a dataset of annotations that another project or tool published."""
    from goldmark.datasets.release.build import build
    from goldmark.datasets.sources.imports import DATASET_SOURCES

    source = DATASET_SOURCES.find(kind)(path)
    options = _options(choose or source.choose, split, seed, licence, note, no_context)
    _tell(build(source, out, options, progress=_progress), out, output)


@app.command(name="check")
def check_dataset(folder: DatasetFolder, *, output: Output = Output()) -> int:
    """Verify a dataset: its checksums, and that every row has the shape that its data card promises."""
    from goldmark.datasets.release.integrity import check

    problems = check(folder)
    found = counted(len(problems), "problem") if problems else f"{folder} is whole"
    emit(output, {"ok": not problems, "problems": problems}, *map(str, problems), found)
    return 1 if problems else 0


@app.command(name="show")
def show_dataset(folder: DatasetFolder, *, output: PlotOutput = PlotOutput()) -> None:
    """Show a dataset's statistics (TGEA table 4) and the distribution of its error types."""
    from goldmark.datasets.release.loader import Dataset

    tables = Dataset(folder).statistics().tables()
    if len(tables) > 1:
        draw(output, tables[1], "percent", ("type", "subtype"))
    emit(output, tables=tables)


def _options(choose: Choose, split: str, seed: int, licence: str, note: Path | None, no_context: bool) -> Options:
    from goldmark.datasets.release.build import Options
    from goldmark.datasets.release.description.licences import find_licence
    from goldmark.datasets.release.splits import parse_shares

    said = note.read_text(encoding="utf-8") if note else ""
    return Options(choose, seed, parse_shares(split), find_licence(licence), said, not no_context)


def _progress(texts: int) -> None:
    talk(f"{counted(texts, 'text')} read")


def _tell(made: Manifest, out: Path, output: Output) -> None:
    from dataclasses import asdict

    sizes = ", ".join(f"{count:,} {name}" for name, count in made.texts.items())
    emit(
        output,
        {**asdict(made), "folder": out},
        f"{out}: {sizes}; {counted(made.erroneous, 'erroneous text')}, {counted(made.errors, 'error')}",
        *(f"left out: {counted(count, 'text')}, {why}" for why, count in made.left_out.items()),
        f"tasks: {', '.join(made.tasks) or 'none'}; verify it with: goldmark dataset check {out}",
    )
