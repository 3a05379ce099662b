"""Accounts for owners, and one's own account for everybody."""

from __future__ import annotations

from datetime import UTC, datetime

from fastapi.responses import Response

from goldmark.accounts.notices.account_events import REMINDED, mail_address
from goldmark.accounts.passwords import SHORTEST_PASSWORD
from goldmark.accounts.roles import Role
from goldmark.store import events
from goldmark.web.api.server import accounts as calls
from goldmark.web.api.shapes import RowId
from goldmark.web.pages.forms import checked, filled, posts, refusable
from goldmark.web.pages.frame import NOT_FAILED, FailedForm, go, page
from goldmark.web.pages.router import Pages
from goldmark.web.sign_in import (
    SESSION,
    ReadsAsAnyone,
    ReadsAsOwner,
    SendsAsAnyone,
    SendsAsProvenAnyone,
    SendsAsProvenOwner,
    kept_in,
)
from goldmark.web.visits import Visit

router = Pages()

MOST_EVENTS = 50


def accounts_page(
    visit: Visit, *, account_id: int = 0, wrong: FailedForm = NOT_FAILED, link_for: str = "", link: str = ""
) -> Response:
    return page(
        visit,
        "accounts.html",
        wrong=wrong,
        accounts=visit.services.accounts.accounts(),
        roles=[one.title for one in reversed(Role)],
        link_for=link_for,
        link=link,
        rule=visit.services.second_factors.rule(),
        given=wrong.fields("create", {"name": "", "role": "curator"}),
        decisions=visit.read(lambda connection: events.history(connection, None, most=MOST_EVENTS)),
    )


def _own_page(visit: Visit, *, wrong: FailedForm = NOT_FAILED, secret: str = "") -> Response:
    tokens, now = visit.services.accounts.tokens(visit.account.id), datetime.now(UTC)
    return page(
        visit,
        "account.html",
        wrong=wrong,
        secret=secret,
        tokens=tokens,
        ending={one.id for one in tokens if one.expires_at and now < one.expires_at < now + REMINDED},
        factor=visit.services.second_factors.state(visit.account),
        sessions=calls.list_sessions(visit).sessions,
        shortest=SHORTEST_PASSWORD,
        mailed=visit.read(lambda connection: mail_address(connection, visit.name)),
        happened=visit.read(lambda connection: events.about_account(connection, visit.name)),
    )


posts(
    router,
    "/accounts/{account_id}",
    calls.change_account,
    to="/accounts",
    done="account-changed",
    again=accounts_page,
    form="account-{account_id}",
)


@router.get("/accounts")
def accounts(visit: ReadsAsOwner) -> Response:
    return accounts_page(visit)


@router.get("/accounts/activity")
def activity(visit: ReadsAsOwner) -> Response:
    """Who signed in from where, and all else that happened to the server."""
    return page(visit, "accounts_activity.html", decisions=calls.activity(visit).events, most=calls.MOST_EVENTS)


@router.post("/accounts")
@refusable("create", accounts_page)
def create(visit: SendsAsProvenOwner) -> Response:
    """A new account and the link with which its person enters; the link is shown this once."""
    made = calls.create_account(visit, filled(calls.AccountIn, visit.given))
    return accounts_page(visit, link_for=made.name, link=made.link)


@router.post("/accounts/{account_id}/link")
def one_time_link(visit: SendsAsProvenOwner, account_id: RowId) -> Response:
    account = visit.services.accounts.get(account_id)
    return accounts_page(visit, link_for=account.name, link=calls.entry_link(visit, account))


@router.get("/account")
def own(visit: ReadsAsAnyone) -> Response:
    return _own_page(visit)


@router.post("/account/password")
@refusable("password", _own_page)
def change_password(visit: SendsAsAnyone) -> Response:
    """This browser stays signed in, as long as it was; all others have to sign in again. A password is taken with its
    spaces."""
    asked = checked(calls.PasswordIn, {key: visit.given.get(key, "") for key in ("current", "new")})
    calls.new_password(visit, asked, but=kept_in(visit.request, visit.services, SESSION))
    return go("/account", "password")


@router.post("/account/sign-out")
def sign_out_everywhere(visit: SendsAsAnyone) -> Response:
    """This browser stays signed in, as long as it was: a new session, here and after a new password, would count as a
    proof that it is they."""
    here = kept_in(visit.request, visit.services, SESSION)
    visit.services.accounts.sign_out_everywhere(visit.account.id, but=here)
    return go("/account", "signed-out")


@router.post("/account/tokens")
@refusable("token", _own_page)
def create_token(visit: SendsAsProvenAnyone) -> Response:
    """The secret is on the page that answers, and on no other."""
    made = calls.create_token(visit, filled(calls.TokenIn, {"name": "unnamed", **visit.given}))
    return _own_page(visit, secret=made.secret)


posts(router, "/account/tokens/{token_id}/revoke", calls.revoke_token, to="/account", done="revoked")
posts(router, "/account/sessions/{session_id}/end", calls.end_session, to="/account", done="session-ended")
