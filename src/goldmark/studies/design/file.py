"""Reading a study file: everything that is wrong in it, its protocol or its texts is named at once, with its line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from goldmark.campaigns.definition.file import CampaignFileMissing, TextsSource
from goldmark.campaigns.definition.units.suggestions import suggestion_problems
from goldmark.campaigns.definition.yaml_file import checked, data_of, placed, protocol_of, source_of
from goldmark.errors import GoldmarkError, Problem, ProblemsFound
from goldmark.protocols import Protocol
from goldmark.protocols.loading.yaml_reader import Map, place
from goldmark.records.units import Unit
from goldmark.studies.design.checks import impossible_expectations, mistakes_of, text_mistakes
from goldmark.studies.design.language import StudyFile
from goldmark.studies.design.recruit import recruit_mistakes
from goldmark.texts.readers.formats import inside
from goldmark.texts.readers.units import read_units

CONSEQUENCE = "the study was not made"
UNCHANGED = "the study was not changed"
PROTOCOL_ENDINGS = (".yaml", ".yml", ".json")


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
    source = source_of(path, StudyFileMissing)
    data = data_of(source, str(path), CONSEQUENCE)
    problems: list[Problem] = []
    file = checked(StudyFile, data, problems)
    # The protocol and the texts are looked at even if another key is wrong, so that one run tells all.
    protocol = protocol_of(data, path, problems)
    units = _units(data, path, problems)
    if file is not None and protocol is not None:
        problems += _meant(data, file, protocol, units, problems)
    if problems or file is None or protocol is None:
        raise ProblemsFound(problems, consequence=CONSEQUENCE)
    return StudyWithTexts(Study(file, source, protocol), tuple(units))


def reread_study(source: str, protocol: Protocol, units: Sequence[Unit], *, name: str, seed: int) -> StudyWithTexts:
    """Another text for a study that has its protocol and texts already, checked as a new one is."""
    data = data_of(source, "study.yaml", UNCHANGED)
    problems: list[Problem] = []
    file = checked(StudyFile, data, problems)
    if file is not None:
        own = file.protocol.endswith(PROTOCOL_ENDINGS)  # the protocol that the campaign holds
        stays = {
            "study": file.study == name or name,
            "seed": file.seed == seed or seed,
            "protocol": own or file.protocol in (protocol.id, protocol.name) or protocol.id,
        }
        for key, before in stays.items():
            if before is not True:
                what = f"it was {before} when the study was created, and stays so"
                problems.append(Problem(place(data, [key])[0], what, f"write {before}", key))
        problems += _meant(data, file, protocol, units, problems)
    if problems or file is None:
        raise ProblemsFound(problems, consequence=UNCHANGED)
    return StudyWithTexts(Study(file, source, protocol), tuple(units))


def _meant(
    data: Map, file: StudyFile, protocol: Protocol, units: Sequence[Unit], before: Sequence[Problem]
) -> list[Problem]:
    """What is wrong beyond the shape of the file; texts are looked at when all else is right."""
    found = placed(data, [*mistakes_of(file, protocol), *impossible_expectations(file), *recruit_mistakes(file)])
    if not found and not before:
        found += placed(data, text_mistakes(file, protocol, units))
        found += suggestion_problems(protocol, units, place(data, ["texts"])[0])
    return found


def fields_in(source: str) -> StudyFile:
    """What a study file says by itself, without its protocol and texts."""
    data = data_of(source, "study.yaml", CONSEQUENCE)
    problems: list[Problem] = []
    file = checked(StudyFile, data, problems)
    if file is None:
        raise ProblemsFound(problems, consequence="the fields are as they were")
    return file


def parse_study(source: str, protocol: Protocol) -> Study:
    """A study as it was kept with its campaign, which holds its protocol and texts."""
    data = data_of(source, "study.yaml", CONSEQUENCE)
    problems: list[Problem] = []
    file = checked(StudyFile, data, problems)
    if file is not None:
        problems += placed(data, mistakes_of(file, protocol))
    if problems or file is None:
        raise ProblemsFound(problems, consequence="the study cannot be analysed")
    return Study(file, source, protocol)


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
