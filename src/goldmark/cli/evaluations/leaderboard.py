"""`goldmark leaderboard`: declare a board, submit to it, run its rounds, read and publish its standings."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Parameter

from goldmark.cli.evaluations.take_part import inputs, listed, publish, standings, submit, told, withdraw
from goldmark.cli.options import (
    BoardName,
    Call,
    Count,
    Flag,
    Keep,
    Output,
    Probability,
    Reason,
    Seed,
    SubmissionNumber,
    TableOutput,
)
from goldmark.cli.output import emit, emit_check, parts, talk
from goldmark.cli.store import author, database_address, opened
from goldmark.records.figures import counted

if TYPE_CHECKING:
    from goldmark.leaderboards.human.rounds import Round

app = App(name="leaderboard", help="Rolling leaderboards: submissions, metrics, human evaluation, standings.")
# What those who take part do as well, from a machine of their own.
for one in (inputs, submit, listed, publish, withdraw, standings):
    app.command(one, name="submissions" if one is listed else None)

Number = Annotated[int, Parameter(help="The number of the round.")]


@app.command
def plan(
    *,
    annotations: Annotated[Count | None, Parameter(help="How many annotations there are for one system.")] = None,
    error: Annotated[float | None, Parameter(help="The standard error that its score should have at most.")] = None,
    difference: Annotated[
        float | None, Parameter(help="A difference between two systems that should be found.")
    ] = None,
    mean: Annotated[
        float,
        Parameter(help="The score that is expected, between 0 and 1; the middle is the worst case (Bhatia-Davis)."),
    ] = 0.5,
    deviation: Annotated[
        float | None,
        Parameter(
            help="The standard deviation of a single annotation, where a pilot or an earlier round has measured it."
        ),
    ] = None,
    price: Annotated[float, Parameter(help="What one label costs.")] = 0.0,
    tests: Annotated[float, Parameter(help="The share of test questions among all labels.")] = 0.1,
    systems: Annotated[Count, Parameter(help="How many systems are to be judged.")] = 1,
    power: Annotated[Probability, Parameter(help="The probability with which the difference should be found.")] = 0.8,
    alpha: Annotated[Probability, Parameter(help="The level of the test.")] = 0.05,
    output: TableOutput = TableOutput(),
) -> None:
    """How many annotations a system needs. Give their number, the standard error to reach, or a difference to find."""
    from goldmark.leaderboards.human.plan import PlanRequest, plan_annotations

    wanted = PlanRequest(
        annotations=annotations,
        error=error,
        mean=mean,
        deviation=deviation,
        price=price,
        tests=tests,
        systems=systems,
        difference=difference,
        power=power,
        alpha=alpha,
    )
    emit(output, tables=[plan_annotations(wanted)])


@app.command
def check(
    file: Annotated[Path, Parameter(help="The leaderboard file (YAML).")],
    *,
    try_metrics: Annotated[bool, Parameter(help="Try each metric on a few items; one with a model is loaded.")] = True,
    output: Output = Output(),
) -> int:
    """Report every problem of a leaderboard file, its protocol and its items; create nothing.

    It warns when test questions would not find who answers at random (see `rehearse`). A metric that cannot be computed
    on this machine is a warning that says what to install, since jobs may be done elsewhere.
    """

    from goldmark.leaderboards.definition.file import read_board
    from goldmark.leaderboards.human.rehearsal import warning

    def look() -> tuple[dict[str, Any], str]:
        found = read_board(file)
        facts: dict[str, Any] = {"leaderboard": found.name, "protocol": found.asked_by, "items": len(found.items)}
        if found.practice:
            facts["development items"] = len(found.practice)
        judged = len(found.chosen()) if found.asked_by else 0
        people = f"of which people judge {judged} by {found.asked_by}" if found.asked_by else "scored by metrics alone"
        said = f"{file} is right: {counted(len(found.items), 'item')}, {people}"
        missing = found.metrics_missing() if try_metrics else {}
        spam = warning(found.settings, found.protocol, judged) if found.asked_by else ""
        warned = [
            *found.warnings(),
            *([spam] if spam else []),
            *(f"{metric} cannot be computed here: {why}" for metric, why in missing.items()),
        ]
        for words in warned:
            talk(f"warning: {words}")
        return {**facts, "judged": judged, "metrics": found.settings.metrics, "warnings": warned}, said

    return emit_check(output, look)


@app.command
def rehearse(
    file: Annotated[Path, Parameter(help="The leaderboard file.")],
    *,
    people: Annotated[Count, Parameter(help="How many people judge a round.")] = 20,
    at_random: Annotated[Probability, Parameter(help="How many of them answer at random.")] = 0.2,
    answers: Annotated[
        Count | None, Parameter(help="What one person answers in all; left out: what the plan comes to.")
    ] = None,
    draws: Annotated[Count, Parameter(help="How many crowds to draw.")] = 100,
    seed: Seed = 17,
    output: TableOutput = TableOutput(),
) -> None:
    """Say beforehand whether a board's test questions find who answers at random, and whom they blame wrongly."""
    from goldmark.leaderboards.definition.file import read_board
    from goldmark.leaderboards.human.rehearsal import RehearsedCrowd
    from goldmark.leaderboards.human.rehearsal import rehearse as tried

    found = read_board(file)
    crowd = RehearsedCrowd(people, at_random, answers, draws, seed)
    emit(output, tables=[tried(found.settings, found.protocol, len(found.chosen()), crowd)])


