"""Slowing down those who guess or flood. Counted in the database, so that all server processes count together.

A try counts before it is judged, so that a hundred at the same moment are no way round. A wrong password counts against
the name from that address, against the address and, far more gently, against the name from everywhere: whoever signs in
from where they did before is not kept out by what strangers try elsewhere. Names and addresses are kept as hashes only.
"""

from __future__ import annotations

import hashlib
import ipaddress
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Connection, Row, delete, select, update

from goldmark.errors import TooMany
from goldmark.languages import later
from goldmark.store import Store
from goldmark.store.once import insert_once
from goldmark.store.tables import rate_limit

FORGOTTEN_AFTER = timedelta(days=1)
NEVER = datetime(1970, 1, 1, tzinfo=UTC)
KNOWN_FOR = timedelta(days=90)  # an address from which somebody has signed in
SLACK = timedelta(hours=1)  # what ends later than any wait by more than this was written by a clock that was wrong
MOST_FORGOTTEN = 100  # rows that whoever signs in takes away
IPV6_PREFIX = 64  # one household or one machine has that many addresses
Given = TypeVar("Given")


class TooManyTries(TooMany):
    code = "LIMIT-01"
    message = later("too many tries; wait {seconds} seconds and try again")


class WaitRule(NamedTuple):
    """How many tries may fail, and how long the wait that doubles with each further one can become."""

    free: int
    longest: timedelta

    def wait(self, tries: int) -> timedelta:
        doubled = max(0, tries - self.free)
        return min(self.longest, timedelta(seconds=2**doubled if doubled < 20 else 2**20)) if doubled else timedelta()


HERE = WaitRule(5, timedelta(minutes=15))  # one name from one address
ADDRESS = WaitRule(50, timedelta(minutes=15))
EVERYWHERE = WaitRule(20, timedelta(minutes=1))  # one name, from addresses it never signed in from; < 100 an hour
CODES = WaitRule(20, timedelta(hours=1))  # the same for codes: only who has the password can make somebody wait


class Limit(NamedTuple):
    key: str
    rule: WaitRule


