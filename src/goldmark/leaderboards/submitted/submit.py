"""Receiving a submission: whole or not at all, for one's own team and system, within the board's limits."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import BinaryIO, NamedTuple

from sqlalchemy import Connection, exists, func, insert, select, update

from goldmark import jobs
from goldmark.errors import Conflict, Forbidden, GoldmarkError, TooMany
from goldmark.jobs import Running, owed
from goldmark.jobs.queue import OPEN, rerun
from goldmark.leaderboards.definition import teams
from goldmark.leaderboards.definition.actor import Actor
from goldmark.leaderboards.definition.arrival import ArrivingBoard, arriving
from goldmark.leaderboards.definition.boards import BoardRow, find_board, item_names, items_of, note
from goldmark.leaderboards.definition.names import plain, refuse_look_alikes, same
from goldmark.leaderboards.definition.phases import Phase, phase_for
from goldmark.leaderboards.definition.settings import PhaseName
from goldmark.leaderboards.definition.tasks import METRIC, TASKS, AnswerReader, figure_of
from goldmark.leaderboards.definition.teams import Team
from goldmark.leaderboards.human.rounds import plan
from goldmark.leaderboards.submitted.same_outputs import ask_whose
from goldmark.leaderboards.submitted.submissions import (
    SubmissionRow,
    find_submission,
    known_systems,
    make_system,
    versions_of,
)
from goldmark.leaderboards.submitted.upload_reader import Received, check_outputs, read_outputs
from goldmark.records.figures import counted
from goldmark.records.units import ContextLink
from goldmark.store import Store
from goldmark.store.bulk import insert_beside
from goldmark.store.pieces import InPieces
from goldmark.store.tables import board_item, board_metric, board_output, board_submission, board_system

LONGEST_DESCRIPTION = 5_000
MOST_AUTHORS = 100
METRIC_JOB = "leaderboard metric"
NEW_METRICS = "leaderboard metrics asked for"


class BoardClosed(Conflict):
    code = "SUBMISSION-03"
    message = "the leaderboard {name!r} takes no more submissions"


class SystemOfOthers(Forbidden):
    code = "SUBMISSION-04"
    message = "there is a system {name!r} of another team; give yours a name of its own"


class LimitReached(TooMany):
    code = "SUBMISSION-05"
    message = "{team!r} has reached its limit: {limit}"


class WordsTooLong(GoldmarkError):
    code = "SUBMISSION-09"
    message = "{what} is too long; {limit} are allowed"


class SystemDescription(NamedTuple):
    """What a team says of a system."""

    system: str
    team: str = ""
    description: str = ""
    link: str = ""
    authors: tuple[str, ...] = ()


def submit(
    store: Store,
    board_name: str,
    about: SystemDescription,
    file: BinaryIO,
    file_name: str,
    *,
    who: Actor,
    phase: str = "",
    now: datetime | None = None,
) -> SubmissionRow:
    """Receive a system's outputs, or say everything that is wrong with them. Its metrics are asked for at once.

    Without a `phase` it is meant for the one that is open; if two are, it has to be said.
    """
    about = _checked(about)
    at = now or datetime.now(UTC)
    board = store.read(lambda connection: find_board(connection, board_name))
    if board.closed_at is not None:
        raise BoardClosed(name=board.name)
    meant = phase_for(board, phase, at)
    names = store.read(lambda connection: item_names(connection, board, meant.name))
    reader = store.read(lambda connection: answer_reader(connection, board, meant.name))
    received = check_outputs(file, file_name, names, reader=reader)

    def keep(connection: Connection, made: int) -> SubmissionRow:
        row = find_board(connection, board_name, hold=True)
        if row.closed_at is not None:
            raise BoardClosed(name=row.name)
        team = _team(connection, row, about, who)
        open_still = phase_for(row, meant.name, at)
        system_id, versions = _system(connection, row, about, team)
        latest = next((one for one in versions if one.phase == meant.name), None)
        if latest is not None and latest.digest == received.digest and latest.state != "withdrawn":
            return latest  # sent twice, as an impatient click does
        _limits(connection, row, team, open_still, at, new=not versions)
        version = versions[0].version + 1 if versions else 1
        now_there = {"board_id": row.id, "system_id": system_id, "version": version, **_state(row, meant.name, at)}
        connection.execute(update(board_submission).where(board_submission.c.id == made).values(now_there))
        _ask_for_metrics(connection, row, made, author=who.name)
        ask_whose(connection, row, made, author=who.name)
        facts = {"version": version, "team": team.name, "outputs": received.outputs}
        practice = {"phase": meant.name} if row.settings.development else {}
        facts = {**facts, **practice}
        note(connection, row, author=who.name, kind="submitted", subject=about.system, facts=facts, at=at)
        if row.settings.human.start == "automatic" and meant.name == "test" and row.protocol:
            plan(connection, row, at, author=who.name)
        return find_submission(connection, row, made)

    def bring(coming: ArrivingBoard) -> SubmissionRow:
        made = coming.rows.once(lambda connection: _begin(connection, coming, board, about, meant, received, who, at))
        ids = store.read(lambda connection: _item_ids(connection, board, meant.name))
        rows = (
            {"submission_id": made, "item_id": ids[position], "output": output}
            for position, output in read_outputs(file, file_name, names, reader=reader)
        )
        coming.rows.each(rows, lambda connection, some: insert_beside(connection, board_output, some))
        return coming.rows.once(lambda connection: keep(connection, made))

    return arriving(store, bring)


def answer_reader(connection: Connection, row: BoardRow, phase: PhaseName) -> AnswerReader | None:
    """Who reads the answers of the board's task; None where outputs are texts."""
    if row.data.task is None:
        return None
    return AnswerReader(TASKS.find(row.data.task), [one.item for one in items_of(connection, row, phase=phase)])