@app.command
def create(file: Annotated[Path, Parameter(help="The leaderboard file (YAML).")], *, call: Call = Call()) -> None:
    """Create the leaderboard in a file, with all its items or not at all."""
    from goldmark.leaderboards.definition.boards import create_board
    from goldmark.leaderboards.definition.file import read_board

    found = read_board(file)
    for words in found.warnings():
        talk(f"warning: {words}")
    with opened(call) as store:
        row = create_board(store, found, author=author())
    emit(
        call,
        {"leaderboard": row.name, "title": row.title, "public": row.public, "items": len(found.items)},
        f"leaderboard {row.name!r} was created with {counted(len(found.items), 'item')}: /leaderboards/{row.name}",
    )


@app.command
def approve(name: BoardName, submission: SubmissionNumber, *, reason: Reason = "", call: Call = Call()) -> None:
    """Have a submission judged by people: it joins the next round."""
    from goldmark.leaderboards.definition.actor import Actor
    from goldmark.leaderboards.human import rounds as deciding

    with opened(call) as store:
        made = deciding.approve(store, name, submission, who=Actor(author()), now=datetime.now(UTC), reason=reason)
    told(made, call, f"submission {submission} joins the next round")


@app.command
def decline(name: BoardName, submission: SubmissionNumber, *, reason: Reason = "", call: Call = Call()) -> None:
    """Do not have a submission judged by people; its metrics stay."""
    from goldmark.leaderboards.definition.actor import Actor
    from goldmark.leaderboards.human import rounds as deciding

    with opened(call) as store:
        made = deciding.decline(store, name, submission, who=Actor(author()), now=datetime.now(UTC), reason=reason)
    told(made, call, f"submission {submission} is not judged by people")


@app.command
def close(name: BoardName, *, reason: Reason = "", call: Call = Call()) -> None:
    """Take no more submissions. What was submitted goes its way; `reopen` takes them again."""
    from goldmark.leaderboards.definition.boards import set_closed

    with opened(call) as store:
        set_closed(store, name, True, author=author(), reason=reason)
    emit(call, {"leaderboard": name, "open": False}, f"{name!r} takes no more submissions")


@app.command
def reopen(name: BoardName, *, reason: Reason = "", call: Call = Call()) -> None:
    """Take submissions again."""
    from goldmark.leaderboards.definition.boards import set_closed

    with opened(call) as store:
        set_closed(store, name, False, author=author(), reason=reason)
    emit(call, {"leaderboard": name, "open": True}, f"{name!r} takes submissions again")


@app.command
def settings(name: BoardName, *, call: Call = Call()) -> None:
    """Print the settings of a leaderboard as YAML, to be edited and given to `change`."""
    from goldmark.leaderboards.definition.boards import find_board
    from goldmark.leaderboards.definition.changes import settings_shown, settings_text

    with opened(call) as store:
        row = store.read(lambda connection: find_board(connection, name))
    shown = {"leaderboard": row.name, "title": row.title, "settings": settings_shown(row)}
    emit(call, shown, lines=[settings_text(row).rstrip("\n")])


@app.command
def change(
    name: BoardName,
    file: Annotated[Path, Parameter(help="Settings as YAML: what `settings` prints, or a leaderboard file.")],
    *,
    title: Annotated[str, Parameter(help="What people see; as it is, if not given.")] = "",
    reason: Reason = "",
    call: Call = Call(),
) -> None:
    """Change the settings of a leaderboard, or learn everything that speaks against it.

    What the file leaves out is as it is by default. Data, protocol and subset stay as they were created.
    """
    from goldmark.campaigns.definition.yaml_file import source_of
    from goldmark.leaderboards.definition.boards import find_board
    from goldmark.leaderboards.definition.changes import change_board, read_settings
    from goldmark.leaderboards.definition.file import BoardFileMissing

    source = source_of(file, BoardFileMissing)
    with opened(call) as store:
        row = store.read(lambda connection: find_board(connection, name))
        given = read_settings(row, source, str(file))
        change_board(store, name, given, title=title, author=author(), reason=reason)
    emit(call, {"leaderboard": name, "changed": True}, f"the settings of {name!r} were changed")


@app.command
def rounds(name: BoardName, *, call: Call = Call()) -> None:
    """Rounds of human evaluation, the newest first, with their campaigns and systems."""
    from goldmark.leaderboards.definition.boards import find_board
    from goldmark.leaderboards.human.rounds import rounds_of

    with opened(call) as store:
        found = store.read(lambda connection: rounds_of(connection, find_board(connection, name)))
    emit(call, {"rounds": [_round(one) for one in found]}, lines=map(_line, found))


