"""`compare`: which of two texts? And what every question that compares texts has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from goldmark.errors import Problem
from goldmark.protocols.kinds.base import AnswerContext, ProtocolContext, ProtocolMistake, Question
from goldmark.protocols.loading.did_you_mean import did_you_mean
from goldmark.protocols.parts import Role, in_words
from goldmark.records.answers import TIE, Comparison, Said


class ComparingQuestion(Question):
    """A question whose answer names some of the texts; the order in which they are shown is drawn by the server."""

    between: tuple[Role, ...]

    def text_titles(self) -> dict[str, str]:
        """What people read for each text."""
        return {role: f"Text {in_words(role)}" for role in self.between}

    def mistakes(self, around: ProtocolContext) -> Iterator[ProtocolMistake]:
        if len(set(self.between)) < len(self.between):
            yield ProtocolMistake(("between",), "a text cannot be compared with itself")
        for role in self.between:
            if role not in around.texts:
                near = did_you_mean(role, around.texts) or f"texts: [{', '.join(self.between)}] would declare them"
                yield ProtocolMistake(
                    ("between",), f'"{role}" is not one of the texts ({", ".join(around.texts)})', near
                )

    @property
    def gives(self) -> type[Said]:
        return Comparison


class CompareQuestion(ComparingQuestion):
    """Pick one of two texts. The answer is the role of the text, or "tie" where that is allowed."""

    looks: ClassVar[frozenset[str]] = frozenset({"==", "in"})
    kind: Literal["compare"]
    between: tuple[Role, Role] = Field(("a", "b"), description="The roles of the two texts.")
    tie: bool = Field(False, description='May the answer be "tie"?')
    tie_title: str = Field("No difference", description="What people read for a tie.")

    def present(self, around: ProtocolContext) -> dict[str, Any]:
        options = [
            {"id": option, "title": title, "value": None, "key": key, "help": ""}
            for key, (option, title) in zip("120", self.titles().items(), strict=False)
        ]
        return {**super().present(around), "between": list(self.between), "tie": self.tie, "options": options}

    def options_with_numbers(self) -> Mapping[str, float | None]:
        return dict.fromkeys([*self.between, TIE] if self.tie else self.between)

    def understood(self, given: object, around: ProtocolContext) -> object:
        words = str(given).strip()
        return next((one for one in self.options_with_numbers() if one.casefold() == words.casefold()), words)

    def titles(self) -> dict[str, str]:
        return {**self.text_titles(), TIE: self.tie_title} if self.tie else self.text_titles()

    def problems(self, answer: object, asked: AnswerContext) -> Iterator[Problem]:
        if not isinstance(answer, str) or answer not in self.options_with_numbers():
            allowed = " or ".join(f'"{one}"' for one in self.options_with_numbers())
            yield asked.malformed("The answer must be one of the two texts.", f"Answer {allowed}.")

    def read(self, answer: object, asked: AnswerContext) -> Iterator[Said | Problem]:
        if isinstance(answer, str) and answer in (*self.between, TIE):
            yield Comparison(self.id, self.between, None if answer == TIE else answer)
        else:
            yield asked.malformed(f'"{str(answer)[:80]}" is none of the two texts.')
