"""What annotators made of a checker's suggestions."""

from __future__ import annotations

from typing import Any

from goldmark.web.api.calls import Calls
from goldmark.web.api.figures import Tables, tables_of
from goldmark.web.api.inputs import CampaignName
from goldmark.web.computing import computed
from goldmark.web.sign_in import CallsAsCurator

router = Calls("/api/v1/campaigns/{name}/suggestions", "campaigns")


@router.get("", response_model=Tables)
def figures(visit: CallsAsCurator, name: CampaignName) -> dict[str, Any]:
    """What became of suggestions, and time and quality of answers with and without them."""
    return tables_of(visit.services.computing.of(name, computed.suggestions))
