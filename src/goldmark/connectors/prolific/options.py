"""What a campaign file may say for Prolific alone."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Id = Annotated[str, Field(pattern=r"^[0-9A-Za-z-]{1,64}$")]


class ProlificPart(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ScreenOut(ProlificPart):
    """What people get who fail the qualification, where the workspace may pay them so."""

    reward: int = Field(ge=1, description="In cents.")
    slots: int = Field(ge=1, le=10_000, description="How many people at most; then the study pauses.")


class ProlificFilter(ProlificPart):
    """One of Prolific's filters, as its API lists them."""

    filter_id: Annotated[str, Field(min_length=1, max_length=200)]
    selected_values: tuple[str, ...] | None = None
    selected_range: dict[str, Any] | None = None


class ProlificOptions(ProlificPart):
    """Whom Prolific may send, on which devices, and what completion codes do."""

    project: Id | None = Field(default=None, description="The project; none: the account's first.")
    filters: tuple[ProlificFilter, ...] = Field(default=(), max_length=50, description="As Prolific's API has them.")
    allow_groups: tuple[Id, ...] = Field(default=(), description="Only people in one of these participant groups.")
    block_groups: tuple[Id, ...] = Field(default=(), description="Nobody in one of these participant groups.")
    block_studies: tuple[Id, ...] = Field(default=(), description="Nobody who took part in one of these studies.")
    devices: tuple[Literal["desktop", "tablet", "mobile"], ...] = Field(default=(), description="None: all of them.")
    labels: tuple[str, ...] = Field(default=("annotation",), max_length=1, description="What kind of study it is.")
    secure: bool = Field(
        default=False, description="Let Prolific sign the address; only some workspaces may. Else its API is asked."
    )
    screen_out: ScreenOut | None = Field(
        default=None, description="Pay people who fail the qualification; none: they are asked to return."
    )
    failed: Literal["review", "return"] = Field(
        default="review", description="Who is excluded at work: a manager decides, or they are asked to return."
    )
