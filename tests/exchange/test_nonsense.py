"""Files that are not what somebody said they are: told in words, with what to do, and never by a name of Python's."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from goldmark.errors import GoldmarkError, ProblemsFound
from goldmark.exchange.campaign.archive import zipped
from goldmark.exchange.formats import import_campaign, imports
from goldmark.exchange.looks_like import looks_like
from tests.exchange.peer_files import PEERS

NONSENSE: dict[str, bytes] = {
    "latin.jsonl": '{"text": "Käse"}\n'.encode("latin-1"),
    "utf16.json": '[{"a": 1}]'.encode("utf-16"),
    "empty.json": b"",
    "empty.jsonl": b"",
    "noise.json": bytes(range(255, 0, -1)) * 4,
    "page.json": b"<!DOCTYPE html><html><body>Please log in</body></html>",
    "letter.txt": b"Dear colleague, here are the marks.\n",
    "list.json": b"[1, 2, 3]",
    "number.json": b"42",
    "null.json": b"null",
    "deep.json": b"[" * 100_000 + b"]" * 100_000,
    "object.json": json.dumps({"a": {"b": [1, None]}}, indent=2).encode(),
    "objects.jsonl": b'{"data": 1, "annotations": 2}\n{"text": [], "entities": "x", "label": 1}\n',
    "shapes.json": json.dumps([{"data": {}, "annotations": [1]}, {"target": 1, "edits": [1, None, {}]}]).encode(),
    "more.json": json.dumps({"x": [{"item_i": 1, "item": 3, "annotation": [None]}]}).encode(),
    "half.zip": zipped([("a.json", b"[1]" * 500)])[:60],
    "prose.zip": b"this is no archive",
    "odd.zip": zipped([("metadata.json", b"[]"), ("gsml.csv", b"\xff"), ("a/b.tsv", b"#FORMAT=x"), ("a/b.xmi", b"<a")]),
}
WORDS_OF_PYTHON = re.compile(
    r"\w+(Error|Exception)\b|Traceback|NoneType|object has no attribute|codec can't|not subscript"
)


@pytest.mark.parametrize("name", NONSENSE)
def test_nonsense_is_refused_in_words(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(NONSENSE[name])
    for form in imports().values():
        told = _told(path, form.name)
        assert [one for one in told if WORDS_OF_PYTHON.search(one)] == [], form.name
        assert all(len(one) < 2000 for one in told), form.name


def _told(path: Path, form: str) -> list[str]:
    """What is said of a file; of nothing there may be nothing, which is refused when it is stored."""
    try:
        record = import_campaign(path, form)
    except GoldmarkError as error:
        return [str(error), *map(str, getattr(error, "problems", ()))]
    assert (record.units, record.responses) == ((), ()), form
    return []


def test_files_of_another_tool_are_recognised(tmp_path: Path) -> None:
    assert {name: looks_like(files, imports().values()) for name, files in PEERS.items()} == {
        name: name for name in PEERS
    }
    path = tmp_path / "export.zip"
    path.write_bytes(zipped(PEERS["doccano"].items()))
    with pytest.raises(ProblemsFound) as caught:
        import_campaign(path, "thresh")
    assert "nothing was imported; this looks like a file of another format: try --format doccano" in str(caught.value)


def test_ten_thousand_problems_are_told_in_a_few_lines(tmp_path: Path) -> None:
    row = {"example_idx": 1, "annotations": [{"type": 0, "text": "x", "start": 3}], "output": "abc"}
    path = tmp_path / "many.jsonl"
    path.write_text("\n".join([json.dumps({**row, "annotator_id": "ada"})] * 10_000), encoding="utf-8")
    with pytest.raises(ProblemsFound) as caught:
        import_campaign(path, "factgenie")
    assert len(caught.value.problems) == 1000
    assert str(caught.value.problems[0]) == "many.jsonl:1  mark 1: 'x' does not stand at character 3 of the output"


@pytest.mark.parametrize("peer", PEERS)
def test_another_kind_of_value_anywhere_in_a_file_is_told(peer: str, tmp_path: Path) -> None:
    """A number where a text belongs, a text where a list does, and so on, in every place of every file."""
    files = PEERS[peer]
    for name, content in files.items():
        if not name.endswith((".json", ".jsonl")):
            continue
        lines = name.endswith(".jsonl") or peer == "potato"
        rows = content.decode().splitlines() if lines else [content.decode()]
        others: tuple[Any, ...] = (7, "x", [], {"a": 1}, None)
        for other in others:
            for changed in _each_changed(json.loads(rows[0]), other):
                path = tmp_path / "export.zip"
                path.write_bytes(zipped({**files, name: "\n".join([json.dumps(changed), *rows[1:]]).encode()}.items()))
                with suppress(GoldmarkError):
                    import_campaign(path, peer)


def _each_changed(value: Any, other: Any) -> Iterator[Any]:
    yield other
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        for inner in _each_changed(value[key], other):
            changed = value.copy()
            changed[key] = inner
            yield changed
