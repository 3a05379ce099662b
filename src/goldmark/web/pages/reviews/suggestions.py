"""A checker's suggestions: giving them to a campaign's texts, and what annotators made of them, in figures."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from fastapi.responses import Response

from goldmark.campaigns.suggestion_changes import changes_of, example_list
from goldmark.web.api.reviews import suggestions as calls
from goldmark.web.pages.forms import posts, refusable
from goldmark.web.pages.frame import NOT_FAILED, FailedForm, go, page, shown
from goldmark.web.pages.router import Pages
from goldmark.web.sign_in import ReadsAsCurator, ReadsAsManager, SendsAsManager
from goldmark.web.visits import Visit

router = Pages("/campaigns/{name}/suggestions")


def _page(visit: Visit, name: str, *, wrong: FailedForm = NOT_FAILED) -> Response:
    from goldmark.results.published.suggestions import NothingSuggested

    row, (example, changes) = visit.with_campaign(
        name,
        lambda connection, row: (
            example_list(connection, row, visit.content.protocol(row.protocol_id)),
            changes_of(connection, row),
        ),
    )
    found: dict[str, Any] = {"tables": [], "as_of": None}
    with suppress(NothingSuggested):
        found = calls.figures(visit, name)
    return page(
        visit,
        "suggestions.html",
        wrong=wrong,
        campaign=row,
        given=wrong.fields("give", {"reason": ""}),
        tables=shown(found["tables"]),
        as_of=found["as_of"],
        example=example,
        changes=changes,
    )


@router.get("")
def figures(visit: ReadsAsCurator, name: str) -> Response:
    return _page(visit, name)


@router.post("")
@refusable("give", _page)
def give(visit: SendsAsManager, name: str) -> Response:
    calls.given(visit, name, visit.uploads[:1], reason=visit.given.get("reason", ""))
    return go(f"/campaigns/{name}/suggestions", "suggestions")


@router.get("/suggestions.csv")
def listed(visit: ReadsAsManager, name: str) -> Response:
    return calls.listed(visit, name)


posts(
    router,
    "/take-away",
    calls.take_away,
    to="/campaigns/{name}/suggestions",
    done="suggestions",
    again=_page,
    form="take-away",
)