def _checked(about: SystemDescription) -> SystemDescription:
    if len(about.description) > LONGEST_DESCRIPTION:
        raise WordsTooLong(what="the description", limit=f"{LONGEST_DESCRIPTION:,} characters")
    if len(about.authors) > MOST_AUTHORS:
        raise WordsTooLong(what="the list of authors", limit=f"{MOST_AUTHORS} names")
    if about.link:
        ContextLink("", about.link)  # refuses what is no web address
    authors = tuple(plain(name, "author") for name in about.authors if name.strip())
    return about._replace(system=plain(about.system, "system"), description=about.description.strip(), authors=authors)


def _team(connection: Connection, row: BoardRow, about: SystemDescription, who: Actor) -> Team:
    if who.account_id is None or (who.manages and about.team.strip()):
        if not about.team.strip():
            raise teams.TeamNeeded
        return teams.find_or_make(connection, row, about.team)
    return teams.enter(connection, row, who.account_id, about.team)


def _system(
    connection: Connection, row: BoardRow, about: SystemDescription, team: Team
) -> tuple[int, list[SubmissionRow]]:
    """The system's id, and its versions so far, the newest first."""
    systems = known_systems(connection, row)
    known = next((one for one in systems if same(one.name, about.system)), None)
    if known is not None:
        if known.team_id != team.id:
            raise SystemOfOthers(name=about.system)
        return known.id, versions_of(connection, known.id)
    refuse_look_alikes(about.system, (one.name for one in systems), "system")
    return make_system(connection, row, about.system, team.id), []


def _limits(connection: Connection, row: BoardRow, team: Team, phase: Phase, at: datetime, *, new: bool) -> None:
    rules = row.settings.submit
    if phase.at_most is not None:
        sent = connection.execute(
            select(func.count())
            .select_from(board_submission)
            .join(board_system, board_system.c.id == board_submission.c.system_id)
            .where(
                board_system.c.team_id == team.id,
                board_submission.c.phase == phase.name,
                board_submission.c.submitted_at > at - timedelta(days=phase.days),
            )
        ).scalar_one()
        if sent >= phase.at_most:
            days = "a day" if phase.days == 1 else f"{phase.days} days"
            raise LimitReached(team=team.name, limit=f"{counted(phase.at_most, 'submission')} in {days}")
    if new and rules.systems is not None:
        # The new system's row is there already.
        count = connection.execute(select(func.count()).where(board_system.c.team_id == team.id)).scalar_one()
        if count > rules.systems:
            raise LimitReached(team=team.name, limit=f"{counted(rules.systems, 'system')} on this board")


def _begin(
    connection: Connection,
    coming: ArrivingBoard,
    row: BoardRow,
    about: SystemDescription,
    phase: Phase,
    received: Received,
    who: Actor,
    at: datetime,
) -> int:
    """A submission that is on no board yet."""
    nowhere = coming.begin(connection, row.protocol_id)
    system = {"board_id": nowhere, "name": about.system, "key": "", "kind": "system", "created_at": at}
    system_id = connection.execute(insert(board_system).values(system).returning(board_system.c.id)).scalar_one()
    made = insert(board_submission).values(
        board_id=nowhere,
        system_id=system_id,
        version=1,
        phase=phase.name,
        state="private",
        approval="not asked",
        description=about.description,
        link=about.link,
        authors=list(about.authors),
        outputs=received.outputs,
        digest=received.digest,
        submitted_by=who.name,
        submitted_at=at,
    )
    return int(connection.execute(made.returning(board_submission.c.id)).scalar_one())


