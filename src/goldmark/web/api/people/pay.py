"""Fair pay: what units take, what they should cost, and who was paid too little."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Query
from fastapi.responses import Response

from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.web.api.calls import Calls
from goldmark.web.api.figures import FigureOut
from goldmark.web.api.inputs import CampaignName, Out
from goldmark.web.files import saved
from goldmark.web.sign_in import CallsAsManager
from goldmark.web.visits import Visit

if TYPE_CHECKING:
    from goldmark.people.pay import PayReport

router = Calls("/api/v1/campaigns/{name}/pay", "campaigns")

SEED = 17
Seed = Annotated[int, Query(ge=0, le=2**53, description="Seed of the resampling.")]


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


def reported(visit: Visit, name: str) -> tuple[CampaignRow, PayReport]:
    """A campaign and what its work costs."""
    from goldmark.recruiting.paying.wages import pay_of

    return pay_of(visit.store, name)


@router.get("", response_model=PayOut)
def pay(visit: CallsAsManager, name: CampaignName) -> Any:
    """Median active time per unit, the price for the hourly wage that is aimed at, and what is left to pay."""
    return reported(visit, name)[1]


@router.get(
    "/bonus",
    response_class=Response,
    responses={200: {"description": "CSV, one row per person to be paid more.", "content": {"text/csv": {}}}},
)
def bonus(visit: CallsAsManager, name: CampaignName) -> Response:
    """Whom to pay how much more, as CSV."""
    from goldmark.people.pay import bonus_table
    from goldmark.results.output.tables import to_csv

    return saved(to_csv(bonus_table(reported(visit, name)[1])), f"{name}-bonus.csv")
