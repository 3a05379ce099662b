"""Codes of authenticator apps as RFC 6238 has them, and that each lets somebody in once, on both databases."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select

from goldmark.accounts import service
from goldmark.accounts.credentials import SecretNotValid, issue
from goldmark.accounts.links import SignedLinks
from goldmark.accounts.notices.account_events import REFUSED
from goldmark.accounts.one_time_codes import STEP, app_address, as_letters, code_of, matching_step, step_at
from goldmark.accounts.rate_limits import HERE, RateLimits, TooManyTries
from goldmark.accounts.roles import Role
from goldmark.accounts.second_factor import (
    RECOVERY_CODES,
    CodeRefused,
    NotBegun,
    NotSetUp,
    OtherSigningKey,
    SecondFactors,
    SetUpAlready,
    reset,
)
from goldmark.accounts.service import Account, AccountService, SignInRefused
from goldmark.store import Store, events
from goldmark.store.tables import metadata, second_factor
from tests.databases import on_sqlite

PASSWORD = "four unrelated words"
HERE_AT = "203.0.113.9"
BEGIN = datetime(2026, 11, 17, 12, 0, 10, tzinfo=UTC)
KEYS = {"sha1": b"1234567890" * 2, "sha256": (b"1234567890" * 4)[:32], "sha512": (b"1234567890" * 7)[:64]}


# RFC 6238, appendix B: eight digits of the keys above at these seconds.
@pytest.mark.parametrize(
    ("second", "algorithm", "expected"),
    [
        (59, "sha1", "94287082"),
        (59, "sha256", "46119246"),
        (59, "sha512", "90693936"),
        (1111111109, "sha1", "07081804"),
        (1111111109, "sha256", "68084774"),
        (1111111109, "sha512", "25091201"),
        (1111111111, "sha1", "14050471"),
        (1111111111, "sha256", "67062674"),
        (1111111111, "sha512", "99943326"),
        (1234567890, "sha1", "89005924"),
        (1234567890, "sha256", "91819424"),
        (1234567890, "sha512", "93441116"),
        (2000000000, "sha1", "69279037"),
        (2000000000, "sha256", "90698825"),
        (2000000000, "sha512", "38618901"),
        (20000000000, "sha1", "65353130"),
        (20000000000, "sha256", "77737706"),
        (20000000000, "sha512", "47863826"),
    ],
)
def test_the_codes_of_rfc_6238(second: int, algorithm: str, expected: str) -> None:
    assert code_of(KEYS[algorithm], second // STEP, 8, algorithm) == expected
    assert step_at(datetime.fromtimestamp(second, UTC)) == second // STEP


def test_the_counters_of_rfc_4226() -> None:
    expected = ["755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489"]
    assert [code_of(KEYS["sha1"], counter) for counter in range(10)] == expected


def test_a_clock_may_be_off_by_one_step() -> None:
    now = step_at(BEGIN)
    found = {off: matching_step(KEYS["sha1"], code_of(KEYS["sha1"], now + off), BEGIN) for off in range(-3, 4)}
    assert found == {-3: None, -2: None, -1: now - 1, 0: now, 1: now + 1, 2: None, 3: None}
    assert matching_step(KEYS["sha1"], "１２３４５６", BEGIN) is None  # digits of another script are no error


def test_an_app_is_told_everything_in_one_address() -> None:
    address = app_address(KEYS["sha1"], "Ada & Bo", "eval.example.org")
    assert address == (
        "otpauth://totp/Goldmark%20eval.example.org%3AAda%20%26%20Bo"
        f"?secret={as_letters(KEYS['sha1'])}&issuer=Goldmark%20eval.example.org&digits=6&period=30"
    )


class Desk:
    """Ada, her app, and a clock that we move."""

    def __init__(self, store: Store, key: bytes = b"a signing key") -> None:
        self.store, self.time, self.links = store, BEGIN, SignedLinks(key)
        self.accounts = AccountService(store)
        self.factors = SecondFactors(store, self.links, RateLimits(store, lambda: self.time), lambda: self.time)

    @property
    def ada(self) -> Account:
        return self.accounts.find("Ada")

    def set_up(self) -> list[str]:
        self.factors.begin(self.ada, PASSWORD, address=HERE_AT, where="here")
        return self.factors.confirm(self.ada, self.code())

    def code(self, off: int = 0) -> str:
        with self.store.engine().connect() as connection:
            row = connection.execute(select(second_factor)).one()
        return code_of(self.links.app_key(row.account_id, row.nonce), step_at(self.time) + off)

    def half(self) -> str:
        entry = self.accounts.sign_in("Ada", PASSWORD)
        assert not entry.complete
        return entry.secret

    def enter(self, code: str, half: str | None = None) -> str:
        return self.factors.enter(half or self.half(), code, address=HERE_AT)

    def later(self, steps: int = 1) -> None:
        self.time += timedelta(seconds=STEP * steps)


@pytest.fixture
def desk(store: Store) -> Desk:
    made = Desk(store)
    made.accounts.create("Ada", Role.OWNER, PASSWORD, author="test")
    return made


@on_sqlite
def test_signing_in_takes_the_password_and_a_code(desk: Desk) -> None:
    assert desk.accounts.sign_in("Ada", PASSWORD).complete
    before = desk.accounts.session_for(desk.ada.id)
    with pytest.raises(SignInRefused):
        desk.factors.begin(desk.ada, "not it", address=HERE_AT, where="here")
    with pytest.raises(NotBegun):
        desk.factors.confirm(desk.ada, "123456")
    desk.factors.begin(desk.ada, PASSWORD, address=HERE_AT, where="here")
    assert desk.accounts.sign_in("Ada", PASSWORD).complete, "it counts only when a code was given"
    with pytest.raises(CodeRefused):
        desk.factors.confirm(desk.ada, "000000" if desk.code() != "000000" else "000001")
    codes = desk.factors.confirm(desk.ada, f"{desk.code()[:3]} {desk.code()[3:]}")
    assert len(set(codes)) == RECOVERY_CODES
    assert desk.ada.second_factor
    with pytest.raises(SecretNotValid):
        desk.accounts.account_of(before, "session")  # begun with a password alone
    with pytest.raises(SetUpAlready):
        desk.factors.begin(desk.ada, PASSWORD, address=HERE_AT, where="here")
    half = desk.half()
    with pytest.raises(SecretNotValid):
        desk.accounts.account_of(half, "session")  # half of one opens nothing
    desk.later()
    session = desk.enter(desk.code(), half)
    assert desk.accounts.account_of(session, "session").name == "Ada"
    with pytest.raises(SecretNotValid):
        desk.enter(desk.code(1), half)  # used up
    link = desk.accounts.one_time_link(desk.ada.id)
    assert not desk.accounts.enter_by_link(link, password=None).complete, "a link stands for the password alone"
    token = desk.accounts.new_token(desk.ada.id, "program")[1]
    assert desk.accounts.account_of(token, "token").name == "Ada"


@on_sqlite
def test_setting_up_ends_after_a_quarter_of_an_hour(desk: Desk) -> None:
    desk.factors.begin(desk.ada, PASSWORD, address=HERE_AT, where="here")
    assert desk.factors.begun(desk.ada, where="here") is not None
    desk.later(31)
    assert desk.factors.begun(desk.ada, where="here") is None
    with pytest.raises(NotBegun):
        desk.factors.confirm(desk.ada, desk.code())


def test_a_code_is_never_taken_twice(desk: Desk) -> None:
    desk.set_up()
    with pytest.raises(CodeRefused):
        desk.enter(desk.code())  # it set the app up
    desk.later()
    desk.enter(desk.code())
    with pytest.raises(CodeRefused):
        desk.enter(desk.code())
    desk.enter(desk.code(1))  # a phone whose clock is ahead
    with pytest.raises(CodeRefused):
        desk.enter(desk.code())  # older than one that was used


def test_of_many_at_once_one_enters_with_a_code(desk: Desk) -> None:
    desk.set_up()
    desk.later()
    code, halves = desk.code(), [desk.half() for _ in range(4)]
    entered: list[str] = []
    refused: list[Exception] = []
    together = threading.Barrier(len(halves))

    def enter(half: str) -> None:
        together.wait()
        try:
            entered.append(desk.enter(code, half))
        except (CodeRefused, TooManyTries) as error:
            refused.append(error)

    threads = [threading.Thread(target=enter, args=(half,)) for half in halves]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(entered), len(refused)) == (1, 3)


def test_of_many_at_once_one_enters_with_a_recovery_code(desk: Desk) -> None:
    codes = desk.set_up()
    halves, entered, refused = [desk.half() for _ in range(4)], list[str](), list[Exception]()
    together = threading.Barrier(len(halves))

    def enter(half: str) -> None:
        together.wait()
        try:
            entered.append(desk.enter(codes[0], half))
        except (CodeRefused, TooManyTries) as error:
            refused.append(error)

    threads = [threading.Thread(target=enter, args=(half,)) for half in halves]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(entered), len(refused)) == (1, 3)
    assert desk.factors.state(desk.ada).recovery_codes_left == RECOVERY_CODES - 1


def test_who_signs_in_while_it_is_set_up_is_asked_for_a_code(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether there is one is looked up, and then there is one, and then there would be a session without it."""
    desk.factors.begin(desk.ada, PASSWORD, address=HERE_AT, where="here")
    code, first = desk.code(), issue
    setting_up = threading.Thread(target=lambda: desk.factors.confirm(desk.ada, code))

    def slow(*given: Any, **more: Any) -> Any:
        monkeypatch.setattr(service, "issue", first)
        setting_up.start()
        setting_up.join(timeout=1)
        return first(*given, **more)

    monkeypatch.setattr(service, "issue", slow)
    entry = desk.accounts.sign_in("Ada", PASSWORD)
    setting_up.join()
    assert desk.ada.second_factor
    with pytest.raises(SecretNotValid):
        desk.accounts.account_of(entry.secret, "session")


