"""What the built-in protocols say, in other languages: catalogues beside them, keyed by what they say in English.

A protocol that extends a built-in one, or a campaign that keeps a copy, is translated wherever it says the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from goldmark.languages.catalogue import Catalogue, read

FOLDER = Path(__file__).resolve().parents[1] / "builtin" / "translations"


@cache
def _catalogues() -> Mapping[str, Catalogue]:
    return {one.language: one for one in (read(path) for path in FOLDER.glob("*.po"))}


@cache
def translated_protocols(language: str) -> Mapping[str, str]:
    """Sentences of the built-in protocols in a language; none where nobody translated them."""
    found = _catalogues().get(language)
    return {said: forms[0] for said, forms in found.messages.items()} if found else {}
