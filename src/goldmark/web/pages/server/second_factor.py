"""One's own second factor on a page: set it up with a QR code, see recovery codes once, turn it off."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace

from fastapi.responses import Response
from markupsafe import Markup

from goldmark.accounts.second_factor import AppKey
from goldmark.web.api.server import second_factor as calls
from goldmark.web.pages.forms import checked, filled, posts, refusable
from goldmark.web.pages.frame import NOT_FAILED, FailedForm, go, page
from goldmark.web.pages.router import Pages
from goldmark.web.pages.server.accounts import accounts_page
from goldmark.web.sign_in import SET_UP, ReadsAsAnyone, SendsAsAnyone, SendsAsProvenOwner, form_token, keep_session
from goldmark.web.visits import Visit

router = Pages()


def _page(
    visit: Visit,
    *,
    wrong: FailedForm = NOT_FAILED,
    codes: Sequence[str] = (),
    key: AppKey | None = None,
) -> Response:
    factors = visit.services.second_factors
    if wrong.form == "confirm":  # the key is shown to whoever gave the password, until the first code
        key = factors.begun(visit.account, where=calls.where(visit))
    return page(
        visit,
        "second_factor.html",
        wrong=wrong,
        codes=codes,
        key=key,
        drawn=drawn(key.address) if key else "",
        state=factors.state(visit.account),
        has_password=visit.services.accounts.has_password(visit.account.id),
    )


def drawn(address: str) -> Markup:
    """A QR code as SVG, dark on light in both themes: cameras do not read it the other way round."""
    import segno

    out = io.BytesIO()
    code = segno.make(address, micro=False, error="m")
    code.save(out, kind="svg", xmldecl=False, omitsize=True, border=4, light="#fff", svgclass="qr", lineclass=None)
    return Markup(out.getvalue().decode())  # noqa: S704 - squares, no text of anybody is in it


@router.get(SET_UP)
def second_factor(visit: ReadsAsAnyone) -> Response:
    return _page(visit)


@router.post(SET_UP)
@refusable("begin", _page)
def begin(visit: SendsAsAnyone) -> Response:
    """A password is taken with its spaces."""
    body = checked(calls.BeginSecondFactor, {"password": visit.given.get("password", "")})
    return _page(visit, key=calls.begin_second_factor(visit, body))


@router.post(f"{SET_UP}/confirm")
@refusable("confirm", _page)
def confirm(visit: SendsAsAnyone) -> Response:
    """This browser stays signed in; all others sign in again. The recovery codes are on this page and on no other."""
    codes = calls.confirm_second_factor(visit, filled(calls.CodeIn, visit.given)).recovery_codes
    session = visit.services.accounts.session_for(visit.account.id)
    return keep_session(_page(replace(visit, csrf=form_token(session)), codes=codes), visit, session)


@router.post(f"{SET_UP}/recovery-codes")
@refusable("renew", _page)
def renew(visit: SendsAsAnyone) -> Response:
    return _page(visit, codes=calls.renew_recovery_codes(visit, filled(calls.CodeIn, visit.given)).recovery_codes)


posts(router, f"{SET_UP}/off", calls.end_second_factor, to="/account", done="factor-off", again=_page, form="off")


@router.post("/accounts/second-factor")
@refusable("rule", accounts_page)
def decide(visit: SendsAsProvenOwner) -> Response:
    calls.require_second_factor(visit, filled(calls.SecondFactorRule, visit.given))
    return go("/accounts", "factor-rule")


posts(
    router,
    "/accounts/{account_id}/second-factor/reset",
    calls.reset_second_factor,
    to="/accounts",
    done="factor-reset",
    again=accounts_page,
    form="account-{account_id}",
)
