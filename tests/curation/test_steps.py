"""Steps: what each does, what is refused, what undoing leaves, and that the page folds them like the server."""

from __future__ import annotations

import json
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldmark.curation.proposals.propose import propose_text
from goldmark.curation.workspace.state import CuratedError, WorkspaceState, entries_of
from goldmark.curation.workspace.step_kinds import KINDS, CurationRules
from goldmark.curation.workspace.steps import CurationStep, apply, fold, in_force
from goldmark.errors import GoldmarkError
from tests.curation.marks import PRIORITY, marks_of, text_of

HERE = Path(__file__).parent
TEXT = text_of("The Foxes beat the Owls 98 - 90 on Friday . Kim had 30 points and 10 rebounds .")
#               0   1     2    3   4    5  6 7  8  9      10 11  12  13 14     15  16 17       18
RULES = CurationRules(
    0,
    len(TEXT.tokens),
    labels=PRIORITY,
    priority=PRIORITY,
    attributes={"severity": ("bad", "worse"), "reason": None},
    roles=("shows", "also"),
)


def begin() -> CurationStep:
    """Friday: all three alike. Kim: Ann and Bo; Cy marked both figures instead. Foxes: Ann alone."""
    marks = [
        *marks_of(TEXT, "Ann", "Friday^N=Monday", "Kim^N=Lee", "Foxes^N"),
        *marks_of(TEXT, "Bo", "Friday^N=Monday", "Kim^N"),
        *marks_of(TEXT, "Cy", "Friday^N=Sunday", "30^U=14", "10^U=4"),
    ]
    made = propose_text(TEXT, marks, ["Ann", "Bo", "Cy"], priority=PRIORITY)
    entries = [one.to_json() for one in entries_of(made, 1)]
    return CurationStep(
        1, "begin", {"responses": ["1.1", "2.1", "3.1"], "annotators": ["Ann", "Bo", "Cy"], "entries": entries}
    )


class Curator:
    """Takes steps one after the other."""

    def __init__(self) -> None:
        self.steps = [begin()]
        self.state = fold(self.steps)

    def do(self, kind: str, **facts: Any) -> WorkspaceState:
        step, self.state = apply(self.steps, CurationStep(len(self.steps) + 1, kind, facts), RULES)
        self.steps.append(step)
        assert fold(self.steps) == self.state
        return self.state

    def refused(self, kind: str, **facts: Any) -> str:
        with pytest.raises(GoldmarkError) as caught:
            apply(self.steps, CurationStep(len(self.steps) + 1, kind, facts), RULES)
        return caught.value.code

    def at(self, words: str) -> CuratedError:
        return next(one for one in self.state.entries if TEXT.slice(one.span) == words)


@pytest.fixture
def curator() -> Curator:
    return Curator()


def test_what_everybody_marked_alike_is_accepted_already(curator: Curator) -> None:
    assert curator.at("Friday").status == "accepted"
    kim = curator.at("Kim")
    # Ann and Bo marked Kim; Cy's two figures in the same clause are another form of it.
    assert (kim.status, kim.found_by, kim.label_agreed_by, kim.span_agreed_by) == ("open", 3, 2, 2)
    assert curator.at("Foxes").status == "left out"
    assert [one.id for one in curator.state.undecided()] == [kim.id]


def test_deciding(curator: Curator) -> None:
    kim, foxes, friday = (curator.at(words).id for words in ("Kim", "Foxes", "Friday"))
    curator.do("accept", mark=kim)
    curator.do("accept", mark=foxes)
    curator.do("drop", mark=friday)
    assert [curator.at(words).status for words in ("Kim", "Foxes", "Friday")] == ["accepted", "accepted", "dropped"]
    gold = curator.state.gold("t")
    assert [(TEXT.slice(one.span), one.id) for one in gold.mistakes] == [("Foxes", "1"), ("Kim", "2")]
    assert [TEXT.slice(one.span) for one in gold.left_out] == ["Friday"]


def test_changing_where_and_what_counts_who_agrees(curator: Curator) -> None:
    friday = curator.at("Friday").id
    changed = curator.do("change_label", mark=friday, label="WORD").entry(friday)
    assert (changed.found_by, changed.label_agreed_by, changed.span_agreed_by) == (3, 0, 3)
    moved = curator.do("change_span", mark=friday, start=8, end=10).entry(friday)
    assert (TEXT.slice(moved.span), moved.span_agreed_by) == ("on Friday", 0)
    curator.do("change_correction", mark=friday, correction="on Tuesday")
    said = curator.do("change_comment", mark=friday, comment="see the schedule").entry(friday)
    assert (said.correction, said.comment, said.status) == ("on Tuesday", "see the schedule", "accepted")


