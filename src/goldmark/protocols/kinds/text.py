"""`text`: words of the annotator's own."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Any, ClassVar, Final, Literal

from pydantic import Field, model_validator

from goldmark.errors import Problem
from goldmark.languages import gettext
from goldmark.protocols.kinds.base import AnswerContext, ProtocolContext, Question
from goldmark.records.answers import Said, Words
from goldmark.records.units import Surface

QUOTABLE: Final = 20  # shorter passages may be quoted whole: a correction often repeats a name of the text


class TextQuestion(Question):
    """Text written by the annotator. The answer is the text."""

    attribute: ClassVar[bool] = True
    looks: ClassVar[frozenset[str]] = frozenset({"=="})
    kind: Literal["text"]
    at_least: int = Field(0, ge=0, description="The fewest characters, not counting white space at either end.")
    at_most: int = Field(20_000, ge=1, le=100_000, description="The most characters.")
    not_pasted: bool = Field(False, description="Refuse an answer that is only copied from what the unit shows.")

    @model_validator(mode="after")
    def _can_be_met(self) -> TextQuestion:
        if self.at_least > self.at_most:
            raise ValueError(f"at_least is {self.at_least}, more than at_most, which is {self.at_most}")
        return self

    def present(self, around: ProtocolContext) -> dict[str, Any]:
        limits = {"at_least": self.at_least, "at_most": self.at_most, "not_pasted": self.not_pasted}
        return {**super().present(around), **limits}

    def empty(self, answer: object) -> bool:
        return answer is None or (isinstance(answer, str) and not answer.strip())

    def tidied(self, answer: object) -> object:
        """Without white space at either end, which nobody sees or means."""
        return answer.strip() if isinstance(answer, str) else answer

    def problems(self, answer: object, asked: AnswerContext) -> Iterator[Problem]:
        if not isinstance(answer, str):
            yield asked.malformed("The answer must be text.")
            return
        if "\x00" in answer:
            yield asked.malformed("The answer holds a NUL character.", "Remove it; it cannot be seen or stored.")
        if len(answer) > self.at_most:
            most = gettext("Write at most {most}.", most=self.at_most)
            yield asked.problem(gettext("{count} characters are too many.", count=len(answer)), most)
            return
        if len(answer.strip()) < self.at_least:
            least = gettext("Write at least {least}.", least=self.at_least)
            yield asked.problem(gettext("{count} characters are too few.", count=len(answer.strip())), least)
        if self.not_pasted and _is_pasted(answer, asked.shown):
            yield asked.problem(
                gettext("The answer is only copied from the page."), gettext("Say it in your own words.")
            )

    @property
    def gives(self) -> type[Said]:
        return Words

    def read(self, answer: object, asked: AnswerContext) -> Iterator[Said | Problem]:
        if isinstance(answer, str):
            yield Words(self.id, answer.strip())
        else:
            yield asked.malformed("The answer is not text.")


def _is_pasted(answer: str, shown: Surface) -> bool:
    """Whether an answer longer than QUOTABLE occurs, as a whole, in a text or a text of the context.

    Both are compared after NFKC normalisation and case folding, with every run of white space as one space.
    """
    words = _plain(answer)
    if len(words) <= QUOTABLE:
        return False
    texts = [text.characters for text in shown.texts.values()]
    return any(words in _plain(text) for text in (*texts, *shown.context))


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
