"""`goldmark leaderboard`: declare a board, submit to it, run its rounds, read and publish its standings."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Parameter

from goldmark.cli.choices import Count, Flag, NamesAndValues, named_values
from goldmark.cli.leaderboard_plan import plan
from goldmark.cli.output import print_json, talk
from goldmark.cli.place import Database, Json, author, database_address, open_database
from goldmark.cli.show import Format, show

if TYPE_CHECKING:
    from goldmark.leaderboards.rounds import Round
    from goldmark.leaderboards.submissions import SubmissionRow

app = App(name="leaderboard", help="Rolling leaderboards: submissions, metrics, human evaluation, standings.")

Reason = Annotated[str, Parameter(help="Why; kept with the decision.")]
app.command(plan)


@app.command
def check(file: Path, *, json: Json = False) -> int:
    """Report every problem of a leaderboard file, its protocol and its items; create nothing."""
    from goldmark.errors import ProblemsFound
    from goldmark.leaderboards.file import read_board

    try:
        found = read_board(file)
    except ProblemsFound as error:
        if not json:
            raise
        problems = [
            {"where": one.where, "part": one.part, "what": one.what, "remedy": one.remedy} for one in error.problems
        ]
        print_json({"ok": False, "problems": problems})
        return 1
    facts = {"leaderboard": found.name, "protocol": found.protocol.id, "items": len(found.items)}
    judged = len(found.chosen())
    if json:
        print_json({"ok": True, "problems": [], **facts, "judged": judged, "metrics": list(found.settings.metrics)})
    else:
        talk(f"{file} is right: {len(found.items)} items, of which people judge {judged} by {found.protocol.id}")
    return 0


@app.command
def create(file: Path, *, database: Database = None, json: Json = False) -> None:
    """Create the leaderboard in a file, with all its items or not at all."""
    from goldmark.leaderboards.boards import create_board
    from goldmark.leaderboards.file import read_board

    found = read_board(file)
    store = open_database(database)
    row = create_board(store, found, author=author())
    store.close()
    if json:
        print_json({"leaderboard": row.name, "title": row.title, "public": row.public, "items": len(found.items)})
    else:
        talk(f"leaderboard {row.name!r} was created with {len(found.items)} items; it is at /leaderboards/{row.name}")


@app.command
def submit(
    name: str,
    file: Path,
    *,
    system: Annotated[str, Parameter(help="The system's name; the same name again is a new version.")],
    team: Annotated[str, Parameter(help="Whose system it is.")],
    description: str = "",
    link: str = "",
    authors: Annotated[tuple[str, ...], Parameter(name="--author", negative="")] = (),
    database: Database = None,
    json: Json = False,
) -> None:
    """Submit a system's outputs (JSON lines of id and output, perhaps packed), or learn all that is wrong with them.

    Metrics are computed by a worker: the one beside `goldmark serve`, or `goldmark jobs work --until-empty`.
    """
    from goldmark.leaderboards.submitting import About
    from goldmark.leaderboards.submitting import submit as send
    from goldmark.leaderboards.who import Who

    store = open_database(database)
    with _opened(file) as stream:
        about = About(system, team, description, link, authors)
        made = send(store, name, about, stream, file.name, who=Who(author()))
    store.close()
    _say(made, json, f"submission {made.id}: {made.system} version {made.version} was received; it is private")


def _opened(file: Path) -> Any:
    from goldmark.leaderboards.receiving import NotReadableUpload

    try:
        return file.open("rb")
    except OSError as error:
        raise NotReadableUpload(name=file, why=error.strerror or error) from error


@app.command
def publish(name: str, submission: int, *, reason: Reason = "", database: Database = None, json: Json = False) -> None:
    """Show a submission to everybody who may see the board."""
    from goldmark.leaderboards.submissions import publish as change

    _change(name, submission, change, "is published", reason, database, json)


@app.command
def withdraw(name: str, submission: int, *, reason: Reason = "", database: Database = None, json: Json = False) -> None:
    """Take a submission out of the standings; it stays in the history."""
    from goldmark.leaderboards.submissions import withdraw as change

    _change(name, submission, change, "is withdrawn", reason, database, json)


def _change(name: str, submission: int, change: Any, words: str, reason: str, database: str | None, json: bool) -> None:
    from goldmark.leaderboards.who import Who

    store = open_database(database)
    made = change(store, name, submission, who=Who(author()), reason=reason)
    store.close()
    _say(made, json, f"submission {submission} {words}")


@app.command
def approve(name: str, submission: int, *, reason: Reason = "", database: Database = None, json: Json = False) -> None:
    """Have a submission judged by people: it joins the next round."""
    from datetime import UTC, datetime

    from goldmark.leaderboards.rounds import approve as change
    from goldmark.leaderboards.who import Who

    store = open_database(database)
    made = change(store, name, submission, who=Who(author()), now=datetime.now(UTC), reason=reason)
    store.close()
    _say(made, json, f"submission {submission} joins the next round")


@app.command
def rounds(name: str, *, database: Database = None, json: Json = False) -> None:
    """Rounds of human evaluation, the newest first, with their campaigns and systems."""
    from goldmark.leaderboards.boards import find_board
    from goldmark.leaderboards.rounds import rounds_of

    store = open_database(database)
    found = store.read(lambda connection: rounds_of(connection, find_board(connection, name)))
    store.close()
    if json:
        print_json({"rounds": [_round(one) for one in found]})
        return
    for one in found:
        systems = ", ".join(entry.system for entry in one.entries)
        print(f"{one.number}\t{one.state}\t{one.campaign or '-'}\t{one.opens_at:%Y-%m-%d %H:%M} UTC\t{systems}")


@app.command(name="open")
def open_now(
    name: str, number: int, *, over_budget: Flag = False, database: Database = None, json: Json = False
) -> None:
    """Open a planned round now, without waiting for its time: its campaign is made and started."""
    from datetime import UTC, datetime

    from goldmark.leaderboards.opening import open_round

    store = open_database(database)
    made = open_round(store, name, number, who=author(), now=datetime.now(UTC), force=over_budget)
    store.close()
    if json:
        print_json(_round(made))
    else:
        talk(f"round {number} is open; invite people with: goldmark campaign invite {made.campaign} NAME")


@app.command
def score(name: str, number: int, *, database: Database = None, json: Json = False) -> None:
    """Close a round's campaign and score it; a round that was scored is scored again, after an exclusion say."""
    from datetime import UTC, datetime

    from goldmark.campaigns.lifecycle import move
    from goldmark.leaderboards.boards import find_board
    from goldmark.leaderboards.closing import score_round
    from goldmark.leaderboards.rounds import find_round

    store = open_database(database)
    found = store.read(lambda connection: find_round(connection, find_board(connection, name), number))
    if found.campaign is not None:
        move(store, found.campaign, "closed", author=author())
    made = score_round(store, name, number, who=author(), now=datetime.now(UTC))
    store.close()
    if json:
        print_json(_round(made))
    else:
        talk(f"round {number} is scored: {made.facts['labels']} labels, {made.facts['excluded']} annotators excluded")


