"""What can be changed of a campaign that exists, each change with its reason."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import ValidationError

from goldmark.campaigns import lifecycle, people
from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.campaigns.settings import Settings
from goldmark.errors import GoldmarkError, Problem, ProblemsFound
from goldmark.protocols.wording import in_words
from goldmark.web.pages.frame import NOT_FAILED, Failed, Prose, Word, failed, go, number, page
from goldmark.web.services import Services, ServicesDep
from goldmark.web.signing_in import ReadsAsCurator, SendsAsManager, Visitor

router = APIRouter(include_in_schema=False, prefix="/campaigns/{name}/settings")


@router.get("")
def settings(name: str, request: Request, who: ReadsAsCurator, services: ServicesDep) -> Response:
    return _page(name, request, who, services)


@router.post("")
def change(
    name: str,
    request: Request,
    who: SendsAsManager,
    services: ServicesDep,
    title: Word = "",
    labels_per_unit: Word = "",
    lease_minutes: Word = "",
    batch_size: Word = "",
    batch_per_person: Word = "",
    fill: Word = "evenly",
    at_most: Word = "",
    anyone: Word = "",
    editing: Word = "",
    review_required: Word = "",
    review_open: Word = "",
    review_share: Word = "",
    review_twice: Word = "",
    consent: Prose = "",
    reason: Word = "",
) -> Response:
    given = {
        "title": title,
        "labels_per_unit": labels_per_unit,
        "lease_minutes": lease_minutes,
        "batch.size": batch_size,
        "batch.per_person": batch_per_person,
        "order.fill": fill,
        "join.at_most": at_most,
        "join.open": anyone,
        "editing": editing,
        "review.required": review_required,
        "review.open": review_open,
        "review.share": review_share,
        "review.twice": review_twice,
        "consent": consent,
        "reason": reason,
    }
    row = services.store.read(lambda connection: find_campaign(connection, name))
    try:
        changed = _merged(row.settings, given)
        lifecycle.change_settings(
            services.store, name, changed, title=title.strip() or row.title, author=who.name, reason=reason.strip()
        )
    except GoldmarkError as error:
        return _page(name, request, who, services, wrong=failed("settings", error), given=given)
    return go(f"/campaigns/{name}/settings", "settings")


@router.post("/open-link")
def renew_open_link(name: str, who: SendsAsManager, services: ServicesDep, reason: Word = "") -> Response:
    people.renew_invite(services.store, services.links, name, author=who.name, reason=reason.strip())
    return go(f"/campaigns/{name}", "link-renewed")


def _merged(before: Settings, given: dict[str, str]) -> Settings:
    """The settings as the form says; what the form does not ask stays as it was."""
    data = before.model_dump(mode="json")
    data["labels_per_unit"] = number(given["labels_per_unit"])
    data["lease_minutes"] = number(given["lease_minutes"])
    data["consent"] = given["consent"].strip()
    data["editing"] = bool(given["editing"])
    data["batch"] = {"size": _maybe(given["batch.size"]), "per_person": _maybe(given["batch.per_person"])}
    data["order"]["fill"] = given["order.fill"]
    data["review"] |= {"required": bool(given["review.required"]), "blind": not given["review.open"]}
    for part in ("share", "twice"):
        if given[f"review.{part}"].strip():
            data["review"][part] = number(given[f"review.{part}"])
    data["join"] |= {"open": bool(given["join.open"]), "at_most": _maybe(given["join.at_most"])}
    try:
        return Settings.model_validate(data)
    except ValidationError as error:
        mistakes = [(mistake, ".".join(str(part) for part in mistake.key)) for mistake in in_words(error, Settings)]
        raise ProblemsFound(
            [Problem(part.replace("_", " "), mistake.what, mistake.remedy, part) for mistake, part in mistakes]
        ) from error


def _maybe(given: str) -> float | str | None:
    return number(given) if given.strip() else None


def _as_given(row: CampaignRow) -> dict[str, Any]:
    batch, join, review = row.settings.batch, row.settings.join, row.settings.review
    return {
        "title": row.title,
        "labels_per_unit": row.settings.labels_per_unit,
        "lease_minutes": f"{row.settings.lease_minutes:g}",
        "batch.size": batch.size or "",
        "batch.per_person": batch.per_person or "",
        "order.fill": row.settings.order.fill,
        "join.at_most": join.at_most or "",
        "join.open": "yes" if join.open else "",
        "editing": "yes" if row.settings.editing else "",
        "review.required": "yes" if review.required else "",
        "review.open": "" if review.blind else "yes",
        "review.share": f"{review.share:g}",
        "review.twice": f"{review.twice:g}",
        "consent": row.settings.consent,
        "reason": "",
    }


def _page(
    name: str,
    request: Request,
    who: Visitor,
    services: Services,
    *,
    wrong: Failed = NOT_FAILED,
    given: dict[str, str] | None = None,
) -> Response:
    row = services.store.read(lambda connection: find_campaign(connection, name))
    return page(request, "settings.html", who, wrong=wrong, campaign=row, given=given or _as_given(row))
