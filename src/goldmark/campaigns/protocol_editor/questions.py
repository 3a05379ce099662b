"""The words and the questions of a protocol, with their options, in fields.

Of a protocol that extends another, a changed question stands under `change`, so that the text goes on saying only what
differs; of one that stands alone, among its `steps`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from goldmark.campaigns.protocol_editor.source import moved, raw_questions, tidy, with_key, with_question
from goldmark.protocols import Protocol, parse

WORDS = ("title", "summary", "instructions")
NEEDS = "needs"  # what must stand beside the texts: a line each, with other names for it after commas
PARTS = ("ask", "help", "when")


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
    when: str
    options: tuple[OptionFields, ...] = ()
    answers: tuple[tuple[str, str], ...] = ()  # all that can be chosen, with its title, also where no option is written
    priority: tuple[tuple[str, str], ...] = ()  # which label is preferred when several fit: paths and titles
    tree: str = ""  # of its labels


def fields_of(protocol: Protocol) -> list[QuestionFields]:
    """The questions of a protocol with what stands in their fields."""
    return [_fields(one, protocol) for one in raw_questions(protocol)]


def _fields(one: Mapping[str, Any], protocol: Protocol) -> QuestionFields:
    options = tuple(
        OptionFields(str(each["id"]), str(each.get("title", each["id"])), _number(each.get("value")))
        for each in one.get("options", ())
        if isinstance(each, Mapping)
    )
    said = {part: str(one.get(part) or "") for part in PARTS}
    labels = one.get("labels") or {}
    tree = str(labels.get("tree", "")) if isinstance(labels, Mapping) else ""
    answers = next((each.titles() for each in protocol.questions() if each.id == one["id"]), {})
    preferred = protocol.taxonomies[tree].preferred(labels.get("priority", ())) if tree else []
    titles = protocol.taxonomies[tree].paths if tree else {}
    return QuestionFields(
        str(one["id"]),
        str(one.get("kind", "")),
        **said,
        options=options,
        answers=tuple(answers.items()),
        priority=tuple((path, titles[path].name) for path in preferred),
        tree=tree,
    )


def _number(value: object) -> str:
    return f"{value:g}" if isinstance(value, int | float) and not isinstance(value, bool) else ""


def with_words(source: str, key: str, given: str) -> str:
    """The title, the summary or the instructions, where they differ from what is said now."""
    said = tidy(given)
    return source if said.strip() == str(getattr(parse(source), key)).strip() else with_key(source, key, said)


def needs_of(protocol: Protocol) -> str:
    """What the protocol needs beside the texts, as it stands in its field."""
    return "\n".join(", ".join(one.context) for one in protocol.file.needs)


def with_needs(source: str, given: str) -> str:
    """What must stand beside the texts; what was only warned of before still is."""
    protocol = parse(source)
    wanted = [
        names for line in given.splitlines() if (names := [one.strip() for one in line.split(",") if one.strip()])
    ]
    if wanted == [list(one.context) for one in protocol.file.needs]:
        return source
    known = {one.context: one.missing for one in protocol.file.needs}
    return with_key(
        source,
        NEEDS,
        [{"context": names, **({"missing": "warn"} if known.get(tuple(names)) == "warn" else {})} for names in wanted],
    )


def with_part(source: str, name: str, part: str, given: str) -> str:
    """What a question asks, its help, or when it is asked."""
    known = {one.id: one for one in fields_of(parse(source))}
    if name not in known or given.strip() == getattr(known[name], part).strip():
        return source
    said: str | None = given.strip()
    return with_question(source, name, {part: said or (None if part == "when" else "")})


def with_option(source: str, name: str, option: str, changes: Mapping[str, str]) -> str:
    """An option of a question; one without a title is taken away, one without an id is new."""
    options = _options_of(source, name)
    if options is None:
        return source
    at = next((n for n, one in enumerate(options) if one["id"] == option), None)
    if at is None:
        title = changes.get("title", "").strip()
        if option or not title:
            return source
        options.append({"id": _name_for(title, {one["id"] for one in options}), "title": title})
        at = len(options) - 1
    elif "title" in changes:
        if not changes["title"].strip():
            return with_question(source, name, {"options": [one for one in options if one["id"] != option]})
        options[at]["title"] = changes["title"].strip()
    if "value" in changes:
        options[at].pop("value", None)
        if changes["value"].strip():
            options[at]["value"] = as_number(changes["value"].strip())
    return source if options == _options_of(source, name) else with_question(source, name, {"options": options})


def move_option(source: str, name: str, option: str, by: int) -> str:
    """An option further up or down; without `by` it goes."""
    options = _options_of(source, name) or []
    at = next((n for n, one in enumerate(options) if one["id"] == option), None)
    if at is None:
        return source
    changed = moved(options, at, by) if by else options[:at] + options[at + 1 :]
    return with_question(source, name, {"options": changed})


def _options_of(source: str, name: str) -> list[dict[str, Any]] | None:
    found = next((one for one in raw_questions(parse(source)) if one["id"] == name), {})
    options = found.get("options")
    return None if options is None else [{**one, "title": one.get("title", one["id"])} for one in options]


def as_number(given: str) -> float | int | str:
    try:
        value = float(given.replace(",", "."))
    except ValueError:
        return given  # the check of the protocol says so at its line
    return int(value) if value.is_integer() else value


def _name_for(title: str, taken: Iterable[str]) -> str:
    plain = re.sub(r"[^a-z0-9]+", "_", title.lower()).strip("_")[:40] or "option"
    names = [plain if plain[0].isalpha() else f"o_{plain}", *(f"{plain}_{number}" for number in range(2, 1000))]
    return next(one for one in names if one not in set(taken))
