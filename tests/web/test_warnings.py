"""What other libraries silence for themselves stays silent, whatever other threads do.

Python's filters of warnings belong to the whole process. A thread that silences one has its filters taken away as soon
as another thread restores what it found, as pytest does around every test. FastAPI builds routes in the server's thread
when the first request comes, silencing a warning of pydantic's; as an error, that warning ended whole test runs.
"""

from __future__ import annotations

import warnings

import pytest
from fastapi import FastAPI, Query

from tests.web.house import TestClient


def test_routes_are_built_though_another_thread_restores_the_filters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warnings, "simplefilter", lambda *args, **kwargs: None)  # restored at the worst moment
    app = FastAPI()

    @app.get("/")
    def route(page: int = Query(alias="number")) -> int:
        return page

    assert TestClient(app).get("/", params={"number": 7}).json() == 7
