"""The protocol language: load, check, present, validate an answer.

protocol = load("accuracy")
page = present(protocol)
answers = tidied(protocol, answers)
problems = validate(protocol, answers, unit.shown)
"""

from __future__ import annotations

from goldmark.protocols.language import Protocol
from goldmark.protocols.loader import ProtocolUnknown, builtin_names, check, load, parse
from goldmark.protocols.presentation import present
from goldmark.protocols.validation import tidied, validate

__all__ = ["Protocol", "ProtocolUnknown", "builtin_names", "check", "load", "parse", "present", "tidied", "validate"]
