"""The texts of a protocol's training and qualification in fields, each with its answer key.

An item is named by where it stands: `training.KIT.PART.examples.0`, `qualification.0`. What has no field of its own
(tables beside a text, a key with several right answers) stays as it is written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from goldmark.campaigns.protocol_editor.questions import as_number
from goldmark.campaigns.protocol_editor.source import moved, plain, tidy, with_key
from goldmark.errors import GoldmarkError
from goldmark.protocols import Protocol, parse
from goldmark.protocols.kinds.spans import SpansQuestion
from goldmark.texts.readers.rows import LETTERS, ROLES, SEVERAL

IN_A_LINE = ("quote", "label", "correction", "because")
LISTS = ("examples", "practice")
OR = "//"  # between several that are right


class NotAnItem(GoldmarkError):
    code = "PROTOCOL-14"
    message = "the item has no text; write every text that people should judge"


class NotAMark(GoldmarkError):
    code = "PROTOCOL-15"
    message = 'the line "{line}" is not understood; write words as they stand in the text, a bar, a label: 24 | NUMBER'


@dataclass(frozen=True)
class NewItem:
    """A text with a known answer, as a form gives it."""

    place: str  # examples, practice or qualification
    texts: Mapping[str, str]  # by role
    marks: Mapping[str, str] = field(default_factory=dict)  # lines of a question about passages
    chosen: Mapping[str, Sequence[str]] = field(default_factory=dict)  # the right options of a question
    explanation: str = ""
    kit: str = "lessons"


@dataclass(frozen=True)
class ItemFields:
    """An item with what stands in its fields."""

    address: str
    texts: dict[str, str]  # by role: text, or a and b and so on
    marks: dict[str, str]  # lines, by question
    chosen: dict[str, tuple[str, ...]]  # options, by question
    explanation: str
    others: tuple[str, ...]  # what is said besides, in YAML alone
    pair: bool = False  # of a comparison, whose `answer` is a or b
    answer: str = ""

    @property
    def beginning(self) -> str:
        return " ".join(next(iter(self.texts.values()), "").split())[:80]


@dataclass(frozen=True)
class PartFields:
    """A part of a training kit."""

    address: str
    kit: str
    title: str
    kind: str
    instructions: str
    items: tuple[ItemFields, ...]


def parts_of(protocol: Protocol) -> list[PartFields]:
    """What is taught, part by part."""
    found = []
    for kit, parts in (protocol.resolved.get("training") or {}).items():
        for at, part in enumerate(parts):
            address = f"training.{kit}.{at}"
            kind = next(one for one in ("instructions", "examples", "practice", "comparison") if one in part)
            items = tuple(
                _item(protocol, f"{address}.{key}.{number}", one)
                for key, some in (
                    *((key, part.get(key) or ()) for key in LISTS),
                    ("pairs", (part.get("comparison") or {}).get("pairs", ())),
                )
                for number, one in enumerate(some)
            )
            said = str(part.get("instructions") or "")
            found.append(PartFields(address, kit, str(part.get("title", "")), kind, said, items))
    return found


def test_of(protocol: Protocol) -> list[ItemFields]:
    """The texts of the qualification."""
    units = (protocol.resolved.get("qualification") or {}).get("units", ())
    return [_item(protocol, f"qualification.{number}", one) for number, one in enumerate(units)]


def _item(protocol: Protocol, address: str, one: Mapping[str, Any]) -> ItemFields:
    texts = _texts(one)
    pair = "answer" in one
    marks, chosen, others = {}, {}, [key for key in ("context", "prompt", "tokens", "given") if key in one]
    expected = one.get("expected") or {}
    for question in () if pair else protocol.questions():
        key = expected.get(question.id)
        if isinstance(question, SpansQuestion):
            lines = [] if key is None else _lines(key)
            if lines is None:
                others.append(f"expected.{question.id}")
            else:
                marks[question.id] = "\n".join(lines)
        elif question.options_with_numbers():
            several = [key] if isinstance(key, str) else key or []
            if isinstance(several, list) and all(isinstance(each, str) for each in several):
                chosen[question.id] = tuple(several)
            else:
                others.append(f"expected.{question.id}")
        elif key is not None:
            others.append(f"expected.{question.id}")
    answer = str(one.get("answer", ""))
    return ItemFields(
        address, texts, marks, chosen, str(one.get("explanation", "")), tuple(others), pair=pair, answer=answer
    )


def _texts(one: Mapping[str, Any]) -> dict[str, str]:
    """The texts of an item by role; three and more stand together, also as a list."""
    several = one.get(SEVERAL) or {}
    by_role = several if isinstance(several, Mapping) else dict(zip(LETTERS, several, strict=False))
    found = {key: one[key] for key in ROLES if one.get(key) is not None} | dict(by_role)
    return {role: str(text) for role, text in found.items()}


def _lines(key: object) -> list[str] | None:
    """An answer key as lines; None if it says more than lines can."""
    if not isinstance(key, list) or not all(isinstance(one, Mapping) and "quote" in one for one in key):
        return None
    return [" | ".join(_cell(one.get(part, "")) for part in IN_A_LINE).rstrip(" |") for one in key]


def _cell(said: object) -> str:
    """A part of a line; of several that are right each stands after a double slash."""
    return f" {OR} ".join(map(str, said)) if isinstance(said, list | tuple) else str(said)


def with_item(source: str, item: NewItem) -> str:
    """The text with one more training or qualification item."""
    if not item.texts or not all(text.strip() for text in item.texts.values()):
        raise NotAnItem
    protocol = parse(source)
    expected: dict[str, Any] = {name: _marks(lines) for name, lines in item.marks.items()}
    expected |= {name: _chosen(protocol, name, some) for name, some in item.chosen.items() if any(some)}
    texts = {role: tidy(text) for role, text in item.texts.items()}
    exercise: dict[str, Any] = {**({SEVERAL: texts} if len(texts) > 2 else texts), "expected": expected}
    if item.explanation.strip():
        exercise["explanation"] = tidy(item.explanation)
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


def with_changes(source: str, address: str, changes: Mapping[str, Sequence[str]]) -> str:
    """Some fields of one item: its texts, `marks.QUESTION`, `chosen.QUESTION`, its explanation, a pair's answer."""
    protocol = parse(source)
    key, whole = _whole(protocol, address)
    some, at = _place(whole, address)
    if at is None:
        return source
    one, now = some[at], _item(protocol, address, some[at])
    for part, given in changes.items():
        said, (kind, _, name) = given[-1] if given else "", part.partition(".")
        if kind in now.texts:
            if tidy(said).strip() != now.texts[kind].strip():
                changed = _texts(one) | {kind: tidy(said)}
                one |= {SEVERAL: changed} if SEVERAL in one else changed
        elif kind == "answer":
            one["answer"] = said
        elif kind == "explanation" and tidy(said).strip() != now.explanation.strip():
            one.pop("explanation", None)
            if said.strip():
                one["explanation"] = tidy(said)
        elif kind == "marks" and said.replace("\r\n", "\n").strip() != now.marks.get(name, "").strip():
            expected = one.setdefault("expected", {})
            expected[name] = _marks(said, expected.get(name) or ())
        elif kind == "chosen" and tuple(each for each in given if each) != now.chosen.get(name):
            expected = one.setdefault("expected", {})
            expected.pop(name, None)
            if any(given):
                expected[name] = _chosen(protocol, name, given)
    return source if (key, whole) == _whole(protocol, address) else with_key(source, key, whole)


