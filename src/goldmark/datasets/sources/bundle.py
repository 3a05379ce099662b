"""An exported campaign (JSONL) as a source of a dataset, without ever holding all of it.

The file is read once to learn where every unit and every final answer stands, and a second time by jumping there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from goldmark.datasets.sources.forms import Form
from goldmark.datasets.sources.readings import ReadText, SourceDescription
from goldmark.datasets.sources.store import read_text, with_readings
from goldmark.errors import Missing, Problem, ProblemsFound
from goldmark.protocols.loader import parse
from goldmark.records.units import Surface, sign_of


class NoBundle(Missing):
    code = "DATASET-03"
    message = "{path} is not a campaign that was exported as JSONL: {reason}"


class BundleSource:
    """Test questions, and people who were excluded, are left out, as they are from a campaign in the database."""

    def __init__(self, path: Path, *, question: str | None = None, discard: Collection[str] = ()) -> None:
        self._path = path
        self._units: dict[str, int] = {}  # where the unit's line begins
        self._answers: dict[str, list[tuple[str, int]]] = defaultdict(list)  # time and where
        self._approved: set[tuple[str, str, int]] = set()
        self._excluded: set[str] = set()
        self._settings: dict[str, Any] = {}
        self._protocols: dict[str, str] = {}
        self._asked = ""
        self._tests = 0
        self._days: list[str] = []
        try:
            with path.open("rb") as file:
                self._look(file)
        except OSError as error:
            raise NoBundle(path=path, reason=str(error)) from error
        if self._asked not in self._protocols:
            raise NoBundle(path=path, reason="it does not hold the protocol that was asked")
        asked = parse(self._protocols[self._asked])
        self.form = Form.of(asked, question=question, discard=discard)
        self.about = SourceDescription(
            name=str(self._settings.get("campaign") or path.stem),
            title=str(self._settings.get("title") or path.stem),
            protocol=asked.id,
            method=asked.summary,
            labels=self.form.labels,
            facts={
                "labels_per_unit": self._settings.get("labels_per_unit"),
                "annotators_excluded": len(self._excluded),
                "answers_reviewed": len({(unit, who) for unit, who, _ in self._approved}),
                "test_questions": self._tests,
                "first_answer": min(self._days, default=None),
                "last_answer": max(self._days, default=None),
            },
        )

    def _look(self, file: BinaryIO) -> None:
        problems: list[Problem] = []
        place = 0
        for number, line in enumerate(file, start=1):
            start, place = place, place + len(line)
            if line.isspace():
                continue
            try:
                self._note(orjson.loads(line.removeprefix(b"\xef\xbb\xbf")), start)
            except (ValueError, LookupError, TypeError, AttributeError) as error:
                problems.append(Problem(f"{self._path.name}:{number}", f"the line cannot be read ({error!r})"[:300]))
                if len(problems) == 50:
                    break
        if problems:
            raise ProblemsFound(problems, consequence="nothing was built")

    def _note(self, row: dict[str, Any], start: int) -> None:
        match row["record"]:
            case "campaign":
                self._settings, self._asked = row["settings"], row["protocol"]
            case "protocol":
                self._protocols[f"{row['name']}/{row['version']}"] = row["source"]
            case "unit":
                if sign_of(row["hidden"]):
                    self._tests += 1
                else:
                    self._units[row["id"]] = start
            case "annotator":
                if row["state"] == "excluded":
                    self._excluded.add(row["id"])
            case "assignment":
                said = (row.get("facts") or {}).get("reviews") or ()
                for one in said:
                    if one["verdict"] == "approved":
                        self._approved.add((row["unit"], row["annotator"], one["revision"]))
            case "response" if row["final"]:
                self._answers[row["unit"]].append((row.get("server_time") or "", start))
                if row.get("server_time"):
                    self._days.append(row["server_time"][:10])
                    self._days = [min(self._days), max(self._days)]

    def texts(self) -> Iterator[ReadText]:
        with self._path.open("rb") as file:

            def line(start: int) -> dict[str, Any]:
                file.seek(start)
                found: dict[str, Any] = orjson.loads(file.readline().removeprefix(b"\xef\xbb\xbf"))
                return found

            for name, start in self._units.items():
                row = line(start)
                text = read_text(name, row["shown"], row["tokenisers"], row["hidden"], self.form)
                shown = Surface.from_json(row["shown"])
                said = []
                for _, place in sorted(self._answers.get(name, ())):
                    one = line(place)
                    if one["annotator"] in self._excluded:
                        continue
                    approved = (name, one["annotator"], one["revision"]) in self._approved
                    reading = self.form.reading(one["annotator"], one["answers"], shown, approved=approved)
                    if reading is not None:
                        said.append(reading)
                yield with_readings(text, said, None, self.form)
