"""`goldmark campaign results`, `stages`, `reviews`, `verified`, `coded` and `suggestions`: figures of a campaign."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from goldmark.cli.options import (
    Alpha,
    CampaignName,
    Flag,
    Resamples,
    Seed,
    TableCall,
    WithExcluded,
    WithModels,
)
from goldmark.cli.output import emit, explain, print_json, talk
from goldmark.cli.store import opened
from goldmark.results.pictures.files.forms import PictureForm

if TYPE_CHECKING:
    from goldmark.observations.filter import Filter
    from goldmark.results.all_tables import Results
    from goldmark.results.options import AnalysisOptions

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
    pool: Annotated[Flag, Parameter(help="Several campaigns: as if they were one.")] = False,
    same_people: Annotated[Flag, Parameter(help="With --pool: equal names are the same people.")] = False,
    with_excluded: WithExcluded = False,
    with_tests: Annotated[Flag, Parameter(help="Let test questions count too.")] = False,
    with_models: WithModels = False,
    resamples: Resamples = 2000,
    alpha: Alpha = 0.05,
    seed: Seed = 17,
    report: Annotated[Path | None, Parameter(help="Write everything into one HTML file that stands alone.")] = None,
    tables: Annotated[Path | None, Parameter(help="Write every table into a new folder, as CSV and LaTeX.")] = None,
    plots: Annotated[Path | None, Parameter(help="Write every picture into a new folder.")] = None,
    plot_format: Annotated[PictureForm, Parameter(help="svg needs nothing; png and pdf need matplotlib.")] = "svg",
    call: TableCall = TableCall(),
) -> int:
    """Every figure of one or more campaigns: means, shares, errors, win rates, agreement, people, with intervals."""
    from goldmark.plugins import UnknownPlugin
    from goldmark.results.all_tables import to_json
    from goldmark.results.catalogue import RESULTS
    from goldmark.results.inputs.selection import chosen
    from goldmark.results.inputs.several_campaigns import results_of_all
    from goldmark.results.options import AnalysisOptions

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
        models=with_models,
    )
    settings = AnalysisOptions(resamples=resamples, alpha=alpha, seed=seed)
    with opened(call) as store:
        found = results_of_all(
            store,
            (name, *others),
            settings,
            by=by,
            marks=marks,
            pool=pool,
            same_people=same_people,
            only=table,
            wanted=answers,
        )
    for missing in table:
        if why := found.reasons.get(missing):
            talk(f"no table {missing!r}: {why}")
    written = _write(found, answers, _told(settings, marks), report, tables, plots, plot_format)
    if call.json:
        print_json(to_json(found))
    elif not found.tables:
        talk(f"{name!r} has no answers that count yet")
    elif not written:
        emit(call, None, *found.notes, tables=[one.table for one in found.tables])
    return 0 if found.tables else 1


def _told(settings: AnalysisOptions, marks: str) -> tuple[str, ...]:
    """The options without which the same command would give other figures."""
    from goldmark.results.options import AnalysisOptions

    names = ("resamples", "alpha", "seed")
    usual = AnalysisOptions()
    told = tuple(f"--{name}={value}" for name in names if (value := getattr(settings, name)) != getattr(usual, name))
    return ("--marks=gold", *told) if marks == "gold" else told


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
    from goldmark.exchange.campaign.archive import write_file, write_folder
    from goldmark.results.output.files import picture_files, table_files
    from goldmark.results.output.html_report import report as in_one_page

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


def stages(
    name: CampaignName,
    /,
    *,
    by_condition: Annotated[
        Flag, Parameter(help="Compare people of the campaign's two conditions, not every pair.")
    ] = False,
    between: Annotated[list[str] | None, Parameter(help="Compare these two conditions; give it twice.")] = None,
    first: Annotated[Flag, Parameter(help="Versions before any reviewer returned them.")] = False,
    resamples: Resamples = 2000,
    seed: Seed = 17,
    with_excluded: WithExcluded = False,
    call: TableCall = TableCall(),
) -> None:
    """How far people who read the same texts agree: detection, spans, types, corrections (TGEA table 3)."""
    from goldmark.results import campaign_tables
    from goldmark.results.options import AnalysisOptions

    groups = (between or []) if by_condition or between else None
    settings = AnalysisOptions(resamples=resamples, seed=seed)
    with opened(call) as store:
        tables = campaign_tables.agreement_tables(
            store, name, settings, groups=groups, first=first, with_excluded=with_excluded
        )
    emit(call, tables=tables)


def reviews(name: CampaignName, /, *, with_excluded: WithExcluded = False, call: TableCall = TableCall()) -> None:
    """What reviewers found: accuracy of first versions by question and annotator, and how far reviewers agree."""
    from goldmark.results import campaign_tables

    with opened(call) as store:
        tables = campaign_tables.review_tables(store, name, with_excluded=with_excluded)
    emit(call, tables=tables)


def verified(
    name: Annotated[str, Parameter(help="The verification campaign.")],
    /,
    *,
    out: Annotated[Path | None, Parameter(help="Write the verified gold list to this new CSV.")] = None,
    removed: Annotated[Path | None, Parameter(help="Write the mistakes that did not stand to this new CSV.")] = None,
    resamples: Resamples = 2000,
    seed: Seed = 17,
    with_excluded: WithExcluded = False,
    call: TableCall = TableCall(),
) -> None:
    """The tables of a verification campaign made by `campaign follow-up`, and the verified gold list."""
    from goldmark.curation.gold_lists.files import write_gold
    from goldmark.curation.verification.followup import verified_gold
    from goldmark.exchange.campaign.archive import write_file
    from goldmark.results.options import AnalysisOptions
    from goldmark.results.published.accuracy.verification_campaign import verification_tables

    with opened(call) as store:
        look = verified_gold(store, name, with_excluded=with_excluded)
    tables = verification_tables(look, AnalysisOptions(resamples=resamples, seed=seed))
    for path, mistakes in ((out, look.result.kept), (removed, look.result.removed)):
        if path is not None:
            write_file(path, write_gold(mistakes, look.basis.reports.texts).encode())
    emit(call, tables=tables)
    talk(
        f"{len(look.result.kept)} of {len(look.basis.gold)} mistakes of {look.source!r} stand "
        f"({look.result.assumed} were assumed to be right, {look.result.waiting} wait for an answer); "
        f"{len(look.result.removed)} were removed"
    )


def coded(
    name: Annotated[str, Parameter(help="The coding campaign.")],
    /,
    *,
    rows: Annotated[
        Path | None, Parameter(help="Write every chosen code to this new CSV, for `goldmark table coding`.")
    ] = None,
    resamples: Resamples = 2000,
    seed: Seed = 17,
    call: TableCall = TableCall(),
) -> None:
    """What coders found in explanations: codes by group and condition, and how far the coders agree."""
    from goldmark.campaigns.transfer.export import record_of
    from goldmark.exchange.campaign.archive import write_file
    from goldmark.results.options import AnalysisOptions
    from goldmark.results.published.humanlike.coded import code_rows, coded_tables, codes_question
    from goldmark.texts.readers.spreadsheet import csv_table

    with opened(call) as store:
        record = record_of(store, name)
    tables = coded_tables(record, AnalysisOptions(resamples=resamples, seed=seed))
    if rows is not None:
        write_file(rows, csv_table(code_rows(record, codes_question(record))))
    emit(call, tables=tables)


def suggestions(
    name: CampaignName,
    /,
    *,
    gold: Annotated[Path | None, Parameter(help="A gold list (CSV); otherwise what curators have finished.")] = None,
    call: TableCall = TableCall(),
) -> None:
    """What became of suggestions, and time and quality of answers with and without them."""
    from goldmark.campaigns.assignments.content_cache import ContentCache
    from goldmark.results import campaign_tables

    with opened(call) as store:
        tables = campaign_tables.suggestion_tables(store, ContentCache(store), name, gold)
    emit(call, tables=tables)