def _state(row: BoardRow, phase: PhaseName, at: datetime) -> dict[str, object]:
    start = row.settings.human.start if phase == "test" and row.protocol else "never"
    approval = {"automatic": "approved", "approval": "waiting"}.get(start, "not asked")
    if not row.protocol and phase == "test" and row.settings.submit.results == "when scored":
        # Metrics score at once, and nothing else does.
        return {"approval": approval, "state": "published", "published_at": at}
    return {"approval": approval}


def _item_ids(connection: Connection, row: BoardRow, phase: PhaseName) -> list[int]:
    of_phase = select(board_item.c.id).where(board_item.c.board_id == row.id, board_item.c.phase == phase)
    return list(connection.execute(of_phase.order_by(board_item.c.position)).scalars())


def _ask_for_metrics(connection: Connection, row: BoardRow, submission_id: int, *, author: str) -> None:
    for metric in row.settings.metrics:
        _new_metric(connection, row, submission_id, metric, author=author)


def _new_metric(connection: Connection, row: BoardRow, submission_id: int, metric: str, *, author: str) -> None:
    waiting = {"submission_id": submission_id, "metric": metric, "state": "waiting", "signature": "", "message": ""}
    connection.execute(insert(board_metric).values(waiting))
    ask_for_metric(connection, row, submission_id, metric, author=author)


def owe_new_metrics(connection: Connection, row: BoardRow, before: Sequence[str], *, author: str) -> int | None:
    """That of metrics which a board has now and had not; None if there are none. Who says so here asks for them."""
    if set(row.settings.metrics) <= set(before):
        return None
    return owed.owe(connection, NEW_METRICS, {"board": row.name}, author=author, subject=row.name)


def ask_for_new_metrics(store: Store, name: str, *, author: str) -> None:
    """Have the metrics that a board has now computed for every submission that lacks them, some at a time."""

    def lacking(connection: Connection) -> list[tuple[int, str]]:
        row = find_board(connection, name)
        return [(one, metric) for metric in row.settings.metrics for one in _lacking(connection, row, metric)]

    def piece(connection: Connection, some: Sequence[tuple[int, str]]) -> None:
        row = find_board(connection, name, hold=True)
        for submission_id, metric in some:
            if metric in row.settings.metrics and submission_id in _lacking(connection, row, metric, submission_id):
                _new_metric(connection, row, submission_id, metric, author=author)

    InPieces(store).each(store.read(lacking), piece)


@jobs.register(NEW_METRICS)
def _ask_again(running: Running) -> None:
    ask_for_new_metrics(running.store, running.arguments["board"], author=running.job.author)


def _lacking(connection: Connection, row: BoardRow, metric: str, only: int | None = None) -> Sequence[int]:
    """Submissions without this metric."""
    known = (board_metric.c.submission_id == board_submission.c.id) & (board_metric.c.metric == metric)
    query = (
        select(board_submission.c.id)
        .join(board_system, board_system.c.id == board_submission.c.system_id)
        .where(
            board_submission.c.board_id == row.id,
            board_submission.c.outputs > 0,
            board_system.c.kind == "system",
            ~exists().where(known),
        )
    )
    if only is not None:
        query = query.where(board_submission.c.id == only)
    return connection.execute(query.order_by(board_submission.c.id)).scalars().all()


def ask_for_metric(connection: Connection, row: BoardRow, submission_id: int, metric: str, *, author: str) -> None:
    """Have one metric computed by whoever does the jobs, once more if it was; one job makes all figures of a task."""
    together = metric if figure_of(metric) is None else METRIC
    job = _metric_job(connection, row, submission_id, together, author=author)
    if job.state == "running" and together != metric:  # it may be past the place where it looks what is wanted
        job = _metric_job(connection, row, submission_id, metric, author=author)
    if job.state not in OPEN:
        rerun(connection, job.id, author=author)


def _metric_job(connection: Connection, row: BoardRow, submission_id: int, metric: str, *, author: str) -> jobs.Job:
    return jobs.enqueue(
        connection,
        METRIC_JOB,
        {"submission": submission_id, "metric": metric},
        author=author,
        key=f"{METRIC_JOB}/{submission_id}/{metric}",
        subject=row.name,
    )
