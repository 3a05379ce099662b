"""The curator's workspace on both databases: proposals, steps that do not overwrite, frozen versions."""

from __future__ import annotations

import csv
import io
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.campaigns.lifecycle import find_campaign
from goldmark.curation.gold_lists.files import diff, write_gold
from goldmark.curation.gold_lists.versions import finished_gold, gold_from_json, gold_to_json, versions_of
from goldmark.curation.proposals.text_agreement import text_agreement
from goldmark.curation.question import marks_of
from goldmark.curation.workspace.service import CurationWorkspace, MovedOn, UnknownVersion, open_workspace, take_step
from goldmark.curation.workspace.steps import CurationStep
from goldmark.curation.workspace.worklist import curation_progress, list_curation, neighbours, next_to_curate
from goldmark.errors import GoldmarkError
from goldmark.protocols import parse
from goldmark.protocols.answers import read
from goldmark.records.gold import GoldText
from goldmark.records.spans import Span
from goldmark.records.units import Unit
from goldmark.store import Store
from tests.campaigns.house import NAME, House, unit
from tests.databases import on_sqlite

WORDS = "The Foxes beat the Owls on Friday . Kim had 30 points and 10 rebounds ."
#        0   1     2    3   4    5  6      7 8   9   10 11     12  13 14       15


def mark(number: int, start: int, label: str, **more: Any) -> dict[str, Any]:
    return {"id": f"e{number}", "start": start, "end": start + 1, "label": label, "correction": "x", **more}


ANN = [mark(1, 6, "NAME"), mark(2, 8, "NAME"), mark(3, 1, "WORD")]
BO = [mark(1, 6, "NAME"), mark(2, 8, "NAME", correction="Lee")]
CY = [mark(1, 6, "NAME"), mark(2, 10, "NUMBER", correction="14"), mark(3, 13, "NUMBER", comment="season")]


class Office:
    """A campaign of two units with three labels each, and curators for it."""

    def __init__(self, store: Store, units: list[Unit] | None = None, **more: Any) -> None:
        made = units or [unit("g1", WORDS), unit("g2", WORDS)]
        self.house = House.build(store, made, labels_per_unit=3, **more)
        self.store, self.content = store, self.house.work.content
        self.tokens: dict[str, str] = {}

    def answer(self, name: str, *answers: list[dict[str, Any]]) -> None:
        token = self.tokens[name] = self.house.person(name)
        for mistakes in answers:
            self.house.submit(token, self.house.task(token), {"mistakes": mistakes})

    def everybody(self) -> int:
        """All three answer both units alike; the first unit is returned."""
        for name, mistakes in (("Ann", ANN), ("Bo", BO), ("Cy", CY)):
            self.answer(name, mistakes, mistakes)
        return self.units()[0]

    def units(self) -> list[int]:
        page = self.store.read(lambda open_: list_curation(open_, find_campaign(open_, NAME), "mistakes"))
        return [line.id for line in page.items]

    def workspace(self, unit_id: int) -> CurationWorkspace:
        return self.store.read(lambda open_: open_workspace(open_, self.content, find_campaign(open_, NAME), unit_id))

    def step(self, unit_id: int, after: int, kind: str, author: str = "Cur", **facts: Any) -> tuple[CurationStep, ...]:
        return take_step(
            self.store, self.content, NAME, unit_id, after=after, kind=kind, facts=facts, author=author, reason="so"
        )

    def decide(self, unit_id: int) -> int:
        """Accept all that is undecided; the number of the last step."""
        workspace = self.workspace(unit_id)
        last = len(workspace.steps)
        for one in workspace.state().undecided():
            (step,) = self.step(unit_id, last, "accept", mark=one.id)
            last = step.number
        return last

    def versions(self, unit_id: int) -> list[GoldText]:
        return self.store.read(lambda open_: versions_of(open_, unit_id, "mistakes"))

    def states(self) -> dict[str, str]:
        page = self.store.read(lambda open_: list_curation(open_, find_campaign(open_, NAME), "mistakes"))
        return {line.name: line.state for line in page.items}


def as_csv(store: Store, question: str) -> str:
    found, texts = finished_gold(store, ContentCache(store), NAME, question)
    return write_gold([mistake for one in found for mistake in one.mistakes], texts)


def refusal(action: Any) -> str:
    with pytest.raises(GoldmarkError) as caught:
        action()
    return caught.value.code


