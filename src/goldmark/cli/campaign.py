"""`goldmark campaign`: from a file of texts to exported annotations."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Parameter

from goldmark.cli.campaign_derive import coded, derive, reviews, verified
from goldmark.cli.campaign_gold import gold, gold_import
from goldmark.cli.campaign_import import import_answers
from goldmark.cli.campaign_learning import learning
from goldmark.cli.campaign_pay import pay, rehearse
from goldmark.cli.campaign_results import results
from goldmark.cli.campaign_stages import candidates, spot_check, stages, standing
from goldmark.cli.campaign_suggestions import suggestions
from goldmark.cli.campaign_tests import known_questions
from goldmark.cli.output import print_json, talk
from goldmark.cli.place import Database, Json, WithExcluded, author, database_address, open_database

if TYPE_CHECKING:
    from goldmark.campaigns.lifecycle import CampaignRow
    from goldmark.campaigns.opening import Opened

app = App(name="campaign")

Base = Annotated[str, Parameter(name="--public", help="The address people use, for printed links.")]
Reason = Annotated[str, Parameter(help="Why; kept with the decision.")]
DEFAULT_BASE = "http://127.0.0.1:8000"


@app.command
def check(file: Path, *, json: Json = False) -> int:
    """Report every problem of a campaign file, its protocol and its texts; create nothing."""
    from goldmark.campaigns.file import read_campaign
    from goldmark.campaigns.plan import choose
    from goldmark.errors import ProblemsFound
    from goldmark.records.units import sign_of

    try:
        plan = read_campaign(file)
    except ProblemsFound as error:
        if not json:
            raise
        problems = [
            {"where": one.where, "part": one.part, "what": one.what, "remedy": one.remedy} for one in error.problems
        ]
        print_json({"ok": False, "problems": problems})
        return 1
    chosen = choose(plan.units, plan.settings.subset)
    units = sum(sign_of(unit.hidden) is None for unit in chosen)
    facts = {
        "campaign": plan.name,
        "title": plan.title,
        "protocol": plan.protocol.id,
        "units": units,
        "test_questions": len(chosen) - units,
        "labels": units * plan.settings.labels_per_unit,
    }
    if json:
        print_json({"ok": True, "problems": [], **facts})
    else:
        talk(f"{file} is right: {units} units for {plan.protocol.id}, {facts['labels']} labels wanted")
    return 0


@app.command
def create(
    file: Path,
    *,
    start: Annotated[bool, Parameter(negative="", help="Start it at once.")] = False,
    public: Base = DEFAULT_BASE,
    database: Database = None,
    json: Json = False,
) -> None:
    """Create the campaign in a file, with all its units or not at all, and print the links into it."""
    from goldmark.campaigns.file import read_campaign
    from goldmark.campaigns.lifecycle import move
    from goldmark.campaigns.opening import open_campaign
    from goldmark.connectors.links import Links, signing_key

    plan = read_campaign(file)
    store = open_database(database)
    opened = open_campaign(store, Links(signing_key(database_address(database))), plan, author=author())
    if start:
        opened = opened._replace(campaign=move(store, plan.name, "started", author=author()))
    store.close()
    if json:
        print_json({**_facts(opened.campaign), "links": _links(opened, public)})
        return
    talk(f"campaign {plan.name!r} was created with {len(plan.units)} units and is {opened.campaign.state}")
    for who, link in _links(opened, public).items():
        print(f"{who}\t{link}")


def _links(opened: Opened, public: str) -> dict[str, str]:
    base = public.rstrip("/")
    everyone = {"anyone": f"{base}/join/{opened.invite}"} if opened.invite else {}
    return {**everyone, **{name: f"{base}/a/{token}" for name, token in opened.people.items()}}


@app.command(name="list")
def list_all(*, database: Database = None, json: Json = False) -> None:
    """List the campaigns and how far they are."""
    from goldmark.campaigns.lifecycle import list_campaigns
    from goldmark.campaigns.progress import progress_of

    store = open_database(database)
    rows = store.read(lambda connection: [(row, progress_of(connection, row)) for row in list_campaigns(connection)])
    store.close()
    if json:
        print_json([{**_facts(row), "progress": _progress(progress)} for row, progress in rows])
        return
    for row, progress in rows:
        print(f"{row.name}\t{row.state}\t{progress.labels_done}/{progress.labels_wanted} labels\t{row.title}")


@app.command
def start(name: str, *, reason: Reason = "", database: Database = None, json: Json = False) -> None:
    """Start a campaign, or start it again after a pause or after closing."""
    _move(name, "started", reason, database, json)


@app.command
def pause(name: str, *, reason: Reason = "", database: Database = None, json: Json = False) -> None:
    """Hand out nothing for a while. Work that people hold is still accepted."""
    _move(name, "paused", reason, database, json)


@app.command
def close(name: str, *, reason: Reason = "", database: Database = None, json: Json = False) -> None:
    """End a campaign. Nothing is thrown away, and it can be started again."""
    _move(name, "closed", reason, database, json)


def _move(name: str, verb: str, reason: str, database: str | None, json: bool) -> None:
    from goldmark.campaigns.lifecycle import move

    store = open_database(database)
    row = move(store, name, verb, author=author(), reason=reason)
    store.close()
    if json:
        print_json(_facts(row))
    else:
        talk(f"campaign {name!r} is {row.state}")


@app.command
def progress(name: str, *, database: Database = None, json: Json = False) -> None:
    """Show how far a campaign is and what each annotator has done."""
    from goldmark.campaigns.lifecycle import find_campaign
    from goldmark.campaigns.people import list_annotators
    from goldmark.campaigns.progress import progress_of

    store = open_database(database)

    def look(connection: Any) -> tuple[Any, Any, Any]:
        row = find_campaign(connection, name)
        return row, progress_of(connection, row), list_annotators(connection, row)

    row, figures, people = store.read(look)
    store.close()
    if json:
        someone = [
            {"name": one.name, "state": one.state, "done": one.done, "seconds_active": one.seconds_active}
            for one in people
        ]
        print_json({**_facts(row), "progress": _progress(figures), "annotators": someone})
        return
    print(f"{row.title} ({row.state}, {row.protocol})")
    print(f"labels   {figures.labels_done} of {figures.labels_wanted} done, {figures.labels_in_hand} in hand")
    print(f"units    {figures.units_finished} of {figures.units} finished, {figures.units_started} started")
    if figures.labels_waiting or figures.labels_returned or figures.labels_approved:
        print(
            f"review   {figures.labels_waiting} wait for approval, {figures.labels_returned} returned to be amended, "
            f"{figures.labels_approved} approved"
        )
    if figures.labels_extra:
        print(f"extra    {figures.labels_extra} labels came after their unit was full; kept, not counted")
    if figures.labels_excluded:
        print(f"excluded {figures.labels_excluded} labels of excluded annotators; kept, not counted")
    if figures.median_seconds is not None:
        hours = (figures.seconds_left or 0) / 3600
        print(f"time     {figures.median_seconds:.0f} s a label (median), about {hours:.1f} hours of work left")
    for one in people:
        print(f"  {one.name}\t{one.state}\t{one.done} done\t{one.seconds_active / 60:.0f} min")


@app.command
def invite(name: str, *people: str, public: Base = DEFAULT_BASE, database: Database = None, json: Json = False) -> None:
    """Print a personal link for each person named; the same name gives the same link again."""
    from goldmark.campaigns.people import invite as invite_person
    from goldmark.connectors.links import Links, signing_key

    store = open_database(database)
    links = Links(signing_key(database_address(database)))
    made = {
        person: f"{public.rstrip('/')}/a/{invite_person(store, links, name, person, author=author())[1]}"
        for person in people
    }
    store.close()
    if json:
        print_json(made)
        return
    for person, link in made.items():
        print(f"{person}\t{link}")


@app.command(name="add-texts")
def add_texts(
    name: str,
    *files: Path,
    tokeniser: str = "rules",
    sentences: str = "rules",
    database: Database = None,
    json: Json = False,
) -> None:
    """Add texts to a campaign, also while it runs: all of them or, if anything is wrong, none."""
    from goldmark.campaigns.additions import add_texts as add

    store = open_database(database)
    added = add(store, name, files, tokeniser=tokeniser, sentences=sentences, author=author())
    store.close()
    if json:
        print_json({"campaign": name, "added": added})
    else:
        talk(f"{added} units were added to {name!r}")


@app.command
def export(
    name: str,
    target: Path,
    *,
    format: Annotated[  # noqa: A002
        str, Parameter(help="jsonl, csv, parquet, tidy, tidy-parquet, gsml, webanno-tsv or label-studio.")
    ] = "jsonl",
    question: Annotated[str | None, Parameter(help="Which spans question, where there are several.")] = None,
    first: Annotated[
        bool, Parameter(negative="", help="Final are the versions that people had before a reviewer returned them.")
    ] = False,
    with_excluded: WithExcluded = False,
    with_tests: Annotated[
        bool, Parameter(negative="", help="Format tidy: answers to test questions too, marked as such.")
    ] = False,
    database: Database = None,
    json: Json = False,
) -> None:
    """Write a campaign with every answer, revision and time to a file, folder or .zip; tidy: what counts, as tables."""
    from goldmark.campaigns.export import first_versions, record_of
    from goldmark.exchange.formats import export_campaign

    store = open_database(database)
    if format in ("tidy", "tidy-parquet"):
        from goldmark.campaigns.observed import write_observations
        from goldmark.observations.rows import Filter

        wanted = Filter(tests=with_tests, excluded=with_excluded)
        left = write_observations(store, name, target, wanted, "parquet" if format == "tidy-parquet" else "csv")
        store.close()
        gone = {"test_questions": left.tests, "excluded": sum(left.excluded.values())}
        if json:
            print_json({"campaign": name, "format": format, "target": str(target), "left_out": gone})
        else:
            talk(f"the tables of {name!r} were written to {target}")
            talk(f"left out: {left.tests} answers to test questions, {gone['excluded']} of excluded annotators")
        return
    record = record_of(store, name, with_excluded=with_excluded)
    store.close()
    export_campaign(first_versions(record) if first else record, format, target, question=question)
    facts = {"campaign": name, "format": format, "target": str(target), "responses": len(record.responses)}
    if json:
        print_json({**facts, "final": len(record.final_responses()), "excluded": len(record.exclusions())})
    else:
        talk(f"{len(record.responses)} responses of {name!r} were written to {target} as {format}")
        for note in record.exclusion_notes():
            talk(note)


@app.command(name="import")
def bring_in(
    source: Path,
    *,
    format: Annotated[  # noqa: A002
        str,
        Parameter(
            help="What it was exported as: jsonl, csv, parquet, gsml, webanno-tsv, label-studio, mqm, factgenie, "
            "pearmut or appraise."
        ),
    ] = "jsonl",
    name: Annotated[str | None, Parameter(help="Another name than it had.")] = None,
    protocol: Annotated[str | None, Parameter(help="What was asked; needed for formats that do not say.")] = None,
    keep_incomplete: Annotated[
        bool, Parameter(negative="", help="Keep answers that lack something the protocol asks for.")
    ] = False,
    database: Database = None,
    json: Json = False,
) -> None:
    """Read in a campaign that was exported here or made elsewhere: all of it or, if anything is wrong, nothing."""
    from goldmark.campaigns.library import Library
    from goldmark.campaigns.restore import completed, restore
    from goldmark.curation.carried import curation_problems
    from goldmark.errors import ProblemsFound
    from goldmark.exchange.formats import find_import, import_campaign
    from goldmark.protocols import load
    from goldmark.quality.test_questions import grade_again

    record = import_campaign(source, format)
    asked = protocol or find_import(format).protocol
    if asked or not record.settings:  # what another tool wrote: texts and answers only
        record = completed(record, load(asked) if asked else None, name=name or source.stem)
    problems = list(curation_problems(record))
    if problems:
        raise ProblemsFound(problems, consequence="nothing was imported")
    store = open_database(database)
    row = restore(store, record, name=name, author=author(), keep_incomplete=keep_incomplete)
    grade_again(store, Library(store), row.name)
    store.close()
    if json:
        print_json({**_facts(row), "responses": len(record.responses)})
    else:
        talk(f"campaign {row.name!r} was imported with {len(record.responses)} responses")


app.command(results)
app.command(import_answers)
app.command(gold)
app.command(known_questions, name="test-questions")
app.command(gold_import)
app.command(learning)
app.command(pay)
app.command(rehearse)
app.command(derive)
app.command(verified)
app.command(coded)
app.command(reviews)
app.command(standing)
app.command(stages)
app.command(candidates)
app.command(spot_check, name="spot-check")
app.command(suggestions)


def _facts(row: CampaignRow) -> dict[str, Any]:
    return {
        "campaign": row.name,
        "title": row.title,
        "state": row.state,
        "protocol": row.protocol,
        "created_at": row.created_at.isoformat(),
        "settings": row.settings.model_dump(mode="json"),
    }


def _progress(figures: Any) -> dict[str, Any]:
    return asdict(figures)
