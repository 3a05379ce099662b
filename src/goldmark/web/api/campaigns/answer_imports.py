"""Answers that were made elsewhere, taken into a campaign that has its units."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Annotated, Any, Literal, NamedTuple

from fastapi import Depends, File, Form, UploadFile

from goldmark.campaigns.definition.uploads import import_upload, unpacked
from goldmark.campaigns.transfer.import_answers import ImportedAnswers
from goldmark.exchange.responses.renamed import renamed
from goldmark.quality.test_questions import import_graded
from goldmark.web.api.calls import Calls
from goldmark.web.api.inputs import CampaignName, FormQuestion, FormWords, Out
from goldmark.web.sign_in import CallsAsManager
from goldmark.web.visits import received

router = Calls("/api/v1/campaigns/{name}/answers", "campaigns")

Files = Annotated[list[UploadFile], File(description="The answers: a file, or the files of a format that has several.")]
SeenFiles = Annotated[
    list[UploadFile], File(description="A table of who saw which unit, also where they marked nothing.")
]
FormatName = Annotated[str, Form(max_length=64, pattern=r"^[a-z0-9-]+$", description="tidy: CSV or JSON lines.")]
MappedQuestions = Annotated[
    list[FormWords], Form(description="What a question or attribute of the file is called here: THEIRS=OURS.")
]
MappedLabels = Annotated[list[FormWords], Form(description="What a label of the file is called here: THEIRS=OURS.")]
TextField = Annotated[FormWords, Form(description="The field that holds the text, where a format has any.")]
Names = Annotated[FormWords, Form(description="Columns and attributes to ignore, with commas.")]
Positions = Annotated[Literal["", "tokens", "characters"], Form(description="What positions count in a tidy file.")]
AnnotatorKind = Annotated[
    Literal["", "person", "model", "checker"], Form(description="Who answered, where the file does not say.")
]
KeepIncomplete = Annotated[bool, Form(description="Whether to keep answers that lack something.")]
Replace = Annotated[bool, Form(description="Whether answers that differ follow those that are there, as revisions.")]


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
    seen: SeenFiles = [],  # noqa: B006 (FastAPI makes a new one for every request)
    format: FormatName = "tidy",  # noqa: A002
    question: FormQuestion = "",
    questions: MappedQuestions = [],  # noqa: B006
    labels: MappedLabels = [],  # noqa: B006
    text: TextField = "",
    leave_out: Names = "",
    positions: Positions = "",
    keep_incomplete: KeepIncomplete = False,
    replace: Replace = False,
    kind: AnnotatorKind = "",
    reason: FormWords = "",
) -> Upload:
    options = {
        "format_name": format,
        "question": question or None,
        "names": renamed(filter(None, questions), filter(None, labels)),
        "text": text.strip() or None,
        "leave_out": [one.strip() for one in leave_out.split(",") if one.strip()],
        "counted": positions.removesuffix("s") or None,
        "keep_incomplete": keep_incomplete,
        "replace_others": replace,
        "kind": kind,
        "reason": reason.strip(),
    }
    return Upload(files, seen, options)


UploadDep = Annotated[Upload, Depends(uploaded)]


@router.post("/upload", status_code=201, response_model=ImportedOut)
def bring_in(visit: CallsAsManager, name: CampaignName, upload: UploadDep) -> ImportedAnswers:
    """Bring in answers that were made elsewhere; all of them or, if anything is wrong, none."""
    seen = received(upload.seen)
    with unpacked(received(upload.files), "answers") as path, ExitStack() as folder:
        table = folder.enter_context(unpacked(seen, "who saw what")) if seen else None
        options = {"seen": table, "author": visit.name, **upload.options}
        return import_upload(visit.store, visit.content, import_graded, name, path, **options)