def test_merging_and_splitting(curator: Curator) -> None:
    curator.do("add", start=5, end=6, label="NUMBER")
    curator.do("add", start=7, end=8, label="WORD")
    first, second = (curator.at(words).id for words in ("98", "90"))
    curator.do("merge", marks=[first, second])
    whole = curator.at("98 - 90")
    assert (whole.label, whole.id) == ("NUMBER", "4.1")  # NUMBER stands before WORD in the priority
    curator.do("split", mark=whole.id, at=7)
    assert [TEXT.slice(one.span) for one in curator.state.entries if one.id.startswith("5.")] == ["98 -", "90"]
    friday = curator.at("Friday").id
    state = curator.do("merge", marks=[friday, curator.at("Kim").id], label="NAME")
    both = state.entry("6.1")
    assert TEXT.slice(both.span) == "Friday . Kim"
    assert {(one.annotator, one.span.start) for one in both.sources if not one.other_form} == {
        ("Ann", 9), ("Ann", 11), ("Bo", 9), ("Bo", 11), ("Cy", 9)
    }  # fmt: skip


def test_attributes_and_linked_passages(curator: Curator) -> None:
    friday = curator.at("Friday").id
    curator.do("change_attribute", mark=friday, attribute="severity", values=["bad"])
    curator.do("change_attribute", mark=friday, attribute="reason", values=["it was Monday"])
    changed = curator.do("change_attribute", mark=friday, attribute="severity", values=["worse"]).entry(friday)
    assert changed.attributes == (("reason", "it was Monday"), ("severity", "worse"))
    linked = curator.do("change_links", mark=friday, role="shows", passages=[{"start": 4, "end": 5}]).entry(friday)
    assert [(role, TEXT.slice(place)) for role, place in linked.links] == [("shows", "Owls")]
    (gold,) = curator.state.gold("t").mistakes
    assert (gold.attributes, gold.links) == (changed.attributes, linked.links)
    curator.do("change_attribute", mark=friday, attribute="severity", values=[])
    curator.do("change_links", mark=friday, role="shows", passages=[])
    bare = curator.at("Friday")
    assert (bare.attributes, bare.links) == ((("reason", "it was Monday"),), ())


@pytest.mark.parametrize(
    ("kind", "facts", "code"),
    [
        ("change_attribute", {"attribute": "colour", "values": ["red"]}, "CURATE-07"),
        ("change_attribute", {"attribute": "severity", "values": ["mild"]}, "CURATE-07"),
        ("change_links", {"role": "cause", "passages": []}, "CURATE-07"),
        ("change_links", {"role": "shows", "passages": [{"start": 18, "end": 20}]}, "CURATE-04"),
        ("change_links", {"role": "shows", "passages": [{"start": 3, "end": 3}]}, "CURATE-04"),
    ],
)
def test_what_the_protocol_does_not_ask_of_a_mark_is_refused(
    curator: Curator, kind: str, facts: dict[str, Any], code: str
) -> None:
    assert curator.refused(kind, mark=curator.at("Friday").id, **facts) == code


def test_two_people_meant_the_same(curator: Curator) -> None:
    kim, foxes = curator.at("Kim").id, curator.at("Foxes").id
    curator.do("drop", mark=kim)
    before = curator.at("Friday")
    state = curator.do("same_meaning", mark=before.id, other=foxes)
    after = state.entry(before.id)
    assert (after.found_by, after.span, after.span_agreed_by) == (3, before.span, 3)
    assert [one.other_form for one in after.sources if one.span.start == 1] == [True]
    assert foxes not in {one.id for one in state.entries}


def test_notes(curator: Curator) -> None:
    kim = curator.at("Kim").id
    assert curator.do("note", note="a hard text").note == "a hard text"
    assert curator.do("note", mark=kim, note="ask Bo").entry(kim).note == "ask Bo"


def test_undo_takes_back_and_can_be_taken_back(curator: Curator) -> None:
    kim = curator.at("Kim").id
    curator.do("drop", mark=kim)
    assert curator.do("undo", step=2).entry(kim).status == "open"
    assert curator.do("undo", step=3).entry(kim).status == "dropped"
    assert curator.refused("undo", step=3) == "CURATE-07"  # it is taken back already
    assert curator.refused("undo", step=1) == "CURATE-03"  # the proposal stays
    assert curator.refused("undo", step=99) == "CURATE-07"


