"""`goldmark table`: any table of results or of the published methods, from a campaign or from tidy files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import App, Parameter

from goldmark.cli.choices import Count, Flag, NamesAndValues, Probability, Seed, named, named_values
from goldmark.cli.place import Database, WithExcluded, open_database
from goldmark.cli.show import Format, draw, show

if TYPE_CHECKING:
    from goldmark.records.tables import Table
    from goldmark.results.result_table import ResultTable

app = App(name="table", help="One table of results or of a published method, from a campaign or from tidy files.")


@app.command(name="list")
def list_tables(*, json: Flag = False) -> None:
    """Show every table: its name, what it says, what it can be made of, where it was published.

    Parameters
    ----------
    json
        For machines.
    """
    from goldmark.cli.output import print_json
    from goldmark.results.catalogue import RESULTS
    from goldmark.results.making import ways

    if json:
        print_json({"tables": [_described(one) for one in RESULTS.usable().values()]})
        return
    for one in RESULTS.usable().values():
        print(f"{one.name}  ({one.source})" if one.source else one.name)
        print(f"    {one.about}\n    made of {ways(one)}")
        for file in one.analysis.files if one.analysis else ():
            print(f"    {file.name}{' (may be left out)' if file.optional else ''}:")
            for column in file.columns:
                print(f"        {column.name:<17}{column.about}{' (optional)' if column.optional else ''}")
        print()


def _described(one: ResultTable) -> dict[str, Any]:
    return {
        "name": one.name,
        "about": one.about,
        "source": one.source,
        "same_as": one.same_as or None,
        "campaigns": f"a {one.campaigns}" if one.make is not None else None,
        "observations": list(one.reads),
        "files": [
            {
                "name": file.name,
                "optional": file.optional,
                "columns": [
                    {"name": column.name, "kind": column.kind, "optional": column.optional, "about": column.about}
                    for column in file.columns
                ],
            }
            for file in (one.analysis.files if one.analysis else ())
        ],
    }


@app.default
def table(
    name: str,
    /,
    *files: Path,
    campaign: str | None = None,
    by: str = "system",
    marks: Literal["raw", "gold"] = "raw",
    with_excluded: WithExcluded = False,
    with_tests: Flag = False,
    column: NamesAndValues = (),
    keep: NamesAndValues = (),
    baseline: str = "",
    chance: float | None = None,
    resamples: Count | None = None,
    alpha: Probability = 0.05,
    seed: Seed = 17,
    plot: Path | None = None,
    format: Annotated[Format, Parameter(name="--format")] = "table",  # noqa: A002
    database: Database = None,
    json: Flag = False,
) -> int:
    """Make one table from a campaign, from the tables that a campaign was exported to, or from files of your own.

    Parameters
    ----------
    name
        Which table; `goldmark table list` shows all and what each can be made of.
    files
        A folder that was exported with `--format tidy`, some of its tables, or files with columns of their own in the
        order that `goldmark table list` gives.
    campaign
        Make it of this campaign instead.
    by
        What is compared: system, condition, annotator, or a hidden fact.
    marks
        With --campaign: count everybody's marks (`raw`) or the errors of finished gold lists (`gold`).
    with_tests
        Let answers to test questions count too.
    column
        What a file calls a column: `--column annotator=worker`.
    keep
        Only rows whose column has one of these values: `--keep question=mistakes`.
    baseline
        Table `study`: the condition that others are compared with (the first, if not given).
    chance
        Table `study`: the accuracy of guessing; what the protocol says if not given, or one half.
    resamples
        How often to resample for the intervals.
    alpha
        The level below which a corrected p-value counts as significant.
    seed
        Where resampling starts; the same seed gives the same table.
    plot
        Write a picture of the figures and their intervals (PNG, PDF or SVG).
    format
        How to print: for people, as CSV at full precision, or as LaTeX (booktabs).
    json
        For machines.
    """
    from goldmark.analysis.catalogue import UnknownColumn, WrongFiles
    from goldmark.analysis.settings import Settings
    from goldmark.cli.output import explain
    from goldmark.observations.rows import Filter
    from goldmark.plugins import UnknownPlugin
    from goldmark.results import making
    from goldmark.results.catalogue import RESULTS

    try:
        one = RESULTS.find(name)
        usual = one.analysis.resamples if one.analysis else 2000
        settings = Settings(
            resamples=usual if resamples is None else resamples,
            seed=seed,
            alpha=alpha,
            baseline=baseline,
            chance=chance,
        )
        if campaign is not None:
            store = open_database(database)
            wanted = Filter(tests=with_tests, excluded=with_excluded)
            made = making.of_campaign(store, name, campaign, settings, by=by, wanted=wanted, marks=marks)
            store.close()
        else:
            made = making.of_files(
                name,
                files,
                settings,
                named(column),
                by=by,
                tests=with_tests,
                excluded=with_excluded,
                keep=named_values(keep),
            )
    except (UnknownPlugin, UnknownColumn, WrongFiles, making.NothingToReadFrom) as error:
        explain(error)
        return 2
    if made:
        _draw(one, made, plot)
    show(*made, form=format, json=json)
    return 0


def _draw(one: ResultTable, made: list[Table], plot: Path | None) -> None:
    """A picture of the table that people would rather look at."""
    if plot is None:
        return
    known = one.analysis.picture if one.analysis else None
    if known is not None and known.value in made[min(known.table, len(made) - 1)].columns:
        draw(made[min(known.table, len(made) - 1)], known.value, known.labels, plot)
        return
    rows = made[0].records()
    numbers = [
        name for name in made[0].columns if any(isinstance(row[name], float | int) for row in rows) and name != "n"
    ]
    value = next((name for name in numbers if name == "value" or f"{name}_low" in numbers), [*numbers, "value"][0])
    labels = [name for name in made[0].columns if name not in numbers and name != "reason"]
    draw(made[0], value, labels, plot)
