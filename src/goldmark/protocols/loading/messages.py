"""What pydantic finds wrong with a file, as a person would say it, with what may have been meant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from goldmark.protocols.kinds import KINDS, ProtocolMistake
from goldmark.protocols.loading.did_you_mean import did_you_mean

SHAPES: Mapping[str, str] = {
    "bool_parsing": "must be true or false",
    "bool_type": "must be true or false",
    "dict_type": "must be a mapping",
    "float_parsing": "must be a number",
    "float_type": "must be a number",
    "int_from_float": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_type": "must be a whole number",
    "model_type": "must be a mapping",
    "string_type": "must be text; put it in quotation marks",
    "tuple_type": "must be a list",
}


def in_words(error: ValidationError, root: type[BaseModel]) -> Iterator[ProtocolMistake]:
    """Everything pydantic found in a file of this model, as a person would say it."""
    details = error.errors(include_url=False)
    for one in details:
        # A list counts only its right items: "too short" is no news beside what is wrong with the others.
        beside = one["type"] == "too_short" and any(
            other is not one and other["loc"][: len(one["loc"])] == one["loc"] for other in details
        )
        if not beside:
            yield _one_in_words(one, root)


def _one_in_words(error: ErrorDetails, root: type[BaseModel]) -> ProtocolMistake:
    path, kind = error["loc"], error["type"]
    key = str(path[-1]) if path else ""
    if kind == "extra_forbidden":
        known = list(_model_at(path[:-1], root).model_fields)
        return ProtocolMistake(
            path, f'there is no key "{key}" here', did_you_mean(key, known) or f"the keys are {', '.join(known)}"
        )
    if kind == "missing":
        return ProtocolMistake(path, f'"{key}" is missing')
    if kind == "union_tag_invalid":
        found = str(error["ctx"]["tag"])
        known = [one for one in KINDS if f"'{one}'" in error["ctx"]["expected_tags"]]
        broken = found in KINDS and KINDS.why_not(KINDS.plugins()[found])
        if broken:
            return ProtocolMistake((*path, "kind"), f'the kind "{found}" cannot be loaded: {broken}')
        near = did_you_mean(found, known) or f"the kinds are {', '.join(known)}"
        return ProtocolMistake((*path, "kind"), f'"{found}" is not a kind of question here', near)
    if kind == "union_tag_not_found":
        return ProtocolMistake(path, '"kind" is missing', f"the kinds are {', '.join(KINDS.usable())}")
    if kind == "string_pattern_mismatch":
        return ProtocolMistake(
            path, f'"{key}" is "{str(error["input"])[:80]}", which does not fit', _pattern(error["ctx"]["pattern"])
        )
    if kind == "too_short":
        return ProtocolMistake(path, f'"{key}" needs at least {error["ctx"]["min_length"]}')
    if kind == "too_long":
        return ProtocolMistake(path, f'"{key}" can have at most {error["ctx"]["max_length"]}')
    if kind in SHAPES:
        return ProtocolMistake(path, f'"{key}" {SHAPES[kind]}')
    message = error["msg"].removeprefix("Value error, ")
    return ProtocolMistake(path, f'"{key}": {message[:1].lower()}{message[1:]}' if kind != "value_error" else message)


def _pattern(pattern: str) -> str:
    """What a pattern asks for, in words."""
    if "/" in pattern:
        return "write a name in small letters, a slash and a version number, such as accuracy/1"
    if pattern.startswith("^[a-z0-9][a-z0-9-]"):
        return "use small letters, digits and hyphens, such as summaries-2"
    if pattern == r"^[a-z0-9]?$":
        return "a key is one small letter or digit"
    small = "a-zA-Z" not in pattern and "A-Z" not in pattern
    return f"use {'small ' if small else ''}letters, digits{'' if small else ', -'} and _, starting with a letter"


def _model_at(path: tuple[str | int, ...], root: type[BaseModel]) -> type[BaseModel]:
    """Which part of a file stands at a path, for naming the keys that it has."""
    model = root
    for part in path:
        if part in KINDS.usable():
            model = KINDS[str(part)]
        elif isinstance(part, str) and part in model.model_fields:
            model = next(iter(_models(model.model_fields[part].annotation)), model)
    return model


def _models(annotation: object) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models(inner)
