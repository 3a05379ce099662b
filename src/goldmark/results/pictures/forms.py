"""The files that a picture can become."""

from __future__ import annotations

from typing import Final, Literal

PictureForm = Literal["svg", "png", "pdf"]
NEEDS_MATPLOTLIB: Final = ("png", "pdf")
