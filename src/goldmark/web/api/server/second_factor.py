"""One's own second factor, and what owners decide about those of others."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import Field

from goldmark.accounts.proofs import NothingToProveWith
from goldmark.accounts.second_factor import AppKey, FactorState, ResetYourOwn, RuleName, reset
from goldmark.accounts.service import Account
from goldmark.web.api import shapes
from goldmark.web.api.calls import Calls
from goldmark.web.api.inputs import In, Out, ReasonIn
from goldmark.web.api.server.accounts import AccountOut, Nothing
from goldmark.web.sign_in import CallsAsAnyone, CallsAsOwner, CallsAsProvenOwner, address_of, is_proven
from goldmark.web.visits import Visit

router = Calls("/api/v1", "accounts")

Code = Annotated[str, Field(min_length=1, max_length=100, description="Six digits of the app, or a recovery code.")]


class SecondFactorState(Out):
    since: datetime | None = Field(description="Null: there is none.")
    recovery_codes_left: int
    required: bool = Field(description="An owner decided that your role needs one.")


class BeginSecondFactor(In):
    password: str = Field(default="", max_length=1_000, description="Your own; empty if you never chose one.")


class AppKeyOut(Out):
    secret: str = Field(description="To type into an authenticator app; shown while it is set up.")
    address: str = Field(description="otpauth://..., what a QR code tells the app.")


class CodeIn(In):
    code: Code


class RecoveryCodes(Out):
    recovery_codes: list[str] = Field(description="Each signs in once without the app. Only their hashes are kept.")


class SecondFactorRule(In):
    lowest_role: RuleName | None = Field(description="Who has this role or a higher one needs it; null: nobody.")


def where(visit: Visit) -> str:
    """How an app names this server among others. No port: a colon ends the name there."""
    return urlsplit(visit.base).hostname or ""


@router.get("/me/second-factor", response_model=SecondFactorState)
def second_factor(visit: CallsAsAnyone) -> FactorState:
    """Whether you have a second factor, and how many recovery codes are left."""
    return visit.services.second_factors.state(visit.account)


@router.post("/me/second-factor", response_model=AppKeyOut)
def begin_second_factor(visit: CallsAsAnyone, body: BeginSecondFactor) -> AppKey:
    """A new key for an authenticator app. It counts when a first code of it was confirmed, within 15 minutes."""
    address, services = address_of(visit.request), visit.services
    if not is_proven(visit) and not services.accounts.has_password(visit.account.id):
        raise NothingToProveWith  # or whoever finds a browser that was left open could prove everything from then on
    return services.second_factors.begin(visit.account, body.password, address=address, where=where(visit))


@router.post("/me/second-factor/confirm")
def confirm_second_factor(visit: CallsAsAnyone, body: CodeIn) -> RecoveryCodes:
    """The first code. Every browser has to sign in again, with a code; API tokens go on working."""
    return RecoveryCodes(recovery_codes=visit.services.second_factors.confirm(visit.account, body.code))


@router.post("/me/second-factor/recovery-codes")
def renew_recovery_codes(visit: CallsAsAnyone, body: CodeIn) -> RecoveryCodes:
    """New recovery codes; the old ones end."""
    codes = visit.services.second_factors.renew_recovery_codes(
        visit.account, body.code, address=address_of(visit.request)
    )
    return RecoveryCodes(recovery_codes=codes)


@router.post("/me/second-factor/off")
def end_second_factor(visit: CallsAsAnyone, body: CodeIn) -> Nothing:
    """Turn it off, for instance to set up another app."""
    visit.services.second_factors.turn_off(visit.account, body.code, address=address_of(visit.request))
    return Nothing()


@router.get("/accounts/second-factor")
def second_factor_rule(visit: CallsAsOwner) -> SecondFactorRule:
    """Who needs a second factor."""
    return SecondFactorRule(lowest_role=visit.services.second_factors.rule())


@router.put("/accounts/second-factor")
def require_second_factor(visit: CallsAsProvenOwner, body: SecondFactorRule) -> SecondFactorRule:
    """Decide who needs one. In browsers they are asked to set it up before anything else; API tokens go on working."""
    visit.services.second_factors.set_rule(body.lowest_role, author=visit.name)
    return body


@router.post("/accounts/{account_id}/second-factor/reset", response_model=AccountOut)
def reset_second_factor(visit: CallsAsProvenOwner, account_id: shapes.RowId, body: ReasonIn) -> Account:
    """For someone who lost their app and their recovery codes. They are signed out everywhere."""
    if account_id == visit.account.id:
        raise ResetYourOwn
    name = visit.services.accounts.get(account_id).name
    return reset(visit.store, name, author=visit.name, reason=body.reason)
