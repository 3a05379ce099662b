"""The page between a form and what it asks for, when somebody signed in too long ago for that: is it still you?

Everything that was typed goes along in hidden fields, to the address to which it was sent, so that one step does it.
"""

from __future__ import annotations

from fastapi.responses import Response

from goldmark.web.pages.frame import NOT_FAILED, failed, page
from goldmark.web.sign_in import PROOF, AskedAgain

# What a form asks for, by the pattern of its address, and the page on which it stands.
ACTS = {
    "/accounts": ("Make an account", "/accounts"),
    "/accounts/{account_id}": ("Change an account", "/accounts"),
    "/accounts/{account_id}/link": ("Make a link that opens an account", "/accounts"),
    "/accounts/{account_id}/second-factor/reset": ("Take away an account's second factor", "/accounts"),
    "/accounts/second-factor": ("Decide who needs a second factor", "/accounts"),
    "/account/tokens": ("Make an API token", "/account"),
    "/campaigns/{name}/participants/erase": ("Erase ids for good", "/campaigns/{name}/participants"),
    "/campaigns/{name}/crowd/publish": ("Publish, which spends money", "/campaigns/{name}/crowd"),
    "/campaigns/{name}/crowd/places": ("Offer more places, which spends money", "/campaigns/{name}/crowd"),
    "/campaigns/{name}/crowd/bonus": ("Pay bonuses", "/campaigns/{name}/crowd"),
}

OWN = (PROOF, "csrf", "username")  # fields of this page; the last is for password managers


def confirm_page(asked: AskedAgain) -> Response:
    visit, request = asked.visit, asked.visit.request
    what, back = ACTS[request.scope["route"].path]
    own = [(key, value) for key, value in visit.form.multi_items() if key not in OWN]
    return page(
        visit,
        "confirm.html",
        wrong=failed("confirm", asked.wrong) if asked.wrong else NOT_FAILED,
        what=what,
        back=back.format(**request.path_params),
        proof=PROOF,
        sent=[(key, value) for key, value in own if isinstance(value, str)],
        has_password=visit.services.accounts.has_password(visit.account.id),
    )
