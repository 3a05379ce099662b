"""A campaign is one readable file; here it is read and every problem in it, its protocol and its texts is named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError, field_validator
from sqlalchemy import Connection

from goldmark.campaigns.definition.admission import kit_problems
from goldmark.campaigns.definition.conditions import stratum_problems
from goldmark.campaigns.definition.settings import Name, Settings, SettingsPart, TestQuestions
from goldmark.campaigns.definition.units.needed_context import note_missing
from goldmark.campaigns.definition.units.suggestions import MOST_PROBLEMS, read_list
from goldmark.campaigns.definition.units.unit_intake import ProblemPlaces, UnitIntake, role_problems
from goldmark.campaigns.definition.units.unit_order import in_subset
from goldmark.campaigns.definition.yaml_file import Misplaced, checked, data_of, placed, protocol_of, source_of
from goldmark.campaigns.lifecycle import CampaignRow, Noted, create, nothing_noted
from goldmark.campaigns.test_questions import test_units
from goldmark.campaigns.told import Tell, counted_calls, told_to_nobody
from goldmark.errors import GoldmarkError, Missing, Problem, ProblemList, ProblemsFound
from goldmark.protocols import Protocol
from goldmark.protocols.loading.yaml_reader import Map, place
from goldmark.records.units import Sign, Unit, sign_of
from goldmark.store import Store
from goldmark.texts.readers.formats import inside
from goldmark.texts.readers.rows import SegmentationRules
from goldmark.texts.readers.units import hand_on_units, read_units


class CampaignFileMissing(Missing):
    code = "CAMPAIGN-04"
    message = "the campaign file {file} cannot be read: {why}"


class TextsSource(SettingsPart):
    """Where the texts are and how they are read."""

    path: str | tuple[str, ...] = Field(description="A file or folder beside the campaign file, or several.")
    format: str | None = Field(default=None, description="jsonl, csv, parquet or folder; told from the name.")
    tokeniser: str = "rules"
    sentences: str = "rules"

    @property
    def paths(self) -> tuple[str, ...]:
        return (self.path,) if isinstance(self.path, str) else self.path


class TestSource(TestQuestions):
    """Where test questions come from: gold outputs that the texts carry, or files of their own."""

    gold: str | None = Field(
        default=None, description="The column of the texts that holds a gold output; it is hidden from annotators."
    )
    texts: str | tuple[str, ...] = Field(
        default=(), description="Files of gold outputs (by item), or of test questions (with `test` and `expected`)."
    )
    expected: dict[Sign, dict[str, Any]] = Field(
        default={}, description="The right answers to positive and to negative test questions."
    )

    @property
    def paths(self) -> tuple[str, ...]:
        return (self.texts,) if isinstance(self.texts, str) else self.texts

    def rates(self) -> TestQuestions:
        return TestQuestions(**{name: getattr(self, name) for name in TestQuestions.model_fields})


class CampaignFile(Settings):
    """A campaign file. Everything but the name, the protocol and the texts has a sensible default."""

    campaign: Name = Field(description="Its id in addresses: small letters, digits and hyphens.")
    title: str = Field(default="", max_length=500, description="What people see; by default the protocol's title.")
    protocol: str = Field(description="A built-in protocol, or the path of a YAML file beside this one.")
    texts: TextsSource
    test_questions: TestSource = TestSource()
    suggestions: str | None = Field(
        default=None,
        description="A mistake list beside this file, as `goldmark check` writes it: annotators decide each mark.",
    )

    @field_validator("texts", mode="before")
    @classmethod
    def short_form(cls, value: Any) -> Any:
        """`texts: texts.jsonl` and `texts: [a.jsonl, b.jsonl]` are short for `texts: {path: ...}`."""
        return {"path": value} if isinstance(value, str | list) else value

    def settings(self) -> Settings:
        given = {name: getattr(self, name) for name in Settings.model_fields}
        return Settings(**{**given, "test_questions": self.test_questions.rates()})


@dataclass(frozen=True)
class CampaignPlan:
    """A campaign that can be created: everything in it was found and is right."""

    name: str
    title: str
    protocol: Protocol
    settings: Settings
    units: Sequence[Unit]
    missing_context: Sequence[str] = ()  # what units lack beside their texts, told and taken

    def chosen(self) -> ChosenUnits:
        """What is known of the units that will be labelled, and how many test questions there are."""
        found = ChosenUnits()
        for unit in filter(in_subset(self.units, self.settings.subset), self.units):
            if sign_of(unit.hidden) is None:
                found.units += 1
                found.shown.update(item.title for item in unit.shown.context)
                found.hidden.update(unit.hidden)
                found.systems.add(str(unit.hidden.get("system", "")))
            else:
                found.tests += 1
        return found


@dataclass
class ChosenUnits:
    """A campaign's units in numbers, and what is shown beside their texts and hidden of them, by name."""

    units: int = 0
    tests: int = 0
    shown: set[str] = field(default_factory=set)
    hidden: set[str] = field(default_factory=set)
    systems: set[str] = field(default_factory=set)


Check = Callable[[Settings], Sequence[Misplaced]]


def nothing_else(settings: Settings) -> Sequence[Misplaced]:
    return ()


