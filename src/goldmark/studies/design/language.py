"""What a study file may say. A study is one file, and everything about its analysis stands in it before it begins."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from goldmark.campaigns.definition.file import TextsSource
from goldmark.campaigns.definition.settings import (
    Minutes,
    Name,
    PageLanguage,
    Recruit,
    SettingsPart,
    Share,
    Whole,
    YesNo,
)
from goldmark.protocols.parts import QuestionId
from goldmark.stats.significance.tests import Correction

Level = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,39}$")]
Factor = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
Levels = Level | tuple[Level, ...]
Selection = dict[Factor, Levels]
Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]


class PerParticipant(SettingsPart):
    """What one person gets."""

    texts: Whole = Field(ge=1, le=1000, description="How many texts.")
    mix: dict[Level, Whole] = Field(
        min_length=1, description="In which proportion from which groups of texts; what is odd is settled at random."
    )


class Training(SettingsPart):
    """Which of the protocol's training kits a cell gets."""

    factor: Factor = Field(description="The factor whose levels are trained differently.")
    kits: dict[Level, str] = Field(description="The kit of each level; {factor} in a name stands for its level.")


class AccuracyOutcome(SettingsPart):
    """Outcome: the share of texts of which somebody says rightly to which group they belong."""

    kind: Literal["accuracy"]
    question: QuestionId = Field(description="The choice that is right or wrong.")
    says: dict[Level, tuple[str, ...]] = Field(description="Which options say that a text is of which group.")
    finding: Level = Field(description="The group that precision, recall and F1 are about.")
    confident: tuple[str, ...] = Field(default=(), description="Options that somebody chooses who is sure.")
    chance: Share = Field(default=0.5, description="The accuracy of guessing.")


class ShareOutcome(SettingsPart):
    """Outcome: the share of texts for which somebody chooses certain options."""

    kind: Literal["share"]
    question: QuestionId
    options: tuple[str, ...] = Field(min_length=1, description="The options that are counted.")


class MeanOutcome(SettingsPart):
    """Outcome: the mean of a number, or of the numbers that a choice's options stand for."""

    kind: Literal["mean"]
    question: QuestionId


class MarksOutcome(SettingsPart):
    """Outcome: how many passages somebody marks in a text, on average."""

    kind: Literal["marks"]
    question: QuestionId
    labels: tuple[str, ...] = Field(default=(), description="Only these labels; none: all.")


Outcome = Annotated[AccuracyOutcome | ShareOutcome | MeanOutcome | MarksOutcome, Field(discriminator="kind")]


class Exclude(SettingsPart):
    """Who is suggested for exclusion before the analysis. A person decides, without knowing the condition."""

    copied: Share | None = Field(default=None, gt=0, description="This part of an explanation stands in the text.")
    short: Whole | None = Field(default=None, ge=1, description="An explanation of fewer words than this.")
    vague: YesNo = Field(default=False, description="An explanation that gives no reason.")
    mismatch: YesNo = Field(default=False, description="An explanation that says the opposite of the answer.")
    same: YesNo = Field(default=False, description="The same explanation for different texts.")
    texts: Whole = Field(default=1, ge=1, description="In how many of a person's texts, before they are suggested.")


class Test(SettingsPart):
    """One planned test, or one for each level of `each`. Exactly one of the first four says which."""

    __test__ = False  # not a test of ours, whatever its name says

    against: Literal["chance"] | Number | None = Field(default=None, description="The mean against this number.")
    compare: Factor | None = Field(default=None, description="Each level of this factor with the level `to`.")
    variance: Factor | None = Field(default=None, description="Whether the levels differ at all.")
    pairs: Factor | None = Field(default=None, description="All pairs of levels at once (Tukey's HSD).")
    margin: Number | None = Field(
        default=None,
        gt=0,
        description="With `against` or `compare`: show that they are equal up to this, instead of that they differ.",
    )
    over: Literal["people", "people-and-texts"] = Field(
        default="people",
        description="With `against` or `compare`, what could have been others: people (a t-test of their means), or "
        "people and texts (a linear mixed model of every answer, both crossed).",
    )
    to: Level | None = Field(default=None, description="With `compare`: the level that others are compared with.")
    where: Selection = Field(default={}, description="Only in these cells.")
    each: tuple[Factor, ...] = Field(default=(), description="Apart for each level of these factors.")

    @model_validator(mode="after")
    def one_of_four(self) -> Test:
        kinds = [one for one in (self.against, self.compare, self.variance, self.pairs) if one is not None]
        if len(kinds) != 1:
            raise ValueError("a test is one of against, compare, variance and pairs")
        if (self.to is None) != (self.compare is None):
            raise ValueError("compare needs `to`, the level that others are compared with; no other test has it")
        if self.margin is not None and self.against is None and self.compare is None:
            raise ValueError("only against and compare take a margin, up to which means are shown to be equal")
        if self.over != "people" and self.against is None and self.compare is None:
            raise ValueError("only against and compare can be made over people and texts")
        return self


