"""The loop that makes a board trustworthy: who answers at random is found, set aside and replaced before any score."""

from __future__ import annotations

import gzip
import tempfile
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import BinaryIO, cast

import pytest

from goldmark.accounts.links import SignedLinks
from goldmark.campaigns.lifecycle import find_campaign
from goldmark.leaderboards.definition.boards import find_board, history
from goldmark.leaderboards.definition.settings import Human
from goldmark.leaderboards.human.money import shared_out
from goldmark.leaderboards.human.rounds import rounds_of
from goldmark.leaderboards.human.scheduling.scheduler import tick
from goldmark.leaderboards.human.score_round import RoundNotReady, close_and_score
from goldmark.leaderboards.scores.standings import Standing, Viewer, standings
from goldmark.leaderboards.submitted.submit import SystemDescription, submit
from goldmark.people import annotators
from goldmark.people.exclusions import exclude, keep
from goldmark.people.undo_exclusion import undo
from goldmark.store import Store
from tests.leaderboards.ground import NAME, NOW, OPERATOR, answer_all, items, make_board, outputs, send

RATES = {"positive": 0.25, "negative": 0.25}
PLAN = {"start": "automatic", "labels_per_unit": 2, "test_questions": RATES, "pay": {"per_unit": 0.1}}
ALL = Viewer(everything=True)
LATER = NOW + timedelta(hours=1)


def row_of(store: Store, system: str = "Good") -> Standing:
    found = store.read(lambda connection: standings(connection, find_board(connection, NAME), "correct", ALL))
    return next(one for one in found if one.submission.system == system)


def state(store: Store, campaign: str, name: str) -> str:
    return store.read(lambda open_: annotators.find_annotator(open_, find_campaign(open_, campaign), name).state)


def board(store: Store, folder: Path, **human: object) -> None:
    make_board(store, folder, items(60), subset={"size": 24, "seed": 2}, human={**PLAN, **human})


def work(store: Store, campaign: str, person: str, *, careful: bool) -> int:
    return answer_all(store, campaign, {"says": 3} if careful else {"": 4}, person, knows=careful)


def test_a_spammer_is_excluded_and_replaced_before_the_round_is_scored(sqlite: Store, tmp_path: Path) -> None:
    board(sqlite, tmp_path)
    send(sqlite, "Good", outputs(60, "Good says {}."))
    tick(sqlite, NOW)
    campaign = "questions-round-1"
    settings = sqlite.read(lambda connection: find_campaign(connection, campaign)).settings
    assert (settings.pay.per_unit, settings.quality.rules[0].name) == (0.1, "noisy at 99 %")
    work(sqlite, campaign, "Ann", careful=True)
    work(sqlite, campaign, "Spam", careful=False)  # nobody looked while they worked: no server was there
    [waits] = tick(sqlite, LATER)
    assert (waits.what, waits.why) == ("waits", "24 units of excluded annotators wait for new labels")
    assert state(sqlite, campaign, "Spam") == "excluded"
    work(sqlite, campaign, "Bea", careful=True)
    assert [one.what for one in tick(sqlite, LATER)] == ["scored"]
    row = row_of(sqlite)
    assert row.judged is not None
    assert (row.scores["correct"].value, row.judged.labels, row.judged.excluded, row.judged.remark) == (0.75, 48, 1, "")
    [scored] = sqlite.read(lambda connection: rounds_of(connection, find_board(connection, NAME)))
    facts = scored.facts
    assert facts["answers"] == facts["labels"] + facts["test questions"] + facts["set aside"]
    # All answers were paid for, and the only system bears all of it.
    assert row.judged.cost == facts["cost"] == pytest.approx(facts["answers"] * 0.1)


def test_exclusions_and_evidence_carry_over_rounds(sqlite: Store, tmp_path: Path) -> None:
    board(sqlite, tmp_path)
    send(sqlite, "Good", outputs(60, "Good says {}."))
    tick(sqlite, NOW)
    work(sqlite, "questions-round-1", "Ann", careful=True)
    work(sqlite, "questions-round-1", "Spam", careful=False)
    tick(sqlite, LATER)
    send(sqlite, "Next", outputs(60, "Next says {}."), now=LATER)
    tick(sqlite, LATER)
    links = SignedLinks(b"a key for tests")
    annotators.invite(sqlite, links, "questions-round-2", "Spam", author="test")
    annotators.invite(sqlite, links, "questions-round-2", "Ann", author="test")
    assert state(sqlite, "questions-round-2", "Spam") == "excluded"
    assert state(sqlite, "questions-round-2", "Ann") == "active"
    undo(sqlite, "questions-round-2", "Spam", author="Mo", reason="a friend")
    assert state(sqlite, "questions-round-1", "Spam") == "active", "undone in one, undone in all"
    # The rule has acted once on this person; what was undone it does not do again, in no round.
    work(sqlite, "questions-round-2", "Spam", careful=False)
    tick(sqlite, LATER)
    assert state(sqlite, "questions-round-2", "Spam") == "active"


