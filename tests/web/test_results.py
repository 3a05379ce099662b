"""The page of results and its calls: the same figures as the command, in every format, for managers and curators."""

from __future__ import annotations

import csv
import io
import json
import re
import xml.etree.ElementTree as ElementTree
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from goldmark.campaigns.assignments.responses import Submission
from goldmark.campaigns.definition.file import read_campaign
from goldmark.campaigns.transfer.observe import write_observations
from goldmark.campaigns.transfer.restore import restore
from goldmark.cli import run
from goldmark.observations.filter import COUNTING
from goldmark.people.exclusions import exclude
from goldmark.people.invitations import open_campaign
from goldmark.people.undo_exclusion import undo
from goldmark.results import all_tables as computing
from goldmark.results.catalogue import RESULTS
from goldmark.results.inputs.selection import BY
from goldmark.samples import sample
from goldmark.samples.campaigns import record_of_sample
from goldmark.web.computing.results import RequestedResults, asked, wanted_answers
from tests.campaigns.plans import plan_from_parts
from tests.databases import fresh
from tests.web.house import House, build

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
QA, MARKS = "sample-rating-qa", "sample-accuracy"
CALL = f"/api/v1/campaigns/{QA}/results"


def with_sample(house: House, name: str) -> None:
    found = sample(name)
    restore(house.services.store, record_of_sample(found, read_campaign(found.campaign), NOW), author="test")


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[House, str]]:
    """A house with two sample campaigns, to be read only, and where its database is."""
    address = fresh(tmp_path_factory.mktemp("results"))
    house = build(address)
    with_sample(house, "rating-qa")
    with_sample(house, "accuracy")
    yield house, address
    house.close()


def call(house: House, path: str, role: str = "curator", **params: Any) -> Any:
    return house.program(role).get(path, params=params or None)


# --- the same figures by every door


