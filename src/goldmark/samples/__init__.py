"""Sample campaigns that come with Goldmark: texts, tables and an invented league, all written by us.

Each sample is a folder with a campaign file, its texts, and finished annotations by three sample annotators. About a
third of the units have fewer labels than they need, so that a newcomer finds work to do.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goldmark.errors import Missing

SHIPPED = Path(__file__).parent  # where the samples lie
NAMES = ("accuracy", "rating-qa", "rating-summary", "humanlike", "tgea", "pairwise", "best-worst")


class UnknownSample(Missing):
    code = "SAMPLE-02"
    message = 'there is no sample "{name}"; there are {known}'


@dataclass(frozen=True)
class Annotation:
    """One finished answer of a sample annotator."""

    annotator: str
    unit: str
    answers: Mapping[str, Any]
    seconds: float


@dataclass(frozen=True)
class Sample:
    """A sample campaign and what people have already answered in it."""

    name: str
    folder: Path

    @property
    def campaign(self) -> Path:
        """The campaign file, ready for `goldmark campaign create`."""
        return self.folder / "campaign.yaml"

    @property
    def texts(self) -> Path:
        return self.folder / "texts.jsonl"

    def annotations(self) -> Iterator[Annotation]:
        """The finished answers, person by person."""
        with (self.folder / "answers.jsonl").open(encoding="utf-8") as lines:
            for line in lines:
                yield Annotation(**json.loads(line))


def samples() -> list[Sample]:
    """All samples, in the order in which a newcomer might try them."""
    return [Sample(name, SHIPPED / name) for name in NAMES]


def sample(name: str) -> Sample:
    if name not in NAMES:
        raise UnknownSample(name=name, known=", ".join(NAMES))
    return Sample(name, SHIPPED / name)
