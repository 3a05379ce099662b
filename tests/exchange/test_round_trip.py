"""Export, import, export again: the same bytes, for every format, and for complete formats the same record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from goldmark.exchange.formats import FORMATS, export_bytes, export_campaign, exports, import_campaign
from goldmark.records.campaigns import CampaignRecord
from tests.examples import one_in
from tests.exchange.files import export_files
from tests.exchange.strategies import campaigns

COMPLETE = sorted(name for name, one in FORMATS.items() if one.complete)
PARTIAL = sorted(name for name, one in exports().items() if one.imports and not (one.complete or one.tables))
RELAXED = settings(suppress_health_check=list(HealthCheck))


def normal(record: CampaignRecord) -> tuple[object, ...]:
    """A record with its order taken away where a record has none."""
    return (
        record.settings,
        record.protocol,
        record.protocols,
        record.units,
        sorted(record.annotators, key=lambda one: one.id),
        sorted(record.assignments, key=lambda one: (one.unit, one.annotator)),
        sorted(record.responses, key=lambda one: (one.unit, one.annotator, one.revision)),
        sorted(record.events, key=lambda one: one.at),
        record.curation,
        record.gold_versions,
    )


@pytest.mark.parametrize("name", COMPLETE)
@RELAXED
@given(record=campaigns(any_answers=True) | campaigns(roles=("a", "b"), any_answers=True))
def test_complete_formats_restore_everything(name: str, record: CampaignRecord) -> None:
    files = dict(export_files(record, name))
    read = FORMATS[name].read(files)
    assert normal(read) == normal(record)
    assert dict(export_files(read, name)) == files


@pytest.mark.parametrize(("name", "ending"), [("csv", ".csv"), ("parquet", ".parquet")])
def test_an_export_from_before_there_was_curation_is_read(name: str, ending: str) -> None:
    record = CampaignRecord(settings={"campaign": "old"}, protocol="p/1")
    files = dict(export_files(record, name))
    old = {path: content for path, content in files.items() if path not in (f"curation{ending}", f"gold_lists{ending}")}
    assert len(old) == len(files) - 2
    assert FORMATS[name].read(old) == FORMATS[name].read(files)


@pytest.mark.parametrize("name", PARTIAL)
@RELAXED
@given(record=campaigns())
def test_other_formats_are_written_the_same_again(name: str, record: CampaignRecord) -> None:
    files = dict(export_files(record, name))
    assert dict(export_files(FORMATS[name].read(files), name)) == files


def carried(record: CampaignRecord, *keys: str) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """What a format of spans should carry of a record: texts with work, spans in the order in which they begin."""
    return {
        (response.unit, response.annotator): sorted(
            (
                {key: mark[key] for key in keys if mark.get(key) not in (None, "")}
                for mark in response.answers["mistakes"]
            ),
            key=lambda mark: (mark["start"], mark["end"]),
        )
        for response in record.final_responses()
    }


@RELAXED
@given(record=campaigns())
def test_webanno_carries_spans_with_labels_links_and_attributes(record: CampaignRecord) -> None:
    read = FORMATS["webanno-tsv"].read(dict(export_files(record, "webanno-tsv")))
    keys = ("id", "start", "end", "label", "links", "correction", "comment")
    assert carried(read, *keys) == carried(record, *keys)
    texts = {unit.id: unit.shown.texts["text"].text for unit in read.units}
    for unit in record.units:
        original = unit.shown.texts["text"].text
        assert texts[unit.id].characters == original.characters
        if unit.id in {response.unit for response in record.final_responses()}:
            assert (texts[unit.id].tokens, texts[unit.id].sentences) == (original.tokens, original.sentences)


@RELAXED
@given(record=campaigns())
def test_gsml_carries_spans_with_labels_corrections_and_comments(record: CampaignRecord) -> None:
    read = FORMATS["gsml"].read(dict(export_files(record, "gsml")))
    keys = ("id", "start", "end", "label", "correction", "comment")
    assert carried(read, *keys) == carried(record, *keys)  # of everybody who answered, also with nothing
    words = {unit.id: unit.shown.texts["text"].text.words() for unit in read.units}
    assert words == {unit.id: unit.shown.texts["text"].text.words() for unit in record.units}


@RELAXED
@given(record=campaigns())
def test_label_studio_carries_units_and_final_responses(record: CampaignRecord) -> None:
    read = FORMATS["label-studio"].read(dict(export_files(record, "label-studio")))
    assert read.units == record.units
    order = {unit.id: place for place, unit in enumerate(record.units)}
    assert list(read.responses) == sorted(record.final_responses(), key=lambda one: (order[one.unit], one.annotator))


@RELAXED
@given(record=campaigns(), data=st.data())
def test_a_shuffled_record_is_written_the_same(record: CampaignRecord, data: st.DataObject) -> None:
    shuffled = CampaignRecord(
        record.settings,
        record.protocol,
        record.protocols,
        record.units,
        tuple(data.draw(st.permutations(record.annotators))),
        tuple(data.draw(st.permutations(record.assignments))),
        tuple(data.draw(st.permutations(record.responses))),
        record.events,
        tuple(data.draw(st.permutations(record.curation))),
        tuple(data.draw(st.permutations(record.gold_versions))),
    )
    assert export_bytes(shuffled, "jsonl") == export_bytes(record, "jsonl")


@pytest.mark.parametrize("name", [*COMPLETE, *PARTIAL])
@settings(max_examples=one_in(4), suppress_health_check=list(HealthCheck))
@given(record=campaigns())
def test_on_disk_and_zipped(name: str, record: CampaignRecord, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder: Path = tmp_path_factory.mktemp("export")
    export_campaign(record, name, folder / "out")
    again = import_campaign(folder / "out", name) if any((folder / "out").rglob("*")) or FORMATS[name].single else None
    if again is not None:
        assert dict(export_files(again, name)) == dict(export_files(record, name))
    if not FORMATS[name].single:
        export_campaign(record, name, folder / "out.zip")
        assert (folder / "out.zip").read_bytes() == export_bytes(record, name)[1]
        assert dict(export_files(import_campaign(folder / "out.zip", name), name)) == dict(export_files(record, name))
