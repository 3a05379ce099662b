"""Error spans with scores, as pearmut and Appraise write them."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.campaigns.transfer.export import record_of
from goldmark.campaigns.transfer.import_answers import import_answers
from goldmark.campaigns.transfer.restore import completed, restore
from goldmark.errors import ProblemsFound
from goldmark.exchange.foreign_projects.translation import appraise, pearmut
from goldmark.protocols import load, parse, validate
from goldmark.records.campaigns import CampaignRecord
from goldmark.records.units import ContextText
from goldmark.store import Store

TARGET = "Ein 🦊\nlief weg."  # in units of 16 bits: Ein_ 0-3, the fox 4 and 5, [break 6,] lief
MARK = {"start_i": 6, "end_i": 9, "severity": "minor", "category": "Accuracy/Mistranslation"}  # lief, without the break


def lines(*rows: dict[str, Any]) -> bytes:
    return "\n".join(map(json.dumps, rows)).encode()


def shown(user: str = "ada", *marks: dict[str, Any], score: int | None = 70, **more: Any) -> dict[str, Any]:
    """A line of pearmut: one document of one segment, two systems."""
    said = {"score": score, "error_spans": list(marks), "textfield": None}
    return {
        "user_id": user,
        "item_i": 0,
        "annotation": [{"alder": said, "birch": {"score": 90, "error_spans": [], "textfield": "nice"}}],
        "item": [{"item_id": "doc_0", "src": "A fox ran away.", "tgt": {"alder": TARGET, "birch": "Ein Fuchs lief."}}],
        "actions": [{"time": 1_763_294_400.0, "action": "load"}, {"time": 1_763_294_430.0, "action": "submit"}],
        **more,
    }


def segment(annotator: str = "ada", *marks: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A line of Appraise."""
    return {
        "annotator": annotator,
        "source_id": "src",
        "source_text": "A fox ran away.",
        "target_id": "alder",
        "target_text": f" {TARGET}",
        "score": 70,
        "mqm_annotations": json.dumps(list(marks)),
        "item_id": 4,
        "item_type": "TGT",
        "document_id": "news",
        "start_time": 1_763_294_400.0,
        "end_time": 1_763_294_430.0,
        "duration": 30.0,
        **more,
    }


def said(record: CampaignRecord, unit: str, annotator: str = "ada") -> dict[str, Any]:
    (found,) = (one.answers for one in record.responses if (one.unit, one.annotator) == (unit, annotator))
    return dict(found)


def valid(record: CampaignRecord) -> bool:
    asked = parse(record.protocols[0].source)
    texts = {unit.id: unit.shown for unit in record.units}
    return all(validate(asked, one.answers, texts[one.unit]) == [] for one in record.responses)


def test_pearmuts_marks_count_units_of_16_bits_and_before_1_1_5_no_breaks() -> None:
    record = pearmut.read({"out.jsonl": lines(shown("ada", MARK))})
    assert [unit.id for unit in record.units] == ["doc_0:alder", "doc_0:birch"]
    assert record.units[0].hidden == {"system": "alder", "item": "doc_0"}
    assert record.units[0].shown.context == (ContextText("Source", "A fox ran away."),)
    assert said(record, "doc_0:alder") == {
        "errors": [{"id": "e1", "start": 6, "end": 10, "label": "accuracy.mistranslation", "severity": "minor"}],
        "score": 70,
    }
    assert TARGET[6:10] == "lief"
    assert said(record, "doc_0:birch") == {"errors": [], "score": 90, "comment": "nice"}
    first = record.responses[0]
    assert first.client_time == datetime(2025, 11, 16, 12, 0, 30, tzinfo=UTC)
    assert first.seconds_active == 15  # two outputs were on the page for 30 seconds
    assert valid(record)


def test_appraises_marks_count_breaks_and_come_as_json_in_text() -> None:
    record = appraise.read({"out.jsonl": lines(segment("ada", {**MARK, "start_i": 7, "end_i": 10}))})
    assert record.units[0].id == "news:4:alder"
    (mark,) = said(record, "news:4:alder")["errors"]
    assert (mark["start"], mark["end"]) == (6, 10)
    assert record.responses[0].seconds_active == 30
    assert valid(record)


@pytest.mark.parametrize(
    ("marks", "words"),
    [
        ([(7, 10)], ["lief"]),  # a word, if breaks count, and the middle of one, if not
        ([(6, 9)], ["lief"]),  # nobody can begin with a break
        ([(6, 9), (0, 2)], ["lief", "Ein"]),
        ([(13, 14)], ["eg"]),  # no whole words either way: as the newer versions count
        ([(12, 14), (16, 16)], ["weg", TARGET]),  # with breaks, the first place behind the text
        ([(11, 13), (15, 15)], ["weg", TARGET]),  # and without
        ([(7, 10), (50, 1)], ["lief", TARGET]),  # far behind the text, whatever end it has
    ],
)
def test_whether_breaks_count_is_seen_from_the_marks(marks: list[tuple[int, int]], words: list[str]) -> None:
    given = [{"start_i": start, "end_i": end, "severity": "minor"} for start, end in marks]
    record = pearmut.read({"out.jsonl": lines(shown("ada", *given))})
    assert [TARGET[one["start"] : one["end"]] for one in said(record, "doc_0:alder")["errors"]] == words


