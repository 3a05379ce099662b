"""Plug-ins: what installed packages offer under an entry point, beside what comes with Goldmark."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import entry_points
from typing import TypeVar

Kind = TypeVar("Kind")


class NotLoadable(Exception):
    """Why a plug-in cannot be used; its caller says which kind of plug-in it is."""


def places(group: str, built_in: Mapping[str, str]) -> dict[str, str]:
    """The place, `module:attribute`, of everything on offer, by name; what is built in cannot be replaced."""
    found = dict(built_in)
    for offered in entry_points(group=group):
        found.setdefault(offered.name, offered.value)
    return dict(sorted(found.items()))


def load(place: str, kind: type[Kind]) -> Kind:
    """What stands at a place, if it is what it should be."""
    module, _, attribute = place.partition(":")
    try:
        found = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise NotLoadable(error) from None
    if not isinstance(found, kind):
        raise NotLoadable(f"it is not a {kind.__name__}")
    return found
