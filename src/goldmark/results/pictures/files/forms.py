"""The files that a picture can become."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal, get_args

from goldmark.errors import GoldmarkError

PictureForm = Literal["svg", "png", "pdf"]
NEEDS_MATPLOTLIB: Final = ("png", "pdf")


class UnknownPicture(GoldmarkError):
    code = "PLOT-02"
    message = "{path} should end in one of {formats}"


def form_of(path: Path) -> PictureForm:
    """What the ending of a file's name asks for."""
    forms: dict[str, PictureForm] = {f".{form}": form for form in get_args(PictureForm)}
    if path.suffix.lower() not in forms:
        raise UnknownPicture(path=path, formats=", ".join(forms))
    return forms[path.suffix.lower()]
