"""A second factor: codes of an authenticator app, and recovery codes for the day it is lost.

Nothing from which a code could be computed is stored. An app's key is made from the server's signing key and a random
nonce, and only the nonce is in the database, so a copy of the database or a backup opens no door. Of recovery codes
only hashes are kept.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, NamedTuple, TypeVar

from sqlalchemy import Connection, delete, func, insert, select, update

from goldmark.accounts.credentials import (
    USABLE,
    SecretNotValid,
    about,
    hash_secret,
    issue,
    revoke_sessions,
)
from goldmark.accounts.links import CODE_LETTERS, SignedLinks
from goldmark.accounts.notices.account_events import REFUSED, note, note_about
from goldmark.accounts.one_time_codes import DIGITS, app_address, as_letters, matching_step
from goldmark.accounts.rate_limits import RateLimits
from goldmark.accounts.roles import Role, role_named
from goldmark.accounts.service import Account, AccountService, hold
from goldmark.accounts.session_times import session_times
from goldmark.errors import Conflict, Forbidden
from goldmark.store import Store, events
from goldmark.store.events import SIGNED_IN
from goldmark.store.tables import credential, second_factor, server_setting

RECOVERY_CODES = 10
GROUPS, LETTERS = 5, 5  # of a recovery code: 25 letters of 31 are 123 random bits, so a plain hash is enough
SET_UP_WITHIN = timedelta(minutes=15)
RULE = "second factor from"
RuleName = Literal["owner", "manager", "curator"]
Done = TypeVar("Done")


class CodeRefused(Forbidden):
    code = "ACCOUNT-13"
    message = (
        "this code is wrong or was used before; wait for the next one in your app, and see that its clock is right"
    )


class NotSetUp(Conflict):
    code = "ACCOUNT-14"
    message = "there is no second factor; set it up first"


class SetUpAlready(Conflict):
    code = "ACCOUNT-15"
    message = "there is a second factor already; turn it off to set up another"


class NotBegun(Conflict):
    code = "ACCOUNT-16"
    message = "setting it up was not begun, or more than 15 minutes ago; begin again"


class OtherSigningKey(Forbidden):
    code = "ACCOUNT-17"
    message = (
        "this server's signing key is not the one with which your app was set up, so its codes mean nothing here; "
        "use a recovery code, or have it reset: goldmark user reset-second-factor NAME"
    )


class SecondFactorNeeded(Forbidden):
    code = "ACCOUNT-18"
    message = "your role needs a second factor: set it up at /account/second-factor first"


class ResetYourOwn(Conflict):
    code = "ACCOUNT-19"
    message = "this is your own: turn it off on your account page with a code, or let another owner reset it"


class AppKey(NamedTuple):
    """What an app needs, to be shown while it is set up and never again."""

    secret: str
    address: str  # otpauth://..., drawn as a QR code


class FactorState(NamedTuple):
    since: datetime | None
    recovery_codes_left: int
    required: bool


class SecondFactors:
    def __init__(
        self,
        store: Store,
        links: SignedLinks,
        limits: RateLimits,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.store, self.links, self.limits, self.now = store, links, limits, now

    # --- setting it up

    def begin(self, who: Account, password: str, *, address: str, where: str) -> AppKey:
        """A new key for an app, which counts once a code of it was given. Whoever has a password says it again."""
        accounts = AccountService(self.store)
        if accounts.has_password(who.id):
            self.limits.sign_in(who.name, address, lambda: accounts.check_password(who.name, password))
        nonce = secrets.token_hex(16)

        def start(connection: Connection) -> None:
            hold(connection, who.id)  # two who begin at the same moment do not both find nothing
            if _confirmed(connection, who.id) is not None:
                raise SetUpAlready
            connection.execute(delete(second_factor).where(second_factor.c.account_id == who.id))
            row = {"nonce": nonce, "made_with": self.links.key_mark(nonce), "created_at": self.now(), "last_step": 0}
            connection.execute(insert(second_factor).values(account_id=who.id, **row))

        self.store.write(start)
        return self._app_key(who, nonce, where)

    def begun(self, who: Account, *, where: str) -> AppKey | None:
        """The key that is being set up just now."""
        row = self.store.read(lambda connection: self._begun(connection, who.id))
        return None if row is None else self._app_key(who, row.nonce, where)

    def confirm(self, who: Account, given: str) -> list[str]:
        """A first code shows that the app has the key. Returns recovery codes, which nobody can look up again."""

        def keep(connection: Connection) -> list[str]:
            hold(connection, who.id)  # who signs in with a password just now does so before it, and ends with it
            row = self._begun(connection, who.id)
            if row is None:
                raise NotBegun
            step = matching_step(self.links.app_key(who.id, row.nonce), _plain(given), self.now())
            if step is None:
                raise CodeRefused
            kept = update(second_factor).where(second_factor.c.account_id == who.id)
            connection.execute(kept.values(confirmed_at=self.now(), last_step=step))
            note(connection, who.id, "second factor set up", {})
            revoke_sessions(connection, who.id)  # that were begun with a password alone
            return _new_recovery_codes(connection, who.id)

        return self.store.write(keep)

    # --- using it

    def enter(self, half: str, given: str, *, address: str) -> str:
        """The second step of signing in: a code of the app or a recovery code; the secret of a session."""
        name = self.halfway(half).name

        def step(connection: Connection) -> str:
            now = self.now()
            used = update(credential).where(USABLE).values(used_at=now).returning(credential.c.account_id)
            row = connection.execute(used, about(half, "half", now)).first()
            if row is None:
                raise SecretNotValid
            by = self._accept(connection, row.account_id, given)
            note(connection, row.account_id, SIGNED_IN, {"from": address, "with": by})
            return issue(connection, row.account_id, "session", "browser", session_times().longest)[1]

        return self._guarded(name, address, step)

    def halfway(self, half: str) -> Account:
        """Whose password was right, for whom the code is still missing."""
        return AccountService(self.store).account_of(half, "half")

    def check(self, who: Account, given: str, *, address: str) -> None:
        """Use up a code to show that it is still the person who signed in."""
        self._guarded(who.name, address, lambda connection: self._accept(connection, who.id, given))

    def renew_recovery_codes(self, who: Account, given: str, *, address: str) -> list[str]:
        """New recovery codes; the old ones end."""

        def renew(connection: Connection) -> list[str]:
            self._accept(connection, who.id, given)
            note(connection, who.id, "recovery codes renewed", {})
            return _new_recovery_codes(connection, who.id)

        return self._guarded(who.name, address, renew)

    def turn_off(self, who: Account, given: str, *, address: str) -> None:
        def end(connection: Connection) -> None:
            self._accept(connection, who.id, given)
            _remove(connection, who.id)
            note(connection, who.id, "second factor turned off", {})

        self._guarded(who.name, address, end)

    def _guarded(self, name: str, address: str, act: Callable[[Connection], Done]) -> Done:
        """Limited like passwords. A wrong code after a right password is told to owners: somebody may know it."""
        try:
            return self.limits.code(name, address, lambda: self.store.write(act))
        except CodeRefused:
            self.store.write(
                lambda connection: note_about(connection, name, REFUSED, author=name, facts={"from": address})
            )
            raise

    def _accept(self, connection: Connection, account_id: int, given: str) -> str:
        """Use up a code; says of which kind it was. What was used before, even at the same moment, is refused."""
        row = _confirmed(connection, account_id)
        if row is None:
            raise NotSetUp
        plain = _plain(given)
        if len(plain) != DIGITS:
            return _use_recovery_code(connection, account_id, plain, self.now())
        key = self.links.app_key_made_with(row.made_with, account_id, row.nonce)
        if key is None:
            raise OtherSigningKey
        step = matching_step(key, plain, self.now())
        newer = (second_factor.c.account_id == account_id) & (second_factor.c.last_step < (step or 0))
        if step is None or not connection.execute(update(second_factor).where(newer).values(last_step=step)).rowcount:
            raise CodeRefused
        return "code"

    # --- who has one, and who must

    def state(self, who: Account) -> FactorState:
        def look(connection: Connection) -> FactorState:
            row = _confirmed(connection, who.id)
            left = connection.scalar(select(func.count()).where(*_recovery_codes(who.id))) or 0
            return FactorState(None if row is None else row.confirmed_at, left, _required(connection, who.role))

        return self.store.read(look)

    def missing(self, who: Account) -> bool:
        """Whether somebody's role needs a second factor and they have none."""
        return not who.second_factor and self.store.read(lambda connection: _required(connection, who.role))

    def rule(self) -> RuleName | None:
        """The lowest role that needs a second factor; None if none does."""
        return self.store.read(_rule)

    def set_rule(self, lowest: RuleName | None, *, author: str) -> None:
        """From now on: whoever has such a role and no second factor is asked to set it up before anything else."""

        def put(connection: Connection) -> None:
            connection.execute(delete(server_setting).where(server_setting.c.name == RULE))
            if lowest is not None:
                connection.execute(insert(server_setting).values(name=RULE, value=lowest))
            facts = {"from": lowest or "nobody"}
            events.record(connection, None, author=author, kind="second factor required", subject="server", facts=facts)

        self.store.write(put)

    def _begun(self, connection: Connection, account_id: int) -> Any:
        begun = (
            (second_factor.c.account_id == account_id)
            & second_factor.c.confirmed_at.is_(None)
            & (second_factor.c.created_at > self.now() - SET_UP_WITHIN)
        )
        return connection.execute(select(second_factor).where(begun)).first()

    def _app_key(self, who: Account, nonce: str, where: str) -> AppKey:
        key = self.links.app_key(who.id, nonce)
        return AppKey(as_letters(key), app_address(key, who.name, where))


