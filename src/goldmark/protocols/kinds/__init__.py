"""The kinds of questions, one module each, and those of plug-ins."""

from __future__ import annotations

from goldmark.protocols.kinds.base import (
    KINDS,
    AnswerContext,
    OneOfTheKinds,
    ProtocolContext,
    ProtocolMistake,
    Question,
)

__all__ = ["KINDS", "AnswerContext", "OneOfTheKinds", "ProtocolContext", "ProtocolMistake", "Question"]
