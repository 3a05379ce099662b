"""Campaigns, leaderboards and studies are one YAML file each: what reading such a file has in common."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from goldmark.errors import GoldmarkError, Problem, ProblemsFound
from goldmark.protocols import Protocol as AskedProtocol
from goldmark.protocols import load
from goldmark.protocols.loading.messages import in_words
from goldmark.protocols.loading.yaml_reader import Map, YamlNotReadable, place, read
from goldmark.texts.readers.formats import inside

Model = TypeVar("Model", bound=BaseModel)


class Misplaced(Protocol):
    """Something wrong at a key of the file."""

    @property
    def key(self) -> tuple[str | int, ...]: ...
    @property
    def what(self) -> str: ...
    @property
    def remedy(self) -> str: ...


class _Dumper(yaml.SafeDumper):
    """Words on several lines stay on several lines, as somebody would write them."""


def _words(dumper: yaml.SafeDumper, words: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", words, style="|" if "\n" in words else None)


_Dumper.add_representer(str, _words)


def written(values: Any) -> str:
    """Values as the text of such a file."""
    return str(yaml.dump(values, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100))


def source_of(path: Path, missing: type[GoldmarkError]) -> str:
    """The text of a file; `missing` is raised, with `file` and `why`, if there is none."""
    try:
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise missing(file=path, why=getattr(error, "strerror", None) or error) from error


def data_of(source: str, file: str, consequence: str = "nothing was created") -> Map:
    """What the text says, with the line of every key."""
    try:
        return read(source, file)
    except YamlNotReadable as error:
        raise ProblemsFound(error.problems, consequence=consequence) from error


def checked(model: type[Model], data: Map, problems: list[Problem]) -> Model | None:
    """The file's own keys, or None and everything that is wrong with them in `problems`."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        problems += placed(data, in_words(error, model))
        return None


def placed(data: Map, mistakes: Iterable[Misplaced]) -> list[Problem]:
    """Problems with their lines."""
    found = []
    for mistake in mistakes:
        where, at = place(data, mistake.key)
        found.append(Problem(where, mistake.what, mistake.remedy, ".".join(map(str, at))))
    return found


def protocol_of(data: Map, path: Path, problems: list[Problem]) -> AskedProtocol | None:
    """The protocol that the file names: a built-in one, or a file beside it."""
    name: Any = data.get("protocol")
    if not isinstance(name, str):
        return None  # said already
    try:
        return load(inside(path.parent, name) if name.endswith((".yaml", ".yml", ".json")) else name)
    except ProblemsFound as error:
        problems += error.problems
    except GoldmarkError as error:
        problems.append(Problem(place(data, ["protocol"])[0], str(error), part="protocol"))
    return None
