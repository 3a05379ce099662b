"""Making accounts, signing in, tokens and one-time links. Only hashes of secrets reach the database."""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, false, insert, select, update

from goldmark.accounts.credentials import (
    HALF_LASTS,
    LINK_LASTS,
    TOKEN_LASTS,
    USABLE,
    Entered,
    Scope,
    SecretNotValid,
    SignedInBrowser,
    Token,
    TokenOnlyReads,
    about,
    hash_secret,
    issue,
    revoke_all,
    revoke_links,
    revoke_sessions,
    signed_in_browsers,
)
from goldmark.accounts.notices.account_events import note, remind_of_end
from goldmark.accounts.passwords import PasswordTooShort, hash_password, is_right
from goldmark.accounts.roles import Role, role_named
from goldmark.accounts.session_times import session_times
from goldmark.errors import Conflict, Forbidden, GoldmarkError, Missing
from goldmark.store import Store, events
from goldmark.store.events import SIGNED_IN
from goldmark.store.tables import account, credential, second_factor
from goldmark.store.transactions import one_at_a_time

NOTE_TOKENS_EVERY = timedelta(minutes=1)
_log = logging.getLogger(__name__)


class SignInRefused(Forbidden):
    code = "ACCOUNT-03"
    message = "the name or the password is wrong"


class AccountExists(Conflict):
    code = "ACCOUNT-04"
    message = "there is an account {name!r} already"


class UnknownAccount(Missing):
    code = "ACCOUNT-06"
    message = "there is no account {name!r}"


class AccountNameNotUsable(GoldmarkError):
    code = "ACCOUNT-08"
    message = "an account name has 1 to 200 characters and no line breaks"


class LastOwner(Conflict):
    code = "ACCOUNT-09"
    message = "{name!r} is the last owner; make someone else owner first"


class Account(NamedTuple):
    id: int
    name: str
    role: Role
    created_at: datetime
    disabled_at: datetime | None
    registered: bool = False  # by themselves, on a public board
    second_factor: bool = False


_stored = tuple(account.c[name] for name in Account._fields if name != "second_factor")
_of_token = tuple(credential.c[name] for name in Token.__slots__)
_has_second_factor = (
    select(second_factor.c.account_id)
    .where(second_factor.c.account_id == account.c.id, second_factor.c.confirmed_at.is_not(None))
    .correlate(account)
    .exists()
)
_columns = (*_stored, _has_second_factor.label("second_factor"))
_by_secret = (
    select(
        *_columns,
        credential.c.id.label("credential_id"),
        credential.c.created_at.label("begun_at"),
        credential.c.used_at,
        credential.c.scope,
        credential.c.role.label("at_most"),
    )
    .join(credential, credential.c.account_id == account.c.id)
    .where(USABLE, account.c.disabled_at.is_(None))
)


def _to_account(row: Any) -> Account:
    role, two = role_named(row.role), bool(row.second_factor)
    return Account(row.id, row.name, role, row.created_at, row.disabled_at, row.registered, two)


