"""`goldmark campaign stages`, `standing`, `candidates` and `spot-check`: a campaign's quality protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from goldmark.cli.choices import Count, Seed
from goldmark.cli.output import print_json, talk
from goldmark.cli.place import Database, Json, WithExcluded, author, database_address, open_database
from goldmark.cli.show import Format, show

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from goldmark.analysis.stage_reviews import Candidate
    from goldmark.campaigns.lifecycle import CampaignRow
    from goldmark.campaigns.standing import Standing

As = Annotated[Format, Parameter(name="--format", help="How to print.")]


def stages(
    name: str,
    /,
    *,
    by_condition: Annotated[
        bool, Parameter(negative="", help="Compare people of the campaign's two conditions, not every pair.")
    ] = False,
    between: Annotated[list[str] | None, Parameter(help="Compare these two conditions; give it twice.")] = None,
    first: Annotated[bool, Parameter(negative="", help="Versions before any reviewer returned them.")] = False,
    resamples: Annotated[Count, Parameter(help="How often to resample texts for the intervals.")] = 2000,
    seed: Annotated[Seed, Parameter(help="Seed of the resampling.")] = 17,
    format: As = "table",  # noqa: A002
    with_excluded: WithExcluded = False,
    database: Database = None,
    json: Json = False,
) -> None:
    """How far people who read the same texts agree: detection, spans, types, corrections (TGEA table 3)."""
    from goldmark.analysis.settings import Settings
    from goldmark.analysis.stage_agreement import stage_agreement
    from goldmark.campaigns.export import first_versions, record_of

    store = open_database(database)
    record = record_of(store, name, with_excluded=with_excluded)
    store.close()
    groups = (between or []) if by_condition or between else None
    settings = Settings(resamples=resamples, seed=seed)
    show(*stage_agreement(first_versions(record) if first else record, settings, groups=groups), form=format, json=json)


def standing(name: str, /, *, database: Database = None, json: Json = False) -> None:
    """Where each text stands: not begun, in hand, waiting for review, returned, amended, approved, set aside."""
    from goldmark.campaigns.library import Library
    from goldmark.campaigns.lifecycle import find_campaign
    from goldmark.campaigns.standing import MEANING, standing_of

    store = open_database(database)
    library = Library(store)

    def look(connection: Connection) -> tuple[CampaignRow, Standing]:
        row = find_campaign(connection, name)
        return row, standing_of(connection, row, library.protocol(row.protocol_id))

    row, found = store.read(look)
    store.close()
    if json:
        print_json({"campaign": name, "texts": found.texts, "places": found.places, "set_aside": found.set_aside})
        return
    print(f"{row.title} ({row.state}, {found.texts} texts)")
    for place, count in found.places.items():
        why = ", ".join(f"{answer} {times}" for answer, times in found.set_aside.items())
        print(f"{MEANING[place]}\t{count}{f' ({why})' if place == 'discarded' and why else ''}")


def candidates(
    name: str,
    /,
    *,
    invite: Annotated[str | None, Parameter(help="Invite everybody who passes into this campaign.")] = None,
    public: Annotated[
        str, Parameter(name="--public", help="The address people use, for printed links.")
    ] = "http://127.0.0.1:8000",
    format: As = "table",  # noqa: A002
    database: Database = None,
    json: Json = False,
) -> int:
    """Who passes by what reviewers said of their first versions, by the campaign's rule for candidates."""
    from goldmark.analysis.quality_protocol import candidates_of, table_of_candidates
    from goldmark.analysis.settings import Settings
    from goldmark.campaigns.library import Library
    from goldmark.campaigns.lifecycle import find_campaign
    from goldmark.campaigns.people import invite as invite_person
    from goldmark.connectors.links import Links, signing_key

    store = open_database(database)
    library = Library(store)

    def look(connection: Connection) -> tuple[CampaignRow, tuple[Candidate, ...] | None]:
        row = find_campaign(connection, name)
        return row, candidates_of(connection, row, library)

    row, found = store.read(look)
    if found is None:
        talk(f"{name!r} has no rule for candidates; add to its file, say: candidates: {{above: 0.9, after: 20}}")
        return 1
    passed = [one.annotator for one in found if one.standing == "passes"]
    links = Links(signing_key(database_address(database)))
    made: dict[str, str] = {}
    for who in passed if invite else ():
        token = invite_person(store, links, str(invite), who, author=author())[1]
        made[who] = f"{public.rstrip('/')}/a/{token}"
    table = table_of_candidates(row, library, found, Settings())
    store.close()
    if json:
        people = [{"annotator": one.annotator, "outcome": one.standing, "reviewed": one.reviewed} for one in found]
        print_json({"candidates": people, "passed": passed, "links": made})
        return 0
    if table is not None:
        show(table, form=format)
    talk(f"{len(passed)} of {len(found)} pass{': ' + ', '.join(passed) if passed else ''}")
    for who, link in made.items():
        print(f"{who}\t{link}")
    return 0


def spot_check(
    name: str,
    /,
    *,
    draw: Annotated[Count | None, Parameter(help="Draw so many finished answers by lot: a new check begins.")] = None,
    seed: Annotated[Seed, Parameter(help="With --draw: the seed of the lot.")] = 0,
    format: As = "table",  # noqa: A002
    database: Database = None,
    json: Json = False,
) -> int:
    """The final spot check: draw answers, or show how accurate those that were judged are, stage by stage."""
    from goldmark.analysis.quality_protocol import spot_check as figures
    from goldmark.analysis.settings import Settings
    from goldmark.campaigns import final_checks
    from goldmark.campaigns.library import Library
    from goldmark.campaigns.lifecycle import find_campaign

    store = open_database(database)
    if draw is not None:
        made = final_checks.draw(store, name, size=draw, seed=seed, author=author())
        talk(f"{made.size} of {made.of} finished answers were drawn; judge them on the page Standing of {name!r}")
    library = Library(store)

    def look(connection: Connection) -> Any:
        return figures(connection, find_campaign(connection, name), library, Settings())

    found = store.read(look)
    store.close()
    if found is None:
        talk(f"{name!r} has no spot check yet; draw one, say: goldmark campaign spot-check {name} --draw 100")
        return 1
    check, table = found
    if json:
        print_json({"size": check.size, "of": check.of, "seed": check.seed, "judged": check.judged, **_json(table)})
    else:
        show(table, form=format)
    return 0


def _json(table: Any) -> dict[str, Any]:
    from goldmark.reports.tables import to_json

    return {"table": to_json(table)}
