"""Whoever's account is called by their mail address is told what somebody else could have done to it."""

from __future__ import annotations

import base64
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select, update

from goldmark.accounts.links import SignedLinks
from goldmark.accounts.notices import mail
from goldmark.accounts.notices.account_events import NOTICE, REMINDER
from goldmark.accounts.one_time_codes import code_of, step_at
from goldmark.accounts.rate_limits import RateLimits
from goldmark.accounts.roles import Role
from goldmark.accounts.second_factor import CodeRefused, SecondFactors, reset
from goldmark.accounts.service import AccountService
from goldmark.jobs import Worker
from goldmark.store import Store
from goldmark.store.tables import job
from tests.databases import on_sqlite

ADA = "ada@example.org"
PASSWORD = "four unrelated words"
Sent = list[tuple[str, str, str]]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Sent:
    monkeypatch.setenv("GOLDMARK_SMTP", "smtp://mail.example.org")
    monkeypatch.setenv("GOLDMARK_MAIL_FROM", "goldmark@example.org")
    monkeypatch.setenv("GOLDMARK_PUBLIC", "https://eval.example.org")
    box: Sent = []
    monkeypatch.setattr(mail, "send", lambda to, subject, text: box.append((to, subject, text)))
    return box


def subjects(store: Store, sent: Sent) -> list[str]:
    """What was told since the last time."""
    while Worker(store, kinds=[NOTICE, REMINDER]).run_one():
        pass
    told = [subject.removeprefix("Goldmark: ") for _, subject, _ in sent]
    sent.clear()
    return told


def test_one_is_told_of_what_somebody_else_could_have_done(store: Store, sent: Sent) -> None:
    accounts = AccountService(store)
    ada = accounts.create(ADA, Role.OWNER, PASSWORD, author="test")
    assert subjects(store, sent) == []
    new = "Somebody signed in to your account from where nobody did before"
    for address, told in (("192.0.2.1", [new]), ("192.0.2.1", []), ("2001:db8::1", [new]), ("2001:db8::2", [])):
        accounts.sign_in(ADA, PASSWORD, address=address)
        assert subjects(store, sent) == told, address
    accounts.enter_by_link(accounts.one_time_link(ada.id), password=None)
    assert subjects(store, sent) == [new]
    accounts.set_password(ada.id, "another good phrase")
    accounts.new_token(ada.id, "laptop\nBcc: all@example.org", timedelta(days=1))
    while Worker(store, kinds=[NOTICE]).run_one():
        pass
    assert [to for to, _, _ in sent] == [ADA, ADA]
    assert [subject for _, subject, _ in sent] == [
        "Goldmark: The password of your account was changed",
        "Goldmark: An API token of your account was made",
    ]
    assert "token: laptop Bcc: all@example.org" in sent[1][2], "on one line, among our own"
    text = sent[0][2]
    assert "If not: change your password" in text
    assert "your account at https://eval.example.org is called ada@example.org" in text


def test_the_second_factor_tells_of_itself(store: Store, sent: Sent) -> None:
    accounts = AccountService(store)
    ada = accounts.create(ADA, Role.OWNER, PASSWORD, author="test")
    links, limits, now = SignedLinks(b"a key"), RateLimits(store), datetime.now(UTC)
    factors = SecondFactors(store, links, limits, lambda: now)
    factors.begin(ada, PASSWORD, address="", where="")
    key = factors.begun(ada, where="")
    assert key is not None
    codes = factors.confirm(ada, code_of(base64.b32decode(key.secret), step_at(now)))
    assert subjects(store, sent) == ["A second factor was set up for your account"]
    half = accounts.sign_in(ADA, PASSWORD).secret
    for _ in range(3):
        with pytest.raises(CodeRefused):
            factors.enter(half, "000000", address="203.0.113.9")
    assert subjects(store, sent) == ["Somebody gave your right password and a wrong code"], "once, not with every guess"
    factors.renew_recovery_codes(ada, codes[0], address="")
    reset(store, ADA, author="Bo", reason="phone in the lake")
    while Worker(store, kinds=[NOTICE]).run_one():
        pass
    assert "by: Bo" in sent[-1][2]
    assert subjects(store, sent) == [
        "Your account has new recovery codes",
        "An owner reset the second factor of your account",
    ]


@pytest.mark.parametrize("name", ["Ada", "ada@localhost", "ada@example.org ", "<ada@example.org>", "a b@example.org"])
@on_sqlite
def test_whose_account_is_called_otherwise_is_sent_nothing(store: Store, sent: Sent, name: str) -> None:
    accounts = AccountService(store)
    made = accounts.create(f"{name}", Role.OWNER, PASSWORD, author="test")
    accounts.set_password(made.id, "another good phrase")
    told = subjects(store, sent)
    assert told == (["The password of your account was changed"] if name.strip() == ADA else [])


@on_sqlite
def test_nothing_is_sent_to_an_address_that_a_stranger_took_as_their_name(store: Store, sent: Sent) -> None:
    accounts = AccountService(store)
    made = accounts.create(ADA, Role.ANNOTATOR, PASSWORD, author="test", registered=True)
    accounts.set_password(made.id, "another good phrase")
    assert subjects(store, sent) == []


def test_without_a_mail_server_nothing_is_asked_for(store: Store) -> None:
    accounts = AccountService(store)
    made = accounts.create(ADA, Role.OWNER, PASSWORD, author="test")
    accounts.set_password(made.id, "another good phrase")
    accounts.new_token(made.id, "t")
    assert store.read(lambda connection: connection.execute(select(job.c.id)).all()) == []


def test_one_is_reminded_before_a_token_ends_unless_it_was_revoked(store: Store, sent: Sent) -> None:
    accounts = AccountService(store)
    ada = accounts.create(ADA, Role.OWNER, PASSWORD, author="test")
    for name, lasts in (("kept", timedelta(days=90)), ("short", timedelta(days=3)), ("endless", None)):
        accounts.new_token(ada.id, name, lasts)
    gone, _ = accounts.new_token(ada.id, "gone", timedelta(days=90))
    accounts.revoke_token(ada.id, gone)
    subjects(store, sent)
    asked = select(job.c.due_at).where(job.c.kind == REMINDER)
    waiting = store.read(lambda connection: connection.execute(asked).all())
    assert [(one.due_at - datetime.now(UTC)).days + 1 for one in waiting] == [76, 76]
    due = update(job).where(job.c.kind == REMINDER).values(due_at=datetime.now(UTC))
    store.write(lambda connection: connection.execute(due))
    assert Worker(store, kinds=[REMINDER]).run_one()
    assert Worker(store, kinds=[REMINDER]).run_one()
    ((to, subject, text),) = sent
    assert (to, subject) == (ADA, "Goldmark: An API token of yours ends soon")
    assert "Your API token 'kept' works until" in text
