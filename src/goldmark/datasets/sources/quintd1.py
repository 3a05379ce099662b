"""Quintd-1 (Kasner and Dušek 2024): crowd workers' spans in outputs of four models for five kinds of data.

Every output was read by one worker, and 100 by a second one, which shows how well people do. What GPT-4 marked is a
machine's answer and is left out. There are types, but no reasons, corrections or linked passages from people.
"""

from __future__ import annotations

import gzip
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from goldmark.datasets.sources.readings import MarkedError, Reading, ReadText, Rule, SourceDescription
from goldmark.errors import Missing
from goldmark.records.spans import covering
from goldmark.texts.segmentation.tokens import find_tokeniser

OUTPUTS, ANNOTATIONS = "outputs_test.jsonl", "annotations.jsonl.gz"
TYPES = {
    "incorrect": ("Incorrect", "It contradicts the data."),
    "not_checkable": ("Not checkable", "The data do not say whether it is so."),
    "misleading": ("Misleading", "It is not wrong, but gives a wrong impression."),
    "other": ("Other", "It is a problem of another kind."),
}
PEOPLE = ("human", "human_corr")  # the first reader, and the second one of some outputs
_Key = tuple[str, str, str, int]


class NoQuintd(Missing):
    code = "DATASET-16"
    message = "{path} is not Quintd-1: {reason}"


class Quintd1:
    """Quintd-1: outputs of data-to-text models in which people marked errors."""

    choose: Rule = "first"  # everybody's only reader; the second readers are there to measure people

    def __init__(self, path: Path) -> None:
        self._path = path
        self._cut = find_tokeniser("rules")
        self.lost = 0
        self.found = 0

    @property
    def about(self) -> SourceDescription:
        return SourceDescription(
            name="quintd1",
            title="Quintd-1: errors in data-to-text outputs",
            origin="Quintd-1, Kasner and Dušek 2024 (kasnerz/quintd); people's annotations only.",
            labels=TYPES,
            facts={"spans_not_found": self.lost, "spans_found": self.found},
        )

    def texts(self) -> Iterator[ReadText]:
        try:
            with gzip.open(self._path / ANNOTATIONS, "rb") as file:
                said = self._said(file)
            lines = (self._path / OUTPUTS).read_bytes().splitlines()
            for line in lines:
                row = orjson.loads(line)
                yield self._text(row, said.get(_key(row), []))
        except (OSError, ValueError, LookupError) as error:
            raise NoQuintd(path=self._path, reason=str(error)) from error

    def _said(self, lines: Any) -> dict[_Key, list[dict[str, Any]]]:
        found: dict[_Key, list[dict[str, Any]]] = defaultdict(list)
        for line in lines:
            row = orjson.loads(line)
            if row["source"] in PEOPLE:
                found[_key(row)].append(row)
        for rows in found.values():
            rows.sort(key=lambda row: PEOPLE.index(row["source"]))
        return found

    def _text(self, row: dict[str, Any], said: list[dict[str, Any]]) -> ReadText:
        characters = row["text"]
        tokens = [(span.start, span.end) for span in self._cut(characters)]
        readings: list[Reading] = []
        for one in said:
            # The second round repeats what the first reader had said; only another person is another reading.
            if any(one["annotator"] == reading.annotator for reading in readings):
                continue
            errors = sorted(self._errors(one["spans"], characters, tokens), key=lambda mark: (mark.start, mark.end))
            readings.append(Reading(one["annotator"], tuple(errors)))
        return ReadText(
            id="-".join((row["dataset"], row["model"], str(row["table_idx"]))),
            characters=characters,
            tokens=tokens,
            readings=tuple(readings),
            language="en",
            system=row["model"],
            item="-".join((row["dataset"], str(row["table_idx"]))),
        )

    def _errors(
        self, spans: list[dict[str, Any]], characters: str, tokens: list[tuple[int, int]]
    ) -> Iterator[MarkedError]:
        kinds = list(TYPES)
        for number, span in enumerate(spans, start=1):
            start, end = span["start"], span["start"] + len(span["text"])
            marked = covering(tokens, start, end) if characters[start:end] == span["text"] else None
            if marked is None:
                self.lost += 1
                continue
            self.found += 1
            reason = " ".join(str(span.get("reason") or "").split())
            yield MarkedError(f"e{number}", marked.start, marked.end, label=kinds[span["type"]], rationale=reason)


def _key(row: dict[str, Any]) -> _Key:
    return row["dataset"], row["model"], row["setup"], row["table_idx"]
