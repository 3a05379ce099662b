"""`goldmark study check|plan|create|analyse|exclusions|code`: a controlled study from its file to its report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from goldmark.cli.choices import Count, Flag
from goldmark.cli.output import print_json, talk
from goldmark.cli.place import Database, Json, author, database_address, open_database
from goldmark.cli.show import Format, show

if TYPE_CHECKING:
    from goldmark.records.campaigns import CampaignRecord
    from goldmark.studies.report import StudyReport

Public = Annotated[str, Parameter(name="--public", help="The address people use, for printed links.")]


def check(file: Path, /, *, json: Json = False) -> None:
    """Check a study file with its protocol and texts; every problem is named with its line. Changes nothing.

    Parameters
    ----------
    file
        The study, as YAML.
    """
    from goldmark.studies.file import read_study
    from goldmark.studies.plan import plan_of

    made = read_study(file)
    planned = plan_of(made.study)
    if json:
        print_json(
            {
                "study": planned.study,
                "digest": planned.digest,
                "participants": planned.participants,
                "answers": planned.answers,
                "texts": len(made.units),
            }
        )
        return
    talk(
        f"no problem found: {planned.participants:,} participants, {planned.answers:,} answers, {len(made.units)} texts"
    )


def plan(
    file: Path,
    /,
    *,
    keep: Annotated[bool, Parameter(negative="--no-keep")] = True,
    format: Annotated[Format, Parameter(name="--format")] = "table",  # noqa: A002
    database: Database = None,
    json: Json = False,
) -> None:
    """Cells, power of every planned test, and cost, before anyone is paid; writes the analysis plan's digest down.

    Parameters
    ----------
    file
        The study, as YAML.
    keep
        Write the plan into the database, with the time; the report shows it.
    format
        How to print: for people, as CSV at full precision, or as LaTeX (booktabs).
    """
    from goldmark.reports.tables import to_json
    from goldmark.studies.create import keep_plan
    from goldmark.studies.file import read_study
    from goldmark.studies.plan import plan_of

    made = read_study(file)
    planned = plan_of(made.study)
    if keep:
        store = open_database(database)
        keep_plan(store, made.study, author=author())
        store.close()
    if json:
        print_json(
            {
                "study": planned.study,
                "digest": planned.digest,
                "kept": keep,
                "participants": planned.participants,
                "answers": planned.answers,
                "cost": planned.cost,
                "currency": planned.currency or None,
                "tables": [to_json(table) for table in planned.tables],
            }
        )
        return
    show(*planned.tables, form=format)
    talk(f"the analysis plan has the digest {planned.digest[:16]}{', written down' if keep else ''}")


def create(
    file: Path,
    /,
    *,
    start: Annotated[bool, Parameter(negative="")] = False,
    public: Public = "http://127.0.0.1:8000",
    database: Database = None,
    json: Json = False,
) -> None:
    """Make the study's campaign, with a condition for each cell, and write its plan down.

    Parameters
    ----------
    file
        The study, as YAML.
    start
        Start it at once.
    """
    from goldmark.campaigns.lifecycle import move
    from goldmark.connectors.links import Links, signing_key
    from goldmark.studies.create import create_study
    from goldmark.studies.file import read_study
    from goldmark.studies.plan import digest_of

    made = read_study(file)
    store = open_database(database)
    opened = create_study(store, Links(signing_key(database_address(database))), made, author=author())
    row = move(store, made.study.name, "started", author=author()) if start else opened.campaign
    store.close()
    link = f"{public.rstrip('/')}/join/{opened.invite}"
    digest = digest_of(made.study.file, made.study.protocol)
    cells = len(row.settings.conditions)
    if json:
        print_json(
            {"campaign": row.name, "state": row.state, "cells": cells, "units": len(made.units)}
            | {"digest": digest, "link": link}
        )
        return
    talk(f"study {row.name!r} has {cells} cells and {len(made.units)} texts and is {row.state}; plan {digest[:16]}")
    print(f"anyone\t{link}")


def analyse(
    study: str,
    /,
    *,
    bundle: Path | None = None,
    from_format: Annotated[str, Parameter(name="--from")] = "jsonl",
    with_excluded: Flag = False,
    resamples: Count = 2000,
    plot: Path | None = None,
    format: Annotated[Format, Parameter(name="--format")] = "table",  # noqa: A002
    database: Database = None,
    json: Json = False,
) -> None:
    """The study's report: results, planned tests, histograms, what became of everybody, what can be concluded.

    Parameters
    ----------
    study
        The study's name.
    bundle
        An exported campaign instead of the database.
    from_format
        The format of the bundle.
    with_excluded
        As if nobody had been excluded, to see what that changes.
    resamples
        How often to resample people for the intervals.
    plot
        Write a picture of the score histograms (PNG, PDF or SVG).
    format
        How to print: for people, as CSV at full precision, or as LaTeX (booktabs).
    """
    from dataclasses import replace

    from goldmark.studies.create import study_in
    from goldmark.studies.report import report_of

    record = replace(_record(study, bundle, from_format, database), counts_excluded=with_excluded)
    found = report_of(study_in(record), record, resamples=resamples)
    if plot is not None:
        from goldmark.results.pictures.to_file import draw_histograms

        draw_histograms(found, plot)
    if json:
        from goldmark.reports.study import report_json

        print_json(report_json(found))
        return
    show(*found.tables, form=format)
    if format == "table":
        _say(found)


def _record(name: str, bundle: Path | None, from_format: str, database: str | None) -> CampaignRecord:
    if bundle is not None:
        from goldmark.exchange.formats import import_campaign

        return import_campaign(bundle, from_format)
    from goldmark.campaigns.export import record_of

    store = open_database(database)
    record = record_of(store, name)
    store.close()
    return record


def _say(found: StudyReport) -> None:
    from goldmark.reports.study import flow_lines, registration_line

    print("\nWhat became of everybody\n")
    print("\n".join(flow_lines(found.flow)))
    print("\nWhat can be concluded\n")
    for sentence in found.conclusions:
        print(f"- {sentence}")
    print("\nWhat to keep in mind\n")
    for sentence in found.limits:
        print(f"- {sentence}")
    print(f"\n{registration_line(found.registration)}")


def exclusions(study: str, /, *, database: Database = None, json: Json = False) -> None:
    """Participants that the study's rules suggest to exclude. Somebody decides on the study's page, blind.

    Parameters
    ----------
    study
        The study's name.
    """
    from goldmark.studies.create import study_in
    from goldmark.studies.exclusions import decided, suggestions

    record = _record(study, None, "", database)
    done = decided(record)
    found = suggestions(study_in(record), record)
    rows: list[dict[str, Any]] = [
        {
            "annotator": one.annotator,
            "rules": list(one.rules),
            "decided": done.get(one.annotator),
            "findings": [{"rule": of.rule, "unit": of.unit, "detail": of.detail} for of in one.findings],
        }
        for one in found
    ]
    if json:
        print_json({"study": study, "suggestions": rows})
        return
    for row in rows:
        print(row["annotator"], ", ".join(row["rules"]), row["decided"] or "", sep="\t")
    waiting = sum(row["decided"] is None for row in rows)
    talk(f"{len(rows)} participants are suggested, {waiting} of them wait for a decision")


def code(
    study: str,
    /,
    *,
    name: str = "",
    people: int | None = 50,
    everything: Annotated[bool, Parameter(name="--all", negative="")] = False,
    results: str = "",
    by: str = "",
    protocol: str | None = None,
    seed: int = 0,
    start: Annotated[bool, Parameter(negative="")] = False,
    resamples: Count = 2000,
    format: Annotated[Format, Parameter(name="--format")] = "table",  # noqa: A002
    public: Public = "http://127.0.0.1:8000",
    database: Database = None,
    json: Json = False,
) -> int:
    """Have explanations coded by two people each, or, with `--results`, see what they are about.

    Parameters
    ----------
    study
        The study's name.
    name
        The name of the new coding campaign.
    people
        How many participants of each cell; one explanation of each.
    everything
        All explanations of everybody instead.
    results
        A coding campaign whose results are wanted.
    by
        With `--results`: the factor whose levels are compared; the last one, if not given.
    protocol
        Another codebook.
    seed
        Where the sample and the resampling start.
    start
        Start the coding campaign at once.
    resamples
        How often to resample explanations for the intervals.
    format
        How to print: for people, as CSV at full precision, or as LaTeX (booktabs).
    """
    if bool(name) == bool(results):
        talk("give --name to make a coding campaign, or --results to see one's results")
        return 2
    if results:
        from goldmark.analysis.settings import Settings
        from goldmark.studies.coding import coding_tables
        from goldmark.studies.create import study_in

        record, coded = (_record(one, None, "", database) for one in (study, results))
        read = study_in(record)
        factor = by or list(read.file.factors)[-1]
        settings = Settings(resamples=resamples, seed=seed)
        show(*coding_tables(read, record, coded, factor, settings), form=format, json=json)
        return 0
    from goldmark.campaigns.lifecycle import move
    from goldmark.connectors.links import Links, signing_key
    from goldmark.studies.coding import start_coding

    store = open_database(database)
    links = Links(signing_key(database_address(database)))
    wanted = None if everything else people
    opened = start_coding(store, links, study, name=name, people=wanted, seed=seed, protocol=protocol, author=author())
    row = move(store, name, "started", author=author()) if start else opened.campaign
    store.close()
    link = f"{public.rstrip('/')}/join/{opened.invite}"
    if json:
        print_json({"campaign": row.name, "source": study, "state": row.state, "link": link})
    else:
        talk(f"campaign {row.name!r} codes explanations of {study!r} and is {row.state}")
        print(f"anyone\t{link}")
    return 0
