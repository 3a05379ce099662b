"""`goldmark campaign results`: every figure of a campaign, with its interval."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from goldmark.cli.choices import Count, Probability, Seed
from goldmark.cli.output import explain, print_json, talk
from goldmark.cli.place import Database, Json, WithExcluded, open_database
from goldmark.cli.show import Format, show
from goldmark.results.pictures.forms import PictureForm

if TYPE_CHECKING:
    from goldmark.observations.rows import Filter
    from goldmark.results.results import Results

Several = Annotated[tuple[str, ...], Parameter(negative="", consume_multiple=True)]


def results(
    name: Annotated[str, Parameter(help="The campaign.")],
    /,
    *others: Annotated[str, Parameter(help="More campaigns, to be shown beside it or pooled with it.")],
    table: Annotated[Several, Parameter(help="Only these tables, such as ratings or agreement.")] = (),
    by: Annotated[str, Parameter(help="What is compared: system, condition, annotator, or a hidden fact.")] = "system",
    system: Annotated[Several, Parameter(help="Only outputs of these systems.")] = (),
    condition: Annotated[Several, Parameter(help="Only people of these conditions.")] = (),
    annotator: Annotated[Several, Parameter(help="Only answers of these people.")] = (),
    since: Annotated[datetime | None, Parameter(help="Only answers from this day on (UTC).")] = None,
    until: Annotated[datetime | None, Parameter(help="Only answers before this day (UTC).")] = None,
    marks: Annotated[
        Literal["raw", "gold"], Parameter(help="Count everybody's marks, or the errors of finished gold lists.")
    ] = "raw",
    pool: Annotated[bool, Parameter(negative="", help="Several campaigns: as if they were one.")] = False,
    same_people: Annotated[bool, Parameter(negative="", help="With --pool: equal names are the same people.")] = False,
    with_excluded: WithExcluded = False,
    with_tests: Annotated[bool, Parameter(negative="", help="Let test questions count too.")] = False,
    resamples: Annotated[Count, Parameter(help="How often to resample for the intervals.")] = 2000,
    alpha: Annotated[Probability, Parameter(help="Below which corrected p-value a difference is significant.")] = 0.05,
    seed: Annotated[Seed, Parameter(help="Where resampling starts; the same seed gives the same figures.")] = 17,
    format: Annotated[Format, Parameter(name="--format", help="How to print.")] = "table",  # noqa: A002
    report: Annotated[Path | None, Parameter(help="Write everything into one HTML file that stands alone.")] = None,
    tables: Annotated[Path | None, Parameter(help="Write every table into a new folder, as CSV and LaTeX.")] = None,
    plots: Annotated[Path | None, Parameter(help="Write every picture into a new folder.")] = None,
    plot_format: Annotated[PictureForm, Parameter(help="svg needs nothing; png and pdf need matplotlib.")] = "svg",
    database: Database = None,
    json: Json = False,
) -> int:
    """Every figure of one or more campaigns: means, shares, errors, win rates, agreement, people, with intervals."""
    from goldmark.analysis.settings import Settings
    from goldmark.plugins import UnknownPlugin
    from goldmark.results.catalogue import RESULTS
    from goldmark.results.results import to_json
    from goldmark.results.selecting import chosen
    from goldmark.results.several import results_of_all

    try:
        for wanted in table:
            RESULTS.find(wanted)
    except UnknownPlugin as error:
        explain(error)
        return 2
    answers = chosen(
        systems=system,
        conditions=condition,
        annotators=annotator,
        since=since,
        until=until,
        excluded=with_excluded,
        tests=with_tests,
    )
    store = open_database(database)
    found = results_of_all(
        store,
        (name, *others),
        Settings(resamples=resamples, alpha=alpha, seed=seed),
        by=by,
        marks=marks,
        pool=pool,
        same_people=same_people,
        only=table,
        wanted=answers,
    )
    store.close()
    for missing in table:
        if why := found.reasons.get(missing):
            talk(f"no table {missing!r}: {why}")
    options = _told(resamples=resamples, alpha=alpha, seed=seed)
    written = _write(found, answers, options, report, tables, plots, plot_format)
    if json:
        print_json(to_json(found))
        return 0 if found.tables else 1
    if not found.tables:
        talk(f"{name!r} has no answers that count yet")
        return 1
    if written:
        return 0
    show(*(one.table for one in found.tables), form=format)
    for note in found.notes:
        talk(note)
    return 0


def _told(**settings: float) -> tuple[str, ...]:
    """The options without which the same command would give other figures."""
    from goldmark.analysis.settings import Settings

    usual = Settings()
    return tuple(f"--{name}={value}" for name, value in settings.items() if value != getattr(usual, name))


def _write(
    found: Results,
    answers: Filter,
    options: tuple[str, ...],
    report: Path | None,
    tables: Path | None,
    plots: Path | None,
    plot_format: PictureForm,
) -> bool:
    """Write the files that were asked for; says whether there were any."""
    from goldmark.exchange.packing import write_file, write_folder
    from goldmark.results.report import report as in_one_page
    from goldmark.results.written import picture_files, table_files

    if report is not None:
        write_file(report, in_one_page(found, answers, options).encode())
        talk(f"the report is in {report}")
    if tables is not None:
        write_folder(tables, table_files(found))
        talk(f"the tables are in {tables}")
    if plots is not None:
        write_folder(plots, picture_files(found, plot_format))
        talk(f"the pictures are in {plots}")
    return any(target is not None for target in (report, tables, plots))
