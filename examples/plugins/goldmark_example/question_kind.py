"""`slider`: a point on a line between two words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Literal

from pydantic import Field

from goldmark.errors import Problem
from goldmark.protocols.kinds import AnswerContext, ProtocolContext, Question
from goldmark.records.answers import Rating, Said

END = 100


class Slider(Question):
    """A point on a line. The answer is a whole number, from 0 at the left end to 100 at the right end."""

    attribute: ClassVar[bool] = True  # it may also be asked of a single span
    looks: ClassVar[frozenset[str]] = frozenset({"==", "<"})  # what a condition may do: quality < 30
    graded_by: ClassVar[frozenset[str]] = frozenset({"within"})  # what a key may say: {is: 80, within: 10}
    kind: Literal["slider"]
    left: str = Field("", description="What stands at the left end.")
    right: str = Field("", description="What stands at the right end.")

    def present(self, around: ProtocolContext) -> dict[str, Any]:
        return {**super().present(around), "left": self.left, "right": self.right}

    def problems(self, answer: object, asked: AnswerContext) -> Iterator[Problem]:
        if type(answer) is not int or not 0 <= answer <= END:
            yield asked.problem(f"The answer must be a whole number from 0 to {END}.")

    def scale(self) -> tuple[float, float]:
        return 0.0, float(END)

    @property
    def gives(self) -> type[Said]:
        return Rating

    def read(self, answer: object, asked: AnswerContext) -> Iterator[Said | Problem]:
        if isinstance(answer, int):
            yield Rating(self.id, float(answer), str(answer), *self.scale())
        else:
            yield asked.problem(f'"{answer}" is no point on the line.')
