"""A domain: which names stand for which kind of thing, and which words say the opposite of which.

It is one readable YAML file. A name may change into another of its kind, a player only into one of the same team; a
word into what is listed beside it.

    names:
      player: {Foxes: [Chidi Umeh, Luca Santoro-Bell], Herons: [Idris Farrow, Emeka Duru]}
      team: [Foxes, Herons]
    words:
      - [won, lost]
      - [double-double, triple-double]

What can be seen to be wrong without any data measures nobody's care, so a domain may also say what cannot be:

    never: [third half, 'scored # assists']    # `#` is any number or word
    limits: {assists: 18}            # nobody has more, unless the text said so before
    promises: {double-double: 10}    # numbers beside it that are 10 or more stay so
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

from goldmark.errors import Missing, Problem, ProblemsFound

PEOPLE = ("player", "person", "coach")  # whom texts also call by their last name alone
KEYS = ("domain", "names", "words", "never", "limits", "promises")
BUNDLED = ("basketball", "lantern")


class DomainMissing(Missing):
    code = "DOMAIN-01"
    message = "there is no domain {name!r}: no such file, and the domains that come with Goldmark are {known}"


@dataclass(frozen=True)
class Domain:
    """Names in groups, within which they may be exchanged, and words with what may stand in their place."""

    names: tuple[tuple[str, ...], ...]
    words: tuple[tuple[str, ...], ...]
    never: tuple[str, ...] = ()
    limits: Mapping[str, int] = field(default_factory=dict)
    promises: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def other_names(self) -> Mapping[str, tuple[str, ...]]:
        return _others(self.names)

    @cached_property
    def other_words(self) -> Mapping[str, tuple[str, ...]]:
        return _others(tuple(tuple(word.lower() for word in group) for group in self.words))

    def joined(self, more: Domain) -> Domain:
        """Both: what a text's own file knows comes first."""
        return replace(self, names=(*more.names, *self.names), words=(*more.words, *self.words))


def read_domain(name: str | Path) -> Domain:
    """The domain in a file, or one that comes with Goldmark; `ProblemsFound` names everything that is wrong in it."""
    path = Path(name)
    if str(name) in BUNDLED and not path.exists():
        content = (files("goldmark.texts") / "domains" / f"{name}.yaml").read_text(encoding="utf-8")
    else:
        try:
            content = path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError):
            raise DomainMissing(name=str(name), known=", ".join(BUNDLED)) from None
    try:
        data = yaml.safe_load(content)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}:{mark.line + 1}" if mark else str(path)
        raise ProblemsFound([Problem(where, str(getattr(error, "problem", error)))], "nothing was read") from None
    problems: list[Problem] = []
    found = domain_from(data, str(path), problems)
    if problems:
        raise ProblemsFound(problems, consequence="nothing was read")
    return found


def domain_from(data: Any, where: str, problems: list[Problem]) -> Domain:
    """A domain from the content of a file or of a row; what is wrong with it goes into `problems`."""
    if not isinstance(data, Mapping):
        problems.append(Problem(where, "it is no mapping", "write names and words"))
        return Domain((), ())
    problems += [
        Problem(where, f'there is no key "{key}" here', f"the keys are {', '.join(KEYS)}", str(key))
        for key in data
        if key not in KEYS
    ]
    names: list[tuple[str, ...]] = []
    kinds = data.get("names") or {}
    if not isinstance(kinds, Mapping):
        problems.append(Problem(where, "names are no mapping", "write names by kind, as in team: [Foxes, Herons]"))
        kinds = {}
    for kind, group in kinds.items():
        parted = group.items() if isinstance(group, Mapping) else [("", group)]
        for part, members in parted:
            at = f"names.{kind}.{part}" if part else f"names.{kind}"
            members = _group(members, where, at, problems)
            names.append(members)
            if kind in PEOPLE:
                names.append(_last_names(members))
    words = data.get("words") or []
    if not isinstance(words, list):
        problems.append(Problem(where, "words are no list", "write pairs, as in [won, lost]", "words"))
        words = []
    pairs = [_group(group, where, f"words.{number}", problems) for number, group in enumerate(words, start=1)]
    never = _group(data.get("never") or [], where, "never", problems)
    limits, promises = (_numbers(data.get(key) or {}, where, key, problems) for key in ("limits", "promises"))
    return Domain(tuple(group for group in names if len(group) > 1), tuple(pairs), never, limits, promises)


def _numbers(value: Any, where: str, at: str, problems: list[Problem]) -> dict[str, int]:
    if not isinstance(value, Mapping) or not all(isinstance(one, int) and one >= 0 for one in value.values()):
        problems.append(Problem(where, f"{at} are no whole numbers by phrase", "write them as in {assists: 18}", at))
        return {}
    return {" ".join(str(phrase).lower().split()): number for phrase, number in value.items()}


def _group(value: Any, where: str, at: str, problems: list[Problem]) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) and one.strip() for one in value):
        problems.append(
            Problem(where, f"{at} is no list of words", 'put words that mean something else to YAML in ""', at)
        )
        return ()
    if len(set(value)) < len(value):
        problems.append(Problem(where, f"{at} names something twice", "", at))
    return tuple(value)


def _last_names(names: Sequence[str]) -> tuple[str, ...]:
    """How people are called after their first mention; two with the same last name cannot be told apart, so neither."""
    last = [name.split()[-1] for name in names if len(name.split()) > 1]
    return tuple(name for name in last if last.count(name) == 1)


def _others(groups: Sequence[Sequence[str]]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for group in groups:
        for name, others in _each(group):
            found.setdefault(name, others)  # a name in two groups belongs to the first
    return found


def _each(group: Sequence[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name in group:
        yield name, tuple(other for other in group if other != name)
