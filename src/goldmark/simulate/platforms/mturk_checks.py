"""What Mechanical Turk demands of requests: the limits of its service model, and those that are told in words."""

from __future__ import annotations

import re
import string
from typing import Any
from urllib.parse import urlsplit
from xml.etree import ElementTree

LETTERS = string.ascii_uppercase + string.digits  # of ids
EXTERNAL = "{http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/ExternalQuestion.xsd}"
LOCALE = "00000000000000000071"
SYSTEM_TYPES = {LOCALE, "000000000000000000L0", "00000000000000000040", "00000000000000000060"}
MASTERS = {"2F1QJWKUDD8XADTFD2Q0G6UTO95ALH", "2ARFPLSP75KLA8M8DH1HTEQVJT3SY6"}


class TurkRefusal(Exception):
    """A RequestError, with Amazon's own code."""

    def __init__(self, code: str, words: str) -> None:
        super().__init__(words)
        self.code = code


def within_limits(given: Any, shape: Any, where: str) -> None:
    """Lengths, patterns and enumerations of the service model, which botocore's own check leaves to the server."""
    if shape.type_name == "structure":
        for name, value in given.items():
            within_limits(value, shape.members[name], f"{where}.{name}")
        return
    if shape.type_name == "list":
        for value in given:
            within_limits(value, shape.member, where)
        return
    limits = shape.metadata
    size = len(given) if shape.type_name == "string" else given
    amiss = (
        ("max" in limits and size > limits["max"])
        or ("min" in limits and size < limits["min"])
        or ("pattern" in limits and not re.search(limits["pattern"], given))
        or ("enum" in limits and given not in limits["enum"])
    )
    if amiss:
        raise TurkRefusal("AWS.ParameterValidation", f"{where}: {str(given)[:60]!r} is not allowed")


def between(given: dict[str, Any], name: str, low: int, high: int) -> None:
    if name in given and not low <= given[name] <= high:
        raise TurkRefusal("AWS.MechanicalTurk.InvalidParameterValue", f"{name} must be between {low} and {high}")


def at_most(given: dict[str, Any], **longest: int) -> None:
    for name, most in longest.items():
        if len(given.get(name, "")) > most:
            raise TurkRefusal("AWS.MechanicalTurk.InvalidParameterValue", f"{name} has more than {most} characters")


def check_requirement(one: dict[str, Any], lists: dict[str, Any]) -> None:
    number, how = one["QualificationTypeId"], one["Comparator"]
    if number not in lists and number not in SYSTEM_TYPES | MASTERS:
        raise TurkRefusal(
            "AWS.MechanicalTurk.QualificationTypeDoesNotExist", f"there is no qualification type {number}"
        )
    alone = how in ("Exists", "DoesNotExist")
    values = [name for name in ("IntegerValues", "LocaleValues") if name in one]
    if alone == bool(values) or len(values) > 1:
        raise TurkRefusal("AWS.MechanicalTurk.InvalidParameterValue", f"{how} with {values or 'no value'}")
    if ("LocaleValues" in one) != (number == LOCALE):
        raise TurkRefusal(
            "AWS.MechanicalTurk.InvalidParameterValue", "a locale is compared with locales, and nothing else is"
        )
    if "RequiredToPreview" in one:
        raise TurkRefusal("AWS.MechanicalTurk.InvalidParameterValue", "RequiredToPreview is no longer used")


def check_question(text: str) -> None:
    if len(text.encode()) > 65_535:
        raise TurkRefusal("AWS.MechanicalTurk.InvalidParameterValue", "the question is larger than 64 kilobytes")
    try:
        root = ElementTree.fromstring(text)  # noqa: S314 - our own client's
    except ElementTree.ParseError as error:
        raise TurkRefusal("AWS.MechanicalTurk.XMLParseError", f"the question is no XML: {error}") from error
    names = [one.tag for one in root]
    if root.tag != f"{EXTERNAL}ExternalQuestion" or names != [f"{EXTERNAL}ExternalURL", f"{EXTERNAL}FrameHeight"]:
        raise TurkRefusal("AWS.MechanicalTurk.XMLParseError", "not an ExternalQuestion")
    place = urlsplit(root.findtext(f"{EXTERNAL}ExternalURL") or "")
    if place.scheme != "https" and place.hostname not in ("127.0.0.1", "localhost"):
        raise TurkRefusal("AWS.MechanicalTurk.InvalidParameterValue", "the external URL must use https")
    if not re.fullmatch(r"\d+", root.findtext(f"{EXTERNAL}FrameHeight") or ""):
        raise TurkRefusal("AWS.MechanicalTurk.XMLParseError", "FrameHeight is a number")
