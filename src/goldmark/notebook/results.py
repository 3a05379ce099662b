"""Every figure of a campaign or of rows in a notebook: those of the page Results and of `goldmark campaign results`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from goldmark.errors import GoldmarkError
from goldmark.notebook.arguments import check, frame_of, listed
from goldmark.notebook.campaigns import Asked, Campaign, ResultsRequest, of_tables, protocol_of, read_campaign
from goldmark.notebook.result import NoSuchTable, Result
from goldmark.observations.given_tables import given
from goldmark.observations.schema import TABLES
from goldmark.records.tidy.columns import Frame
from goldmark.results.all_tables import Marks, Results
from goldmark.results.catalogue import RESULTS
from goldmark.results.inputs.selection import chosen
from goldmark.results.options import AnalysisOptions
from goldmark.results.output.files import picture_bytes

# By which columns the rows of a table of observations are known; the first that fits is it.
KNOWN_BY: Sequence[tuple[str, set[str]]] = (
    ("spans", {"start", "end"}),
    ("comparisons", {"a", "b", "preferred"}),
    ("ratings", {"value"}),
    ("ratings", {"score"}),
    ("words", {"words"}),
    ("choices", {"label"}),
)


class WhichTable(GoldmarkError):
    code = "NOTEBOOK-08"
    message = "the columns {columns} do not tell what these rows are; name it: results(ratings=data), or one of {known}"


def results(
    data: object = None,
    /,
    *,
    table: str | Sequence[str] = (),
    by: str = "system",
    system: str | Sequence[str] = (),
    condition: str | Sequence[str] = (),
    annotator: str | Sequence[str] = (),
    since: datetime | None = None,
    until: datetime | None = None,
    marks: Marks = "raw",
    with_excluded: bool = False,
    with_tests: bool = False,
    with_models: bool = False,
    protocol: Asked = None,
    names: Mapping[str, str] | None = None,
    resamples: int = 2000,
    alpha: float = 0.05,
    seed: int = 17,
    **observations: object,
) -> Result:
    """Every figure of a campaign, or of rows that you have: means, shares, errors, win rates, agreement, people.

    Args:
        data: A campaign (see `read_campaign`), an exported folder, or rows: ratings (`system`, `item`, `annotator`,
            `value`), choices (`label`), spans (`start`, `end`), comparisons (`a`, `b`, `preferred`) or words.
        table: Only these tables, such as ratings or agreement.
        by: What is compared: system, condition, annotator, or any other column.
        system: Only outputs of these systems.
        condition: Only people of these conditions.
        annotator: Only answers of these people.
        since: Only answers from this moment on (UTC).
        until: Only answers before this moment (UTC).
        marks: Count everybody's marks (`raw`), or the errors of finished gold lists (`gold`).
        with_excluded: Let excluded annotators count.
        with_tests: Let test questions count too.
        with_models: Let models and checkers that annotate count too.
        protocol: What was asked, where rows do not tell: a name, a path, or what `load_protocol` gave.
        names: What your rows call our columns: `{"annotator": "worker"}`.
        resamples: How often to resample for the intervals.
        alpha: Below which corrected p-value a difference is significant.
        seed: Where resampling starts.
        **observations: Several tables of rows by their names: `ratings=`, `choices=`, `spans=`, `comparisons=`,
            `words=`, `texts=`, `people=`.

    Returns:
        A table for each thing there is to say, such as `["ratings"]` and `["agreement"]`. The same as the page Results
        and as `goldmark campaign results`.
    """
    check(seed, resamples, marks=(marks, Marks))
    only = [RESULTS.find(one).same_as or one for one in listed(table)]
    answers = chosen(
        systems=listed(system),
        conditions=listed(condition),
        annotators=listed(annotator),
        since=since,
        until=until,
        excluded=with_excluded,
        tests=with_tests,
        models=with_models,
    )
    campaign = _campaign(data, observations, protocol, names or {})
    return of_results(
        campaign.compute(ResultsRequest(AnalysisOptions(resamples, seed, alpha=alpha), by, only, answers, marks)), only
    )


def of_results(found: Results, only: Sequence[str] = ()) -> Result:
    """Computed results as a notebook has them; a table that was asked for by name and is not there is told."""
    named = {one.name: one for one in found.tables}
    for name in only:
        if name not in named:
            raise NoSuchTable(name=name, why=f" ({found.reasons[name]})", known=", ".join(named) or "none")
    return Result(
        {name: one.table for name, one in named.items()},
        found.notes,
        several=len(only) != 1,
        reasons=found.reasons,
        draw=lambda name, form: picture_bytes(found, named[name], form),
    )


def _campaign(data: object, observations: Mapping[str, object], protocol: Asked, names: Mapping[str, str]) -> Campaign:
    if isinstance(data, Campaign):
        return data
    if isinstance(data, str | Path) and (Path(data).is_dir() or Path(data).suffix.lower() == ".zip"):
        return read_campaign(data, protocol=protocol)
    unknown = [name for name in observations if name not in TABLES]
    if unknown:
        raise TypeError(f"results() has no argument {unknown[0]!r}; tables of observations are {', '.join(TABLES)}")
    frames = {name: frame_of(rows, name) for name, rows in observations.items()}
    if data is not None:
        frame = frame_of(data)
        frames[_which(frame, names)] = frame
    return of_tables(given(frames, names, protocol=protocol_of(protocol)))


def _which(frame: Frame, names: Mapping[str, str]) -> str:
    ours = {theirs: name for name, theirs in names.items()}
    columns = {ours.get(name, name) for name in frame.cells}
    for table, known_by in KNOWN_BY:
        if known_by <= columns:
            return table
    raise WhichTable(columns=", ".join(frame.cells) or "(none)", known=", ".join(TABLES))
