"""Answers that were made elsewhere, taken into a campaign that has its units."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Annotated, Any, Literal, NamedTuple

from fastapi import APIRouter, Depends, File, Form, UploadFile

from goldmark.campaigns.import_answers import ImportedAnswers, import_answers
from goldmark.campaigns.uploads import unpacked
from goldmark.errors import GoldmarkError
from goldmark.quality.test_questions import grade_again
from goldmark.web.api import shapes
from goldmark.web.api.inputs import CampaignName, Out
from goldmark.web.services import Services, ServicesDep
from goldmark.web.signing_in import CallsAsManager
from goldmark.web.visits import received

router = APIRouter(prefix="/api/v1/campaigns/{name}/answers", tags=["campaigns"], responses=shapes.FAILURES)

Files = Annotated[list[UploadFile], File(description="The answers: a file, or the files of a format that has several.")]
Seen = Annotated[list[UploadFile], File(description="A table of who saw which unit, also where they marked nothing.")]
FormatName = Annotated[str, Form(max_length=64, pattern=r"^[a-z0-9-]+$", description="tidy: CSV or JSON lines.")]
QuestionId = Annotated[str, Form(max_length=64, pattern=r"^[a-z0-9_]*$")]
Names = Annotated[
    str, Form(max_length=2_000, pattern=r"^[^\x00]*$", description="Columns and attributes to ignore, with commas.")
]
Positions = Annotated[Literal["", "tokens", "characters"], Form(description="What positions count in a tidy file.")]
KeepIncomplete = Annotated[bool, Form(description="Whether to keep answers that lack something.")]
Replace = Annotated[bool, Form(description="Whether answers that differ follow those that are there, as revisions.")]
Reason = Annotated[str, Form(max_length=2_000, pattern=r"^[^\x00]*$")]


class NoAnswers(GoldmarkError):
    code = "UPLOAD-05"
    message = "no file with answers was given; choose one"


class ImportedOut(Out):
    """What became of a file."""

    answers: int
    replaced: int
    already_there: int
    incomplete: int
    widened: int
    units: int
    annotators: int
    new_annotators: tuple[str, ...]


class Upload(NamedTuple):
    """Files with answers, and how to read them; the same for programs and for the form of the page."""

    files: list[UploadFile]
    seen: list[UploadFile]
    options: dict[str, Any]


def uploaded(
    files: Files,
    seen: Seen = [],  # noqa: B006 (FastAPI makes a new one for every request)
    format: FormatName = "tidy",  # noqa: A002
    question: QuestionId = "",
    leave_out: Names = "",
    positions: Positions = "",
    keep_incomplete: KeepIncomplete = False,
    replace: Replace = False,
    reason: Reason = "",
) -> Upload:
    options = {
        "format_name": format,
        "question": question or None,
        "leave_out": [one.strip() for one in leave_out.split(",") if one.strip()],
        "counted": positions.removesuffix("s") or None,
        "keep_incomplete": keep_incomplete,
        "replace_others": replace,
        "reason": reason.strip(),
    }
    return Upload(files, seen, options)


UploadDep = Annotated[Upload, Depends(uploaded)]


@router.post("/upload", status_code=201)
def bring_in(name: CampaignName, upload: UploadDep, who: CallsAsManager, services: ServicesDep) -> ImportedOut:
    """Bring in answers that were made elsewhere; all of them or, if anything is wrong, none."""
    done = import_files(services, name, upload, who.name)._asdict()
    return ImportedOut(**{key: value for key, value in done.items() if key in ImportedOut.model_fields})


def import_files(services: Services, name: str, upload: Upload, author: str) -> ImportedAnswers:
    given, seen = received(upload.files), received(upload.seen)
    if not given:
        raise NoAnswers
    with ExitStack() as folders:
        path = folders.enter_context(unpacked(given))
        table = folders.enter_context(unpacked(seen)) if seen else None
        done = import_answers(services.store, services.library, name, path, seen=table, author=author, **upload.options)
    grade_again(services.store, services.library, name)
    return done
