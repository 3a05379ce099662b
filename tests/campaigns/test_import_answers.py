"""Answers made elsewhere come into a campaign like any other: counted, checked, once, and all or none."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.campaigns.definition.settings import Settings
from goldmark.campaigns.lifecycle import create, find_campaign
from goldmark.campaigns.progress import progress_of
from goldmark.campaigns.transfer.export import record_of
from goldmark.campaigns.transfer.import_answers import ImportedAnswers, import_answers
from goldmark.campaigns.transfer.insert_answers import BrokenOff, _Inserting
from goldmark.errors import GoldmarkError, ProblemsFound
from goldmark.exchange.campaign.archive import zipped
from goldmark.exchange.formats import FORMATS, export_campaign, exports
from goldmark.people import set_aside
from goldmark.people.exclusions import exclude
from goldmark.protocols import Protocol, load, parse
from goldmark.records.campaigns import CampaignRecord
from goldmark.records.units import ShownText, ShownUnit, Unit
from goldmark.store import Store, events, open_store
from goldmark.store.pieces import SMALL, InPieces
from goldmark.store.tables import annotator, assignment, unit
from goldmark.store.upkeep.health import check
from goldmark.texts.segmentation.text import make_text
from tests.beside import beside
from tests.campaigns.house import NAME, House
from tests.campaigns.house import unit as make_unit
from tests.cut_writes import cut_small, killed_before_piece, worked_off
from tests.databases import on_sqlite
from tests.exchange.peer_files import PEERS

# Tokens of every unit of the house: The Foxes won on Friday night .
MARK = {"id": "e1", "start": 4, "end": 5, "label": "NAME", "correction": "Monday"}


def lines(path: Path, *rows: Mapping[str, Any]) -> Path:
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


def row(unit: str, person: str, *marks: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return {"unit": unit, "annotator": person, "mistakes": list(marks), **more}


def bring(store: Store, path: Path, **options: Any) -> ImportedAnswers:
    return import_answers(store, ContentCache(store), NAME, path, author="boss", **options)


def refused(store: Store, path: Path, **options: Any) -> tuple[list[str], str]:
    with pytest.raises(ProblemsFound) as caught:
        bring(store, path, **options)
    return [str(one) for one in caught.value.problems], str(caught.value)


def counts(store: Store) -> dict[str, tuple[int, int, int]]:
    """Of every unit: wanted, taken, done."""
    found = select(unit.c.name, unit.c.wanted, unit.c.taken, unit.c.done)
    return store.read(lambda connection: {one[0]: tuple(one[1:]) for one in connection.execute(found)})


def said(record: CampaignRecord) -> dict[tuple[str, str], Mapping[str, Any]]:
    return {(one.unit, one.annotator): one.answers for one in record.final_responses()}


def test_they_count_like_any_other_and_say_where_they_came_from(store: Store, tmp_path: Path) -> None:
    House.build(store, 2, labels_per_unit=2)
    rows = [
        row("u0", "Ada", MARK, seconds=12.5, time="2026-11-16T12:00:00+01:00"),
        row("u0", "Bo"),
        row("u0", "Cy"),
        row("u1", "Ada"),
    ]
    done = bring(store, lines(tmp_path / "answers.jsonl", *rows), reason="from the old server")
    assert (done.answers, done.replaced, done.already_there, done.units, done.annotators) == (4, 0, 0, 2, 3)
    assert done.new_annotators == ("Ada", "Bo", "Cy")
    # u0 wanted 2 and has 3 now, so it wants 3; u1 still wants one more.
    assert counts(store) == {"u0": (3, 3, 3), "u1": (2, 1, 1)}
    record = record_of(store, NAME)
    assert said(record)["u0", "Ada"] == {"mistakes": [MARK]}
    assert said(record)["u0", "Bo"] == {"mistakes": []}  # marked nothing, and that is an answer
    assert {one.state for one in record.assignments} == {"done"}
    (first,) = (one for one in record.responses if (one.unit, one.annotator) == ("u0", "Ada"))
    assert (first.revision, first.seconds_active) == (1, 12.5)
    assert first.client_time is not None
    assert first.client_time.isoformat() == "2026-11-16T11:00:00+00:00"
    assert first.server_time == first.client_time  # figures by date are of the day on which it was answered
    event = record.events[-1]
    assert (event.kind, event.author, event.reason) == ("answers imported", "boss", "from the old server")
    assert event.facts["file"] == "answers.jsonl"
    assert (event.facts["answers"], event.facts["new_annotators"]) == (4, 3)
    done_by = select(annotator.c.done, annotator.c.seconds_active).where(annotator.c.name == "Ada")
    assert store.read(lambda connection: tuple(connection.execute(done_by).one())) == (2, 12.5)
    assert store.read(lambda connection: progress_of(connection, find_campaign(connection, NAME))).labels_done == 4


def test_the_same_file_again_changes_nothing(store: Store, tmp_path: Path) -> None:
    House.build(store, 2)
    path = lines(tmp_path / "answers.jsonl", row("u0", "Ada", MARK), row("u1", "Ada"))
    bring(store, path)
    before = counts(store), said(record_of(store, NAME))
    other_ids = lines(
        tmp_path / "b.jsonl", row("u0", "Ada", {**MARK, "id": "x9", "comment": ""}), row("u0", "Ada", MARK)
    )
    assert bring(store, path)[3:6] == (0, 0, 2)
    assert bring(store, other_ids)[3:6] == (0, 0, 2)
    assert (counts(store), said(record_of(store, NAME))) == before
    assert len(record_of(store, NAME).responses) == 2


@on_sqlite
def test_a_different_answer_is_told_by_unit_and_annotator_or_follows_as_a_revision(
    store: Store, tmp_path: Path
) -> None:
    house = House.build(store, 1)
    ada = house.person("Ada")
    house.submit(ada, house.task(ada))
    path = lines(tmp_path / "answers.jsonl", row("u0", "Bo"), row("u0", "Ada", MARK))
    (problem,), message = refused(store, path)
    assert problem.startswith("answers.jsonl:2  Ada has given another answer to unit 'u0' in this campaign; ")
    assert "--replace" in problem
    assert "nothing was imported" in message
    assert set(said(record_of(store, NAME))) == {("u0", "Ada")}  # Bo's answer was right, and is not there either
    done = bring(store, path, replace_others=True)
    assert (done.answers, done.replaced, done.new_annotators) == (1, 1, ("Bo",))
    record = record_of(store, NAME)
    assert [(one.revision, one.final) for one in record.responses if one.annotator == "Ada"] == [(1, False), (2, True)]
    assert said(record)["u0", "Ada"] == {"mistakes": [MARK]}
    assert counts(store)["u0"][1:] == (2, 2)


@on_sqlite
def test_somebody_who_holds_the_unit_or_held_it(store: Store, tmp_path: Path) -> None:
    house = House.build(store, 1, labels_per_unit=1)
    ada = house.person("Ada")
    task = house.task(ada)
    house.responses.save_draft(ada, task.id, {"mistakes": [MARK]}, 0, 5.0)
    assert counts(store)["u0"] == (1, 1, 0)
    bring(store, lines(tmp_path / "a.jsonl", row("u0", "Ada"), row("u0", "Bo")))
    assert counts(store)["u0"] == (2, 2, 2)  # Ada's place was hers already
    again = house.responses.look(ada, task.id)
    assert again.draft is not None
    assert again.draft.answers == {"mistakes": [MARK]}  # what she was marking is still there
    house.submit(ada, task, {"mistakes": [MARK]})
    assert said(record_of(store, NAME))["u0", "Ada"] == {"mistakes": [MARK]}


@on_sqlite
def test_an_excluded_annotators_answers_are_kept_and_do_not_count(store: Store, tmp_path: Path) -> None:
    house = House.build(store, 1, labels_per_unit=1)
    house.person("Ada")
    exclude(store, NAME, "Ada", author="boss")
    bring(store, lines(tmp_path / "a.jsonl", row("u0", "Ada")))
    assert counts(store)["u0"] == (1, 0, 0)
    record = record_of(store, NAME)
    assert record.final_responses() == ()
    assert set(said(record_of(store, NAME, with_excluded=True))) == {("u0", "Ada")}


def test_a_place_whose_lease_has_run_out_is_not_given_away_while_its_answer_comes_in(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = House.build(store, 1, labels_per_unit=1)
    ada, bo = house.person("Ada"), house.person("Bo")
    house.task(ada)
    past = update(assignment).values(lease_until=datetime.now(UTC) - timedelta(hours=1))
    store.write(lambda connection: connection.execute(past))
    with beside(monkeypatch, _Inserting, "_parted", lambda: house.next(bo)):
        bring(store, lines(tmp_path / "a.jsonl", row("u0", "Ada")))
    while (task := house.next(bo).task) is not None:
        house.submit(bo, task)
    assert counts(store)["u0"] == (1, 1, 1)
    assert check(store).problems == ()


@on_sqlite
def test_a_model_that_was_handed_a_unit_gives_its_place_back(store: Store, tmp_path: Path) -> None:
    house = House.build(store, 2, labels_per_unit=1)
    bring(store, lines(tmp_path / "a.jsonl", row("u0", "model 1", kind="model")))
    house.task(house.person("model 1"))
    assert counts(store) == {"u0": (1, 0, 0), "u1": (1, 1, 0)}
    bring(store, lines(tmp_path / "b.jsonl", row("u1", "model 1")))
    assert counts(store) == {"u0": (1, 0, 0), "u1": (1, 0, 0)}
    assert check(store).problems == ()


@on_sqlite
def test_who_is_excluded_gives_the_place_back_of_which_an_answer_comes_in_first(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = House.build(store, 1, labels_per_unit=1)
    house.task(house.person("Ada"))
    monkeypatch.setattr(set_aside, "FEW", 0)
    cut_small(monkeypatch)
    with killed_before_piece(monkeypatch, 1):
        exclude(store, NAME, "Ada", author="boss")
    bring(store, lines(tmp_path / "a.jsonl", row("u0", "Ada")))
    assert counts(store)["u0"] == (1, 0, 0)
    assert worked_off(store) == 1
    assert counts(store)["u0"] == (1, 0, 0)
    assert check(store).problems == ()


@pytest.mark.parametrize("fill", ["evenly", "finish_first"])
@on_sqlite
def test_a_unit_that_wants_more_than_was_asked_for_is_handed_out_for_who_is_excluded(
    store: Store, tmp_path: Path, fill: str
) -> None:
    house = House.build(store, 2, labels_per_unit=1, order={"fill": fill})
    people = ("Ada", "Bo", "Cy")
    bring(store, lines(tmp_path / "a.jsonl", *(row(name, who) for name in ("u0", "u1") for who in people)))
    dee = house.person("Dee")
    assert house.next(dee).task is None
    exclude(store, NAME, "Bo", author="boss")
    assert counts(store) == {"u0": (3, 2, 2), "u1": (3, 2, 2)}
    for _ in range(2):
        house.submit(dee, house.task(dee))
    assert counts(store) == {"u0": (3, 3, 3), "u1": (3, 3, 3)}
    assert house.next(dee).task is None


def test_everything_wrong_is_told_at_once_equal_things_once(store: Store, tmp_path: Path) -> None:
    House.build(store, 3)
    bare = {"start": 4, "end": 5, "label": "NAME"}
    rows = [
        row("u0", "Ada", {**bare, "label": "DATE"}),
        row("nowhere", "Ada"),
        row("u1", "Ada", {**bare, "end": 99}),
        row("u2", "two\nlines"),
        row("u2", "", MARK),
        row("u2", "Bo", MARK),
        row("u2", "Bo"),
    ]
    found, _ = refused(store, lines(tmp_path / "a.jsonl", *rows))
    assert any(one.startswith('a.jsonl:1  mistakes: "DATE" is not a label') for one in found)
    assert any(one.startswith("a.jsonl:2  unit 'nowhere' is not in this campaign") for one in found)
    assert any(one.startswith("a.jsonl:3  mistakes: The span 4-99 runs past the text") for one in found)
    assert any(one.startswith("a.jsonl:4  annotator 'two\\nlines' is no usable name") for one in found)
    assert any(one.startswith("a.jsonl:5  annotator is empty") for one in found)
    assert any("a.jsonl:7  Bo gives another answer to u2 at a.jsonl:6" in one for one in found)
    assert record_of(store, NAME).responses == ()


STRICT = """
protocol: strict/1
title: Mark and explain
taxonomies: {kinds: [{id: name}, {id: number}]}
steps:
  - questions:
      - id: mistakes
        kind: spans
        labels: {tree: kinds}
        attributes: [{id: correction, kind: text}]
      - {id: sure, kind: choice, options: [{id: low, value: 1}, {id: high, title: Very sure, value: 2}]}