class TablePart(SettingsPart):
    """One table of results: a row for each combination of the levels of `rows`."""

    title: str = Field(default="", max_length=200)
    rows: tuple[Factor, ...] = Field(min_length=1)
    where: Selection = Field(default={})


class StudyPay(SettingsPart):
    """What people are paid, for the cost of the study before it begins."""

    currency: str = Field(default="USD", min_length=1, max_length=10)
    each: Annotated[float, Field(strict=True, ge=0, le=10_000, allow_inf_nan=False)] = Field(
        description="What one participant gets."
    )
    by: dict[Factor, dict[Level, Annotated[float, Field(strict=True, ge=0, le=10_000, allow_inf_nan=False)]]] = Field(
        default={}, description="Other amounts for some levels of a factor."
    )
    fee: Share = Field(default=0.0, description="What the platform takes on top, as a part of the pay.")
    minutes: Minutes | None = Field(default=None, gt=0, le=1000, description="How long it takes; gives an hourly wage.")


class Expect(SettingsPart):
    """What is expected, for the power of the study before it begins."""

    difference: Number | None = Field(default=None, description="The smallest difference that would matter.")
    spread: Number | None = Field(
        default=None, gt=0, description="Standard deviation between people; for accuracy it follows from chance."
    )
    between: Number = Field(default=0.0, ge=0, description="Standard deviation of people's true accuracies.")
    pool: Whole | None = Field(
        default=None,
        ge=2,
        description="How many different texts a group reads in all, for tests over people and texts.",
    )
    between_texts: Number = Field(
        default=0.0, ge=0, description="Standard deviation of texts' true means, in the outcome's own units."
    )
    excluded: Share = Field(default=0.0, lt=1, description="The part of the people who will have to be replaced.")
    power: Share = Field(default=0.8, gt=0, lt=1, description="The power that is wanted.")


class StudyFile(SettingsPart):
    """A study file."""

    study: Name = Field(description="Its id: small letters, digits and hyphens. Its campaign has the same name.")
    title: str = Field(
        default="", max_length=500, description="What participants see; by default the protocol's title."
    )
    language: PageLanguage = Field(
        default="", description="The language of participants' pages, such as de; empty: each browser's."
    )
    family: str = Field(
        default="", max_length=100, description="Studies that share participants: one of them for each person."
    )
    protocol: str = Field(description="A built-in protocol, or the path of a YAML file beside this one.")
    texts: TextsSource
    factors: dict[Factor, tuple[Level, ...]] = Field(min_length=1, description="What is varied, and its levels.")
    cells: tuple[Selection, ...] | None = Field(default=None, description="Which combinations; none: all.")
    participants: Whole = Field(ge=2, le=100_000, description="How many people each cell needs.")
    per_participant: PerParticipant
    groups: dict[Level, dict[str, str]] = Field(
        min_length=1,
        description="Groups of texts by their hidden facts; {factor} in a value stands for the cell's level.",
    )
    training: Training | None = None
    outcome: Outcome = Field(description="What is measured of each person.")
    explanations: tuple[QuestionId, ...] | None = Field(
        default=None, description="Free-text questions in which people explain themselves; none: all of them."
    )
    exclude: Exclude = Exclude()
    tests: tuple[Test, ...] = Field(min_length=1, description="The tests that will be made, and no others.")
    correction: Correction = Field(
        default="bonferroni",
        description="For the number of tests: none, bonferroni, holm (any false finding), benjamini-hochberg or "
        "benjamini-yekutieli (the share of false ones among what was found).",
    )
    alpha: Share = Field(default=0.05, gt=0, lt=1)
    tables: tuple[TablePart, ...] = Field(default=(), description="Tables of results; none: by factor and by cell.")
    expect: Expect = Expect()
    pay: StudyPay | None = None
    recruit: Recruit | None = Field(
        default=None, description="On which crowd platform, and how; a place pays what `pay` says unless it says so."
    )
    consent: str = Field(default="", max_length=100_000, description="Markdown that people agree to before they start.")
    identified: YesNo = Field(default=False, description="Only people who come with a platform's id may take part.")
    lease_minutes: Minutes = Field(
        default=15,
        gt=0,
        le=60 * 24 * 60,
        description="So long after the last sign of somebody (an open page gives one every minute), they are replaced.",
    )
    seed: Whole = Field(default=0, ge=0, description="Seed of randomisation, orders and resampling.")

    @field_validator("texts", mode="before")
    @classmethod
    def short_form(cls, value: Any) -> Any:
        """`texts: texts.jsonl` and `texts: [a.jsonl, b.jsonl]` are short for `texts: {path: ...}`."""
        return {"path": value} if isinstance(value, str | list) else value
