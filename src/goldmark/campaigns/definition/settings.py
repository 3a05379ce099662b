"""What a campaign file says, as checked values. The file is read in `campaigns.definition.file`."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, Strict, model_validator

from goldmark.languages import known, offered


def _not_a_page(name: str) -> str:
    if name == "new":
        raise ValueError('"new" is the address of the page that makes campaigns; choose another name')
    return name


Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,62}$"), AfterValidator(_not_a_page)]
MOST_STORED = 2**63 - 1


def _storable(number: int) -> int:
    if number > MOST_STORED:
        raise ValueError(f"a whole number is at most {MOST_STORED}")
    return number


# Strict: 1 is not yes and "3" is not 3, neither in a file nor in a request. A limit here as `Field(le=...)` would be
# obeyed instead of the field's own.
Whole = Annotated[int, Strict(), AfterValidator(_storable)]
Minutes = Annotated[float, Strict()]
YesNo = Annotated[bool, Strict()]
Share = Annotated[float, Strict(), Field(ge=0, le=1, allow_inf_nan=False)]


def _decimal(given: object) -> object:
    """0.1 is a tenth: as it is written, not as the nearest binary fraction."""
    if isinstance(given, float | int) and not isinstance(given, bool):
        return Decimal(str(given))
    if isinstance(given, str):
        try:
            return Decimal(given)
        except InvalidOperation:
            raise ValueError(f'"{given[:40]}" is no amount of money; write a number such as 0.15') from None
    return given


Money = Annotated[Decimal, BeforeValidator(_decimal), Field(ge=0, le=10**9, allow_inf_nan=False)]
PersonName = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f]*\S[^\x00-\x1f]*$")]


def _spoken(language: str) -> str:
    if language and not known(language):
        raise ValueError(f"there is no catalogue for {language!r}; there are {', '.join(offered())}")
    return known(language) if language else ""


PageLanguage = Annotated[str, AfterValidator(_spoken)]


class SettingsPart(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Batch(SettingsPart):
    """How many units a person does before the thank-you page, and how many such batches one person may do."""

    size: Whole | None = Field(default=None, ge=1, description="Units before the thank-you page; none: all there are.")
    per_person: Whole | None = Field(default=None, ge=1, description="Batches one person may do; none: no limit.")


class Order(SettingsPart):
    """In which order units are handed out."""

    seed: Whole = Field(default=0, ge=0, description="Seed of the random order of units.")
    fill: Literal["evenly", "finish_first"] = Field(
        default="evenly",
        description="`evenly`: every unit gets its first label before any gets a second, also within each condition; "
        "`finish_first`: units that were begun are completed first.",
    )
    one_version_per_item: YesNo = Field(
        default=False,
        description="Whether nobody gets two units with the same hidden fact `item`, such as two continuations of one "
        "prompt. Studies always ask for it.",
    )


class Subset(SettingsPart):
    """A fixed random part of the units, the same for everybody who uses the same size and seed."""

    size: Whole = Field(ge=1)
    seed: Whole = Field(default=0, ge=0)


class Join(SettingsPart):
    """Who may take part."""

    open: YesNo = Field(default=True, description="Anyone with the campaign's link, or only people who were invited.")
    at_most: Whole | None = Field(default=None, ge=1, description="How many people may join by the open link.")
    invite: tuple[PersonName, ...] = Field(default=(), description="People who get a personal link at once.")
    pool: str = Field(
        default="",
        max_length=100,
        description="A family of campaigns: who took part in one of them cannot join another.",
    )
    identified: YesNo = Field(
        default=False, description="Only people whose link carries their id on a crowd platform may join."
    )


class Review(SettingsPart):
    """How reviewers look at finished responses. They always may; these settings say which, and what it means."""

    required: YesNo = Field(default=False, description="Whether a response counts only once a reviewer approved it.")
    share: Share = Field(default=1.0, description="The part of the responses that is reviewed, chosen at random.")
    blind: YesNo = Field(default=True, description="Whether reviewers are not told whose response it is.")
    twice: Share = Field(default=0.0, description="The part that two reviewers judge, to see how far they agree.")
    seed: Whole = Field(default=0, ge=0, description="Seed of these random choices.")


class Curation(SettingsPart):
    """How curators settle people's marks."""

    blind: YesNo = Field(default=True, description="Whether curators are not told whose marks they are.")


class Candidates(SettingsPart):
    """The campaign tries people out: who passes is decided from what reviewers say of their first versions."""

    above: Share = Field(default=0.9, description="The part that has to be right at every stage, and more than it.")
    after: Whole = Field(default=20, ge=1, description="How many of a person's answers must have been reviewed.")


