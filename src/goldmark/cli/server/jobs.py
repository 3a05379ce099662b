"""`goldmark jobs`: long work, and the workers that do it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import App, Parameter

from goldmark.cli.options import Call, Count, Flag, OnDatabase, Reason
from goldmark.cli.output import emit, plain
from goldmark.cli.store import author, opened
from goldmark.records.figures import counted

if TYPE_CHECKING:
    from goldmark.jobs import Job

app = App(name="jobs", help="Long work, and the workers that do it.")

State = Literal["waiting", "running", "done", "failed", "cancelled"]
Number = Annotated[int, Parameter(help="The number of the job.")]


@app.command
def work(
    *,
    call: OnDatabase = OnDatabase(),
    kind: Annotated[tuple[str, ...], Parameter(negative="", help="Only jobs of this kind; say it several times.")] = (),
    processes: Annotated[
        Count | None,
        Parameter(
            help="How many processes compute a job's pieces. Default: GOLDMARK_PROCESSES, else one for each core."
        ),
    ] = None,
    dask: Annotated[
        str, Parameter(help="Address of a Dask scheduler that computes the pieces instead. Default: GOLDMARK_DASK.")
    ] = "",
    until_empty: Annotated[Flag, Parameter(help="Stop when nothing waits any more.")] = False,
    beside_server: Annotated[bool, Parameter(negative="", show=False)] = False,
) -> None:
    """Do jobs until told to stop with Ctrl+C. A job in progress goes back and is taken up by the next worker.

    Start as many as you like, on any machine that reaches the database. `goldmark serve` starts one by itself.
    """
    from goldmark.jobs import Worker
    from goldmark.jobs.fanout import WorkerPool
    from goldmark.web.runtime.handlers import load_handlers
    from goldmark.web.runtime.logs import teller
    from goldmark.web.runtime.workers import end_with_server, stop_politely

    say = teller()
    stop_politely()
    if beside_server:
        end_with_server()
    with opened(call) as store, WorkerPool.from_environment(processes=processes, dask=dask) as pool:
        try:
            worker = Worker(store, pool=pool, kinds=kind, say=say, load=load_handlers)
            if until_empty:
                say(f"{counted(worker.run_until_empty(), 'job')} done")
            else:
                worker.run_forever()
        except KeyboardInterrupt:
            if not beside_server:
                say("stopped; what was in progress goes back")


@app.command(name="list")
def list_jobs(
    *,
    state: Annotated[
        tuple[State, ...], Parameter(negative="", help="Only jobs in this state; say it several times.")
    ] = (),
    kind: Annotated[str, Parameter(help="Only jobs of this kind.")] = "",
    subject: Annotated[str, Parameter(help="Only jobs about this.")] = "",
    most: Annotated[Count, Parameter(help="How many.")] = 50,
    call: Call = Call(),
) -> None:
    """The newest jobs first: what they are about, how far they are, how they ended."""
    from goldmark.jobs import queue

    with opened(call) as store:
        found = store.read(
            lambda open_: queue.listing(open_, states=state, kind=kind or None, subject=subject or None, most=most)
        )
    said = () if found else ("there are no such jobs",)
    emit(call, {"jobs": [_data(one) for one in found]}, *said, lines=map(_line, found))


@app.command
def show(
    number: Number,
    *,
    follow: Annotated[Flag, Parameter(help="Watch it until it has ended.")] = False,
    call: Call = Call(),
) -> None:
    """Everything about one job."""
    from goldmark.jobs import queue

    with opened(call) as store:
        if follow:
            from goldmark.cli.progress import follow as watch

            watch(store, number)
        facts = _data(store.read(lambda open_: queue.find(open_, number)))
    emit(call, facts, lines=(f"{key:>13}  {value}" for key, value in facts.items() if value not in (None, "")))


@app.command
def cancel(number: Number, *, reason: Reason = "", call: Call = Call()) -> None:
    """Do not begin a job, or stop it where it is."""
    from goldmark.jobs import queue

    with opened(call) as store:
        one = store.write(lambda open_: queue.cancel(open_, number, author=author(), reason=reason))
    emit(call, _data(one), _line(one))


@app.command
def rerun(number: Number, *, reason: Reason = "", call: Call = Call()) -> None:
    """Do a job again from the beginning, after it failed, was cancelled or was done."""
    from goldmark.jobs import queue

    with opened(call) as store:
        one = store.write(lambda open_: queue.rerun(open_, number, author=author(), reason=reason))
    emit(call, _data(one), _line(one))


def _data(job: Job) -> dict[str, Any]:
    return {**plain(job), "share": job.share}


def _line(job: Job) -> str:
    share = "" if job.share is None or job.state == "done" else f" {job.share:.0%}"
    said = (job.error or "").splitlines()[0] if job.error else job.message
    parts = [f"{job.id:>6}", f"{job.state + share:<13}", job.kind, job.subject, said]
    return "  ".join(part for part in parts if part.strip())