def with_part(source: str, address: str, part: str, given: str) -> str:
    """The title of a part of a training kit, or what is read in it."""
    kits = plain(parse(source).resolved.get("training") or {})
    _, kit, at = address.split(".")
    if kit not in kits or not 0 <= int(at) < len(kits[kit]):
        return source
    one = kits[kit][int(at)]
    if tidy(given).strip() == str(one.get(part, "")).strip():
        return source
    one[part] = tidy(given)
    return with_key(source, "training", kits)


def with_test(source: str, part: str, given: str) -> str:
    """The share that is needed to pass a qualification, or how often one may try."""
    before = parse(source).resolved.get("qualification")
    if not before:
        return source
    test = plain(before)
    if part == "attempts":
        test["attempts"] = as_number(given.strip() or "1")
    else:
        rule = test.setdefault("pass", {})
        rule.pop("score", None)
        if given.strip():
            rule["score"] = as_number(given.strip())
    return source if test == plain(before) else with_key(source, "qualification", test)


def move_item(source: str, address: str, by: int) -> str:
    """An item, or a part of a kit, further up or down; without `by` it goes, and with the last one what held it."""
    protocol = parse(source)
    key, whole = _whole(protocol, address)
    some, at = _place(whole, address)
    if at is None:
        return source
    if by:
        some[:] = moved(some, at, by)
    else:
        del some[at]
    if key == "qualification":
        return with_key(source, key, whole if whole["units"] else None)
    for kit, parts in whole.items():
        whole[kit] = [one for one in parts if all(one.get(name, True) for name in LISTS) and _has_pairs(one)]
    return with_key(source, key, whole)


def _has_pairs(part: Mapping[str, Any]) -> bool:
    return "comparison" not in part or bool(part["comparison"]["pairs"])


def _whole(protocol: Protocol, address: str) -> tuple[str, Any]:
    key = "qualification" if address.startswith("qualification") else "training"
    return key, plain(protocol.resolved.get(key) or {})


def _place(whole: Any, address: str) -> tuple[list[Any], int | None]:
    """The list that an item or a part stands in, and where; nowhere if there is none."""
    parts = address.split(".")
    try:
        if parts[0] == "qualification":
            some, at = whole["units"], int(parts[1])
        elif len(parts) == 3:
            some, at = whole[parts[1]], int(parts[2])
        else:
            part = whole[parts[1]][int(parts[2])]
            some, at = (part["comparison"] if parts[3] == "pairs" else part)[parts[3]], int(parts[4])
    except (KeyError, IndexError, ValueError):
        return [], None
    return some, at if 0 <= at < len(some) else None


def _chosen(protocol: Protocol, name: str, some: Sequence[str]) -> Any:
    several = next((one.several for one in protocol.questions() if one.id == name), False)
    given = [one for one in some if one]
    return given if several else given[-1]


def _marks(lines: str, before: Sequence[Any] = ()) -> list[dict[str, Any]]:
    """`24 | NUMBER | 22 | the box score says so`: words, label, correction and reason, one passage on each line.

    What a passage said besides (`nth`, say) stays with its words.
    """
    found = []
    left = [one for one in before if isinstance(one, Mapping)]
    for line in lines.splitlines():
        if not line.strip():
            continue
        parts = [one.strip() for one in line.split("|")]
        if len(parts) < 2 or not parts[0] or not parts[1]:
            raise NotAMark(line=line.strip()[:80])
        said: dict[str, Any] = {key: part for key, part in zip(IN_A_LINE, parts, strict=False) if part}
        for key in ("label", "correction"):
            if OR in said.get(key, ""):
                said[key] = [one.strip() for one in said[key].split(OR) if one.strip()]
        same = next((one for one in left if one.get("quote") == said["quote"]), None)
        if same is not None:
            left.remove(same)
            said = {**said, **{key: value for key, value in same.items() if key not in IN_A_LINE}}
        found.append(said)
    return found
