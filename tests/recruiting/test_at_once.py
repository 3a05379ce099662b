"""Two decide, or somebody answers, while a look at a platform is under way: nobody gets two words, no place is paid
twice, and what takes long is not begun again for ever.
"""

from __future__ import annotations

from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import Connection, insert, select, update

from goldmark.connectors.prolific.platform import Prolific
from goldmark.errors import GoldmarkError
from goldmark.people.pay import labels_left
from goldmark.recruiting.ordering import decisions, orders
from goldmark.recruiting.watching import look_after, rules, scheduler
from goldmark.simulate.platforms.prolific import ProlificStandIn
from goldmark.simulate.platforms.server import StandIn
from goldmark.store import Store
from goldmark.store.tables import job, posting_session
from tests.cut_writes import worked_off
from tests.recruiting.ground import NAME, Ground
from tests.recruiting.test_many_sessions import three_are_owed


@pytest.mark.parametrize("when", ["before", "meanwhile"])
def test_an_answer_while_labels_are_counted_asks_for_no_place_more(
    lite: Store, there: StandIn, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    ground = Ground.build(lite, there)
    *others, last = (ground.person(number) for number in range(1, 5))
    for one in others:
        one.whole()
    last.come()
    ground.look()
    before = [one.places for one in ground.orders(verb="publish")]
    count = labels_left

    def counting(connection: Connection, row: Any) -> Any:
        with ThreadPoolExecutor(1) as pool:
            pool.submit(ground.work, last.token, 1).result()
        return count(connection, row)

    if when == "before":
        ground.work(last.token, most=1)
    else:
        monkeypatch.setattr(rules, "labels_left", counting)
    ground.look()
    assert [one.places for one in ground.orders(verb="publish")] == before


def test_a_manager_and_the_rule_of_approval_do_not_both_decide_about_somebody(
    store: Store, there: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    ground = Ground.build(store, there)
    ground.person(1).whole()
    standing, asked = orders.standing, list[Future[Any]]()

    def reject() -> Any:
        (held,) = ground.sessions()
        category = next(iter(ground.platform.rejections()), "")
        return decisions.reject(store, NAME, str(held.annotator), author="Mo", words="x" * 120, category=category)

    with ThreadPoolExecutor(1) as pool:

        def slowly(connection: Connection, session_id: int, verb: str) -> Any:
            found = standing(connection, session_id, verb)
            if verb == rules.DECIDED[-1] and not asked:  # the rule has found nothing against it
                asked.append(pool.submit(reject))
                with pytest.raises(TimeoutError):  # and nobody decides until it has written its order down
                    asked[0].result(0.3)
            return found

        monkeypatch.setattr(orders, "standing", slowly)
        ground.look()
        with pytest.raises(GoldmarkError, match=r"being decided on|approved"):
            asked[0].result()
    assert Counter(one.verb for one in ground.orders() if one.session_id)["reject"] == 0
    assert ground.states() == ["approved"]


def test_a_look_that_breaks_off_is_not_the_last(lite: Store, there: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    """People wait to be paid, whatever a platform says that nobody has thought of."""
    ground = Ground.build(lite, there)
    ground.person(1).come()
    looks = select(job.c.state, job.c.due_at).where(job.c.kind == scheduler.KIND).order_by(job.c.id)

    def breaks_off(*given: Any, **more: Any) -> None:
        raise KeyError("a field that is not there")

    monkeypatch.setattr(look_after, "look_after", breaks_off)
    row, posting = ground.row, ground.posting.id
    lite.write(lambda connection: scheduler.wake(connection, posting, row))
    for _ in range(2):
        lite.write(lambda connection: connection.execute(update(job).values(due_at=datetime.now(UTC))))
        assert worked_off(lite) >= 1
        found = lite.read(lambda connection: connection.execute(looks).all())
        assert [one.state for one in found] == ["failed", "waiting"]
        assert found[-1].due_at > datetime.now(UTC) + scheduler.SELDOM / 2


def test_fees_of_bonuses_are_asked_once_though_people_come_all_the_time(
    lite: Store, prolific: ProlificStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    ground = three_are_owed(lite, prolific)
    plan = lite.read(lambda connection: decisions.bonus_plan(connection, NAME, ground.platform))
    fee, asked = Prolific.bonus_fee, list[int]()

    def somebody_comes(self: Prolific, amount: int) -> int:
        about = {"reference": f"x{len(asked)}", "part": "p", "state": "open", "proven": True, "outcome": "", "note": ""}
        row = {**about, "posting_id": ground.posting.id, "arrived_at": datetime.now(UTC)}
        lite.write(lambda connection: connection.execute(insert(posting_session).values(row)))
        asked.append(amount)
        return fee(self, amount)

    monkeypatch.setattr(Prolific, "bonus_fee", somebody_comes)
    assert decisions.pay_bonuses(lite, NAME, author="test", confirm=plan.total) == plan
    assert sorted(asked) == sorted({one.owed for one in plan.dues})
