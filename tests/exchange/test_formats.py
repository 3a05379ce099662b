"""Each format by itself: real files of other tools, what is refused, and what reaches the disk."""

from __future__ import annotations

import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from goldmark.errors import GoldmarkError, ProblemsFound
from goldmark.exchange.campaign import gsml, webanno_syntax
from goldmark.exchange.campaign.archive import NothingToImport, TargetInUse, safe_names
from goldmark.exchange.campaign.marks import MarkOutsideText, UnknownSpansQuestion, WhichQuestion, spans_question
from goldmark.exchange.formats import (
    FORMATS,
    export_campaign,
    exports,
    import_campaign,
)
from goldmark.exchange.label_studio import format as label_studio
from goldmark.plugins import UnknownPlugin
from goldmark.protocols.loader import load
from goldmark.records.campaigns import (
    AnnotatorRecord,
    AssignmentRecord,
    CampaignRecord,
    EventRecord,
    ProtocolRecord,
    ResponseRecord,
    TimeWithoutZone,
)
from goldmark.records.units import ShownText, ShownUnit, Unit
from goldmark.texts.segmentation.text import make_text
from tests.exchange.files import export_files

NOON = datetime(2026, 11, 16, 12, 0, 0, 5, tzinfo=UTC)
TEXT = "The Owls 🎉 won 88-79. They left."  # tokens: The Owls 🎉 won 88 - 79 . They left .
MARK = {"id": "e1", "start": 4, "end": 5, "label": "NUMBER", "correction": "-81", "comment": "a_b\t[c]"}
LINKED = {"id": "e2", "start": 8, "end": 10, "label": "NAME", "links": {"about": [{"start": 0, "end": 2}]}}


def campaign(*marks: dict[str, Any], protocol: str | None = None, **answers: Any) -> CampaignRecord:
    unit = Unit("u1", ShownUnit({"text": ShownText(make_text("u1", TEXT))}), {"system": "A"})
    given = ResponseRecord("u1", "ann", 2, True, {"mistakes": list(marks), **answers}, "p/1", "key", NOON, NOON, 3.5)
    return CampaignRecord(
        settings={"title": "=1+1"},
        protocol="p/1" if protocol is None else "accuracy/1",
        protocols=() if protocol is None else (ProtocolRecord("accuracy", 1, protocol),),
        units=(unit,),
        annotators=(AnnotatorRecord("ann", "active", NOON),),
        assignments=(AssignmentRecord("u1", "ann", "done", NOON, NOON),),
        responses=(given,),
        events=(EventRecord(NOON, "boss", "exclude", "ann", "=too fast"),),
    )


def text_of(record: CampaignRecord, name: str, path: str) -> str:
    return dict(export_files(record, name))[path].decode()


def refused(name: str, files: dict[str, bytes]) -> list[str]:
    with pytest.raises(ProblemsFound) as caught:
        FORMATS[name].read(files)
    return [str(problem) for problem in caught.value.problems]


def test_the_shared_tasks_gold_list_comes_out_as_it_went_in(shared_data: Path) -> None:
    train = shared_data / "accuracy-shared-task/train"
    files = {f"texts/{path.name}": path.read_bytes() for path in (train / "texts").glob("*.txt")}
    files["gsml.csv"] = (train / "gsml.csv").read_bytes()
    record = gsml.read(files)
    assert len(record.units) == len(record.responses) == 60
    assert [annotator.id for annotator in record.annotators] == ["gold"]
    assert dict(export_files(record, "gsml")) == files
    for name in (name for name, one in exports().items() if one.imports and not one.tables):
        again = FORMATS[name].read(dict(export_files(record, name)))
        if name == "webanno-tsv":  # whose tokens are "given", which GSML writes as they stand
            assert dict(export_files(again, "gsml"))["gsml.csv"] == files["gsml.csv"]
        else:
            assert dict(export_files(again, "gsml")) == files, name


def test_the_curators_webanno_files_hold_the_gold_mistakes(shared_data: Path) -> None:
    train = shared_data / "accuracy-shared-task/train"
    files = {f"texts/{path.name}": path.read_bytes() for path in (train / "texts").glob("*.txt")}
    gold = gsml.read({**files, "gsml.csv": (train / "gsml.csv").read_bytes()})
    curated = import_campaign(train / "curation", "webanno-tsv")
    assert len(curated.units) == 60
    expected = {
        (response.unit[:4], mark["start"], mark["end"], mark["label"])
        for response in gold.responses
        for mark in response.answers["mistakes"]
    }
    found = {
        # The curator wrote a corrected type into a feature of its own; labels have a number in front.
        (response.unit[:4], mark["start"], mark["end"], _named(mark.get("J_Corrected_Type") or mark["label"]))
        for response in curated.responses
        for mark in response.answers["Errors"]
    }
    assert len(expected) == 1214
    assert found == expected