class TestQuestions(SettingsPart):
    """Units with a known answer that are mixed into everybody's work. They never count as results."""

    __test__ = False  # not a test of ours, whatever its name says

    positive: Share = Field(default=0.0, description="The part of what a person gets that is a good output.")
    negative: Share = Field(default=0.0, description="The part of what a person gets that is a bad output.")
    seed: Whole = Field(default=0, ge=0, description="Seed of where they are mixed in.")

    @model_validator(mode="after")
    def leave_room_for_work(self) -> Self:
        if self.positive + self.negative > 0.5:
            raise ValueError("at most half of what a person gets can be test questions; lower positive or negative")
        return self


class QualityRule(SettingsPart):
    """What happens by itself when an annotator's work shows something. Each rule acts on a person once."""

    when: Literal["noisy", "too_fast", "same_answer", "copied", "too_short", "misses_errors"] = Field(
        description="`noisy`: by the model of test questions. `too_fast`: answers in less than a third of the usual "
        "time. `same_answer`: one answer to everything. `copied`, `too_short`: explanations taken from the text, or "
        "of fewer than three words. `misses_errors`: errors that were introduced on purpose, or are known from test "
        "questions, and that they did not mark."
    )
    do: Literal["warn", "pause", "exclude"]
    at: Share | None = Field(
        default=None,
        gt=0,
        description="For `noisy` the certainty, 0.99 if not said; for the others the part of their answers, 0.5, or "
        "0.95 for `same_answer`.",
    )
    after: Whole = Field(default=5, ge=1, description="How many test questions, or answers, there must be first.")
    message: str = Field(
        default="", max_length=2_000, description="What the annotator is told instead of our own words."
    )

    @property
    def level(self) -> float:
        usual = {"noisy": 0.99, "same_answer": 0.95}
        return usual.get(self.when, 0.5) if self.at is None else self.at

    @property
    def name(self) -> str:
        """How figures and decisions call this rule."""
        return f"{self.when.replace('_', ' ')} at {100 * self.level:g} %"


class Quality(SettingsPart):
    """How annotators are judged by their test questions and by how they answer."""

    criterion: Literal["class", "rate"] = Field(
        default="class",
        description="Noisy is who belongs to another kind of people than the best (`class`), or who is right less "
        "often than `threshold` (`rate`).",
    )
    threshold: Annotated[float, Strict(), Field(gt=0, lt=1)] = Field(
        default=0.9, description="The accuracy that `rate` asks for."
    )
    flag_at: Annotated[float, Strict(), Field(gt=0, lt=1)] = Field(
        default=0.99, description="The probability of being noisy at which someone is flagged."
    )
    rules: tuple[QualityRule, ...] = Field(default=(), description="What happens by itself; nothing unless asked for.")
    crowd: Annotated[str, Field(max_length=200, pattern=r"^[^\x00-\x1f]*$")] = Field(
        default="",
        description="Campaigns that name the same crowd share what is known of its people: test questions and "
        "exclusions. Empty: this campaign knows its own only.",
    )


class Pay(SettingsPart):
    """What annotators are paid, and what they should be."""

    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")] = "USD"
    per_unit: Annotated[float, Strict(), Field(ge=0, allow_inf_nan=False)] | None = Field(
        default=None, description="The price of one answer; test questions are paid like any other."
    )
    target_hourly: Annotated[float, Strict(), Field(gt=0, allow_inf_nan=False)] | None = Field(
        default=None, description="What an hour of work should earn."
    )


class Approval(SettingsPart):
    """When work on a crowd platform is paid. Nobody is ever rejected by a rule."""

    rule: Literal["completed", "by hand"] = Field(
        default="completed", description="Approve who completed their batch, or only whom a manager approves."
    )
    after_hours: Annotated[float, Strict(), Field(ge=0, le=24 * 21)] = Field(
        default=24.0, description="How long after it was handed in; until then a manager can look."
    )


