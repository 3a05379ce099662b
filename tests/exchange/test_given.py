"""Answers for a campaign that has its units: tidy files, lists, and whole campaigns of other tools."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from goldmark.errors import Problem
from goldmark.exchange.campaign.marks import campaign_of
from goldmark.exchange.format import OnlyAnswers
from goldmark.exchange.formats import FORMATS, import_campaign, imports
from goldmark.exchange.responses.given import GivenAnswers, NoSpansQuestion, Target, WhichSpans
from goldmark.exchange.responses.placement import CannotPlace, OtherText, Placing
from goldmark.exchange.responses.same import same
from goldmark.exchange.responses.values import Values
from goldmark.protocols import parse
from goldmark.records.units import ShownText, ShownUnit
from goldmark.texts.segmentation.text import make_text
from tests.exchange.files import export_files

PROTOCOL = """
protocol: everything/1
title: Everything
texts: [text, other]
taxonomies:
  kinds:
    - {id: accuracy, title: Accuracy, children: [{id: name, title: Wrong name}, {id: number}]}
    - {id: style, children: [{id: name, title: Odd name}]}
steps:
  - questions:
      - id: mistakes
        kind: spans
        labels: {tree: kinds}
        attributes:
          - {id: severity, kind: choice, options: [{id: minor, value: 1}, {id: major, title: Serious, value: 5}]}
          - {id: comment, kind: text, required: false}
        links: {about: {}}
      - {id: rating, kind: choice, options: [{id: low, value: 1}, {id: high, title: Very good, value: 5}]}
      - {id: reasons, kind: choices, options: [slow, dull, {id: x, title: "Long; and winding"}], required: false}
      - {id: score, kind: number, required: false}
      - {id: why, kind: text, required: false}
      - {id: better, kind: compare, between: [text, other], tie: true, required: false}