def _named(label: str) -> str:
    return label.partition("_")[2] if label[0].isdigit() else label


def test_webanno_escapes_counts_units_of_16_bits_and_numbers_ambiguous_spans() -> None:
    written = text_of(campaign(MARK, LINKED), "webanno-tsv", "annotation/u1/ann.tsv")
    assert written.splitlines()[:2] == [
        "#FORMAT=WebAnno TSV 3.3",
        "#T_SP=webanno.custom.mistakes|span_id|label|links|comment|correction",
    ]
    rows = [line.split("\t") for line in written.splitlines() if line[:1].isdigit()]
    # The emoji is one character and two units: 9-11; "88" follows at 16. One token, no number; two tokens, [1].
    assert rows[2][:3] == ["1-3", "9-11", "🎉"]
    assert rows[4] == ["1-5", "16-18", "88", "e1", "NUMBER", "*", r"a\_b\t\[c\]", "-81", ""]
    assert rows[8] == ["2-1", "23-27", "They", "e2[1]", "NAME[1]", "about=1-1..1-2[1]", "*[1]", "*[1]", ""]
    assert rows[0][3:] == ["_"] * 5 + [""]
    assert "#Text=The Owls 🎉 won 88-79." in written


def test_webanno_values_are_read_as_the_guide_describes() -> None:
    assert webanno_syntax.stacked("_") == []
    assert webanno_syntax.stacked("*") == [(None, None)]
    assert webanno_syntax.stacked(r"PER[1]|a\|b\_[2]|\*") == [("PER", 1), ("a|b_", 2), ("*", None)]
    for value in ("a->b", "\\t", "\t\\", "[1]", "a|b;c*_", "\\\\->"):
        assert webanno_syntax.stacked(webanno_syntax.escape_value(value)) == [(value, None)]
        assert webanno_syntax.unescape(webanno_syntax.escape_text(value)) == value


def test_webanno_from_elsewhere() -> None:
    # After the example for stacked annotations in INCEpTION's user guide, with a relation and part of a token.
    tsv = (
        "#FORMAT=WebAnno TSV 3.2\n#T_SP=pos.POS|PosValue\n#T_SP=webanno.custom.Entity|identifier|value\n"
        "#T_RL=dep.Dependency|kind|BT_pos.POS\n\n\n#Text=Ms. Haag\n#Text=plays.\n"
        "1-1\t0-3\tMs.\tNNP\t*[1]|*[2]\tPER[1]|PERpart[2]\tSUBJ\t1-3\t\n"
        "1-2\t4-8\tHaag\tNNP\t*[1]\tPER[1]\t_\t_\t\n"
        "1-3\t9-14\tplays\tVBD\t_\t_\t_\t_\t\n"
        "1-3.1\t9-13\tplay\t_\tx\tROOT\t_\t_\t\n"
        "1-4\t14-15\t.\t.\t_\t_\t_\t_\t\n\n#Text=No\n2-1\t17-19\tNo\tUH\t_\t_\t_\t_\t\n"
    )
    record = FORMATS["webanno-tsv"].read({"doc.txt/admin.tsv": tsv.encode()})
    text = record.units[0].shown.texts["text"].text
    assert (record.units[0].id, text.characters) == ("doc.txt", "Ms. Haag\nplays.  No")
    assert [(span.start, span.end) for span in text.sentences] == [(0, 4), (4, 5)]
    assert record.responses[0].annotator == "admin"
    assert record.responses[0].answers == {
        "Entity": [
            {"id": "m1", "start": 0, "end": 2, "label": "PER"},
            {"id": "m2", "start": 0, "end": 1, "label": "PERpart"},
            {"id": "m3", "start": 2, "end": 3, "label": "ROOT", "identifier": "x"},
        ]
    }
    assert "#FORMAT=WebAnno TSV 3" in refused("webanno-tsv", {"a/b.tsv": b"x"})[0]
    assert "no .tsv file" in refused("webanno-tsv", {"readme.md": b"x"})[0]


