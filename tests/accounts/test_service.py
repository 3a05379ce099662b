"""Accounts, passwords, sessions, tokens and one-time links, on both databases."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select, update

from goldmark.accounts import service
from goldmark.accounts.credentials import SecretNotValid, TokenOnlyReads
from goldmark.accounts.passwords import PasswordGuessable, PasswordTooShort, hasher, is_guessable, is_right
from goldmark.accounts.roles import Role
from goldmark.accounts.service import AccountExists, AccountNameNotUsable, AccountService, LastOwner, SignInRefused
from goldmark.store import Store
from goldmark.store.tables import account, credential
from tests.databases import on_sqlite

PASSWORD = "four unrelated words"


def test_passwords_are_kept_as_argon2_with_strong_settings() -> None:
    # The least that OWASP's password storage sheet asks for: argon2id with 19 MiB of memory and two passes.
    kind, _, cost = hasher().hash(PASSWORD).split("$")[1:4]
    facts = dict(part.split("=") for part in cost.split(","))
    assert kind == "argon2id"
    assert int(facts["m"]) >= 19_456
    assert int(facts["t"]) >= 2


def test_no_secret_is_in_the_database(store: Store) -> None:
    responses = AccountService(store)
    made = responses.create("Ada", Role.OWNER, PASSWORD, author="test")
    secrets = [
        responses.sign_in("Ada", PASSWORD).secret,
        responses.one_time_link(made.id),
        responses.new_token(made.id, "t")[1],
        PASSWORD,
    ]
    stored = store.read(
        lambda connection: (
            str(connection.execute(select(account)).all()) + str(connection.execute(select(credential)).all())
        )
    )
    assert not any(secret in stored for secret in secrets)


@pytest.mark.parametrize("name", ["", "   ", "a\nb", "a\x00b", "x" * 201])
@on_sqlite
def test_names_that_cannot_be_used(store: Store, name: str) -> None:
    with pytest.raises(AccountNameNotUsable):
        AccountService(store).create(name, Role.CURATOR, None, author="test")


def test_a_name_is_taken_once(store: Store) -> None:
    responses = AccountService(store)
    responses.create("Ada", Role.CURATOR, None, author="test")
    with pytest.raises(AccountExists):
        responses.create(" Ada ", Role.OWNER, None, author="test")


@on_sqlite
def test_short_passwords_and_accounts_without_one(store: Store) -> None:
    responses = AccountService(store)
    with pytest.raises(PasswordTooShort):
        responses.create("Ada", Role.OWNER, "123456789", author="test")
    responses.create("Ada", Role.OWNER, None, author="test")
    with pytest.raises(SignInRefused):
        responses.sign_in("Ada", "")


@on_sqlite
def test_a_new_password_has_at_most_128_characters_and_a_longer_one_from_before_works(store: Store) -> None:
    accounts = AccountService(store)
    phrase = "four unrelated words here or ninety of them "
    longest = (phrase * 3)[:128]
    with pytest.raises(PasswordTooShort, match="12 to 128 characters"):
        accounts.create("Ada", Role.OWNER, f"{longest}x", author="test")
    made = accounts.create("Ada", Role.OWNER, longest, author="test")
    assert accounts.sign_in("Ada", longest).complete
    with pytest.raises(SignInRefused):
        accounts.sign_in("Ada", longest[:-1])
    before = phrase * 20
    hashed = hasher().hash(before)
    kept = update(account).where(account.c.id == made.id).values(password_hash=hashed)
    store.write(lambda connection: connection.execute(kept))
    assert accounts.sign_in("Ada", before).complete


def test_a_secret_of_one_kind_opens_no_other_door(store: Store) -> None:
    responses = AccountService(store)
    made = responses.create("Ada", Role.OWNER, None, author="test")
    kinds = {
        "session": responses.session_for(made.id),
        "token": responses.new_token(made.id, "t")[1],
        "link": responses.one_time_link(made.id),
    }
    for kind in ("session", "token"):
        for made_as, secret in kinds.items():
            if kind == made_as:
                assert responses.account_of(secret, kind).name == "Ada"
            else:
                with pytest.raises(SecretNotValid):
                    responses.account_of(secret, kind)


def test_a_token_that_has_run_out_is_refused(store: Store) -> None:
    responses = AccountService(store)
    made = responses.create("Ada", Role.OWNER, None, author="test")
    _, secret = responses.new_token(made.id, "t", timedelta(seconds=-1))
    with pytest.raises(SecretNotValid):
        responses.account_of(secret, "token")


@on_sqlite
def test_a_token_may_be_less_than_its_account(store: Store) -> None:
    accounts = AccountService(store)
    made = accounts.create("Ada", Role.OWNER, None, author="test")
    reads, curates = (
        accounts.new_token(made.id, "t", scope="read"),
        accounts.new_token(made.id, "t", role=Role.CURATOR),
    )
    assert accounts.account_of(reads[1], "token").role is Role.OWNER
    with pytest.raises(TokenOnlyReads):
        accounts.account_of(reads[1], "token", writes=True)
    assert accounts.account_of(curates[1], "token", writes=True).role is Role.CURATOR
    accounts.create("Bo", Role.OWNER, None, author="test")
    accounts.change("Ada", role=Role.ANNOTATOR, author="test")
    assert accounts.account_of(curates[1], "token").role is Role.ANNOTATOR  # never more than the account
    assert [(one.scope, one.role) for one in accounts.tokens(made.id)] == [("read", None), ("all", "curator")]


def test_a_link_that_is_used_by_many_at_once_lets_one_in(store: Store) -> None:
    responses = AccountService(store)
    made = responses.create("Ada", Role.OWNER, None, author="test")
    link = responses.one_time_link(made.id)
    entered: list[str] = []
    refused: list[SecretNotValid] = []
    together = threading.Barrier(8)

    def enter() -> None:
        together.wait()
        try:
            entered.append(responses.enter_by_link(link, password=None).secret)
        except SecretNotValid as error:
            refused.append(error)

    threads = [threading.Thread(target=enter) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(entered), len(refused)) == (1, 7)
    assert responses.account_of(entered[0], "session").name == "Ada"


def test_a_password_that_is_changed_while_it_is_checked_opens_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Checking takes long enough for somebody who knows the old one to try at that moment."""
    accounts = AccountService(store)
    made = accounts.create("Ada", Role.OWNER, PASSWORD, author="test")
    accounts.create("Bo", Role.OWNER, None, author="test")

    def meanwhile(then: Callable[[], object]) -> None:
        def right(password: str, kept: str | None) -> bool:
            found = is_right(password, kept)
            then()
            return found

        monkeypatch.setattr(service, "is_right", right)

    meanwhile(lambda: accounts.set_password(made.id, "four other unrelated words"))
    with pytest.raises(SignInRefused):
        accounts.sign_in("Ada", PASSWORD)
    meanwhile(lambda: accounts.change("Ada", disabled=True, author="test"))
    with pytest.raises(SignInRefused):
        accounts.sign_in("Ada", "four other unrelated words")
    assert accounts.sessions(made.id) == []


