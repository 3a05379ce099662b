"""The kinds of questions, one module each. A new kind is a new module of this package, and nothing else."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from goldmark.protocols.kinds.base import KINDS, Asked, Mistake, OneOfTheKinds, Question, Surroundings

__all__ = ["KINDS", "Asked", "Mistake", "OneOfTheKinds", "Question", "Surroundings"]

# `spans` lists the kinds that can be asked of a span, so it comes after them.
for _name in sorted((module.name for module in iter_modules(__path__)), key=lambda name: (name == "spans", name)):
    import_module(f"{__name__}.{_name}")
