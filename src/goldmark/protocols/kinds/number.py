"""`number`: a number, perhaps within bounds."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, ClassVar, Literal

from pydantic import Field, model_validator

from goldmark.errors import Problem
from goldmark.languages import gettext
from goldmark.protocols.kinds.base import AnswerContext, ProtocolContext, Question
from goldmark.records.answers import Rating, Said

LARGEST = 1e15  # beyond this, a page's numbers are no longer exact


class NumberQuestion(Question):
    """A number. The answer is the number."""

    attribute: ClassVar[bool] = True
    looks: ClassVar[frozenset[str]] = frozenset({"==", "<", "in"})
    graded_by: ClassVar[frozenset[str]] = frozenset({"within"})
    kind: Literal["number"]
    at_least: float | None = Field(None, allow_inf_nan=False, description="The smallest number allowed.")
    at_most: float | None = Field(None, allow_inf_nan=False, description="The largest number allowed.")
    whole: bool = Field(False, description="Whole numbers only.")

    @model_validator(mode="after")
    def _can_be_met(self) -> NumberQuestion:
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            raise ValueError(f"at_least is {self.at_least:g}, more than at_most, which is {self.at_most:g}")
        return self

    def present(self, around: ProtocolContext) -> dict[str, Any]:
        bounds = {"at_least": self.at_least, "at_most": self.at_most, "whole": self.whole}
        return {**super().present(around), **bounds}

    def problems(self, answer: object, asked: AnswerContext) -> Iterator[Problem]:
        if not isinstance(answer, int | float) or isinstance(answer, bool) or not math.isfinite(answer):
            yield asked.problem(gettext("The answer must be a number."))
            return
        given = f"{answer:g}"
        if abs(answer) > LARGEST:
            yield asked.problem(gettext("The number is too large."))
        elif self.whole and answer != int(answer):
            yield asked.problem(gettext("{number} is not a whole number.", number=given))
        elif self.at_least is not None and answer < self.at_least:
            least = gettext("Give at least {least}.", least=f"{self.at_least:g}")
            yield asked.problem(gettext("{number} is too small.", number=given), least)
        elif self.at_most is not None and answer > self.at_most:
            most = gettext("Give at most {most}.", most=f"{self.at_most:g}")
            yield asked.problem(gettext("{number} is too large.", number=given), most)

    def scale(self) -> tuple[float, float] | None:
        return None if self.at_least is None or self.at_most is None else (self.at_least, self.at_most)

    def ends(self) -> tuple[float | None, float | None]:
        return self.at_least, self.at_most

    @property
    def gives(self) -> type[Said]:
        return Rating

    def read(self, answer: object, asked: AnswerContext) -> Iterator[Said | Problem]:
        if isinstance(answer, int | float) and not isinstance(answer, bool) and math.isfinite(answer):
            written = f"{answer:g}" if float(f"{answer:g}") == answer else repr(answer)
            yield Rating(self.id, float(answer), written, *self.ends())
        else:
            yield asked.malformed(f'"{str(answer)[:80]}" is not a number.')
