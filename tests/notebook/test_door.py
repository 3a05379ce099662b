"""The front door: a dozen names, loaded when they are used, whatever else was imported before."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import goldmark as gm


def python(program: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120
    ).stdout.strip()


def test_importing_loads_next_to_nothing() -> None:
    loaded = json.loads(
        python(
            "import sys; before = set(sys.modules); import goldmark; import json;"
            "print(json.dumps(sorted(set(sys.modules) - before)))"
        )
    )
    ours = [name for name in loaded if name.partition(".")[0] == "goldmark"]
    assert ours == ["goldmark"]
    assert not {"numpy", "scipy", "polars", "pandas", "pydantic", "sqlalchemy", "httpx", "typing"} & set(loaded)


def test_every_name_is_there_and_is_listed() -> None:
    assert 12 <= len(gm.__all__) <= 16
    assert {*dir(gm)} == {*gm.__all__, "__version__"}  # what a notebook offers behind the dot
    assert gm.__all__ == sorted(gm.__all__, key=lambda name: (name.islower(), name))
    for name in gm.__all__:
        assert getattr(gm, name).__doc__
        assert getattr(gm, name) is getattr(gm, name)
    with pytest.raises(AttributeError, match="'goldmark' has no attribute 'aggrement'"):
        gm.aggrement  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize(
    "first",
    [
        "pass",
        pytest.param("from goldmark.results.all_tables import results_of", marks=pytest.mark.slow),
        pytest.param("import goldmark.results.catalogue", marks=pytest.mark.slow),
        "from goldmark.results import all_tables",
    ],
)
def test_results_is_the_function_whatever_was_imported_before(first: str) -> None:
    program = (
        f"{first}\nimport goldmark as gm\nprint(gm.results.__module__)\n"
        "from goldmark.results.catalogue import RESULTS\nprint(callable(gm.results))\n"
        "from goldmark import results, agreement\nprint(results is gm.results)"
    )
    assert python(program).split() == ["goldmark.notebook.results", "True", "True"]


def test_statistics_load_neither_the_server_nor_the_database() -> None:
    program = (
        "import sys, goldmark as gm\n"
        "gm.agreement({'unit': ['a', 'a', 'b', 'b'], 'annotator': ['x', 'y'] * 2, 'value': [1, 1, 2, 1]}).to_dicts()\n"
        "print([name for name in ('fastapi', 'sqlalchemy', 'alembic', 'cyclopts', 'pandas') if name in sys.modules])"
    )
    assert python(program) == "[]"
