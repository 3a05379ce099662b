"""The example of every group of plug-ins, installed as anybody would install it and used through the command."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

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
ANSWERS = "unit,annotator,fluency,why\n1,Ann,80,It is short.\n2,Ann,30,Nobody talks like that today.\n"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a Python that has the package, which nobody else sees."""
    target = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*pip, "--no-build-isolation", "--target", str(target), str(EXAMPLE)], check=True, timeout=300)
    path = [str(target), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, path))}


@pytest.fixture
def goldmark(installed: dict[str, str], tmp_path: Path) -> Callable[..., str]:
    """Runs a command in a folder of its own and gives what it printed."""

    def run(*words: str) -> str:
        command = [sys.executable, "-m", "goldmark", *words]
        done = subprocess.run(command, env=installed, cwd=tmp_path, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


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


@pytest.fixture
def campaign(goldmark: Callable[..., str], tmp_path: Path) -> dict[str, Any]:
    """A campaign that asks with the example's kind of question about texts that its reader read."""
    (tmp_path / "fluency.yaml").write_text(PROTOCOL, encoding="utf-8")
    (tmp_path / "campaign.yaml").write_text(CAMPAIGN, encoding="utf-8")
    (tmp_path / "texts.lines").write_text("A hen sat.\nLo, yonder hen did sit.\n", encoding="utf-8")
    (tmp_path / "answers.csv").write_text(ANSWERS, encoding="utf-8")
    created: dict[str, Any] = json.loads(goldmark("campaign", "create", "campaign.yaml", "--start", "--json"))
    goldmark("campaign", "import-answers", "fluency", "answers.csv")
    return created


@pytest.mark.usefixtures("campaign")
def test_a_kind_of_question_a_format_and_a_table(goldmark: Callable[..., str], tmp_path: Path) -> None:
    goldmark("campaign", "export", "fluency", "answers.md", "--format", "markdown")
    written = (tmp_path / "answers.md").read_text(encoding="utf-8")
    assert "## 2\n\n> Lo, yonder hen did sit.\n\n- **Ann** fluency: 30; why: Nobody talks like that today.\n" in written
    table = goldmark("table", "answer-length", "--campaign", "fluency", "--by", "annotator", "--format", "csv")
    assert "Ann,4.0,2" in table  # "It is short." and "Nobody talks like that today.": 3 and 5 words
    everything = json.loads(goldmark("campaign", "results", "fluency", "--json"))
    assert {"ratings", "answer-length"} <= {one["name"] for one in everything["tables"]}


@pytest.fixture
def visitor(campaign: dict[str, Any], installed: dict[str, str], tmp_path: Path) -> Iterator[httpx.Client]:
    """Somebody at the pages of a server that was started by the command."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "goldmark", "serve", "--port", str(port)]
    server = subprocess.Popen(command, env=installed, cwd=tmp_path, stderr=subprocess.DEVNULL)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=120) as client:
            for _ in range(600):
                try:
                    client.get("/healthz")
                    break
                except httpx.TransportError:
                    time.sleep(0.1)
            yield client
    finally:
        server.terminate()
        server.wait(timeout=60)


def test_a_connector_and_what_draws_a_kind_of_question(
    visitor: httpx.Client, campaign: dict[str, Any], goldmark: Callable[..., str]
) -> None:
    invite = campaign["links"]["anyone"].partition("/join/")[2]
    joined = visitor.post(f"/join/{invite}?survey_code=4711")
    page = visitor.get(joined.headers["location"]).text
    assert page.index("/static/js/kinds/slider.js") < page.index("/static/js/work.js")  # known before it is asked for
    script = visitor.get("/static/js/kinds/slider.js")
    assert script.text == (MODULES / "slider.js").read_text(encoding="utf-8")
    assert script.headers["content-type"].startswith("text/javascript")
    paths = visitor.get("/api/v1/openapi.json").json()["paths"]
    parameters = {one["name"]: one for one in paths["/api/v1/campaigns/{name}/export"]["get"]["parameters"]}
    assert "markdown" in parameters["format"]["schema"]["enum"]
    assert "\tsona\t4711" in goldmark("annotators", "platform-ids", "fluency")


@pytest.mark.parametrize("path", sorted([*MODULES.rglob("*.py"), *MODULES.glob("*.js")]), ids=lambda path: path.name)
def test_the_documentation_shows_it_as_it_is(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    pages = [(REPOSITORY / "docs" / f"{page}.md").read_text(encoding="utf-8") for page in PAGES]
    assert path == MODULES / "__init__.py" or any(f"\n{source}```" in page for page in pages)
