"""Gold lists that were made elsewhere, taken into a campaign."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, File, Form, UploadFile

from goldmark.campaigns.uploads import unpacked
from goldmark.curation.importing import Imported, import_gold
from goldmark.web.api import shapes
from goldmark.web.api.campaigns import received
from goldmark.web.api.curation import ChangeOut, change_out
from goldmark.web.api.inputs import CampaignName, FormQuestion, FormWords, Out
from goldmark.web.services import Services, ServicesDep
from goldmark.web.signing_in import CallsAsCurator

router = APIRouter(prefix="/api/v1/campaigns/{name}/gold", tags=["curation"], responses=shapes.FAILURES)

Lists = Annotated[list[UploadFile], File(description="A gold list as CSV, or WebAnno TSV files or a zip of them.")]
Whole = Annotated[bool, Form(description="Whether texts without a row have no mistake; if not, they stay as they are.")]


class ImportedOut(Out):
    """One text's new version, and how it differs from the automatic proposal."""

    unit_id: int
    unit: str
    version: int
    mistakes: int
    changes: list[ChangeOut]


class ImportOut(Out):
    units: list[ImportedOut]


@router.post("/upload", status_code=201)
def bring_in(
    name: CampaignName,
    files: Lists,
    who: CallsAsCurator,
    services: ServicesDep,
    reason: FormWords = "",
    whole: Whole = False,
    question: FormQuestion = "",
) -> ImportOut:
    """Take in a gold list, as a new version of every text that it is about; all of it or nothing."""
    found = import_files(services, name, files, who.name, reason=reason, whole=whole, question=question)
    return ImportOut(
        units=[
            ImportedOut(
                unit_id=one.unit_id,
                unit=one.unit,
                version=one.version,
                mistakes=one.mistakes,
                changes=[change_out(change) for change in one.changes],
            )
            for one in found
        ]
    )


def import_files(
    services: Services, name: str, files: list[UploadFile], author: str, *, reason: str, whole: bool, question: str
) -> list[Imported]:
    with unpacked(received(files), "a gold list") as path:
        return import_gold(
            services.store,
            services.library,
            name,
            path,
            question=question or None,
            whole=whole,
            author=author,
            reason=reason.strip(),
        )
