"""Tables that need more than observations: verification, introduced errors, reviews, suggestions, datasets."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from goldmark.accounts.links import SignedLinks
from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.campaigns.assignments.responses import ResponseService
from goldmark.campaigns.assignments.work_service import WorkService
from goldmark.campaigns.lifecycle import move
from goldmark.campaigns.transfer.export import record_of
from goldmark.campaigns.transfer.observe import write_observations
from goldmark.cli import run
from goldmark.curation.verification.followup import VERIFICATION, verified_gold
from goldmark.followups.create import EXPLANATION_CODING, create_follow_up
from goldmark.observations.filter import Filter
from goldmark.protocols import load
from goldmark.records.units import ShownText, ShownUnit, Suggested, Unit
from goldmark.results.all_tables import Results, results_of
from goldmark.results.catalogue import TableNotPossible
from goldmark.results.one_table import of_campaign, of_files
from goldmark.results.options import AnalysisOptions
from goldmark.results.published.accuracy.verification_campaign import verification_tables
from goldmark.results.published.humanlike.coded import coded_tables
from goldmark.reviews.review import ReviewRemark
from goldmark.store import Store, open_store
from goldmark.texts.segmentation.text import make_text
from tests.campaigns.house import NAME, House, unit
from tests.databases import on_sqlite
from tests.followups.test_create import LOOK, annotated, answer_all, says, unit_name
from tests.results.filled import fill

SETTINGS = AnalysisOptions(resamples=50)


@pytest.fixture
def store(database: str) -> Iterator[Store]:
    """On both databases: these tables ask for more than observations."""
    opened = open_store(database)
    yield opened
    opened.close()


def rows(results: Results, name: str, key: str) -> dict[Any, dict[str, Any]]:
    table = results.table(name)
    assert table is not None, results.reasons
    return {row[key]: row for row in table.records()}


@on_sqlite
def test_a_verification_has_its_tables_among_its_results(store: Store) -> None:
    house = annotated(store)
    create_follow_up(store, house.links, VERIFICATION, NAME, name=LOOK, author="test")
    move(store, LOOK, "started", author="test")
    votes = {"u1:3-3": (1, 0, 0, 0), "u1:5-5": (1, 1, 1, 1), "u1:5-6": (1, 1, 1, 0), "u2:3-3": (1, 1, 0, 0)}
    for place, person in enumerate(("Uwe", "Vic", "Wim", "Xia")):
        answer_all(house, LOOK, person, {name: says(bool(said[place])) for name, said in votes.items()})
    found = results_of(store, LOOK, SETTINGS)
    # Foxes is assumed; Friday has four of four; "won" in u2 two of four. The other two are not in the gold list.
    assert {key: row["errors"] for key, row in rows(found, "verification", "agreement").items()} == {
        "assumed valid": 1,
        "4/4 error": 1,
        "2-2 split": 1,
    }
    names = [one.name for one in found.tables if one.name.startswith(("verification", "combinations"))]
    assert names == [
        "verification",
        "verification-opinion",
        "verification-categories",
        "verification-removed",
        "combinations",
        "combinations-precision",
    ]
    # The same figures as by the command that verifications have always had.
    known = {table.title: table.rows for table in verification_tables(verified_gold(store, LOOK), SETTINGS)}
    shown = {one.table.title: one.table.rows for one in found.tables if one.name in names}
    assert shown == known
    with pytest.raises(TableNotPossible, match="not made by `goldmark campaign follow-up --as verification`"):
        of_campaign(store, "verification", NAME, SETTINGS)


# "The Foxes won on Friday night ." with "won" for "lost" and "Friday" for "Monday".
INTRODUCED = [
    {"start": 2, "end": 3, "label": "WORD", "text": "won", "original": "lost"},
    {"start": 4, "end": 5, "label": "NAME", "text": "Friday", "original": "Monday"},
]


@on_sqlite
def test_introduced_errors_found_by_everybody_and_each(store: Store) -> None:
    house = House.build(
        store, [unit("u0", introduced=INTRODUCED, system="s"), unit("u1", system="s")], labels_per_unit=2
    )
    for person, places in (("Ada", (2, 4)), ("Bo", (4,))):
        token = house.person(person)
        following = house.next(token)
        while following.task is not None:
            marks = [{"id": f"e{at}", "start": at, "end": at + 1, "label": "WORD", "correction": "x"} for at in places]
            _, following = house.submit(token, following.task, {"mistakes": marks})
    found = results_of(store, NAME, SETTINGS)
    table = found.table("introduced")
    assert table is not None
    by = {(row["annotator"], row["label"]): (row["count"], row["n"], row["value"]) for row in table.records()}
    assert by == {
        ("everybody", ""): (3, 4, 0.75),
        ("everybody", "NAME"): (2, 2, 1.0),
        ("everybody", "WORD"): (1, 2, 0.5),
        ("Ada", ""): (2, 2, 1.0),
        ("Bo", ""): (1, 2, 0.5),
    }
    people = rows(found, "people", "annotator")
    assert (people["Ada"]["introduced_found"], people["Bo"]["introduced_found"]) == (1.0, 0.5)
    # All of them stand in one text, which says nothing of how many would be found in others.
    assert people["Bo"]["introduced_found_low"] is None
    assert {row["reason"] for row in table.records()} == {"one item alone says nothing of others"}
    # And they are no errors of the system: marks on them are left out of its count.
    assert rows(found, "errors", "label")["total"]["value"] == pytest.approx((2 + 1) / 2 / 2)


@on_sqlite
def test_reviews_are_among_the_results_of_a_campaign_that_has_some(store: Store) -> None:
    house = House.build(store, 2, review={"required": True})
    token = house.person("Ada")
    first = house.task(token)
    house.submit(token, first, {"mistakes": []})
    second = house.task(token)
    house.submit(token, second, {"mistakes": []})
    assert results_of(store, NAME, SETTINGS).reasons["reviews"] == "nobody has reviewed an answer of it"
    house.judge(first.id, "approved", "Rhea")
    house.judge(second.id, "returned", "Rhea", remarks=[ReviewRemark("mistakes", "", "one is missing")])
    found = results_of(store, NAME, SETTINGS)
    names = [one.name for one in found.tables if one.name.startswith("reviews")]
    assert names == ["reviews", "reviews-questions", "reviews-stages", "reviews-annotators", "reviews-reviewers"]
    question = rows(found, "reviews-questions", "question")["mistakes"]
    assert (question["right"], question["reviewed"]) == (1, 2)
    narrowed = results_of(store, NAME, SETTINGS, wanted=Filter(annotators=frozenset({"Ada"})))
    assert narrowed.table("reviews") is None
    assert any("made of whole campaigns" in note for note in narrowed.notes)


@on_sqlite
def test_suggestions_are_among_the_results_of_a_campaign_that_had_some(store: Store) -> None:
    text = make_text("u1", "The Foxes won on Friday night .")
    helped = Unit("u1", ShownUnit({"text": ShownText(text, suggested=(Suggested("s1", 1, 2, "NAME", {}),))}))
    house = House.build(store, [helped, unit("u2")])
    token = house.person("Ada")
    following = house.next(token)
    while following.task is not None:
        offered = unit_name(store, following.task.unit_id) == "u1"
        answers: dict[str, Any] = {"mistakes": []} | ({"mistakes.dismissed": ["s1"]} if offered else {})
        _, following = house.submit(token, following.task, answers)
    found = results_of(store, NAME, SETTINGS)
    assert rows(found, "suggestions", "label")["all"]["dismissed"] == 100.0
    assert found.table("suggestions-comparison") is not None
    assert "suggestions" not in found.reasons


@on_sqlite
def test_a_dataset_as_it_would_be_released(store: Store) -> None:
    """Both mark u1, nobody u3, and on u2 there is no majority: two texts of seven tokens, one error of two tokens."""
    house = House.build(store, [unit("u1"), unit("u2"), unit("u3")], labels_per_unit=2)
    mark = {"id": "e1", "start": 1, "end": 3, "label": "NAME", "correction": "x"}
    said = {"Ada": {"u1": [mark], "u2": [], "u3": []}, "Bo": {"u1": [mark], "u2": [mark], "u3": []}}
    for person, own in said.items():
        answer_all(house, NAME, person, {name: {"mistakes": marks} for name, marks in own.items()})
    sizes, types = of_campaign(store, "dataset", NAME, SETTINGS)
    (row,) = sizes.records()
    assert (row["texts"], row["errors_0"], row["errors_1"], row["erroneous_percent"]) == (2, 1, 1, 50.0)
    assert (row["tokens"], row["vocabulary"], row["tokens_per_error"]) == (14, 7, 2.0)
    assert types.records()[0] | {"percent_low": 0, "percent_high": 0} == {
        "type": "NAME",
        "subtype": "",
        "errors": 1,
        "percent": 100.0,
        "percent_low": 0,
        "percent_high": 0,
    }
    assert any("left out: 1 text (no majority 1)" in note for note in sizes.notes)


@on_sqlite
def test_codes_of_a_derived_campaign_from_the_database_and_from_its_files(store: Store, tmp_path: Path) -> None:
    """The share of codes by the condition of who explained: the same as by `campaign coded`, and from tidy files."""
    fill(store, NAME, load("humanlike"))
    links = SignedLinks(b"a key for tests")
    create_follow_up(store, links, EXPLANATION_CODING, NAME, name="coded", author="test")
    move(store, "coded", "started", author="test")
    work = WorkService(store, links, ContentCache(store))
    house = House(store, work, ResponseService(work), links)
    units = [one.id for one in record_of(store, "coded").units]
    for person, shift in (("Cod", 0), ("Dee", 1)):
        codes = ("grammar", "repetition", "genre", "writer_intent")
        said = {name: {"reasons": [codes[(place + shift) % 4]]} for place, name in enumerate(units)}
        answer_all(house, "coded", person, said)
    (table,) = of_campaign(store, "coding", "coded", SETTINGS)
    known = coded_tables(record_of(store, "coded"), SETTINGS)[0]
    order = sorted(map(str, table.rows))
    assert order == sorted(map(str, known.rows))
    write_observations(store, "coded", tmp_path / "tidy")
    assert of_files("coding", [tmp_path / "tidy"], SETTINGS)[0].rows == table.rows


def test_a_table_that_a_protocol_does_not_allow_says_why_and_which_there_are(
    sqlite_database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    store = open_store(sqlite_database)
    fill(store, "rated", load("rating-qa"))
    store.close()
    for name, why in (
        ("win-rates", "rating-qa/1 asks for no comparison of texts"),
        ("errors", "rating-qa/1 asks for no marked passages"),
        ("study", "no question of rating-qa/1 declares a `truth`"),
        ("design", "it is made of files with columns of their own"),
        ("reviews", "nobody has reviewed an answer of it"),
    ):
        assert run(["table", name, "--campaign", "rated", "--database", sqlite_database]) == 1
        told = capsys.readouterr().err
        assert f"campaign 'rated' has no table {name!r}: {why}" in told
        assert "it has coverage, ratings, distribution" in told
    assert run(["table", "ratings", "--campaign", "rated", "--database", sqlite_database, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["tables"][0]["title"] == "Mean ratings"


@on_sqlite
def test_weights_of_units_are_said_not_to_be_used(store: Store) -> None:
    house = House.build(store, [unit("u0", weight=2.5), unit("u1")], labels_per_unit=1)
    ada = house.person("Ada")
    for _ in range(2):
        house.submit(ada, house.task(ada))
    assert any("weights" in note for note in results_of(store, NAME, SETTINGS).notes)
