"""`goldmark table`: the tables of the published methods, from tidy files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from goldmark.cli.choices import Count, Flag, NamesAndValues, Probability, Seed, named, named_values
from goldmark.cli.show import Format, draw, show

app = App(name="table", help="The tables of the published methods, from tidy files.")


@app.command(name="list")
def list_tables(*, json: Flag = False) -> None:
    """Show every table: its name, what it says, the columns it needs, where it was published.

    Parameters
    ----------
    json
        For machines.
    """
    from goldmark.analysis.catalogue import ANALYSES
    from goldmark.cli.output import print_json

    if json:
        print_json(
            {
                "tables": [
                    {
                        "name": analysis.name,
                        "about": analysis.about,
                        "source": analysis.source,
                        "files": [
                            {
                                "name": file.name,
                                "optional": file.optional,
                                "columns": [
                                    {
                                        "name": column.name,
                                        "kind": column.kind,
                                        "optional": column.optional,
                                        "about": column.about,
                                    }
                                    for column in file.columns
                                ],
                            }
                            for file in analysis.files
                        ],
                    }
                    for analysis in ANALYSES
                ]
            }
        )
        return
    for analysis in ANALYSES:
        print(f"{analysis.name}  ({analysis.source})\n    {analysis.about}")
        for file in analysis.files:
            print(f"    {file.name}{' (may be left out)' if file.optional else ''}:")
            for column in file.columns:
                print(f"        {column.name:<17}{column.about}{' (optional)' if column.optional else ''}")
        print()


@app.default
def table(
    name: str,
    /,
    *files: Path,
    column: NamesAndValues = (),
    keep: NamesAndValues = (),
    baseline: str = "",
    chance: float = 0.5,
    resamples: Count | None = None,
    alpha: Probability = 0.05,
    seed: Seed = 17,
    plot: Path | None = None,
    format: Annotated[Format, Parameter(name="--format")] = "table",  # noqa: A002
    json: Flag = False,
) -> int:
    """Make the tables of one analysis from CSV, TSV or JSON lines.

    Parameters
    ----------
    name
        Which analysis; `goldmark table list` shows all.
    files
        Its files, in the order that `goldmark table list` gives.
    column
        What a file calls a column: `--column annotator=worker`.
    keep
        Only rows whose column has one of these values: `--keep question=mistakes`.
    baseline
        Table `study`: the condition that others are compared with (the first, if not given).
    chance
        Table `study`: the accuracy of guessing.
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
    from goldmark.analysis import catalogue
    from goldmark.analysis.settings import Settings
    from goldmark.cli.output import explain
    from goldmark.texts.tidy import read_tidy

    try:
        analysis = catalogue.find(name)
        catalogue.check_files(analysis, len(files))
        names = catalogue.check_names(analysis, named(column))
    except (catalogue.UnknownTable, catalogue.UnknownColumn, catalogue.WrongFiles) as error:
        explain(error)
        return 2
    settings = Settings(
        resamples=analysis.resamples if resamples is None else resamples,
        seed=seed,
        alpha=alpha,
        baseline=baseline,
        chance=chance,
    )
    tables = catalogue.run(name, [read_tidy(file) for file in files], settings, names, named_values(keep))
    which, value, labels = analysis.picture
    draw(tables[min(which, len(tables) - 1)], value, labels, plot)
    show(*tables, form=format, json=json)
    return 0
