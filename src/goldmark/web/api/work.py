"""The annotators' API: everything the work page does, an annotator program can do too.

The personal token goes into the header `Authorization: Bearer ...`. Submitting an answer returns the next unit, so
that a unit costs one round trip.
"""

from __future__ import annotations

import asyncio
from datetime import datetime
from functools import partial
from typing import Annotated, Any

import orjson
from fastapi import Depends, Response
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from goldmark.campaigns.assignments.replies import LONGEST_REPLY, ReturnReason
from goldmark.campaigns.assignments.responses import Submission
from goldmark.campaigns.assignments.work_service import (
    AssignedUnit,
    NextUnit,
    NoMoreWork,
    PersonProgress,
    SavedDraft,
    WorkingAnnotator,
)
from goldmark.campaigns.lifecycle import count_work
from goldmark.languages import gettext, speaking
from goldmark.people.annotators import campaign_of_invite, join
from goldmark.people.participants import Arrival
from goldmark.protocols.presentation import to_html
from goldmark.web.api import shapes
from goldmark.web.api.calls import Calls
from goldmark.web.services import Services, ServicesDep

router = Calls("/api/v1", "annotators")

ClientKey = Annotated[str, Field(min_length=8, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]
Seconds = Annotated[float, Field(ge=0, le=10_000_000, allow_inf_nan=False, strict=True)]


# In which the page was shown.
Language = Annotated[str, Field(max_length=35, pattern=r"^(?:[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*)?$")]


def _believed(at: datetime | None) -> datetime | None:
    """What a clock says that is wrong by centuries is left out: no answer is refused for it."""
    return at if at is not None and 1970 <= at.year < 2200 else None


class AnnotatorIn(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ParticipantIn(AnnotatorIn):
    """Who this is on the platform that sends them. Kept apart from every answer."""

    platform: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,29}$")] = "link"
    id: Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f]+$")]


class JoinIn(AnnotatorIn):
    invite: str = Field(max_length=500)
    name: str = Field(default="", max_length=200)
    participant: ParticipantIn | None = None


class DraftIn(AnnotatorIn):
    answers: dict[str, Any]
    version: int = Field(ge=0, le=2**31 - 1, strict=True)
    seconds_active: Seconds = 0.0


class ResponseIn(AnnotatorIn):
    answers: dict[str, Any]
    client_key: ClientKey
    client_time: Annotated[datetime | None, AfterValidator(_believed)] = None
    seconds_active: Seconds = 0.0
    reply: Annotated[str, Field(max_length=LONGEST_REPLY, pattern=r"^[^\x00]*$")] = Field(
        default="", description="To a reviewer who returned the answer: why some of it stays as it is."
    )
    language: Language = ""


_personal = HTTPBearer(auto_error=False, scheme_name="annotator", description="An annotator's personal token.")


async def bearer(given: Annotated[HTTPAuthorizationCredentials | None, Depends(_personal)]) -> str:
    if given is None or not given.credentials:
        raise HTTPException(401, "send your token in the header 'Authorization: Bearer ...'")
    return given.credentials.strip()


TokenDep = Annotated[str, Depends(bearer)]


def reply(data: Any) -> Response:
    """JSON bytes as they are; the models in `shapes` document them without being run on every answer."""
    return Response(orjson.dumps(data), media_type="application/json")


def progress_json(progress: PersonProgress) -> dict[str, Any]:
    return {
        "done": progress.done,
        "batch_size": progress.batch_size,
        "batch_done": progress.batch_done,
        "left_in_batch": progress.left_in_batch,
        "seconds_active": progress.seconds_active,
    }


def draft_json(draft: SavedDraft | None) -> dict[str, Any] | None:
    if draft is None:
        return None
    return {
        "answers": draft.answers,
        "saved_at": draft.saved_at,
        "version": draft.version,
        "seconds_active": draft.seconds_active,
    }


def returned_json(returned: ReturnReason | None) -> dict[str, Any] | None:
    if returned is None:
        return None
    return {"comment": returned.comment, "remarks": list(returned.remarks), "decided": returned.decided}


def state_seen(state: str) -> str:
    """An assignment's state as its annotator may know it.

    Whether a reviewer still has to approve an answer is not told: nobody approves test questions, so it would tell. Nor
    is it told that an answer came too late to count: of a test question none does.
    """
    return {"waiting": "done", "excluded": "done", "extra": "done", "released": "returned"}.get(state, state)


def task_json(services: Services, task: AssignedUnit) -> dict[str, Any]:
    """All that an annotator receives of a unit: what is stored as shown, in their order, and their own work on it."""
    return {
        "id": task.id,
        "state": state_seen(task.state),
        "lease_until": task.lease_until,
        "unit": orjson.Fragment(services.content.shown_json(task.unit_id, task.order)),
        "answers": task.answers,
        "revision": task.revision,
        "draft": draft_json(task.draft),
        "locked": task.locked,
        "returned": returned_json(task.returned),
    }


def finished_json(finished: NoMoreWork | None) -> dict[str, Any] | None:
    if finished is None:
        return None
    return {"why": finished.why, "code": finished.code, "another": finished.another}


def next_json(services: Services, following: NextUnit) -> dict[str, Any]:
    return {
        "assignment": following.task and task_json(services, following.task),
        "progress": progress_json(following.progress),
        "finished": finished_json(following.finished),
        "notices": [
            {"id": one.id, "kind": one.kind, "message": gettext(one.message), "at": one.at} for one in following.notices
        ],
    }