@on_sqlite
def test_a_proposal_is_made_from_final_answers(store: Store) -> None:
    office = Office(store)
    first = office.everybody()
    workspace = office.workspace(first)
    assert not workspace.begun
    assert [(step.number, step.kind) for step in workspace.steps] == [(1, "begin")]
    seen = {
        workspace.text.slice(one.span): (one.status, one.found_by, one.label_agreed_by, one.span_agreed_by)
        for one in workspace.state().entries
    }
    # Friday: all three alike. Kim: Ann and Bo; Cy's figures in that sentence are another form. Foxes: Ann alone.
    assert seen == {"Friday": ("accepted", 3, 3, 3), "Kim": ("open", 3, 2, 2), "Foxes": ("left out", 1, 1, 1)}


@on_sqlite
def test_an_answer_that_is_amended_counts_as_it_is_now(store: Store) -> None:
    office = Office(store)
    token = office.house.person("Ann")
    task = office.house.task(token)
    office.house.submit(token, task, {"mistakes": ANN})
    office.house.submit(token, task.id, {"mistakes": []})
    assert office.workspace(task.unit_id).marks == {"Ann": ()}


@on_sqlite
def test_steps_are_kept_with_author_reason_and_time(store: Store) -> None:
    office = Office(store)
    first = office.everybody()
    kim = next(one.id for one in office.workspace(first).state().undecided())
    office.step(first, 1, "accept", mark=kim)
    workspace = office.workspace(first)
    assert workspace.begun
    assert [(one.number, one.kind, one.author) for one in workspace.steps] == [
        (1, "begin", "Cur"),
        (2, "accept", "Cur"),
    ]
    assert workspace.steps[1].reason == "so"
    assert workspace.steps[1].at is not None
    assert workspace.steps[1].at.tzinfo is not None
    assert office.states()["g1" if workspace.unit.line.name == "g1" else "g2"] == "begun"


def test_the_second_of_two_curators_is_told_what_happened(store: Store) -> None:
    office = Office(store)
    first = office.everybody()
    kim = next(one.id for one in office.workspace(first).state().undecided())
    office.step(first, 1, "drop", author="Dee", mark=kim)
    with pytest.raises(MovedOn) as caught:
        office.step(first, 1, "accept", author="Eli", mark=kim)
    assert "Dee" in str(caught.value)
    assert [(one.number, one.kind) for one in caught.value.newer] == [(2, "drop")]
    assert office.workspace(first).state().entry(kim).status == "dropped"
    office.step(first, 2, "accept", author="Eli", mark=kim)
    assert office.workspace(first).state().entry(kim).status == "accepted"
    with pytest.raises(MovedOn):  # of a future that does not exist
        office.step(first, 9, "accept", mark=kim)


def test_a_step_that_is_sent_twice_is_taken_once(store: Store) -> None:
    office = Office(store)
    first = office.everybody()
    kim = next(one.id for one in office.workspace(first).state().undecided())
    for _ in range(2):
        assert [one.number for one in office.step(first, 1, "drop", mark=kim)] == [2]
    assert len(office.workspace(first).steps) == 2


def test_many_at_once_lose_nothing_and_overwrite_nothing(store: Store) -> None:
    office = Office(store)
    first = office.everybody()

    def note(number: int) -> int:
        last = 1
        while True:
            try:
                return office.step(first, last, "note", author=f"c{number}", note=f"note {number}")[0].number
            except MovedOn as error:
                last = error.newer[-1].number if error.newer else last

    with ThreadPoolExecutor(6) as pool:
        numbers = sorted(pool.map(note, range(6)))
    assert numbers == [2, 3, 4, 5, 6, 7]
    notes = {one.facts["note"] for one in office.workspace(first).steps[1:]}
    assert notes == {f"note {number}" for number in range(6)}


@on_sqlite
def test_new_answers_do_not_change_what_is_being_curated(store: Store) -> None:
    office = Office(store)
    office.answer("Ann", ANN)
    first = next(one for one in office.units() if office.workspace(one).labels)
    stale = office.workspace(first).basis
    office.step(first, 1, "note", note="begun with one answer")
    before = office.workspace(first).state()
    for name in ("Bo", "Cy"):
        office.answer(name, BO, BO)
    workspace = office.workspace(first)
    assert workspace.state() == before
    assert workspace.basis != before.responses == stale
    office.step(first, 2, "begin")
    after = office.workspace(first).state()
    assert after.annotators == ("Ann", "Bo", "Cy")
    assert after.note == "begun with one answer"
    assert {one.id.split(".")[0] for one in after.entries} == {"3"}
    office.step(first, 3, "undo", step=3)
    assert office.workspace(first).state() == before


