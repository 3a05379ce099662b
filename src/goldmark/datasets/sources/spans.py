"""Anybody's spans: JSONL with one answer a line, a text and the errors that somebody marked in it.

Lines with the same id are answers of several people to the same text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from goldmark.datasets.sources.readings import Associated, MarkedError, Reading, ReadText, Rule, SourceDescription
from goldmark.errors import GoldmarkError, Problem, ProblemsFound
from goldmark.records.spans import Span, covering
from goldmark.texts.segmentation.text import make_text

MOST = 50


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Passage(_Strict):
    start: Annotated[int, Field(ge=0)]
    end: Annotated[int, Field(ge=1)]
    role: str = "associated"


class _ErrorLine(_Strict):
    start: Annotated[int, Field(ge=0)]
    end: Annotated[int, Field(ge=1)]
    id: str = ""
    label: str = ""
    correction: str | None = None
    rationale: str = ""
    associated: list[_Passage] = []
    attributes: dict[str, str] = {}


class _Line(_Strict):
    """One answer. Positions count characters unless `positions` says tokens."""

    id: Annotated[str, Field(min_length=1)]
    text: Annotated[str, Field(min_length=1)]
    tokens: list[str] | None = None
    tokeniser: str = "rules"
    positions: Literal["characters", "tokens"] = "characters"
    language: str = ""
    system: str = ""
    item: str = ""
    annotator: str = "unknown"
    approved: bool = False
    discarded: str = ""
    errors: list[_ErrorLine] = []
    context: dict[str, str] = {}


class SpansFile:
    """Any spans: JSON lines with a text and its errors.

    The file is checked whole first; then texts are read one at a time from where their lines stand.
    """

    choose: Rule = "auto"

    def __init__(self, path: Path) -> None:
        self._path = path
        self._places: dict[str, list[int]] = {}
        problems: list[Problem] = []
        place = 0
        try:
            with path.open("rb") as file:
                for number, line in enumerate(file, start=1):
                    start, place = place, place + len(line)
                    if line.strip():
                        self._check(line, f"{path.name}:{number}", start, problems)
                    if len(problems) >= MOST:
                        break
        except OSError as error:
            problems.append(Problem(str(path), f"it cannot be read ({error.strerror})"))
        if problems:
            raise ProblemsFound(problems, consequence="nothing was imported")
        self.about = SourceDescription(name=path.stem, title=path.stem, origin=f"spans of {path.name}")

    def _check(self, line: bytes, where: str, start: int, problems: list[Problem]) -> None:
        try:
            read = _Line.model_validate(orjson.loads(line))
            _answer(read)
        except ValidationError as error:
            problems += [
                Problem(where, f"{'.'.join(map(str, one['loc']))}: {one['msg']}"[:300]) for one in error.errors()[:5]
            ]
        except (ValueError, GoldmarkError) as error:
            problems.append(Problem(where, str(error)[:300]))
        else:
            self._places.setdefault(read.id, []).append(start)

    def texts(self) -> Iterator[ReadText]:
        with self._path.open("rb") as file:
            for name, places in self._places.items():
                readings: list[Reading] = []
                for place in places:
                    file.seek(place)
                    line = _Line.model_validate(orjson.loads(file.readline()))
                    text, reading = _answer(line)
                    readings.append(reading)
                first = text if len(places) == 1 else self._first(file, places[0])
                yield ReadText(**{**first, "id": name, "readings": tuple(readings)})

    def _first(self, file: Any, place: int) -> Mapping[str, Any]:
        file.seek(place)
        return _answer(_Line.model_validate(orjson.loads(file.readline())))[0]


def _answer(line: _Line) -> tuple[dict[str, Any], Reading]:
    made = make_text(line.id, line.text, tokeniser=line.tokeniser, tokens=line.tokens)
    tokens = [(span.start, span.end) for span in made.tokens]
    errors = tuple(_marked(one, number, tokens, line) for number, one in enumerate(line.errors, start=1))
    text = {
        "id": line.id,
        "characters": line.text,
        "tokens": tokens,
        "language": line.language,
        "tokeniser": made.tokeniser,
        "system": line.system,
        "item": line.item,
        "context": tuple(line.context.items()),
    }
    return text, Reading(line.annotator, errors, line.discarded, line.approved)


def _marked(one: _ErrorLine, number: int, tokens: Sequence[tuple[int, int]], line: _Line) -> MarkedError:
    return MarkedError(
        id=one.id or f"e{number}",
        **dict(zip(("start", "end"), _place(one, tokens, line), strict=True)),
        label=one.label,
        correction=one.correction,
        rationale=one.rationale,
        associated=tuple(Associated(two.role, *_place(two, tokens, line)) for two in one.associated),
        attributes=tuple(sorted(one.attributes.items())),
    )


def _place(passage: _ErrorLine | _Passage, tokens: Sequence[tuple[int, int]], line: _Line) -> tuple[int, int]:
    start, end = passage.start, passage.end
    length = len(tokens) if line.positions == "tokens" else len(line.text)
    if start < end <= length:
        found = Span(start, end) if line.positions == "tokens" else covering(tokens, start, end)
        if found is not None:
            return found.start, found.end
    raise ValueError(f"{start}-{end} marks no word of the text, which has {length} {line.positions}")
