"""What annotators made of a checker's suggestions."""

from __future__ import annotations

from fastapi import APIRouter

from goldmark.analysis.campaign_tables import suggestion_tables
from goldmark.reports.tables import to_json
from goldmark.web.api import shapes
from goldmark.web.api.inputs import CampaignName
from goldmark.web.api.reviews import Figures
from goldmark.web.services import ServicesDep
from goldmark.web.signing_in import CallsAsCurator

router = APIRouter(prefix="/api/v1/campaigns/{name}/suggestions", tags=["campaigns"], responses=shapes.FAILURES)


@router.get("")
def figures(name: CampaignName, who: CallsAsCurator, services: ServicesDep) -> Figures:
    """What became of suggestions, and time and quality of answers with and without them."""
    return Figures(tables=[to_json(table) for table in suggestion_tables(services.store, services.library, name)])
