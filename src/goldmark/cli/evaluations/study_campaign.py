"""`goldmark study check|plan|create|change|analyse|exclusions|code`: a controlled study from its file to its report."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from goldmark.cli.options import (
    Call,
    Flag,
    OnDatabase,
    Output,
    Public,
    Resamples,
    Seed,
    Start,
    TableCall,
    WithExcluded,
)
from goldmark.cli.output import emit, parts, tables_json, talk
from goldmark.cli.store import author, links_of, opened, public_address
from goldmark.records.figures import counted

if TYPE_CHECKING:
    from goldmark.records.campaigns import CampaignRecord

File = Annotated[Path, Parameter(help="The study, as YAML.")]
Name = Annotated[str, Parameter(help="The study's name.")]


def check(file: File, /, *, output: Output = Output()) -> None:
    """Check a study file with its protocol and texts; every problem is named with its line. Changes nothing."""
    from goldmark.studies.design.checks import doubts
    from goldmark.studies.design.file import read_study
    from goldmark.studies.design.plan import plan_of

    made = read_study(file)
    planned = plan_of(made.study)
    warnings = doubts(made.study.file, made.study.protocol, made.units)
    for one in warnings:
        talk(f"look at this: {one}")
    emit(
        output,
        {
            **parts(planned, "study", "digest", "participants", "answers"),
            "texts": len(made.units),
            "warnings": warnings,
        },
        f"no problem found: {counted(planned.participants, 'participant')}, {counted(planned.answers, 'answer')}, "
        f"{counted(len(made.units), 'text')}",
    )


def plan(
    file: File,
    /,
    *,
    keep: Annotated[
        bool,
        Parameter(negative="--no-keep", help="Write the plan into the database, with the time; the report shows it."),
    ] = True,
    call: TableCall = TableCall(),
) -> None:
    """Cells, power of every planned test, and cost, before anyone is paid; writes the analysis plan's digest down."""
    from goldmark.studies.design.checks import doubts
    from goldmark.studies.design.create import keep_plan
    from goldmark.studies.design.file import read_study
    from goldmark.studies.design.plan import plan_of

    made = read_study(file)
    planned = plan_of(made.study)
    for one in doubts(made.study.file, made.study.protocol, made.units):
        talk(f"look at this: {one}")
    if keep:
        with opened(call) as store:
            keep_plan(store, made.study, author=author())
    facts = {
        **parts(planned, "study", "digest", "participants", "answers", "cost"),
        "kept": keep,
        "currency": planned.currency or None,
        "tables": tables_json(planned.tables),
    }
    said = f"the analysis plan has the digest {planned.digest[:16]}{', written down' if keep else ''}"
    emit(call, facts, said, tables=planned.tables)


def create(file: File, /, *, start: Start = False, public: Public = None, call: Call = Call()) -> None:
    """Make the study's campaign, with a condition for each cell, and write its plan down."""
    from goldmark.studies.design.create import create_study
    from goldmark.studies.design.file import read_study
    from goldmark.studies.design.plan import digest_of

    study = read_study(file)
    with opened(call) as store:
        made = create_study(store, links_of(call), study, author=author())
        row = made.started(store, author=author()).campaign if start else made.campaign
    link = made.links(public_address(public, call))["anyone"]
    digest = digest_of(study.study.file, study.study.protocol)
    cells, units = len(row.settings.conditions), len(study.units)
    emit(
        call,
        {"campaign": row.name, "state": row.state, "cells": cells, "units": units, "digest": digest, "link": link},
        f"study {row.name!r} has {counted(cells, 'cell')}, {counted(units, 'text')}: {row.state}; plan {digest[:16]}",
        lines=[f"anyone\t{link}"],
    )


def change(
    study: Name,
    file: File,
    /,
    *,
    reason: Annotated[str, Parameter(help="Why, for the history.")] = "",
    call: Call = Call(),
) -> None:
    """Change a study that nobody has begun, by another file: everything but its texts and its protocol."""
    from goldmark.campaigns.definition.yaml_file import source_of
    from goldmark.studies.design.change import change_study
    from goldmark.studies.design.file import StudyFileMissing
    from goldmark.studies.design.plan import digest_of

    with opened(call) as store:
        changed = change_study(store, study, source_of(file, StudyFileMissing), author=author(), reason=reason)
    digest = digest_of(changed.file, changed.protocol)
    emit(call, {"study": study, "digest": digest}, f"study {study!r} was changed; plan {digest[:16]}")