"""


def strict() -> Protocol:
    return parse(STRICT)


def test_incomplete_answers_are_refused_once_with_a_count_and_the_option_that_keeps_them(
    store: Store, tmp_path: Path
) -> None:
    House.build(store, [make_unit(f"u{number}") for number in range(120)], strict())
    bare = {"start": 4, "end": 5, "label": "name"}
    rows = [row(f"u{number}", "Ada", bare, sure="high") for number in range(120)]
    path = lines(tmp_path / "a.jsonl", *rows)
    (problem,), message = refused(store, path)
    assert problem.startswith(
        "a.jsonl:1  mistakes: Correction: an answer is missing. ... and 119 more lines like this;"
    )
    assert message.startswith("1 problem; nothing was imported; --keep-incomplete")
    done = bring(store, path, keep_incomplete=True)
    assert (done.answers, done.incomplete) == (120, 120)
    assert said(record_of(store, NAME))["u7", "Ada"] == {"mistakes": [{"id": "e1", **bare}], "sure": "high"}


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({"mistakes": [{"start": 4, "end": 5, "label": "dates"}], "sure": "low"}, '"dates" is not a label'),
        ({"mistakes": [{"start": 4, "end": 50}], "sure": "low"}, "runs past the text"),
        ({"mistakes": [], "sure": "middling"}, '"middling" is not one of the options'),
        ({"mistakes": [], "certain": "low"}, "'certain' is no question of strict/1"),
        ({"mistakes": [{"start": 4, "end": 5, "hue": "red"}]}, 'A span has no "hue"'),
    ],
)
def test_what_cannot_be_placed_is_never_kept(
    sqlite_database: str, tmp_path: Path, given: dict[str, Any], wrong: str
) -> None:
    store = open_store(sqlite_database)
    House.build(store, 1, strict())
    path = lines(tmp_path / "a.jsonl", {"unit": "u0", "annotator": "Ada", "answers": given})
    found, message = refused(store, path, keep_incomplete=True)
    assert [one for one in found if wrong in one]
    assert "--keep-incomplete" not in message
    # What only is missing is not told here: the option would have kept it.
    assert not [one for one in found if "is missing" in one]
    store.close()


@on_sqlite
def test_who_saw_a_unit_and_marked_nothing_has_an_empty_list(store: Store, tmp_path: Path) -> None:
    House.build(store, 2)
    listed = tmp_path / "marks.csv"
    columns = "TEXT_ID,SENTENCE_ID,ANNOTATION_ID,TOKENS,SENT_TOKEN_START,SENT_TOKEN_END,DOC_TOKEN_START,DOC_TOKEN_END"
    listed.write_text(f"{columns},TYPE,CORRECTION,COMMENT,ANNOTATOR\nu0.txt,,,Friday,,,5,5,NAME,Monday,,Ada\n")
    seen = tmp_path / "seen.csv"
    seen.write_text("TEXT_ID,ANNOTATOR\nu0.txt,Ada\nu1,Ada\nu0,Bo\n")
    done = bring(store, listed, format_name="gsml", seen=seen)
    assert done.answers == 3
    found = said(record_of(store, NAME))
    assert found["u1", "Ada"] == found["u0", "Bo"] == {"mistakes": []}
    assert found["u0", "Ada"]["mistakes"] == [
        {"id": "m1", "start": 4, "end": 5, "label": "NAME", "correction": "Monday"}
    ]
    seen.write_text("unit,annotator\nu0,Ada\nu9,Bo\n")  # our own names of the columns do as well
    (problem,), _ = refused(store, listed, format_name="gsml", seen=seen)
    assert problem.startswith("seen.csv:3  unit 'u9' is not in this campaign")


@on_sqlite
def test_an_import_is_in_the_history_and_an_empty_file_is_none(store: Store, tmp_path: Path) -> None:
    House.build(store, 1)
    (tmp_path / "empty.jsonl").write_text("")
    (problem,), _ = refused(store, tmp_path / "empty.jsonl")
    assert "it holds no answer" in problem
    with pytest.raises(GoldmarkError, match="no format 'excel'"):
        bring(store, tmp_path / "empty.jsonl", format_name="excel")
    bring(store, lines(tmp_path / "a.jsonl", row("u0", "Ada")))
    found = store.read(lambda connection: events.history(connection, find_campaign(connection, NAME).id))
    assert found[0].kind == "answers imported"


@pytest.mark.parametrize(
    "format_name", sorted(name for name, one in exports().items() if one.imports and not one.tables)
)
def test_what_one_campaign_exports_another_with_the_same_texts_takes_in(
    sqlite_database: str, tmp_path: Path, format_name: str
) -> None:
    """Whatever the format, and although the other campaign has cut its texts into other tokens."""
    store = open_store(sqlite_database)
    words = "The Foxes won 88-79 on Friday ."
    house = House.build(store, [make_unit("u0", words), make_unit("u1", words)], labels_per_unit=2)
    ada, bo = house.person("Ada"), house.person("Bo")
    # By rules: The Foxes won 88 - 79 on Friday . -> "88-79" is 3-6, Friday 7-8
    marks = [{"id": "e1", "start": 3, "end": 6, "label": "NUMBER", "correction": "90-79"}, {**MARK, "id": "e2"}]
    marks[1] |= {"start": 7, "end": 8}
    house.submit(ada, house.task(ada), {"mistakes": marks})
    house.submit(bo, house.task(bo), {"mistakes": marks[:1]})
    record = record_of(store, NAME)
    target = tmp_path / ("export" if not FORMATS[format_name].single else "export.json")
    export_campaign(record, format_name, target)
    spaced = [
        Unit(name, ShownUnit({"text": ShownText(make_text(name, words, tokeniser="whitespace"))}), {})
        for name in ("u0", "u1")
    ]
    settings = Settings(labels_per_unit=2)
    create(store, name="other", title="", protocol=load("accuracy"), settings=settings, units=spaced, author="test")
    done = import_answers(store, ContentCache(store), "other", target, format_name=format_name, author="test")
    assert (done.answers, done.new_annotators) == (2, ("Ada", "Bo"))
    found = said(record_of(store, "other"))
    # Between white space: The Foxes won 88-79 on Friday . -> "88-79" is 3-4, Friday 5-6
    for key, answers in said(record).items():
        places = [(mark["start"], mark["end"], mark["label"], mark["correction"]) for mark in found[key]["mistakes"]]
        assert places == [(3, 4, "NUMBER", "90-79"), (5, 6, "NAME", "Monday")][: len(answers["mistakes"])]
    store.close()


@on_sqlite
def test_answers_without_a_time_leave_the_campaigns_times_alone(store: Store, tmp_path: Path) -> None:
    house = House.build(store, 3)
    ada = house.person("Ada")
    house.submit(ada, house.task(ada))  # in 10 seconds
    bring(store, lines(tmp_path / "a.jsonl", *(row(f"u{number}", "Bo") for number in range(3))))
    found = store.read(lambda connection: progress_of(connection, find_campaign(connection, NAME)))
    assert (found.labels_done, found.median_seconds) == (4, 10.0)


@on_sqlite
def test_answers_to_test_questions_hold_no_place(store: Store, tmp_path: Path) -> None:
    House.build(store, [make_unit("u0"), make_unit("t0", test="positive", expected={"mistakes": []})])
    bring(store, lines(tmp_path / "a.jsonl", row("u0", "Ada"), row("t0", "Ada"), row("t0", "Bo")))
    assert counts(store) == {"u0": (1, 1, 1), "t0": (1, 0, 0)}
    record = record_of(store, NAME)
    assert len(record.responses) == 3
    assert set(said(record)) == {("u0", "Ada")}


def test_many_come_in_pieces_and_a_broken_off_import_is_gone_on_with(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = SMALL // 4 + 1
    house = House.build(store, many)
    rows = [row(f"u{number}", person, MARK) for number in range(many) for person in ("Ada", "Bo", "Cy", "Di")]
    path = lines(tmp_path / "answers.jsonl", *rows)
    written, seen = InPieces._piece, list[int]()

    def dies(self: InPieces, some: Sequence[Any], work: Any) -> Any:
        if len(seen) == 2:
            raise OSError("the disk is full")
        done = written(self, some, work)
        seen.append(sum(many for many, _ in done))
        return done

    monkeypatch.setattr(InPieces, "_piece", dies)
    with pytest.raises(BrokenOff, match=rf"of {4 * many} answers were imported .* disk is full; the same file again"):
        bring(store, path)
    monkeypatch.undo()
    # What is there is whole: every answer with its counts, and nothing is said to have been imported.
    there = said(record_of(store, NAME))
    assert len(there) == sum(seen) < 4 * many
    assert sum(one[2] for one in counts(store).values()) == sum(seen)
    assert check(store).problems == ()
    assert not [one for one in record_of(store, NAME).events if one.kind == "answers imported"]
    # Somebody else answers meanwhile, and the same file brings in the rest.
    ed = house.person("Ed")
    house.submit(ed, house.task(ed))
    done = bring(store, path)
    assert (done.answers, done.already_there) == (4 * many - sum(seen), sum(seen))
    assert len(said(record_of(store, NAME))) == 4 * many + 1
    (event,) = [one for one in record_of(store, NAME).events if one.kind == "answers imported"]
    assert (event.facts["answers"], event.facts["units"]) == (done.answers, many)
    assert check(store).problems == ()


def test_of_many_none_comes_in_where_one_contradicts(store: Store, tmp_path: Path) -> None:
    house = House.build(store, SMALL + 1)
    ada = house.person("Ada")
    house.submit(ada, house.task(ada))
    path = lines(tmp_path / "answers.jsonl", *[row(f"u{number}", "Ada", MARK) for number in range(SMALL + 1)])
    (problem,), message = refused(store, path)
    assert "Ada has given another answer" in problem
    assert "nothing was imported" in message
    assert len(record_of(store, NAME).responses) == 1
    done = bring(store, path, replace_others=True)
    assert (done.answers, done.replaced) == (SMALL, 1)


def test_a_file_of_another_format_is_recognised(sqlite_store: Store, tmp_path: Path) -> None:
    House.build(sqlite_store, 1)
    path = tmp_path / "export.zip"
    path.write_bytes(zipped(PEERS["doccano"].items()))
    _, consequence = refused(sqlite_store, path)
    assert "this looks like a file of another format: try --format doccano" in consequence