def test_a_recovery_code_enters_once_and_new_ones_end_the_old(desk: Desk) -> None:
    codes = desk.set_up()
    desk.enter(codes[0].lower().replace("-", " "))
    with pytest.raises(CodeRefused):
        desk.enter(codes[0])
    assert desk.factors.state(desk.ada).recovery_codes_left == RECOVERY_CODES - 1
    desk.later()
    newer = desk.factors.renew_recovery_codes(desk.ada, desk.code(), address=HERE_AT)
    with pytest.raises(CodeRefused):
        desk.enter(codes[1])
    desk.enter(newer[1])
    desk.accounts.create("Bo", Role.OWNER, PASSWORD, author="test")
    bo = desk.accounts.find("Bo")
    with pytest.raises(NotSetUp):
        desk.factors.turn_off(bo, newer[2], address=HERE_AT)  # hers, not his
    desk.factors.turn_off(desk.ada, newer[2], address=HERE_AT)
    assert desk.accounts.sign_in("Ada", PASSWORD).complete
    assert desk.factors.state(desk.ada) == (None, 0, False)


def test_guessing_codes_is_slowed_down_and_told_to_owners(desk: Desk) -> None:
    desk.set_up()
    desk.later()
    half, wrong = desk.half(), "000000" if "000000" not in {desk.code(off) for off in (-1, 0, 1)} else "000009"
    for _ in range(HERE.free + 1):
        with pytest.raises(CodeRefused):
            desk.enter(wrong, half)
    with pytest.raises(TooManyTries):
        desk.enter(desk.code(), half)  # the right one as well: nothing is learnt
    assert desk.factors.enter(half, desk.code(), address="198.51.100.1"), "elsewhere she enters"
    told = desk.store.read(lambda connection: events.everything_about_the_server(connection))
    assert [one.facts for one in told if one.kind == REFUSED] == [{"from": HERE_AT}] * (HERE.free + 1)


