"""How a protocol teaches and tests people before they work: training kits and a qualification.

Both are made of exercises: texts with a known answer. An exercise is written like a row of a file of texts, and the
passages of its answer key are written as quotations, so that nobody has to count tokens.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from goldmark.protocols.expected import Portion
from goldmark.protocols.parts import QuestionId, Strict

KitName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")]
QualificationName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,99}$")]
LongText = Annotated[str, Field(max_length=20_000)]


class ShownExercise(Strict):
    """The keys of an exercise that are also keys of a row of texts; they mean the same here."""

    prompt: Any = Field(None, description="The given beginning of the text, shown bold and not judged.")
    language: str = Field("", description="A tag such as en or ar.")
    context: Any = Field(None, description="What stands beside it: a mapping from title to text, address or table.")


class Exercise(ShownExercise):
    """A text with a known answer."""

    text: str | None = Field(None, max_length=20_000, description="The text; for several give a and b, or texts.")
    a: str | None = Field(None, max_length=20_000, description="The first of two texts.")
    b: str | None = Field(None, max_length=20_000, description="The second of two texts.")
    texts: list[LongText] | dict[str, LongText] | None = Field(
        None, description="Three to five texts: a list, or a mapping from a, b, c and so on."
    )
    tokens: Any = Field(None, description="The text's tokens, if they are given.")
    given: Any = Field(None, description="Marks that are drawn on the text before anybody starts.")
    expected: dict[QuestionId, Any] = Field(
        {}, description="The right answer by question; passages are quoted. Questions left out are not graded."
    )
    explanation: str = Field("", description="Markdown, shown after the answer.")


class TrainingPair(ShownExercise):
    """Two texts, one of which is to be picked."""

    a: str = Field(max_length=20_000, description="The first text.")
    b: str = Field(max_length=20_000, description="The second text.")
    answer: Literal["a", "b"] = Field(description="The one to pick.")
    explanation: str = Field("", description="Markdown, shown after the answer.")


class ComparisonTraining(Strict):
    """Pairs of texts to learn from by comparing."""

    ask: str = Field(min_length=1, description="The question, such as: Which of the two did a machine write?")
    help: str = Field("", description="A sentence or two beside the question.")
    pairs: tuple[TrainingPair, ...] = Field(min_length=1, max_length=50, description="The pairs, in order.")


class TrainingPart(Strict):
    """One part of a training kit: something to read, or exercises of one kind."""

    title: str = Field("", description="The heading over it.")
    instructions: str | None = Field(None, max_length=50_000, description="Markdown to read.")
    examples: tuple[Exercise, ...] | None = Field(
        None, min_length=1, max_length=50, description="Texts with known answers; each answer is explained at once."
    )
    comparison: ComparisonTraining | None = Field(None, description="Pairs of texts, one of which is to be picked.")
    practice: tuple[Exercise, ...] | None = Field(
        None, min_length=1, max_length=50, description="Texts as in the work itself; graded where an answer is known."
    )

    @model_validator(mode="after")
    def _is_one_thing(self) -> TrainingPart:
        kinds = [self.instructions, self.examples, self.comparison, self.practice]
        if sum(one is not None for one in kinds) != 1:
            raise ValueError("a part of a kit is one of: instructions, examples, comparison, practice")
        return self


class SpanShares(Strict):
    """What is asked of marked passages, over all texts of the qualification together."""

    recall: Portion | None = Field(None, description="Passages found, of those to find.")
    precision: Portion | None = Field(None, description="Marks on a passage to find, of all marks.")
    category: Portion | None = Field(None, description="Right labels, of the passages found.")
    correction: Portion | None = Field(None, description="Right corrections, of the passages found.")


class PassRule(Strict):
    """When a qualification is passed: everything said here must hold."""

    score: Portion | None = Field(None, description="Mean score of the texts, with partial credit.")
    right: Portion | None = Field(None, description="The share of the texts that are wholly right.")
    questions: Portion | dict[QuestionId, Portion] | None = Field(
        None, description="The share of right answers to every question, or by question."
    )
    steps: Portion | dict[QuestionId, Portion] | None = Field(
        None, description="The share of texts that are right in every step, or by step."
    )
    spans: dict[QuestionId, SpanShares] = Field({}, description="Shares of passages, by question.")

    @property
    def says_nothing(self) -> bool:
        return not self.model_dump(exclude_defaults=True)


class Qualification(Strict):
    """Texts with known answers that people must do well before they may work."""

    name: QualificationName = Field(description="What is earned by passing; it counts in later campaigns that ask it.")
    accepts: tuple[QualificationName, ...] = Field((), description="Other qualifications that count as this one.")
    instructions: str = Field("", max_length=50_000, description="Markdown to read before it begins.")
    units: tuple[Exercise, ...] = Field(min_length=1, max_length=100, description="The texts with their answers.")
    take: int | None = Field(
        None,
        ge=1,
        description="How many texts an attempt has; the next attempt goes on with the next ones. All if left out.",
    )
    passing: PassRule = Field(PassRule(), alias="pass", description="When it is passed.")
    attempts: int = Field(1, ge=1, le=100, description="How often one may try; before another try, people learn again.")
    feedback: Literal["full", "score", "none"] = Field(
        "full", description="What someone who failed is told: what was missed, only the shares, or nothing more."
    )
    decide: Literal["rule", "reviewer"] = Field("rule", description="Who decides: the rule at once, or a person.")
    thanks: str = Field("", max_length=10_000, description="Markdown for those who did not pass and cannot try again.")

    @model_validator(mode="after")
    def _can_be_decided(self) -> Qualification:
        if self.decide == "rule" and self.passing.says_nothing:
            raise ValueError('"pass" must say when it is passed, or `decide: reviewer` who says so')
        if self.take is not None and self.take > len(self.units):
            raise ValueError(f"take is {self.take}, but there are {len(self.units)} texts")
        return self
