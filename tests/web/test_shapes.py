"""The API's shapes: each has a name of its own, a figure has one, and annotators get only what a model names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import is_dataclass
from typing import Any, get_args

from fastapi.routing import APIRoute
from pydantic import BaseModel

from goldmark.records.figures import Figure, Interval
from goldmark.records.tables import Table
from goldmark.web.api import lessons, work
from goldmark.web.api.figures import FigureOut, TableOut
from tests.web.house import one_app


def test_every_shape_has_a_name_of_its_own() -> None:
    shapes = one_app().openapi()["components"]["schemas"]
    assert [name for name in shapes if "__" in name and not name.startswith("Body_")] == []


def test_a_figure_and_a_table_have_one_shape() -> None:
    figure = FigureOut.model_validate(Figure(0.5, Interval(0.4, 0.6), used=12))
    assert figure.model_dump() == {"value": 0.5, "low": 0.4, "high": 0.6, "n": 12, "reason": "", "signature": ""}
    none = FigureOut.model_validate(Figure(None, reason="nobody answered"))
    assert (none.value, none.low, none.reason) == (None, None, "nobody answered")
    table = TableOut.model_validate(Table("Errors", ("system", "errors"), (("oak", 3),), ("a note",), "v:1"))
    assert table.rows == [{"system": "oak", "errors": 3}]
    assert (table.columns, table.notes, table.signature) == (["system", "errors"], ["a note"], "v:1")


def test_annotators_get_models_that_name_every_field_and_never_a_record() -> None:
    """A record may grow a field that is hidden from annotators; a model of its own cannot."""
    routes = [one for one in (*work.router.routes, *lessons.router.routes) if isinstance(one, APIRoute)]
    assert routes
    for route in routes:
        for shape in inside(route.response_model):
            assert not is_dataclass(shape), (route.path, shape)
            assert not hasattr(shape, "_fields"), (route.path, shape)
            if isinstance(shape, type) and issubclass(shape, BaseModel):
                assert shape.__module__.startswith("goldmark.web.api."), (route.path, shape)


def inside(shape: Any) -> Iterator[Any]:
    yield shape
    parts = (
        [field.annotation for field in shape.model_fields.values()]
        if isinstance(shape, type) and issubclass(shape, BaseModel)
        else get_args(shape)
    )
    for part in parts:
        yield from inside(part)
