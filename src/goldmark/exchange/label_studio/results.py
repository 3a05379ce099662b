"""What an annotation of Label Studio says: its regions with what belongs to each, and its other answers.

A control is known by the name that the labelling config gives it (`from_name`); it speaks of an object, a text say, by
that one's name (`to_name`). Labels, choices, ratings, numbers, words, pairs and relations are read, whoever wrote them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from goldmark.errors import GoldmarkError

LINKED = "-links"  # ends the name of the control with which Goldmark marks what belongs to another region
UNLABELLED = "Marked"  # the label of a region where Goldmark asks for none; Label Studio needs one to mark with
RELATED = "related"  # the role of a linked region whose relation has no name
_REGIONS = ("labels", "hypertextlabels", "paragraphlabels")


class StrangeResult(GoldmarkError):
    code = "EXCHANGE-52"
    message = "{control!r} is a control of the type {type!r}, which cannot be read here; export without it"


@dataclass
class Region:
    """A marked passage: where it is of which object, and what was said of it."""

    id: str
    control: str
    object: str
    start: int
    end: int
    words: str | None  # as the file repeats them
    labels: list[str]
    said: dict[str, Any] = field(default_factory=dict)
    links: list[tuple[str, Region]] = field(default_factory=list)
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass
class AnnotationResults:
    """One annotation: regions in their order, and answers about the whole by their control."""

    regions: list[Region] = field(default_factory=list)
    said: dict[str, Any] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)  # by control its type
    objects: dict[str, str] = field(default_factory=dict)  # by control what it speaks of


def results_of(items: Iterable[Mapping[str, Any]]) -> AnnotationResults:
    """The parts of an annotation put together."""
    found = AnnotationResults()
    listed = list(items)
    regions: dict[str, Region] = {}
    for item in listed:
        if item.get("type") in _REGIONS:
            region = _region(item)
            regions[region.id] = region
            found.regions.append(region)
    for item in listed:
        kind = str(item.get("type"))
        if kind == "relation":
            _relate(item, regions)
        elif kind not in _REGIONS:
            _say(item, kind, regions, found)
    linked = {id(other) for region in found.regions for _, other in region.links}
    found.regions = [one for one in found.regions if not (one.control.endswith(LINKED) and id(one) in linked)]
    for region in found.regions:
        found.kinds[region.control] = "labels"
        found.objects[region.control] = region.object
    return found


def _region(item: Mapping[str, Any]) -> Region:
    value = item["value"]
    # HyperText counts in the text that is shown; its own start and end are places in the HTML.
    place = value.get("globalOffsets") or value
    start, end = place["start"], place["end"]
    if type(start) is not int or type(end) is not int:
        raise StrangeResult(control=item.get("from_name"), type="region without offsets in characters")
    labels = value.get(item["type"]) or value.get("labels") or []
    words = value.get("text")
    return Region(
        id=str(item["id"]),
        control=str(item["from_name"]),
        object=str(item["to_name"]),
        start=start,
        end=end,
        words=words if isinstance(words, str) else None,
        labels=[str(one) for one in labels],
        meta=item.get("meta") or {},
    )


def _relate(item: Mapping[str, Any], regions: Mapping[str, Region]) -> None:
    one, other = regions.get(str(item.get("from_id"))), regions.get(str(item.get("to_id")))
    if item.get("direction") == "left":
        one, other = other, one
    if one is not None and other is not None:
        one.links.append((str(next(iter(item.get("labels") or ()), RELATED)), other))


def _say(item: Mapping[str, Any], kind: str, regions: Mapping[str, Region], found: AnnotationResults) -> None:
    control = str(item["from_name"])
    said = _value(kind, control, item.get("value") or {})
    region = regions.get(str(item.get("id")))
    if region is not None:
        region.said[control.removeprefix(f"{region.control}-")] = said
    else:
        found.said[control] = said
        found.kinds[control] = kind
        found.objects[control] = str(item.get("to_name") or "")


def _value(kind: str, control: str, value: Mapping[str, Any]) -> Any:
    match kind:
        case "choices":
            return [str(one) for one in value["choices"]]
        case "taxonomy":
            return [" / ".join(map(str, path)) for path in value["taxonomy"]]
        case "textarea":
            return "\n".join(map(str, value["text"])) if isinstance(value["text"], list) else str(value["text"])
        case "number" | "rating":
            return value[kind]
        case "pairwise":
            return str(value["selected"])
        case "datetime":
            return str(value["datetime"])
    raise StrangeResult(control=control, type=kind)
