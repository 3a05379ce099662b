"""Gold lists that were made elsewhere, taken into a campaign."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import File, Form, UploadFile
from pydantic import Field

from goldmark.campaigns.definition.uploads import Uploaded, import_upload, unpacked
from goldmark.curation.gold_lists.importer import Imported, import_gold
from goldmark.web.api.calls import Calls
from goldmark.web.api.inputs import CampaignName, FormQuestion, FormWords, Out
from goldmark.web.api.reviews.curation import ChangeOut
from goldmark.web.sign_in import CallsAsCurator
from goldmark.web.visits import Visit, received

router = Calls("/api/v1/campaigns/{name}/gold", "curation")

Lists = Annotated[
    list[UploadFile], File(description="A gold list as CSV, or as WebAnno TSV or UIMA CAS or a zip of it.")
]
FormatName = Annotated[
    str,
    Form(max_length=64, pattern=r"^[a-z0-9-]*$", description="How it is written; if empty, as the files' names tell."),
]
Whole = Annotated[bool, Form(description="Whether texts without a row have no mistake; if not, they stay as they are.")]


class ImportedText(Out):
    """One text's new version, and how it differs from the automatic proposal."""

    unit_id: int
    unit: str
    version: int
    mistakes: int
    changes: list[ChangeOut]
    already_there: bool = Field(description="By the same import before this one; the text has no new version.")


class ImportOut(Out):
    units: list[ImportedText]


@router.post("/upload", status_code=201, response_model=ImportOut)
def bring_in(
    visit: CallsAsCurator,
    name: CampaignName,
    files: Lists,
    reason: FormWords = "",
    whole: Whole = False,
    question: FormQuestion = "",
    format: FormatName = "",  # noqa: A002
) -> dict[str, Any]:
    """Take in a gold list, as a new version of every text that it is about, or nothing if any of it is refused.

    A long list comes in pieces, text by text. If that breaks off, the same file again brings the rest.
    """
    found = import_files(
        visit, name, received(files), reason=reason, whole=whole, question=question, format_name=format
    )
    return {"units": found}


def import_files(
    visit: Visit,
    name: str,
    files: Sequence[Uploaded],
    *,
    reason: str,
    whole: bool,
    question: str,
    format_name: str,
) -> list[Imported]:
    with unpacked(files, "a gold list") as path:
        return import_upload(
            visit.store,
            visit.content,
            import_gold,
            name,
            path,
            format_name=format_name or None,
            question=question or None,
            whole=whole,
            author=visit.name,
            reason=reason.strip(),
        )