def _line(one: Round) -> str:
    systems = ", ".join(entry.system for entry in one.entries)
    return f"{one.number}\t{one.state}\t{one.campaign or '-'}\t{one.opens_at:%Y-%m-%d %H:%M} UTC\t{systems}"


@app.command(name="open")
def open_now(
    name: BoardName,
    number: Number,
    *,
    over_budget: Annotated[Flag, Parameter(help="Open it even if it costs more than is left of the budget.")] = False,
    call: Call = Call(),
) -> None:
    """Open a planned round now, without waiting for its time: its campaign is made and started."""
    from goldmark.leaderboards.human.open_round import open_round

    with opened(call) as store:
        made = open_round(store, name, number, who=author(), now=datetime.now(UTC), force=over_budget)
    emit(
        call,
        _round(made),
        f"round {number} is open; invite people with: goldmark campaign invite {made.campaign} NAME",
    )


@app.command
def score(
    name: BoardName,
    number: Number,
    *,
    anyway: Annotated[Flag, Parameter(help="Although somebody is undecided, or units wait for labels.")] = False,
    reason: Reason = "",
    call: Call = Call(),
) -> None:
    """Close a round's campaign and score it; a round that was scored is scored again."""
    from goldmark.leaderboards.human.score_round import close_and_score

    with opened(call) as store:
        now = datetime.now(UTC)
        made = close_and_score(store, name, number, who=author(), now=now, reason=reason, anyway=anyway)
    facts = made.facts
    excluded = counted(facts["excluded"], "annotator")
    said = f"round {number} is scored from {counted(facts['labels'], 'label')}; excluded: {excluded}"
    emit(call, _round(made), said)


@app.command
def tick(*, call: Call = Call()) -> None:
    """Do what is due now: open rounds whose time has come, score those that are complete. A worker does the same."""
    from goldmark.leaderboards.human.scheduling.scheduler import tick as look

    with opened(call) as store:
        happened = look(store, datetime.now(UTC))
    said = () if happened else ("nothing is due",)
    lines = (f"{one.board}\tround {one.round}\t{one.what}\t{one.why}" for one in happened)
    emit(call, {"happened": happened}, *said, lines=lines)


@app.command
def export(
    name: BoardName, folder: Annotated[Path, Parameter(help="Where to write it.")], *, call: Call = Call()
) -> None:
    """Write what everybody may see of a board into a folder: a page, its styles, CSV and JSON, without any server."""
    from goldmark.web.services import Services
    from goldmark.web.static_board import export_board

    with opened(call):  # so that its tables are there
        pass
    services = Services.open(database_address(call))
    made = export_board(services, name, folder)
    services.store.close()
    emit(call, {"files": made}, f"wrote {counted(len(made), 'file')} of {name!r} to {folder}; open index.html")


@app.command(name="import")
def bring(
    name: Annotated[str, Parameter(help="The leaderboard.")],
    file: Annotated[Path, Parameter(help="The judgements.")],
    *,
    team: Annotated[str, Parameter(help="To whom systems belong that the board does not know yet.")],
    system: Annotated[str, Parameter(help="The column that names whose output was judged.")] = "system",
    item: Annotated[str, Parameter(help="The column that names the item.")] = "item",
    annotator: Annotated[str, Parameter(help="The column that names who judged.")] = "annotator",
    score: Annotated[
        str, Parameter(help="The column of scores (`score`, or else `value`); an empty cell is no score.")
    ] = "",
    keep: Keep = (),
    call: Call = Call(),
) -> None:
    """Bring in judgements that people gave elsewhere (CSV, TSV or JSON lines, one a row) as a finished round.

    A column `question` says which question a row answers; without it, all rows answer the one that ranks.
    """
    from goldmark.leaderboards.human.import_ratings import bring_ratings
    from goldmark.records.tidy.kept import named_values
    from goldmark.texts.readers.tidy import read_tidy

    names = {"system": system, "item": item, "annotator": annotator, "score": score}
    frame = read_tidy(file)
    with opened(call) as store:
        made = bring_ratings(
            store, name, frame, team=team, who=author(), now=datetime.now(UTC), names=names, keep=named_values(keep)
        )
    held = f"{counted(made.facts['labels'], 'judgement')} of {counted(len(made.entries), 'system')}"
    emit(call, _round(made), f"round {made.number} holds {held}")


@app.command(name="list")
def list_all(*, most: Annotated[Count, Parameter(help="List at most so many.")] = 1000, call: Call = Call()) -> None:
    """List the leaderboards."""
    from goldmark.leaderboards.definition.boards import list_boards

    with opened(call) as store:
        found = store.read(list_boards)[:most]
    emit(
        call,
        [{"leaderboard": one.name, "title": one.title, "public": one.public} for one in found],
        lines=(
            f"{one.name}\t{'public' if one.public else 'private'}\t{one.protocol or '-'}\t{one.title}" for one in found
        ),
    )


def _round(one: Round) -> dict[str, Any]:
    return parts(one, "number", "state", "campaign", "opens_at", "scored_at", "facts", "entries")
