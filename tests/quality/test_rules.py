"""The model at work: evidence from the answers as they arrive, rules that act on it, words to annotators."""

from __future__ import annotations

import itertools
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from goldmark.campaigns.assignments import notices
from goldmark.campaigns.assignments.responses import LOOK_EVERY, KeptAnswer, ResponseService, Submission
from goldmark.campaigns.definition.settings import Quality, QualityRule
from goldmark.campaigns.lifecycle import find_campaign
from goldmark.campaigns.transfer.export import record_of
from goldmark.people.annotators import find_annotator
from goldmark.people.undo_exclusion import undo
from goldmark.quality import evidence
from goldmark.quality.noisy import NoisyAnnotators, QuestionScore
from goldmark.quality.noisy_monitor import NoisyMonitor, course, graded_answers, learn, model_of, status
from goldmark.quality.quality_check import QualityCheck
from goldmark.quality.rules import RuleKeeper, warn
from goldmark.records.units import Unit
from goldmark.store import Store, open_store
from goldmark.store.events import history
from tests.campaigns.house import NAME, House, unit
from tests.databases import on_sqlite

MARK = {"id": "e1", "start": 1, "end": 2, "label": "NAME", "correction": "Bears"}
WRONG_NAME = {"mistakes": [{"start": 1, "end": 2, "label": "NAME"}]}


def units(work: int = 60, tests: int = 12) -> list[Unit]:
    """Work, and as many test questions: positive ones have no mistake, negative ones a wrong name."""
    return [
        *(unit(f"u{number}") for number in range(work)),
        *(unit(f"p{number}", test="positive", expected={"mistakes": []}) for number in range(tests)),
        *(unit(f"n{number}", test="negative", expected=WRONG_NAME) for number in range(tests)),
    ]


def build(store: Store, *rules: dict[str, Any], labels: int = 2) -> House:
    rates = {"positive": 0.25, "negative": 0.25}
    house = House.build(store, units(), labels_per_unit=labels, test_questions=rates, quality={"rules": list(rules)})
    content = house.work.content
    house.responses = ResponseService(house.work, QualityCheck(store, content))
    return house


def work(house: House, token: str, marks: list[dict[str, Any]], most: int = 100) -> int:
    """Answer the same to everything until there is nothing more, or so often; how often it was."""
    for number in itertools.count():
        task = house.next(token).task
        if task is None or number >= most:
            return number
        house.submit(token, task, {"mistakes": marks})
    raise AssertionError("unreachable")


def state_of(store: Store, name: str) -> str:
    return store.read(lambda connection: find_annotator(connection, find_campaign(connection, NAME), name).state)


def said(store: Store, kind: str) -> list[Any]:
    found = store.read(lambda connection: history(connection, find_campaign(connection, NAME).id))
    return [one for one in found if one.kind == kind]


@on_sqlite
def test_who_marks_nothing_is_excluded_by_the_rule_with_its_evidence(store: Store) -> None:
    house = build(store, {"when": "noisy", "do": "exclude"})
    ada = house.person("Ada")
    done = work(house, ada, [])
    assert state_of(store, "Ada") == "excluded"
    assert done % LOOK_EVERY == 0, "rules look every few answers, so that nobody learns which was a test question"
    finished = house.next(ada).finished
    assert finished is not None
    assert finished.why == "excluded"
    decision = said(store, "annotator excluded")[0]
    assert decision.author == "rule"
    assert decision.facts["rule"] == "noisy at 99 %"
    evidence_of_it = decision.facts["evidence"]
    assert evidence_of_it["noisy"] >= 0.99
    assert evidence_of_it["negative"][0] == 0, "no wrong name was found"
    assert evidence_of_it["positive"][0] == evidence_of_it["positive"][1]
    assert record_of(store, NAME).exclusions()[0].rule == "noisy at 99 %"


def test_what_a_manager_undoes_the_same_rule_does_not_do_again(store: Store) -> None:
    house = build(store, {"when": "noisy", "do": "exclude"})
    ada = house.person("Ada")
    work(house, ada, [])
    undo(store, NAME, "Ada", author="Mo", reason="a friend of mine")
    assert work(house, ada, [], most=10) == 10
    assert state_of(store, "Ada") == "active"