@pytest.mark.parametrize("name", [QA, MARKS])
def test_api_and_command_give_the_same_bytes(
    filled: tuple[House, str], name: str, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    house, address = filled
    assert run(["campaign", "results", name, "--json", "--database", address]) == 0
    assert call(house, f"/api/v1/campaigns/{name}/results").content == capsysbinary.readouterr().out


def test_api_and_command_choose_alike(filled: tuple[House, str], capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    house, address = filled
    systems = ["alder", "birch"]
    chosen: dict[str, Any] = {"by": "annotator", "system": systems, "annotator": "Ada", "since": "2026-05-03"}
    options = ["--by", "annotator", "--system", "alder", "birch", "--annotator", "Ada", "--since", "2026-05-03"]
    assert run(["campaign", "results", QA, *options, "--json", "--database", address]) == 0
    reply = call(house, CALL, **chosen)
    assert reply.content == capsysbinary.readouterr().out
    rows = {table["name"]: table["rows"] for table in reply.json()["tables"]}["ratings"]
    assert [row["annotator"] for row in rows] == ["Ada"]


def test_the_command_that_the_page_shows_gives_the_same(
    filled: tuple[House, str], capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    house, address = filled
    query = "by=annotator&system=alder&system=birch&with_excluded=true&until=2026-05-05"
    page = house.browser("curator").get(f"/campaigns/{QA}/results?{query}").text
    shown = re.search(r"<code>goldmark (campaign results \S+ --table ratings[^<]*)</code>", page)
    assert shown
    assert run([*shown.group(1).split(), "--json", "--database", address]) == 0
    (table,) = json.loads(capsysbinary.readouterr().out)["tables"]
    assert table == call(house, f"{CALL}/ratings?{query}").json()


def test_csv_read_again_is_the_table(filled: tuple[House, str]) -> None:
    house, _ = filled
    for table in call(house, CALL).json()["tables"]:
        reply = call(house, f"{CALL}/{table['name']}", format="csv")
        assert reply.headers["content-type"] == "text/csv; charset=utf-8"
        rows = list(csv.DictReader(io.StringIO(reply.text)))
        assert len(rows) == len(table["rows"])
        for read, row in zip(rows, table["rows"], strict=True):
            for name, cell in read.items():
                expected = row[name]
                if isinstance(expected, bool):
                    assert cell == str(expected).lower()
                elif isinstance(expected, float):
                    assert float(cell) == expected  # to the last digit
                else:
                    assert cell == ("" if expected is None else str(expected))


def test_one_table_as_json_and_latex(filled: tuple[House, str]) -> None:
    house, _ = filled
    (ratings,) = (one for one in call(house, CALL).json()["tables"] if one["name"] == "ratings")
    assert call(house, f"{CALL}/ratings").json() == ratings
    latex = call(house, f"{CALL}/ratings", format="latex")
    assert r"\toprule" in latex.text
    assert latex.headers["content-disposition"] == f'attachment; filename="{QA}-ratings.tex"'


@pytest.mark.parametrize(
    ("form", "kind", "start"),
    [("svg", "image/svg+xml", b"<?xml"), ("png", "image/png", b"\x89PNG"), ("pdf", "application/pdf", b"%PDF")],
)
def test_pictures_to_download(filled: tuple[House, str], form: str, kind: str, start: bytes) -> None:
    if form != "svg":
        pytest.importorskip("matplotlib")
    reply = call(filled[0], f"{CALL}/ratings/plot", format=form)
    assert reply.headers["content-type"] == kind
    assert reply.content.startswith(start)
    assert "attachment" in reply.headers["content-disposition"]
    if form == "svg":
        ElementTree.fromstring(reply.content)


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("nonsense", 404, "PLUGIN-01"),
        ("errors", 404, "RESULTS-12"),  # nobody marks anything here
        ("exclusions", 404, "RESULTS-12"),
        ("people/plot", 404, "RESULTS-13"),
        ("ratings?by=nonsense", 422, "RESULTS-01"),
        ("ratings?since=2026-02-31", 422, "RESULTS-11"),
        ("ratings?since=yesterday", 422, "REQUEST-01"),
        ("ratings?format=xlsx", 422, "REQUEST-01"),
    ],
)
def test_what_cannot_be_had_says_why(filled: tuple[House, str], path: str, status: int, code: str) -> None:
    reply = call(filled[0], f"{CALL}/{path}")
    assert (reply.status_code, reply.json()["code"]) == (status, code)


def test_no_table_takes_the_place_of_the_report() -> None:
    assert "report" not in RESULTS


# --- the page


def test_a_reader_of_ratings_sees_ratings_first(filled: tuple[House, str]) -> None:
    page = filled[0].browser("curator").get(f"/campaigns/{QA}/results").text
    order = re.findall(r'<article class="result" id="([a-z-]+)"', page)
    assert order[:3] == ["ratings", "distribution", "differences"]
    assert order.index("agreement") < order.index("coverage") < order.index("people")
    assert "alder has the highest mean, 0.99" in page
    assert "82 answers by 3 people, the newest of 2026-05-03." in page
    assert "Nobody is excluded, and every answer counts." in page
    drawn = page.count('class="drawn for-wide"')
    assert drawn >= 6
    assert page.count('<svg class="picture') == 2 * drawn  # for wide and for narrow screens
    assert f"{CALL}/ratings/plot?format=pdf" in page
    assert "figure:mean|over:items" in page
    assert f"goldmark campaign results {QA} --table ratings</code>" in page


def test_the_page_needs_nothing_that_its_policy_forbids(filled: tuple[House, str]) -> None:
    reply = filled[0].browser("curator").get(f"/campaigns/{MARKS}/results")
    assert "style-src 'self'" in reply.headers["content-security-policy"]
    assert not re.search(r"\sstyle=|<style|\son[a-z]+=", reply.text)
    assert re.findall(r"<script[^>]*>([^<]+)", reply.text) == []


def test_choosing_is_kept_in_the_form_and_in_every_link(filled: tuple[House, str]) -> None:
    page = filled[0].browser("curator").get(f"/campaigns/{QA}/results?system=alder&with_tests=true").text
    assert 'name="system" value="alder" checked' in page
    assert 'name="with_tests" value="true" checked' in page
    assert f"{CALL}/ratings?system=alder&amp;with_tests=true&amp;format=csv" in page
    assert f"{CALL}/report?system=alder&amp;with_tests=true" in page
    assert "55 answers are not among those chosen here." in page  # 82 less the 27 on alder


def test_a_choice_that_cannot_be_made_is_told_beside_the_form(filled: tuple[House, str]) -> None:
    reply = filled[0].browser("curator").get(f"/campaigns/{QA}/results?by=nonsense")
    assert reply.status_code == 422
    assert "there is no column &#39;nonsense&#39; to compare by" in reply.text
    assert "<option selected>nonsense</option>" in reply.text
    assert "<article" not in reply.text


def test_nothing_fits_what_was_chosen(filled: tuple[House, str]) -> None:
    page = filled[0].browser("curator").get(f"/campaigns/{QA}/results?until=2020-01-01").text
    assert "No answer fits what was chosen." in page
    assert "82 answers are not among those chosen here." in page


def test_an_empty_campaign_says_what_to_do_next(house: House) -> None:
    plan = plan_from_parts(
        {"campaign": "fresh", "title": "New", "protocol": "rating-qa"}, rows=[{"id": "a", "text": "A."}]
    )
    open_campaign(house.services.store, house.services.links, plan, author="test")
    page = house.browser("manager").get("/campaigns/fresh/results").text
    assert "Nobody has answered yet." in page
    assert '<a href="/campaigns/fresh">Start the campaign</a>' in page
    assert "Start the campaign" not in house.browser("curator").get("/campaigns/fresh/results").text
    assert house.program("curator").get("/api/v1/campaigns/fresh/results").status_code == 200
    assert "Nobody has answered yet" in house.program("curator").get("/api/v1/campaigns/fresh/results/report").text


def test_annotators_and_strangers_see_no_results(house: House) -> None:
    assert house.browser("annotator").get("/campaigns/zoo/results").status_code == 403
    assert house.client(headers={"accept": "text/html"}).get("/campaigns/zoo/results").status_code == 303
    bearer = {"authorization": f"Bearer {house.person}"}
    for path in ("", "/report", "/errors", "/errors/plot"):
        assert house.client(headers=bearer).get(f"/api/v1/campaigns/zoo/results{path}").status_code == 401
        assert house.program("annotator").get(f"/api/v1/campaigns/zoo/results{path}").status_code == 403


def test_curators_are_not_offered_what_only_managers_may_have(filled: tuple[House, str]) -> None:
    offered = f"/campaigns/{QA}/export/tidy"
    assert offered in filled[0].browser("manager").get(f"/campaigns/{QA}/results").text
    assert offered not in filled[0].browser("curator").get(f"/campaigns/{QA}/results").text


# --- one file


def test_the_report_stands_alone(filled: tuple[House, str]) -> None:
    house, _ = filled
    reply = call(house, f"{CALL}/report", system="alder")
    assert reply.headers["content-disposition"] == f'attachment; filename="{QA}-results.html"'
    text = reply.text
    assert not re.search(r"<script|<link|<img|\ssrc=|@import|url\(", text)
    assert set(re.findall(r'https?://[^"\s<]+', text)) <= {"http://www.w3.org/2000/svg"}
    for said in ("Are these answers correct?", "rating-qa/1", "answers until 2026-05-03", "only system alder"):
        assert said in text
    assert f"goldmark campaign results {QA} --table agreement --system=alder" in text
    tables = call(house, CALL, system="alder").json()["tables"]
    for table in tables:
        assert f"<h3>{table['title']}</h3>" in text
        assert table["rows"][0]["signature"] in text
    assert call(house, f"{CALL}/report", system="alder").content == reply.content


def test_files_of_the_command(filled: tuple[House, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    house, address = filled
    report, tables, plots = tmp_path / "r.html", tmp_path / "tables", tmp_path / "plots"
    files = ["--report", str(report), "--tables", str(tables), "--plots", str(plots)]
    command = ["campaign", "results", QA, *files, "--database", address]
    assert run(command) == 0
    assert capsys.readouterr().out == ""
    assert report.read_bytes() == call(house, f"{CALL}/report").content
    assert (tables / "ratings.csv").read_bytes() == call(house, f"{CALL}/ratings", format="csv").content
    assert (tables / "ratings.tex").read_bytes() == call(house, f"{CALL}/ratings", format="latex").content
    assert (plots / "ratings.svg").read_bytes() == call(house, f"{CALL}/ratings/plot").content
    assert not (plots / "people.svg").exists()
    assert run(command) == 1  # nothing is overwritten
    assert "EXCHANGE-11" in capsys.readouterr().err


def test_a_report_with_other_settings_says_so(filled: tuple[House, str], tmp_path: Path) -> None:
    report = tmp_path / "r.html"
    options = ["--seed", "3", "--resamples", "50", "--report", str(report), "--database", filled[1]]
    assert run(["campaign", "results", QA, *options]) == 0
    assert f"goldmark campaign results {QA} --resamples=50 --seed=3</code>" in report.read_text("utf-8")
    assert f"goldmark campaign results {QA} --seed=3</code>" in call(filled[0], f"{CALL}/report", seed=3).text
    refused = call(filled[0], CALL, marks="gold")
    assert (refused.status_code, refused.json()["code"]) == (409, "RESULTS-04")  # nobody has curated it
    assert RequestedResults(BY, COUNTING, "gold", 3).query == "?marks=gold&seed=3"


def test_tidy_tables_in_an_archive(filled: tuple[House, str], tmp_path: Path) -> None:
    house, _ = filled
    reply = call(house, f"/api/v1/campaigns/{QA}/export", "manager", format="tidy")
    archive = zipfile.ZipFile(io.BytesIO(reply.content))
    write_observations(house.services.store, QA, tmp_path / "tidy")
    written = {path.name: path.read_bytes() for path in (tmp_path / "tidy").iterdir()}
    assert {name: archive.read(name) for name in archive.namelist()} == written
    assert house.browser("manager").get(f"/campaigns/{QA}/export/tidy").content == reply.content
    assert f"/campaigns/{QA}/export/tidy" in house.browser("manager").get(f"/campaigns/{QA}/export").text


# --- computed once, and again when something changes


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The campaigns whose results were computed, in that order."""
    seen: list[str] = []
    really = computing.results_of

    def counting(store: Any, name: str, *rest: Any, **more: Any) -> Any:
        seen.append(name)
        return really(store, name, *rest, **more)

    monkeypatch.setattr(computing, "results_of", counting)
    return seen


def test_what_changes_nothing_computes_nothing(house: House, computed: list[str]) -> None:
    for path in ("", "/errors", "/errors/plot", "/report"):
        assert house.program("curator").get(f"/api/v1/campaigns/zoo/results{path}").status_code == 200
    house.browser("curator").get("/campaigns/zoo/results")
    assert computed == ["zoo"]
    house.program("curator").get("/api/v1/campaigns/zoo/results?with_excluded=true")
    assert computed == ["zoo", "zoo"]


def test_whatever_changes_is_seen_at_once(either_house: House, computed: list[str]) -> None:
    house = either_house
    program = house.program("curator")

    def total() -> int:
        tables = program.get("/api/v1/campaigns/zoo/results").json()["tables"]
        return sum(row["total"] for table in tables if table["name"] == "progress" for row in table["rows"][-1:])

    assert total() == 1
    task = house.services.work.next(house.person).task
    assert task is not None
    house.services.responses.submit(house.person, task.id, Submission({"mistakes": []}, "another-key", None, 3.0))
    assert total() == 2
    exclude(house.services.store, "zoo", "Ann", author="test", reason="because")
    assert total() == 0
    assert "1 annotator with 2 responses is excluded" in program.get("/api/v1/campaigns/zoo/results").json()["notes"][0]
    undo(house.services.store, "zoo", "Ann", author="test", reason="after all")
    assert total() == 2
    assert len(computed) == 4


def test_only_the_last_few_are_kept(house: House, computed: list[str]) -> None:
    keeper = house.services.results
    days = [f"2026-01-{day:02}" for day in range(1, 10)]
    for day in days:
        keeper.of("zoo", asked(wanted_answers(since=day)))
    keeper.of("zoo", asked(wanted_answers(since=days[-1])))
    assert len(computed) == 9
    keeper.of("zoo", asked(wanted_answers(since=days[0])))
    assert len(computed) == 10
