"""The text of a protocol changed field by field: each change rewrites the one key it is about and leaves the rest.

Of a protocol that extends another, a changed question stands under `change`, so that the text goes on saying only what
differs; of one that stands alone, among its `steps`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml

from goldmark.errors import GoldmarkError
from goldmark.protocols import Protocol, parse
from goldmark.protocols.loading.yaml_reader import read

WORDS = ("title", "summary", "instructions")


class NotAnItem(GoldmarkError):
    code = "PROTOCOL-14"
    message = "the item has no text; write the text that people should judge"


class NotAMark(GoldmarkError):
    code = "PROTOCOL-15"
    message = 'the line "{line}" is not understood; write words as they stand in the text, a bar, a label: 24 | NUMBER'


@dataclass(frozen=True)
class OptionFields:
    id: str
    title: str
    value: str  # a number, or nothing


@dataclass(frozen=True)
class QuestionFields:
    """What people most often change of a question."""

    id: str
    kind: str
    ask: str
    help: str
    options: tuple[OptionFields, ...] = ()


@dataclass(frozen=True)
class NewItem:
    """A text with a known answer, as a form gives it."""

    place: str  # examples, practice or qualification
    text: str
    marks: Mapping[str, str] = field(default_factory=dict)  # lines of a question about passages
    chosen: Mapping[str, str] = field(default_factory=dict)  # the right option of a question
    explanation: str = ""
    kit: str = "lessons"


def fields_of(protocol: Protocol) -> list[QuestionFields]:
    """The questions of a protocol with what stands in their fields."""
    return [_fields(one) for one in _raw_questions(protocol.resolved)]


def _fields(one: Mapping[str, Any]) -> QuestionFields:
    options = tuple(
        OptionFields(str(each["id"]), str(each.get("title", each["id"])), _number(each.get("value")))
        for each in one.get("options", ())
        if isinstance(each, Mapping)
    )
    return QuestionFields(
        str(one["id"]), str(one.get("kind", "")), str(one.get("ask", "")), str(one.get("help", "")), options
    )


def _number(value: object) -> str:
    return f"{value:g}" if isinstance(value, int | float) and not isinstance(value, bool) else ""


def _raw_questions(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [dict(one) for step in data.get("steps", ()) for one in step.get("questions", ())]


def with_fields(source: str, words: Mapping[str, str], questions: Sequence[QuestionFields]) -> str:
    """The text with these words and questions, where they differ from what it says."""
    protocol = parse(source)
    for key in WORDS:
        said = words.get(key, "").replace("\r\n", "\n").strip()
        if key in words and said != str(getattr(protocol, key)).strip():
            source = with_key(source, key, f"{said}\n" if "\n" in said else said)
    before = {one.id: one for one in fields_of(protocol)}
    raw = {str(one["id"]): one for one in _raw_questions(protocol.resolved)}
    for one in questions:
        if one.id in before and one != before[one.id]:
            source = _with_question(source, one.id, _changes(before[one.id], one, raw[one.id]))
    return source


def _changes(before: QuestionFields, after: QuestionFields, raw: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {
        key: getattr(after, key) for key in ("ask", "help") if getattr(after, key) != getattr(before, key)
    }
    if after.options != before.options:
        found["options"] = _options(after.options, {str(one["id"]): one for one in raw.get("options", ())})
    return found


def _options(given: Iterable[OptionFields], known: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Options with what else was said of them; one without a title is gone."""
    taken = {one.id for one in given if one.id}
    options = []
    for one in given:
        if not one.title.strip():
            continue
        name = one.id or _name_for(one.title, taken)
        taken.add(name)
        option = {**known.get(name, {}), "id": name, "title": one.title.strip()}
        option.pop("value", None)
        if one.value.strip():
            option["value"] = _as_number(one.value.strip())
        options.append(option)
    return options


def _as_number(given: str) -> float | int | str:
    try:
        value = float(given.replace(",", "."))
    except ValueError:
        return given  # the check of the protocol says so at its line
    return int(value) if value.is_integer() else value


def _name_for(title: str, taken: Iterable[str]) -> str:
    plain = re.sub(r"[^a-z0-9]+", "_", title.lower()).strip("_")[:40] or "option"
    names = [plain if plain[0].isalpha() else f"o_{plain}", *(f"{plain}_{number}" for number in range(2, 1000))]
    return next(one for one in names if one not in set(taken))


def _with_question(source: str, name: str, changes: Mapping[str, Any]) -> str:
    data = _data(source)
    if "extends" in data:
        change = dict(data.get("change") or {})
        change[name] = {**(change.get(name) or {}), **changes}
        return with_key(source, "change", change)
    for step in data.get("steps", ()):
        for one in step.get("questions", ()):
            if one.get("id") == name:
                one.update(changes)
    return with_key(source, "steps", data["steps"])


def with_item(source: str, item: NewItem) -> str:
    """The text with one more training or qualification item."""
    if not item.text.strip():
        raise NotAnItem
    protocol = parse(source)
    expected: dict[str, Any] = {name: _marks(lines) for name, lines in item.marks.items()}
    expected |= {name: chosen for name, chosen in item.chosen.items() if chosen}
    exercise: dict[str, Any] = {"text": item.text.replace("\r\n", "\n").strip(), "expected": expected}
    if item.explanation.strip():
        exercise["explanation"] = item.explanation.strip()
    # Of a protocol that extends another, a key replaces the other's: what was taught there stays.
    if item.place == "qualification":
        usual = {"name": protocol.name, "units": [], "pass": {"score": 0.7}, "attempts": 2}
        test = dict(protocol.resolved.get("qualification") or usual)
        return with_key(source, "qualification", {**test, "units": [*test["units"], exercise]})
    kits = {name: list(parts) for name, parts in (protocol.resolved.get("training") or {}).items()}
    parts = kits.setdefault(item.kit or next(iter(kits), "lessons"), [])
    last = next((one for one in reversed(parts) if item.place in one), None)
    if last is None:
        title = "Examples" if item.place == "examples" else "Practice"
        parts.append({"title": title, item.place: [exercise]})
    else:
        parts[parts.index(last)] = {**last, item.place: [*last[item.place], exercise]}
    return with_key(source, "training", kits)


def _marks(lines: str) -> list[dict[str, str]]:
    """`24 | NUMBER | 22 | the box score says so`: words, label, correction and reason, one passage on each line."""
    found = []
    for line in lines.splitlines():
        if not line.strip():
            continue
        parts = [one.strip() for one in line.split("|")]
        if len(parts) < 2 or not parts[0] or not parts[1]:
            raise NotAMark(line=line.strip()[:80])
        keys = ("quote", "label", "correction", "because")
        found.append({key: part for key, part in zip(keys, parts, strict=False) if part})
    return found


def _data(source: str) -> dict[str, Any]:
    """The text as plain data, by the reader that every protocol passes."""
    return dict(_plain(read(source, "protocol")))


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value


def with_key(source: str, key: str, value: object) -> str:
    """The text with one of its outermost keys written anew, where it stood or at the end."""
    text = source if source.endswith("\n") or not source else f"{source}\n"
    block = written({key: _plain(value)})
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