def test_what_others_build_on_is_not_taken_back(curator: Curator) -> None:
    curator.do("add", start=5, end=6, label="NUMBER")
    curator.do("note", mark="2.1", note="points")
    assert curator.refused("undo", step=2) == "CURATE-07"
    curator.do("undo", step=3)
    assert all(one.id != "2.1" for one in curator.do("undo", step=2).entries)


def test_undoing_may_not_make_marks_overlap(curator: Curator) -> None:
    friday = curator.at("Friday").id
    curator.do("drop", mark=friday)
    curator.do("add", start=8, end=10, label="NAME")
    assert curator.refused("undo", step=2) == "CURATE-05"


def test_finishing_and_reopening(curator: Curator) -> None:
    assert curator.refused("finish") == "CURATE-09"
    kim = curator.at("Kim").id
    curator.do("accept", mark=kim)
    assert curator.do("finish").finished
    assert curator.refused("drop", mark=kim) == "CURATE-08"
    assert curator.refused("undo", step=2) == "CURATE-08"
    assert not curator.do("reopen").finished
    assert curator.refused("reopen") == "CURATE-07"
    assert curator.refused("undo", step=3) == "CURATE-07"
    assert curator.do("undo", step=2).entry(kim).status == "open"


@pytest.mark.parametrize(
    ("kind", "facts", "code"),
    [
        ("dance", {}, "CURATE-02"),
        ("accept", {}, "CURATE-03"),
        ("accept", {"mark": "1.1", "more": 1}, "CURATE-03"),
        ("note", {"note": "\x00"}, "CURATE-03"),
        ("accept", {"mark": "1.99"}, "CURATE-01"),
        ("add", {"start": 18, "end": 20, "label": "NAME"}, "CURATE-04"),
        ("add", {"start": 4, "end": 4, "label": "NAME"}, "SPAN-01"),
        ("add", {"start": 8, "end": 10, "label": "NAME"}, "CURATE-05"),
        ("add", {"start": 5, "end": 6, "label": "COLOUR"}, "CURATE-06"),
        ("add", {"start": 5, "end": 6}, "CURATE-06"),
        ("split", {"mark": "1.1", "at": 0}, "CURATE-07"),
        ("merge", {"marks": ["1.1", "1.1"]}, "CURATE-07"),
        ("same_meaning", {"mark": "1.1", "other": "1.1"}, "CURATE-07"),
    ],
)
def test_refused(curator: Curator, kind: str, facts: dict[str, Any], code: str) -> None:
    assert curator.refused(kind, **facts) == code


def test_the_prompt_is_not_marked() -> None:
    rules = CurationRules(5, len(TEXT.tokens), labels=PRIORITY)
    with pytest.raises(GoldmarkError) as caught:
        apply([begin()], CurationStep(2, "add", {"start": 4, "end": 6, "label": "NAME"}), rules)
    assert caught.value.code == "CURATE-04"


def test_where_overlap_is_allowed_it_is() -> None:
    rules = CurationRules(0, len(TEXT.tokens), overlap=True, labels=PRIORITY)
    _, state = apply([begin()], CurationStep(2, "add", {"start": 8, "end": 10, "label": "NAME"}), rules)
    assert len([one for one in state.entries if one.span.start in (8, 9) and one.live]) == 2


def test_entries_survive_being_stored() -> None:
    entries = fold([begin()]).entries
    assert tuple(CuratedError.from_json(json.loads(json.dumps(one.to_json()))) for one in entries) == entries


PLACES = st.integers(0, 5)  # in the list of entries
actions = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["accept", "drop"]), st.fixed_dictionaries({"mark": PLACES})),
        st.tuples(st.just("split"), st.fixed_dictionaries({"mark": PLACES, "at": st.integers(0, 18)})),
        st.tuples(
            st.sampled_from(["merge", "same_meaning"]),
            st.fixed_dictionaries({"first": PLACES, "second": PLACES}),
        ),
        st.tuples(
            st.sampled_from(["add", "change_span"]),
            st.fixed_dictionaries({"start": st.integers(0, 18), "length": st.integers(1, 3), "mark": PLACES}),
        ),
        st.tuples(
            st.just("change_label"),
            st.fixed_dictionaries({"mark": PLACES, "label": st.sampled_from(PRIORITY)}),
        ),
        st.tuples(st.just("undo"), st.fixed_dictionaries({"step": st.integers(2, 12)})),
    ),
    max_size=12,
)


