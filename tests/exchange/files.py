"""An export as a test looks at it."""

from __future__ import annotations

from goldmark.exchange.format import Written
from goldmark.exchange.formats import FORMATS
from goldmark.records.campaigns import CampaignRecord


def export_files(record: CampaignRecord, format_name: str, *, question: str | None = None) -> Written:
    """The files of an export, each with its path inside it."""
    return FORMATS[format_name].write(record, question)