def analyse(
    study: Name,
    /,
    *,
    bundle: Annotated[Path | None, Parameter(help="An exported campaign instead of the database.")] = None,
    from_format: Annotated[str, Parameter(name="--from", help="The format of the bundle.")] = "jsonl",
    with_excluded: WithExcluded = False,
    resamples: Resamples = 2000,
    plot: Annotated[Path | None, Parameter(help="Write a picture of the score histograms (PNG, PDF or SVG).")] = None,
    call: TableCall = TableCall(),
) -> None:
    """The study's report: results, planned tests, histograms, what became of everybody, what can be concluded."""
    from dataclasses import replace

    from goldmark.exchange.formats import import_campaign
    from goldmark.studies.design.create import study_in
    from goldmark.studies.evaluation import report_output as written
    from goldmark.studies.evaluation.report import report_of

    record = _record(study, call) if bundle is None else import_campaign(bundle, from_format)
    record = replace(record, counts_excluded=with_excluded)
    found = report_of(study_in(record), record, resamples=resamples)
    if plot is not None:
        from goldmark.studies.evaluation.report_output import draw_histograms

        draw_histograms(found, plot)
    lines = _told(found) if call.format == "table" else ()
    emit(call, written.report_json(found), tables=found.tables, lines=lines)


def _record(name: str, call: OnDatabase) -> CampaignRecord:
    from goldmark.campaigns.transfer.export import record_of

    with opened(call) as store:
        return record_of(store, name)


def _told(found: Any) -> Iterator[str]:
    from goldmark.studies.evaluation import report_output as written

    yield "\nWhat became of everybody\n"
    yield from written.flow_lines(found.flow)
    yield "\nWhat can be concluded\n"
    yield from (f"- {sentence}" for sentence in found.conclusions)
    yield "\nWhat to keep in mind\n"
    yield from (f"- {sentence}" for sentence in found.limits)
    yield f"\n{written.registration_line(found.registration)}"


def exclusions(study: Name, /, *, call: Call = Call()) -> None:
    """Cases that the study's rules suggest to exclude, blind as on the study's page, where somebody decides."""
    from dataclasses import asdict

    from goldmark.studies.evaluation.exclusion_decisions import cases

    with opened(call) as store:
        found = cases(store, links_of(call), study)
    emit(
        call,
        {"study": study, **asdict(found)},
        f"{len(found.waiting)} wait for a decision; {found.kept} kept, {found.excluded} excluded",
        lines=(f"{one.key}\t{', '.join(one.rules)}" for one in found.waiting),
    )


def code(
    study: Name,
    /,
    *,
    name: Annotated[str, Parameter(help="The name of the new coding campaign.")] = "",
    people: Annotated[int | None, Parameter(help="How many participants of each cell; one explanation of each.")] = 50,
    everything: Annotated[Flag, Parameter(name="--all", help="All explanations of everybody instead.")] = False,
    results: Annotated[str, Parameter(help="A coding campaign whose results are wanted.")] = "",
    by: Annotated[
        str, Parameter(help="With `--results`: the factor whose levels are compared; the last one, if not given.")
    ] = "",
    protocol: Annotated[str | None, Parameter(help="Another codebook.")] = None,
    seed: Annotated[Seed, Parameter(help="Where the sample and the resampling start.")] = 0,
    start: Start = False,
    resamples: Resamples = 2000,
    public: Public = None,
    call: TableCall = TableCall(),
) -> int:
    """Have explanations coded by two people each, or, with `--results`, see what they are about."""
    from goldmark.results.options import AnalysisOptions
    from goldmark.studies.design.create import study_in
    from goldmark.studies.evaluation import explanation_coding

    if bool(name) == bool(results):
        talk("give --name to make a coding campaign, or --results to see one's results")
        return 2
    if results:
        record, coded = (_record(one, call) for one in (study, results))
        read = study_in(record)
        settings = AnalysisOptions(resamples=resamples, seed=seed)
        factor = by or list(read.file.factors)[-1]
        emit(call, tables=explanation_coding.coding_tables(read, record, coded, factor, settings))
        return 0
    wanted = None if everything else people
    with opened(call) as store:
        made = explanation_coding.start_coding(
            store,
            links_of(call),
            study,
            name=name,
            people=wanted,
            seed=seed,
            protocol=protocol,
            author=author(),
        )
        row = made.started(store, author=author()).campaign if start else made.campaign
    link = made.links(public_address(public, call))["anyone"]
    emit(
        call,
        {"campaign": row.name, "source": study, "state": row.state, "link": link},
        f"campaign {row.name!r} codes explanations of {study!r} and is {row.state}",
        lines=[f"anyone\t{link}"],
    )
    return 0
