"""Results for pages and API: what was asked for, and what was computed lately, so that a download computes nothing.

What computes them is loaded when it is first asked for: a server should not wait for it before its first page.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple
from urllib.parse import urlencode

from fastapi import Depends, Query

from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.errors import GoldmarkError, Missing
from goldmark.observations.filter import Filter
from goldmark.results.inputs.selection import BY, chosen, parameters
from goldmark.web.computing.computing import Computing, Opened

if TYPE_CHECKING:
    from goldmark.results.all_tables import NamedTable, Results
    from goldmark.results.inputs.filter_options import FilterOptions

SEED = 17  # that of the command

Name = Annotated[str, Query(max_length=300, pattern=r"^[^\x00]*$")]
Names = Annotated[list[Annotated[str, Query(max_length=300, pattern=r"^[^\x00]*$")]], Query(max_length=1000)]
Day = Annotated[str, Query(pattern=r"^([0-9]{4}-[0-9]{2}-[0-9]{2})?$")]


class NoSuchDay(GoldmarkError):
    code = "RESULTS-11"
    message = "{day!r} is not a day; write it as 2026-11-30"


class NothingToSay(Missing):
    code = "RESULTS-12"
    message = "the table {table!r} of {campaign!r} has no rows yet{why}"


class NotDrawn(Missing):
    code = "RESULTS-13"
    message = "the table {table!r} is read, not drawn; get it as csv, latex or json"


@dataclass(frozen=True)
class RequestedResults:
    """What somebody wants to see."""

    by: str
    wanted: Filter
    marks: Literal["raw", "gold"] = "raw"
    seed: int = SEED

    @property
    def _besides(self) -> dict[str, str]:
        told = {"marks": self.marks, "seed": str(self.seed)}
        return {name: value for name, value in told.items() if value not in ("raw", str(SEED))}

    @property
    def options(self) -> list[str]:
        """What the command would be told besides which answers are wanted."""
        return [f"--{name}={value}" for name, value in self._besides.items()]

    @property
    def query(self) -> str:
        """As the end of an address: empty for everything that counts, by system."""
        pairs = [*parameters(self.by, self.wanted), *self._besides.items()]
        return f"?{urlencode(pairs)}" if pairs else ""


def wanted_answers(
    system: Annotated[Names, Query(description="Only outputs of these systems.")] = [],  # noqa: B006
    condition: Annotated[Names, Query(description="Only people of these conditions.")] = [],  # noqa: B006
    annotator: Annotated[Names, Query(description="Only answers of these people.")] = [],  # noqa: B006
    since: Annotated[Day, Query(description="Only answers from this day on (UTC).")] = "",
    until: Annotated[Day, Query(description="Only answers before this day (UTC).")] = "",
    with_excluded: Annotated[bool, Query(description="Let excluded annotators count.")] = False,
    with_tests: Annotated[bool, Query(description="Let test questions count too.")] = False,
    with_models: Annotated[bool, Query(description="Let models and checkers that annotate count too.")] = False,
) -> Filter:
    """The same choices for pages and API, under the names that the command has."""
    return chosen(
        systems=[one for one in system if one],
        conditions=[one for one in condition if one],
        annotators=[one for one in annotator if one],
        since=_day(since),
        until=_day(until),
        excluded=with_excluded,
        tests=with_tests,
        models=with_models,
    )


FilterDep = Annotated[Filter, Depends(wanted_answers)]


def asked(
    wanted: FilterDep,
    by: Annotated[Name, Query(description="What is compared: system, condition, annotator, or a hidden fact.")] = BY,
    marks: Annotated[
        Literal["raw", "gold"], Query(description="Count everybody's marks, or the errors of finished gold lists.")
    ] = "raw",
    seed: Annotated[int, Query(ge=0, le=2**53, description="Where resampling starts.")] = SEED,
) -> RequestedResults:
    return RequestedResults(by or BY, wanted, marks, seed)


def _day(given: str) -> datetime | None:
    try:
        return datetime.fromisoformat(given) if given else None
    except ValueError:
        raise NoSuchDay(day=given) from None


AskedDep = Annotated[RequestedResults, Depends(asked)]


class FoundResults(NamedTuple):
    campaign: CampaignRow
    results: Results
    choices: FilterOptions
    as_of: datetime | None = None  # if people have answered since


def _compute(opened: Opened, name: str, asked: RequestedResults) -> tuple[Results, FilterOptions]:
    from goldmark.results.all_tables import results_of
    from goldmark.results.inputs.filter_options import choices_of
    from goldmark.results.options import AnalysisOptions

    settings = AnalysisOptions(seed=asked.seed)
    results = results_of(opened.store, name, settings, by=asked.by, wanted=asked.wanted, marks=asked.marks)
    return results, choices_of(opened.store, name)


class ResultsKeeper:
    """Results of campaigns; the last few are kept, so that a table can be looked at and downloaded at once."""

    def __init__(self, computing: Computing) -> None:
        self._computing = computing

    def of(self, name: str, asked: RequestedResults, *, as_shown: bool = False) -> FoundResults:
        """With `as_shown`, those of a page that is open: its pictures are of the same answers as its tables."""
        made = self._computing.of(name, _compute, asked, small=True, as_shown=as_shown)
        return FoundResults(made.campaign, *made.found, made.as_of)

    def table(
        self, name: str, asked: RequestedResults, table: str, *, as_shown: bool = False
    ) -> tuple[FoundResults, NamedTable]:
        """The results and one table of them, or why it is not there."""
        from goldmark.results.catalogue import RESULTS

        found = self.of(name, asked, as_shown=as_shown)
        one = next((one for one in found.results.tables if one.name == table), None)
        if one is None:
            known = table if table == "exclusions" else RESULTS.find(table).name
            why = " that fit what was chosen" if asked.query else ""
            raise NothingToSay(table=known, campaign=name, why=why)
        return found, one
