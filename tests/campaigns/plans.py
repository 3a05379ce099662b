"""Campaigns from what tests say of them, read the way an upload is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from goldmark.campaigns.definition.file import CampaignPlan, read_campaign
from goldmark.campaigns.definition.settings import Subset
from goldmark.campaigns.definition.units.unit_order import KnownUnit, in_subset
from goldmark.campaigns.definition.uploads import campaign_folder

Known = TypeVar("Known", bound=KnownUnit)


def plan_from_parts(
    settings: Mapping[str, Any],
    *,
    rows: Iterable[Mapping[str, Any]],
    protocol: Mapping[str, Any] | str | None = None,
) -> CampaignPlan:
    with campaign_folder(settings, rows=rows, protocol=protocol) as file:
        return read_campaign(file)


def choose(units: Sequence[Known], subset: Subset | None) -> list[Known]:
    """The units that are in the subset."""
    return list(filter(in_subset(units, subset), units))
