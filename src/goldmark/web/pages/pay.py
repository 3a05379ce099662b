"""Fair pay: what a unit takes and should cost, what is left to pay, and who was paid too little."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import ValidationError

from goldmark.campaigns.lifecycle import change_settings, find_campaign
from goldmark.campaigns.settings import Pay
from goldmark.errors import GoldmarkError, Problem, ProblemsFound
from goldmark.protocols.wording import in_words
from goldmark.web.api.pay import bonus_file, reported
from goldmark.web.pages.frame import NOT_FAILED, Failed, Word, failed, go, number, page
from goldmark.web.services import Services, ServicesDep
from goldmark.web.signing_in import ReadsAsManager, SendsAsManager, Visitor

router = APIRouter(include_in_schema=False, prefix="/campaigns/{name}/pay")


@router.get("")
def pay(name: str, request: Request, who: ReadsAsManager, services: ServicesDep) -> Response:
    return _page(name, request, who, services)


@router.post("")
def change(
    name: str,
    request: Request,
    who: SendsAsManager,
    services: ServicesDep,
    currency: Word = "",
    per_unit: Word = "",
    target_hourly: Word = "",
    reason: Word = "",
) -> Response:
    given = {"currency": currency.strip().upper(), "per_unit": per_unit, "target_hourly": target_hourly}
    row = services.store.read(lambda connection: find_campaign(connection, name))
    try:
        changed = row.settings.model_copy(update={"pay": _pay(given)})
        change_settings(services.store, name, changed, title=row.title, author=who.name, reason=reason.strip())
    except GoldmarkError as error:
        return _page(name, request, who, services, wrong=failed("pay", error), given=given)
    return go(f"/campaigns/{name}/pay", "pay")


def _pay(given: dict[str, str]) -> Pay:
    amounts = {key: number(given[key]) if given[key].strip() else None for key in ("per_unit", "target_hourly")}
    whole = {key: float(value) if isinstance(value, int) else value for key, value in amounts.items()}
    try:
        return Pay.model_validate({"currency": given["currency"] or "USD", **whole})
    except ValidationError as error:
        found = [(one, ".".join(map(str, one.key))) for one in in_words(error, Pay)]
        raise ProblemsFound(
            [Problem(key.replace("_", " "), one.what, one.remedy, key) for one, key in found]
        ) from error


@router.get("/bonus.csv")
def bonus(name: str, who: ReadsAsManager, services: ServicesDep) -> Response:
    return bonus_file(services, name)


def _page(
    name: str,
    request: Request,
    who: Visitor,
    services: Services,
    *,
    wrong: Failed = NOT_FAILED,
    given: dict[str, str] | None = None,
) -> Response:
    row, report = reported(services, name)
    pay = row.settings.pay
    shown = given or {
        "currency": pay.currency,
        "per_unit": "" if pay.per_unit is None else f"{pay.per_unit:g}",
        "target_hourly": "" if pay.target_hourly is None else f"{pay.target_hourly:g}",
    }
    return page(request, "pay.html", who, wrong=wrong, campaign=row, report=report, given=shown)