"""
WORDS = "The Owls won 88-79.\nThey left."  # tokens: The Owls won 88 - 79 . They left .


def target(*units: str, protocol: str = PROTOCOL, **more: Any) -> Target:
    shown = {
        name: ShownUnit({"text": ShownText(make_text(name, WORDS)), "other": ShownText(make_text(name, "They lost."))})
        for name in units or ("u1", "u2")
    }
    return Target(parse(protocol), shown, **more)


def read(format_name: str, files: dict[str, str], to: Target | None = None) -> tuple[list[GivenAnswers], list[str]]:
    problems: list[Problem] = []
    found = FORMATS[format_name].read_answers(
        {name: text.encode() for name, text in files.items()}, to or target(), problems
    )
    return found, [str(one) for one in problems]


@pytest.mark.parametrize(
    ("key", "written", "meant"),
    [
        ("rating", "low", "low"),
        ("rating", " LOW ", "low"),
        ("rating", "very good", "high"),
        ("rating", "5", "high"),
        ("rating", 1, "low"),
        ("rating", "5.0", "high"),
        ("rating", "3", "3"),  # no option: the check says so
        ("reasons", "slow; dull", ["slow", "dull"]),
        ("reasons", "slow|DULL|", ["slow", "dull"]),
        ("reasons", "long; and winding", ["x"]),
        ("reasons", '["slow", "x"]', ["slow", "x"]),
        ("reasons", ["dull"], ["dull"]),
        ("score", "3", 3),
        ("score", "3.5", 3.5),
        ("score", 4, 4),
        ("score", "three", "three"),
        ("why", "[sic]", "[sic]"),
        ("why", 7, "7"),
        ("better", "Other", "other"),
        ("better", "TIE", "tie"),
        ("mistakes", "", []),
        ("mistakes", "[]", []),
        ("mistakes", '[{"start": 0, "end": 1}]', [{"id": "e1", "start": 0, "end": 1}]),
        ("mistakes", "[{", "[{"),
    ],
)
def test_values_are_read_as_people_write_them(key: str, written: object, meant: object) -> None:
    assert Values(parse(PROTOCOL)).read({key: written}) == {key: meant}


@pytest.mark.parametrize(
    ("label", "meant"),
    [
        ("accuracy.number", "accuracy.number"),
        ("number", "accuracy.number"),
        ("Accuracy/Wrong name", "accuracy.name"),
        ("wrong-name", "accuracy.name"),
        ("Odd Name", "style.name"),
        ("STYLE", "style"),
        ("name", "name"),  # there are two
        ("colour", "colour"),
    ],
)
def test_labels_are_known_by_every_name_that_means_one(label: str, meant: str) -> None:
    given = [{"id": "a", "start": 0, "end": 1, "label": label, "severity": "Serious", "comment": " "}]
    (read_back,) = Values(parse(PROTOCOL)).read({"mistakes": given})["mistakes"]
    assert read_back == {"id": "a", "start": 0, "end": 1, "label": meant, "severity": "major"}


def test_marks_without_an_id_get_one_that_is_free_and_what_is_left_out_is_gone() -> None:
    marks: list[dict[str, Any]] = [{"start": 0, "hue": "red"}, {"id": "e1"}, {"start": 2, "severity": 5}]
    values = Values(parse(PROTOCOL), leave_out=["hue", "score"])
    assert values.read({"mistakes": marks, "score": 3, "why": None, "rating": ""}) == {
        "mistakes": [{"id": "e2", "start": 0}, {"id": "e1"}, {"id": "e3", "start": 2, "severity": "major"}]
    }


def test_tidy_files_name_unit_annotator_and_questions() -> None:
    text = (
        "unit,annotator,rating,mistakes,seconds,time\r\n"
        'u1,Ada,low,"[{""start"": 3, ""end"": 6, ""label"": ""number""}]",12,2026-11-16T12:00:00\r\n'
        "\r\n"
        "u2,Ada,5,,,\r\n"
    )
    found, problems = read("tidy", {"answers.csv": "\ufeff" + text})
    assert problems == []
    assert [(one.where, one.unit, one.annotator, one.seconds) for one in found] == [
        ("answers.csv:2", "u1", "Ada", 12.0),
        ("answers.csv:4", "u2", "Ada", None),
    ]
    assert found[0].time == datetime(2026, 11, 16, 12, tzinfo=UTC)
    semicolons, problems = read("tidy", {"a.csv": "unit;annotator;rating\nu1;Ada;low\n"})
    assert (semicolons[0].answers, problems) == ({"rating": "low"}, [])


def test_tidy_json_may_have_its_answers_in_an_object() -> None:
    rows = [
        {"unit": "u1", "annotator": "Ada", "answers": {"rating": "low", "mistakes": []}},
        {"unit": "u1", "annotator": 7, "rating": 5},
    ]
    expected = [{"rating": "low", "mistakes": []}, {"rating": 5}]
    for name, text in (("a.jsonl", "\n".join(map(json.dumps, rows))), ("a.json", json.dumps(rows))):
        found, problems = read("tidy", {name: text})
        assert ([one.answers for one in found], problems) == (expected, [])
        assert [one.annotator for one in found] == ["Ada", "7"]
    assert found[1].where == "a.json, entry 2"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("TEXT_ID,ANNOTATOR\nu1,Ada\n", "a.csv:1  no column unit and annotator; the file has TEXT_ID, ANNOTATOR"),
        ("unit,annotator,mood\nu1,Ada,good\nu2,Ada,bad\n", "a.csv:2  'mood' is no question of everything/1"),
        ("unit,annotator,ratings\nu1,Ada,low\n", "did you mean"),
        ("unit,annotator,rating,rating\nu1,Ada,low,low\n", "a.csv:1  column 'rating' stands there twice"),
        ("unit,annotator,rating\nu1,Ada\n", "a.csv:2  2 cells for 3 columns"),
        ("unit,annotator,rating\n,Ada,low\n", "a.csv:2  unit is empty"),
        ("unit,annotator,seconds\nu1,Ada,soon\n", "a.csv:2  seconds is 'soon'"),
        ("unit,annotator,time\nu1,Ada,noon\n", "a.csv:2  time is 'noon'"),
    ],
)
def test_what_is_wrong_with_a_tidy_file_is_told_with_its_line(text: str, said: str) -> None:
    _, problems = read("tidy", {"a.csv": text})
    assert len(problems) == 1
    assert said in problems[0]


def test_what_is_wrong_with_a_line_of_json_is_told() -> None:
    _, problems = read("tidy", {"a.jsonl": '{"unit": "u1", "annotator": "Ada"}\nnothing\n7\n{"unit": "u1"}'})
    assert [one.partition("  ")[0] for one in problems] == ["a.jsonl:2", "a.jsonl:3", "a.jsonl:4"]
    _, problems = read("tidy", {"a.json": "[{]"})
    assert problems[0].startswith("a.json  the file is not JSON")


def test_one_question_may_stand_in_a_column_called_answer() -> None:
    found, problems = read("tidy", {"a.csv": "unit,annotator,answer\nu1,Ada,low\n"}, target(question="rating"))
    assert (found[0].answers, problems) == ({"rating": "low"}, [])
    _, problems = read(
        "tidy", {"a.csv": "unit,annotator,system\nu1,Ada,alder\n"}, target(leave_out=frozenset({"system"}))
    )
    assert problems == []


def test_positions_may_count_characters() -> None:
    marks = [{"start": 13, "end": 17, "label": "number"}, {"start": 5, "end": 8}]  # "88-7" and "wls"
    row = json.dumps({"unit": "u1", "annotator": "Ada", "mistakes": marks})
    found, problems = read("tidy", {"a.jsonl": row}, target(counted="character"))
    assert problems == []
    assert [(one["start"], one["end"]) for one in found[0].answers["mistakes"]] == [(3, 6), (1, 2)]
    assert found[0].widened == 2
    _, problems = read("tidy", {"a.jsonl": row.replace("17", "170")}, target(counted="character"))
    assert problems == ["a.jsonl:1  the mark 13-170 is not in the text, which has 30 characters"]


def test_a_mark_is_put_on_other_tokens_and_other_white_space() -> None:
    ours = make_text("u1", WORDS)
    theirs = make_text("u1", "The Owls won 88-79. They left .", tokeniser="whitespace")
    moving = Placing(theirs, "token", ours, "token")
    mark = {"id": "e1", "start": 3, "end": 4, "links": {"about": [{"start": 4, "end": 6}]}}
    # "88-79." is four of our tokens: 88 - 79 .
    assert moving.move(mark) == {"id": "e1", "start": 3, "end": 7, "links": {"about": [{"start": 7, "end": 9}]}}
    assert moving.widened == 0
    characters = Placing(theirs, "character", ours, "character")
    assert characters.move({"start": 15, "end": 25}) == {"start": 15, "end": 24}  # "-79. They " without its last space
    with pytest.raises(CannotPlace, match="0-9 is not in the text, which has 7 tokens"):
        moving.move({"start": 0, "end": 9})
    with pytest.raises(CannotPlace, match="white space only"):
        characters.move({"start": 19, "end": 20})
    with pytest.raises(OtherText, match=r"'Crowswon'.*'Owlswon"):
        Placing(make_text("u1", "The Crows won"), "token", ours, "token")
    with pytest.raises(OtherText, match="'' stands where"):
        Placing(make_text("u1", "The Owls"), "token", ours, "token")


def test_which_question_marks_go_to() -> None:
    assert target().spans_question().id == "mistakes"
    two = PROTOCOL.replace("- {id: score, kind: number, required: false}", "- {id: praise, kind: spans}")
    with pytest.raises(WhichSpans, match="mistakes, praise"):
        target(protocol=two).spans_question()
    assert target(protocol=two, question="praise").spans_question().id == "praise"
    with pytest.raises(NoSpansQuestion, match="mistakes"):
        target(question="rating").spans_question()


GSML = (
    "TEXT_ID,SENTENCE_ID,ANNOTATION_ID,TOKENS,SENT_TOKEN_START,SENT_TOKEN_END,DOC_TOKEN_START,DOC_TOKEN_END,TYPE,"
    "CORRECTION,COMMENT,ANNOTATOR\n"
)


def test_a_mistake_list_counts_our_tokens_or_what_stands_between_white_space() -> None:
    ours = (
        f"{GSML}u1.txt,,7,Owls,,,2,2,NAME,Foxes,,Ada\nu1,,7,88 -,,,4,5,NUMBER,,,Ada\nu2,,,They left,,,8,9,NAME,,no,Bo\n"
    )
    found, problems = read("gsml", {"list.csv": ours})
    assert problems == []
    assert [(one.unit, one.annotator, one.where) for one in found] == [
        ("u1", "Ada", "list.csv:2"),
        ("u2", "Bo", "list.csv:4"),
    ]
    assert found[0].answers["mistakes"] == [
        {"id": "7", "start": 1, "end": 2, "label": "NAME", "correction": "Foxes"},
        {"id": "m1", "start": 3, "end": 5, "label": "NUMBER"},
    ]
    assert found[0].marks == {"7": "list.csv:2", "m1": "list.csv:3"}
    spaced = f"{GSML}u1,,1,88-79.,,,4,4,NUMBER,,,Ada\n"
    found, problems = read("gsml", {"list.csv": spaced})
    assert problems == []
    assert found[0].answers["mistakes"] == [{"id": "1", "start": 3, "end": 7, "label": "NUMBER"}]
    _, problems = read("gsml", {"list.csv": f"{GSML}u1,,1,88,,,3,3,NUMBER,,,Ada\nu9,,1,x,,,1,1,NAME,,,Ada\n"})
    assert [one.partition("  ")[0] for one in problems] == ["list.csv:2", "list.csv:3"]
    found, problems = read("gsml", {"list.csv": spaced}, target("u1.txt"))  # a unit called after its file
    assert ([one.unit for one in found], problems) == (["u1.txt"], [])
    _, problems = read("gsml", {"list.csv": GSML.replace(",ANNOTATOR", "")})
    assert "column ANNOTATOR missing" in problems[0]


def test_answers_of_whole_campaigns_find_their_units_and_places() -> None:
    spaced = make_text("u1", "The Owls won 88-79. They left.", tokeniser="whitespace")
    mark = {"id": "e1", "start": 3, "end": 4, "label": "number", "severity": "major"}
    record = campaign_of(
        {"u1": spaced, "u2": make_text("u2", WORDS)}, {("u1", "Ada"): [mark], ("u2", "Ada"): []}, question="mistakes"
    )
    for format_name in ("webanno-tsv", "label-studio"):
        files = {name: content.decode() for name, content in export_files(record, format_name)}
        found, problems = read(format_name, files)
        assert problems == []
        assert {(one.unit, one.annotator): one.answers["mistakes"] for one in found} == {
            ("u1", "Ada"): [{**mark, "start": 3, "end": 7}],
            ("u2", "Ada"): [],
        }


def test_webanno_files_called_after_the_text_and_marks_in_a_layer_of_another_name() -> None:
    tsv = (
        "#FORMAT=WebAnno TSV 3.2\n#T_SP=webanno.custom.Error|kind|comment\n\n\n"
        "#Text=The Owls won 88-79.\n1-1\t0-3\tThe\t_\t_\t\n1-2\t4-8\tOwls\tWrong name\t*\t\n"
        "1-3\t9-12\twon\t_\t_\t\n1-4\t13-19\t88-79.\t_\t_\t\n\n#Text=They left.\n2-1\t20-24\tThey\t_\t_\t\n"
        "2-2\t25-30\tleft.\t_\t_\t\n"
    )
    found, problems = read("webanno-tsv", {"u1.txt/Ada.tsv": tsv, "u2.txt/Ada.tsv": tsv.replace("Owls", "Cows")})
    assert [(one.unit, one.annotator) for one in found] == [("u1", "Ada")]
    assert found[0].answers == {"mistakes": [{"id": "m1", "start": 1, "end": 2, "label": "Wrong name"}]}
    assert problems == [
        "Ada on u2.txt  the text is another than the campaign's: 'Cowswon88-79.Theylef' stands where the campaign has "
        "'Owlswon88-79.Theylef'"
    ]
    _, problems = read("webanno-tsv", {"u7/Ada.tsv": tsv})
    assert problems == ["u7/Ada.tsv, Ada on u7  unit 'u7' is not in this campaign; it has 2, such as 'u1'"]


def test_tasks_of_label_studio() -> None:
    region = {"id": "r1", "from_name": "label", "to_name": "text", "type": "labels"}
    result = [
        {**region, "value": {"start": 4, "end": 7, "text": "Owl", "labels": ["Wrong name"]}},
        {**region, "from_name": "severity", "type": "choices", "value": {"start": 4, "end": 7, "choices": ["Serious"]}},
        {"id": "c", "from_name": "rating", "to_name": "text", "type": "choices", "value": {"choices": ["Very good"]}},
    ]
    task = {
        "id": 3,
        "data": {"text": WORDS, "unit": "u1"},
        "annotations": [{"completed_by": 4, "created_at": "2026-11-16T12:00:00Z", "lead_time": 9.5, "result": result}],
    }
    (found,), problems = read("label-studio", {"export.json": json.dumps([task])})
    assert problems == []
    assert (found.where, found.annotator, found.seconds) == ("export.json, 4 on u1", "4", 9.5)
    assert Values(parse(PROTOCOL)).read(found.answers) == {
        "mistakes": [{"id": "r1", "start": 1, "end": 2, "label": "accuracy.name", "severity": "major"}],
        "rating": "high",
    }


def test_answers_are_the_same_whatever_the_order_and_the_ids() -> None:
    one = {"mistakes": [{"id": "a", "start": 1, "end": 2}, {"id": "b", "start": 3, "end": 4}], "reasons": ["x", "slow"]}
    other = {"mistakes": [{"id": "q", "start": 3, "end": 4, "comment": ""}, {"id": "p", "start": 1, "end": 2}]}
    assert same(one, {**other, "reasons": ["slow", "x"], "why": ""})
    assert not same(one, other)
    assert not same({"mistakes": []}, {})
    assert same({"score": 3}, {"score": 3.0})


def test_a_tidy_file_is_no_whole_campaign(tmp_path: Path) -> None:
    assert {"tidy", "gsml", "webanno-tsv", "label-studio", "jsonl"} <= set(imports())
    with pytest.raises(OnlyAnswers, match="import-answers"):
        import_campaign(tmp_path, "tidy")


def test_a_list_of_mistakes_in_one_of_two_texts() -> None:
    other = PROTOCOL.replace(
        "id: mistakes\n        kind: spans\n", "id: mistakes\n        kind: spans\n        of: other\n"
    )
    found, problems = read("gsml", {"list.csv": f"{GSML}u1,,1,lost,,,2,2,NAME,,,Ada\n"}, target(protocol=other))
    assert problems == []
    assert (found[0].unit, found[0].answers["mistakes"][0]["start"]) == ("u1", 1)
