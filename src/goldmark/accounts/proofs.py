"""That it is still the person who signed in: asked for again before what would do most harm in other hands.

Signing in is such a proof. A later one, a password or a code, is kept beside the session for which it was given: the
session stays what it is, so that forms that lie open in other windows go on working.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection, delete, select

from goldmark.accounts.credentials import USABLE, about, hash_secret
from goldmark.accounts.rate_limits import RateLimits
from goldmark.accounts.second_factor import SecondFactors
from goldmark.accounts.service import Account, AccountService
from goldmark.accounts.session_times import session_times
from goldmark.errors import Forbidden
from goldmark.store import Store
from goldmark.store.once import insert_once
from goldmark.store.tables import credential


class ProofNeeded(Forbidden):
    code = "ACCOUNT-22"
    message = (
        "it is more than {minutes} minutes ago that you gave your password or a code, and this would do harm in other "
        "hands: give it again (POST /api/v1/me/proof), then repeat what you did"
    )

    def __init__(self) -> None:
        super().__init__(minutes=session_times().proof // timedelta(minutes=1))


class NothingToProveWith(Forbidden):
    code = "ACCOUNT-23"
    message = (
        "you have neither a password nor a second factor by which to tell that it is you; sign in with a new one-time "
        "link and choose a password there: an owner makes the link, or on the server: goldmark user link NAME"
    )


class Proofs:
    def __init__(self, store: Store, second_factors: SecondFactors, limits: RateLimits) -> None:
        self.store, self.second_factors, self.limits = store, second_factors, limits
        self.asks = True  # the demo does not: nobody there chose a password

    def is_fresh(self, session: str) -> bool:
        """Whether whoever has this session signed in, or gave a proof in it, a short time ago."""
        if not self.asks:
            return True
        now = datetime.now(UTC)
        begun = select(credential.c.id).where(USABLE, credential.c.created_at > now - session_times().proof)

        def look(connection: Connection) -> bool:
            asked = (about(session, "session", now), about(_of(session), "proof", now))
            return any(connection.execute(begun, one).first() is not None for one in asked)

        return self.store.read(look)

    def give(self, who: Account, session: str, *, password: str, code: str, address: str) -> None:
        """Whoever has a second factor gives a code: browsers fill in passwords by themselves. Tries are counted."""
        accounts = AccountService(self.store)
        if who.second_factor:
            self.second_factors.check(who, code, address=address)
        elif accounts.has_password(who.id):
            self.limits.sign_in(who.name, address, lambda: accounts.check_password(who.name, password))
        else:
            raise NothingToProveWith
        self.store.write(lambda connection: _keep(connection, who.id, session))


def _keep(connection: Connection, account_id: int, session: str) -> None:
    now = datetime.now(UTC)
    given = (credential.c.account_id == account_id) & (credential.c.kind == "proof")
    old = (credential.c.hash == hash_secret(_of(session))) | (credential.c.expires_at < now)
    connection.execute(delete(credential).where(given & old))
    row = {"hash": hash_secret(_of(session)), "created_at": now, "expires_at": now + session_times().proof}
    row |= {"account_id": account_id, "kind": "proof", "name": "it is you"}
    connection.execute(insert_once(connection, credential, row, by="hash"))  # of two at the same moment one is enough


def _of(session: str) -> str:
    """What a session's proof is looked up by; nobody who has not the session finds it."""
    return f"proof {session}"