def test_an_exclusion_after_scoring_reopens_refills_and_rescores(sqlite: Store, tmp_path: Path) -> None:
    board(sqlite, tmp_path, quality={"rules": []})
    send(sqlite, "Good", outputs(60, "Good says {}."))
    tick(sqlite, NOW)
    campaign = "questions-round-1"
    work(sqlite, campaign, "Ann", careful=True)
    work(sqlite, campaign, "Spam", careful=False)
    [waits] = tick(sqlite, LATER)
    assert "Spam: flagged as noisy" in waits.why
    with pytest.raises(RoundNotReady):
        close_and_score(sqlite, NAME, 1, who="Mo", now=LATER)
    keep(sqlite, campaign, "Spam", author="Mo", reason="they were tired")
    assert [one.what for one in tick(sqlite, LATER)] == ["scored"]
    assert row_of(sqlite).scores["correct"].value == 0.875  # (0.75 + 1) / 2
    exclude(sqlite, campaign, "Spam", author="Mo", reason="they were not")
    row = row_of(sqlite)
    assert row.judged is not None
    assert "it will be scored again" in row.judged.remark
    assert [one.what for one in tick(sqlite, LATER)] == ["opened again"]
    assert tick(sqlite, LATER) == []
    work(sqlite, campaign, "Bea", careful=True)
    assert [one.what for one in tick(sqlite, LATER)] == ["scored"]
    row = row_of(sqlite)
    assert row.judged is not None
    assert (row.scores["correct"].value, row.judged.remark) == (0.75, "")
    undo(sqlite, campaign, "Spam", author="Mo")
    assert [one.what for one in tick(sqlite, LATER)] == ["scored"], "nothing to refill: scored again at once"
    kinds = [one.kind for one in sqlite.read(lambda open_: history(open_, find_board(open_, NAME)))]
    assert kinds.count("round opened again") == 1


def test_a_round_closed_early_says_on_how_many_items_it_rests(sqlite: Store, tmp_path: Path) -> None:
    make_board(sqlite, tmp_path, items(6), human={"start": "automatic", "batch": {"size": 4, "per_person": 1}})
    send(sqlite, "Good")
    tick(sqlite, NOW)
    answer_all(sqlite, "questions-round-1", {"Good": 3}, "Ann")
    close_and_score(sqlite, NAME, 1, who="Mo", now=LATER)
    judged = row_of(sqlite).judged
    assert judged is not None
    assert (judged.missing, judged.remark) == (2, "judged on 4 of 6 items")
    assert tick(sqlite, LATER) == [], "who closes early has decided to go without the rest"


def test_older_words_for_pay_are_read_and_money_is_decimal() -> None:
    human = Human.model_validate({"price": 0.1, "currency": "EUR", "budget": 30})
    assert (human.pay.per_unit, human.pay.currency, human.pay.budget) == (Decimal("0.1"), "EUR", Decimal(30))
    assert human.pay.per_unit * 3 == Decimal("0.3")
    assert Human.model_validate_json(human.model_dump_json()) == human
    with pytest.raises(ValueError, match="belongs into pay"):
        Human.model_validate({"price": 0.1, "pay": {"per_unit": 0.2}})


def test_shares_of_a_cost_add_up_to_the_cent() -> None:
    shares = shared_out(Decimal("10.00"), {"a": 1, "b": 1, "c": 1})
    assert shares == {"a": Decimal("3.34"), "b": Decimal("3.33"), "c": Decimal("3.33")}
    assert shared_out(Decimal("1.00"), {}) == {}


def test_small_packed_uploads_are_read_from_the_file_that_a_server_keeps_them_in(sqlite: Store, tmp_path: Path) -> None:
    make_board(sqlite, tmp_path)
    with tempfile.SpooledTemporaryFile(max_size=1_000_000) as file:  # as an upload arrives; its mode is "w+b"
        file.write(gzip.compress(outputs(6)))
        about, arrived = SystemDescription("Packed", "Alder Lab"), cast(BinaryIO, file)
        made = submit(sqlite, NAME, about, arrived, "outputs.jsonl.gz", who=OPERATOR)
    assert made.outputs == 6
