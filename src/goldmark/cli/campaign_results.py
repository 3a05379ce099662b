"""`goldmark campaign results`: every figure of a campaign, with its interval."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Annotated

from cyclopts import Parameter

from goldmark.cli.choices import Count, Probability, Seed
from goldmark.cli.output import print_json, talk
from goldmark.cli.place import Database, Json, WithExcluded, open_database
from goldmark.cli.show import Format, show

Several = Annotated[tuple[str, ...], Parameter(negative="", consume_multiple=True)]


def results(
    name: str,
    /,
    *,
    table: Annotated[Several, Parameter(help="Only these tables, such as ratings or agreement.")] = (),
    by: Annotated[str, Parameter(help="What is compared: system, condition, annotator, or a hidden fact.")] = "system",
    system: Annotated[Several, Parameter(help="Only outputs of these systems.")] = (),
    condition: Annotated[Several, Parameter(help="Only people of these conditions.")] = (),
    annotator: Annotated[Several, Parameter(help="Only answers of these people.")] = (),
    since: Annotated[datetime | None, Parameter(help="Only answers from this day on (UTC).")] = None,
    until: Annotated[datetime | None, Parameter(help="Only answers before this day (UTC).")] = None,
    with_excluded: WithExcluded = False,
    with_tests: Annotated[bool, Parameter(negative="", help="Let test questions count too.")] = False,
    resamples: Annotated[Count, Parameter(help="How often to resample for the intervals.")] = 2000,
    alpha: Annotated[Probability, Parameter(help="Below which corrected p-value a difference is significant.")] = 0.05,
    seed: Annotated[Seed, Parameter(help="Where resampling starts; the same seed gives the same figures.")] = 17,
    format: Annotated[Format, Parameter(name="--format", help="How to print.")] = "table",  # noqa: A002
    database: Database = None,
    json: Json = False,
) -> int:
    """Every figure of a campaign: means, shares, errors, win rates, agreement, people, each with its interval."""
    from goldmark.analysis.settings import Settings
    from goldmark.results.catalogue import find
    from goldmark.results.results import results_of, to_json
    from goldmark.results.selecting import chosen

    for wanted in table:
        find(wanted)
    store = open_database(database)
    found = results_of(
        store,
        name,
        Settings(resamples=resamples, alpha=alpha, seed=seed),
        by=by,
        wanted=chosen(
            systems=system,
            conditions=condition,
            annotators=annotator,
            since=since,
            until=until,
            excluded=with_excluded,
            tests=with_tests,
        ),
    )
    store.close()
    kept = [one for one in found.tables if not table or one.name in table]
    for missing in [wanted for wanted in table if wanted not in {one.name for one in kept}]:
        talk(f"{name!r} has nothing to say in {missing!r} yet")
    if json:
        print_json(to_json(replace(found, tables=tuple(kept))))
        return 0 if kept else 1
    if not kept:
        talk(f"{name!r} has no answers that count yet")
        return 1
    show(*(one.table for one in kept), form=format)
    for note in found.notes:
        talk(note)
    return 0
