"""Work from elsewhere as a campaign: who marked nothing is there, and words are kept as if they were submitted here."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from goldmark.campaigns.transfer.export import record_of
from goldmark.campaigns.transfer.restore import completed, restore
from goldmark.cli import run
from goldmark.errors import ProblemsFound
from goldmark.exchange.label_studio import format as label_studio
from goldmark.protocols import load, parse
from goldmark.records.campaigns import AnnotatorRecord, AssignmentRecord, CampaignRecord, ResponseRecord
from goldmark.records.units import ContextText
from goldmark.store import Store, open_store
from tests.campaigns.house import unit

TEXT = "The Foxes won on Friday night ."
MARK = {"id": "e1", "start": 1, "end": 2, "label": "NAME", "correction": " Owls\n"}


def answered(*answers: Mapping[str, Any]) -> CampaignRecord:
    """Everybody's answers to one text."""
    people = [f"p{number}" for number in range(len(answers))]
    return CampaignRecord(
        units=(unit("u", TEXT),),
        annotators=tuple(map(AnnotatorRecord, people)),
        assignments=tuple(AssignmentRecord("u", who, "done", facts={}) for who in people),
        responses=tuple(ResponseRecord("u", who, 1, True, said) for who, said in zip(people, answers, strict=True)),
    )


def kept(store: Store, record: CampaignRecord) -> list[Mapping[str, Any]]:
    restore(store, record, author="test")
    return [one.answers for one in record_of(store, str(record.settings["campaign"])).responses]


def test_who_marked_nothing_elsewhere_marked_nothing_here(store: Store) -> None:
    record = answered({"mistakes": [{**MARK, "correction": "Owls"}]}, {"mistakes": []}, {}, {"labels": []})
    found = kept(store, completed(record, load("accuracy"), name="other"))
    assert [len(one["mistakes"]) for one in found] == [1, 0, 0, 0]
    assert set(found[3]) == {"mistakes"}  # an empty list under another tool's name says nothing more


def test_texts_and_context_from_elsewhere_are_no_longer_than_others(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOLDMARK_LONGEST_TEXT", str(len(TEXT)))
    record = completed(answered({"mistakes": []}), load("accuracy"), name="other")
    (one,) = record.units
    shown = replace(one.shown, context=(ContextText("Source", "x" * len(TEXT)),))
    with pytest.raises(ProblemsFound, match="the context has"):
        restore(store, replace(record, units=(replace(one, shown=shown),)), author="test")
    assert restore(store, record, author="test").name == "other"


def test_silence_is_kept_only_where_the_protocol_has_room_for_it(store: Store) -> None:
    wanted = parse(
        "protocol: one/1\ntitle: One\nsteps:\n  - questions:\n      - {id: marks, kind: spans, at_least: 1}\n"
    )
    with pytest.raises(ProblemsFound) as refused:
        restore(store, completed(answered({}), wanted, name="other"), author="test")
    assert "An answer is missing" in str(refused.value.problems[0])
    when = parse(
        "protocol: two/1\ntitle: Two\nsteps:\n  - questions:\n"
        "      - {id: fine, kind: choice, options: ['yes', 'no']}\n"
        "      - {id: marks, kind: spans, when: fine == no}\n"
    )
    found = kept(store, completed(answered({"fine": "yes"}, {"fine": "no"}), when, name="other"))
    assert found == [{"fine": "yes"}, {"fine": "no", "marks": []}]


def test_a_label_studio_file_with_empty_results_is_imported(sqlite_database: str, tmp_path: Path) -> None:
    tasks = [
        {"id": 1, "data": {"text": TEXT}, "annotations": [{"completed_by": 1, "result": []}]},
        {"id": 2, "data": {"text": TEXT}, "annotations": []},
        {"id": 3, "data": {"text": TEXT}, "annotations": [{"completed_by": 1, "was_cancelled": True, "result": []}]},
    ]
    (tmp_path / "export.json").write_text(json.dumps(tasks))
    assert label_studio.read({"export.json": (tmp_path / "export.json").read_bytes()}).responses[0].annotator == "1"
    arguments = ["campaign", "import", str(tmp_path / "export.json"), "--format", "label-studio"]
    assert run([*arguments, "--protocol", "accuracy", "--name", "ls", "--database", sqlite_database]) == 0
    store = open_store(sqlite_database)
    record = record_of(store, "ls")
    store.close()
    assert [(one.unit, one.annotator, one.answers) for one in record.responses] == [("1", "1", {"mistakes": []})]
    assert len(record.units) == 3


def test_words_come_in_without_white_space_around_them(store: Store) -> None:
    record = completed(answered({"mistakes": [MARK]}), load("accuracy"), name="other")
    assert kept(store, record) == [{"mistakes": [{**MARK, "correction": "Owls"}]}]
