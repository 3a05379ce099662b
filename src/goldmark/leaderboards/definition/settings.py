"""What a leaderboard file says, as checked values. The file is read in `leaderboards.definition.file`."""

from __future__ import annotations

import hashlib
import re
import secrets
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BeforeValidator, Field, Strict, ValidationInfo, model_validator

from goldmark.campaigns.definition.settings import (
    Batch,
    Join,
    Minutes,
    Money,
    Name,
    PageLanguage,
    Pay,
    PersonName,
    Quality,
    QualityRule,
    Recruit,
    SettingsPart,
    TestQuestions,
    Whole,
    YesNo,
)

Day = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
DAYS: tuple[Day, ...] = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
PAY_BEFORE = {"price": "per_unit", "currency": "currency", "budget": "budget"}
YEARS = range(1970, 9001)
KEPT = "kept"  # what settings are that come from the database
ISO_CURRENCY = re.compile(r"[A-Z]{3}")
GROUPS = {"weekdays": DAYS[:5], "weekend": DAYS[5:], "every day": DAYS}


def _zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise ValueError(f'"{name[:60]}" is no time zone; write one such as America/Los_Angeles or UTC') from None
    return name


def _days(given: object) -> object:
    """`weekdays` is short for monday to friday, and one day needs no list."""
    if isinstance(given, str):
        return GROUPS.get(given, (given,))
    return given


def _clock(given: object) -> object:
    if isinstance(given, str):
        try:
            return time.fromisoformat(given.zfill(5))
        except ValueError:
            raise ValueError(f'"{given[:40]}" is no time of day; write hours and minutes, such as "10:00"') from None
    return given


def _date(given: object) -> object:
    if isinstance(given, str):
        try:
            return date.fromisoformat(given)
        except ValueError:
            raise ValueError(f'"{given[:40]}" is no date; write year, month and day, such as 2026-03-31') from None
    return given


def _of_our_years(found: date, info: ValidationInfo) -> date:
    """At the ends of the calendar no day follows, and no other zone has the same moment. What is kept is still read."""
    if found.year not in YEARS and info.context != KEPT:
        what = f"{found.isoformat()} is not within the years {YEARS.start} to {YEARS.stop - 1}"
        raise ValueError(f"{what}; write the day that is meant, or leave the line out if there is none")
    return found


def _moment(words: str, info: ValidationInfo) -> str:
    _of_our_years(_local(words), info)
    return words


def _local(words: str) -> date:
    try:
        return date.fromisoformat(words) if len(words) == len("2027-03-01") else datetime.fromisoformat(words)
    except ValueError:
        remedy = 'write a date such as 2027-03-01, or "2027-03-01 18:00"'
        raise ValueError(f'"{words[:40]}" is no moment; {remedy}') from None


def moment(words: str | None, zone: str, *, end: bool = False) -> datetime | None:
    """The moment that is meant: a day begins, or at its `end` is over, at midnight in this zone.

    One before or after all that a calendar has is none.
    """
    if words is None:
        return None
    found = _local(words)
    try:
        if not isinstance(found, datetime):
            found = datetime.combine(found + timedelta(days=1) if end else found, time())
        return (found if found.tzinfo else found.replace(tzinfo=ZoneInfo(zone))).astimezone(UTC)
    except OverflowError:
        return None


def _words(given: object) -> object:
    return given.isoformat() if isinstance(given, date) else given


MetricName = Annotated[str, Field(min_length=1, max_length=200)]
TimeOfDay = Annotated[time, BeforeValidator(_clock)]
Date = Annotated[date, BeforeValidator(_date), AfterValidator(_of_our_years)]
Moment = Annotated[str, BeforeValidator(_words), AfterValidator(_moment), Field(max_length=40)]
PhaseName = Literal["development", "test"]


