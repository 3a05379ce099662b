"""YAML in, plain data out, every mapping and list remembering its file and lines.

Only what protocols need of YAML: no tags, no dates, no sexagesimal numbers, and `yes`, `no`, `on`, `off` are words, as
in YAML 1.2, because they are what people write as options. Size, depth and the use of aliases are limited.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

import yaml

from goldmark.errors import Problem

LARGEST_FILE: Final = 500_000  # bytes
DEEPEST: Final = 40
MOST_ALIASES: Final = 50
MOST_NODES: Final = 50_000


class Map(dict[str, Any]):
    """A mapping that knows where it and each of its keys stand, as `file:line`."""

    def __init__(self, items: Mapping[str, Any] = MappingProxyType({}), where: str = "") -> None:
        super().__init__(items)
        self.where = where
        self.places: dict[str | int, str] = {}


class Seq(list[Any]):
    """A list that knows where it and each of its items stand, as `file:line`."""

    def __init__(self, items: Iterable[Any] = (), where: str = "") -> None:
        super().__init__(items)
        self.where = where
        self.places: dict[str | int, str] = {}


class YamlNotReadable(Exception):
    """The file is not YAML, or more than a protocol needs of it."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(map(str, problems)))


_SafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the same in C, ten times as fast, where it is built


class _Loader(_SafeLoader):  # type: ignore[misc]
    """Only null, true, false and decimal numbers are more than text."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - the name is PyYAML's


DIGITS: Final = list("-+0123456789")
_Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"^(?:~|null|)$"), ["~", "n", ""])
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$"), ["t", "f"])
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:int", re.compile(r"^[-+]?(?:0|[1-9][0-9]{0,17})$"), list("-+0123456789")
)
_Loader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(r"^[-+]?[0-9]+\.[0-9]+$"), list("-+0123456789"))


def read(source: str, file: str) -> Map:
    """The file's data, or `NotReadable` with all that can be said about why not."""
    if len(source.encode("utf-8", "surrogatepass")) > LARGEST_FILE:
        raise YamlNotReadable([Problem(f"{file}:1", f"the file is larger than {LARGEST_FILE // 1000} KB")])
    problems: list[Problem] = []
    try:
        _refuse_tricks(source, file)
        loader = _Loader(source)
        node = loader.get_single_node()
        data = _Building(loader, file, problems).build(node) if node else None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        unquoted = "mapping values" in str(error) or "expected ',' or" in str(error)
        remedy = "text with : # ? or , in it may need quotation marks" if unquoted else ""
        raise YamlNotReadable([Problem(f"{file}:{line}", f"this is not YAML: {error.problem}", remedy)]) from None
    except yaml.YAMLError as error:
        raise YamlNotReadable([Problem(f"{file}:1", f"this is not YAML: {error}")]) from None
    if problems:
        raise YamlNotReadable(problems)
    if not isinstance(data, Map):
        raise YamlNotReadable(
            [Problem(f"{file}:1", "a protocol is a mapping of keys to values", "start with `protocol: name/1`")]
        )
    return data


def _refuse_tricks(source: str, file: str) -> None:
    """Look at the events before anything recursive sees the file."""
    depth = aliases = 0
    for number, event in enumerate(yaml.parse(source, Loader=_Loader)):
        if isinstance(event, yaml.AliasEvent):
            aliases += 1
        elif isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        line = event.start_mark.line + 1
        if getattr(event, "tag", None):
            raise YamlNotReadable([Problem(f"{file}:{line}", f'the tag "{event.tag}" is not allowed', "leave it out")])
        if number > MOST_NODES:
            raise YamlNotReadable([Problem(f"{file}:{line}", "the file holds too much")])
        if depth > DEEPEST:
            raise YamlNotReadable([Problem(f"{file}:{line}", f"lists and mappings nest deeper than {DEEPEST} levels")])
        if aliases > MOST_ALIASES:
            raise YamlNotReadable([Problem(f"{file}:{line}", f"more than {MOST_ALIASES} aliases are used")])


class _Building:
    """From YAML nodes to data; an alias is built again wherever it is used, within a limit."""

    def __init__(self, loader: _Loader, file: str, problems: list[Problem]) -> None:
        self.loader, self.file, self.problems = loader, file, problems
        self.nodes = 0

    def build(self, node: yaml.Node, depth: int = 0) -> Any:
        self.nodes += 1
        line = node.start_mark.line + 1
        if self.nodes > MOST_NODES or depth > DEEPEST:
            raise YamlNotReadable([Problem(f"{self.file}:{line}", "the file unfolds into too much")])
        if isinstance(node, yaml.MappingNode):
            return self.mapping(node, depth)
        if isinstance(node, yaml.SequenceNode):
            items = Seq([self.build(item, depth + 1) for item in node.value], f"{self.file}:{line}")
            items.places = {place: self.where(item) for place, item in enumerate(node.value)}
            return items
        return self.loader.construct_object(node)

    def mapping(self, node: yaml.MappingNode, depth: int) -> Map:
        data = Map(where=self.where(node))
        for key_node, value_node in node.value:
            where = self.where(key_node)
            if not isinstance(key_node, yaml.ScalarNode):
                self.problems.append(Problem(where, "a key must be a word"))
                continue
            key = str(key_node.value)
            if key in data:
                what = f'the key "{key}" was already used at {data.places[key]}'
                self.problems.append(Problem(where, what, "remove one of the two", key))
            data[key] = self.build(value_node, depth + 1)
            data.places[key] = where
        return data

    def where(self, node: yaml.Node) -> str:
        return f"{self.file}:{node.start_mark.line + 1}"


def place(root: Map, path: Sequence[str | int]) -> tuple[str, list[str | int]]:
    """Where the deepest existing part of a path stands, and the path without the parts that do not exist."""
    here: Any = root
    where, taken = root.where, []
    for part in path:
        places = here.places if isinstance(here, Map | Seq) else {}
        if part in places:
            where, here = places[part], here[part]
            taken.append(part)
    return where, taken
