"""The example of every group of plug-ins, installed as anybody would install it and used through the command."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

import httpx
import pytest

from goldmark.plugins import GROUPS

REPOSITORY = Path(__file__).resolve().parents[1]
EXAMPLE = REPOSITORY / "examples" / "plugins"
MODULES = EXAMPLE / "goldmark_example"
PAGES = ("reference/plugins", "how-to/write-a-checker", "how-to/write-a-metric", "how-to/add-a-question-kind")
PROTOCOL = """
protocol: fluency/1
title: How fluent is it?
steps:
  - questions:
      - {id: fluency, kind: slider, ask: How does it read?, left: clumsy, right: fluent}
      - {id: why, kind: text, ask: Why?}
"""
CAMPAIGN = "campaign: fluency\nprotocol: fluency.yaml\ntexts: texts.lines\nlabels_per_unit: 2\n"
PROGRAM = """
import contextlib, io, json, os, sys
from goldmark.cli import run
for line in sys.stdin:
    folder, words = json.loads(line)
    os.chdir(folder)
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as error:
        code = run(words)
    print(json.dumps([code, out.getvalue(), error.getvalue()]), flush=True)
"""
ANSWERS = "unit,annotator,fluency,why\n1,Ann,80,It is short.\n2,Ann,30,Nobody talks like that today.\n"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a Python that has the package, which nobody else sees."""
    target = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*pip, "--no-build-isolation", "--target", str(target), str(EXAMPLE)], check=True, timeout=300)
    path = [str(target), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, path))}


Run = Callable[[Path, Sequence[str]], str]


@pytest.fixture(scope="module")
def run(installed: dict[str, str]) -> Iterator[Run]:
    """Runs a command in a folder and gives what it printed; one Python runs all, as to start takes longest."""
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM], env=installed, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as python:
        assert python.stdin is not None
        assert python.stdout is not None

        def run(folder: Path, words: Sequence[str]) -> str:
            print(json.dumps([str(folder), words]), file=python.stdin, flush=True)
            code, out, error = json.loads(cast(Any, python.stdout).readline())
            assert code == 0, error
            return str(out)

        yield run
        python.stdin.close()


@pytest.fixture
def goldmark(run: Run, tmp_path: Path) -> Callable[..., str]:
    """Runs a command in a folder of this test's own."""
    return lambda *words: run(tmp_path, words)


def test_the_package_has_one_for_every_group_and_all_can_be_used(goldmark: Callable[..., str]) -> None:
    rows = json.loads(goldmark("plugin", "list", "--json"))["plugins"]
    ours = [row for row in rows if row["distribution"] == "goldmark-example"]
    assert [row["group"] for row in ours] == sorted(GROUPS)
    assert all(row["usable"] and row["purpose"] and row["version"] == "1.0" for row in ours), ours


def test_a_checker(goldmark: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "A.txt").write_text("The red fox saw a blue bird .", encoding="utf-8")
    (tmp_path / "colours.txt").write_text("red green", encoding="utf-8")
    goldmark("check", "run", "colours", "--source", "colours=colours.txt", "--texts", "texts", "--out", "found.csv")
    assert "blue" in (tmp_path / "found.csv").read_text(encoding="utf-8")


