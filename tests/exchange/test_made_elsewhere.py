"""Projects that were made and answered in the programs themselves: `python -m tools.peers` ran them and kept what they
exported (doccano 1.8.4 and Label Studio 1.23.2; factgenie 1.2.1, pearmut 1.1.6 and potato 2.12.1 in a browser; the
library of thresh 1.1.1, the client of Argilla 2.8)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from goldmark.exchange.campaign.archive import read_files
from goldmark.exchange.formats import FORMATS
from goldmark.protocols import parse, validate
from goldmark.records.campaigns import CampaignRecord
from goldmark.records.units import ContextText

HERE = Path(__file__).parent / "made_elsewhere"
OWLS, FOXES, ARABIC = "The Owls 🎉 won on <b>Monday</b>.\nNobody minds.", "狐狸 输了。", "خسر الثعالب المباراة."
ADA, BO = (f"00000000-0000-0000-0000-00000000000{number}" for number in (1, 2))


def read(name: str, *paths: str) -> CampaignRecord:
    files: dict[str, bytes] = {}
    for path in paths:
        files |= read_files(HERE / name / path)
    record = FORMATS[name].read(files)
    asked = parse(record.protocols[0].source)
    shown = {unit.id: unit.shown for unit in record.units}
    assert all(validate(asked, one.answers, shown[one.unit]) == [] for one in record.responses)
    return record


def texts(record: CampaignRecord) -> dict[str, str]:
    return {unit.id: unit.shown.texts["text"].text.characters for unit in record.units}


def said(record: CampaignRecord) -> dict[tuple[str, str], dict[str, Any]]:
    """Everybody's answers, with the marked words in the place of their positions."""
    words = texts(record)
    return {
        (one.unit, one.annotator): {
            name: [(words[one.unit][mark["start"] : mark["end"]], mark.get("label")) for mark in value]
            if isinstance(value, list) and all(isinstance(each, dict) for each in value)
            else value
            for name, value in one.answers.items()
        }
        for one in record.final_responses()
    }


def test_doccanos_marks_relations_and_who_marked_nothing() -> None:
    record = read("doccano", "marks.zip")
    assert list(texts(record).values()) == [OWLS, FOXES, ARABIC]
    assert [unit.hidden["system"] for unit in record.units] == ["alder", "birch", "alder"]
    first, second, third = texts(record)
    assert said(record) == {
        (first, "ada"): {"spans": [("Owls", "wrong_name"), ("won", "wrong_number")]},
        (second, "ada"): {"spans": [("狐狸", "wrong_name")]},
        (third, "ada"): {"spans": []},
        (first, "bo"): {"spans": [("Monday", "wrong_name")], "comments": "which Monday?"},
    }
    links = [mark.get("links") for one in record.responses for mark in one.answers["spans"]]
    assert links == [{"does": [{"start": 11, "end": 14}]}, None, None, None]


def test_doccanos_categories() -> None:
    chosen = {
        (texts(record)[unit], person): answers["labels"]
        for record in [read("doccano", "categories.zip")]
        for (unit, person), answers in said(record).items()
    }
    assert chosen == {
        (OWLS, "ada"): "Good",
        (FOXES, "ada"): "Bad",
        (ARABIC, "ada"): "Good",
        (OWLS, "bo"): "Bad",
        (FOXES, "bo"): "odd_one",
        (ARABIC, "bo"): "Good",
    }


def test_potatos_marks_stand_on_the_words_that_its_page_drew() -> None:
    record = read("potato", "")
    assert texts(record) == {"i0": "The Owls 🎉 won on Monday & left.\nNobody minds.", "i1": FOXES, "i2": ARABIC}
    both = {"fluency": 4, "place": "away", "trust": 7, "counts": 12, "why": "because\u00a0of <them>"}
    assert said(record) == {
        ("i0", "ada"): {
            "tone": "kind",
            "topics": ["sport", "weather"],
            "errors": [("Owls", "name"), ("Nobody", "number")],
            **both,
        },
        ("i1", "ada"): {"tone": "rude", "errors": [("狐狸", "name")]},
        ("i2", "ada"): {"tone": "kind", "errors": []},
        ("i0", "bo"): {"tone": "rude", "topics": ["sport"], "errors": [], **both},
    }
    assert [unit.hidden["system"] for unit in record.units] == ["alder", "birch", "alder"]
    asked = {one.id: one for one in parse(record.protocols[0].source).questions()}
    assert asked["tone"].ask == "Which tone?"