def test_label_studio_regions_count_characters() -> None:
    task = json.loads(text_of(campaign(MARK, LINKED, verdict="bad", score=3), "label-studio", "label-studio.json"))[0]
    assert {key: task["data"][key] for key in ("unit", "text", "context")} == {
        "unit": "u1",
        "text": TEXT,
        "context": "",
    }
    result = task["annotations"][0]["result"]
    # "88" after an emoji: Label Studio has counted characters, not 16-bit units, since 2022 (its pull request 1559).
    assert result[0] == {
        "id": "e1",
        "from_name": "mistakes",
        "to_name": "text",
        "type": "labels",
        "value": {"start": 15, "end": 17, "text": "88", "labels": ["NUMBER"]},
    }
    assert result[2]["value"] == {"start": 15, "end": 17, "text": ["-81"]}
    assert {
        "type": "relation",
        "from_id": "e2",
        "to_id": "e2-about-1",
        "direction": "right",
        "labels": ["about"],
    } in result
    assert [item["value"] for item in result if item.get("id", "").endswith("-answer")] == [
        {"number": 3},
        {"text": ["bad"]},
    ]


def test_label_studio_from_elsewhere() -> None:
    said = {"id": "x1", "from_name": "why", "to_name": "text", "type": "textarea", "value": {"text": ["a", "b"]}}
    chosen = {"id": "x2", "from_name": "fine", "to_name": "text", "type": "choices", "value": {"choices": ["no"]}}
    task = {
        "id": 7,
        "data": {"text": TEXT, "system": "A"},
        "annotations": [
            {
                "completed_by": 10,
                "created_at": "2021-03-09T22:16:08.728353Z",
                "lead_time": 4.288,
                "result": [
                    {
                        "id": "x1",
                        "from_name": "label",
                        "to_name": "text",
                        "type": "labels",
                        "value": {"start": 5, "end": 10, "text": "wls 🎉", "labels": ["NAME"]},
                    },
                    said,
                    chosen,
                ],
            },
            {"completed_by": 11, "was_cancelled": True, "result": []},
        ],
    }
    record = label_studio.read({"export.json": json.dumps([task]).encode()})
    response = record.responses[0]
    assert (response.unit, response.annotator, response.seconds_active) == ("7", "10", 4.288)
    assert response.server_time == datetime(2021, 3, 9, 22, 16, 8, 728353, tzinfo=UTC)
    assert response.answers == {
        "labels": [{"id": "x1", "start": 5, "end": 10, "label": "NAME", "why": "a\nb"}],
        "fine": "no",
    }
    assert record.units[0].hidden == {"system": "A"}
    assert "no list of tasks" in refused("label-studio", {"x.json": b"{}"})[0]
    assert "task 1" in refused("label-studio", {"x.json": b'[{"text": "JSON-MIN"}]'})[0]
    assert "no text in common" in refused("label-studio", {"x.json": b'[{"data": {}}]'})[0]


def from_label_studio(*annotations: dict[str, Any], **task: Any) -> CampaignRecord:
    tasks = [{"id": 7, "data": {"text": TEXT}, "annotations": list(annotations), **task}]
    return label_studio.read({"export.json": json.dumps(tasks).encode()})


def test_label_studio_annotations_without_a_result_mark_nothing() -> None:
    place = {"start": 4, "end": 8, "text": "Owls", "labels": ["NAME"]}
    region = {"id": "x1", "from_name": "errors", "to_name": "text", "type": "labels", "value": place}
    chosen = {"id": "x2", "from_name": "fine", "to_name": "text", "type": "choices", "value": {"choices": ["no"]}}
    record = from_label_studio(
        {"completed_by": 1, "result": [region, chosen]},
        {"completed_by": 2, "result": []},
        {"completed_by": 3, "result": None},
        {"completed_by": 4},
        {"completed_by": 5, "result": [chosen]},
        {"completed_by": 6, "result": [], "was_cancelled": True},
        {"completed_by": 7, "result": [region], "was_cancelled": True},
        {"completed_by": 8, "result": [], "skipped": True},
    )
    marks = {one.annotator: len(one.answers["errors"]) for one in record.responses}
    assert marks == {"1": 1, "2": 0, "3": 0, "4": 0, "5": 0}  # who skipped the task gave no answer
    assert {one.annotator: one.answers.get("fine") for one in record.responses}["2"] is None
    assert spans_question(record).id == "errors"


def test_label_studio_files_in_which_nobody_marked_anything() -> None:
    assert from_label_studio().responses == ()
    assert from_label_studio(annotations=None).units[0].id == "7"
    assert [one.answers for one in from_label_studio({"completed_by": 1, "result": []}).responses] == [{"mistakes": []}]
    # Where people only chose, nobody was asked to mark.
    chosen = {"id": "x2", "from_name": "fine", "to_name": "text", "type": "choices", "value": {"choices": ["no"]}}
    record = from_label_studio({"completed_by": 1, "result": [chosen]}, {"completed_by": 2, "result": []})
    assert [one.answers for one in record.responses] == [{"fine": "no"}, {}]