def test_a_warning_comes_once_and_is_seen_until_it_is_read(store: Store) -> None:
    words = "Please read to the end."
    house = build(store, {"when": "same_answer", "do": "warn", "at": 0.9, "message": words})
    ada = house.person("Ada")
    work(house, ada, [], most=20)
    number = store.read(lambda connection: find_annotator(connection, find_campaign(connection, NAME), "Ada").id)
    unread = store.read(lambda connection: notices.unread(connection, number))
    assert [(one.kind, one.message) for one in unread] == [("warning", words)]
    store.write(lambda connection: notices.mark_read(connection, number, unread[0].id))
    assert store.read(lambda connection: notices.unread(connection, number)) == ()
    with pytest.raises(notices.UnknownNotice):
        store.write(lambda connection: notices.mark_read(connection, number + 1, unread[0].id))
    assert len(said(store, "annotator warned")) == 1


@on_sqlite
def test_someone_too_fast_is_paused_and_the_hardest_rule_acts_first(store: Store) -> None:
    house = build(
        store, {"when": "same_answer", "do": "warn"}, {"when": "too_fast", "do": "pause", "after": 5}, labels=3
    )
    slow, fast = house.person("Slow"), house.person("Fast")
    for number in range(10):
        house.submit(slow, house.task(slow), {"mistakes": [MARK] * (number % 2)})
    for number in range(5):
        house.responses.submit(fast, house.task(fast).id, Submission({"mistakes": []}, f"key-{number}", None, 1.0))
    # The median over both is 10 s, and 1 s is less than a third of it.
    assert state_of(store, "Fast") == "paused"
    assert said(store, "annotator paused")[0].facts["evidence"] == {"at": 0.5, "too_fast": [5, 5]}
    assert said(store, "annotator warned") == []


@on_sqlite
def test_nothing_happens_by_itself_unless_it_is_asked_for(store: Store) -> None:
    house = build(store)
    work(house, house.person("Ada"), [], most=40)
    assert state_of(store, "Ada") == "active"


@on_sqlite
def test_a_manager_warns_in_their_own_words(store: Store) -> None:
    House.build(store).person("Ada")
    warn(store, NAME, "Ada", message="Slower, please.", author="Mo", reason="too fast")
    assert [one.author for one in said(store, "annotator warned")] == ["Mo"]


@on_sqlite
def test_all_evidence_on_everybody(store: Store) -> None:
    house = build(store)
    work(house, house.person("Ada"), [], most=30)
    work(house, house.person("Bo"), [MARK], most=30)
    house.person("Cleo")
    content = house.work.content

    def look(connection: Any) -> evidence.CrowdEvidence:
        return evidence.crowd(connection, find_campaign(connection, NAME), content, NoisyMonitor())

    found = store.read(look)
    ada, bo, cleo = found.people
    assert found.model is not None
    assert ada.status is not None
    assert bo.status is not None
    assert cleo.status is None
    # Ada marks nothing: right on every positive one, wrong on every negative one. Bo the other way round.
    assert [(one.sign, one.right == one.asked) for one in ada.status.by_sign] == [
        ("positive", True),
        ("negative", False),
    ]
    assert [(one.sign, one.right == one.asked) for one in bo.status.by_sign] == [
        ("positive", False),
        ("negative", True),
    ]
    assert ada.signals.errors_found.value == 0
    assert bo.signals.errors_found.value == 1
    assert ada.signals.sameness.commonest.value == 1
    assert ada.cost.labels == ada.answers
    assert cleo.cost == (0, 0)
    assert cleo.signals.agreement == (None, 0)


@on_sqlite
def test_the_course_ends_where_the_status_is(store: Store) -> None:
    house = build(store)
    work(house, house.person("Ada"), [], most=30)

    def look(connection: Any) -> tuple[Any, ...]:
        row = find_campaign(connection, NAME)
        number = find_annotator(connection, row, "Ada").id
        watching = NoisyMonitor()
        fitted = watching.fitted(connection, row.id, model_of(row.settings.quality))
        assert fitted is not None
        return (
            course(fitted, graded_answers(connection, row.id)[number]),
            watching.status(connection, row.id, number, row.settings.quality),
        )

    moments, now = store.read(look)
    assert moments[-1].noisy == pytest.approx(now.judgement.noisy)
    assert [one.asked for one in moments] == list(range(1, len(moments) + 1))


