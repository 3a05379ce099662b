"""Plug-ins: one mechanism for everything that can be added to Goldmark, which its own parts use too.

A room declares a `Group`: its name, what must stand at a plug-in's place, and the places of what comes with Goldmark.
Installed packages offer more under the entry points `goldmark.NAME`. Nothing is imported before somebody asks for it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple, TypeVar, cast

from goldmark import __version__
from goldmark.errors import Failed, Missing

PREFIX = "goldmark."
# Every group by its name, and where its room declares it.
GROUPS = {
    "checkers": "goldmark.checkers.plugins:CHECKERS",
    "connectors": "goldmark.people.connector:CONNECTORS",
    "dataset_sources": "goldmark.datasets.sources.imports:DATASET_SOURCES",
    "formats": "goldmark.exchange.formats:FORMATS",
    "gold_formats": "goldmark.curation.gold_lists.formats:GOLD_FORMATS",
    "metrics": "goldmark.metrics.plugins:METRICS",
    "question_kinds": "goldmark.protocols.kinds:KINDS",
    "readers": "goldmark.texts.readers.formats:READERS",
    "splitters": "goldmark.texts.segmentation.sentences:SPLITTERS",
    "tables": "goldmark.results.catalogue:RESULTS",
    "taggers": "goldmark.texts.preparation.prompt_words:TAGGERS",
    "tasks": "goldmark.leaderboards.definition.tasks:TASKS",
    "tokenisers": "goldmark.texts.segmentation.tokens:TOKENISERS",
}
Offered = TypeVar("Offered")


class UnknownPlugin(Missing):
    code = "PLUGIN-01"
    message = "there is no {what} {name!r}{meant}; there are {known}"


class BrokenPlugin(Failed):
    code = "PLUGIN-02"
    message = "the {what} {name!r} cannot be loaded from {place}: {reason}"


@dataclass(frozen=True)
class Plugin:
    """One thing on offer: in which group, under which name, where it stands, and whose it is."""

    group: str
    name: str
    place: str  # module:attribute
    distribution: str = "goldmark"
    version: str = __version__


class NotUsable(NamedTuple):
    """In place of a plug-in: why there is none."""

    reason: str
    cause: Exception | None = None


@cache
def installed() -> Mapping[str, tuple[Plugin, ...]]:
    """What installed packages offer, by group; ours first. All of them are looked through once in a process."""
    from importlib.metadata import distributions

    found: dict[str, list[Plugin]] = {}
    seen: set[str] = set()
    for package in distributions():
        # Most have nothing for us, so that their names and versions need not be read.
        if f"[{PREFIX}" not in (package.read_text("entry_points.txt") or "") or package.name in seen:
            continue
        seen.add(package.name)  # of two copies the first on the path is the one that is imported
        for point in package.entry_points:
            group = point.group.removeprefix(PREFIX)
            if group != point.group:
                found.setdefault(group, []).append(
                    Plugin(group, point.name, point.value, package.name, package.version)
                )
    return {
        group: tuple(sorted(some, key=lambda one: (one.distribution != "goldmark", one.name, one.distribution)))
        for group, some in found.items()
    }


class Group(Mapping[str, Offered]):
    """Everything of one sort by its name: first what comes with Goldmark, in its order, then what is installed.

    What stands at a place must be of a `kind`; `wrong` may say what else is wrong with it, `says` what it is for. What
    is built in cannot be replaced, and a plug-in that cannot be loaded is in nobody's way but of those who ask for it.
    """

    def __init__(
        self,
        name: str,
        what: str,
        kind: type,
        built_in: Mapping[str, str],
        wrong: Callable[[Any, str], str] = lambda found, name: "",
        says: Callable[[Any], str] | None = None,
    ) -> None:
        self.name = name
        self.what = what  # one of them, in words
        self._kind = kind
        self._built_in = tuple(Plugin(name, one, place) for one, place in built_in.items())
        self._wrong = wrong
        self._says = says or purpose
        self._seen: dict[Plugin, Offered | NotUsable] = {}

    def offered(self) -> tuple[Plugin, ...]:
        """Everything on offer, also what cannot be used."""
        return (*self._built_in, *installed().get(self.name, ()))

    def plugins(self) -> dict[str, Plugin]:
        """By name; of two with one name the first counts."""
        found: dict[str, Plugin] = {}
        for one in self.offered():
            found.setdefault(one.name, one)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self.plugins())

    def __len__(self) -> int:
        return len(self.plugins())

    def __contains__(self, name: object) -> bool:
        return name in self.plugins()

    def __getitem__(self, name: str) -> Offered:
        """What stands at a plug-in's place, if it is what it should be."""
        plugin = self.plugins()[name]
        found = self._look(plugin)
        if isinstance(found, NotUsable):
            raise BrokenPlugin(what=self.what, name=name, place=plugin.place, reason=found.reason) from found.cause
        return found

    def find(self, name: str) -> Offered:
        """What is called so, or which there are."""
        if name in self:
            return self[name]
        raise unknown(self.what, name, self)

    def usable(self) -> dict[str, Offered]:
        """All that can be loaded; `goldmark plugin list` says why others cannot."""
        found = {name: self._look(plugin) for name, plugin in self.plugins().items()}
        return {name: one for name, one in found.items() if not isinstance(one, NotUsable)}

    def why_not(self, plugin: Plugin) -> str:
        """Why a plug-in cannot be used; nothing if it can."""
        first = self.plugins()[plugin.name]
        if first != plugin:
            return f"{first.distribution} has a {self.what} of this name, which comes first"
        found = self._look(plugin)
        return found.reason if isinstance(found, NotUsable) else ""

    def purpose(self, name: str) -> str:
        """What one of them is for, in a line."""
        return self._says(self[name])

    def _look(self, plugin: Plugin) -> Offered | NotUsable:
        if plugin not in self._seen:
            self._seen[plugin] = self._load(plugin)
        return self._seen[plugin]

    def _load(self, plugin: Plugin) -> Offered | NotUsable:
        try:
            found = attribute_at(plugin.place)
            reason = self._reason(found, plugin.name)
        except Exception as error:  # a stranger's module may do anything when it is imported
            return NotUsable(f"{type(error).__name__}: {error}", error)
        return NotUsable(reason) if reason else cast(Offered, found)

    def _reason(self, found: Any, name: str) -> str:
        if not isinstance(found, self._kind):
            return f"it is not a {self._kind.__name__}"
        called = getattr(found, "name", name)
        if called != name:
            return f"it calls itself {called!r}"
        return self._wrong(found, name)


def unknown(what: str, name: str, known: Collection[str]) -> UnknownPlugin:
    """That there is no such thing, with what may have been meant."""
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=1)
    meant = f" (did you mean {near[0]!r}?)" if near else ""
    return UnknownPlugin(what=what, name=name, meant=meant, known=", ".join(known) or "none")


def attribute_at(place: str) -> Any:
    """What stands at `module:attribute`."""
    module, _, attribute = place.partition(":")
    return getattr(import_module(module), attribute)


def not_callable(found: object, name: str) -> str:
    """For groups of functions: why this is none."""
    return "" if callable(found) else "it cannot be called"


def purpose(found: object) -> str:
    """What a plug-in is for, in a line: what its record says, or the first line of its documentation."""
    said = getattr(found, "purpose", "") or getattr(found, "about", "")
    return said if isinstance(said, str) and said else (inspect.getdoc(found) or "").partition("\n")[0]
