"""Which languages there are, and which of them somebody wants."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from goldmark.languages.catalogue import Catalogue, read

FOLDER = Path(__file__).with_name("catalogues")
MOST_ASKED = 20  # languages of one browser; more are no wish but noise


@cache
def offered() -> Mapping[str, Catalogue]:
    """Every language by its code: English, and one for each file in the folder, by their own names."""
    english = Catalogue("en", "English", "everybody who wrote it", lambda count: int(count != 1))
    others = sorted((read(path) for path in FOLDER.glob("*.po")), key=lambda one: one.name.casefold())
    return {one.language: one for one in (english, *others)}


def known(language: str) -> str:
    """The language of that code, or the one it is a variety of (de for de-AT); nothing if there is none."""
    code = language.strip().lower().replace("_", "-")
    return next((one for one in (code, code.partition("-")[0]) if one in offered()), "")


def best(accepted: str) -> str:
    """The language that a browser likes best, of those there are, by its header `Accept-Language`; or nothing."""
    wishes = sorted(_wishes(accepted.split(",")[:MOST_ASKED]), key=lambda wish: -wish[0])
    return next((found for weight, wish in wishes if weight > 0 and (found := known(wish))), "")


def _wishes(parts: Iterable[str]) -> Iterable[tuple[float, str]]:
    for part in parts:
        language, _, weight = part.partition(";")
        try:
            yield float(weight.partition("q=")[2] or 1), language
        except ValueError:
            continue
