"""Campaigns from what tests say of them, read the way an upload is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from goldmark.campaigns.definition.file import CampaignPlan, read_campaign
from goldmark.campaigns.definition.uploads import campaign_folder


def plan_from_parts(
    settings: Mapping[str, Any],
    *,
    rows: Iterable[Mapping[str, Any]],
    protocol: Mapping[str, Any] | str | None = None,
) -> CampaignPlan:
    with campaign_folder(settings, rows=rows, protocol=protocol) as file:
        return read_campaign(file)