def test_a_download_is_one_campaign_and_a_reset_user_begins_anew() -> None:
    reset = {"user_id": "ada", "annotation": "__RESET__"}
    rows = [shown("ada", score=10), shown("bo", score=20), reset]
    record = pearmut.read({"annotations.json": json.dumps({"foxes": rows, "empty": []}).encode()})
    assert {one.annotator for one in record.responses} == {"bo"}
    with pytest.raises(ProblemsFound) as caught:
        pearmut.read({"annotations.json": json.dumps({"foxes": rows, "owls": rows}).encode()})
    (problem,) = map(str, caught.value.problems)
    assert "it holds several campaigns: 'foxes', 'owls'; import them one by one: download-annotations?" in problem


@pytest.mark.parametrize("place", ["missing", 16])
def test_what_is_missing_is_an_error_of_the_whole(place: object) -> None:
    mark = {"start_i": place, "end_i": place, "severity": "critical"}
    for record in (
        pearmut.read({"out.jsonl": lines(shown("ada", mark))}),
        appraise.read({"out.jsonl": lines(segment("ada", {**mark, "start_i": "missing"}))}),
    ):
        (found,) = said(record, record.units[0].id)["errors"]
        assert found == {"id": "e1", "start": 0, "end": len(TARGET), "severity": "critical"}
        assert valid(record)


def test_scores_alone_are_asked_alone() -> None:
    record = pearmut.read({"out.jsonl": lines(shown("ada"))})
    assert [question.id for question in parse(record.protocols[0].source).questions()] == ["score", "comment"]
    assert said(record, "doc_0:alder") == {"score": 70}


def test_tutorials_checks_and_what_was_skipped_are_no_results_and_the_last_time_counts() -> None:
    rows = [
        shown("bo", item_i="welcome_0"),
        shown("bo", item_i="random_1"),
        shown("ada", score=10),
        shown("ada", score=30),
        shown("cy", score=None),
    ]
    record = pearmut.read({"out.jsonl": lines(*rows)})
    assert said(record, "doc_0:alder") == {"score": 30}
    assert {one.id for one in record.annotators} == {"ada", "cy"}
    assert ("doc_0:alder", "cy") not in {(one.unit, one.annotator) for one in record.responses}
    record = appraise.read(
        {"out.jsonl": lines(segment("bo", item_type="BAD"), segment("ada"), segment("cy", item_type="REF"))}
    )
    assert {one.id for one in record.annotators} == {"ada", "cy"}


@pytest.mark.parametrize(
    ("read", "row", "wrong"),
    [
        (pearmut.read, {**shown(), "item": [{**shown()["item"][0], "tgt": {}}]}, "it has no 'alder'"),
        (pearmut.read, {key: value for key, value in shown().items() if key != "item"}, "what was shown"),
        (pearmut.read, shown("ada", {**MARK, "end_i": 99}), "a mark is at 6-99, but the text has 15 characters"),
        (pearmut.read, shown("ada", {**MARK, "start_i": 3, "end_i": -100}), "a mark is at 3--100"),
        (pearmut.read, shown("ada", {**MARK, "start_i": -100, "end_i": 3}), "a mark is at -100-3"),
        (appraise.read, {"annotator": "ada"}, "no target_text"),
        (appraise.read, segment("ada", {**MARK, "end_i": 3}), "a mark is at 6-3"),
        (appraise.read, segment("ada", target_text=" "), "the text is empty"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(
    read: Callable[[dict[str, bytes]], CampaignRecord], row: dict[str, Any], wrong: str
) -> None:
    with pytest.raises(ProblemsFound) as caught:
        read({"out.jsonl": lines(row)})
    (problem,) = map(str, caught.value.problems)
    assert problem.startswith("out.jsonl:1  ")
    assert wrong in problem


def test_another_text_under_the_same_name_and_nothing_at_all() -> None:
    other = {**shown("bo"), "item": [{**shown()["item"][0], "tgt": {"alder": "Anders.", "birch": "Ein Fuchs lief."}}]}
    with pytest.raises(ProblemsFound) as caught:
        pearmut.read({"out.jsonl": lines(shown(), other)})
    assert "out.jsonl:2  the text of 'doc_0:alder' is another" in str(caught.value.problems[0])
    with pytest.raises(ProblemsFound) as caught:
        appraise.read({"out.jsonl": b""})
    assert "it holds no judgement of appraise" in str(caught.value.problems[0])


def test_they_come_in_as_a_campaign_and_more_of_them_into_it(store: Store, tmp_path: Path) -> None:
    files = {"out.jsonl": lines(shown("ada", MARK))}
    restore(store, completed(pearmut.read(files), name="foxes"), author="test")
    path = tmp_path / "more.jsonl"
    path.write_bytes(lines(shown("ada", MARK), shown("bo", MARK)))
    done = import_answers(store, ContentCache(store), "foxes", path, format_name="pearmut", author="test")
    assert (done.answers, done.already_there, done.new_annotators) == (2, 2, ("bo",))
    record = record_of(store, "foxes")
    assert said(record, "doc_0:alder", "bo") == said(record, "doc_0:alder", "ada")


def test_a_protocol_of_ones_own_reads_their_labels(store: Store) -> None:
    record = completed(pearmut.read({"out.jsonl": lines(shown("ada", MARK))}), load("span-severity"), name="foxes")
    (mark,) = said(record, "doc_0:alder")["errors"]
    # Ein 🦊 lief weg . in tokens
    assert mark == {"id": "e1", "start": 2, "end": 3, "label": "accuracy.mistranslation", "severity": "minor"}
