"""What the API replies with, for its OpenAPI description."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import Path
from pydantic import BaseModel, ConfigDict, Field

RowId = Annotated[int, Path(ge=1, le=2**53)]
ShownFirst = Annotated[
    str | None, Field(description="Of a comparison: the role of the text that was shown first; null: as given.")
]


class Reply(BaseModel):
    model_config = ConfigDict(defer_build=True)  # described, never run: most servers are not asked for the description


class ProblemOut(Reply):
    where: str
    part: str
    what: str
    remedy: str


class Failure(Reply):
    """Every error has this shape."""

    ok: Literal[False]
    code: str
    message: str
    problems: list[ProblemOut] | None = None
    draft: dict[str, Any] | None = None
    steps: list[dict[str, Any]] | None = None  # of other curators, which came first
    names: dict[str, dict[str, str]] | None = None  # of a file, with what they probably mean here


# Any call can meet these: no or wrong credentials, nothing there, a conflict, a wrong request, too many tries.
FAILURES: dict[int | str, dict[str, Any]] = {
    status: {"model": Failure} for status in (400, 401, 403, 404, 409, 413, 415, 422, 429)
}


class Joined(Reply):
    token: str


class Progress(Reply):
    done: int
    batch_size: int | None
    batch_done: int
    left_in_batch: int | None
    seconds_active: float


class Draft(Reply):
    answers: dict[str, Any]
    saved_at: datetime
    version: int
    seconds_active: float


class Remark(Reply):
    """A reviewer's remark on one question (`where`), a span of it (`part`: e1) or a part of that (e1.correction)."""

    where: str
    part: str
    comment: str


class Returned(Reply):
    """A reviewer gave the answer back to be amended, and why."""

    comment: str
    remarks: list[Remark]
    decided: bool = Field(
        description="You gave a reason and somebody else agreed with the reviewer: now the answer has to be amended."
    )


class Assignment(Reply):
    id: int
    state: Literal["active", "lapsed", "returned", "done"]
    lease_until: datetime
    unit: dict[str, Any]
    answers: dict[str, Any] | None
    revision: int
    draft: Draft | None
    locked: bool
    returned: Returned | None


class Finished(Reply):
    why: Literal[
        "batch", "all", "waiting", "paused", "excluded", "closed", "draft", "learn", "qualify", "awaiting", "failed"
    ]
    code: str | None
    another: bool


class NoticeOut(Reply):
    """Something you are told about your work."""

    id: int
    kind: Literal["warning", "pause", "exclusion"]
    message: str
    at: datetime


class PlaceKept(Reply):
    kept_until: datetime


class NoticeRead(Reply):
    id: int
    read: bool


class Next(Reply):
    assignment: Assignment | None
    progress: Progress
    finished: Finished | None
    notices: list[NoticeOut]


class CampaignSeen(Reply):
    title: str
    state: str
    consent_html: str | None
    editing: bool
    units: int


class AnnotatorSeen(Reply):
    name: str
    state: str
    consented: bool


class Work(Reply):
    campaign: CampaignSeen
    annotator: AnnotatorSeen
    progress: Progress
    training: bool  # whether there is a training, which can be repeated
    protocol: dict[str, Any]


class DraftSaved(Reply):
    version: int
    saved_at: datetime


class Accepted(Reply):
    assignment: int
    revision: int


class Submitted(Reply):
    accepted: Accepted
    next: Next


class EarlierAssignment(Reply):
    id: int
    state: str
    revision: int
    finished_at: datetime | None
    preview: str


class Earlier(Reply):
    assignments: list[EarlierAssignment]