class AccountService:
    def __init__(self, store: Store) -> None:
        self.store = store

    def any_account(self) -> bool:
        return self.store.read(_any_account)

    def create(self, name: str, role: Role, password: str | None, *, author: str, registered: bool = False) -> Account:
        """A new account; without a password it can only be entered by a one-time link."""
        password_hash = None if password is None else hash_password(password, name)
        return self.store.write(
            lambda connection: _insert_account(
                connection, name, role, password_hash, author=author, registered=registered
            )
        )

    def accounts(self) -> list[Account]:
        return self.store.read(
            lambda connection: [
                _to_account(row) for row in connection.execute(select(*_columns).order_by(account.c.id))
            ]
        )

    def find(self, name: str) -> Account:
        return self._find(account.c.name == name, name)

    def get(self, account_id: int) -> Account:
        return self._find(account.c.id == account_id, account_id)

    def _find(self, wanted: ColumnElement[bool], name: str | int) -> Account:
        row = self.store.read(lambda connection: connection.execute(select(*_columns).where(wanted)).first())
        if row is None:
            raise UnknownAccount(name=name)
        return _to_account(row)

    def change(
        self, name: str, *, role: Role | None = None, disabled: bool | None = None, author: str, reason: str = ""
    ) -> Account:
        """Another role, or shut an account out (and let it in again)."""

        def update_account(connection: Connection) -> Account:
            row = connection.execute(
                select(*_columns).where(account.c.name == name).with_for_update(key_share=True)
            ).first()
            if row is None:
                raise UnknownAccount(name=name)
            before = _to_account(row)
            after = before._replace(role=role if role is not None else before.role)
            if disabled is not None:
                after = after._replace(disabled_at=datetime.now(UTC) if disabled else None)
            if before.role is Role.OWNER and (after.role is not Role.OWNER or after.disabled_at):
                # Held, so that two owners who demote each other at the same moment do not both succeed.
                owners = select(account.c.id).where(account.c.role == Role.OWNER.title, account.c.disabled_at.is_(None))
                if (
                    len(connection.execute(owners.with_for_update(key_share=True)).all()) <= 1
                    and not before.disabled_at
                ):
                    raise LastOwner(name=name)
            connection.execute(
                update(account)
                .where(account.c.id == before.id)
                .values(role=after.role.title, disabled_at=after.disabled_at)
            )
            if after.disabled_at and not before.disabled_at:
                revoke_all(connection, before.id)  # whoever is let in again signs in again
            facts = {"role": after.role.title, "disabled": after.disabled_at is not None}
            events.record(
                connection, None, author=author, kind="account changed", subject=name, reason=reason, facts=facts
            )
            return after

        return self.store.write(update_account)

    def set_password(self, account_id: int, password: str, *, but: str = "") -> None:
        """A new password; every signed-in browser has to sign in again, `but` the one with this session; one-time links
        end."""
        password_hash = hash_password(password, self.get(account_id).name)
        self.store.write(lambda connection: _new_password(connection, account_id, password_hash, but=but))

    def sign_out_everywhere(self, account_id: int, *, but: str = "") -> None:
        """Every browser in which this person is signed in has to sign in again, `but` the one with this session."""
        self.store.write(lambda connection: revoke_sessions(connection, account_id, but=but))

    def describe_session(self, secret: str, browser: str) -> None:
        """In which browser a new session is, for its owner to know it again."""
        described, found = update(credential).where(USABLE).values(name=browser[:200]), _session(secret)
        self.store.write(lambda connection: connection.execute(described, found))

    def sessions(self, account_id: int) -> list[SignedInBrowser]:
        """Where somebody is signed in, the newest first."""
        return self.store.read(lambda connection: signed_in_browsers(connection, account_id))

    def session_id(self, secret: str) -> int | None:
        wanted, found = select(credential.c.id).where(USABLE), _session(secret)
        return self.store.read(lambda connection: connection.execute(wanted, found).scalar())

    def end_session(self, account_id: int, session_id: int) -> None:
        """One browser has to sign in again."""
        self.store.write(lambda connection: revoke_sessions(connection, account_id, only=session_id))

    def has_password(self, account_id: int) -> bool:
        wanted = select(account.c.id).where(account.c.id == account_id, account.c.password_hash.is_not(None))
        return self.store.read(lambda connection: connection.execute(wanted).first() is not None)

    def check_password(self, name: str, password: str) -> int:
        """Whose password this is; their id."""
        return int(self._checked(name, password).id)

    def _checked(self, name: str, password: str) -> Any:
        whose = select(account.c.id, account.c.password_hash, account.c.disabled_at)
        row = self.store.read(
            lambda connection: connection.execute(whose.where(account.c.name == name.strip())).first()
        )
        known = row is not None and row.disabled_at is None
        if not is_right(password, row.password_hash if known and row else None) or row is None:
            raise SignInRefused
        return row

    def sign_in(self, name: str, password: str, *, address: str = "") -> Entered:
        """Check a password: a new session, or half of one where there is a second factor.

        With where it came from, owners see it later.
        """
        try:
            checked = self._checked(name, password)
            return self.store.write(lambda connection: _enter_as(connection, checked, address))
        except SignInRefused:
            self._log_refused(name, address)
            raise

    def _log_refused(self, name: str, address: str) -> None:
        """For whoever watches the logs. A name that nobody has is left out: it may be a password in the wrong field."""
        whose = select(account.c.name).where(account.c.name == name.strip())
        known = self.store.read(lambda connection: connection.execute(whose).scalar())
        _log.warning("sign-in refused", extra={"facts": {"account": known, "from": address}})

    def one_time_link(self, account_id: int | None) -> str:
        """The secret of a link that signs in once: to a new account, or to make the first owner (no account)."""
        return self._issue(account_id, "link", "one-time link", LINK_LASTS)[1]

    def new_token(
        self,
        account_id: int,
        name: str,
        lasts: timedelta | None = TOKEN_LASTS,
        *,
        scope: Scope = "all",
        role: Role | None = None,
    ) -> tuple[int, str]:
        """An API token: its id, and its secret, which is shown this once. It never may do more than `role`."""

        def make(connection: Connection) -> tuple[int, str]:
            note(connection, account_id, "token made", {"token": name, "scope": scope})
            made = issue(connection, account_id, "token", name, lasts, "gm_", scope=scope, role=role)
            remind_of_end(connection, account_id, made[0], lasts)
            return made

        return self.store.write(make)

    def _issue(self, account_id: int | None, kind: str, name: str, lasts: timedelta | None) -> tuple[int, str]:
        return self.store.write(lambda connection: issue(connection, account_id, kind, name, lasts))

    def account_of(self, secret: str, kind: str, *, writes: bool = False, used: bool = True) -> Account:
        """Whose token or session this is, with the role that it may use; `writes`: to change something.

        Not `used` is what a page asks by itself, without a click: it keeps nobody signed in.

        That a token was used is noted, at most once a minute; of a session more seldom. One that nobody used for long
        has ended, and so has one that began too long ago, also where these times were set to less since.
        """
        now = datetime.now(UTC)
        row = self.store.read(lambda connection: connection.execute(_by_secret, about(secret, kind, now)).first())
        if row is None:
            raise SecretNotValid
        times = session_times()
        if kind == "session" and times.ended(row.begun_at, row.used_at, now):
            raise SecretNotValid
        every = {"token": NOTE_TOKENS_EVERY, "session": times.note_every}.get(kind)
        if used and every is not None and (row.used_at is None or now - row.used_at >= every):
            noting = update(credential).where(credential.c.id == row.credential_id).values(used_at=now)
            self.store.write(lambda connection: connection.execute(noting))
        if writes and row.scope == "read":
            raise TokenOnlyReads
        found = _to_account(row)
        return found if row.at_most is None else found._replace(role=min(found.role, role_named(row.at_most)))

    def token(self, secret: str) -> Token | None:
        """What is known of a token by its secret."""
        wanted = select(*_of_token).where(credential.c.hash == hash_secret(secret), credential.c.kind == "token")
        row = self.store.read(lambda connection: connection.execute(wanted).first())
        return None if row is None else Token(*row)

    def look_at_link(self, secret: str) -> Account | None:
        """The account a one-time link signs in to, None for the link that makes the first owner."""
        now = datetime.now(UTC)

        def find(connection: Connection) -> Account | None:
            link = connection.execute(select(credential.c.account_id).where(USABLE), about(secret, "link", now)).first()
            if link is None:
                raise SecretNotValid
            if link.account_id is None:
                if _any_account(connection):
                    raise SecretNotValid  # every start without an account prints such a link; the first used counts
                return None
            row = connection.execute(select(*_columns).where(account.c.id == link.account_id)).one()
            if row.disabled_at is not None:
                raise SecretNotValid
            return _to_account(row)

        return self.store.read(find)

    def enter_by_link(self, secret: str, *, name: str = "", password: str | None) -> Entered:
        """Use up a one-time link and sign in. It stands for the password: a second factor is asked for as ever.

        The link without an account makes the first owner, with this name and password. The link of an account signs
        in, and sets a new password if one is given. A second use, even at the same moment, is refused; a use that
        fails for another reason leaves the link as it was.
        """
        whose = None if password is None else self.look_at_link(secret)  # of a link that is used up: refused here
        password_hash = None if password is None else hash_password(password, whose.name if whose else name)
        now = datetime.now(UTC)

        def enter(connection: Connection) -> Entered:
            using = update(credential).where(USABLE).values(used_at=now).returning(credential.c.account_id)
            used = connection.execute(using, about(secret, "link", now)).first()
            if used is None:
                raise SecretNotValid
            if used.account_id is None:
                one_at_a_time(connection, "first account")  # of two such links one makes an owner
                if _any_account(connection):
                    raise SecretNotValid
                if password_hash is None:
                    raise PasswordTooShort
                owner = _insert_account(connection, name, Role.OWNER, password_hash, author=f"{name} (first link)")
                account_id = owner.id
            else:
                account_id = used.account_id
                row = connection.execute(select(*_columns).where(account.c.id == account_id)).one()
                if row.disabled_at is not None:
                    raise SecretNotValid
                if password_hash is not None:
                    _new_password(connection, account_id, password_hash)
            return _enter(connection, account_id, {"by": "one-time link"})

        return self.store.write(enter)

    def sign_out(self, secret: str) -> None:
        self.store.write(
            lambda connection: connection.execute(
                update(credential)
                .where(credential.c.hash == hash_secret(secret), credential.c.kind == "session")
                .values(revoked_at=datetime.now(UTC))
            )
        )

    def session_for(self, account_id: int) -> str:
        """A signed-in session, after a one-time link was used."""
        return self._issue(account_id, "session", "browser", session_times().longest)[1]

    def tokens(self, account_id: int) -> list[Token]:
        query = (
            select(*_of_token)
            .where(credential.c.account_id == account_id, credential.c.kind == "token")
            .order_by(credential.c.id)
        )
        return self.store.read(lambda connection: [Token(*row) for row in connection.execute(query)])

    def revoke_token(self, account_id: int, token_id: int) -> None:
        own = (credential.c.id == token_id) & (credential.c.account_id == account_id) & (credential.c.kind == "token")

        def revoke(connection: Connection) -> None:
            revoked = update(credential).where(own).values(revoked_at=datetime.now(UTC)).returning(credential.c.name)
            if (name := connection.execute(revoked).scalar()) is not None:
                note(connection, account_id, "token revoked", {"token": name})

        self.store.write(revoke)


