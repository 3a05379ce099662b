"""An answer means the same in every room: one protocol with names of its own, three people, all that reads them.

Its attributes are called `fix`, `because` and `gravity`, and the protocol says what they are for. It also asks for a
`comment`, which explains nothing; no room may take it for the reason because of its name.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.campaigns.definition.settings import Settings
from goldmark.campaigns.definition.units.suggestions import marks_of
from goldmark.campaigns.lifecycle import CampaignRow, create, find_campaign
from goldmark.campaigns.transfer.export import record_of
from goldmark.campaigns.transfer.import_answers import import_answers
from goldmark.curation.gold_lists.files import write_gold
from goldmark.curation.gold_lists.layers import write_layer
from goldmark.curation.gold_lists.versions import finished_gold
from goldmark.curation.verification.followup import gold_basis
from goldmark.curation.workspace.service import open_workspace, take_step
from goldmark.datasets.sources.bundle import BundleSource
from goldmark.datasets.sources.readings import MarkedError
from goldmark.datasets.sources.store import CampaignSource
from goldmark.exchange.campaign import webanno
from goldmark.observations.filter import COUNTING
from goldmark.observations.source import RecordSource
from goldmark.protocols import parse
from goldmark.quality.answers_given import answers_by_unit
from goldmark.quality.grading import grade
from goldmark.records.campaigns import CampaignRecord
from goldmark.records.mistakes import Mistake
from goldmark.records.spans import Span
from goldmark.results.options import AnalysisOptions
from goldmark.results.published.tgea.stage_agreement import stage_agreement
from goldmark.reviews.unit_status import status_counts
from goldmark.store import Store
from goldmark.web.api.reviews.curation import workspace_out
from goldmark.web.pages.answers.readable_answers import read_answers
from tests.campaigns.house import NAME, House, unit
from tests.exchange.files import export_files

PROTOCOL = parse("""
protocol: own-words/1
title: Own words
taxonomies: {kinds: [{id: NAME}, {id: NUMBER}]}
steps:
  - questions:
      - {id: verdict, kind: choice, options: [fine, wrong, {id: murky, sets_aside: true}]}
  - when: verdict == wrong
    questions:
      - id: errors
        kind: spans
        labels: {tree: kinds}
        attributes:
          - {id: comment, kind: text, required: false}
          - {id: fix, kind: text}
          - {id: because, kind: text}
          - {id: gravity, kind: choice, options: {minor: 1, major: 5}}
        rewrites: fix
        explains: because
        ranks: gravity
