"""A server from a notebook: what managers do in the browser, over the JSON API."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import date, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self
from urllib.parse import quote

from goldmark.errors import Missing
from goldmark.exchange.campaign.archive import TargetInUse, read_files, write_folder
from goldmark.notebook.arguments import listed
from goldmark.notebook.boards import RemoteLeaderboard, read_table
from goldmark.notebook.result import Result
from goldmark.notebook.transport import File, Transport
from goldmark.notebook.uploads import campaign_files, text_files
from goldmark.records.tables import Cell, Table

if TYPE_CHECKING:
    from goldmark.campaigns.progress import CampaignProgress
    from goldmark.results.pictures.files.forms import PictureForm

Row = dict[str, Any]


class UnknownPerson(Missing):
    code = "CLIENT-09"
    message = "campaign {campaign!r} has no annotator {name!r}; it has {known}"


class Client:
    """A Goldmark server, as the account whose API token this is may use it.

    Args:
        url: The address of the server, such as `https://eval.example.org`.
        token: An API token; without it, that of the environment variable `GOLDMARK_TOKEN`.
        timeout: How many seconds to wait for a reply.
    """

    def __init__(self, url: str, token: str | None = None, *, timeout: float = 60.0) -> None:
        self._calls = Transport(url, token, timeout=timeout)

    def __repr__(self) -> str:
        return f"Client({self._calls.url!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections; a client that is not used any more may also just be forgotten."""
        self._calls.close()

    def campaigns(self) -> Result:
        """All campaigns and how far they are."""
        return _table(
            "campaigns", f"Campaigns at {self._calls.url}", map(_line, self._calls.get("/campaigns")["campaigns"])
        )

    def campaign(self, name: str) -> RemoteCampaign:
        """A campaign by its name."""
        found = RemoteCampaign(self._calls, name)
        found.facts()  # a name that is not there is told here, not later
        return found

    def create(
        self, campaign: str | Path | Mapping[str, Any], texts: object = None, *, start: bool = False
    ) -> RemoteCampaign:
        """Create a campaign with all its units, or learn everything that is wrong.

        Args:
            campaign: The path of a campaign file, which is sent with the files that it names; or its keys as a
                dictionary, in which `protocol` may also be what `load_protocol` gave.
            texts: With a dictionary: a data frame, rows, or the paths of files.
            start: Whether people can begin at once.
        """
        made = self._calls.send("/campaigns/upload", campaign_files(campaign, texts))
        created = RemoteCampaign(self._calls, made["name"])
        return created.start() if start else created

    def leaderboards(self) -> Result:
        """The leaderboards that you may see."""
        boards = self._calls.get("/leaderboards")["leaderboards"]
        columns = ("name", "title", "protocol", "main", "public", "open", "team")
        rows = ({column: board[column] for column in columns} for board in boards)
        return _table("leaderboards", f"Leaderboards at {self._calls.url}", rows)

    def leaderboard(self, name: str) -> RemoteLeaderboard:
        """A leaderboard by its name."""
        found = RemoteLeaderboard(self._calls, name)
        found.facts()
        return found