def hold(connection: Connection, account_id: int) -> Any:
    """An account that nobody else changes or enters until this transaction ends."""
    held = select(account.c.password_hash, account.c.disabled_at).where(account.c.id == account_id)
    return connection.execute(held.with_for_update(key_share=True)).one()


def _enter_as(connection: Connection, checked: Any, address: str) -> Entered:
    """Unless the account changed while its password was checked, which takes a while."""
    held = hold(connection, checked.id)
    if held.disabled_at is not None or held.password_hash != checked.password_hash:
        raise SignInRefused
    return _enter(connection, checked.id, {"from": address} if address else {})


def _enter(connection: Connection, account_id: int, how: dict[str, str]) -> Entered:
    """A session, noted with how it came about; or half of one, which says nothing yet."""
    hold(connection, account_id)  # or a second factor could be set up between the two
    found = connection.execute(select(_has_second_factor).where(account.c.id == account_id)).scalar()
    if found:
        return Entered(issue(connection, account_id, "half", "password checked", HALF_LASTS)[1], False)
    note(connection, account_id, SIGNED_IN, how)
    return Entered(issue(connection, account_id, "session", "browser", session_times().longest)[1], True)


def _any_account(connection: Connection) -> bool:
    return connection.execute(select(account.c.id).limit(1)).first() is not None


def _insert_account(
    connection: Connection,
    name: str,
    role: Role,
    password_hash: str | None,
    *,
    author: str,
    registered: bool = False,
) -> Account:
    name = name.strip()
    if not name or len(name) > 200 or any(character < " " for character in name):
        raise AccountNameNotUsable
    one_at_a_time(connection, f"account {name}")
    if connection.execute(select(account.c.id).where(account.c.name == name)).first():
        raise AccountExists(name=name)
    row = connection.execute(
        insert(account)
        .values(
            name=name, role=role.title, password_hash=password_hash, created_at=datetime.now(UTC), registered=registered
        )
        .returning(*_stored, false().label("second_factor"))
    ).one()
    facts = {"role": role.title}
    events.record(connection, None, author=author, kind="account created", subject=name, facts=facts)
    return _to_account(row)


def _session(secret: str) -> dict[str, Any]:
    return about(secret, "session", datetime.now(UTC))


def _new_password(connection: Connection, account_id: int, password_hash: str, *, but: str = "") -> None:
    note(connection, account_id, "password changed", {})
    connection.execute(update(account).where(account.c.id == account_id).values(password_hash=password_hash))
    revoke_sessions(connection, account_id, but=but)
    revoke_links(connection, account_id)