def test_a_role_may_need_one(desk: Desk) -> None:
    assert desk.factors.rule() is None
    desk.factors.set_rule("manager", author="test")
    assert desk.factors.missing(desk.ada)
    desk.accounts.create("Bo", Role.CURATOR, None, author="test")
    assert not desk.factors.missing(desk.accounts.find("Bo"))
    desk.set_up()
    assert not desk.factors.missing(desk.ada)
    desk.factors.set_rule(None, author="test")
    reset(desk.store, "Ada", author="test", reason="phone in the lake")
    assert not desk.factors.missing(desk.ada)
    with pytest.raises(NotSetUp):
        reset(desk.store, "Ada", author="test")


def test_the_database_alone_makes_no_code_and_another_key_is_told(desk: Desk) -> None:
    codes = desk.set_up()
    key = desk.links.app_key(desk.ada.id, _nonce(desk.store))

    def everything() -> str:
        with desk.store.engine().connect() as connection:
            return "".join(str(connection.execute(select(table)).all()) for table in metadata.sorted_tables)

    stored = everything()
    for secret in (as_letters(key), key.hex(), *codes, *(code.replace("-", "") for code in codes)):
        assert secret not in stored
    restored = Desk(desk.store, b"another signing key")
    with pytest.raises(OtherSigningKey):
        restored.enter(desk.code(1))
    assert restored.enter(codes[0]), "recovery codes do not depend on it"


def _nonce(store: Store) -> str:
    with store.engine().connect() as connection:
        return str(connection.execute(select(second_factor.c.nonce)).scalar_one())


@on_sqlite
def test_nonsense_is_no_code(desk: Desk) -> None:
    desk.set_up()
    half = desk.half()
    for given in ("", " ", "-", "12345", "1234567", "\x00", "é" * 50, "１２３４５６"):
        with pytest.raises(CodeRefused):
            desk.enter(given, half)
        desk.time += timedelta(minutes=1)  # so that nobody has to wait for long
