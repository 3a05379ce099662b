"""The kinds of questions, one module each. A new kind is a new module, imported here, and nothing else."""

from __future__ import annotations

from goldmark.protocols.kinds import choice, compare, number, spans, text
from goldmark.protocols.kinds.base import KINDS, Asked, Mistake, OneOfTheKinds, Question, Surroundings

__all__ = [
    "KINDS",
    "Asked",
    "Mistake",
    "OneOfTheKinds",
    "Question",
    "Surroundings",
    "choice",
    "compare",
    "number",
    "spans",
    "text",
]
