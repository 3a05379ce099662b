"""How a campaign's people learnt and qualified: everybody in a table, one person in full, a reviewer's decision."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from sqlalchemy import Connection

from goldmark.campaigns import stages
from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.errors import GoldmarkError
from goldmark.protocols.answers import marking
from goldmark.quality import results
from goldmark.quality.attempts import Attempt
from goldmark.quality.results import Judged, Learner
from goldmark.web.api.learning import in_full
from goldmark.web.api.shapes import RowId
from goldmark.web.pages.drawing import Mark, draw, passage
from goldmark.web.pages.frame import NOT_FAILED, Failed, Word, failed, go, page
from goldmark.web.pages.reading import marks_of, read_answers
from goldmark.web.services import Services, ServicesDep
from goldmark.web.signing_in import ReadsAsCurator, SendsAsCurator, Visitor

router = APIRouter(include_in_schema=False, prefix="/campaigns/{name}/learning")

STAGES = {
    stages.LEARN: "learning",
    stages.QUALIFY: "at the qualification",
    stages.AWAITING: "waits for your decision",
    stages.FAILED: "did not pass",
    stages.WORK: "at work",
}


@router.get("")
def everybody(name: str, request: Request, who: ReadsAsCurator, services: ServicesDep) -> Response:
    def look(connection: Connection) -> tuple[CampaignRow, list[Learner]]:
        row = find_campaign(connection, name)
        return row, results.learners(connection, row)

    row, found = services.store.read(look)
    protocol = services.library.protocol(row.protocol_id)
    return page(
        request,
        "learning.html",
        who,
        campaign=row,
        learners=found,
        stages=STAGES,
        teaches=bool(protocol.file.training),
        qualification=stages.wanted_qualification(protocol, row.settings),
    )


@router.get("/{annotator_id}")
def one(name: str, annotator_id: RowId, request: Request, who: ReadsAsCurator, services: ServicesDep) -> Response:
    return _page(name, annotator_id, request, who, services)


@router.post("/{annotator_id}")
def decide(
    name: str,
    annotator_id: RowId,
    request: Request,
    who: SendsAsCurator,
    services: ServicesDep,
    verdict: Word = "",
    reason: Word = "",
) -> Response:
    try:
        results.decide_on(
            services.store,
            services.library,
            name,
            annotator_id,
            passed=verdict == "passed",
            author=who.name,
            reason=reason,
        )
    except GoldmarkError as error:
        return _page(name, annotator_id, request, who, services, failed("decision", error))
    return go(f"/campaigns/{name}/learning/{annotator_id}", "decided")


def _page(
    name: str, annotator_id: int, request: Request, who: Visitor, services: Services, wrong: Failed = NOT_FAILED
) -> Response:
    def look(connection: Connection) -> tuple[CampaignRow, Learner, list[tuple[Attempt, list[Judged]]]]:
        row = find_campaign(connection, name)
        found = results.learner(connection, row, annotator_id)
        return row, found, in_full(connection, services, found)

    row, found, tries = services.store.read(look)
    drawn = [(tried, [_drawn(one, tried, services) for one in judged]) for tried, judged in reversed(tries)]
    return page(request, "learner.html", who, wrong=wrong, campaign=row, learner=found, stages=STAGES, tries=drawn)


def _drawn(one: Judged, tried: Attempt, services: Services) -> dict[str, Any]:
    """An exercise to read: the text with the person's marks and those that they missed, answers and grade."""
    asked = one.item.asked or services.library.protocol(tried.protocol_id)
    shown = one.item.shown
    if shown is None:  # what was only read has no answer, so it is not here
        return {}
    marks = marks_of(asked, one.answer.answers, shown)
    parts = {part.question: part for part in one.grade.parts} if one.grade else {}
    for question in marking(asked):
        role = question.text_of(asked.texts)
        for mark in parts[question.id].marks if question.id in parts else ():
            if mark.verdict == "missed":
                start, end = passage(shown.texts[role], mark.start, mark.end, question.by)
                marks[role].append(Mark(start, end, "missed", 8, "given", mark.sentence))
    return {
        "item": one.item,
        "texts": {role: draw(text, marks[role]) for role, text in shown.texts.items()},
        "answers": read_answers(asked, one.answer.answers, shown),
        "grade": one.grade,
        "seconds": one.answer.seconds_active,
    }