@pytest.mark.parametrize("path", ["records.json", "rows.parquet"])
def test_argillas_records_and_rows_of_datasets(path: str) -> None:
    record = read("argilla", path, "settings.json")
    assert texts(record) == {"r1": OWLS, "r2": FOXES, "r3": ARABIC}
    ranked = {"a": "a > b", "b": "b > a"}
    assert said(record) == {
        ("r1", ADA): answer("yes", ["sport"], 4, "clear", [("Owls", "wrong_name")], ranked["a"]),
        ("r1", BO): answer("no", ["odd_one"], 2, "which Monday?", [], ranked["b"]),
        ("r2", ADA): answer("no", ["sport", "odd_one"], 1, "输了", [("狐狸", "wrong_name")], ranked["b"]),
        ("r3", ADA): answer("no", ["odd_one"], 2, "-", [], ranked["b"]),
    }  # and not what Bo only began
    for unit in record.units:  # nobody who annotates learns which system it was
        assert [item.title for item in unit.shown.context] == ["question"]
        assert unit.hidden["system"] in ("alder", "birch")


def answer(good: str, topics: list[str], stars: int, why: str, errors: Any, best: str) -> dict[str, Any]:
    return {"good": good, "topics": topics, "stars": stars, "why": why, "errors": errors, "best": best}


def test_rows_without_settings_show_nothing_but_the_text() -> None:
    rows = read_files(HERE / "argilla" / "rows.parquet")
    record = FORMATS["argilla"].read(rows, "answer")
    assert all(unit.shown.context == () and unit.hidden["question"] == "Who won?" for unit in record.units)


MARKUP = "The Owls 🎉 won on <b>Monday</b> & left.\nNobody minds."
PEARMUT_TEXTS = {
    "g1:alder": MARKUP,
    "g1:birch": "狐狸 输了。\n真的",
    "1be05f48:alder": "خسر الثعالب 🦊 المباراة.",  # an item without a name is called after what it shows
    "1be05f48:birch": "Foxes lost.",
}


def test_pearmuts_marks_categories_scores_and_remarks() -> None:
    record = read("pearmut", "categories")
    assert texts(record) == PEARMUT_TEXTS
    chinese = parse(record.protocols[0].source).taxonomies["categories"].path_of("误译")
    found = said(record)
    ada = {unit: answers for (unit, person), answers in found.items() if person == "ada"}
    assert ada == {
        "g1:alder": {
            "errors": [("Owls", "accuracy.wrong_name"), ("Nobody", "style"), (MARKUP, chinese)],
            "score": 40,
            "comment": "which\nMonday?",
            "remark": "a hard page",
        },
        "g1:birch": {"errors": [("真的", chinese)], "score": 0, "remark": "a hard page"},
        "1be05f48:alder": {"errors": [("المباراة", "accuracy.wrong_name")], "score": 70, "remark": "a hard page"},
        "1be05f48:birch": {"errors": [], "score": 100, "remark": "a hard page"},
    }
    (marked,) = (one.answers["errors"] for one in record.responses if (one.unit, one.annotator) == ("g1:alder", "ada"))
    assert [mark["severity"] for mark in marked] == ["minor", "kritisch", "major"]
    assert [mark.get("token") for mark in marked] == [None, None, "[untranslated]"]
    assert {unit: answers for (unit, person), answers in found.items() if person == "bo"} == {
        unit: {"errors": [], "score": 90} for unit in PEARMUT_TEXTS
    }
    for unit in record.units:
        assert unit.id.endswith(f":{unit.hidden['system']}")
        titles = [item.title for item in unit.shown.context]
        assert titles == (["Source", "Reference"] if unit.hidden["item"] == "g1" else ["Source"])
    assert {unit.hidden.get("domain") for unit in record.units} == {"sport", None}


def test_pearmuts_pages_of_nothing_but_marks_and_of_nothing_but_sliders() -> None:
    marks = said(read("pearmut", "marks"))
    assert marks.pop(("g1:alder", "ada")) == {"errors": [("Nobody minds", None)]}
    assert marks == {
        (unit, person): {"errors": []}
        for unit in PEARMUT_TEXTS
        for person in ("ada", "bo")
        if (unit, person) != ("g1:alder", "ada")
    }
    record = read("pearmut", "sliders")
    fluency, meaning = parse(record.protocols[0].source).questions()
    assert (fluency.ask, meaning.ask) == ("Fluency", "意思")
    given = {"ada": (4, 80), "bo": (2, 5)}  # Bo was reset, and answered again
    assert said(record) == {
        (unit, person): dict(zip((fluency.id, meaning.id), values, strict=True))
        for unit in PEARMUT_TEXTS
        for person, values in given.items()
    }


