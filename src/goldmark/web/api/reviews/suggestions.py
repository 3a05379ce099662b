"""Suggestions on a campaign's texts: which there are, giving and taking them away, and what annotators made of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import File, UploadFile
from fastapi.responses import FileResponse
from pydantic import Field

from goldmark.campaigns.definition.uploads import Uploaded, import_upload, unpacked
from goldmark.campaigns.suggestion_changes import (
    SuggestionsChanged,
    give_suggestions,
    take_suggestions,
)
from goldmark.web.api.calls import Calls
from goldmark.web.api.figures import Tables, tables_of
from goldmark.web.api.inputs import CampaignName, FormWords, Out, ReasonIn
from goldmark.web.computing import computed
from goldmark.web.files import new_file, sent
from goldmark.web.sign_in import CallsAsCurator, CallsAsManager
from goldmark.web.visits import Visit, received

router = Calls("/api/v1/campaigns/{name}/suggestions", "campaigns")

LIST = "suggestions.csv"


class SuggestionsOut(Out):
    texts: int = Field(description="Texts that have them now, or no longer.")
    marks: int
    left: list[str] = Field(description="Texts that stay as they were, because somebody was shown them.")


@router.get("", response_model=Tables)
def figures(visit: CallsAsCurator, name: CampaignName) -> dict[str, Any]:
    """What became of suggestions, and time and quality of answers with and without them."""
    return tables_of(visit.services.computing.of(name, computed.suggestions))


@router.get("/list", response_class=FileResponse, responses={200: {"content": {"text/csv": {}}}})
def listed(visit: CallsAsManager, name: CampaignName) -> FileResponse:
    """The suggestions as they stand, as a mistake list (CSV)."""
    with new_file() as path:
        visit.services.computing.apart(name, computed.suggestion_list, path)
    return sent(path, LIST, "text/csv")


@router.post("/upload", status_code=201, response_model=SuggestionsOut)
def give(
    visit: CallsAsManager,
    name: CampaignName,
    file: Annotated[UploadFile, File(description="A mistake list (CSV), as a checker writes it.")],
    reason: FormWords = "",
) -> SuggestionsChanged:
    """Put a list's marks as suggestions on the texts that it is about; one that somebody was shown stays as it was."""
    return given(visit, name, received([file]), reason=reason)


def given(visit: Visit, name: str, files: Sequence[Uploaded], *, reason: str) -> SuggestionsChanged:
    with unpacked(files, "suggestions") as path:
        how = {"author": visit.name, "reason": reason.strip()}
        return import_upload(visit.store, visit.content, give_suggestions, name, path, **how)


@router.post("/take-away", response_model=SuggestionsOut)
def take_away(visit: CallsAsManager, name: CampaignName, body: ReasonIn) -> SuggestionsChanged:
    """Take all suggestions off the texts that nobody was shown; the others stay as they were."""
    return take_suggestions(visit.store, name, author=visit.name, reason=body.reason)
