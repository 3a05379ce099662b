"""The kinds of questions, one module each, and those of plug-ins."""

from __future__ import annotations

from goldmark.protocols.kinds.base import KINDS, Asked, Mistake, OneOfTheKinds, Question, Surroundings

__all__ = ["KINDS", "Asked", "Mistake", "OneOfTheKinds", "Question", "Surroundings"]
