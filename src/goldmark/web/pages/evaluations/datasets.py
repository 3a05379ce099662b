"""A campaign as a dataset: what it would be, and the archive."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from fastapi.responses import Response

from goldmark.campaigns.lifecycle import list_campaigns
from goldmark.datasets.of_campaign import LICENCES, why_not
from goldmark.errors import GoldmarkError
from goldmark.web.api.evaluations import datasets as calls
from goldmark.web.pages.frame import NOT_FAILED, failed, page, shown
from goldmark.web.pages.router import Pages
from goldmark.web.sign_in import ReadsAsCurator, ReadsAsManager

router = Pages()

Short = Annotated[str, Query(max_length=64)]


@router.get("/datasets")
def datasets(visit: ReadsAsCurator) -> Response:
    """The campaigns that can be released."""
    rows = [row for row in visit.read(list_campaigns)[::-1] if not why_not(visit.content.protocol(row.protocol_id))]
    return page(visit, "datasets.html", campaigns=[(row, visit.progress(row.name).found) for row in rows])


@router.get("/campaigns/{name}/dataset")
def dataset(visit: ReadsAsManager, name: str, asked: calls.WantedDep, show: Short = "", save: Short = "") -> Response:
    """The form; with `show` also what would be built, with `save` the archive itself."""
    from goldmark.datasets.release.selection import MEANING

    row = visit.campaign(name)
    missing = why_not(visit.content.protocol(row.protocol_id))
    wrong = NOT_FAILED
    found: dict[str, Any] = {"dataset": None, "tables": [], "as_of": None}
    if not missing and (show or save):
        try:
            if save:
                return calls.build(visit, name, asked)
            found = calls.facts(visit, name, asked)
        except GoldmarkError as error:
            wrong = failed("dataset", error)
    return page(
        visit,
        "dataset.html",
        wrong=wrong,
        campaign=row,
        why_not=missing,
        given=asked,
        rules=MEANING,
        licences=LICENCES,
        found=found["dataset"],
        as_of=found["as_of"],
        tables=shown(found["tables"]),
    )
