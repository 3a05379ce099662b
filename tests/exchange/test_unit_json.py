"""The short way of units between database and file leads where the long way leads, whatever a file holds."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import orjson
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from goldmark.campaigns.transfer.export import _unit_row
from goldmark.errors import Problem, ProblemsFound
from goldmark.exchange.campaign import jsonlines, rows_read
from goldmark.exchange.campaign.archive import as_sources
from goldmark.exchange.campaign.jsonlines import _line
from goldmark.exchange.campaign.rows import WrittenJson, write_json
from goldmark.exchange.campaign.unit_json import WrittenPairs, exported, packed_unit, read_line
from goldmark.records.spooled.units import SpooledUnits
from goldmark.records.units import Unit
from tests.exchange.strategies import JSON, TEXT, units

RELAXED = settings(suppress_health_check=list(HealthCheck))
UNITS = units("u", ("text",)) | units("u", ("a", "b"))
CAMPAIGN = write_json({"record": "campaign", "format": 1, "protocol": "p/1", "settings": {}}).encode()


def stored(unit: Unit) -> str:
    return orjson.dumps(unit.shown.to_json()).decode()


def line(unit: Unit, **other: Any) -> str:
    tokenisers = {role: shown.text.tokeniser for role, shown in unit.shown.texts.items()}
    row = {"record": "unit", "id": unit.id, "shown": unit.shown.to_json(), "tokenisers": tokenisers}
    return write_json({**row, "hidden": dict(unit.hidden), **other})


def read(content: bytes) -> list[bytes] | list[Problem]:
    """The units of a file as they would wait for the database, or what is wrong."""
    problems: list[Problem] = []
    try:
        found = rows_read.record_of(jsonlines.read_rows(as_sources({"x": content}), problems), problems, spooled=True)
    except ProblemsFound as error:
        return list(error.problems)
    assert isinstance(found.units, SpooledUnits)
    return list(found.units.packed())


def same_both_ways(written: str) -> None:
    content = CAMPAIGN + b"\n" + written.encode("utf-8", "surrogatepass")
    with patch.object(jsonlines, "read_line", lambda line: None):
        thorough = read(content)
    assert read(content) == thorough


@RELAXED
@given(UNITS)
def test_what_is_stored_is_exported_as_if_it_were_read_and_written(unit: Unit) -> None:
    row = _unit_row(unit.id, stored(unit), unit.hidden, {"text": "rules"})
    with patch("goldmark.campaigns.transfer.export.exported", lambda stored: None):
        thorough = _unit_row(unit.id, stored(unit), unit.hidden, {"text": "rules"})
    assert _line("unit", row._asdict()) == _line("unit", thorough._asdict())
    quick = all(
        not one.given and not re.search(r"[\x00-\x07\x0b\x0e-\x1f]", one.text.characters)
        for one in unit.shown.texts.values()
    )
    assert isinstance(row.shown, WrittenJson) == quick


@pytest.mark.parametrize(
    "other",
    [
        lambda text: text.replace('"given":[]', '"given": []'),
        lambda text: text.replace('"language":""', '"language":"\\u0065n"'),
        lambda text: text.replace("[[0,", "[[0.0,"),
        lambda text: text + "\n",
        lambda text: text.replace('"context":[]', '"context":[],"more":1'),
        lambda text: text.replace('"texts":{', '"texts":{},"text":{'),
    ],
)
def test_what_was_stored_otherwise_is_exported_the_long_way(other: Callable[[str], str]) -> None:
    text = '{"texts":{"text":{"characters":"A b.","tokens":[[0,1],[2,3],[3,4]],"sentences":[[0,3]],"prompt":null,'
    text += '"focus":null,"given":[],"language":""}},"context":[]}'
    assert exported(text) is not None
    assert exported(other(text)) is None


@RELAXED
@given(UNITS)
def test_units_are_read_alike_both_ways(unit: Unit) -> None:
    same_both_ways(line(unit))


NUMBERS = ["0", "1", "2", "7", "-1", "00", "1.0", "1e0", "true", "null", '"1"', "[]", "1" * 25, ""]
PIECES = ["[", "]", "],[", ",", "[[", "]]", " ", "\n", '"tokens":[[0,1]],', '"', "\\u0000", "\\u0041"]


@RELAXED
@given(UNITS, st.data())
def test_lines_in_which_anything_is_changed_are_read_alike_both_ways(unit: Unit, data: st.DataObject) -> None:
    written = line(unit)
    for _ in range(data.draw(st.integers(1, 2))):
        if data.draw(st.booleans()):
            numbers = [*re.finditer(r"(?<=[\[,])\d+(?=[\],])", written)]
            place = data.draw(st.sampled_from(numbers)).span() if numbers else (0, 0)
            other = data.draw(st.sampled_from(NUMBERS))
        else:
            start = data.draw(st.integers(0, len(written)))
            place = start, data.draw(st.integers(start, min(start + 3, len(written))))
            other = data.draw(st.sampled_from(PIECES))
        written = written[: place[0]] + other + written[place[1] :]
    same_both_ways(written)


@RELAXED
@given(UNITS, st.data())
def test_units_of_another_shape_are_read_alike_both_ways(unit: Unit, data: st.DataObject) -> None:
    row = json.loads(line(unit))
    text = data.draw(st.sampled_from(list(row["shown"]["texts"].values())))
    where = data.draw(st.sampled_from([row, row["hidden"], row["shown"], row["shown"]["texts"], text]))
    key = data.draw(st.sampled_from([*where, "tokens", "suggested", "text"]) | TEXT)
    pairs = st.lists(st.lists(st.integers(-1, 9), min_size=1, max_size=3), max_size=4)
    where[key] = data.draw(JSON | pairs | st.just(dict(text)))
    same_both_ways(json.dumps(row, ensure_ascii=data.draw(st.booleans()), separators=(",", ":")))


@pytest.mark.parametrize(
    "change",
    [
        # Tokens elsewhere, where a text has none of its own, or hides them behind an escape.
        ('"hidden":{}', '"hidden":{"tokens":[[0,1],[2,3]]}'),
        ('"tokens":[[0,1],[2,3],[3,4]]', '"tok\\u0065ns":[]'),
        ('"tokens":[[0,1],[2,3],[3,4]]', '"tokens":[[0,1],[2,4]],"tokens":[[0,1],[2,3],[3,4]]'),
        ("[3,4]", "[3.0,4]"),
        ("[[0,1]", "[[0.0,1]"),
        ("[[0,1]", "[[false,1]"),
        ("[3,4]", "[3,40000000000000000000]"),
        ("[3,4]", "[3,5]"),
        ("[3,4]", "[3,3]"),
        ("[2,3]", "[1,3]"),  # the space
        ("[2,3],", ""),
        ('"sentences":[[0,3]]', '"sentences":[[0,2]]'),
        ('"sentences":[[0,3]]', '"sentences":[[0,1],[2,3]]'),
        ('"sentences":[[0,3]]', '"sentences":[[0,0],[0,3]]'),
        ('"sentences":[[0,3]]', '"sentences":[[0,3,3]]'),
        ('"sentences":[[0,3]]', '"sentences":[]'),
        ('"sentences":[[0,3]]', '"sentences":7'),
        ('"texts":{', '"texts":[{'),
        ('"context":[]', '"context":""'),
        ('"prompt":null', '"prompt":[0,2]'),
        ('"prompt":null', '"prompt":[0,9]'),
        ('"language":""', '"language":3'),
        ("A b.", "A\\u0000."),
        ("A b.", "A\\ud800."),
        ("A b.", "A\ud800b."),
    ],
)
def test_lines_that_would_lead_astray(change: tuple[str, str]) -> None:
    text = '{"characters":"A b.","focus":null,"given":[],"language":"","prompt":null,"sentences":[[0,3]],'
    text += '"tokens":[[0,1],[2,3],[3,4]]}'
    shown = f'{{"context":[],"texts":{{"text":{text}}}}}'
    written = f'{{"hidden":{{}},"id":"u","record":"unit","shown":{shown},"tokenisers":{{}}}}'
    values = read_line(written.encode())
    assert values is not None
    assert packed_unit(values) is not None
    assert change[0] in written
    same_both_ways(written.replace(*change))
    both = written.replace('"hidden":{}', '"hidden":{"tokens":[[0,1],[2,3],[3,4]]}')
    same_both_ways(both.replace('"tokens":[[0,1],[2,3],[3,4]]}}', '"tok\\u0065ns":[]}}'))


def _pairs(value: Any) -> bool:
    """What `WrittenPairs` says it reads, said slowly."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(one, list) and [type(place) for place in one] == [int, int] for one in value)
        and all(0 <= start < end for start, end in value)
    )


@RELAXED
@given(st.text(st.sampled_from("[[]],,0123456789 .-e"), max_size=14) | JSON.map(lambda one: write_json(one)))
@example("[[0,1],[1,2]]")
@example("[[0,1,2],[3]]")
@example("[[00,1]]")
@example("[[0,1][2,3]]")
@example("[0,1]")
def test_pairs_are_what_json_says(written: str) -> None:
    found = WrittenPairs.read(written.encode())
    try:
        value = orjson.loads(written)
    except ValueError:
        value = None
    if found is not None:
        assert [list(pair) for pair in found] == value
        assert (found[0], found[-1:], len(found)) == (tuple(value[0]), [tuple(value[-1])], len(value))
    assert (found is not None) == (_pairs(value) and written == orjson.dumps(value).decode())