def test_a_metric(goldmark: Callable[..., str], tmp_path: Path) -> None:
    rows = [{"id": "1", "output": "one two three"}, {"id": "2", "output": "one"}]
    (tmp_path / "outputs.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    found = json.loads(goldmark("metrics", "compute", "outputs.jsonl", "--metrics", "length", "--json"))
    assert '"value": 2.0' in json.dumps(found)


def test_a_tagger(goldmark: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_text(
        '{"id": "1", "text": "the government had a notion of kindness"}', encoding="utf-8"
    )
    goldmark("prepare", "words", "corpus.jsonl", "--tagger", "endings", "--band", "0", "1", "--out", "words.jsonl")
    found = [json.loads(line)["id"] for line in (tmp_path / "words.jsonl").read_text(encoding="utf-8").splitlines()]
    assert sorted(found) == ["government", "kindness", "notion"]


def test_a_reader_a_tokeniser_and_a_splitter(goldmark: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "texts.lines").write_text("日本 ; 東京\nzwei\n", encoding="utf-8")
    shown = goldmark("text", "show", "texts.lines", "--tokeniser", "letters", "--sentences", "clauses")
    assert "text: 5 tokens, 2 sentences (tokeniser letters)\n   1  日 本 ;\n   2  東 京\n" in shown


def test_a_format_of_gold_lists(goldmark: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "A.txt").write_text("The red fox saw a blue bird .", encoding="utf-8")
    (tmp_path / "gold.tab").write_text("A\t6\t7\tNAME\n", encoding="utf-8")
    goldmark("curation", "import", "gold.tab", "--texts", "texts", "--out", "gold.csv", "--format", "tabs")
    assert ",blue bird," in (tmp_path / "gold.csv").read_text(encoding="utf-8")
    goldmark("curation", "export", "gold.csv", "--texts", "texts", "--out", "again.tab", "--format", "tabs")
    assert (tmp_path / "again.tab").read_bytes() == (tmp_path / "gold.tab").read_bytes()


def test_a_task_of_leaderboards(goldmark: Callable[..., str], tmp_path: Path) -> None:
    rows = [{"id": str(n), "context": {"Question": f"Is {n} even?"}, "answer": {"yes": n % 2 == 0}} for n in range(3)]
    (tmp_path / "items.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (tmp_path / "answers.jsonl").write_text("\n".join(f'{{"id": "{n}", "yes": true}}' for n in range(3)))
    file = "leaderboard: even\ndata: {items: items.jsonl, task: yes-no}\nmetrics: ['task:figure=accuracy']\n"
    (tmp_path / "leaderboard.yaml").write_text(file, encoding="utf-8")
    goldmark("leaderboard", "create", "leaderboard.yaml")
    goldmark("leaderboard", "submit", "even", "answers.jsonl", "--system", "Yes", "--team", "Optimists")
    goldmark("jobs", "work", "--until-empty")
    standings = json.loads(goldmark("leaderboard", "standings", "even", "--all", "--json"))
    [row] = standings["tables"][0]["rows"]
    assert row["task:figure=accuracy"] == pytest.approx(2 / 3)


def test_a_source_of_datasets(goldmark: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "starred").mkdir()
    (tmp_path / "starred" / "A.txt").write_text("The red fox *read a book .", encoding="utf-8")
    goldmark("dataset", "import", "starred", "starred", "--out", "set", "--split", "1:0:0")
    (row,) = map(json.loads, (tmp_path / "set" / "jsonl" / "train.jsonl").read_text(encoding="utf-8").splitlines())
    assert [one["text"] for one in row["errors"]] == ["read"]


class Campaign(NamedTuple):
    """A campaign that asks with the example's kind of question about texts that its reader read."""

    folder: Path
    links: dict[str, str]


@pytest.fixture(scope="module")
def campaign(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    folder = tmp_path_factory.mktemp("campaign")
    (folder / "fluency.yaml").write_text(PROTOCOL, encoding="utf-8")
    (folder / "campaign.yaml").write_text(CAMPAIGN, encoding="utf-8")
    (folder / "texts.lines").write_text("A hen sat.\nLo, yonder hen did sit.\n", encoding="utf-8")
    (folder / "answers.csv").write_text(ANSWERS, encoding="utf-8")
    created = json.loads(run(folder, ["campaign", "create", "campaign.yaml", "--start", "--json"]))
    run(folder, ["campaign", "import-answers", "fluency", "answers.csv"])
    return Campaign(folder, created["links"])


def test_a_kind_of_question_a_format_and_a_table(run: Run, campaign: Campaign) -> None:
    run(campaign.folder, ["campaign", "export", "fluency", "answers.md", "--format", "markdown"])
    written = (campaign.folder / "answers.md").read_text(encoding="utf-8")
    assert "## 2\n\n> Lo, yonder hen did sit.\n\n- **Ann** fluency: 30; why: Nobody talks like that today.\n" in written
    words = ["table", "answer-length", "--campaign", "fluency", "--by", "annotator", "--format", "csv"]
    # "It is short." and "Nobody talks like that today.": 3 and 5 words
    assert "Ann,4.0,2" in run(campaign.folder, words)
    everything = json.loads(run(campaign.folder, ["campaign", "results", "fluency", "--json"]))
    assert {"ratings", "answer-length"} <= {one["name"] for one in everything["tables"]}


@pytest.fixture
def visitor(campaign: Campaign, installed: dict[str, str]) -> Iterator[httpx.Client]:
    """Somebody at the pages of a server that was started by the command."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "goldmark", "serve", "--port", str(port)]
    server = subprocess.Popen(command, env=installed, cwd=campaign.folder, stderr=subprocess.DEVNULL)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=120) as client:
            for _ in range(3000):
                try:
                    client.get("/healthz")
                    break
                except httpx.TransportError:
                    time.sleep(0.1)
            yield client
    finally:
        server.terminate()
        server.wait(timeout=60)


@pytest.mark.slow
def test_a_connector_and_what_draws_a_kind_of_question(visitor: httpx.Client, campaign: Campaign, run: Run) -> None:
    invite = campaign.links["anyone"].partition("/join/")[2]
    joined = visitor.post(f"/join/{invite}?survey_code=4711")
    page = visitor.get(joined.headers["location"]).text
    assert page.index("/js/kinds/slider.js") < page.index("/js/work.js")  # known before it is asked for
    script = visitor.get("/static/js/kinds/slider.js")
    assert script.text == (MODULES / "slider.js").read_text(encoding="utf-8")
    assert script.headers["content-type"].startswith("text/javascript")
    paths = visitor.get("/api/v1/openapi.json").json()["paths"]
    parameters = {one["name"]: one for one in paths["/api/v1/campaigns/{name}/export"]["get"]["parameters"]}
    assert "markdown" in parameters["format"]["schema"]["enum"]
    assert "\tsona\t4711" in run(campaign.folder, ["annotators", "platform-ids", "fluency"])


@pytest.mark.parametrize("path", sorted([*MODULES.rglob("*.py"), *MODULES.glob("*.js")]), ids=lambda path: path.name)
def test_the_documentation_shows_it_as_it_is(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    pages = [(REPOSITORY / "docs" / f"{page}.md").read_text(encoding="utf-8") for page in PAGES]
    assert path == MODULES / "__init__.py" or any(f"\n{source}```" in page for page in pages)
