"""The protocol language: load, check, present, validate an answer.

protocol = load("accuracy")
page = present(protocol)
answers = tidied(protocol, answers)
problems = validate(protocol, answers, unit.shown)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from goldmark.protocols.language import Protocol
    from goldmark.protocols.loader import ProtocolUnknown, builtin_names, check, load, parse
    from goldmark.protocols.presentation import present
    from goldmark.protocols.validation import tidied, validate

__all__ = ["Protocol", "ProtocolUnknown", "builtin_names", "check", "load", "parse", "present", "tidied", "validate"]
_PLACES = {"Protocol": "language", "present": "presentation", "tidied": "validation", "validate": "validation"}


def __getattr__(name: str) -> Any:
    """Names are looked up when they are used: a plug-in's kind of question can be imported before the language is."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PLACES.get(name, 'loader')}"), name)
