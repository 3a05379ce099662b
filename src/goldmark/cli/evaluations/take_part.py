"""What those who take part in a leaderboard do: on a server with their API token, or on a database beside them."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from goldmark.cli.options import (
    BoardName,
    Call,
    Flag,
    Output,
    Reason,
    Remote,
    SubmissionNumber,
    TableCall,
)
from goldmark.cli.output import emit, parts
from goldmark.cli.store import author, opened
from goldmark.records.figures import counted

if TYPE_CHECKING:
    from goldmark.leaderboards.submitted.submissions import SubmissionRow
    from goldmark.notebook.boards import RemoteLeaderboard

SHOWN = ("id", "system", "team", "version", "phase", "state", "approval", "outputs", "digest")
Phase = Annotated[Literal["test", "development"], Parameter(help="The test, or the phase to practise in.")]


def _board(remote: Remote, name: str, *, signed_in: bool = True) -> RemoteLeaderboard:
    from goldmark.notebook.boards import RemoteLeaderboard
    from goldmark.notebook.transport import Transport

    return RemoteLeaderboard(Transport(remote.server, remote.token or None, signed_in=signed_in), name)


def inputs(
    name: BoardName,
    file: Annotated[Path | None, Parameter(help="Where to write them; left out: standard output.")] = None,
    *,
    phase: Phase = "test",
    remote: Remote = Remote(),
    call: Call = Call(),
) -> None:
    """Get what systems answer, as JSON lines: id, context, language, and references where the board shows them."""
    if remote.server:
        rows = _board(remote, name, signed_in=False).inputs(phase)
    else:
        from goldmark.leaderboards.board_view import of_everything
        from goldmark.leaderboards.submitted.inputs import inputs_of

        with opened(call) as store:
            rows = store.read(lambda connection: list(inputs_of(connection, of_everything(connection, name), phase)))
    if call.json:
        emit(call, {"inputs": rows})
        return
    import orjson

    content = b"".join(orjson.dumps(row) + b"\n" for row in rows)
    if file is None:
        sys.stdout.write(content.decode())
    else:
        file.write_bytes(content)
    emit(call, None, f"{counted(len(rows), 'input')}{f' written to {file}' if file else ''}")


def submit(
    name: BoardName,
    file: Annotated[Path, Parameter(help="The outputs: one JSON object or row an item.")],
    *,
    system: Annotated[str, Parameter(help="The system's name; the same name again is a new version.")],
    team: Annotated[str, Parameter(help="Whose system it is; on a server, left out: your team.")] = "",
    phase: Annotated[Literal["", "test", "development"], Parameter(help="Needed where both phases are open.")] = "",
    description: Annotated[str, Parameter(help="What the system is, for those who read the board.")] = "",
    link: Annotated[str, Parameter(help="An address to read more at.")] = "",
    authors: Annotated[
        tuple[str, ...], Parameter(name="--author", negative="", help="Who made it; may be given several times.")
    ] = (),
    remote: Remote = Remote(),
    call: Call = Call(),
) -> None:
    """Submit a system's outputs (JSON lines of id and output, perhaps packed), or learn all that is wrong with them.

    With `--server` it is sent there. Metrics are computed by a worker: the one beside `goldmark serve`, or
    `goldmark jobs work --until-empty`.
    """
    from goldmark.leaderboards.definition.actor import Actor
    from goldmark.leaderboards.submitted.submit import SystemDescription
    from goldmark.leaderboards.submitted.submit import submit as send
    from goldmark.leaderboards.submitted.upload_reader import open_upload

    made: SubmissionRow | Mapping[str, Any]
    if remote.server:
        open_upload(file).close()
        made = _board(remote, name).submit(
            system, file, team=team, phase=phase, description=description, link=link, authors=authors
        )
    else:
        described = SystemDescription(system, team, description, link, authors)
        with opened(call) as store, open_upload(file) as stream:
            made = send(store, name, described, stream, file.name, who=Actor(author()), phase=phase)
    kept = _kept(made)
    words = f"submission {kept['id']}: {kept['system']} version {kept['version']} was received; it is {kept['state']}"
    told(made, call, words)


def listed(name: BoardName, *, remote: Remote = Remote(), call: Call = Call()) -> None:
    """Your team's submissions on a server, the newest first; on a database, everybody's."""
    found: list[Any]
    if remote.server:
        found = _board(remote, name).submissions()
    else:
        from goldmark.leaderboards.definition.boards import find_board
        from goldmark.leaderboards.submitted.submissions import list_submissions

        with opened(call) as store:
            found = store.read(lambda connection: list_submissions(connection, find_board(connection, name)))
    rows = [_kept(one) for one in found]
    lines = ("\t".join(str(row[key]) for key in ("id", "system", "version", "phase", "state", "team")) for row in rows)
    emit(call, {"submissions": rows}, lines=lines)


def publish(
    name: BoardName,
    submission: SubmissionNumber,
    *,
    reason: Reason = "",
    remote: Remote = Remote(),
    call: Call = Call(),
) -> None:
    """Show a submission to everybody who may see the board."""
    _change("publish", name, submission, reason, remote, call, f"submission {submission} is published")


def withdraw(
    name: BoardName,
    submission: SubmissionNumber,
    *,
    reason: Reason = "",
    remote: Remote = Remote(),
    call: Call = Call(),
) -> None:
    """Take a submission out of the standings; it stays in the history."""
    _change("withdraw", name, submission, reason, remote, call, f"submission {submission} is withdrawn")


def _change(
    verb: Literal["publish", "withdraw"],
    name: BoardName,
    submission: SubmissionNumber,
    reason: str,
    remote: Remote,
    call: Call,
    words: str,
) -> None:
    from goldmark.leaderboards.definition.actor import Actor
    from goldmark.leaderboards.submitted import submissions

    if remote.server:
        told(getattr(_board(remote, name), verb)(submission, reason=reason), call, words)
        return
    with opened(call) as store:
        told(getattr(submissions, verb)(store, name, submission, who=Actor(author()), reason=reason), call, words)


def standings(
    name: BoardName,
    *,
    everything: Annotated[Flag, Parameter(name="--all", help="Private submissions as well.")] = False,
    correlations: Annotated[Flag, Parameter(help="How each metric goes with people, too.")] = False,
    pairs: Annotated[Flag, Parameter(help="Every two published systems compared, too.")] = False,
    phase: Phase = "test",
    remote: Remote = Remote(),
    call: TableCall = TableCall(),
) -> None:
    """The standings: scores with intervals, metrics, and the ranks that remain possible.

    On a server they are as your account sees them: `--all` makes no difference there.
    """
    from goldmark.leaderboards.scores.correlations import board_tables
    from goldmark.leaderboards.scores.standings import Viewer

    if remote.server:
        board = _board(remote, name, signed_in=False)
        tables = [*board.standings(phase).tables.values()]
        tables += board.pairs().tables.values() if pairs else ()
        tables += board.correlations().tables.values() if correlations else ()
    else:
        view = Viewer(everything=everything)
        with opened(call) as store:
            tables = store.read(
                lambda connection: board_tables(
                    connection, name, view, correlated=correlations, pairs=pairs, phase=phase
                )
            )
    emit(call, tables=tables)


def told(made: SubmissionRow | Mapping[str, Any], output: Output, words: str) -> None:
    emit(output, _kept(made), words)


def _kept(made: SubmissionRow | Mapping[str, Any]) -> dict[str, Any]:
    return {key: made[key] for key in SHOWN} if isinstance(made, Mapping) else parts(made, *SHOWN)