@app.command
def tick(*, database: Database = None, json: Json = False) -> None:
    """Do what is due now: open rounds whose time has come, score those that are complete. A worker does the same."""
    from datetime import UTC, datetime

    from goldmark.leaderboards.clock import tick as look

    store = open_database(database)
    happened = look(store, datetime.now(UTC))
    store.close()
    if json:
        print_json({"happened": [one._asdict() for one in happened]})
        return
    for one in happened:
        print(f"{one.board}\tround {one.round}\t{one.what}\t{one.why}")
    if not happened:
        talk("nothing is due")


@app.command
def standings(
    name: str,
    *,
    everything: Annotated[bool, Parameter(name="--all", negative="", help="Private submissions as well.")] = False,
    correlations: Annotated[bool, Parameter(negative="", help="How each metric goes with people, too.")] = False,
    format: Annotated[Format, Parameter(name="--format")] = "table",  # noqa: A002
    database: Database = None,
    json: Json = False,
) -> None:
    """The standings: scores with intervals, metrics, and the ranks that intervals leave possible."""
    from goldmark.leaderboards.boards import find_board
    from goldmark.leaderboards.correlations import correlations as correlate
    from goldmark.leaderboards.file import axes_of, main_axis
    from goldmark.leaderboards.opening import protocol_of
    from goldmark.leaderboards.standings import View, standings_table
    from goldmark.leaderboards.standings import standings as found

    store = open_database(database)

    def look(connection: Any) -> tuple[Any, ...]:
        row = find_board(connection, name)
        protocol = protocol_of(connection, row)
        main = main_axis(protocol, row.settings)
        rows = found(connection, row, main, View(everything=everything))
        table = standings_table(row, rows, axes_of(protocol), main)
        return (table, correlate(connection, row, rows, main)) if correlations else (table,)

    tables = store.read(look)
    store.close()
    show(*tables, form=format, json=json)


