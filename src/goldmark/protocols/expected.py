"""What an answer should be: an answer key, written by hand or kept with a unit.

An expected answer is written as the answer itself, or as a mapping that says more: bounds (`at_least: 0.5`), several
right answers (`one_of`), what an answer must hold at least (`includes`), how far it may be off (`within`), and why it
is right (`because`). No answer of any kind is a mapping, so the two cannot be confused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import ConfigDict, Field, ValidationError, model_validator

from goldmark.errors import GoldmarkError
from goldmark.protocols.parts import QuestionId, Strict

Portion = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Distance = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Bound = Annotated[float, Field(allow_inf_nan=False)]


class ExpectedNotReadable(GoldmarkError):
    code = "GRADE-01"
    message = 'the expected answer to "{question}" cannot be read: {reason}'


class Grading(Strict):
    """When the answer to a question counts as right. What does not fit the kind of the question is refused."""

    within: Distance | None = Field(
        None, description="choice, number: how far an answer may be off; choices are then compared by their numbers."
    )
    share: Portion | None = Field(None, description="choices: how much of both sets must be common; all if left out.")
    recall: Portion | None = Field(None, description="spans: the share of the passages to find; all if left out.")
    precision: Portion | None = Field(
        None, description="spans: the share of the marks that must be on a passage to find; all if left out."
    )
    category: Portion | None = Field(
        None, description="spans: the share of the found passages that need the right label; all if left out."
    )

    def over(self, base: Grading) -> Grading:
        """This rule, with the other's word where it says nothing."""
        said = {name: getattr(self, name) for name in Grading.model_fields}
        return Grading(**{name: getattr(base, name) if value is None else value for name, value in said.items()})


class Expected(Grading):
    """What the answer to one question should be."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    answer: Any = Field(None, alias="is", description="The right answer.")
    includes: list[Any] | None = Field(
        None, description="choices, spans: what must be in the answer; whatever else it holds is not judged."
    )
    one_of: list[Any] | None = Field(None, description="Several answers, each of which is right.")
    at_least: Bound | None = Field(None, description="The answer's number, or how many, must be at least this.")
    at_most: Bound | None = Field(None, description="The answer's number, or how many, must be at most this.")
    above: Bound | None = Field(None, description="The answer's number must be larger than this.")
    below: Bound | None = Field(None, description="The answer's number must be smaller than this.")
    because: str = Field("", description="Why, told to learners after they have answered.")

    @model_validator(mode="after")
    def _says_one_thing(self) -> Expected:
        ways = [self.answer is not None, self.includes is not None, self.one_of is not None, self.bounded]
        if sum(ways) != 1:
            raise ValueError("say exactly one of: is, includes, one_of, or bounds such as at_least")
        return self

    @property
    def bounded(self) -> bool:
        return any(bound is not None for bound in (self.at_least, self.at_most, self.above, self.below))

    def holds(self, number: float) -> bool:
        """Whether a number keeps the bounds."""
        return not (
            (self.at_least is not None and number < self.at_least)
            or (self.at_most is not None and number > self.at_most)
            or (self.above is not None and number <= self.above)
            or (self.below is not None and number >= self.below)
        )

    @classmethod
    def of(cls, question: str, written: object) -> Expected:
        """What was written for a question, in either form."""
        try:
            return cls.model_validate(written if isinstance(written, Mapping) else {"is": written})
        except ValidationError as error:
            reason = "; ".join(
                f"{'.'.join(map(str, one['loc']))}: {one['msg']}".removeprefix(": Value error, ")
                for one in error.errors()
            )
            raise ExpectedNotReadable(question=question, reason=reason) from None


class ExpectedSpan(Strict):
    """One passage that an answer should mark."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    start: int = Field(ge=0, description="Where it starts; a protocol writes `quote` and `nth` instead.")
    end: int = Field(ge=1, description="The position after its last.")
    label: str | tuple[str, ...] | None = Field(None, description="The right label, or several that are.")
    correction: str | tuple[str, ...] | None = Field(None, description="Correct text, or several such.")
    because: str = Field("", description="Why it is a mistake, told to learners.")
    optional: bool = Field(False, description="Marking it is neither needed nor wrong.")

    @property
    def labels(self) -> tuple[str, ...]:
        return (self.label,) if isinstance(self.label, str) else self.label or ()

    @property
    def corrections(self) -> tuple[str, ...]:
        return (self.correction,) if isinstance(self.correction, str) else self.correction or ()


GradingByQuestion = dict[QuestionId, Grading]
