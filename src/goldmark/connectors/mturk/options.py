"""What a campaign file may say for Mechanical Turk alone."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Locale = Annotated[str, Field(pattern=r"^[A-Z]{2}(-[A-Z0-9]{1,3})?$")]


class TurkOptions(BaseModel):
    """Whom Mechanical Turk may send, and how the task looks there."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    locales: tuple[Locale, ...] = Field(
        default=(), max_length=30, description="Countries, or states such as US-CA; none: everywhere."
    )
    approved_percent: int | None = Field(
        default=None, ge=0, le=100, description="The part of somebody's work that was approved, at least."
    )
    approved_hits: int | None = Field(
        default=None, ge=0, description="How many hits of theirs were approved, at least."
    )
    masters: bool = Field(default=False, description="Only people whom Amazon calls masters; the fee is higher.")
    adult: bool = Field(default=False, description="Only people who have agreed to see adult content.")
    frame_height: int = Field(default=0, ge=0, le=10_000, description="Of the frame, in pixels; 0 fits the window.")
