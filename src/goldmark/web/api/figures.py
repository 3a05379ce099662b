"""The one JSON shape of a figure, and the one of a table of figures. Records become them by themselves."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field, model_validator

from goldmark.records.figures import Figure
from goldmark.records.tables import Table
from goldmark.web.api.inputs import Out
from goldmark.web.computing.computing import Computed


class FigureOut(Out):
    """A figure with its interval. Where there is no value, or no interval, `reason` says why."""

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int | None = Field(default=None, description="How many observations it rests on, where that is known.")
    reason: str = ""
    signature: str = Field(default="", description="How it was computed; empty where the whole reply has one.")

    @model_validator(mode="before")
    @classmethod
    def _of(cls, given: Any) -> Any:
        if not isinstance(given, Figure):
            return given
        low, high = (given.interval.low, given.interval.high) if given.interval else (None, None)
        return {"value": given.value, "low": low, "high": high, "n": given.used, "reason": given.reason}


class TableOut(Out):
    """A table of figures; `x`, `x_low` and `x_high` belong together."""

    title: str
    columns: list[str]
    rows: list[dict[str, str | int | float | bool | None]]
    notes: list[str]
    signature: str

    @model_validator(mode="before")
    @classmethod
    def _of(cls, given: Any) -> Any:
        if not isinstance(given, Table):
            return given
        names = {"title": given.title, "columns": given.columns, "notes": given.notes, "signature": given.signature}
        return {**names, "rows": given.records()}


AsOf = Annotated[
    datetime | None,
    Field(
        default=None,
        description="Of large campaigns, figures may be some minutes older than the newest answer: then, of when. "
        "Decisions are in them at once.",
    ),
]


class Tables(Out):
    tables: list[TableOut]
    as_of: AsOf


def tables_of(made: Computed[list[Table]]) -> dict[str, Any]:
    """The reply of an address that computes tables of a whole campaign."""
    return {"tables": made.found, "as_of": made.as_of}
