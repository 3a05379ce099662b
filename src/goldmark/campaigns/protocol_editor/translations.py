"""What a protocol says in other languages, in fields: its author's `translations`, beside the words they are of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from goldmark.campaigns.protocol_editor.source import plain, tidy, with_key
from goldmark.protocols import Protocol, parse
from goldmark.protocols.presentation import taught_words, words_of


@dataclass(frozen=True)
class TranslationFields:
    """One language with what stands in its fields."""

    language: str
    instructions: str
    words: tuple[tuple[str, str], ...]  # as the protocol says it, and here


def readable(protocol: Protocol) -> list[str]:
    """All that can be translated, in its order, but for the instructions."""
    return [*words_of(protocol), *taught_words(protocol)]


def fields_of(protocol: Protocol) -> list[TranslationFields]:
    said = list(dict.fromkeys(readable(protocol)))
    return [
        TranslationFields(code, one.instructions, tuple((each, one.words.get(each, "")) for each in said))
        for code, one in protocol.file.translations.items()
    ]


def with_language(source: str, code: str) -> str:
    """One more language, with nothing in it yet."""
    now = plain(parse(source).resolved.get("translations") or {})
    return source if not code or code in now else with_key(source, "translations", {**now, code: {}})


def without_language(source: str, code: str) -> str:
    now = plain(parse(source).resolved.get("translations") or {})
    return with_key(source, "translations", {key: one for key, one in now.items() if key != code})


def with_translation(source: str, code: str, place: str, given: str) -> str:
    """The instructions in a language, or its words for those at a place of the list."""
    protocol = parse(source)
    now = plain(protocol.resolved.get("translations") or {})
    if code not in now:
        return source
    if place == "instructions":
        if tidy(given).strip() != now[code].get("instructions", "").strip():
            now[code]["instructions"] = tidy(given)
    else:
        said = list(dict.fromkeys(readable(protocol)))
        if not place.isdigit() or int(place) >= len(said):
            return source
        words = {key: each for key, each in now[code].get("words", {}).items() if key != said[int(place)]}
        if given.strip():
            words = {**words, said[int(place)]: tidy(given)}
        if words or "words" in now[code]:
            now[code]["words"] = words
    return source if now == plain(protocol.resolved["translations"]) else with_key(source, "translations", now)


def followed(source: str, before: Sequence[str]) -> str:
    """The text after words were changed in their fields: what they were translated as stays with them."""
    protocol = parse(source)
    after = readable(protocol)
    if not protocol.file.translations or len(after) != len(before):
        return source
    renamed = {old: new for old, new in zip(before, after, strict=True) if old not in after and new not in before}
    now = plain(protocol.resolved["translations"])
    changed = {
        code: {**one, "words": {renamed.get(key, key): said for key, said in one.get("words", {}).items()}}
        for code, one in now.items()
    }
    return with_key(source, "translations", changed) if renamed and changed != now else source