def reset(store: Store, name: str, *, author: str, reason: str = "") -> Account:
    """Somebody lost their app and their recovery codes: they sign in with their password alone again."""
    accounts = AccountService(store)
    who = accounts.find(name)

    def end(connection: Connection) -> None:
        if not _remove(connection, who.id):
            raise NotSetUp
        revoke_sessions(connection, who.id)
        note_about(connection, name, "second factor reset", author=author, reason=reason)

    store.write(end)
    return accounts.find(name)


def _confirmed(connection: Connection, account_id: int) -> Any:
    wanted = (second_factor.c.account_id == account_id) & second_factor.c.confirmed_at.is_not(None)
    return connection.execute(select(second_factor).where(wanted)).first()


def _remove(connection: Connection, account_id: int) -> bool:
    connection.execute(delete(credential).where(*_recovery_codes(account_id)))
    return connection.execute(delete(second_factor).where(second_factor.c.account_id == account_id)).rowcount > 0


def _recovery_codes(account_id: int) -> tuple[Any, ...]:
    return (
        credential.c.account_id == account_id,
        credential.c.kind == "recovery",
        credential.c.used_at.is_(None),
    )


def _new_recovery_codes(connection: Connection, account_id: int) -> list[str]:
    connection.execute(delete(credential).where(*_recovery_codes(account_id)))
    codes = ["".join(secrets.choice(CODE_LETTERS) for _ in range(GROUPS * LETTERS)) for _ in range(RECOVERY_CODES)]
    now = datetime.now(UTC)
    rows = [{"hash": hash_secret(code), "account_id": account_id} for code in codes]
    connection.execute(insert(credential).values(kind="recovery", name="recovery code", created_at=now), rows)
    return ["-".join(code[at : at + LETTERS] for at in range(0, len(code), LETTERS)) for code in codes]


def _use_recovery_code(connection: Connection, account_id: int, plain: str, now: datetime) -> str:
    fits = (credential.c.hash == hash_secret(plain), *_recovery_codes(account_id))
    if not connection.execute(update(credential).where(*fits).values(used_at=now)).rowcount:
        raise CodeRefused
    return "recovery code"


def _plain(given: str) -> str:
    """A code as it was meant: apps show `123 456`, and a recovery code is read off paper."""
    return "".join(given.replace("-", "").split()).upper()


def _rule(connection: Connection) -> Any:
    return connection.scalar(select(server_setting.c.value).where(server_setting.c.name == RULE))


def _required(connection: Connection, role: Role) -> bool:
    lowest = _rule(connection)
    return lowest is not None and role >= role_named(lowest)