@on_sqlite
def test_the_first_step_needs_the_proposal_that_was_seen(store: Store) -> None:
    office = Office(store)
    office.answer("Ann", ANN)
    first = next(one for one in office.units() if office.workspace(one).labels)
    stale = office.workspace(first).basis
    office.answer("Bo", BO, BO)

    def late() -> None:
        take_step(
            store, office.content, NAME, first, after=1, kind="note", facts={"note": "x"}, author="c", basis=stale
        )

    assert refusal(late) == "CURATE-12"
    assert not office.workspace(first).begun


@on_sqlite
def test_finishing_freezes_versions(store: Store) -> None:
    office = Office(store)
    first = office.everybody()
    assert refusal(lambda: office.step(first, 1, "finish")) == "CURATE-09"
    last = office.decide(first)
    office.step(first, last, "finish")
    assert office.states()[office.workspace(first).unit.line.name] == "finished"
    office.step(first, last + 1, "reopen", author="Dee")
    assert office.states()[office.workspace(first).unit.line.name] == "begun"
    friday = next(one for one in office.workspace(first).state().entries if one.found_by == 3 and one.span.start == 6)
    office.step(first, last + 2, "change_label", mark=friday.id, label="WORD")
    office.step(first, last + 3, "finish", author="Dee")
    one, two = office.versions(first)
    assert (one.version, one.author, two.version, two.author) == (1, "Cur", 2, "Dee")
    assert [mistake.label for mistake in one.mistakes] == ["NAME", "NAME"]
    assert [mistake.label for mistake in two.mistakes] == ["WORD", "NAME"]
    assert [(change.kind, change.what) for change in diff(one.mistakes, two.mistakes)] == [("changed", ("label",))]
    assert [left.labels for left in two.left_out] == [("WORD",)]
    assert two.annotators == ("Ann", "Bo", "Cy")
    assert gold_from_json(gold_to_json(two), version=2, author="Dee", at=two.at) == two  # type: ignore[arg-type]
    line = office.workspace(first).unit.line
    with pytest.raises(UnknownVersion):
        store.read(lambda open_: office.workspace(line.id).version(versions_of(open_, line.id, "mistakes"), 3))


def test_the_gold_list_of_a_campaign(store: Store) -> None:
    office = Office(store)
    first = office.everybody()
    second = office.units()[1]
    office.step(first, office.decide(first), "finish")
    assert store.read(lambda open_: next_to_curate(open_, find_campaign(open_, NAME), "mistakes", first)) == second
    progress = store.read(lambda open_: curation_progress(open_, find_campaign(open_, NAME), "mistakes"))
    assert progress == (1, 0, 1, 2)
    rows = list(csv.DictReader(io.StringIO(as_csv(store, "mistakes"))))
    name = office.workspace(first).unit.line.name
    assert [(row["TEXT_ID"], row["TOKENS"], row["TYPE"], row["FOUND_BY"], row["TYPE_AGREED_BY"]) for row in rows] == [
        (name, "Friday", "NAME", "3", "3"),
        (name, "Kim", "NAME", "3", "2"),
    ]


def test_the_list_of_units_by_state_and_name(store: Store) -> None:
    office = Office(store)
    first = office.everybody()
    office.step(first, 1, "note", note="x")
    name = office.workspace(first).unit.line.name

    def listed(**wanted: str) -> list[str]:
        page = store.read(lambda open_: list_curation(open_, find_campaign(open_, NAME), "mistakes", **wanted))  # type: ignore[arg-type]
        assert page.total == len(page.items)
        return sorted(line.name for line in page.items)

    assert listed() == ["g1", "g2"]
    assert listed(state="begun") == [name]
    assert listed(state="ready") == sorted({"g1", "g2"} - {name})
    assert listed(state="finished") == []
    assert listed(search="g2") == ["g2"]