class RemoteCampaign:
    """A campaign on a server."""

    def __init__(self, calls: Transport, name: str) -> None:
        self._calls, self.name = calls, name
        self._path = f"/campaigns/{quote(name, safe='')}"

    def __repr__(self) -> str:
        return f"campaign {self.name!r} at {self._calls.url}"

    def facts(self) -> Row:
        """Title, state, protocol, settings and the open link, as they are now."""
        found: Row = self._calls.get(self._path)
        return found

    @property
    def state(self) -> str:
        """draft, running, paused or closed, as it is now."""
        return str(self.facts()["state"])

    def start(self, reason: str = "") -> Self:
        """Start it, or start it again after a pause or after closing."""
        return self._moved("start", reason)

    def pause(self, reason: str = "") -> Self:
        """Hand out nothing for a while. Work that people hold is still accepted."""
        return self._moved("pause", reason)

    def close(self, reason: str = "") -> Self:
        """End it. Nothing is thrown away, and it can be started again."""
        return self._moved("close", reason)

    def _moved(self, verb: str, reason: str) -> Self:
        self._calls.post(f"{self._path}/{verb}", {"reason": reason})
        return self

    def progress(self) -> CampaignProgress:
        """Labels and units, done and to do."""
        from goldmark.campaigns.progress import CampaignProgress

        found = self._calls.get(f"{self._path}/progress")
        return CampaignProgress(**{one.name: found[one.name] for one in fields(CampaignProgress)})

    def watch(self, every: float = 10.0, timeout: float | None = None) -> Iterator[CampaignProgress]:
        """The progress now, and again whenever it changes, until all labels are done or the campaign is closed.

        Args:
            every: How many seconds to wait between two looks.
            timeout: After how many seconds to stop looking; without it, never.
        """
        begun, last = time.monotonic(), None
        while True:
            now = self.progress()
            if now != last:
                yield now
            last = now
            over = timeout is not None and time.monotonic() - begun + every > timeout
            if now.labels_done >= now.labels_wanted or over or self.state == "closed":
                return
            time.sleep(every)

    def invite(self, *names: str, accounts: Sequence[str] = ()) -> dict[str, str]:
        """Invite people by name, or by account; gives everybody's personal link. The same name gives the same link."""
        found = self._calls.post(f"{self._path}/annotators", {"names": list(names), "accounts": list(accounts)})
        return {one["name"]: one["link"] for one in found["annotators"]}

    def annotators(self) -> Result:
        """Everybody who takes part, with their progress, time and personal link."""
        return _table("annotators", f"Annotators of {self.name}", self._people())

    def _people(self, search: str = "") -> list[Row]:
        found: list[Row] = self._calls.whole(f"{self._path}/annotators", "annotators", search=search)["annotators"]
        return found

    def add_texts(self, texts: object, *, tokeniser: str = "rules", sentences: str = "rules") -> int:
        """Add texts, also while the campaign runs: a data frame, rows, or the paths of files. All of them or none."""
        sent = self._calls.send(
            f"{self._path}/units/upload", text_files(texts), tokeniser=tokeniser, sentences=sentences
        )
        return int(sent["added"])

    def import_answers(
        self,
        answers: object,
        *,
        format: str = "tidy",  # noqa: A002
        question: str = "",
        seen: object = None,
        positions: str = "",
        leave_out: str | Sequence[str] = (),
        keep_incomplete: bool = False,
        replace: bool = False,
        kind: str = "",
        reason: str = "",
    ) -> Row:
        """Bring in answers that were made elsewhere: a data frame, rows, or the paths of files. All of them or none.

        Args:
            answers: A row for each unit and annotator, with a column for each question; or what the format says.
            format: How files are written; see `goldmark campaign import-answers`.
            question: Whose answers they are, where the file does not say.
            seen: A table of who saw which unit, also where they marked nothing.
            positions: What positions of marks count: tokens or characters.
            leave_out: Columns and attributes to ignore.
            keep_incomplete: Keep answers that lack something the protocol asks for.
            replace: Where somebody's answer here differs, append the new one as a revision.
            kind: Who answered, where the file does not say: person, model or checker.
            reason: Why; kept with the campaign's record.
        """
        files = text_files(answers, "answers.jsonl")
        if seen is not None:
            files += [File(name, content, "seen") for name, content, _ in text_files(seen, "seen.jsonl")]
        found: Row = self._calls.send(
            f"{self._path}/answers/upload",
            files,
            format=format,
            question=question,
            positions=positions,
            leave_out=",".join(listed(leave_out)),
            keep_incomplete="true" if keep_incomplete else "",
            replace="true" if replace else "",
            kind=kind,
            reason=reason,
        )
        return found

    def export(
        self,
        target: str | Path,
        *,
        format: str = "jsonl",  # noqa: A002
        question: str | None = None,
        with_excluded: bool = False,
        with_tests: bool = False,
        with_models: bool = False,
        pseudonyms: bool = False,
    ) -> Path:
        """The campaign as a new file, or as a new folder where the format has several files.

        Args:
            target: Where to; a path that ends in .zip keeps several files in one archive.
            format: How; `goldmark plugin list formats` names all.
            question: Which spans question, where there are several.
            with_excluded: Let excluded annotators count.
            with_tests: Format tidy: answers to test questions too, marked as such.
            with_models: Format tidy: answers of models and checkers too.
            pseudonyms: Other names for all people, drawn for this export and kept nowhere.
        """
        path = Path(target)
        if path.exists() and not (path.is_dir() and not any(path.iterdir())):
            raise TargetInUse(path=path)
        answers = {"with_excluded": with_excluded, "with_tests": with_tests, "with_models": with_models}
        wanted = {"format": format, "question": question, "pseudonyms": pseudonyms, **answers}
        with self._calls.download(f"{self._path}/export", **wanted) as (made, kind):
            if kind.startswith("application/zip") and path.suffix.lower() != ".zip":
                write_folder(path, read_files(made.rename(made.with_suffix(".zip"))).items())
            else:
                shutil.copyfile(made, path)
        return path

    def results(
        self,
        *,
        table: str | Sequence[str] = (),
        by: str = "system",
        system: str | Sequence[str] = (),
        condition: str | Sequence[str] = (),
        annotator: str | Sequence[str] = (),
        since: date | str | None = None,
        until: date | str | None = None,
        with_excluded: bool = False,
        with_tests: bool = False,
        with_models: bool = False,
        marks: Literal["raw", "gold"] = "raw",
        seed: int = 17,
    ) -> Result:
        """Every figure of the campaign, with its interval, as its page Results shows it.

        Args:
            table: Only these tables, such as ratings or agreement.
            by: What is compared: system, condition, annotator, or a hidden fact.
            system: Only outputs of these systems.
            condition: Only people of these conditions.
            annotator: Only answers of these people.
            since: Only answers from this day on (UTC).
            until: Only answers before this day (UTC).
            with_excluded: Let excluded annotators count.
            with_tests: Let test questions count too.
            with_models: Let models and checkers that annotate count too.
            marks: Count everybody's marks (raw), or the errors of finished gold lists (gold).
            seed: Where resampling starts.
        """
        wanted = {
            "by": by,
            "system": listed(system),
            "condition": listed(condition),
            "annotator": listed(annotator),
            "since": _day(since),
            "until": _day(until),
            "with_excluded": with_excluded,
            "with_tests": with_tests,
            "with_models": with_models,
            "marks": marks,
            "seed": seed,
        }
        only = listed(table)
        path = f"{self._path}/results"
        if len(only) == 1:  # of which the server can say why it is not there
            found: Row = {"tables": [self._calls.get(f"{path}/{quote(only[0], safe='')}", **wanted)]}
        else:
            found = self._calls.get(path, **wanted)

        def draw(name: str, form: PictureForm) -> bytes | None:
            return self._calls.content(f"{path}/{name}/plot", format=form, **wanted)

        tables = {one["name"]: read_table(one) for one in found["tables"] if not only or one["name"] in only}
        return Result(tables, tuple(found.get("notes", ())), several=len(only) != 1, draw=draw)

    def report(self, target: str | Path) -> Path:
        """The results with their pictures, as one HTML file that stands alone."""
        path = Path(target)
        path.write_bytes(self._calls.content(f"{self._path}/results/report"))
        return path

    def quality(self) -> Result:
        """Everybody's test questions, signs of careless work, and what excluding them would cost."""
        found = self._calls.whole(f"{self._path}/quality", "annotators")
        columns = ("name", "state", "answers", "noisy", "flagged", "seconds_median", "agreement", "cost_labels")
        rows = ({column: one[column] for column in columns} for one in found["annotators"])
        notes, signature = tuple(found["notes"]), found["signature"] or ""
        return _table("quality", f"Annotators of {self.name}", rows, notes=notes, signature=signature)

    def exclude(self, annotator: str, *, reason: str = "", rule: str = "") -> Row:
        """Keep somebody's work, count it nowhere, and free its places for others; `restore` undoes it."""
        return self._decided(annotator, "exclude", reason=reason, rule=rule)

    def restore(self, annotator: str, *, reason: str = "") -> Row:
        """Undo an exclusion."""
        return self._decided(annotator, "restore", reason=reason)

    def _decided(self, annotator: str, verb: str, **why: str) -> Row:
        people = {one["name"]: one["id"] for one in self._people(annotator)}
        if annotator not in people:
            known = ", ".join(one["name"] for one in self._people())
            raise UnknownPerson(campaign=self.name, name=annotator, known=known or "nobody")
        found: Row = self._calls.post(f"{self._path}/annotators/{people[annotator]}/{verb}", why)
        return found


def _line(one: Mapping[str, Any]) -> Row:
    done: Mapping[str, Any] = one["progress"]
    columns = ("units", "units_finished", "labels_wanted", "labels_done", "annotators")
    return {
        **{name: one[name] for name in ("name", "title", "state", "protocol")},
        **{name: done[name] for name in columns},
    }


def _table(name: str, title: str, rows: Any, **more: Any) -> Result:
    cells: list[dict[str, Cell]] = list(rows)
    return Result({name: Table.of(title, cells, **more)})


def _day(given: date | str | None) -> str:
    if isinstance(given, datetime):
        given = given.date()
    return given.isoformat() if isinstance(given, date) else given or ""
