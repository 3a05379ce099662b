"""`goldmark campaign derive`, `verified` and `reviews`: second looks at what people answered."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from goldmark.cli.choices import Count, Seed
from goldmark.cli.output import print_json, talk
from goldmark.cli.place import Database, Json, WithExcluded, author, database_address, open_database
from goldmark.cli.show import Format, show


def derive(
    source: Annotated[str, Parameter(help="The campaign whose answers become units.")],
    /,
    *,
    as_: Annotated[str, Parameter(name="--as", help="verification, explanation-coding or responses.")],
    name: Annotated[str, Parameter(help="The new campaign's name.")],
    title: Annotated[str, Parameter(help="What people see; by default the protocol's title.")] = "",
    labels: Annotated[Count | None, Parameter(help="Labels per unit; by default what the derivation wants.")] = None,
    question: Annotated[str | None, Parameter(help="Only the answers to this free-text question.")] = None,
    protocol: Annotated[str | None, Parameter(help="Another protocol than the derivation's own.")] = None,
    seed: Annotated[Seed, Parameter(help="Seed of the order of units.")] = 0,
    start: Annotated[bool, Parameter(negative="", help="Start it at once.")] = False,
    public: Annotated[
        str, Parameter(name="--public", help="The address people use, for printed links.")
    ] = "http://127.0.0.1:8000",
    database: Database = None,
    json: Json = False,
) -> None:
    """Make a campaign of another one's reported errors, explanations or responses, as they stand now."""
    from goldmark.campaigns.derive import derive as make
    from goldmark.campaigns.lifecycle import move
    from goldmark.campaigns.progress import progress_of
    from goldmark.connectors.links import Links, signing_key
    from goldmark.curation.derivations import find_derivation

    store = open_database(database)
    opened = make(
        store,
        Links(signing_key(database_address(database))),
        find_derivation(as_),
        source,
        name=name,
        title=title,
        labels=labels,
        question=question,
        protocol=protocol,
        seed=seed,
        author=author(),
    )
    row = move(store, name, "started", author=author()) if start else opened.campaign
    units = store.read(lambda connection: progress_of(connection, row)).units
    store.close()
    link = f"{public.rstrip('/')}/join/{opened.invite}" if opened.invite else None
    if json:
        wanted = row.settings.labels_per_unit
        print_json(
            {"campaign": name, "source": source, "as": as_, "protocol": row.protocol, "state": row.state}
            | {"units": units, "labels_per_unit": wanted, "labels_wanted": units * wanted, "link": link}
        )
        return
    talk(f"campaign {name!r} was made of {source!r} with {units} units for {row.protocol} and is {row.state}")
    if link:
        print(f"anyone\t{link}")


def verified(
    name: Annotated[str, Parameter(help="The verification campaign.")],
    /,
    *,
    out: Annotated[Path | None, Parameter(help="Write the verified gold list to this new CSV.")] = None,
    removed: Annotated[Path | None, Parameter(help="Write the mistakes that did not stand to this new CSV.")] = None,
    resamples: Annotated[Count, Parameter(help="How often to resample texts for the intervals.")] = 2000,
    seed: Annotated[Seed, Parameter(help="Seed of the resampling.")] = 17,
    format: Annotated[Format, Parameter(name="--format", help="How to print.")] = "table",  # noqa: A002
    with_excluded: WithExcluded = False,
    database: Database = None,
    json: Json = False,
) -> None:
    """The tables of a verification campaign made by `campaign derive`, and the verified gold list."""
    from goldmark.analysis.second_look import verification_tables
    from goldmark.analysis.settings import Settings
    from goldmark.curation.derivations import second_look
    from goldmark.curation.gold import write_gold
    from goldmark.exchange.packing import write_file

    store = open_database(database)
    look = second_look(store, name, with_excluded=with_excluded)
    store.close()
    tables = verification_tables(look, Settings(resamples=resamples, seed=seed))
    for path, mistakes in ((out, look.result.kept), (removed, look.result.removed)):
        if path is not None:
            write_file(path, write_gold(mistakes, look.basis.reports.texts).encode())
    show(*tables, form=format, json=json)
    talk(
        f"{len(look.result.kept)} of {len(look.basis.gold)} mistakes of {look.source!r} stand "
        f"({look.result.assumed} were assumed to be right, {look.result.waiting} wait for an answer); "
        f"{len(look.result.removed)} were removed"
    )


def reviews(
    name: str,
    /,
    *,
    format: Annotated[Format, Parameter(name="--format", help="How to print.")] = "table",  # noqa: A002
    with_excluded: WithExcluded = False,
    database: Database = None,
    json: Json = False,
) -> None:
    """What reviewers found: accuracy of first versions by question and annotator, and how far reviewers agree."""
    from goldmark.analysis.reviews import reviews as tables_of
    from goldmark.analysis.settings import Settings
    from goldmark.campaigns.export import record_of

    store = open_database(database)
    record = record_of(store, name, with_excluded=with_excluded)
    store.close()
    show(*tables_of(record, Settings()), form=format, json=json)


def coded(
    name: Annotated[str, Parameter(help="The coding campaign.")],
    /,
    *,
    rows: Annotated[
        Path | None, Parameter(help="Write every chosen code to this new CSV, for `goldmark table coding`.")
    ] = None,
    resamples: Annotated[Count, Parameter(help="How often to resample explanations for the intervals.")] = 2000,
    seed: Annotated[Seed, Parameter(help="Seed of the resampling.")] = 17,
    format: Annotated[Format, Parameter(name="--format", help="How to print.")] = "table",  # noqa: A002
    database: Database = None,
    json: Json = False,
) -> None:
    """What coders found in explanations: codes by group and condition, and how far the coders agree."""
    from goldmark.analysis.coded import code_rows, coded_tables, codes_question
    from goldmark.analysis.settings import Settings
    from goldmark.campaigns.export import record_of
    from goldmark.exchange.packing import write_file
    from goldmark.texts.spreadsheet import csv_line

    store = open_database(database)
    record = record_of(store, name)
    store.close()
    tables = coded_tables(record, Settings(resamples=resamples, seed=seed))
    if rows is not None:
        found = code_rows(record, codes_question(record))
        lines = [csv_line(found[0]), *(csv_line(row.values()) for row in found)]
        write_file(rows, "".join(lines).encode())
    show(*tables, form=format, json=json)
