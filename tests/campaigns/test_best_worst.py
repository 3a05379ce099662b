"""The best and the worst of four texts, from the draw of their order to every figure, and out and in again."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import orjson
import pytest

from goldmark.campaigns.lifecycle import find_campaign
from goldmark.campaigns.transfer.export import record_of
from goldmark.campaigns.transfer.restore import restore
from goldmark.errors import Problem
from goldmark.exchange.formats import FORMATS
from goldmark.observations.files import write_tables
from goldmark.observations.source import RecordSource
from goldmark.protocols import load, validate
from goldmark.quality import signals
from goldmark.quality.answers_given import answers_by_unit
from goldmark.quality.grading import grade
from goldmark.records.units import ShownText, ShownUnit, Unit
from goldmark.results.all_tables import results_of
from goldmark.results.one_table import of_files
from goldmark.results.options import AnalysisOptions
from goldmark.store import Store
from goldmark.texts.readers.rows import Row, SegmentationRules, unit_from_row
from goldmark.texts.segmentation.text import make_text
from goldmark.web.pages.answers.readable_answers import read_answers
from tests.campaigns.house import NAME, House
from tests.exchange.files import export_files

SYSTEMS = ("alder", "birch", "cedar", "elm")  # the first is best


def set_of(number: int, **hidden: object) -> Unit:
    """Four texts that say whose they are; every unit gives other letters to the systems."""
    systems = {letter: SYSTEMS[(place + number) % 4] for place, letter in enumerate("abcd")}
    texts = {letter: ShownText(make_text(f"u{number}/{letter}", f"By {one} .")) for letter, one in systems.items()}
    facts = {"item": f"i{number}", **{f"system_{letter}": one for letter, one in systems.items()}, **hidden}
    return Unit(f"u{number}", ShownUnit(texts), facts)


def answer(shown: dict[str, Any], *, swap: bool = False) -> str:
    """What somebody says who knows who is best, by the letters of the page that they see."""
    by_system = {text["characters"].split()[1]: letter for letter, text in shown["texts"].items()}
    best, worst = by_system["alder"], by_system["elm"]
    return f"{by_system['birch']}>{worst}" if swap else f"{best}>{worst}"


@pytest.fixture
def house(store: Store) -> House:
    house = House.build(store, [set_of(number) for number in range(8)], "best-worst", labels_per_unit=4)
    for place, name in enumerate(("Ada", "Bo", "Cleo", "Dee")):
        token = house.person(name)
        while (task := house.next(token).task) is not None:
            shown = orjson.loads(house.work.content.shown_json(task.unit_id, task.order))
            assert list(shown["texts"]) == ["a", "b", "c", "d"]
            house.submit(token, task, {"picked": answer(shown, swap=place == 3)})
    return house


def test_every_text_comes_first_once_in_four_labels_and_answers_mean_the_texts_of_the_file(house: House) -> None:
    record = record_of(house.store, NAME)
    firsts: dict[str, Counter[object]] = {}
    for held in record.assignments:
        firsts.setdefault(held.unit, Counter())[held.facts["shown_first"]] += 1
    assert all(found == dict.fromkeys("abcd", 1) for found in firsts.values())
    hidden = {unit.id: unit.hidden for unit in record.units}
    for one in record.final_responses():
        best, worst = (hidden[one.unit][f"system_{role}"] for role in str(one.answers["picked"]).split(">"))
        assert (best, worst) == ("birch" if one.annotator == "Dee" else "alder", "elm")


def test_its_figures_from_the_database_and_from_files(house: House, tmp_path: Path) -> None:
    settings = AnalysisOptions(resamples=100)
    found = results_of(house.store, NAME, settings)
    tables = {one.name: one.table for one in found.tables}
    scores = {row["name"]: row for row in tables["best-worst"].records()}
    # Of 32 answers, 24 by three people name alder the best, 8 birch; all name elm the worst.
    assert {name: row["value"] for name, row in scores.items()} == {"alder": 0.75, "birch": 0.25, "cedar": 0, "elm": -1}
    assert [(row["best"], row["worst"], row["n"]) for row in scores.values()] == [
        (24, 0, 32),
        (8, 0, 32),
        (0, 0, 32),
        (0, 32, 32),
    ]
    assert "32 answers by 4 people to 8 sets of 4" in tables["best-worst"].notes
    # The same answers as comparisons: five pairs each, so that elm is in three of them and loses all.
    wins = {row["system"]: row for row in tables["win-rates"].records()}
    assert {name: (row["wins"], row["losses"]) for name, row in wins.items()} == {
        "alder": (24 * 3 + 8, 8),
        "birch": (8 * 3 + 24, 24),
        "cedar": (32, 32),
        "elm": (0, 96),
    }
    order = tables["order-effect"].records()[0]
    assert order["n"] == 160
    assert order["a_first"] == order["b_first"] == 80  # every two texts stood before one another equally often
    agreement = {(row["label"], row["measure"]): row["value"] for row in tables["agreement"].records()}
    assert agreement["worst", "percent"] == 1
    assert agreement["best", "percent"] == pytest.approx(0.5)  # three of the six pairs of four people
    assert {row["question"] for row in tables["bradley-terry"].records()} == {"picked"}

    folder = tmp_path / "tidy"
    folder.mkdir()
    write_tables(RecordSource(record_of(house.store, NAME)), folder)
    (of_table, *_) = of_files("best-worst", [folder], settings)
    assert of_table.records() == tables["best-worst"].records()


def test_it_goes_out_and_in_again_and_is_read_by_people(house: House) -> None:
    record = record_of(house.store, NAME)
    answers = {(one.unit, one.annotator): one.answers for one in record.final_responses()}
    for name in ("jsonl", "csv", "parquet", "label-studio"):
        back = FORMATS[name].read(dict(export_files(record, name)))
        assert {(one.unit, one.annotator): one.answers for one in back.final_responses()} == answers
    restore(house.store, record, name="again", author="test")
    assert [one.facts["shown_first"] for one in record_of(house.store, "again").assignments] == [
        one.facts["shown_first"] for one in record.assignments
    ]
    told = read_answers(house.work.content.protocol(1), {"picked": "a>d"}, record.units[0].shown)
    assert "Best: Text A; worst: Text D" in str(told)
    row = house.store.read(lambda connection: find_campaign(connection, NAME))
    given = house.store.read(lambda connection: list(answers_by_unit(connection, row, house.work.content)))
    assert {signals.choice_of(one.said).partition("=")[0] for some in given for one in some} == {"picked"}


@pytest.mark.parametrize(("said", "right"), [("a>d", True), ("b>d", False), ("d>a", False)])
def test_test_questions_are_graded(said: str, right: bool) -> None:
    found = grade(load("best-worst"), {"picked": said}, {"picked": {"one_of": ["a>d", "a>c"]}}, set_of(0).shown)
    assert found.right is right


@pytest.mark.parametrize(
    "given", ["a>c", "A > C", "a, c", ["a", "c"], {"best": "a", "worst": "c"}, '{"best":"a","worst":"c"}']
)
def test_answers_of_other_tools_are_understood(given: object) -> None:
    protocol = load("best-worst")
    (question, _) = protocol.questions()
    assert question.understood(given, protocol.around) == "a>c"
    assert question.understood("a>a", protocol.around) == "a>a"
    assert validate(protocol, {"picked": "a>a"}, set_of(0).shown)


@pytest.mark.parametrize(
    ("row", "what"),
    [
        ({"texts": ["one", "two"]}, "three to five texts"),
        ({"texts": {"a": "one", "c": "two", "d": "three"}}, "three to five texts"),
        ({"texts": ["one", "two", "three"], "c": "four"}, "stands beside them"),
        ({"texts": ["one", "two", "three"], "prompt": {"d": "one"}}, "the texts are called a, b and c"),
    ],
)
def test_rows_with_several_texts(row: dict[str, Any], what: str) -> None:
    problems: list[Problem] = []
    assert unit_from_row(Row("x:1", {"id": "u", **row}), SegmentationRules(), problems) is None
    assert what in str(problems[0].what)


def test_what_stands_beside_one_text_or_two_stays_hidden() -> None:
    for shown in ({"text": "one"}, {"a": "one", "b": "two"}):
        unit = unit_from_row(
            Row("x:1", {"id": "u", **shown, "texts": ["s", "e", "c"], "c": "x"}), SegmentationRules(), []
        )
        assert unit is not None
        assert set(unit.shown.texts) == set(shown)
        assert unit.hidden == {"texts": ["s", "e", "c"], "c": "x"}