@on_sqlite
def test_nothing_to_curate(store: Store) -> None:
    office = Office(store)
    first = office.units()[0]
    assert office.workspace(first).state().entries == ()
    assert refusal(lambda: office.step(first, 1, "note", note="x")) == "CURATE-11"


@on_sqlite
def test_the_reason_for_a_mark_is_its_comment(store: Store) -> None:
    house = House.build(store, [unit("g1", WORDS)], protocol="tgea", labels_per_unit=1)
    token = house.person("Ann")
    task = house.task(token)
    error = {"id": "e1", "start": 6, "end": 7, "label": "missing.subject", "correction": "Monday", "rationale": "why"}
    linked = {**error, "links": {"associated": [{"start": 1, "end": 2}]}}
    house.submit(token, task, {"verdict": "erroneous", "errors": [linked]})
    row = store.read(lambda open_: find_campaign(open_, NAME))
    workspace = store.read(lambda open_: open_workspace(open_, house.work.content, row, task.unit_id))
    (mark,) = workspace.marks["Ann"]
    assert (mark.correction, mark.comment, mark.label) == ("Monday", "why", "missing.subject")
    assert "missing" not in (workspace.rules.labels or ())  # too general to be chosen
    assert workspace.text.slice(mark.span) == "Friday"


@on_sqlite
def test_spans_of_characters_become_the_tokens_they_touch(store: Store) -> None:
    office = Office(store)
    office.answer("Ann", ANN)
    workspace = next(found for one in office.units() if (found := office.workspace(one)).labels)
    source = "protocol: p/1\ntitle: P\nsteps: [{questions: [{id: mistakes, kind: spans, by: character}]}]"
    answers = {"mistakes": [{"id": "e1", "start": 5, "end": 12}]}
    (mark,) = marks_of(read(parse(source), answers, workspace.unit.shown), workspace.question, workspace.text, "Ann")
    assert workspace.text.slice(mark.span) == "Foxes beat"  # characters 5 to 12 are "oxes be"


@on_sqlite
def test_a_campaign_without_spans(store: Store) -> None:
    house = House.build(store, 1, protocol="rating-qa")
    row = store.read(lambda open_: find_campaign(open_, NAME))
    assert refusal(lambda: store.read(lambda open_: open_workspace(open_, house.work.content, row, 1))) == "CURATE-10"


def test_agreement_of_one_text() -> None:
    # Two of three tokens alike: F1 = 2*1 / (1+2) of marked tokens; alpha of NAME NAME, NAME -, - -: n = 6, 3 NAME.
    # Do = 1 pair of 3 disagrees = 1/3, De = 2*3*3/(6*5) = 3/5, alpha = 1 - 5/9 = 4/9.
    from goldmark.records.mistakes import Mistake
    from goldmark.records.spans import Span

    marks = {"a": [Mistake("t", Span(0, 2), "NAME")], "b": [Mistake("t", Span(0, 1), "NAME")]}
    found = text_agreement(3, marks)
    assert found.token_alpha.value == pytest.approx(4 / 9)
    assert found.token_f1.value == pytest.approx(2 / 3)
    nothing = text_agreement(3, {"a": [], "b": []})
    assert nothing.token_alpha.value is None
    assert nothing.token_alpha.reason
    assert text_agreement(3, {"a": []}).token_f1.value is None


@on_sqlite
def test_where_approval_is_asked_for_only_approved_answers_are_proposed(store: Store) -> None:
    office = Office(store, review={"required": True})
    first = office.everybody()
    waiting = office.house.waiting("Rhea")
    assert refusal(lambda: office.step(first, 1, "note", note="early")) == "CURATE-11"  # nothing counts yet
    mine = {one.annotator: one for one in waiting if one.unit_id == first}
    office.house.judge(mine["Ann"].id, "approved", "Rhea", "")
    office.house.judge(mine["Bo"].id, "approved", "Rhea", "")
    office.house.judge(mine["Cy"].id, "returned", "Rhea", "no")
    workspace = office.workspace(first)
    assert sorted(workspace.marks) == ["Ann", "Bo"]
    # Friday and Kim by both who count; Cy's figures count for nothing until they are approved.
    assert {workspace.text.slice(one.span): one.found_by for one in workspace.state().entries} == {
        "Friday": 2, "Kim": 2, "Foxes": 1
    }  # fmt: skip
    assert office.states()[workspace.unit.line.name] == "waiting"
    office.house.submit(office.tokens["Cy"], mine["Cy"].id, {"mistakes": CY[:-1]})
    again = next(one for one in office.house.waiting("Rhea") if one.id == mine["Cy"].id)
    office.house.judge(again.id, "approved", "Rhea", "")
    workspace = office.workspace(first)
    assert sorted(workspace.marks) == ["Ann", "Bo", "Cy"]
    assert office.states()[workspace.unit.line.name] == "ready"


