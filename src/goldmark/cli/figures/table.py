"""`goldmark table`: any table of results or of the published methods, from a campaign or from tidy files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import App, Parameter

from goldmark.cli.options import (
    Alpha,
    Count,
    Flag,
    NamesAndValues,
    Output,
    PlotCall,
    Seed,
    WithExcluded,
    WithModels,
    named,
)
from goldmark.cli.output import draw, emit, explain, parts

if TYPE_CHECKING:
    from goldmark.results.options import AnalysisOptions
    from goldmark.results.result_table import ResultTable

app = App(name="table", help="One table of results or of a published method, from a campaign or from tidy files.")


@Parameter(name="*")
@dataclass(frozen=True)
class FileOptions:
    """How files are read, and figures made of them."""

    column: Annotated[NamesAndValues, Parameter(help="What a file calls a column: `--column annotator=worker`.")] = ()
    keep: Annotated[
        NamesAndValues, Parameter(help="Only rows whose column has one of these values: `--keep question=mistakes`.")
    ] = ()
    baseline: Annotated[
        str, Parameter(help="Table `study`: the condition that others are compared with (the first, if not given).")
    ] = ""
    chance: Annotated[
        float | None,
        Parameter(help="Table `study`: the accuracy of guessing; what the protocol says if not given, or one half."),
    ] = None
    resamples: Annotated[Count | None, Parameter(help="How often to resample for the intervals.")] = None
    alpha: Alpha = 0.05
    seed: Seed = 17

    def settings(self, usual: int) -> AnalysisOptions:
        from goldmark.results.options import AnalysisOptions

        resamples = usual if self.resamples is None else self.resamples
        return AnalysisOptions(resamples, self.seed, alpha=self.alpha, baseline=self.baseline, chance=self.chance)


@app.command(name="list")
def list_tables(*, output: Output = Output()) -> None:
    """Show every table: its name, what it says, what it can be made of, where it was published."""
    from goldmark.results.catalogue import RESULTS
    from goldmark.results.one_table import ways

    lines = []
    for one in RESULTS.usable().values():
        lines += [
            f"{one.name}  ({one.source})" if one.source else one.name,
            f"    {one.about}\n    made of {ways(one)}",
        ]
        for file in one.analysis.files if one.analysis else ():
            lines.append(f"    {file.name}{' (may be left out)' if file.optional else ''}:")
            for column in file.columns:
                lines.append(f"        {column.name:<17}{column.about}{' (optional)' if column.optional else ''}")
        lines.append("")
    emit(output, {"tables": [_described(one) for one in RESULTS.usable().values()]}, lines=lines)


def _described(one: ResultTable) -> dict[str, Any]:
    return {
        **parts(one, "name", "about", "source"),
        "same_as": one.same_as or None,
        "campaigns": f"a {one.campaigns}" if one.make is not None else None,
        "observations": one.reads,
        "files": [
            parts(file, "name", "optional")
            | {"columns": [parts(column, "name", "kind", "optional", "about") for column in file.columns]}
            for file in (one.analysis.files if one.analysis else ())
        ],
    }


@app.default
def table(
    name: Annotated[str, Parameter(help="Which table; `goldmark table list` shows all and what each can be made of.")],
    /,
    *files: Annotated[
        Path,
        Parameter(
            help="A folder that was exported with `--format tidy`, some of its tables, or files with columns of their "
            "own in the order that `goldmark table list` gives."
        ),
    ],
    campaign: Annotated[str | None, Parameter(help="Make it of this campaign instead.")] = None,
    by: Annotated[str, Parameter(help="What is compared: system, condition, annotator, or a hidden fact.")] = "system",
    marks: Annotated[
        Literal["raw", "gold"],
        Parameter(
            help="With --campaign: count everybody's marks (`raw`) or the errors of finished gold lists (`gold`)."
        ),
    ] = "raw",
    with_excluded: WithExcluded = False,
    with_tests: Annotated[Flag, Parameter(help="Let answers to test questions count too.")] = False,
    with_models: WithModels = False,
    analysis: FileOptions = FileOptions(),
    call: PlotCall = PlotCall(),
) -> int:
    """Make one table from a campaign, from the tables that a campaign was exported to, or from files of your own."""
    from goldmark.observations.filter import Filter
    from goldmark.plugins import UnknownPlugin
    from goldmark.records.tidy.kept import named_values
    from goldmark.results import one_table
    from goldmark.results.catalogue import RESULTS
    from goldmark.results.published.catalogue import UnknownColumn, WrongFiles

    try:
        one = RESULTS.find(name)
        settings = analysis.settings(one.analysis.resamples if one.analysis else 2000)
        if campaign is not None:
            from goldmark.cli.store import opened

            wanted = Filter(tests=with_tests, excluded=with_excluded, models=with_models)
            with opened(call) as store:
                made = one_table.of_campaign(store, name, campaign, settings, by=by, wanted=wanted, marks=marks)
        else:
            made = one_table.of_files(
                name,
                files,
                settings,
                named(analysis.column),
                by=by,
                tests=with_tests,
                excluded=with_excluded,
                models=with_models,
                keep=named_values(analysis.keep),
            )
    except (UnknownPlugin, UnknownColumn, WrongFiles, one_table.NothingToReadFrom) as error:
        explain(error)
        return 2
    if made:
        draw(call, *one_table.picture_of(name, made))
    emit(call, tables=made)
    return 0