def read_campaign(path: Path, also: Check = nothing_else, tell: Tell = told_to_nobody) -> CampaignPlan:
    """The campaign in a file with its protocol and texts, or `ProblemsFound` with all that is wrong anywhere.

    `also` looks at what other rooms know of its settings, and `tell` hears how many units were read.
    """
    data = data_of(source_of(path, CampaignFileMissing), str(path))
    problems: list[Problem] = ProblemList()
    file = checked(CampaignFile, data, problems)
    # The protocol and the texts are looked at even if another key is wrong, so that one run tells all.
    protocol = protocol_of(data, path, problems)
    where = ProblemPlaces(*(_place(data, key) for key in ("texts", "suggestions", "test_questions")))
    intake = UnitIntake(protocol, where, file.test_questions.expected if file else None)
    intake = _read_texts(data, path, intake, problems, tell)
    if file is not None:
        problems += placed(data, also(file.settings()))
    if protocol is not None:
        problems += intake.roles + intake.context_problems()
        if file is not None:
            problems += kit_problems(protocol, file, place(data, ["training"])[0])
            if intake.units:
                problems += stratum_problems(file, intake.strata, place(data, ["conditions"])[0])
        _suggest(data, path, protocol, intake, problems)
    if protocol is not None and file is not None and intake.units:
        _add_tests(data, path, file, protocol, intake, problems)
    if problems or protocol is None or file is None:
        raise ProblemsFound(problems, consequence="nothing was created")
    missing, title = intake.missing_context(), file.title or protocol.title
    return CampaignPlan(file.campaign, title, protocol, file.settings(), intake.units, missing)


def _place(data: Map, key: str) -> str:
    return place(data, [key if key in data else "texts"])[0]


def create_planned(
    store: Store, plan: CampaignPlan, *, author: str, tell: Tell = told_to_nobody, noting: Noted = nothing_noted
) -> CampaignRow:
    """The campaign of a plan, with all its units and what is noted of it, or nothing at all."""

    def note(connection: Connection, row: CampaignRow) -> None:
        note_missing(connection, row.id, row.name, plan.missing_context, author=author)
        noting(connection, row)

    return create(
        store,
        name=plan.name,
        title=plan.title,
        protocol=plan.protocol,
        settings=plan.settings,
        units=plan.units,
        author=author,
        tell=tell,
        noting=note,
    )


def named_files(path: Path) -> list[Path]:
    """The files that a campaign file names, as far as they are there: what has to be sent along with it."""
    data = data_of(source_of(path, CampaignFileMissing), str(path))
    named: list[str] = []
    for model, key in ((TextsSource, "texts"), (TestSource, "test_questions")):
        given = CampaignFile.short_form(data.get(key)) if key == "texts" else data.get(key)
        with suppress(ValidationError):  # the server will say so
            named += model.model_validate(given or {}).paths
    named += [one for key in ("protocol", "suggestions") if isinstance(one := data.get(key), str) and "." in one]
    found = [inside(path.parent, one) for one in named]
    return [file for one in found for file in (sorted(one.rglob("*")) if one.is_dir() else [one]) if file.is_file()]


def _read_texts(data: Map, path: Path, intake: UnitIntake, problems: list[Problem], tell: Tell) -> UnitIntake:
    """The intake with all units, or an empty one and everything that is wrong with any row."""
    try:
        texts = TextsSource.model_validate(CampaignFile.short_form(data.get("texts")))
    except ValidationError:
        return intake  # said already
    rules = SegmentationRules(texts.tokeniser, texts.sentences)
    try:
        paths = [inside(path.parent, one) for one in texts.paths]
        hand_on_units(paths, counted_calls(intake.take, "texts read", tell), format=texts.format, rules=rules)
        return intake
    except ProblemsFound as error:
        problems += error.problems
    except GoldmarkError as error:
        problems.append(Problem(place(data, ["texts"])[0], str(error), part="texts"))
    return UnitIntake(None, ProblemPlaces.all_in(""))


def _suggest(data: Map, path: Path, protocol: Protocol, intake: UnitIntake, problems: list[Problem]) -> None:
    """The suggestions of the file onto the units, and everything that is wrong with any suggestion."""
    name = data.get("suggestions")
    if isinstance(name, str) and intake.units:
        try:
            intake.suggest(read_list(inside(path.parent, name), intake.texts, protocol))
        except ProblemsFound as error:
            problems += error.problems
        except GoldmarkError as error:
            problems.append(Problem(_place(data, "suggestions"), str(error), part="suggestions"))
    problems += intake.suggestion_problems()


def _add_tests(
    data: Map, path: Path, file: CampaignFile, protocol: Protocol, intake: UnitIntake, problems: list[Problem]
) -> None:
    """The test questions beside the units, each with what is right in it."""
    source, texts = file.test_questions, file.texts
    where = _place(data, "test_questions")
    golds: Sequence[test_units.GoldOutput] = ()
    rows: list[Unit] = []
    try:
        if source.gold is not None:
            golds = test_units.gold_in_column(
                intake.units, source.gold, protocol, tokeniser=texts.tokeniser, sentences=texts.sentences
            )
        if source.paths:
            paths = [inside(path.parent, one) for one in source.paths]
            rows = read_units(paths, tokeniser=texts.tokeniser, sentences=texts.sentences)
            problems += role_problems(protocol, rows, place(data, ["test_questions", "texts"])[0])[:MOST_PROBLEMS]
        made = test_units.made_of_rows(rows, golds, intake.units, source)
    except ProblemsFound as error:
        problems += error.problems
        return
    except GoldmarkError as error:
        problems.append(Problem(where, str(error), part="test_questions"))
        return
    for one in made:
        if intake.units.knows(one.id):
            what = f"a unit {one.id!r} is in the campaign already"
            problems.append(Problem(where, what, "give the test question another id"))
        intake.take(one)
    problems += intake.test_problems()
    problems += test_units.rate_problems(source, intake.signs, where)
