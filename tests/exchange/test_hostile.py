"""Small files of other tools, made to hold up a server or to fill its memory: it reads them itself."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from goldmark.errors import GoldmarkError
from goldmark.exchange.campaign import cas
from goldmark.exchange.foreign_projects.made_protocol import distinct_ids
from goldmark.exchange.formats import import_campaign

Rows = list[dict[str, Any]]


def _factgenie(count: int) -> Rows:
    text = "<b>" + "a " * count
    marks = [{"type": 0, "text": "a", "start": 0}] * count
    return [{"example_idx": 0, "model": "m", "output": text, "annotations": marks, "annotator_id": "x"}]


def _pearmut(count: int) -> Rows:
    marks = [{"start_i": 0, "end_i": 0}] * count
    said = {"m": {"score": 1, "error_spans": marks}}
    target = {"src": "s", "tgt": {"m": "a\n" + "a " * count}}
    return [{"user_id": f"u{n}", "item_i": 0, "item": target, "annotation": said} for n in range(3)]


def _pearmut_users(count: int) -> Rows:
    said = {"m": {"score": 1, "error_spans": [{"start_i": 0, "end_i": 0}]}}
    item = {"src": "s", "tgt": {"m": "a\nb"}}
    return [{"user_id": f"u{n}", "item_i": 0, "item": item, "annotation": said} for n in range(count)]


def _appraise(count: int) -> Rows:
    marks = [{"start_i": 0, "end_i": 0, "severity": "x", "category": "c" + "." * n} for n in range(count)]
    target = "a " * count
    return [{"target_id": "t", "annotator": "u", "target_text": target, "mqm_annotations": marks, "score": 1}]


def _thresh(count: int) -> Rows:
    edits = [{"category": "c", "output_idx": [[1, 2]]}] * count
    return [{"id": "i", "target": "a" + " " * count, "edits": edits}]


def _thresh_names(count: int) -> Rows:
    return [{"id": "i", "target": f"t{n}", "edits": []} for n in range(count)]


def _doccano(count: int) -> Rows:
    return [{"id": n, "text": "ab", "label": [[0, 1, f"l{n}"]]} for n in range(count)]


def _label_studio(count: int) -> Rows:
    value = {"start": 2, "end": 3, "text": "a", "labels": ["x"]}
    region = {"from_name": "l", "to_name": "text", "type": "labels", "value": value}
    result = [{**region, "id": f"r{n}"} for n in range(count)]
    data = {"text": "😀" + "a " * count}
    return [{"id": 1, "data": data, "annotations": [{"completed_by": 1, "result": result}]}]


HOSTILE: dict[str, tuple[str, Callable[[int], Rows]]] = {
    "marks on markup": ("factgenie", _factgenie),
    "marks in lines": ("pearmut", _pearmut),
    "many users": ("pearmut", _pearmut_users),
    "categories alike": ("appraise", _appraise),
    "passages of white space": ("thresh", _thresh),
    "texts of one name": ("thresh", _thresh_names),
    "labels": ("doccano", _doccano),
    "regions": ("label-studio", _label_studio),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_twice_as_much_in_a_file_is_hardly_more_than_twice_the_work(what: str, tmp_path: Path) -> None:
    form, rows = HOSTILE[what]

    def work(count: int) -> int:
        listed = form in ("label-studio", "thresh")
        path = tmp_path / f"file.{'json' if listed else 'jsonl'}"
        path.write_text(json.dumps(rows(count)) if listed else "\n".join(map(json.dumps, rows(count))), "utf-8")
        return _steps(lambda: import_campaign(path, form))

    work(10)  # what is read once for all
    assert work(160) < 2.5 * work(80)


def _steps(work: Callable[[], object]) -> int:
    """How many instructions of the readers are run: a measure of time that is the same on every machine."""
    count = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal count
        if "goldmark/exchange" not in frame.f_code.co_filename:
            return None
        frame.f_trace_opcodes = True
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def test_ids_for_many_names_alike_are_different() -> None:
    names = [*("a" + "." * number for number in range(4)), "as", "a_2"]
    assert list(distinct_ids(names, {"a_3"}).values()) == ["a", "as", "a_2", "a_4", "ass", "a_2s"]


def test_a_token_that_begins_far_behind_the_text_is_told(tmp_path: Path) -> None:
    """A number of a few digits would be a text of that many spaces."""
    header = "#FORMAT=WebAnno TSV 3.3\n#T_SP=webanno.custom.x|label\n\n\n#Text=a\n"
    told = _told(tmp_path / "a.tsv", f"{header}1-1\t{10**14}-{10**14 + 1}\ta\tX\t\n".encode(), "webanno-tsv")
    assert "100,000,000,000,001 characters, and 1,000,000 are allowed" in told


@pytest.mark.parametrize("seconds", [1e18, 1e300, -1e15])
def test_a_time_beyond_the_calendar_is_told(seconds: float, tmp_path: Path) -> None:
    mark = {"example_idx": 0, "output": "abc", "model": "m", "annotations": [], "annotator_id": "x"}
    content = json.dumps({**mark, "metadata": {"start_timestamp": 1, "end_timestamp": seconds}}).encode()
    assert "another shape than expected" in _told(tmp_path / "a.jsonl", content, "factgenie")


def test_a_mark_before_the_text_is_not_counted_from_its_end(tmp_path: Path) -> None:
    marks = [{"type": 0, "text": "bcd", "start": -5}]
    row = {"example_idx": 0, "output": "abcdef", "model": "m", "annotations": marks, "annotator_id": "x"}
    told = _told(tmp_path / "a.jsonl", json.dumps(row).encode(), "factgenie")
    assert "'bcd' does not stand at character -5" in told


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-be"])
def test_a_document_type_is_seen_in_every_encoding(encoding: str) -> None:
    """What it declares would be fetched, or grow."""
    declared = f'<?xml version="1.0" encoding="{encoding}"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">]><x>&a;</x>'
    with pytest.raises(cas.NotCas, match=r"document type|not encoded in UTF-8"):
        cas._plain_xml(declared.encode(encoding))


def test_an_encoding_in_which_a_document_type_is_not_seen_is_not_believed() -> None:
    plain = cas._plain_xml(b'<?xml version="1.1" encoding="utf-7"?><x>+ADwAIQ-</x>')
    assert plain == b'<?xml version="1.1"?><x>+ADwAIQ-</x>'


def _told(path: Path, content: bytes, form: str) -> str:
    path.write_bytes(content)
    with pytest.raises(GoldmarkError) as caught:
        import_campaign(path, form)
    return " ".join([str(caught.value), *map(str, getattr(caught.value, "problems", ()))])
