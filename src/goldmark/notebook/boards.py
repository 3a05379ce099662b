"""A leaderboard on a server: what those who take part do in the browser, over the JSON API."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from goldmark.notebook.result import Result
from goldmark.notebook.transport import Transport
from goldmark.notebook.uploads import text_files
from goldmark.records.tables import Table

Row = dict[str, Any]


class RemoteLeaderboard:
    """A leaderboard on a server."""

    def __init__(self, calls: Transport, name: str) -> None:
        self._calls, self.name = calls, name
        self._path = f"/leaderboards/{quote(name, safe='')}"

    def __repr__(self) -> str:
        return f"leaderboard {self.name!r} at {self._calls.url}"

    def facts(self) -> Row:
        """What is judged, on which axes, by which metrics."""
        found: Row = self._calls.get(self._path)
        return found

    def standings(self, phase: str = "test") -> Result:
        """Scores with their intervals, metrics, and the ranks that remain possible."""
        return Result({"standings": read_table(self._calls.get(f"{self._path}/standings.json", phase=phase))})

    def pairs(self) -> Result:
        """Every two published systems compared, as a list and as a matrix."""
        tables = self._calls.get(f"{self._path}/pairs")
        return Result({one["name"] if "name" in one else one["title"]: read_table(one) for one in tables})

    def inputs(self, phase: str = "test") -> list[Row]:
        """What systems answer: rows with id, context and language, and references where the board shows them."""
        with self._calls.download(f"{self._path}/inputs.jsonl", phase=phase) as (path, _):
            return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]

    def submissions(self) -> list[Row]:
        """Your team's submissions with all versions; those who run the board see everybody's."""
        found: list[Row] = self._calls.get(f"{self._path}/submissions")["submissions"]
        return found

    def correlations(self, axis: str = "") -> Result:
        """How each metric goes with people, over systems and over outputs."""
        return Result({"correlations": read_table(self._calls.get(f"{self._path}/correlations", axis=axis))})

    def submit(
        self,
        system: str,
        outputs: object,
        *,
        team: str = "",
        phase: str = "",
        description: str = "",
        link: str = "",
        authors: Sequence[str] = (),
    ) -> Row:
        """Submit a system's outputs, or learn everything that is wrong with them. Private until published.

        Args:
            system: The system's name.
            outputs: A data frame or rows with `id` and `output`, or the path of a file, also a compressed one.
            team: Whose it is.
            phase: Test or development; needed where both are open.
            description: What it is.
            link: Where to read more.
            authors: Who made it.
        """
        (file,) = text_files(outputs, "outputs.jsonl")
        said = {"system": system, "team": team, "phase": phase, "description": description, "link": link}
        about: Row = {**said, "authors": list(authors)}
        found: Row = self._calls.send(f"{self._path}/submissions", [file._replace(field="file")], **about)
        return found

    def publish(self, submission: int, *, reason: str = "") -> Row:
        """Show a submission to everybody who may see the board."""
        found: Row = self._calls.post(f"{self._path}/submissions/{submission}/publish", {"reason": reason})
        return found

    def withdraw(self, submission: int, *, reason: str = "") -> Row:
        """Take a submission out of the standings; it stays in the history."""
        found: Row = self._calls.post(f"{self._path}/submissions/{submission}/withdraw", {"reason": reason})
        return found


def read_table(one: Mapping[str, Any]) -> Table:
    """A table as the API writes it: every row says how it was made, or the table does."""
    rows = [dict(row) for row in one["rows"]]
    signed = [row.pop("signature", "") for row in rows]
    signature = one.get("signature") or next(iter(signed), "")
    return Table.of(one["title"], rows, notes=tuple(one["notes"]), signature=signature, labels=one.get("labels", {}))
