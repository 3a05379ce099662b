"""A campaign as a dataset: built on request, and what it would be before it is."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Query
from fastapi.responses import FileResponse

from goldmark.datasets.of_campaign import Choose, DatasetRequest
from goldmark.web.api.calls import Calls
from goldmark.web.api.figures import AsOf, TableOut
from goldmark.web.api.inputs import CampaignName, Out
from goldmark.web.computing import computed
from goldmark.web.files import new_file, sent
from goldmark.web.sign_in import CallsAsManager

router = Calls("/api/v1/campaigns/{name}/dataset", "campaigns")


def wanted(
    choose: Annotated[Choose, Query(description="Which answer counts where several people read a text.")] = "auto",
    seed: Annotated[int, Query(ge=0, le=2**31, description="Of the split and the pseudonyms.")] = 17,
    split: Annotated[str, Query(max_length=20, description="Shares of train, dev and test.")] = "8:1:1",
    licence: Annotated[str, Query(max_length=40, description="Its SPDX name, such as CC-BY-4.0; none if empty.")] = "",
    question: Annotated[str, Query(max_length=64, description="Whose spans, if several questions have some.")] = "",
) -> DatasetRequest:
    return DatasetRequest(choose, seed, split, licence, question)


WantedDep = Annotated[DatasetRequest, Depends(wanted)]


class DatasetFacts(Out):
    """What `dataset.json` would say, and the tables of the data card."""

    dataset: dict[str, Any]
    tables: list[TableOut]
    as_of: AsOf


@router.get(
    "",
    response_class=FileResponse,
    responses={200: {"description": "A zip archive with the dataset.", "content": {"application/zip": {}}}},
)
def build(visit: CallsAsManager, name: CampaignName, asked: WantedDep) -> FileResponse:
    """Build the campaign's dataset: three splits as JSONL and Parquet, statistics, data card, licence, checksums."""
    with new_file(".zip") as path:
        visit.services.computing.apart(name, computed.dataset, asked, path)
    visit.note_file(name, format="dataset", pseudonyms="yes")
    return sent(path, f"{name}-dataset.zip", "application/zip")


@router.get("/facts", response_model=DatasetFacts)
def facts(visit: CallsAsManager, name: CampaignName, asked: WantedDep) -> dict[str, Any]:
    """What the dataset would be: its size, what is left out and why, its tasks and its statistics."""
    made = visit.services.computing.of(name, computed.dataset_facts, asked)
    found, tables = made.found
    return {"dataset": found, "tables": tables, "as_of": made.as_of}
