"""A campaign is one readable file; here it is read and every problem in it, its protocol and its texts is named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError, field_validator

from goldmark.campaigns.definition.admission import kit_problems
from goldmark.campaigns.definition.conditions import stratum_problems
from goldmark.campaigns.definition.needed_context import context_problems
from goldmark.campaigns.definition.settings import Name, Settings, SettingsPart, TestQuestions
from goldmark.campaigns.definition.suggestions import read_suggestions, suggestion_problems
from goldmark.campaigns.definition.unit_order import choose
from goldmark.campaigns.definition.yaml_file import Misplaced, checked, data_of, placed, protocol_of, source_of
from goldmark.campaigns.test_questions import test_units
from goldmark.campaigns.test_questions.expected_answers import with_expected
from goldmark.errors import GoldmarkError, Kind, Problem, ProblemList, ProblemsFound
from goldmark.protocols import Protocol
from goldmark.protocols.loading.yaml_reader import Map, place
from goldmark.records.units import Sign, Unit, sign_of
from goldmark.texts.readers.formats import inside
from goldmark.texts.readers.units import read_units


class CampaignFileMissing(GoldmarkError):
    code = "CAMPAIGN-04"
    kind = Kind.MISSING
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
    units: tuple[Unit, ...]

    def chosen(self) -> tuple[list[Unit], list[Unit]]:
        """The units that will be labelled, and the test questions."""
        chosen = choose(self.units, self.settings.subset)
        work = [unit for unit in chosen if sign_of(unit.hidden) is None]
        return work, [unit for unit in chosen if sign_of(unit.hidden) is not None]


Check = Callable[[Settings], Sequence[Misplaced]]


def nothing_else(settings: Settings) -> Sequence[Misplaced]:
    return ()


def read_campaign(path: Path, also: Check = nothing_else) -> CampaignPlan:
    """The campaign in a file with its protocol and texts, or `ProblemsFound` with all that is wrong anywhere.

    `also` looks at what other rooms know of its settings.
    """
    data = data_of(source_of(path, CampaignFileMissing), str(path))
    problems: list[Problem] = ProblemList()
    file = checked(CampaignFile, data, problems)
    # The protocol and the texts are looked at even if another key is wrong, so that one run tells all.
    protocol = protocol_of(data, path, problems)
    units = _units(data, path, problems)
    if file is not None:
        problems += placed(data, also(file.settings()))
    if protocol is not None:
        problems += _roles(protocol, units, place(data, ["texts"])[0])
        problems += context_problems(protocol, units, place(data, ["texts"])[0])
        if file is not None:
            problems += kit_problems(protocol, file, place(data, ["training"])[0])
            problems += stratum_problems(file, units, place(data, ["conditions"])[0]) if units else []
        units = _suggestions(data, path, protocol, units, problems)
    if protocol is not None and file is not None and units:
        units = _with_tests(data, path, file, protocol, units, problems)
    if problems or protocol is None or file is None:
        raise ProblemsFound(problems, consequence="nothing was created")
    return CampaignPlan(file.campaign, file.title or protocol.title, protocol, file.settings(), tuple(units))


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


def _units(data: Map, path: Path, problems: list[Problem]) -> list[Unit]:
    try:
        texts = TextsSource.model_validate(CampaignFile.short_form(data.get("texts")))
    except ValidationError:
        return []  # said already
    where = place(data, ["texts"])[0]
    try:
        paths = [inside(path.parent, one) for one in texts.paths]
        return read_units(paths, format=texts.format, tokeniser=texts.tokeniser, sentences=texts.sentences)
    except ProblemsFound as error:
        problems += error.problems
    except GoldmarkError as error:
        problems.append(Problem(where, str(error), part="texts"))
    return []


def _suggestions(data: Map, path: Path, protocol: Protocol, units: list[Unit], problems: list[Problem]) -> list[Unit]:
    """The units with the suggestions of the file, and everything that is wrong with any suggestion."""
    where = place(data, ["suggestions" if "suggestions" in data else "texts"])[0]
    name = data.get("suggestions")
    if isinstance(name, str) and units:
        try:
            units = read_suggestions(inside(path.parent, name), units, protocol)
        except ProblemsFound as error:
            problems += error.problems
        except GoldmarkError as error:
            problems.append(Problem(where, str(error), part="suggestions"))
    problems += suggestion_problems(protocol, units, where)
    return units


def _with_tests(
    data: Map, path: Path, file: CampaignFile, protocol: Protocol, units: list[Unit], problems: list[Problem]
) -> list[Unit]:
    """The units and the test questions among and beside them, each with what is right in it."""
    source, texts = file.test_questions, file.texts
    where = place(data, ["test_questions" if "test_questions" in data else "texts"])[0]
    golds: Sequence[test_units.GoldOutput] = ()
    rows: list[Unit] = []
    try:
        if source.gold is not None:
            golds = test_units.gold_in_column(
                units, source.gold, protocol, tokeniser=texts.tokeniser, sentences=texts.sentences
            )
        if source.paths:
            paths = [inside(path.parent, one) for one in source.paths]
            rows = read_units(paths, tokeniser=texts.tokeniser, sentences=texts.sentences)
            problems += _roles(protocol, rows, place(data, ["test_questions", "texts"])[0])
        made = test_units.made_of_rows(rows, golds, units, source)
    except ProblemsFound as error:
        problems += error.problems
        return units
    except GoldmarkError as error:
        problems.append(Problem(where, str(error), part="test_questions"))
        return units
    known = {unit.id for unit in units}
    problems += [
        Problem(where, f"a unit {one.id!r} is in the campaign already", "give the test question another id")
        for one in made
        if one.id in known
    ]
    every = with_expected(protocol, [*units, *made], where, problems, source.expected)
    problems += test_units.rate_problems(source, every, where)
    return every


def check_roles(protocol: Protocol, units: list[Unit], where: str) -> None:
    """Refuse units that lack a text the protocol asks about or what it needs beside it, or have suggestions that nobody
    could accept."""
    problems = _roles(protocol, units, where) + suggestion_problems(protocol, units, where)
    problems += context_problems(protocol, units, where)
    if problems:
        raise ProblemsFound(problems, consequence="nothing was added")


def _roles(protocol: Protocol, units: list[Unit], where: str) -> list[Problem]:
    wanted = set(protocol.texts)
    wrong = [unit for unit in units if set(unit.shown.texts) != wanted]
    return [
        Problem(
            where,
            f"unit {unit.id!r} has {_listed(unit.shown.texts)}, but {protocol.id} asks about {_listed(wanted)}",
            "rename the columns of the texts or choose another protocol",
        )
        for unit in wrong[:20]
    ]


def _listed(roles: Any) -> str:
    return " and ".join(f"`{role}`" for role in sorted(roles))
