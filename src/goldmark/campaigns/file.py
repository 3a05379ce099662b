"""A campaign is one readable file; here it is read and every problem in it, its protocol and its texts is named."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError, field_validator

from goldmark.campaigns.settings import Name, Part, Settings
from goldmark.campaigns.stages import kit_problems
from goldmark.errors import GoldmarkError, Kind, Problem, ProblemsFound
from goldmark.protocols import Protocol, load
from goldmark.protocols.reading import Map, NotReadable, place, read
from goldmark.protocols.wording import in_words
from goldmark.records.units import Unit
from goldmark.texts.files import inside
from goldmark.texts.reading import read_units


class CampaignFileMissing(GoldmarkError):
    code = "CAMPAIGN-04"
    kind = Kind.MISSING
    message = "the campaign file {file} cannot be read: {why}"


class TextsSource(Part):
    """Where the texts are and how they are read."""

    path: str | tuple[str, ...] = Field(description="A file or folder beside the campaign file, or several.")
    format: str | None = Field(default=None, description="jsonl, csv, parquet or folder; told from the name.")
    tokeniser: str = "rules"
    sentences: str = "rules"

    @property
    def paths(self) -> tuple[str, ...]:
        return (self.path,) if isinstance(self.path, str) else self.path


class CampaignFile(Settings):
    """A campaign file. Everything but the name, the protocol and the texts has a sensible default."""

    campaign: Name = Field(description="Its id in addresses: small letters, digits and hyphens.")
    title: str = Field(default="", max_length=500, description="What people see; by default the protocol's title.")
    protocol: str = Field(description="A built-in protocol, or the path of a YAML file beside this one.")
    texts: TextsSource

    @field_validator("texts", mode="before")
    @classmethod
    def short_form(cls, value: Any) -> Any:
        """`texts: texts.jsonl` and `texts: [a.jsonl, b.jsonl]` are short for `texts: {path: ...}`."""
        return {"path": value} if isinstance(value, str | list) else value

    def settings(self) -> Settings:
        return Settings(**{name: getattr(self, name) for name in Settings.model_fields})


@dataclass(frozen=True)
class CampaignPlan:
    """A campaign that can be created: everything in it was found and is right."""

    name: str
    title: str
    protocol: Protocol
    settings: Settings
    units: tuple[Unit, ...]


def read_campaign(path: Path) -> CampaignPlan:
    """The campaign in a file with its protocol and texts, or `ProblemsFound` with all that is wrong anywhere."""
    try:
        source = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CampaignFileMissing(file=path, why=getattr(error, "strerror", None) or error) from error
    problems: list[Problem] = []
    try:
        data = read(source, str(path))
    except NotReadable as error:
        raise ProblemsFound(error.problems, consequence="nothing was created") from error
    file = _file(data, problems)
    # The protocol and the texts are looked at even if another key is wrong, so that one run tells all.
    protocol = _protocol(data, path, problems)
    units = _units(data, path, problems)
    if protocol is not None:
        problems += _roles(protocol, units, place(data, ["texts"])[0])
        if file is not None:
            problems += kit_problems(protocol, file, place(data, ["training"])[0])
    if problems or protocol is None or file is None:
        raise ProblemsFound(problems, consequence="nothing was created")
    return CampaignPlan(file.campaign, file.title or protocol.title, protocol, file.settings(), tuple(units))


def _file(data: Map, problems: list[Problem]) -> CampaignFile | None:
    try:
        return CampaignFile.model_validate(data)
    except ValidationError as error:
        for mistake in in_words(error, CampaignFile):
            where, at = place(data, mistake.key)
            problems.append(Problem(where, mistake.what, mistake.remedy, ".".join(map(str, at))))
        return None


def _protocol(data: Map, path: Path, problems: list[Problem]) -> Protocol | None:
    name = data.get("protocol")
    if not isinstance(name, str):
        return None  # said already
    where = place(data, ["protocol"])[0]
    try:
        return load(inside(path.parent, name) if name.endswith((".yaml", ".yml", ".json")) else name)
    except ProblemsFound as error:
        problems += error.problems
    except GoldmarkError as error:
        problems.append(Problem(where, str(error), part="protocol"))
    return None


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


def check_roles(protocol: Protocol, units: list[Unit], where: str) -> None:
    """Refuse units that lack a text the protocol asks about."""
    problems = _roles(protocol, units, where)
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
