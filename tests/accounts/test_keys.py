"""The signing key is replaced: what the old one made goes on while it is named, and people stay who they are."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime
from typing import Any

import pytest

from goldmark.accounts.links import LinkNotValid, SignedLinks
from goldmark.accounts.one_time_codes import code_of, step_at
from goldmark.accounts.rate_limits import RateLimits
from goldmark.accounts.roles import Role
from goldmark.accounts.second_factor import OtherSigningKey, SecondFactors
from goldmark.accounts.service import AccountService
from goldmark.accounts.signing_keys import OLDER, STAYS, Keys, known_keys, remember
from goldmark.cli import run
from goldmark.store import Store, open_store

OLD, NEW = SignedLinks(b"the old key"), SignedLinks(b"the new key")
BOTH = SignedLinks(b"the new key", older=[b"the old key"], stays=b"the old key")
AFTER = SignedLinks(b"the new key", stays=b"the old key")
KINDS = {
    "invite": ("invite", "read_invite"),
    "posting": ("posting", "read_posting"),
    "team": ("team", "read_team"),
    "person": ("person", "read_person"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_links_of_the_old_key_are_taken_while_it_is_named(kind: str) -> None:
    make, read = KINDS[kind]

    def taken(links: SignedLinks, token: str) -> bool:
        try:
            return bool(getattr(links, read)(token) == (7, "abc"))
        except LinkNotValid:
            return False

    old, new = (getattr(links, make)(7, "abc") for links in (OLD, BOTH))
    assert [taken(links, old) for links in (OLD, BOTH, AFTER)] == [True, True, False]
    assert [taken(links, new) for links in (OLD, BOTH, AFTER)] == [False, True, True], "signed with the new one"


def test_an_arrival_on_its_way_is_taken() -> None:
    assert BOTH.read_arrival(OLD.arrival(["a", "b"]), seconds=60) == ["a", "b"]
    with pytest.raises(LinkNotValid):
        AFTER.read_arrival(OLD.arrival(["a"]), seconds=60)


def test_what_must_not_change_is_made_with_the_key_that_stays() -> None:
    def same(links: SignedLinks) -> tuple[Any, ...]:
        return (
            links.fingerprint("prolific", "5f"),
            links.draw_key(1, "Ann", 17),
            links.case_key("zoo", "Ann"),
            links.alias_key(),
            links.completion_code(3, 1),
            links.people_mark(),
        )

    assert same(OLD) == same(BOTH) == same(AFTER)
    assert not set(same(OLD)) & set(same(NEW))


def test_an_app_goes_on_until_the_old_key_is_taken_away(store: Store) -> None:
    ada = AccountService(store).create("Ada", Role.OWNER, None, author="test")
    now = datetime.now(UTC)

    def factors(links: SignedLinks) -> SecondFactors:
        return SecondFactors(store, links, RateLimits(store), lambda: now)

    key = factors(OLD).begin(ada, "", address="", where="").secret

    def code(ahead: int) -> str:
        return code_of(base64.b32decode(key), step_at(now) + ahead)

    recovery = factors(OLD).confirm(ada, code(-1))
    factors(BOTH).check(ada, code(0), address="")
    for links in (AFTER, NEW):
        with pytest.raises(OtherSigningKey):
            factors(links).check(ada, code(1), address="")
    factors(AFTER).check(ada, recovery[0], address="")
    # Set up anew while both are named, it is the new key's.
    factors(BOTH).turn_off(ada, code(1), address="")
    key = factors(BOTH).begin(ada, "", address="", where="").secret
    factors(BOTH).confirm(ada, code(0))
    factors(AFTER).check(ada, code(1), address="")


def test_keys_come_from_the_environment(sqlite_database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDMARK_SECRET", "n" * 40)
    assert known_keys(sqlite_database) == Keys(b"n" * 40, (), b"n" * 40)
    monkeypatch.setenv(OLDER, " m2 \n m1 ")
    assert known_keys(sqlite_database) == Keys(b"n" * 40, (b"m2", b"m1"), b"m1"), "the oldest, unless one is named"
    monkeypatch.setenv(STAYS, "m0")
    assert known_keys(sqlite_database).stays == b"m0"


def test_the_doctor_says_what_still_hangs_on_an_old_key(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GOLDMARK_SECRET", "o" * 40)
    store = open_store(sqlite_database)
    ada = AccountService(store).create("Ada", Role.OWNER, None, author="test")
    SecondFactors(store, SignedLinks.of(sqlite_database), RateLimits(store)).begin(ada, "", address="", where="")
    remember(store, known_keys(sqlite_database))

    def found() -> list[tuple[str, str]]:
        run(["doctor", "--database", sqlite_database, "--json"])
        said = json.loads(capsys.readouterr().out)["findings"]
        return [(one["state"], one["said"]) for one in said if one["what"] in ("signing key", "accounts")][1:]

    owners = ("ok", "1 owner")
    assert found() == [owners]
    monkeypatch.setenv("GOLDMARK_SECRET", "n" * 40)
    monkeypatch.setenv(OLDER, "o" * 40)
    assert [state for state, _ in found()] == ["ok", "look", "look"]
    assert "1 second factor made with an older signing key" in str(found())
    assert f"{STAYS} is not set" in str(found())
    monkeypatch.setenv(STAYS, "o" * 40)
    assert [state for state, _ in found()] == ["ok", "look"]
    monkeypatch.delenv(OLDER)
    assert [state for state, _ in found()] == ["ok", "wrong", "wrong"]
    assert "1 second factors were set up with another signing key" in str(found())
    assert "this is another key than that with which the database was last served" in str(found())
    monkeypatch.delenv(STAYS)
    assert remember(store, known_keys(sqlite_database)), "and the server says so"
    assert "fingerprints of people and their lots are made with another key" in str(found()), "a start mends it not"
    store.close()