class Data(SettingsPart):
    """The dataset: what systems answer, and what is known to be right."""

    items: str = Field(description="A JSONL file beside this one: id, context, references, language.")
    split: str = Field(default="test", max_length=60, description="Which part of the dataset it is.")
    shown_reference: str | None = Field(
        default=None, max_length=200, description="The title under which people see the first reference; none: hidden."
    )
    task: str | None = Field(
        default=None, max_length=60, description="What systems answer where it is more than a text, such as spans."
    )
    tokeniser: str = "rules"
    sentences: str = "rules"


class BoardSubset(SettingsPart):
    """The random items that people judge, the same for every system."""

    size: Whole = Field(ge=1)
    seed: Whole | None = Field(
        default=None, ge=0, description="Decides which; left out, one is drawn that nobody can guess."
    )

    def drawn(self) -> BoardSubset:
        """The same with a seed: its own, or one out of 2 to the power of 48."""
        return self if self.seed is not None else BoardSubset(size=self.size, seed=secrets.randbits(48))


class Development(SettingsPart):
    """A phase with data of its own on which teams practise: metrics at once, references open, nobody is asked."""

    items: str = Field(description="A JSONL file beside this one, as data.items has it; with ids of its own.")
    opens: Moment | None = Field(default=None, description="From when submissions are taken; none: at once.")
    closes: Moment | None = Field(default=None, description="Until when; a day counts whole. None: no end.")
    references: YesNo = Field(default=True, description="Whether teams see references, and metrics of every output.")
    at_most: Whole | None = Field(default=None, ge=1, description="Submissions of a team within so many days.")
    days: Whole = Field(default=1, ge=1, le=3650)


class Submitting(SettingsPart):
    """Who may submit, when, how often, and who decides when results are seen."""

    who: Literal["anyone", "teams"] = Field(
        default="anyone", description="Anyone with an account, or only the teams named here."
    )
    strangers: YesNo = Field(
        default=False, description="Whether, on a public board, people without an account can make themselves one."
    )
    teams: dict[PersonName, tuple[PersonName, ...]] = Field(default={}, description="Teams and their accounts.")
    at_most: Whole | None = Field(default=None, ge=1, description="Submissions of a team within so many days.")
    days: Whole = Field(default=7, ge=1, le=3650, description="The days over which submissions are counted.")
    systems: Whole | None = Field(default=None, ge=1, description="How many systems a team may have.")
    results: Literal["by team", "when scored"] = Field(
        default="by team", description="A submission is private until its team publishes it, or until it is scored."
    )
    opens: Moment | None = Field(default=None, description="From when submissions are taken; none: at once.")
    closes: Moment | None = Field(default=None, description="Until when; a day counts whole. None: no end.")
    zone: Annotated[str, AfterValidator(_zone)] = Field(
        default="UTC", description="Where days begin; Etc/GMT+12 is anywhere on earth."
    )
    feedback: Literal["at once", "when closed"] = Field(
        default="at once", description="When teams and readers see metrics and scores of the test."
    )


class BoardPay(SettingsPart):
    """What labels cost. Money is decimal: a hundred labels at 0.1 cost 10."""

    per_unit: Money = Field(default=Decimal(0), description="The price of one answer; test questions cost the same.")
    currency: str = Field(default="USD", min_length=1, max_length=10)
    target_hourly: Money | None = Field(default=None, gt=0, description="What an hour of work should earn.")
    budget: Money | None = Field(default=None, description="No campaign is opened that would cost more in all.")

    def of_campaign(self) -> Pay:
        """The same for the campaign of a round."""
        if not ISO_CURRENCY.fullmatch(self.currency):
            return Pay()  # a campaign pays in money; points and vouchers are the board's own
        hourly = None if self.target_hourly is None else float(self.target_hourly)
        return Pay(currency=self.currency, per_unit=float(self.per_unit) or None, target_hourly=hourly)


