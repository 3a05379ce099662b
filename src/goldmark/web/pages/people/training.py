"""Training and qualification of a campaign's people: everybody in a table, one person in full, the decision."""

from __future__ import annotations

from typing import Any

from fastapi.responses import Response
from sqlalchemy import Connection

from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.campaigns.definition import admission
from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.protocols.answers import marking
from goldmark.quality.training import learners
from goldmark.quality.training.attempts import Attempt
from goldmark.quality.training.learners import GradedExercise, Learner
from goldmark.web.api.listing import Listed
from goldmark.web.api.people import training as calls
from goldmark.web.api.shapes import RowId
from goldmark.web.pages.answers.drawn_text import DrawnMark, draw, passage
from goldmark.web.pages.answers.readable_answers import marks_of, read_answers
from goldmark.web.pages.forms import posts
from goldmark.web.pages.frame import NOT_FAILED, Wrong, page
from goldmark.web.pages.router import Pages
from goldmark.web.sign_in import ReadsAsCurator

router = Pages("/campaigns/{name}/training")

STAGES = {
    admission.LEARN: "learning",
    admission.QUALIFY: "at the qualification",
    admission.AWAITING: "waits for your decision",
    admission.FAILED: "did not pass",
    admission.WORK: "at work",
}


@router.get("")
def everybody(visit: ReadsAsCurator, name: str, listed: Listed) -> Response:
    row, found = visit.with_campaign(name, learners.some_learners, search=listed.search, page=listed.number)
    protocol = visit.content.protocol(row.protocol_id)
    return page(
        visit,
        "training.html",
        campaign=row,
        found=found,
        search=listed.search,
        stages=STAGES,
        teaches=bool(protocol.file.training),
        qualification=admission.wanted_qualification(protocol, row.settings),
    )


@router.get("/{annotator_id}")
def one(visit: ReadsAsCurator, name: str, annotator_id: RowId, *, wrong: Wrong = NOT_FAILED) -> Response:
    def look(connection: Connection, row: CampaignRow) -> tuple[Learner, list[tuple[Attempt, list[GradedExercise]]]]:
        found = learners.learner(connection, row, annotator_id)
        return found, learners.in_full(connection, visit.content, found)

    row, (found, tries) = visit.with_campaign(name, look)
    drawn = [(tried, [_drawn(one, tried, visit.content) for one in judged]) for tried, judged in reversed(tries)]
    return page(visit, "learner.html", wrong=wrong, campaign=row, learner=found, stages=STAGES, tries=drawn)


posts(
    router,
    "/{annotator_id}",
    calls.decide,
    to="/campaigns/{name}/training/{annotator_id}",
    done="decided",
    again=one,
    form="decision",
)


def _drawn(one: GradedExercise, tried: Attempt, content: ContentCache) -> dict[str, Any]:
    """An exercise to read: the text with the person's marks and those that they missed, answers and grade."""
    asked = one.item.asked or content.protocol(tried.protocol_id)
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
                marks[role].append(DrawnMark(start, end, "missed", 8, "given", mark.sentence))
    return {
        "item": one.item,
        "texts": {role: draw(text, marks[role]) for role, text in shown.texts.items()},
        "answers": read_answers(asked, one.answer.answers, shown),
        "grade": one.grade,
        "seconds": one.answer.seconds_active,
    }