class RateLimits:
    def __init__(self, store: Store, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self.store, self.now = store, now

    def sign_in(self, name: str, address: str, attempt: Callable[[], Given]) -> Given:
        """Do what checks a password, unless there were too many wrong ones."""
        return self._by_name("", EVERYWHERE, name, address, attempt)

    def code(self, name: str, address: str, attempt: Callable[[], Given]) -> Given:
        """The same for the code of a second factor: six digits are guessed sooner than a password."""
        return self._by_name(" code", CODES, name, address, attempt)

    def _by_name(self, of: str, rule: WaitRule, name: str, address: str, attempt: Callable[[], Given]) -> Given:
        name, address = name.strip(), network_of(address)
        here, known = Limit(_key(f"here{of}", name, address), HERE), _key(f"known{of}", name, address)
        limits = [here, Limit(_key("address", address), ADDRESS)]
        if not self.store.read(lambda connection: self._there(connection, known)):
            limits.append(Limit(_key(f"name{of}", name), rule))
        # That other names were guessed from this address, and this one from others, is not forgotten.
        return self._attempt(limits, attempt, lambda connection: self._forget(connection, here.key, known))

    def one_time_link(self, address: str, attempt: Callable[[], Given]) -> Given:
        return self._attempt([Limit(_key("link", network_of(address)), ADDRESS)], attempt)

    def flood(self, what: str, address: str = "", *, most: int, seconds: int) -> None:
        """At most so many in a window of time, in all or from an address, whether they succeed or not."""
        now, key = self.now(), _key("flood", what, network_of(address))

        def count(connection: Connection) -> None:
            row = self._held(connection, [key], now)[key]
            window = timedelta(seconds=seconds)
            begun = row.tries and row.expires_at - now <= window + SLACK
            if begun and row.tries >= most:
                raise _wait(row.expires_at - now)
            tries, ends = (row.tries + 1, row.expires_at) if begun else (1, now + window)
            self._put(connection, key, tries, NEVER, ends)

        self.store.write(count)

    def _attempt(
        self,
        limits: Sequence[Limit],
        attempt: Callable[[], Given],
        then: Callable[[Connection], None] = lambda connection: None,
    ) -> Given:
        self.store.write(lambda connection: self._count(connection, limits, 1))
        given = attempt()

        def succeeded(connection: Connection) -> None:
            self._count(connection, limits, -1)
            then(connection)

        self.store.write(succeeded)
        return given

    def _count(self, connection: Connection, limits: Sequence[Limit], change: int) -> None:
        """Refused if any says so, and then nothing is written: who waits, waits no longer for asking."""
        now = self.now()
        rows = self._held(connection, [limit.key for limit in limits], now)
        waits = (rows[key].until - now for key, rule in limits if rows[key].until - now <= rule.longest + SLACK)
        wait = max(waits, default=timedelta())
        if change > 0 and wait > timedelta():
            raise _wait(wait)
        for key, rule in limits:
            tries = max(0, rows[key].tries + change)
            # Of two at the same moment either may come first: only a real wait is told from now.
            until = now + rule.wait(tries) if rule.wait(tries) else NEVER
            self._put(connection, key, tries, until, now + FORGOTTEN_AFTER)

    def _held(self, connection: Connection, keys: Sequence[str], now: datetime) -> dict[str, Row[Any]]:
        """The rows of keys, new where there are none, which nobody else changes meanwhile."""
        connection.execute(delete(rate_limit).where(rate_limit.c.key.in_(keys), rate_limit.c.expires_at <= now))
        new = [{"key": key, "tries": 0, "until": NEVER, "expires_at": now + FORGOTTEN_AFTER} for key in sorted(keys)]
        held = (
            select(rate_limit)
            .where(rate_limit.c.key.in_(keys))
            .order_by(rate_limit.c.key)
            .with_for_update(key_share=True)
        )
        rows: dict[str, Row[Any]] = {}
        while len(rows) < len(keys):  # again, where PostgreSQL lets somebody forget a row between the two statements
            connection.execute(insert_once(connection, rate_limit, new, by="key"))
            rows = {row.key: row for row in connection.execute(held)}
        return rows

    def _there(self, connection: Connection, key: str) -> bool:
        wanted = select(rate_limit.c.key).where(rate_limit.c.key == key, rate_limit.c.expires_at > self.now())
        return connection.execute(wanted).first() is not None

    def _forget(self, connection: Connection, here: str, known: str) -> None:
        now = self.now()
        over = rate_limit.c.expires_at <= now
        # Some of them: after an attack there are as many as strangers cared to make, and others wait for the writer.
        some = connection.execute(select(rate_limit.c.key).where(over).limit(MOST_FORGOTTEN)).scalars().all()
        connection.execute(delete(rate_limit).where(rate_limit.c.key.in_(some), over))
        connection.execute(delete(rate_limit).where(rate_limit.c.key == here))
        self._held(connection, [known], now)
        self._put(connection, known, 0, NEVER, now + KNOWN_FOR)

    def _put(self, connection: Connection, key: str, tries: int, until: datetime, expires_at: datetime) -> None:
        values = {"tries": tries, "until": until, "expires_at": expires_at}
        connection.execute(update(rate_limit).where(rate_limit.c.key == key).values(values))


def network_of(address: str) -> str:
    """Of an IPv6 address the network: its other addresses are free to whoever has one."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if found.version == 4:
        return address
    if found.ipv4_mapped is not None:  # how a socket for both kinds names an IPv4 address: all of them have one prefix
        return str(found.ipv4_mapped)
    return str(ipaddress.IPv6Network((int(found), IPV6_PREFIX), strict=False))


def _key(*parts: str) -> str:
    return hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _wait(span: timedelta) -> TooManyTries:
    return TooManyTries(seconds=int(span.total_seconds()) + 1)