def facts_of(state: WorkspaceState, kind: str, rough: dict[str, Any]) -> dict[str, Any]:
    """Rough facts as those of this state: places in the list become ids."""
    ids = [one.id for one in state.entries] or ["1.1"]
    named = {key: ids[value % len(ids)] for key, value in rough.items() if key in ("mark", "first", "second")}
    if kind == "merge":
        return {"marks": [named["first"], named["second"]]}
    if kind == "same_meaning":
        return {"mark": named["first"], "other": named["second"]}
    if kind in ("add", "change_span"):
        place = {"start": rough["start"], "end": rough["start"] + rough["length"]}
        return {**place, "label": "NAME"} if kind == "add" else {**place, "mark": named["mark"]}
    return {**rough, **named}


def played(script: list[tuple[str, dict[str, Any]]]) -> Curator:
    """A curator who tries all this; what is refused changes nothing."""
    curator = Curator()
    for kind, rough in script:
        try:
            curator.do(kind, **facts_of(curator.state, kind, rough))
        except GoldmarkError:
            continue
    return curator


@given(actions)
def test_whatever_is_done_marks_stay_apart_in_the_text_and_countable(script: list[tuple[str, dict[str, Any]]]) -> None:
    state = played(script).state
    live = sorted((one for one in state.entries if one.live), key=lambda one: one.span)
    assert all(one.span.end <= other.span.start for one, other in pairwise(live))
    assert len({one.id for one in state.entries}) == len(state.entries)
    for one in state.entries:
        assert one.span.end <= len(TEXT.tokens)
        assert max(one.label_agreed_by, one.span_agreed_by) <= one.found_by <= 3


@given(actions)
def test_undoing_everything_from_the_end_leads_back_to_the_proposal(script: list[tuple[str, dict[str, Any]]]) -> None:
    curator = played(script)
    while (rest := [one for one in in_force(curator.steps) if one.kind not in ("undo", "begin")]) != []:
        curator.do("undo", step=rest[-1].number)
    assert curator.state == fold([begin()])


SCRIPTS: list[list[tuple[str, dict[str, Any]]]] = [
    [("accept", {"mark": 1}), ("drop", {"mark": 0}), ("undo", {"step": 3}), ("undo", {"step": 4})],
    [("add", {"start": 5, "length": 3}), ("split", {"mark": 1, "at": 6}), ("merge", {"first": 1, "second": 2})],
    [("same_meaning", {"first": 1, "second": 0}), ("change_label", {"mark": 0, "label": "WORD"})],
    [
        ("change_span", {"mark": 1, "start": 8, "length": 2}),
        ("merge", {"first": 0, "second": 2}),
        ("undo", {"step": 2}),
    ],
]


def test_the_page_folds_steps_like_the_server() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no Node.js on this machine")
    kinds: list[tuple[str, dict[str, Any]]] = [
        ("note", {"note": "all"}),
        ("change_correction", {"mark": "1.1", "correction": "x"}),
        ("change_comment", {"mark": "1.1", "comment": "y"}),
        ("note", {"mark": "1.1", "note": "z"}),
        ("change_attribute", {"mark": "1.1", "attribute": "severity", "values": ["worse", "bad"]}),
        ("change_attribute", {"mark": "1.1", "attribute": "reason", "values": ["it was Monday"]}),
        ("change_attribute", {"mark": "1.2", "attribute": "severity", "values": ["bad"]}),
        ("change_attribute", {"mark": "1.2", "attribute": "severity", "values": []}),
        ("change_links", {"mark": "1.1", "role": "shows", "passages": [{"start": 0, "end": 2}]}),
        ("change_links", {"mark": "1.1", "role": "also", "passages": [{"start": 3, "end": 4}]}),
        *(("accept", {"mark": one.id}) for one in Curator().state.undecided()),
        ("finish", {}),
        ("reopen", {}),
        ("merge", {"marks": ["1.1", "1.2"]}),
        ("import", {"source": "gold.csv", "entries": [one.to_json() for one in fold([begin()]).entries[:1]]}),
    ]
    curators = [played(script) for script in SCRIPTS]
    curators.append(Curator())
    for kind, facts in kinds:
        curators[-1].do(kind, **facts)
    cases: list[dict[str, Any]] = [
        {
            "steps": [{"number": one.number, "kind": one.kind, "facts": one.facts} for one in curator.steps],
            "state": curator.state.to_json(),
        }
        for curator in curators
    ]
    assert {step["kind"] for case in cases for step in case["steps"]} == set(KINDS)
    done = subprocess.run(
        [node, str(HERE / "fold.mjs")], input=json.dumps(cases), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    for case, seen in zip(cases, json.loads(done.stdout), strict=True):
        assert seen == case["state"]
