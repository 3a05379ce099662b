"""A tagger: English nouns by how they end."""

from __future__ import annotations

from collections.abc import Iterator

from goldmark.texts.preparation.prompt_words import Tagger

ENDINGS = ("ness", "ment", "tion", "ship")


def endings() -> Tagger:
    """English, roughly: a noun is what ends in -ness, -ment, -tion or -ship."""

    def read(text: str) -> Iterator[tuple[str, bool]]:
        for word in text.lower().split():
            yield word, word.endswith(ENDINGS)

    return read
