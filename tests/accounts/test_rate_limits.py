"""Waiting after wrong passwords: where they were tried, for all processes, and for nobody else; on both databases."""

from __future__ import annotations

import threading
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import func, insert, select

from goldmark.accounts import rate_limits
from goldmark.accounts.rate_limits import ADDRESS, EVERYWHERE, HERE, RateLimits, TooManyTries, network_of
from goldmark.accounts.service import SignInRefused
from goldmark.store import Store
from goldmark.store.tables import rate_limit


class Clock:
    def __init__(self) -> None:
        self.at = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.at

    def wait(self, **span: int) -> None:
        self.at += timedelta(**span)


def wrong() -> str:
    raise SignInRefused


def fail(limits: RateLimits, times: int, name: str = "Ada", address: str = "203.0.113.9") -> None:
    for _ in range(times):
        with pytest.raises(SignInRefused):
            limits.sign_in(name, address, wrong)


def test_the_wait_grows_and_ends_with_the_right_password(store: Store) -> None:
    clock = Clock()
    limits = RateLimits(store, clock)
    fail(limits, HERE.free + 1)
    for seconds in (2, 4, 8):
        with pytest.raises(TooManyTries):
            limits.sign_in("Ada", "203.0.113.9", lambda: "in")
        clock.wait(seconds=seconds)
        fail(limits, 1)
    clock.wait(minutes=15)
    assert limits.sign_in("Ada", "203.0.113.9", lambda: "in") == "in"
    fail(limits, HERE.free)  # counted from the beginning


def test_another_process_knows_and_another_address_does_not_care(store: Store) -> None:
    fail(RateLimits(store), HERE.free + 1)
    other = RateLimits(store)
    with pytest.raises(TooManyTries):
        other.sign_in("Ada", "203.0.113.9", lambda: "in")
    assert other.sign_in("Ada", "198.51.100.1", lambda: "in") == "in"
    assert other.sign_in("Bo", "203.0.113.9", lambda: "in") == "in"


def test_many_names_from_one_address_have_to_wait_and_are_not_washed_out(store: Store) -> None:
    limits = RateLimits(store, Clock())
    for number in range(ADDRESS.free + 1):
        fail(limits, 1, name=f"n{number}")
    with pytest.raises(TooManyTries):
        limits.sign_in("fresh", "203.0.113.9", lambda: "in")
    # Who waits adds no rows: the table grows no further from there.
    before = store.read(lambda connection: connection.scalar(select(func.count()).select_from(rate_limit)))
    for number in range(20):
        with pytest.raises(TooManyTries):
            limits.sign_in(f"more{number}", "203.0.113.9", wrong)
    after = store.read(lambda connection: connection.scalar(select(func.count()).select_from(rate_limit)))
    assert after == before


def test_a_name_guessed_from_everywhere_still_lets_its_owner_in_from_home(store: Store) -> None:
    limits = RateLimits(store, Clock())
    limits.sign_in("Ada", "198.51.100.1", lambda: "in")
    for number in range(EVERYWHERE.free + 1):
        fail(limits, 1, address=f"10.0.{number // 200}.{number % 200}")
    with pytest.raises(TooManyTries):
        limits.sign_in("Ada", "192.0.2.7", lambda: "in")
    assert limits.sign_in("Ada", "198.51.100.1", lambda: "in") == "in"


def test_many_at_the_same_moment_are_no_way_round(store: Store) -> None:
    limits, tried = RateLimits(store), list[int]()
    together = threading.Barrier(12)

    def one_try() -> str:
        tried.append(1)
        return wrong()

    def guess() -> None:
        together.wait()
        with suppress(SignInRefused, TooManyTries):
            limits.sign_in("Ada", "203.0.113.9", one_try)

    threads = [threading.Thread(target=guess) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(tried) == HERE.free + 1


def test_a_flood_waits_for_the_end_of_its_window(store: Store) -> None:
    clock = Clock()
    limits = RateLimits(store, clock)
    for _ in range(3):
        limits.flood("join", most=3, seconds=60)
    with pytest.raises(TooManyTries, match="wait 61 seconds"):
        limits.flood("join", most=3, seconds=60)
    clock.wait(seconds=61)
    limits.flood("join", most=3, seconds=60)


def test_addresses_of_one_household_are_one() -> None:
    assert network_of("2001:db8::1") == network_of("2001:db8::ffff:2")
    assert network_of("2001:db8:0:1::1") != network_of("2001:db8::1")
    assert network_of("192.0.2.1") != network_of("192.0.2.2")
    assert network_of("unknown") == "unknown"
    # Of a socket for both kinds of addresses: they all begin alike, and are no household.
    assert network_of("::ffff:192.0.2.1") == network_of("192.0.2.1") != network_of("::ffff:192.0.2.2")


def test_nobody_waits_for_a_clock_that_was_put_right(store: Store) -> None:
    """The server's clock went ahead by a day while somebody guessed; then it was corrected."""
    clock = Clock()
    limits = RateLimits(store, clock)
    clock.wait(hours=26)
    fail(limits, HERE.free + 1)
    limits.flood("join", most=1, seconds=60)
    clock.wait(hours=-26)
    assert limits.sign_in("Ada", "203.0.113.9", lambda: "in") == "in"
    limits.flood("join", most=1, seconds=60)
    with pytest.raises(TooManyTries):
        limits.flood("join", most=1, seconds=60)


def test_fewer_than_a_hundred_tries_in_an_hour_from_everywhere() -> None:
    """Each try from a new address: only what counts for the name from everywhere slows them down."""
    tries, passed = 0, 0.0
    while passed < 3600:
        tries += 1
        passed += EVERYWHERE.wait(tries).total_seconds()
    assert tries < 100


def test_what_an_attack_left_behind_goes_away_a_little_at_a_time(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever signs in the day after does not hold the writer for all of it."""
    monkeypatch.setattr(rate_limits, "MOST_FORGOTTEN", 3)
    over = {"tries": 9, "until": rate_limits.NEVER, "expires_at": rate_limits.NEVER}
    rows = [{"key": f"old-{number}", **over} for number in range(5)]
    store.write(lambda connection: connection.execute(insert(rate_limit), rows))
    some, left = select(func.count()).where(rate_limit.c.key.like("old-%")), []
    for _ in range(2):
        RateLimits(store).sign_in("Mo", "192.0.2.1", lambda: None)
        left.append(store.read(lambda connection: connection.execute(some).scalar_one()))
    assert left == [2, 0]
