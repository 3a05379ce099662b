"""Many texts at once: how far people differ, finishing what they marked alike, the way back, and blind curators."""

from __future__ import annotations

import json
import re
import threading
from typing import Any, ClassVar

import pytest
from sqlalchemy import func, select

from goldmark.campaigns.lifecycle import find_campaign, look_into
from goldmark.curation.proposals.propose import propose_text
from goldmark.curation.question import spans_question
from goldmark.curation.workspace import at_once, service
from goldmark.curation.workspace.blind import aliases_for, hidden
from goldmark.store import Store
from goldmark.store.tables import curation_step
from tests.campaigns.house import NAME, unit
from tests.curation.test_service import ANN, BO, CY, WORDS, Office, mark

ALIKE = [mark(1, 6, "NAME")]


class Desk(Office):
    tasks: ClassVar[dict[tuple[str, str], Any]] = {}


@pytest.fixture
def office(store: Store) -> Desk:
    """Five texts: three that everybody marked alike (two with a mark, one with none), two on which they differ."""
    office = Desk(store, [unit(f"g{n}", WORDS) for n in range(5)])
    said = {"g0": (ALIKE,) * 3, "g1": ([],) * 3, "g2": (ANN, BO, CY), "g3": (ALIKE,) * 3, "g4": (ANN, BO, BO)}
    names = {one.id: one.name for one in listed(office)}
    for place, name in enumerate(("Ann", "Bo", "Cy")):
        token = office.tokens[name] = office.house.person(name)
        for _ in said:
            task = office.house.task(token)
            office.house.submit(token, task, {"mistakes": said[names[task.unit_id]][place]})
            office.tasks[name, names[task.unit_id]] = task
    return office


def listed(office: Office, **more: Any) -> list[Any]:
    def look(connection: Any) -> Any:
        row = find_campaign(connection, NAME)
        question = spans_question(office.content.protocol(row.protocol_id), row, None)
        return at_once.list_by(connection, office.content, row, question, **more).items

    return list(office.store.read(look))


def test_those_come_first_on_which_there_is_most_to_decide(office: Office) -> None:
    lines = {one.name: one for one in listed(office)}
    assert {name: one.undecided for name, one in lines.items()} == {
        "g0": 0,
        "g1": 0,
        "g2": 1,
        "g3": 0,
        "g4": 0,
    }
    assert lines["g0"].agreement == 1
    assert lines["g1"].agreement is None  # nobody marked anything
    # Ann, Bo, Cy marked {1,6,8}, {6,8}, {6,10,13}: F1 4/5, 1/3, 2/5.
    assert lines["g2"].agreement == pytest.approx((4 / 5 + 1 / 3 + 2 / 5) / 3)
    ordered = [one.name for one in listed(office, order="disagreement")]
    assert ordered[:2] == ["g2", "g4"]
    assert [one.name for one in listed(office, order="disagreement", state="ready", search="g4")] == ["g4"]


def test_all_that_everybody_marked_alike_is_finished_at_once_and_taken_back(office: Office) -> None:
    done = at_once.finish_unanimous(office.store, office.content, NAME, author="Cur")
    assert done.texts == 3
    finished = {"g0", "g1", "g3"}
    assert {name for name, state in office.states().items() if state == "finished"} == finished
    ids = {one.name: one.id for one in listed(office)}
    (gold,) = office.versions(ids["g0"])
    assert [(one.label, one.found_by) for one in gold.mistakes] == [("NAME", 3)]
    assert at_once.finish_unanimous(office.store, office.content, NAME, author="Cur").texts == 0
    office.step(ids["g3"], 2, "reopen")  # somebody looks at one of them again; the undo leaves it alone
    office.step(ids["g3"], 3, "add", start=0, end=1, label="WORD")
    last = office.store.read(lambda c: at_once.last_finished(c, find_campaign(c, NAME), "mistakes"))
    assert last is not None
    assert (last.texts, last.author) == (2, "Cur")
    assert at_once.take_back(office.store, office.content, NAME, author="Cur").texts == 2
    assert "finished" not in office.states().values()
    with pytest.raises(at_once.NothingToTakeBack):
        at_once.take_back(office.store, office.content, NAME, author="Cur")
    # What was taken back can be finished together again; what a curator decided on cannot.
    assert at_once.finish_unanimous(office.store, office.content, NAME, author="Cur").texts == 2