@on_sqlite
def test_a_new_password_ends_the_links_that_nobody_used(store: Store) -> None:
    accounts = AccountService(store)
    made = accounts.create("Ada", Role.OWNER, None, author="test")
    lost, another = accounts.one_time_link(made.id), accounts.one_time_link(made.id)
    assert accounts.enter_by_link(another, password=PASSWORD).complete
    with pytest.raises(SecretNotValid):
        accounts.look_at_link(lost)
    later = accounts.one_time_link(made.id)
    accounts.set_password(made.id, "four other unrelated words")
    with pytest.raises(SecretNotValid):
        accounts.enter_by_link(later, password=None)


def test_two_owners_who_demote_each_other_leave_one(store: Store) -> None:
    responses = AccountService(store)
    for name in ("Ada", "Bo"):
        responses.create(name, Role.OWNER, None, author="test")
    together = threading.Barrier(2)
    refused: list[str] = []

    def demote(name: str) -> None:
        together.wait()
        try:
            responses.change(name, role=Role.MANAGER, author="test")
        except LastOwner:
            refused.append(name)

    threads = [threading.Thread(target=demote, args=(name,)) for name in ("Ada", "Bo")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == 1
    assert sorted(one.role for one in responses.accounts()) == [Role.MANAGER, Role.OWNER]


def test_of_three_owners_who_shut_each_other_out_one_stays(store: Store) -> None:
    accounts, names = AccountService(store), ("Ada", "Bo", "Cy")
    for name in names:
        accounts.create(name, Role.OWNER, None, author="test")
    together, refused = threading.Barrier(2 * len(names)), list[str]()

    def act(name: str, change: dict[str, Any]) -> None:
        together.wait()
        try:
            accounts.change(name, author="test", **change)
        except LastOwner:
            refused.append(name)

    changes: tuple[dict[str, Any], ...] = ({"disabled": True}, {"role": Role.CURATOR})
    threads = [threading.Thread(target=act, args=(name, change)) for name in names for change in changes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    left = [one.name for one in accounts.accounts() if one.role is Role.OWNER and one.disabled_at is None]
    assert len(left) == 1
    assert set(refused) == set(left)


@pytest.mark.parametrize(
    "password",
    [
        *("password1234", "Passw0rd!2026", "goldmark2026!", "P4$$w0rd-p4$$w0rd", "qwertyuiop12", "aaaaaaaaaaaa"),
        *("123456789012", "abcabcabcabc", "AdaLovelace1", "lovelace-2026", "letmeinletmein", "iloveyou2024!!"),
        *("administrator", "Summer2026!!", "annotator1234", "1q1q1q1q1q1q", "098765432109", "QWERTZUIOPÜ1"),
    ],
)
@on_sqlite
def test_what_is_tried_first_is_no_password(store: Store, password: str) -> None:
    accounts = AccountService(store)
    with pytest.raises(PasswordGuessable):
        accounts.create("Ada Lovelace", Role.OWNER, password, author="test")
    ada = accounts.create("Ada Lovelace", Role.OWNER, PASSWORD, author="test")
    with pytest.raises(PasswordGuessable):
        accounts.set_password(ada.id, password)
    link = accounts.one_time_link(ada.id)
    with pytest.raises(PasswordGuessable):
        accounts.enter_by_link(link, password=password)
    assert accounts.enter_by_link(link, password=None).complete, "a link that was refused is still good"


@pytest.mark.parametrize(
    "password",
    ["483920174835", "x7Kq-93mZ-pp1", "a tree in the rain", "zwölf Äpfel im Korb", "密码是很长的一句话没有人知道"],
)
def test_other_passwords_need_nothing_but_their_length(password: str) -> None:
    assert not is_guessable(password, "Ada Lovelace")