def test_csv_and_gsml_hold_no_formula() -> None:
    files = {**dict(export_files(campaign(MARK), "csv")), **dict(export_files(campaign(MARK), "gsml"))}
    assert b"'=too fast" in files["events.csv"]
    assert b",-81," in files["gsml.csv"]


def read_by(*answers: dict[str, Any]) -> CampaignRecord:
    """One text, read by ann, bo, cy... with these answers."""
    people = ("ann", "bo", "cy")[: len(answers)]
    return CampaignRecord(
        units=(Unit("u1.txt", ShownUnit({"text": ShownText(make_text("u1.txt", TEXT))})),),
        annotators=tuple(map(AnnotatorRecord, people)),
        assignments=tuple(AssignmentRecord("u1.txt", who, "done") for who in people),
        responses=tuple(
            ResponseRecord("u1.txt", who, 1, True, said) for who, said in zip(people, answers, strict=True)
        ),
    )


@pytest.mark.parametrize("name", ["gsml", "webanno-tsv"])
def test_people_who_marked_nothing_are_there_after_a_round_trip(name: str) -> None:
    record = read_by({"mistakes": [MARK]}, {"mistakes": []}, {"verdict": "fine"})  # cy was not asked for mistakes
    files = dict(export_files(record, name))
    if name == "gsml":
        assert files["seen.csv"].decode() == "TEXT_ID,ANNOTATOR\nu1.txt,ann\nu1.txt,bo\nu1.txt,cy\n"
    read = FORMATS[name].read(files)
    assert {one.annotator: len(one.answers["mistakes"]) for one in read.responses} == {"ann": 1, "bo": 0, "cy": 0}


def test_gsml_of_one_person_and_of_nobody() -> None:
    alone = dict(export_files(read_by({"mistakes": [MARK]}), "gsml"))
    assert b"ANNOTATOR" not in alone["gsml.csv"]
    assert [one.id for one in gsml.read(alone).annotators] == ["ann"]
    assert gsml.read(dict(export_files(read_by(), "gsml"))).responses == ()
    two = {**alone, "seen.csv": b"TEXT_ID,ANNOTATOR\nu1.txt,ann\nu1.txt,bo\n"}
    assert "seen.csv names 2 people" in refused("gsml", two)[0]
    strange = {**alone, "seen.csv": b"TEXT_ID,ANNOTATOR\nu9,a\n"}
    assert "seen.csv:2  text 'u9' is not known" in refused("gsml", strange)[0]


def test_the_question_is_known_from_the_protocol() -> None:
    source = load("accuracy").source
    assert spans_question(campaign(protocol=source)).id == "mistakes"
    assert dict(export_files(campaign(protocol=source), "gsml"))["gsml.csv"].count(b"\n") == 1  # only the header
    with pytest.raises(UnknownSpansQuestion, match="mistakes"):
        spans_question(campaign(protocol=source), "errors")


def test_the_question_is_known_from_the_answers() -> None:
    other = [{"id": "x", "start": 0, "end": 1}]
    assert spans_question(campaign(MARK, other=other), "other").id == "other"
    with pytest.raises(WhichQuestion, match="mistakes, other"):
        spans_question(campaign(MARK, other=other))
    with pytest.raises(MarkOutsideText, match="3-99"):
        list(export_files(campaign({**MARK, "start": 3, "end": 99}), "gsml"))


def test_spans_by_character_are_widened_to_tokens_where_a_format_has_no_others() -> None:
    question = "{id: mistakes, kind: spans, by: character, attributes: [{id: correction, kind: text}]}"
    source = f"protocol: accuracy/1\ntitle: Mark\nsteps:\n  - questions:\n      - {question}\n"
    record = campaign({**MARK, "start": 15, "end": 16}, protocol=source)  # the first 8 of "88", which is token 5
    assert "u1.txt,1,e1,88,5,5,5,5,NUMBER,-81," in text_of(record, "gsml", "gsml.csv")
    task = json.loads(text_of(record, "label-studio", "label-studio.json"))[0]
    assert task["annotations"][0]["result"][0]["value"]["text"] == "8"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"record": "unit"}', '"id" is missing'),
        ('{"record": "dog"}', "cannot be read"),
        ("[]", "cannot be read"),
        ("{", "cannot be read"),
        ('{"record": "annotator", "id": "ann", "state": "a", "joined": null, "facts": {}}', "occurs twice"),
        ('{"record": "annotator", "id": "b", "state": "a", "joined": "2020-01-01", "facts": {}}', "zone"),
        ('{"record": "annotator", "id": 3, "state": "a", "joined": null, "facts": {}}', '"id" should be text'),
        ('{"record": "annotator", "id": "b", "state": "a", "joined": null, "facts": {}, "x": 1}', '"x" is no column'),
        (
            '{"record": "assignment", "unit": "u9", "annotator": "ann", "state": "done", "claimed": null, '
            '"finished": null, "facts": {}}',
            'names the unit "u9"',
        ),
    ],
)
def test_bad_lines_are_named(line: str, said: str) -> None:
    content = dict(export_files(campaign(MARK), "jsonl"))["campaign.jsonl"]
    (found,) = refused("jsonl", {"campaign.jsonl": content + line.encode()})
    assert found.startswith(f"campaign.jsonl:{len(content.splitlines()) + 1}  ")
    assert said in found


