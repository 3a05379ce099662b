"""Reading a study file: everything that is wrong in it, its protocol or its texts is named at once, with its line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from goldmark.campaigns.file import CampaignFileMissing, TextsSource
from goldmark.campaigns.suggestions import suggestion_problems
from goldmark.errors import GoldmarkError, Problem, ProblemsFound
from goldmark.protocols import Protocol, load
from goldmark.protocols.reading import Map, NotReadable, place, read
from goldmark.protocols.wording import in_words
from goldmark.records.units import Unit
from goldmark.studies.checking import mistakes_of, text_mistakes
from goldmark.studies.language import StudyFile
from goldmark.texts.files import inside
from goldmark.texts.reading import read_units

CONSEQUENCE = "the study was not made"


class StudyFileMissing(CampaignFileMissing):
    code = "STUDY-03"
    message = "the study file {file} cannot be read: {why}"


@dataclass(frozen=True)
class Study:
    """A study that can be run: its file, as it was written, with its protocol."""

    file: StudyFile
    source: str
    protocol: Protocol

    @property
    def name(self) -> str:
        return self.file.study

    @property
    def title(self) -> str:
        return self.file.title or self.protocol.title


@dataclass(frozen=True)
class StudyWithTexts:
    """The same with all its texts, each in its group."""

    study: Study
    units: tuple[Unit, ...]


def read_study(path: Path) -> StudyWithTexts:
    """The study in a file with its protocol and texts, or `ProblemsFound` with all that is wrong anywhere."""
    try:
        source = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise StudyFileMissing(file=path, why=getattr(error, "strerror", None) or error) from error
    data = _readable(source, str(path))
    problems: list[Problem] = []
    file = _file(data, problems)
    # The protocol and the texts are looked at even if another key is wrong, so that one run tells all.
    protocol = _protocol(data, path, problems)
    units = _units(data, path, problems)
    if file is not None and protocol is not None:
        problems += _placed(data, mistakes_of(file, protocol))
        if not problems:
            problems += _placed(data, text_mistakes(file, protocol, units))
            problems += suggestion_problems(protocol, units, place(data, ["texts"])[0])
    if problems or file is None or protocol is None:
        raise ProblemsFound(problems, consequence=CONSEQUENCE)
    return StudyWithTexts(Study(file, source, protocol), tuple(units))


def parse_study(source: str, protocol: Protocol) -> Study:
    """A study as it was kept with its campaign, which holds its protocol and texts."""
    data = _readable(source, "study.yaml")
    problems: list[Problem] = []
    file = _file(data, problems)
    if file is not None:
        problems += _placed(data, mistakes_of(file, protocol))
    if problems or file is None:
        raise ProblemsFound(problems, consequence="the study cannot be analysed")
    return Study(file, source, protocol)


def _readable(source: str, file: str) -> Map:
    try:
        return read(source, file)
    except NotReadable as error:
        raise ProblemsFound(error.problems, consequence=CONSEQUENCE) from error


def _file(data: Map, problems: list[Problem]) -> StudyFile | None:
    try:
        return StudyFile.model_validate(data)
    except ValidationError as error:
        for mistake in in_words(error, StudyFile):
            where, at = place(data, mistake.key)
            problems.append(Problem(where, mistake.what, mistake.remedy, ".".join(map(str, at))))
        return None


def _placed(data: Map, mistakes: Sequence[Any]) -> list[Problem]:
    found = []
    for mistake in mistakes:
        where, at = place(data, mistake.key)
        found.append(Problem(where, mistake.what, mistake.remedy, ".".join(map(str, at))))
    return found


def _protocol(data: Map, path: Path, problems: list[Problem]) -> Protocol | None:
    name = data.get("protocol")
    if not isinstance(name, str):
        return None  # said already
    try:
        return load(inside(path.parent, name) if name.endswith((".yaml", ".yml", ".json")) else name)
    except ProblemsFound as error:
        problems += error.problems
    except GoldmarkError as error:
        problems.append(Problem(place(data, ["protocol"])[0], str(error), part="protocol"))
    return None


def _units(data: Map, path: Path, problems: list[Problem]) -> list[Unit]:
    try:
        texts = TextsSource.model_validate(StudyFile.short_form(data.get("texts")))
    except ValidationError:
        return []  # said already
    try:
        paths = [inside(path.parent, one) for one in texts.paths]
        return read_units(paths, format=texts.format, tokeniser=texts.tokeniser, sentences=texts.sentences)
    except ProblemsFound as error:
        problems += error.problems
    except GoldmarkError as error:
        problems.append(Problem(place(data, ["texts"])[0], str(error), part="texts"))
    return []