@app.command
def export(name: str, folder: Path, *, database: Database = None, json: Json = False) -> None:
    """Write what everybody may see of a board into a folder: a page, its styles, CSV and JSON, without any server."""
    from goldmark.web.publishing import export_board
    from goldmark.web.services import Services

    open_database(database).close()
    services = Services.open(database_address(database))
    made = export_board(services, name, folder)
    services.store.close()
    if json:
        print_json({"files": [str(path) for path in made]})
    else:
        talk(f"{len(made)} files of {name!r} were written to {folder}; open index.html")


@app.command(name="import")
def bring(
    name: str,
    file: Path,
    *,
    team: Annotated[str, Parameter(help="To whom systems belong that the board does not know yet.")],
    system: str = "system",
    item: str = "item",
    annotator: str = "annotator",
    score: str = "",
    keep: NamesAndValues = (),
    database: Database = None,
    json: Json = False,
) -> None:
    """Bring in judgements that people gave elsewhere (CSV, TSV or JSON lines, one a row) as a finished round.

    A column `question` says which question a row answers; without it, all rows answer the one that ranks.

    Parameters
    ----------
    name
        The leaderboard.
    file
        The judgements.
    team
        To whom systems belong that the board does not know yet.
    system
        The column that names whose output was judged.
    item
        The column that names the item.
    annotator
        The column that names who judged.
    score
        The column of scores (`score`, or else `value`); an empty cell is no score.
    keep
        Only rows whose column has one of these values: `--keep type=SYSTEM,REPEAT`. Rows with `test` or `excluded`
        true are left out unless their column is named here.
    database
        SQLite file or postgresql:// address.
    json
        For machines.
    """
    from datetime import UTC, datetime

    from goldmark.leaderboards.bringing import bring_ratings
    from goldmark.texts.tidy import read_tidy

    names = {"system": system, "item": item, "annotator": annotator, "score": score}
    frame = read_tidy(file)
    store = open_database(database)
    made = bring_ratings(
        store, name, frame, team=team, who=author(), now=datetime.now(UTC), names=names, keep=named_values(keep)
    )
    store.close()
    if json:
        print_json(_round(made))
    else:
        talk(f"round {made.number} holds {made.facts['labels']} judgements of {len(made.entries)} systems")


@app.command(name="list")
def list_all(*, database: Database = None, most: Count = 1000, json: Json = False) -> None:
    """List the leaderboards."""
    from goldmark.leaderboards.boards import list_boards

    store = open_database(database)
    found = store.read(list_boards)[:most]
    store.close()
    if json:
        print_json([{"leaderboard": one.name, "title": one.title, "public": one.public} for one in found])
        return
    for one in found:
        print(f"{one.name}\t{'public' if one.public else 'private'}\t{one.protocol}\t{one.title}")


def _say(made: SubmissionRow, json: bool, words: str) -> None:
    if not json:
        talk(words)
        return
    keys = ("id", "system", "team", "version", "state", "approval", "outputs", "digest")
    print_json({key: getattr(made, key) for key in keys})


def _round(one: Round) -> dict[str, Any]:
    return {
        "number": one.number,
        "state": one.state,
        "campaign": one.campaign,
        "opens_at": one.opens_at.isoformat(),
        "scored_at": one.scored_at.isoformat() if one.scored_at else None,
        "facts": dict(one.facts),
        "entries": [asdict(entry) for entry in one.entries],
    }
