"""Fair pay: what units take, what they should cost, and who was paid too little."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.records.figures import Figure
from goldmark.web.api import shapes
from goldmark.web.api.inputs import CampaignName, Out
from goldmark.web.services import Services, ServicesDep
from goldmark.web.signing_in import CallsAsManager

if TYPE_CHECKING:
    from goldmark.quality.pay import PayReport

router = APIRouter(prefix="/api/v1/campaigns/{name}/pay", tags=["campaigns"], responses=shapes.FAILURES)

SEED = 17
Seed = Annotated[int, Query(ge=0, le=2**53, description="Seed of the resampling.")]


class FigureOut(Out):
    value: float | None
    interval: list[float] | None
    reason: str
    used: int | None


class EarnerOut(Out):
    annotator: str
    state: str
    answers: int
    seconds: float
    earned: float | None
    hourly: float | None
    fair: float | None
    bonus: float | None
    doubtful: int


class PayOut(Out):
    """Money is in `currency`; times are active time, in seconds."""

    currency: str
    per_unit: float | None
    target_hourly: float | None
    seconds: FigureOut
    hourly: FigureOut
    suggested: FigureOut
    answers: int
    spent: FigureOut
    labels_left: int
    tests_left: int
    left_at_price: FigureOut
    left_at_suggested: FigureOut
    earners: list[EarnerOut]
    signature: str


def reported(services: Services, name: str, seed: int = SEED) -> tuple[CampaignRow, PayReport]:
    """A campaign and what its work costs."""
    from goldmark.quality.pay import pay_of

    return pay_of(services.store, name, seed=seed)


def _figure(figure: Figure) -> FigureOut:
    interval = None if figure.interval is None else [figure.interval.low, figure.interval.high]
    return FigureOut(value=figure.value, interval=interval, reason=figure.reason, used=figure.used)


@router.get("")
def pay(name: CampaignName, who: CallsAsManager, services: ServicesDep, seed: Seed = SEED) -> PayOut:
    """Median active time per unit, the price for the hourly wage that is aimed at, and what is left to pay."""
    _, report = reported(services, name, seed)
    facts = {key: _figure(value) if isinstance(value, Figure) else value for key, value in report._asdict().items()}
    facts["earners"] = [EarnerOut.model_validate(one) for one in report.earners]
    return PayOut(**facts)


@router.get(
    "/bonus",
    response_class=Response,
    responses={200: {"description": "CSV, one row per person to be paid more.", "content": {"text/csv": {}}}},
)
def bonus(name: CampaignName, who: CallsAsManager, services: ServicesDep) -> Response:
    """Whom to pay how much more, as CSV."""
    return bonus_file(services, name)


def bonus_file(services: Services, name: str) -> Response:
    from goldmark.quality.pay import bonus_table
    from goldmark.reports.tables import to_csv

    _, report = reported(services, name)
    headers = {"content-disposition": f'attachment; filename="{name}-bonus.csv"'}
    return Response(to_csv(bonus_table(report)).encode(), media_type="text/csv; charset=utf-8", headers=headers)
