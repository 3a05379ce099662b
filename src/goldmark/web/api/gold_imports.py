"""Gold lists that were made elsewhere, taken into a campaign."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, File, Form, UploadFile

from goldmark.campaigns.uploads import unpacked
from goldmark.curation.importing import Imported, import_gold
from goldmark.errors import GoldmarkError
from goldmark.web.api import shapes
from goldmark.web.api.curation import ChangeOut, change_out
from goldmark.web.api.inputs import CampaignName, Out
from goldmark.web.services import Services, ServicesDep
from goldmark.web.signing_in import CallsAsCurator
from goldmark.web.visits import received

router = APIRouter(prefix="/api/v1/campaigns/{name}/gold", tags=["curation"], responses=shapes.FAILURES)

Lists = Annotated[list[UploadFile], File(description="A gold list as CSV, or WebAnno TSV files or a zip of them.")]
Reason = Annotated[str, Form(max_length=2_000, pattern=r"^[^\x00]*$")]
Whole = Annotated[bool, Form(description="Whether texts without a row have no mistake; if not, they stay as they are.")]
QuestionId = Annotated[str, Form(max_length=64, pattern=r"^[a-z0-9_]*$")]


class NoGoldList(GoldmarkError):
    code = "UPLOAD-04"
    message = "no gold list was given; choose a CSV file, or WebAnno TSV files or a zip of them"


class ImportedText(Out):
    """One text's new version, and how it differs from the automatic proposal."""

    unit_id: int
    unit: str
    version: int
    mistakes: int
    changes: list[ChangeOut]


class ImportOut(Out):
    units: list[ImportedText]


@router.post("/upload", status_code=201)
def bring_in(
    name: CampaignName,
    files: Lists,
    who: CallsAsCurator,
    services: ServicesDep,
    reason: Reason = "",
    whole: Whole = False,
    question: QuestionId = "",
) -> ImportOut:
    """Take in a gold list, as a new version of every text that it is about; all of it or nothing."""
    found = import_files(services, name, files, who.name, reason=reason, whole=whole, question=question)
    return ImportOut(
        units=[
            ImportedText(
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
    services: Services, name: str, files: Sequence[Any], author: str, *, reason: str, whole: bool, question: str
) -> list[Imported]:
    given = received(files)
    if not given:
        raise NoGoldList
    with unpacked(given) as path:
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