def test_the_model_is_learned_again_when_there_is_enough_new_evidence(monkeypatch: pytest.MonkeyPatch) -> None:
    from goldmark.quality import noisy_monitor as module

    known = [QuestionScore("1", 9, 10, "positive"), QuestionScore("2", 10, 10, "negative")]
    fits: list[int] = []

    def counting(tallies: Any, model: Any, seed: int) -> NoisyAnnotators:
        fits.append(sum(one.n for one in tallies))
        return learn(tallies, model, seed)

    monkeypatch.setattr(module, "learn", counting)
    watching = NoisyMonitor()
    model = model_of(Quality())
    for more in (0, 9, 10, 19, 20):
        now = [*known, QuestionScore("3", more, more, "positive")] if more else known
        asked = {kind: sum(one.n for one in now if one.kind == kind) for kind in ("positive", "negative")}
        monkeypatch.setattr(module, "tallies", lambda *_, now=now: now)
        monkeypatch.setattr(module, "count_answers", lambda *_, asked=asked: asked)
        watching.fitted(None, 1, model)  # type: ignore[arg-type]
    # 20 answers; 29 are fewer than 10 more; 30 are enough; 39 again are not; 40 are.
    assert fits == [20, 30, 40]


def test_the_same_answers_give_the_same_judgement() -> None:
    rng = np.random.default_rng(5)
    known = [
        QuestionScore(str(who), int(rng.binomial(10, 0.95)), 10, kind)
        for who in range(8)
        for kind in ("positive", "negative")
    ]
    one, other = (status(learn(known, model_of(Quality())), known[:2]) for _ in range(2))
    assert one == other
    assert one.by_sign[0].interval.low <= known[0].correct / 10 <= one.by_sign[0].interval.high


@pytest.mark.parametrize(
    "rule", [{"when": "noisy"}, {"when": "ugly", "do": "warn"}, {"when": "noisy", "do": "warn", "at": 0.0}]
)
def test_rules_that_make_no_sense_are_refused(rule: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        QualityRule(**rule)


def test_a_campaign_without_rules_is_looked_at_without_loading_numbers(sqlite_database: str) -> None:
    """That takes a third of a second, in which everybody would wait who works at the server just then."""
    store = open_store(sqlite_database)
    house = House.build(store, 3)
    house.submit(ada := house.person("Ada"), house.task(ada), {"mistakes": []})
    store.close()
    code = (
        "import sys; from goldmark.store import open_store;"
        "from goldmark.campaigns.assignments.content_cache import ContentCache;"
        "from goldmark.campaigns.assignments.responses import KeptAnswer;"
        "from goldmark.quality.quality_check import QualityCheck; store = open_store(sys.argv[1]);"
        "QualityCheck(store, ContentCache(store))(KeptAnswer(1, 1, rules_look=True)); store.close();"
        "print([name for name in ('numpy', 'scipy') if name in sys.modules])"
    )
    command = [sys.executable, "-c", code, sqlite_database]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip() == "[]"


def test_nobody_waits_while_a_rule_reads_what_somebody_answered(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The writer is held for what a rule does, and not for what it looks at."""
    house = House.build(store, 6, quality={"rules": [{"when": "same_answer", "do": "exclude", "at": 0.5, "after": 5}]})
    ada = house.person("Ada")
    for _ in range(5):
        house.submit(ada, house.task(ada))
    writing, looked = threading.local(), list[bool]()
    write, look = type(store).write, RuleKeeper.look

    def noting(self: Store, work: Any) -> Any:
        def inside(connection: Any) -> Any:
            writing.now = True
            try:
                return work(connection)
            finally:
                writing.now = False

        return write(self, inside)

    def looking(self: RuleKeeper, *of: Any) -> Any:
        looked.append(getattr(writing, "now", False))
        return look(self, *of)

    monkeypatch.setattr(type(store), "write", noting)
    monkeypatch.setattr(RuleKeeper, "look", looking)
    QualityCheck(store, house.work.content)(KeptAnswer(1, 1, rules_look=True))
    assert looked == [False]
    finished = house.next(ada).finished
    assert finished is not None
    assert finished.why == "excluded"
