"""The text of a protocol: read as data, and one of its outermost keys written anew without touching the rest."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import yaml

from goldmark.protocols import Protocol
from goldmark.protocols.loading.yaml_reader import read


def data_of(source: str) -> dict[str, Any]:
    """The text as plain data, by the reader that every protocol passes."""
    return dict(plain(read(source, "protocol")))


def plain(value: Any) -> Any:
    """A copy that may be changed."""
    if isinstance(value, Mapping):
        return {key: plain(one) for key, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, list | tuple) else value


def with_key(source: str, key: str, value: object) -> str:
    """The text with one of its outermost keys written anew, where it stood or at the end."""
    text = source if source.endswith("\n") or not source else f"{source}\n"
    block = written({key: plain(value)})
    here = re.search(rf"(?m)^{re.escape(key)}:.*\n(?:(?:[ \t-].*)?\n)*", text)
    if here is None:
        return text + block
    blank = here.group(0)[len(here.group(0).rstrip()) + 1 :]  # before the next key
    return text[: here.start()] + block + blank + text[here.end() :]


class _Readable(yaml.SafeDumper):
    pass


def _words(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="|" if "\n" in value else None)


_Readable.add_representer(str, _words)
_Readable.ignore_aliases = lambda self, data: True  # type: ignore[method-assign]


def written(value: object) -> str:
    """Data as lines of YAML, long words as blocks, so that a change of one line is one line."""
    return str(yaml.dump(value, Dumper=_Readable, allow_unicode=True, sort_keys=False, width=100))


def tidy(words: str) -> str:
    """What was typed into a field, as it is written: lines end as everywhere, none is empty at the end."""
    said = words.replace("\r\n", "\n").strip()
    return f"{said}\n" if "\n" in said else said


def raw_questions(protocol: Protocol) -> list[dict[str, Any]]:
    return [plain(one) for step in protocol.resolved.get("steps", ()) for one in step.get("questions", ())]


def with_question(source: str, name: str, changes: Mapping[str, Any]) -> str:
    """Some keys of one question: under `change` where another protocol is extended, else where it stands."""
    data = data_of(source)
    stands_here = any(one.get("id") == name for step in data.get("steps", ()) for one in step.get("questions", ()))
    if not stands_here:
        change = dict(data.get("change") or {})
        change[name] = {**(change.get(name) or {}), **changes}
        return with_key(source, "change", change)
    for step in data["steps"]:
        for one in step.get("questions", ()):
            if one.get("id") == name:
                one.update(changes)
    return with_key(source, "steps", data["steps"])


def moved(some: list[Any], at: int, by: int) -> list[Any]:
    """The same with one of them further up or down; at an end nothing moves."""
    to = at + by
    if not (0 <= at < len(some) and 0 <= to < len(some)):
        return some
    changed = list(some)
    changed.insert(to, changed.pop(at))
    return changed