@pytest.mark.parametrize(("granularity", "arabic"), [("words", "المباراة."), ("chars", "المباراة")])
def test_factgenies_marks_stand_on_the_words_that_its_page_drew(granularity: str, arabic: str) -> None:
    record = read("factgenie", granularity)
    owls, lost, foxes = "games:test:0:alder", "games:test:1:alder", "games:test:2:alder"
    output = "The Owls 🎉 won on <b>Monday</b> & left &amp; slept.\nNobody minds."
    assert (texts(record)[owls], texts(record)[foxes]) == (output, FOXES)
    asked = parse(record.protocols[0].source)
    chinese = asked.taxonomies["categories"].path_of("错误")
    questions = {one.ask: one.id for one in asked.questions()}
    assert list(questions) == ["Mark the errors.", "Off topic?", "Tone", "Quality", "Remarks"]
    assert asked.instructions == "Mark **every** error."
    found = said(record)
    marked = {unit: answers["errors"] for (unit, person), answers in found.items() if person == "ada"}
    assert {unit: marks for unit, marks in marked.items() if marks} == {
        owls: [("Owls", "wrong_name"), ("Monday", chinese), ("Nobody", chinese)],
        lost: [(arabic, "wrong_name")],
    }
    reasons = [mark.get("reason") for one in record.responses for mark in one.answers["errors"]]
    assert reasons == ["which owls?", None, "<nobody>\n& co", "خطأ"]
    others = {"ada": ("yes", "tr_s_sec", 4, "ada 🎉 <b>"), "bo": ("no", "kind", 4, "bo 🎉 <b>")}
    assert {one.id for one in record.annotators} == set(others)  # and not the manager who tried the page
    for (_, person), answers in found.items():
        assert tuple(answers[key] for key in list(questions.values())[1:]) == others[person]
    assert [answers["errors"] for (_, person), answers in found.items() if person == "bo"] == [[]] * 6
    assert all(one.seconds_active is not None and one.seconds_active < 60 for one in record.responses)
    inputs = [[item.text for item in unit.shown.context if isinstance(item, ContextText)] for unit in record.units]
    if granularity == "words":  # beside which the dataset lies
        assert len(inputs[0][0]) > len(output)
        assert inputs[1:3] == [["فاز البوم"], ["狐狸 与 猫头鹰"]]
    else:
        assert inputs == [[]] * 6
    assert [unit.hidden["system"] for unit in record.units] == ["alder"] * 3 + ["birch"] * 3


@pytest.mark.parametrize("written_by", ["page", "edits"])
def test_threshs_edits_as_its_page_and_as_its_library_write_them(written_by: str) -> None:
    record = read("thresh", written_by)
    shown = {unit.id: {role: one.text.characters for role, one in unit.shown.texts.items()} for unit in record.units}
    assert [one["text"] for one in shown.values()] == [MARKUP, "狐狸 🦊 输了。", ARABIC]
    marks = [
        (shown[one.unit][role][mark["start"] : mark["end"]], {key: mark[key] for key in mark if key not in PLACE})
        for one in record.responses
        for role, question in (("text", "edits"), ("source", "source_edits"))
        for mark in one.answers[question]
    ]
    assert marks == [
        ("Nobody", {"label": "wrong_name", "explanation": "<who>\n& why"}),
        ("Monday", {"label": "deletion", "kind": "good", "kind_rating": "a_lot", "grammar_error": "yes"}),
        ("hall", {"label": "deletion", "kind": "trivial", "grammar_error": "no"}),
        ("输了", {"label": "wrong_name", "explanation": "狐狸"}),
    ]
    assert {(one.unit, one.annotator) for one in record.responses} == {
        (unit, person) for unit in shown for person in ("ada", "bo")
    }
    assert [unit.hidden["system"] for unit in record.units] == ["alder", "birch", "alder"]
    assert all([item.title for item in unit.shown.context] == ["Context"] for unit in record.units)


PLACE = ("id", "start", "end")


def test_what_threshs_library_converted_counts_characters() -> None:
    record = read("thresh", "mqm")
    assert {unit: answers["edits"] for (unit, _), answers in said(record).items()} == {
        unit.id: [("Owls", "accuracy")] if unit.hidden["system"] == "alder" else [("输了", "fluency")]
        for unit in record.units
    }


def test_label_studios_project_with_a_question_longer_than_the_text() -> None:
    record = read("label-studio", "")
    assert texts(record) == {"1": MARKUP, "2": "狐狸 🦊 输了。", "3": ARABIC}
    chinese = parse(record.protocols[0].source).taxonomies["errors"].path_of("错误")
    assert said(record) == {
        ("1", "1"): {"errors": [("Owls", "wrong_name"), ("Nobody", chinese)], "tone": "tr_s_sec", "stars": 4},
        ("1", "2"): {"errors": [], "tone": "kind", "stars": 2},
        ("2", "1"): {"errors": [("输了", chinese)], "tone": "kind", "stars": 1},
        ("3", "1"): {"errors": [], "tone": "kind", "stars": 5},
    }  # and not the text that the second user skipped
    marks = [mark for one in record.responses for mark in one.answers["errors"]]
    assert [mark.get("right") for mark in marks] == ["Foxes", "<who>\n& why", None]
    nobody = MARKUP.index("Nobody")
    assert marks[0]["links"] == {"related": [{"start": nobody, "end": nobody + len("Nobody")}]}
    assert all([item.title for item in unit.shown.context] == ["question"] for unit in record.units)
    assert [unit.hidden["system"] for unit in record.units] == ["alder", "birch", "alder"]