""")
FIX, BECAUSE, COMMENT = "Bears", "It was the Bears who won.", "I asked a friend."
MARK = {
    "id": "e1",
    "start": 1,
    "end": 2,
    "label": "NAME",
    "fix": FIX,
    "because": BECAUSE,
    "gravity": "major",
    "comment": COMMENT,
}
WRONG = {"verdict": "wrong", "errors": [MARK]}
MURKY = {"verdict": "murky"}


class Room(NamedTuple):
    """Three people agree on one text and set the other aside."""

    store: Store
    house: House
    row: CampaignRow
    record: CampaignRecord
    wrong: int  # the unit with the error


@pytest.fixture
def room(store: Store) -> Room:
    house = House.build(store, [unit("u1"), unit("u2", "Nobody knows what this means .")], PROTOCOL, labels_per_unit=3)
    wrong = 0
    for name in ("Ann", "Bo", "Cy"):
        token = house.person(name)
        for _ in range(2):
            task = house.task(token)
            is_wrong = "Foxes" in house.work.content.preview(task.unit_id)
            wrong = task.unit_id if is_wrong else wrong
            house.submit(token, task, WRONG if is_wrong else MURKY)
    row = store.read(lambda connection: find_campaign(connection, NAME))
    return Room(store, house, row, record_of(store, NAME), wrong)


def test_curation_has_the_correction_and_the_reason_in_their_columns(room: Room) -> None:
    content = room.house.work.content

    def open_it() -> Any:
        return room.store.read(lambda connection: open_workspace(connection, content, room.row, room.wrong))

    responses = open_it()
    (entry,) = responses.state().entries
    assert (entry.correction, entry.comment, entry.status) == (FIX, BECAUSE, "accepted")
    page = workspace_out(responses, [])
    assert [one["id"] for one in page.question["attributes"]] == ["comment", "gravity"]
    shown = [one["attributes"] for marks in page.marks.values() for one in marks]  # of whom, curators are not told
    assert {"comment": [COMMENT], "gravity": ["major"]} in shown
    take_step(room.store, content, NAME, room.wrong, after=1, kind="finish", facts={}, author="Cur")
    (finished,), texts = finished_gold(room.store, content, NAME)
    (line,) = csv.DictReader(io.StringIO(write_gold(finished.mistakes, texts)))
    assert (line["CORRECTION"], line["COMMENT"]) == (FIX, BECAUSE)

    basis = gold_basis(room.store, NAME, room.record)  # what a verification shows
    assert {(one.correction, one.comment) for one in basis.gold} == {(FIX, BECAUSE)}
    assert {(one.correction, one.comment) for one in basis.reports.marks} == {(FIX, BECAUSE)}
    files = dict(write_layer(basis.gold, {text.id: text for text in basis.reports.texts.values()}))
    (answer,) = (one for one in webanno.read(files).final_responses() if one.answers["mistakes"])
    assert (answer.answers["mistakes"][0]["correction"], answer.answers["mistakes"][0]["comment"]) == (FIX, BECAUSE)


def test_datasets_have_them_in_their_rows(room: Room, tmp_path: Path) -> None:
    bundle = tmp_path / "campaign.jsonl"
    bundle.write_bytes(dict(export_files(room.record, "jsonl"))["campaign.jsonl"])
    stored = room.store.read(lambda connection: list(CampaignSource(connection, room.row).texts()))
    for texts in (stored, list(BundleSource(bundle).texts())):
        readings = {one.id: one.readings for one in texts}
        assert {one.discarded for one in readings["u2"]} == {"murky"}
        assert {error for one in readings["u1"] for error in one.errors} == {
            MarkedError(
                "e1",
                1,
                2,
                "NAME",
                correction=FIX,
                rationale=BECAUSE,
                attributes=(("comment", COMMENT), ("gravity", "major")),
            )
        }


def test_agreement_by_stage_and_the_campaigns_status(room: Room) -> None:
    table = stage_agreement(RecordSource(room.record), COUNTING, AnalysisOptions(resamples=50))
    rows = {str(row["stage"]): row for row in table.records()}
    # Three pairs of people say the same of one text each.
    assert (rows["correction, exact"]["agreement"], rows["correction, exact"]["pairs"]) == (100.0, 3)
    # Both texts are erroneous: one is marked, the other set aside.
    assert (rows["erroneous or fine"]["agreement"], rows["erroneous or fine"]["pairs"]) == (100.0, 6)
    found = room.store.read(lambda connection: status_counts(connection, room.row, PROTOCOL))
    assert found.set_aside == {"murky": 1}


@pytest.mark.parametrize(("fix", "right"), [(FIX, 1), ("Owls", 0)])
def test_a_test_question_is_graded_by_the_correction(fix: str, right: int) -> None:
    key = [{"start": 1, "end": 2, "label": "NAME", "correction": FIX}]
    (part,) = grade(PROTOCOL, {**WRONG, "errors": [{**MARK, "fix": fix}]}, {"errors": key}, unit("u1").shown).parts
    assert (part.counts["corrections"], part.counts["corrections_right"]) == (1, right)


@pytest.mark.parametrize("form", ["gsml", "webanno-tsv", "label-studio"])
def test_marks_come_back_from_other_tools_under_the_protocols_own_names(
    room: Room, store: Store, tmp_path: Path, form: str
) -> None:
    for name, content in export_files(room.record, form):
        path = tmp_path / "out" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    # As a folder with its texts and, of the mistake list, as the list alone.
    for place, given in enumerate([tmp_path / "out", *(tmp_path / "out").glob("gsml.csv")]):
        again = f"again-{place}"
        texts = [unit("u1"), unit("u2", "Nobody knows what this means .")]
        create(
            store,
            name=again,
            title="",
            protocol=PROTOCOL,
            settings=Settings(labels_per_unit=3),
            units=texts,
            author="t",
        )
        import_answers(store, ContentCache(store), again, given, format_name=form, author="test", keep_incomplete=True)
        (mark,) = next(one for one in record_of(store, again).final_responses() if one.unit == "u1").answers["errors"]
        assert (mark["fix"], mark["because"]) == (FIX, BECAUSE)
        assert mark.get("comment", COMMENT) == COMMENT


def test_exports_for_other_tools(room: Room) -> None:
    (line, *_) = csv.DictReader(io.StringIO(dict(export_files(room.record, "gsml"))["gsml.csv"].decode()))
    assert (line["CORRECTION"], line["COMMENT"]) == (FIX, BECAUSE)
    # The others keep the protocol's own names.
    read = webanno.read(dict(export_files(room.record, "webanno-tsv")))
    spans = [span for one in read.final_responses() for span in one.answers["errors"]]
    assert {(span["fix"], span["because"], span["comment"]) for span in spans} == {(FIX, BECAUSE, COMMENT)}
    tasks = json.loads(dict(export_files(room.record, "label-studio"))["label-studio.json"])
    assert set(_words(tasks, "errors-fix")) == {FIX}
    assert set(_words(tasks, "errors-because")) == {BECAUSE}


def _words(tasks: list[Mapping[str, Any]], name: str) -> Iterator[str]:
    for task in tasks:
        for annotation in task["annotations"]:
            yield from (one["value"]["text"][0] for one in annotation["result"] if one.get("from_name") == name)


def test_signals_look_at_the_reason(room: Room) -> None:
    content = room.house.work.content
    given = room.store.read(lambda connection: list(answers_by_unit(connection, room.row, content)))
    assert {one.explained for some in given for one in some} == {(BECAUSE,), ()}


def test_a_checkers_mistake_is_suggested_under_the_protocols_names() -> None:
    mistake = Mistake("u1", Span(1, 2), "NAME", FIX, BECAUSE)
    ((made,),) = marks_of([mistake], PROTOCOL).values()
    assert made.attributes == {"fix": FIX, "because": BECAUSE}


def test_a_page_reads_them_under_the_names_that_were_asked() -> None:
    (_, errors) = read_answers(PROTOCOL, WRONG, unit("u1").shown)
    assert errors.spans is not None
    assert errors.spans[0].details == (("Comment", COMMENT), ("Fix", FIX), ("Because", BECAUSE), ("Gravity", "Major"))
