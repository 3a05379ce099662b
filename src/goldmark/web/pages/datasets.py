"""A campaign as a dataset: what it would be, and the archive."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.errors import GoldmarkError
from goldmark.records.tables import Table
from goldmark.reports.tables import reading
from goldmark.web.datasets import LICENCES, Choose, Wanted, dataset_facts, download_dataset
from goldmark.web.pages.frame import NOT_FAILED, failed, page
from goldmark.web.services import Services, ServicesDep
from goldmark.web.signing_in import ReadsAsManager

router = APIRouter(include_in_schema=False, prefix="/campaigns/{name}/dataset")

Seed = Annotated[int, Query(ge=0, le=2**31)]
Short = Annotated[str, Query(max_length=64)]


@router.get("")
def dataset(
    name: str,
    request: Request,
    who: ReadsAsManager,
    services: ServicesDep,
    choose: Choose = "auto",
    seed: Seed = 17,
    split: Short = "8:1:1",
    licence: Short = "",
    show: Short = "",
    save: Short = "",
) -> Response:
    """The form; with `show` also what would be built, with `save` the archive itself."""
    from goldmark.datasets.choosing import MEANING

    asked = Wanted(choose, seed, split, licence)
    row = services.store.read(lambda connection: find_campaign(connection, name))
    why_not = _why_not(services, row)
    wrong, found, tables = NOT_FAILED, None, list[Table]()
    if not why_not and (show or save):
        try:
            if save:
                return download_dataset(services.store, name, asked)
            found, tables = dataset_facts(services.store, name, asked)
        except GoldmarkError as error:
            wrong = failed("dataset", error)
    return page(
        request,
        "dataset.html",
        who,
        wrong=wrong,
        campaign=row,
        why_not=why_not,
        given=asked,
        rules=MEANING,
        licences=LICENCES,
        found=found,
        tables=[(table, reading(table)) for table in tables],
    )


def _why_not(services: Services, row: CampaignRow) -> str:
    from goldmark.datasets.forms import Form, NoSpans

    protocol: Any = services.library.protocol(row.protocol_id)
    try:
        Form.of(protocol)
    except NoSpans as error:
        return str(error)
    return ""
