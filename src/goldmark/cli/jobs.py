"""`goldmark jobs`: long work, and the workers that do it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import App, Parameter

from goldmark.cli.choices import Count, Flag
from goldmark.cli.output import print_json, talk
from goldmark.cli.place import Database, Json, author, open_database

if TYPE_CHECKING:
    from goldmark.jobs import Job

app = App(name="jobs", help="Long work, and the workers that do it.")

State = Literal["waiting", "running", "done", "failed", "cancelled"]


@app.command
def work(
    *,
    database: Database = None,
    kind: Annotated[tuple[str, ...], Parameter(negative="")] = (),
    processes: Count | None = None,
    dask: str = "",
    until_empty: Flag = False,
    beside_server: Annotated[bool, Parameter(negative="", show=False)] = False,
) -> None:
    """Do jobs until told to stop with Ctrl+C. A job in hand goes back and is taken up by the next worker.

    Start as many as you like, on any machine that reaches the database. `goldmark serve` starts one by itself.

    Parameters
    ----------
    database
        SQLite file or postgresql:// address.
    kind
        Only jobs of this kind; say it several times.
    processes
        How many processes compute a job's pieces. Default: GOLDMARK_PROCESSES, else one for each core.
    dask
        Address of a Dask scheduler that computes the pieces instead. Default: GOLDMARK_DASK.
    until_empty
        Stop when nothing waits any more.
    """
    from goldmark.jobs import Worker
    from goldmark.jobs.fanout import Crew
    from goldmark.web.handlers import load_handlers
    from goldmark.web.workers import end_with_server, stop_politely

    stop_politely()
    if beside_server:
        end_with_server()
    store = open_database(database)
    crew = Crew.from_environment(processes=processes, dask=dask)
    try:
        load_handlers()
        worker = Worker(store, crew=crew, kinds=kind, say=talk)
        if until_empty:
            talk(f"{worker.run_until_empty()} jobs done")
        else:
            worker.run_forever()
    except KeyboardInterrupt:
        if not beside_server:
            talk("stopped; what was in hand goes back")
    finally:
        crew.close()
        store.close()


@app.command(name="list")
def list_jobs(
    *,
    database: Database = None,
    state: Annotated[tuple[State, ...], Parameter(negative="")] = (),
    kind: str = "",
    subject: str = "",
    most: Count = 50,
    json: Json = False,
) -> None:
    """The newest jobs first: what they are about, how far they are, how they ended.

    Parameters
    ----------
    database
        SQLite file or postgresql:// address.
    state
        Only jobs in this state; say it several times.
    kind
        Only jobs of this kind.
    subject
        Only jobs about this.
    most
        How many.
    json
        Data for machines on standard output.
    """
    from goldmark.jobs.queue import listing

    store = open_database(database)
    found = store.read(
        lambda connection: listing(connection, states=state, kind=kind or None, subject=subject or None, most=most)
    )
    store.close()
    if json:
        print_json({"jobs": [as_data(one) for one in found]})
        return
    for one in found:
        print(_line(one))
    if not found:
        talk("there are no such jobs")


@app.command
def show(number: int, *, database: Database = None, follow: Flag = False, json: Json = False) -> None:
    """Everything about one job.

    Parameters
    ----------
    number
        The number of the job.
    database
        SQLite file or postgresql:// address.
    follow
        Watch it until it has ended.
    json
        Data for machines on standard output.
    """
    from goldmark.jobs.queue import find

    store = open_database(database)
    if follow:
        from goldmark.cli.following import follow as watch

        watch(store, number)
    one = store.read(lambda connection: find(connection, number))
    store.close()
    if json:
        print_json(as_data(one))
        return
    for key, value in as_data(one).items():
        if value not in (None, ""):
            print(f"{key:>13}  {value}")


@app.command
def cancel(number: int, *, reason: str = "", database: Database = None, json: Json = False) -> None:
    """Do not begin a job, or stop it where it is.

    Parameters
    ----------
    number
        The number of the job.
    reason
        Why; kept in the history.
    database
        SQLite file or postgresql:// address.
    json
        Data for machines on standard output.
    """
    from goldmark.jobs import queue

    store = open_database(database)
    one = store.write(lambda connection: queue.cancel(connection, number, author=author(), reason=reason))
    store.close()
    _told(one, json)


@app.command
def rerun(number: int, *, reason: str = "", database: Database = None, json: Json = False) -> None:
    """Do a job again from the beginning, after it failed, was cancelled or was done.

    Parameters
    ----------
    number
        The number of the job.
    reason
        Why; kept in the history.
    database
        SQLite file or postgresql:// address.
    json
        Data for machines on standard output.
    """
    from goldmark.jobs import queue

    store = open_database(database)
    one = store.write(lambda connection: queue.rerun(connection, number, author=author(), reason=reason))
    store.close()
    _told(one, json)


def as_data(job: Job) -> dict[str, Any]:
    """A job for machines."""
    from dataclasses import asdict
    from datetime import datetime

    facts = {key: value.isoformat() if isinstance(value, datetime) else value for key, value in asdict(job).items()}
    return {**facts, "share": job.share}


def _told(job: Job, json: bool) -> None:
    if json:
        print_json(as_data(job))
    else:
        talk(_line(job))


def _line(job: Job) -> str:
    share = "" if job.share is None or job.state == "done" else f" {job.share:.0%}"
    said = (job.error or "").splitlines()[0] if job.error else job.message
    parts = [f"{job.id:>6}", f"{job.state + share:<13}", job.kind, job.subject, said]
    return "  ".join(part for part in parts if part.strip())
