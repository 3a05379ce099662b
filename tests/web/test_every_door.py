"""One quantity has one figure: each table on the page, in the terminal, by the API, in Python and in the report.

A campaign for each kind of question. Numbers are compared to the last digit where a door gives them whole, and cell by
cell as people read them where it rounds.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

import goldmark as gm
from goldmark.cli import run
from goldmark.protocols import load, parse
from goldmark.protocols.kinds import KINDS
from tests.databases import fresh
from tests.results.filled import fill
from tests.web.house import House, build
from tests.web.test_results import call, with_sample

# What no sample asks, in one protocol.
OTHERS = parse("""
protocol: others/1
title: Other kinds
steps:
  - questions:
      - {id: topics, kind: choices, options: [sport, weather, politics]}
      - {id: words, kind: number, at_least: 0, at_most: 100}
      - {id: remark, kind: text}
""")
SAMPLES = ("accuracy", "rating-qa", "humanlike", "tgea", "pairwise", "best-worst")
CAMPAIGNS = (*(f"sample-{name}" for name in SAMPLES), "others")


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[House, str]]:
    address = fresh(tmp_path_factory.mktemp("doors"))
    house = build(address)
    for name in SAMPLES:
        with_sample(house, name)
    fill(house.services.store, "others", OTHERS)
    yield house, address
    house.close()


def tables_of(page: str) -> dict[str, list[list[str]]]:
    """The cells of every table of a page of results, by its heading, as people read them."""
    found = {}
    for article in re.findall(r"<article[^>]*>(.*?)</article>", page, re.S):
        name = html.unescape("".join(re.findall(r"<h3[^>]*>(.*?)</h3>", article, re.S))).strip()
        rows = re.findall(r"<tr>(.*?)</tr>", article, re.S)
        cells = [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.S) for row in rows]
        if rows and 'scope="row"' in rows[0]:  # a single row that is wider than the page stands upright
            cells = [list(column) for column in zip(*cells, strict=True)]
        found[name] = [[html.unescape(re.sub(r"<[^>]+>", "", cell)).strip() for cell in row] for row in cells]
    return found


def words(cells: list[str]) -> list[str]:
    return " ".join(cells).split()


def numbers(cell: str) -> list[float]:
    return [float(one) for one in re.findall(r"-?\d+(?:\.\d+)?", cell)]


def test_every_kind_of_question_is_asked() -> None:
    asked = [*(load(name) for name in SAMPLES), OTHERS]
    assert {question.kind for one in asked for question in one.questions()} >= set(KINDS)


@pytest.mark.parametrize("name", CAMPAIGNS)
def test_every_door_shows_the_same(
    filled: tuple[House, str],
    name: str,
    capsysbinary: pytest.CaptureFixture[bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    house, address = filled
    by_call = call(house, f"/api/v1/campaigns/{name}/results")
    tables: dict[str, list[dict[str, Any]]] = {one["name"]: one["rows"] for one in by_call.json()["tables"]}
    titles = {one["name"]: one["title"] for one in by_call.json()["tables"]}
    assert tables

    # To the last digit: the command's JSON byte by byte, and Python's rows.
    command = ["campaign", "results", name, "--database", address]
    assert run([*command, "--json"]) == 0
    assert capsysbinary.readouterr().out == by_call.content
    in_python = gm.results(gm.read_campaign(address, name))
    assert list(in_python) == list(tables)
    for table, rows in tables.items():
        assert json.loads(json.dumps(in_python[table].to_dicts(), default=str)) == rows, table

    # As people read them: page, report and terminal have the same cells, and these are those numbers.
    page = tables_of(house.browser("curator").whole(f"/campaigns/{name}/results"))
    report = tables_of(call(house, f"/api/v1/campaigns/{name}/results/report").text)
    monkeypatch.setenv("COLUMNS", "1000")
    assert run(command) == 0
    terminal = [line.split() for line in capsysbinary.readouterr().out.decode().splitlines()]
    for table, rows in tables.items():
        shown = page[titles[table]]
        assert shown == report[titles[table]], table
        for row in shown:
            assert words(row) in terminal, (table, row)
        read = [numbers(cell) for row in shown for cell in row]
        for found in rows:
            whole = [found.get(part) for part in ("value", "low", "high")]
            if all(isinstance(one, float) for one in whole):
                assert any(one == pytest.approx(whole, abs=6e-4) for one in read if len(one) == 3), (table, found)
