"""Every snippet of the page about notebooks runs, in its order, and prints what the page shows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from goldmark.campaigns.assignments.responses import Submission
from goldmark.campaigns.transfer.export import record_of
from goldmark.exchange.formats import export_campaign
from tests.notebook.server import serving
from tests.web.house import House

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "how-to" / "notebook.md"
README = DOCS.parent / "README.md"
ADDRESS = "https://eval.example.org"


class Snippet(NamedTuple):
    code: str
    prints: str | None
    before: str  # what the page says happens meanwhile


def snippets(page: Path) -> list[Snippet]:
    blocks = re.findall(
        r"(?:^<!-- meanwhile: (.*?) -->\n)?^```(python|text)\n(.*?)^```",
        page.read_text("utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    found: list[Snippet] = []
    for before, kind, body in blocks:
        if kind == "python":
            found.append(Snippet(body, None, before))
        elif found:
            found[-1] = found[-1]._replace(prints=body)
    return found


@pytest.fixture
def somewhere(sqlite_database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[House, str]]:
    """A server, a token for it, and a folder with an exported campaign."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    with serving(sqlite_database) as (house, url):
        monkeypatch.setenv("GOLDMARK_TOKEN", house.tokens["manager"])
        export_campaign(record_of(house.services.store, "zoo"), "jsonl", Path("games.jsonl"))
        yield house, url


def unversioned(text: str) -> str:
    """What was printed, whichever version printed it."""
    return re.sub(r"\|v:\S+", "", text).strip()


def work(house: House, link: str) -> None:
    token = link.rsplit("/", 1)[1]
    while (task := house.services.work.next(token).task) is not None:
        house.services.responses.submit(token, task.id, Submission({"mistakes": []}, f"key-{task.id}", None, 60.0))


def test_the_page_can_be_followed(somewhere: tuple[House, str], capsys: pytest.CaptureFixture[str]) -> None:
    house, url = somewhere
    names: dict[str, Any] = {}
    for snippet in snippets(PAGE):
        if snippet.before == "Ada works":
            work(house, names["links"]["Ada"])
        exec(compile(snippet.code.replace(ADDRESS, url), PAGE.name, "exec"), names)
        printed = capsys.readouterr().out
        if snippet.prints is not None:
            assert unversioned(printed) == unversioned(snippet.prints)
    assert Path("means.svg").is_file()
    assert Path("foxes", "spans.csv").is_file()
    # The means of the items are 4.5, 4 and 5 of alder, and 2.5, 2.5 and 3.5 of birch.
    means = {row["system"]: row["value"] for row in names["results"]["ratings"].to_dicts()}
    assert means == pytest.approx({"alder": 4.5, "birch": 17 / 6})


def test_the_readme_s_snippet_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [
        "system,item,annotator,value",
        *(f"{s},{i},{a},{len(i + a + s) % 5}" for s in ("x", "yy") for i in "123" for a in ("A", "BB")),
    ]
    Path("ratings.csv").write_text("\n".join(rows))
    found = snippets(README)
    assert found
    for snippet in found:
        exec(compile(snippet.code, README.name, "exec"), {})


def test_every_name_is_on_the_page_and_in_the_reference() -> None:
    import goldmark as gm

    page = PAGE.read_text("utf-8")
    reference = (DOCS / "reference" / "notebook.md").read_text("utf-8")
    for name in gm.__all__:
        if name not in ("Result", "Campaign"):
            assert f"gm.{name}" in page, name
        home = getattr(gm, name).__module__
        assert home in reference, name
