"""Fair pay: what units take, what they should cost, and who was paid too little."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Query
from fastapi.responses import Response

from goldmark.web.api.calls import Calls
from goldmark.web.api.figures import AsOf, FigureOut
from goldmark.web.api.inputs import CampaignName, Out, PageOut, page_of
from goldmark.web.api.listing import Listed, Listing
from goldmark.web.computing import computed
from goldmark.web.computing.computing import Computed
from goldmark.web.files import saved
from goldmark.web.sign_in import CallsAsManager
from goldmark.web.visits import Visit

if TYPE_CHECKING:
    from goldmark.campaigns.pages import Page
    from goldmark.people.pay import Earner, PayReport

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


class PayOut(PageOut):
    """Money is in `currency`; times are active time, in seconds. Those to whom most is owed come first."""

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
    as_of: AsOf


def reported(visit: Visit, name: str) -> Computed[PayReport]:
    """What the work of a campaign costs."""
    from goldmark.recruiting.paying.wages import payments_state

    return visit.services.computing.of(name, computed.pay, visit.look_into(name, payments_state))


@router.get("", response_model=PayOut)
def pay(visit: CallsAsManager, name: CampaignName, listed: Listed) -> dict[str, Any]:
    """Median active time per unit, the price for the hourly wage that is aimed at, and what is left to pay."""
    made = reported(visit, name)
    some = earners(made.found, listed)
    return {**made.found._asdict(), **page_of(some), "earners": some.items, "as_of": made.as_of}


def earners(report: PayReport, listed: Listing) -> Page[Earner]:
    """One page of who earned what; of many people, those come first to whom most is owed."""
    ordered = sorted(report.earners, key=lambda one: -(one.bonus or 0))
    return listed.of(ordered, lambda one: one.annotator)


@router.get(
    "/bonus",
    response_class=Response,
    responses={200: {"description": "CSV, one row per person to be paid more.", "content": {"text/csv": {}}}},
)
def bonus(visit: CallsAsManager, name: CampaignName) -> Response:
    """Whom to pay how much more, as CSV."""
    from goldmark.people.pay import bonus_table
    from goldmark.results.output.tables import to_csv

    return saved(to_csv(bonus_table(reported(visit, name).found)), f"{name}-bonus.csv")