def test_two_final_responses_and_a_broken_text_are_refused() -> None:
    content = dict(export_files(campaign(MARK), "jsonl"))["campaign.jsonl"].decode()
    response = next(line for line in content.splitlines() if '"record":"response"' in line)
    twice = content + response.replace('"revision":2', '"revision":3')
    assert "final response" in refused("jsonl", {"x": twice.encode()})[0]
    assert refused("jsonl", {"x": content.replace("[0,3],[4,8]", "[0,3],[2,8]").encode()})[0].startswith("x:")


@pytest.mark.parametrize("place", ["0.0", "false", '"0"', "null", "[]"])
def test_places_of_tokens_that_are_no_whole_numbers_are_refused_in_words(place: str) -> None:
    content = dict(export_files(campaign(MARK), "jsonl"))["campaign.jsonl"]
    found, *_ = refused("jsonl", {"x": content.replace(b'"tokens":[[0,', f'"tokens":[[{place},'.encode())})
    assert "its text cannot be read" in found


def test_what_is_missing_is_named() -> None:
    files = dict(export_files(campaign(MARK), "csv"))
    del files["units.csv"]
    assert refused("csv", files)[0] == "units.csv  the file is missing; give the whole folder that was exported"
    files["units.csv"] = b"id,shown\nx\n"
    assert "the row has 1 cells, the header 2" in refused("csv", files)[0]
    assert "gsml.csv  the file is missing" in refused("gsml", {"texts/a.txt": b"x"})[0]
    assert "not Parquet" in " ".join(refused("parquet", {"units.parquet": b"x"}))


def test_exports_overwrite_nothing(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "file").touch()
    for name, target in (("csv", "there"), ("jsonl", "there/file")):
        with pytest.raises(TargetInUse):
            export_campaign(campaign(MARK), name, tmp_path / target)


def test_imports_are_limited_and_stay_inside(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("units.csv", b"0" * 1_000_000)
    with pytest.raises(NothingToImport, match="larger"):
        import_campaign(tmp_path / "bomb.zip", "csv", limit_bytes=10_000)
    (tmp_path / "bad.zip").write_bytes(b"no")
    for path in (tmp_path / "bad.zip", tmp_path / "none.jsonl"):
        with pytest.raises(NothingToImport):
            import_campaign(path, "csv")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "units.csv").symlink_to(tmp_path / "bad.zip")
    with pytest.raises(GoldmarkError, match="outside"):
        import_campaign(tmp_path / "folder", "csv")
    with pytest.raises(UnknownPlugin, match="there are jsonl, csv, parquet"):
        FORMATS.find("xml")


def test_names_of_files_are_safe_and_unique() -> None:
    ids = ["S001.txt", "S001", "s001.txt", "../x", "a/b", "con", ".hidden", "", "é" * 100, "x~1"]
    names = safe_names(ids, ".txt")
    assert names["S001.txt"] != names["S001"]
    assert len({name.casefold() for name in names.values()}) == len(ids)
    assert all(name.endswith(".txt") and "/" not in name and name[0] not in ". " for name in names.values())
    assert all(len(name) < 160 and name.isascii() for name in names.values())


def test_times_are_in_utc_and_values_are_json() -> None:
    with pytest.raises(TimeWithoutZone):
        AnnotatorRecord("x", "active", datetime(2026, 1, 1))  # noqa: DTZ001
    for value in (float("nan"), "\ud800", datetime):
        with pytest.raises(GoldmarkError):
            list(export_files(campaign(MARK, note=value), "jsonl"))
    hostile = dict(export_files(campaign(MARK, note=["\0"]), "jsonl"))
    assert "U+0000 (NUL), which databases cannot store" in refused("jsonl", hostile)[0]
