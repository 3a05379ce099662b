"""A labelling config of Label Studio, as far as it says where texts stand and what was asked."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from xml.etree import ElementTree

from goldmark.errors import GoldmarkError

_FIELD = re.compile(r"\$([A-Za-z_][\w]*)")


class NotAConfig(GoldmarkError):
    code = "EXCHANGE-56"
    message = "{file} is no labelling config: {reason}"


@dataclass
class ConfigControl:
    """A control: its tag, what it speaks of, and what can be chosen, in its order."""

    tag: str
    object: str
    options: list[str] = field(default_factory=list)
    several: bool = False
    per_region: bool = False
    least: float | None = None
    most: float | None = None


@dataclass
class LabellingConfig:
    objects: dict[str, str] = field(default_factory=dict)  # by the name of an object the field of the data
    shown: list[str] = field(default_factory=list)  # fields that people see without marking in them
    controls: dict[str, ConfigControl] = field(default_factory=dict)


def read_config(file: str, written: str) -> LabellingConfig:
    if "<!" in written.replace("<!--", ""):  # no entities, so that no small file becomes a large one
        raise NotAConfig(file=file, reason="it declares a document type")
    try:
        root = ElementTree.fromstring(written)  # noqa: S314 (nothing is declared, see above)
    except ElementTree.ParseError as error:
        raise NotAConfig(file=file, reason=str(error)) from None
    found = LabellingConfig()
    for element in root.iter():
        name, value = element.get("name"), element.get("value") or ""
        if element.get("toName") is not None and name:
            found.controls[name] = _control(element)
        elif (there := _FIELD.search(value)) is not None:
            if name:
                found.objects[name] = there[1]
            else:
                found.shown.append(there[1])
    pointed = {one for control in found.controls.values() for one in control.object.split(",")}
    found.shown += [where for name, where in found.objects.items() if name not in pointed]
    return found


def _control(element: ElementTree.Element) -> ConfigControl:
    options = [
        chosen
        for child in element.iter()
        if child is not element and (chosen := child.get("alias") or child.get("value"))
    ]
    tag = element.tag.casefold()
    numbers = {key: element.get(key) for key in ("min", "max", "maxRating")}
    bounds = {key: float(value) for key, value in numbers.items() if value and re.fullmatch(r"-?\d+(\.\d+)?", value)}
    rating = tag == "rating"
    return ConfigControl(
        tag,
        element.get("toName") or "",
        options,
        element.get("choice") == "multiple",
        element.get("perRegion") == "true",
        1 if rating else bounds.get("min"),
        bounds.get("maxRating", 5) if rating else bounds.get("max"),
    )
