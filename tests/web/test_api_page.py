"""The page about the API names every call, the role that it takes, and says of it what the API itself says."""

from __future__ import annotations

from pathlib import Path

from tests.web.house import House
from tests.web.roles import CALLS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "api.md"


def test_every_call_is_on_the_page(shared_house: House) -> None:
    page = PAGE.read_text(encoding="utf-8").splitlines()
    expected = set()
    for path, methods in shared_house.app.openapi()["paths"].items():
        for method, operation in methods.items():
            known = CALLS.get((method.upper(), path))
            role = f" {known[0].title} |" if known else ""
            call = f"{method.upper()} {path.removeprefix('/api/v1')}"
            expected.add(f"| `{call}` |{role} {operation['description'].splitlines()[0]} |")
    assert {line for line in page if line.startswith("| `") and "/" in line.split("`")[1]} == expected