def test_a_second_click_that_finishes_nothing_hides_nothing_of_the_first(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    clicks = [1]

    def slowly(*given: Any) -> Any:
        found = look_into(*given)
        if clicks:  # another click comes between its look and its first text, and is done before
            clicks.pop()
            assert at_once.finish_unanimous(office.store, office.content, NAME, author="Cur").texts == 3
        return found

    monkeypatch.setattr(at_once, "look_into", slowly)
    assert at_once.finish_unanimous(office.store, office.content, NAME, author="Cur").texts == 0
    assert at_once.take_back(office.store, office.content, NAME, author="Cur").texts == 3


def test_no_write_holds_more_than_a_few_texts_and_each_goes_on_where_it_was_broken_off(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(at_once, "AT_ONCE", 1)
    written: list[int] = []  # steps in each transaction

    def counted(work: Any, write: Any = office.store.write) -> Any:
        def look(connection: Any) -> Any:
            before = steps(connection)
            made = work(connection)
            written.append(steps(connection) - before)
            return made

        return write(look)

    def broken_off(work: Any) -> Any:
        if len(written) == 2:
            raise KeyboardInterrupt
        return counted(work)

    def together() -> Any:
        return office.store.read(lambda c: at_once.last_finished(c, find_campaign(c, NAME), "mistakes"))

    with monkeypatch.context() as killed:
        killed.setattr(office.store, "write", broken_off)
        with pytest.raises(KeyboardInterrupt):
            at_once.finish_unanimous(office.store, office.content, NAME, author="Cur")
    assert (written, together().texts) == ([0, 2], 1)  # the note, then the proposal of one text with its finish
    monkeypatch.setattr(office.store, "write", counted)
    assert at_once.finish_unanimous(office.store, office.content, NAME, author="Cur").texts == 2
    assert max(written) == 2
    written.clear()
    with monkeypatch.context() as killed:
        killed.setattr(office.store, "write", lambda work: broken_off(work) if len(written) < 1 else broken_off(1 / 0))
        with pytest.raises(ZeroDivisionError):
            at_once.take_back(office.store, office.content, NAME, author="Cur")
    assert (written, together().texts) == ([1], 1)
    at_once.take_back(office.store, office.content, NAME, author="Cur")  # the rest of the second go
    at_once.take_back(office.store, office.content, NAME, author="Cur")  # and what the first came to
    assert "finished" not in office.states().values()
    assert together() is None


def steps(connection: Any) -> int:
    return int(connection.execute(select(func.count()).select_from(curation_step)).scalar_one())


def test_nobody_waits_while_a_proposal_is_worked_out(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of marks that were made to take long it takes seconds."""
    propose, threads = propose_text, set[str]()

    def noting(*given: Any, **more: Any) -> Any:
        threads.add(threading.current_thread().name)
        return propose(*given, **more)

    monkeypatch.setattr(service, "propose_text", noting)
    (unit_id,) = (one.id for one in listed(office) if one.name == "g2")
    office.step(unit_id, 1, "add", start=0, end=1, label="WORD")
    assert threads
    assert not any("goldmark-writer" in one for one in threads)


def test_what_somebody_decides_meanwhile_is_left_alone(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = {one.name: one.id for one in listed(office)}
    write = office.store.write

    def late(work: Any) -> Any:
        monkeypatch.setattr(office.store, "write", write)
        office.step(ids["g3"], 1, "add", start=0, end=1, label="WORD")
        return write(work)

    monkeypatch.setattr(office.store, "write", late)  # when the first piece is about to be written
    assert at_once.finish_unanimous(office.store, office.content, NAME, author="Cur").texts == 2
    assert office.states()["g3"] == "begun"


def test_figures_follow_new_answers(office: Desk) -> None:
    first = next(one for one in listed(office) if one.name == "g0")
    office.house.submit(office.tokens["Ann"], office.tasks["Ann", "g0"], {"mistakes": ANN}, key="amended-key")
    again = next(one for one in listed(office) if one.name == "g0")
    assert first.agreement == 1
    assert again.agreement != 1


def test_curators_are_not_told_whose_marks_they_are(office: Office) -> None:
    workspace = office.workspace(listed(office)[0].id)
    told = {"steps": [one.to_json() for one in workspace.steps], "basis": list(workspace.basis)}
    words = json.dumps(hidden(told, workspace.aliases))
    assert not re.search(r'"(Ann|Bo|Cy)["/]', words)
    assert '"Annotator 1/1"' in words
    people = ["Ann", "Bo", "Cy"]
    orders = {tuple(sorted(people, key=aliases_for(b"key", f"g{n}", people).__getitem__)) for n in range(40)}
    assert len(orders) == 6  # nobody can be followed from text to text
    orders = {tuple(sorted(people, key=aliases_for(bytes([n]), "g0", people).__getitem__)) for n in range(40)}
    assert len(orders) == 6  # and who does not know the server's key cannot work out whose name is whose