TWO_QUESTIONS = """
protocol: two/1
title: Two
taxonomies: {kinds: [{id: A}, {id: B}]}
steps:
  - id: mark
    questions:
      - {id: good, kind: spans, required: false, labels: {tree: kinds}}
      - id: bad
        kind: spans
        required: false
        labels: {tree: kinds}
        links: {shows: {at_most: 1}}
        attributes:
          - {id: severity, kind: choice, options: [mild, grave]}
          - {id: aspects, kind: choices, required: false, options: [x, y, z]}
          - {id: weight, kind: number, required: false}
"""


@on_sqlite
def test_every_question_about_passages_is_curated_with_versions_of_its_own(store: Store) -> None:
    house = House.build(store, [unit("g1", WORDS)], parse(TWO_QUESTIONS), labels_per_unit=3)
    span = {"id": "e1", "start": 6, "end": 7, "label": "A"}
    for name, more in (
        ("Ann", {"severity": "mild", "aspects": ["x", "z"], "links": {"shows": [{"start": 1, "end": 2}]}}),
        ("Bo", {"severity": "grave", "weight": 2, "links": {"shows": [{"start": 1, "end": 2}]}}),
        ("Cy", {"severity": "grave", "aspects": ["x", "z"]}),
    ):
        token = house.person(name)
        house.submit(token, house.task(token), {"good": [], "bad": [{**span, **more}]})
    content, row = house.work.content, store.read(lambda open_: find_campaign(open_, NAME))

    def workspace(question: str | None) -> CurationWorkspace:
        return store.read(lambda open_: open_workspace(open_, content, row, 1, question))

    assert (workspace(None).question.id, workspace(None).state().entries) == ("good", ())
    (entry,) = workspace("bad").state().entries
    # Two of three say grave, two name both aspects, one gives a weight, two link the Foxes.
    assert entry.attributes == (("aspects", "x"), ("aspects", "z"), ("severity", "grave"), ("weight", "2"))
    assert entry.links == (("shows", Span(1, 2)),)
    assert entry.status == "accepted"
    assert refusal(lambda: workspace("worse")) == "CURATE-15"
    take: dict[str, Any] = {"author": "Cur", "reason": ""}
    take_step(store, content, NAME, 1, after=1, kind="finish", facts={}, question="bad", **take)
    assert (workspace("good").state().finished, workspace("bad").state().finished) == (False, True)
    take_step(store, content, NAME, 1, after=1, kind="add", facts={"start": 0, "end": 1, "label": "B"}, **take)
    take_step(store, content, NAME, 1, after=2, kind="finish", facts={}, question="good", **take)
    lists = store.read(lambda open_: {asked: versions_of(open_, 1, asked) for asked in ("good", "bad")})
    assert [(key, [one.label for one in found[0].mistakes]) for key, found in lists.items()] == [
        ("good", ["B"]), ("bad", ["A"])
    ]  # fmt: skip
    (mistake,) = lists["bad"][0].mistakes
    assert (mistake.attributes, mistake.links) == (entry.attributes, entry.links)
    (cells,) = csv.DictReader(io.StringIO(as_csv(store, "bad")))
    assert json.loads(cells["ATTRIBUTES"]) == {"aspects": ["x", "z"], "severity": "grave", "weight": "2"}
    assert json.loads(cells["LINKS"]) == [["shows", 2, 2]]
    assert len(as_csv(store, "good").splitlines()) == 2


def test_from_one_text_to_the_next_past_test_questions(store: Store) -> None:
    hidden = {"test": "positive", "expected": {"mistakes": []}}
    office = Office(store, [unit("g1", WORDS), unit("g2", WORDS), unit("t1", WORDS, **hidden)])
    first, second = office.units()
    row = store.read(lambda open_: find_campaign(open_, NAME))
    assert store.read(lambda open_: neighbours(open_, row, first)) == (None, second)
    assert store.read(lambda open_: neighbours(open_, row, second)) == (first, None)