def work_json(services: Services, person: WorkingAnnotator) -> dict[str, Any]:
    settings = person.settings
    return {
        "campaign": {
            "title": person.campaign_title,
            "state": person.campaign_state,
            "consent_html": to_html(settings.consent) if settings.consent else None,
            "editing": settings.editing,
            "units": services.store.read(lambda connection: count_work(connection, person.campaign_id)),
        },
        "annotator": {"name": person.name, "state": person.state, "consented": person.consented},
        "progress": progress_json(person.progress),
        "training": services.training.teaches(person),
        "protocol": orjson.Fragment(services.content.presented(person.protocol_id, speaking.get())),
    }


@router.post("/join", response_model=shapes.Joined)
def join_campaign(body: JoinIn, services: ServicesDep) -> Response:
    """Take part in a campaign through its open link; gives the personal token that all other calls need."""
    # By campaign and not by what was sent: who makes links up would write a row for each of them.
    row = services.store.read(lambda connection: campaign_of_invite(connection, services.links, body.invite))
    services.limits.flood(f"join {row.id}", most=600, seconds=60)
    given = body.participant
    # A browser's number and an account are ours to give, so nobody can come in their name.
    arrival = None if given is None else Arrival.from_outside(given.platform, given.id)
    token = join(services.store, services.links, body.invite, body.name, arrival)
    return reply({"token": token})


@router.get("/work", response_model=shapes.Work)
def work(token: TokenDep, services: ServicesDep) -> Response:
    """The campaign, its protocol and how far you are."""
    return reply(work_json(services, services.work.person(token)))


@router.post("/work/consent", response_model=shapes.Work)
def consent(token: TokenDep, services: ServicesDep) -> Response:
    """Agree to the campaign's consent text."""
    return reply(work_json(services, services.work.consent(token)))


@router.post("/work/next", response_model=shapes.Next)
def next_unit(token: TokenDep, services: ServicesDep) -> Response:
    """The unit you hold, or a new one."""
    return reply(next_json(services, services.work.next(token)))


@router.post("/work/batch", response_model=shapes.Next)
def another_batch(token: TokenDep, services: ServicesDep) -> Response:
    """Go on with another batch after one is complete."""
    return reply(next_json(services, services.work.another_batch(token)))


@router.post("/work/here", response_model=shapes.PlaceKept)
def here(token: TokenDep, services: ServicesDep) -> Response:
    """Say that you are still at it, about once a minute: your unit and your place are kept. Who is gone is replaced."""
    return reply({"kept_until": services.work.here(token)})


@router.post("/work/notices/{notice_id}/read", response_model=shapes.NoticeRead)
def read_notice(notice_id: shapes.RowId, token: TokenDep, services: ServicesDep) -> Response:
    """Say that you have read something you were told about your work; it is not shown again."""
    services.work.read_notice(token, notice_id)
    return reply({"id": notice_id, "read": True})


@router.put("/work/assignments/{assignment_id}/draft", response_model=shapes.DraftSaved)
def save_draft(assignment_id: shapes.RowId, body: DraftIn, token: TokenDep, services: ServicesDep) -> Response:
    """Keep what is marked so far. `version` is the draft you started from; a newer one elsewhere gives a 409."""
    draft = services.responses.save_draft(token, assignment_id, body.answers, body.version, body.seconds_active)
    return reply({"version": draft.version, "saved_at": draft.saved_at})


@router.post("/work/assignments/{assignment_id}/responses", response_model=shapes.Submitted)
async def submit(assignment_id: shapes.RowId, body: ResponseIn, token: TokenDep, services: ServicesDep) -> Response:
    """Submit an answer and receive the next unit. Sending the same `client_key` again changes nothing."""
    return Response(await taken(services, token, assignment_id, body, small=False), media_type="application/json")


async def taken(services: Services, token: str, assignment_id: int, body: ResponseIn, *, small: bool) -> bytes:
    """Keep an answer; the reply to it, as JSON, carries the next unit."""
    # Alone among all it awaits: checking a small answer is quick, and its transaction waits in the writer's own thread.
    client_time = body.client_time.astimezone() if body.client_time else None
    submission = Submission(body.answers, body.client_key, client_time, body.seconds_active, body.reply, body.language)
    accepting = partial(services.responses.accepting, token, assignment_id, submission)
    # A large one, or one that another process handed out, or this one before a restart, takes longer: beside the loop.
    quick = small and services.content.is_at_hand(assignment_id)
    work = accepting() if quick else await run_in_threadpool(accepting)
    accepted, following = await asyncio.wrap_future(services.store.write_soon(work))
    services.responses.kept(token, following)
    return orjson.dumps(
        {
            "accepted": {
                "assignment": accepted.assignment_id,
                "revision": accepted.revision,
            },
            "next": next_json(services, following),
        }
    )


@router.get("/work/assignments", response_model=shapes.Earlier)
def earlier(token: TokenDep, services: ServicesDep) -> Response:
    """Your own earlier work, newest first."""
    return reply(
        {
            "assignments": [
                {
                    "id": one.id,
                    "state": state_seen(one.state),
                    "revision": one.revision,
                    "finished_at": one.finished_at,
                    "preview": services.content.preview(one.unit_id, one.order),
                }
                for one in services.responses.earlier(token)
            ]
        }
    )


@router.get("/work/assignments/{assignment_id}", response_model=shapes.Assignment)
def look(assignment_id: shapes.RowId, token: TokenDep, services: ServicesDep) -> Response:
    """One of your own assignments again, with your latest answers."""
    return reply(task_json(services, services.responses.look(token, assignment_id)))