class Recruit(SettingsPart):
    """The campaign on a crowd platform: what people find there, what they are paid, and who may come."""

    platform: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,29}$")] = Field(
        description="The connector: mturk, prolific, or a plug-in's."
    )
    live: YesNo = Field(
        default=False, description="Whether real people are paid real money; else the sandbox, or a draft."
    )
    start: Literal["by hand", "with the campaign"] = Field(
        default="by hand",
        description="Published by a manager who confirms the cost, or by itself when the campaign starts; "
        "that needs a budget.",
    )
    title: str = Field(default="", max_length=128, description="What people see there; none: the campaign's title.")
    description: str = Field(
        default="", max_length=2_000, description="What it is about; none: the protocol's summary."
    )
    keywords: tuple[Annotated[str, Field(min_length=1, max_length=60, pattern=r"^[^,]*$")], ...] = Field(
        default=(), description="By which people find it, where the platform has such."
    )
    places: Whole | None = Field(default=None, ge=1, le=100_000, description="People; none: as many as the plan needs.")
    reward: Money | None = Field(
        default=None,
        gt=0,
        description="For one place; none: pay.per_unit for each unit of a batch, or else "
        "pay.target_hourly for the time it takes.",
    )
    minutes: Minutes | None = Field(
        default=None, gt=0, le=24 * 60, description="What a batch should take; none: as measured."
    )
    minutes_allowed: Whole = Field(default=60, ge=1, le=30 * 24 * 60, description="What people have for it.")
    days: Whole = Field(default=7, ge=1, le=365, description="How long it is on offer, where the platform asks.")
    budget: Money | None = Field(
        default=None, gt=0, description="Rewards, bonuses and fees together never exceed it; none: what was confirmed."
    )
    replace: YesNo = Field(
        default=True, description="Put further places on offer for people who were excluded, within the budget."
    )
    approve: Approval = Approval()
    only: tuple[PersonName, ...] = Field(
        default=(), max_length=5, description="Only people on one of these lists of ours, such as a qualification."
    )
    never: tuple[PersonName, ...] = Field(default=(), max_length=5, description="Nobody on one of these lists.")
    address: str = Field(
        default="", max_length=200, description="Where people reach this server; none: as it was started with --public."
    )
    options: dict[str, Any] = Field(default={}, description="What only this platform knows; see its page.")


class ConditionPart(SettingsPart):
    """One group that participants are randomised to: what it is, how it is trained and which texts it gets."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,99}$")]
    factors: dict[str, str] = Field(default={}, description="What sets it apart, such as domain: news.")
    training: str | None = Field(
        default=None, description="The protocol's training kit of this group; none: the first."
    )
    places: Whole | None = Field(default=None, ge=1, description="How many people it needs; none: no limit.")
    mix: dict[str, Annotated[int, Strict(), Field(ge=1, le=1000)]] = Field(
        default={}, description="In which proportion a batch is mixed from strata; empty: from the stratum `work`."
    )


def _told_apart(conditions: tuple[ConditionPart, ...]) -> tuple[ConditionPart, ...]:
    if len({one.name for one in conditions}) < len(conditions):
        raise ValueError("two conditions have the same name; give each its own")
    return conditions


class Settings(SettingsPart):
    """Everything of a campaign that is neither its texts nor its protocol. Kept with the campaign as it was given."""

    labels_per_unit: Whole = Field(default=1, ge=1, le=1000)
    batch: Batch = Batch()
    order: Order = Order()
    lease_minutes: Minutes = Field(
        default=60, gt=0, le=60 * 24 * 60, description="How long a unit is kept for someone of whom nothing is heard."
    )
    subset: Subset | None = None
    language: PageLanguage = Field(
        default="",
        description="The language of annotators' pages, such as de; empty: each browser's. Each may choose theirs.",
    )
    consent: str = Field(default="", description="Markdown that people agree to before they start; empty: not asked.")
    join: Join = Join()
    editing: YesNo = Field(default=True, description="Whether people may go back and change an answer.")
    review: Review = Review()
    curation: Curation = Curation()
    candidates: Candidates | None = Field(
        default=None, description="Whether people are candidates here, and what they must reach; none: they are not."
    )
    test_questions: TestQuestions = TestQuestions()
    training: str | None = Field(
        default=None, max_length=100, description="The protocol's training kit for everybody; none: the first."
    )
    qualification: YesNo = Field(default=True, description="Whether people must pass the protocol's qualification.")
    quality: Quality = Quality()
    pay: Pay = Pay()
    recruit: Recruit | None = Field(
        default=None, description="The campaign on a crowd platform; none: it is not on one."
    )
    conditions: Annotated[tuple[ConditionPart, ...], AfterValidator(_told_apart)] = Field(
        default=(), description="Groups that participants are drawn for."
    )


@lru_cache(maxsize=256)
def settings_from(stored: str) -> Settings:
    """Settings as they are kept in the database; parsed once, they never change in place."""
    return Settings.model_validate_json(stored)
