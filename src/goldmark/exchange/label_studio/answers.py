"""Answers from the results of Label Studio: regions at their places in the texts, and what was said of them."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

from goldmark.errors import GoldmarkError
from goldmark.exchange.foreign_projects.project import utf16_places
from goldmark.exchange.label_studio.results import UNLABELLED, AnnotationResults, Region
from goldmark.exchange.responses.given import Counted
from goldmark.protocols.kinds.spans import SPAN_ID
from goldmark.records.spans import covering
from goldmark.records.texts import Text


class WordsElsewhere(GoldmarkError):
    code = "EXCHANGE-53"
    message = "the region {start}-{end} says {words!r}, but {found!r} stands there in {object!r}"


class NoSuchText(GoldmarkError):
    code = "EXCHANGE-54"
    message = "a region is of {object!r}, which is no text of this unit; it has {known}"


class WordsMissing(GoldmarkError):
    code = "EXCHANGE-55"
    message = "the region {start}-{end} of {object!r} touches no word"


def place_of(region: Region, characters: str) -> tuple[int, int] | None:
    """The characters that a region marks, if its own words stand there; some versions count units of 16 bits."""
    start, end = region.start, region.end
    if 0 <= start < end <= len(characters) and region.words in (None, characters[start:end]):
        return start, end
    units = utf16_places(characters)
    if 0 <= start < end <= len(units):
        start, end = units[start], units[end - 1] + 1
        if region.words == characters[start:end]:
            return start, end
    if region.words and "\\n" in region.words:  # as the page writes the end of a line
        region.words = region.words.replace("\\n", "\n")
        return place_of(region, characters)
    return None


def marks_in(
    found: AnnotationResults, texts: Mapping[str, Text], counted: Mapping[str, Counted], *, ours: bool = False
) -> dict[str, list[dict[str, Any]]]:
    """The regions as marks, by their control; `counted` says by control what positions count, if not characters."""
    marks: dict[str, list[dict[str, Any]]] = {}
    for number, region in enumerate(found.regions, start=1):
        by = counted.get(region.control, "character")
        mark: dict[str, Any] = {"id": region.id if SPAN_ID.fullmatch(region.id) else f"r{number}"}
        mark |= _place(region, texts, by)
        labels = [one for one in region.labels if not (ours and one == UNLABELLED)]
        mark |= {"label": labels[0]} if labels else {}
        for role, other in region.links:
            mark.setdefault("links", {}).setdefault(role, []).append(_place(other, texts, by))
        kept = region.meta.get("goldmark") if ours else None
        marks.setdefault(region.control, []).append({**mark, **region.said, **(kept or {})})
    return marks


def _place(region: Region, texts: Mapping[str, Text], by: Counted) -> dict[str, int]:
    text = texts.get(region.object)
    if text is None:
        raise NoSuchText(object=region.object, known=", ".join(texts))
    place = place_of(region, text.characters)
    if place is None:
        there = text.characters[region.start : region.end][:40]
        words = (region.words or "")[:40]
        raise WordsElsewhere(start=region.start, end=region.end, words=words, found=there, object=region.object)
    if by == "character":
        return {"start": place[0], "end": place[1]}
    tokens = covering(text.places, *place)
    if tokens is None:
        raise WordsMissing(start=region.start, end=region.end, object=region.object)
    return {"start": tokens.start, "end": tokens.end}


def said_in(found: Mapping[str, Any], several: Collection[str], as_json: Collection[str] = ()) -> dict[str, Any]:
    """Other answers by their control: one choice as itself, unless its question takes `several`."""
    return {
        control: json.loads(said) if control in as_json else _chosen(said, control in several)
        for control, said in found.items()
    }


def _chosen(said: Any, several: bool) -> Any:
    return said[0] if isinstance(said, list) and len(said) == 1 and not several else said
