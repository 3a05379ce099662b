"""Protocols by name or from files: `load` gives one or says all that is wrong, `check` only says."""

from __future__ import annotations

from functools import cache
from importlib import resources
from pathlib import Path

from goldmark.errors import Missing, Problem, ProblemsFound
from goldmark.protocols.checks.protocol import check_data
from goldmark.protocols.language import Protocol, ProtocolFile
from goldmark.protocols.loading.did_you_mean import did_you_mean, few_guesses
from goldmark.protocols.loading.extends import extended
from goldmark.protocols.loading.yaml_reader import LARGEST_FILE, Map, YamlNotReadable, place, read


class ProtocolUnknown(Missing):
    code = "PROTOCOL-01"
    message = 'there is no built-in protocol "{name}"; {remedy}'


class FileMissing(Missing):
    code = "PROTOCOL-02"
    message = "the file {file} cannot be read: {reason}"


def builtin_names() -> list[str]:
    """The built-in protocols with their versions, such as accuracy/1."""
    return sorted(_builtin_sources(), key=lambda name: (name.partition("/")[0], int(name.partition("/")[2])))


def load(path_or_name: str | Path) -> Protocol:
    """A built-in protocol ("accuracy" is the newest version, "accuracy/1" that one) or the protocol in a file."""
    if isinstance(path_or_name, Path) or path_or_name.endswith((".yaml", ".yml", ".json")):
        path = Path(path_or_name)
        return parse(_read(path), file=str(path))
    return _builtin(_full_name(path_or_name))


def parse(source: str, *, file: str = "protocol.yaml") -> Protocol:
    """The protocol in a text; `file` names it in messages."""
    protocol, problems = _parsed(source, file)
    if protocol is None:
        raise ProblemsFound(problems, consequence="the protocol was not loaded")
    return Protocol(protocol, source)


def check(path: str | Path) -> list[Problem]:
    """Every problem of a protocol file, in the order of its lines."""
    return _parsed(_read(Path(path)), str(path))[1]


def _parsed(source: str, file: str) -> tuple[ProtocolFile | None, list[Problem]]:
    try:
        with few_guesses():
            data, problems = _resolved(source, file)
            protocol, found = check_data(data)
    except YamlNotReadable as error:
        return None, list(error.problems)
    problems += found
    return (None if problems else protocol), problems


def resolved_data(source: str) -> Map:
    """The data of a text, right or wrong, with what it extends put in; empty if it cannot be read at all."""
    try:
        return _resolved(source, "protocol.yaml")[0]
    except YamlNotReadable:
        return Map()


def _resolved(source: str, file: str) -> tuple[Map, list[Problem]]:
    """The data of a file with what it extends put in."""
    data = read(source, file)
    if "extends" not in data:
        return data, []
    where = place(data, ["extends"])[0]
    try:
        base = _full_name(str(data["extends"]))
    except ProtocolUnknown as error:
        raise YamlNotReadable([Problem(where, str(error), part="extends")]) from None
    if base == data.get("protocol"):
        raise YamlNotReadable([Problem(where, "a protocol cannot extend itself", part="extends")])
    basis, problems = _resolved(_builtin_sources()[base], f"builtin/{base.replace('/', '-')}.yaml")
    merged, more = extended(data, basis)
    return merged, problems + more


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise FileMissing(file=path, reason=f"it is larger than {LARGEST_FILE // 1000} KB")
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileMissing(file=path, reason=f"it is not UTF-8 (byte {error.start})") from None
    except OSError as error:
        raise FileMissing(file=path, reason=error.strerror or "unknown") from None


@cache
def _builtin(name: str) -> Protocol:
    return parse(_builtin_sources()[name], file=f"builtin/{name.replace('/', '-')}.yaml")


@cache
def _builtin_sources() -> dict[str, str]:
    """The text of every built-in protocol, by full name. A file is called after its protocol and version."""
    folder = resources.files("goldmark.protocols") / "builtin"
    sources = {}
    for entry in folder.iterdir():
        stem, _, kind = entry.name.rpartition(".")
        if kind == "yaml":
            name, _, version = stem.rpartition("-")
            sources[f"{name}/{version}"] = entry.read_text(encoding="utf-8")
    return sources


def _full_name(name: str) -> str:
    known = _builtin_sources()
    if name in known:
        return name
    versions = sorted((int(one.partition("/")[2]), one) for one in known if one.partition("/")[0] == name)
    if versions:
        return versions[-1][1]
    names = {one.partition("/")[0] for one in known}
    remedy = did_you_mean(name.partition("/")[0], names) or f"there are {', '.join(sorted(names))}"
    raise ProtocolUnknown(name=name, remedy=f"{remedy} A file's name ends in .yaml." if "?" in remedy else remedy)