class BoardQuality(Quality):
    """How a board's people are judged: who is noisy at 99 % is excluded and their units open again, unless changed."""

    rules: tuple[QualityRule, ...] = Field(
        default=(QualityRule(when="noisy", do="exclude"),),
        description="What happens by itself; an empty list leaves every decision to managers.",
    )
    crowd: Annotated[str, Field(max_length=200, pattern=r"^[^\x00-\x1f]*$")] = Field(
        default="", description="Boards that name the same crowd share what is known of people; empty: this board's."
    )

    def of_campaign(self, board: str) -> Quality:
        """The same for the campaign of a round: all rounds of a board are of one crowd."""
        said = {name: getattr(self, name) for name in Quality.model_fields}
        return Quality(**{**said, "crowd": self.crowd or f"leaderboard {board}"})


class Human(SettingsPart):
    """The plan of the human evaluation: the same for every system."""

    start: Literal["automatic", "approval", "never"] = Field(
        default="approval", description="Evaluate every submission, those a manager approves, or none."
    )
    labels_per_unit: Whole = Field(default=1, ge=1, le=100)
    together: Whole = Field(default=4, ge=1, le=100, description="How many new systems may share a campaign.")
    gold: YesNo = Field(default=False, description="Judge the references as well, as a row of their own.")
    again: Whole = Field(default=0, ge=0, le=100, description="Earlier systems annotated again alongside, for drift.")
    test_questions: TestQuestions = TestQuestions()
    batch: Batch = Batch()
    join: Join = Join()
    consent: str = Field(default="", max_length=50_000, description="Markdown that people agree to first.")
    language: PageLanguage = Field(
        default="", description="The language of annotators' pages, such as de; empty: each browser's."
    )
    lease_minutes: Minutes = Field(default=60, gt=0, le=60 * 24 * 60)
    quality: BoardQuality = BoardQuality()
    pay: BoardPay = BoardPay()
    recruit: Recruit | None = Field(
        default=None,
        description="On which crowd platform rounds are put, and how; its budget is one round's.",
    )

    @model_validator(mode="before")
    @classmethod
    def older_words(cls, given: Any) -> Any:
        """`price`, `currency` and `budget` stood beside each other before there was `pay`; they are still read."""
        if not isinstance(given, dict) or not (before := PAY_BEFORE.keys() & given.keys()):
            return given
        if "pay" in given:
            raise ValueError(f"{', '.join(sorted(before))} belongs into pay, where there is a pay")
        rest = {key: value for key, value in given.items() if key not in before}
        return {**rest, "pay": {PAY_BEFORE[key]: given[key] for key in before}}


class Opening(SettingsPart):
    """When campaigns are opened to annotators; GENIE's choice is weekdays at ten in the morning, Pacific time."""

    days: Annotated[tuple[Day, ...], BeforeValidator(_days), Field(min_length=1)] = DAYS
    at: TimeOfDay = time(10, 0)
    zone: Annotated[str, AfterValidator(_zone)] = "UTC"
    first: Date | None = None
    last: Date | None = None

    @model_validator(mode="after")
    def in_order(self) -> Opening:
        if self.first and self.last and self.last < self.first:
            raise ValueError(f"the last date {self.last} is before the first, {self.first}")
        return self


class Scoring(SettingsPart):
    """How judgements become scores."""

    main: str | None = Field(default=None, description="The question whose scores rank; none: the protocol's last.")
    z: YesNo = Field(default=False, description="Standardise each annotator's scores first.")
    draw: Literal["items and annotators", "items"] = Field(
        default="items and annotators",
        description="What intervals take to be drawn by chance; `items` keeps the very people, as GENIE and WMT do.",
    )
    level: Annotated[float, Strict(), Field(gt=0.5, lt=1)] = 0.95
    resamples: Whole = Field(default=2000, ge=100, le=100_000)
    seed: Whole = Field(default=17, ge=0)


EventName = Literal[
    "submitted",
    "published",
    "withdrawn",
    "human evaluation approved",
    "human evaluation declined",
    "same outputs",
    "round planned",
    "round opened",
    "round opened again",
    "round waits",
    "round scored",
    "scores brought in",
    "account registered",
    "team joined",
    "team member added",
    "team member removed",
    "board closed",
    "board opened again",
    "settings changed",
]


