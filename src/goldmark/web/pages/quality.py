"""How annotators do: evidence on everybody, one person in full, what is decided, and rules that act by themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Form, Request
from fastapi.responses import Response
from pydantic import ValidationError
from sqlalchemy import Connection

from goldmark.campaigns import exclusions, people
from goldmark.campaigns.lifecycle import CampaignRow, change_settings, find_campaign
from goldmark.campaigns.settings import Settings
from goldmark.errors import GoldmarkError, Problem, ProblemsFound
from goldmark.protocols.wording import in_words
from goldmark.records.campaigns import exclusion_notes
from goldmark.store.events import Decision, about
from goldmark.web.api.quality import gathered, named, person_file
from goldmark.web.api.shapes import RowId
from goldmark.web.pages.frame import NOT_FAILED, Failed, Prose, Word, failed, go, number, page
from goldmark.web.pages.quality_signs import explanations_of, signs
from goldmark.web.services import Services, ServicesDep
from goldmark.web.signing_in import ReadsAsCurator, SendsAsManager, Visitor

if TYPE_CHECKING:
    from goldmark.quality.evidence import Evidence

router = APIRouter(include_in_schema=False, prefix="/campaigns/{name}/quality")

Words = Annotated[list[str], Form(max_length=100)]
NO_RULE = ""


@router.get("")
def everybody(name: str, request: Request, who: ReadsAsCurator, services: ServicesDep) -> Response:
    return _everybody(name, request, who, services)


@router.post("/rules")
def change_rules(
    name: str,
    request: Request,
    who: SendsAsManager,
    services: ServicesDep,
    criterion: Word = "class",
    flag_at: Word = "",
    when: Words = [],  # noqa: B006 - FastAPI makes a new one for each request
    do: Words = [],  # noqa: B006
    at: Words = [],  # noqa: B006
    after: Words = [],  # noqa: B006
    reason: Word = "",
) -> Response:
    """What happens by itself from now on. A row without a deed is no rule."""
    row = services.store.read(lambda connection: find_campaign(connection, name))
    rows = list(zip(when, do, at, after, strict=False))
    try:
        changed = _merged(row.settings, criterion, flag_at, rows)
        change_settings(services.store, name, changed, title=row.title, author=who.name, reason=reason.strip())
    except GoldmarkError as error:
        return _everybody(name, request, who, services, wrong=failed("rules", error))
    return go(f"/campaigns/{name}/quality", "rules")


def _merged(before: Settings, criterion: str, flag_at: str, rows: list[tuple[str, str, str, str]]) -> Settings:
    data = before.model_dump(mode="json")
    words: dict[tuple[str, str], str] = {(rule.when, rule.do): rule.message for rule in before.quality.rules}
    data["quality"] |= {
        "criterion": criterion,
        "flag_at": _share(flag_at),
        "rules": [
            {
                "when": when,
                "do": do,
                "at": _share(at) if at.strip() else None,
                "after": number(after) if after.strip() else 5,
                "message": words.get((when, do), ""),
            }
            for when, do, at, after in rows
            if do != NO_RULE
        ],
    }
    try:
        return Settings.model_validate(data)
    except ValidationError as error:
        raise ProblemsFound(
            [Problem(".".join(map(str, one.key)), one.what, one.remedy) for one in in_words(error, Settings)]
        ) from error


def _share(given: str) -> float | str:
    """A field in per cent as a part of one."""
    value = number(given)
    return value / 100 if isinstance(value, int | float) else value


@router.get("/{annotator_id}")
def person(name: str, annotator_id: RowId, request: Request, who: ReadsAsCurator, services: ServicesDep) -> Response:
    row, found, tests, told = person_file(services, name, annotator_id)

    def look(connection: Connection) -> tuple[list[Decision], list[dict[str, Any]]]:
        decided = about(connection, row.id, found.person.name)
        return decided, explanations_of(connection, row, services.library, annotator_id)

    decisions, said = services.store.read(look)
    facts: dict[str, Any] = {
        "one": _drawn(found, row),
        "tests": tests,
        "told": told,
        "decisions": decisions,
        "said": said,
    }
    return page(request, "quality_person.html", who, campaign=row, **facts)


@router.post("/{annotator_id}/warn")
def warn(
    name: str,
    annotator_id: RowId,
    who: SendsAsManager,
    services: ServicesDep,
    message: Prose = "",
    reason: Word = "",
) -> Response:
    from goldmark.quality import rules

    someone = named(services, name, annotator_id)
    rules.warn(services.store, name, someone, message=message[:2_000], author=who.name, reason=reason.strip())
    return go(f"/campaigns/{name}/quality/{annotator_id}", "warned")


@router.post("/{annotator_id}/pause")
def pause(
    name: str, annotator_id: RowId, who: SendsAsManager, services: ServicesDep, reason: Word = "", resume: Word = ""
) -> Response:
    someone = named(services, name, annotator_id)
    people.set_paused(services.store, name, someone, not resume, author=who.name, reason=reason.strip())
    return go(f"/campaigns/{name}/quality/{annotator_id}", "person-resumed" if resume else "person-paused")


@router.post("/{annotator_id}/exclude")
def exclude(name: str, annotator_id: RowId, who: SendsAsManager, services: ServicesDep, reason: Word = "") -> Response:
    someone = named(services, name, annotator_id)
    exclusions.exclude(services.store, name, someone, author=who.name, reason=reason.strip())
    return go(f"/campaigns/{name}/quality/{annotator_id}", "excluded")


@router.post("/{annotator_id}/restore")
def restore(name: str, annotator_id: RowId, who: SendsAsManager, services: ServicesDep, reason: Word = "") -> Response:
    someone = named(services, name, annotator_id)
    exclusions.undo(services.store, name, someone, author=who.name, reason=reason.strip())
    return go(f"/campaigns/{name}/quality/{annotator_id}", "restored")


def _everybody(
    name: str, request: Request, who: Visitor, services: Services, *, wrong: Failed = NOT_FAILED
) -> Response:
    row, found = gathered(services, name)
    excluded = services.store.read(lambda connection: exclusions.excluded_people(connection, row))
    listed = sorted(
        found.people, key=lambda one: (one.standing is None, -(one.standing.judgement.noisy if one.standing else 0))
    )
    facts: dict[str, Any] = {
        "people": [_drawn(one, row) for one in listed],
        "model": found.model,
        "notes": exclusion_notes(excluded),
        "quality": row.settings.quality,
    }
    return page(request, "quality.html", who, wrong=wrong, campaign=row, **facts)


def _drawn(one: Evidence, row: CampaignRow) -> dict[str, Any]:
    """Evidence with what a template needs to draw it."""
    price = row.settings.pay.per_unit
    return {
        "evidence": one,
        "person": one.person,
        "signs": signs(one),
        "by_sign": {sign.sign: sign for sign in (one.standing.by_sign if one.standing else ())},
        "noisy": one.standing.judgement.noisy if one.standing else None,
        "flagged": bool(one.standing and one.standing.judgement.flagged),
        "line": " ".join(
            f"{100 * (place + 1) / len(one.course):.2f},{30 - 28 * moment.noisy:.2f}"
            for place, moment in enumerate(one.course)
        ),
        "flag_line": f"{30 - 28 * row.settings.quality.flag_at:.2f}",
        "money": None if price is None else f"{price * one.cost.labels:.2f} {row.settings.pay.currency}",
    }