class Notification(SettingsPart):
    """Who is told what happens: a web hook or a mail address, and of which events."""

    url: str | None = Field(default=None, max_length=1_000, description="A web hook, https://...; it gets JSON.")
    mail: str | None = Field(default=None, max_length=320, description="Or a mail address.")
    events: tuple[EventName, ...] = Field(default=(), description="What is told; none named: everything.")
    secret: str = Field(default="", max_length=200, description="Signs what a web hook gets (HMAC of SHA-256).")

    @property
    def to(self) -> str:
        return self.url or self.mail or ""

    @property
    def digest(self) -> str:
        """By which it is named where its address should not stand."""
        return hashlib.sha256(self.to.encode()).hexdigest()[:16]

    @model_validator(mode="after")
    def one_address(self) -> Notification:
        if (self.url is None) == (self.mail is None):
            raise ValueError("give url or mail, one of them")
        if self.url is not None:
            parts = urlsplit(self.url)
            if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
                raise ValueError("a web hook is an address such as https://chat.example.org/hook, without a password")
        elif not re.fullmatch(r"[^@\s<>,;:\"]+@[^@\s<>,;:\"]+", self.mail or ""):
            raise ValueError("a mail address is written as name@example.org")
        return self


class BoardSettings(SettingsPart):
    """Everything of a board that is neither its items nor its protocol. Kept with the board as it was given."""

    about: str = Field(default="", max_length=20_000, description="Markdown for those who read the board.")
    public: YesNo = Field(default=False, description="Whether everybody sees its published results, or members only.")
    examples: YesNo = Field(
        default=True, description="Whether a system's page shows outputs, though not while they are judged."
    )
    judgements: YesNo = Field(default=False, description="Whether it shows what people said of each output.")
    inputs: YesNo = Field(default=True, description="Whether who sees the board can download what systems answer.")
    references: YesNo = Field(
        default=False, description="Whether readers see the references, and with them metrics of single outputs."
    )
    judged_items: YesNo = Field(
        default=False, description="Whether readers see which items people judge; with judgements they do."
    )
    subset: BoardSubset | None = Field(default=None, description="The items that people judge; none: all.")
    development: Development | None = Field(default=None, description="A phase to practise in; none: only the test.")
    metrics: tuple[MetricName, ...] = Field(
        default=(), max_length=50, description="Automatic metrics, such as bleu or chrf:word_order=2."
    )
    submit: Submitting = Submitting()
    human: Human = Human()
    opening: Opening | None = Field(default=None, description="When campaigns are opened; none: at once.")
    scores: Scoring = Scoring()
    notify: tuple[Notification, ...] = Field(
        default=(), max_length=20, description="Web hooks and mail for what happens."
    )


class BoardFile(BoardSettings):
    """A leaderboard file. Everything but the name, the data and what scores has a sensible default."""

    leaderboard: Name = Field(description="Its id in addresses: small letters, digits and hyphens.")
    title: str = Field(default="", max_length=500, description="What people see; by default the protocol's title.")
    protocol: str | None = Field(
        default=None,
        description="A built-in protocol, or the path of a YAML file beside this one; none: metrics alone score.",
    )
    data: Data

    @model_validator(mode="before")
    @classmethod
    def short_forms(cls, given: Any) -> Any:
        """`data: items.jsonl` is short for its path."""
        if isinstance(given, dict) and isinstance(given.get("data"), str):
            return {**given, "data": {"items": given["data"]}}
        return given

    def settings(self) -> BoardSettings:
        said = {name: getattr(self, name) for name in BoardSettings.model_fields}
        human = self.human if self.protocol else self.human.model_copy(update={"start": "never"})
        return BoardSettings(**{**said, "human": human, "subset": self.subset and self.subset.drawn()})


@lru_cache(maxsize=256)
def board_settings(stored: str) -> BoardSettings:
    """Settings as they are kept in the database; parsed once, they never change in place."""
    return BoardSettings.model_validate_json(stored, context=KEPT)
