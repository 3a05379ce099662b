"""A gold list that was made elsewhere, taken to the curator's workspace: a version of every text that it is about.

The list becomes a step like any other, with an author and a reason, on the marks that people made here; then the text
is finished. So it can be compared with the automatic proposal, reopened and changed, and nothing before it is lost.

A few texts go in one transaction. Many go in pieces, after it is known that the campaign refuses nothing of the list.
Each text gets its whole list or none of it; where it breaks off, the same file again brings the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from sqlalchemy import Connection, select
from sqlalchemy.exc import IntegrityError

from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.curation.gold_lists.files import Change, diff
from goldmark.curation.gold_lists.formats import read_gold_list
from goldmark.curation.question import role_of, rules_of, spans_question
from goldmark.curation.workspace.at_once import workspaces
from goldmark.curation.workspace.service import CurationWorkspace, append, unit_keys
from goldmark.curation.workspace.state import CuratedError
from goldmark.curation.workspace.step_kinds import CurationRules
from goldmark.curation.workspace.steps import CurationStep
from goldmark.errors import Conflict, Failed, GoldmarkError, Problem, ProblemsFound
from goldmark.protocols.kinds.spans import SpansQuestion
from goldmark.records.gold import AnnotatorReport, GoldMistake
from goldmark.records.mistakes import Mistake
from goldmark.records.spans import Span
from goldmark.records.units import ShownText, ShownUnit
from goldmark.store import Store
from goldmark.store.pieces import InPieces, in_parts
from goldmark.store.tables import campaign, unit

FEW = 10  # texts whose lists may as well go in one transaction
READ_TOGETHER = 100


class NothingInTheList(GoldmarkError):
    code = "CURATE-16"
    message = "{source} holds no mistake, and it was not said that it covers every text; nothing was imported"


class ChangedMeanwhile(Conflict):
    code = "CURATE-19"
    message = "{what} while the list was being imported; import it again"


class GoldBrokenOff(Failed):
    code = "CURATE-18"
    message = (
        "the lists of {done} of {total} texts were imported when this went wrong: {why}; "
        "the same file again brings the rest"
    )


@dataclass(frozen=True)
class Imported:
    """What became of one text."""

    unit_id: int
    unit: str
    version: int
    mistakes: int
    changes: tuple[Change, ...]  # against the automatic proposal
    already_there: bool = False  # by the same import before this one


class _Taken(NamedTuple):
    """A text as it was read while others could write, with a key that is another one once that is outdated."""

    workspace: CurationWorkspace
    key: tuple[int, ...]
    mistakes: Sequence[GoldMistake]


def import_gold(
    store: Store,
    content: ContentCache,
    name: str,
    path: Path,
    *,
    format_name: str | None = None,
    question: str | None = None,
    whole: bool = False,
    author: str,
    reason: str = "",
) -> list[Imported]:
    """Take in a list, or nothing if the campaign refuses any of it; without a format, in the one that its ending tells.

    A text that has no row in it is left alone, unless `whole` says that the list covers every text of the campaign.
    """

    def look(connection: Connection) -> tuple[CampaignRow, SpansQuestion, dict[str, int], dict[str, ShownText]]:
        row = find_campaign(connection, name)
        protocol = content.protocol(row.protocol_id)
        asked = spans_question(protocol, row, question)
        return row, asked, *_texts(connection, row, role_of(protocol, asked))

    # Before anything is written: texts never change, and nobody else could write while a long list is read.
    row, asked, ids, shown = store.read(look)
    listed = read_gold_list(path, {key: one.text for key, one in shown.items()}, format_name)
    by_text: dict[str, list[GoldMistake]] = {key: [] for key in shown} if whole else {}
    for one in listed:
        by_text.setdefault(one.text_id, []).append(one)
    if not by_text:
        raise NothingInTheList(source=path.name)

    protocol = content.protocol(row.protocol_id)
    problems = [
        found
        for key, mistakes in by_text.items()
        for found in _problems(mistakes, rules_of(protocol, asked, shown[key]), path.name)
    ]
    if problems:
        raise ProblemsFound(problems, consequence="nothing was imported")
    lists = [(ids[key], by_text[key]) for key in sorted(by_text)]
    importing = _Importing(content, row, asked, path.name, author, reason)
    coming = importing.read(store, lists)
    if len(lists) <= FEW:
        some = list(coming)
        return store.write(lambda connection: importing.write(connection, some))
    done: list[Imported] = []
    try:
        for piece in InPieces(store).gathered(coming, importing.write):
            done += piece
    except Exception as error:
        raise GoldBrokenOff(done=len(done), total=len(lists), why=error) from error
    return done


@dataclass(frozen=True)
class _Importing:
    """One import: what it is called, whose it is, and into which campaign it goes."""

    content: ContentCache
    row: CampaignRow
    question: SpansQuestion
    source: str
    author: str
    reason: str

    def read(self, store: Store, lists: Sequence[tuple[int, list[GoldMistake]]]) -> Iterator[_Taken]:
        """The texts with everybody's marks, some at a time, while others may write."""
        for some in map(dict, in_parts(lists, READ_TOGETHER)):
            found = store.read(partial(self._workspaces, ids=list(some)))
            for unit_id, mistakes in some.items():
                yield _Taken(*found[unit_id], mistakes)

    def _workspaces(
        self, connection: Connection, ids: Sequence[int]
    ) -> dict[int, tuple[CurationWorkspace, tuple[int, ...]]]:
        # First: what changes in between is read again.
        keys = dict(unit_keys(connection, self.question, ids))
        every = workspaces(connection, self.content, self.row, self.question, ids)
        return {one.unit.line.id: (one, keys[one.unit.line.id]) for one in every}

    def write(self, connection: Connection, some: Sequence[_Taken]) -> list[Imported]:
        """The lists of some texts. Who has answered or curated one since it was read is not passed over."""
        asked_now = connection.scalar(select(campaign.c.protocol_id).where(campaign.c.id == self.row.id))
        if asked_now != self.row.protocol_id:
            raise ChangedMeanwhile(what="the campaign's questions were changed")
        ids = [one.key[0] for one in some]
        now = dict(unit_keys(connection, self.question, ids))
        outdated = [one.key[0] for one in some if now[one.key[0]] != one.key]
        anew = self._workspaces(connection, outdated) if outdated else {}
        newest = (anew[one.key[0]][0] if one.key[0] in anew else one.workspace for one in some)
        try:
            return [self._take_in(connection, *one) for one in zip(newest, (one.mistakes for one in some), strict=True)]
        except IntegrityError:  # on PostgreSQL, in the same instant
            raise ChangedMeanwhile(what="somebody curated one of these texts") from None

    def _take_in(
        self, connection: Connection, workspace: CurationWorkspace, mistakes: Sequence[GoldMistake]
    ) -> Imported:
        proposed = workspace.version((), 0)
        already_there = self._last_was_this(workspace, mistakes)
        number = len(workspace.steps)
        if not already_there:
            steps = [CurationStep(number + 1, "reopen", {})] if workspace.state().finished else []
            steps.append(self._step(workspace, mistakes, number + len(steps) + 1))
            steps.append(CurationStep(number + len(steps) + 1, "finish", {}))
            for step in steps:
                written = append(connection, workspace, replace(step, author=self.author, reason=self.reason))
                workspace = replace(workspace, steps=(*workspace.steps, *written), begun=True)
        taken = workspace.state().gold(workspace.text.id)
        return Imported(
            workspace.unit.line.id,
            workspace.unit.line.name,
            sum(step.kind == "finish" for step in workspace.steps),
            len(taken.mistakes),
            tuple(diff(proposed.mistakes, taken.mistakes)),
            already_there,
        )

    def _step(self, workspace: CurationWorkspace, mistakes: Sequence[GoldMistake], number: int) -> CurationStep:
        facts = {"source": self.source, "entries": [one.to_json() for one in _entries(mistakes, workspace, number)]}
        return CurationStep(number, "import", facts, self.reason, self.author)

    def _last_was_this(self, workspace: CurationWorkspace, mistakes: Sequence[GoldMistake]) -> bool:
        """Whether the newest version is of this very list, by the same person for the same reason."""
        if [step.kind for step in workspace.steps[-2:]] != ["import", "finish"]:
            return False
        last = workspace.steps[-2]
        return _told(last) == _told(self._step(workspace, mistakes, last.number))


def _told(step: CurationStep) -> tuple[Any, ...]:
    """A step without its time, and its facts as they are stored."""
    return step.kind, step.author, step.reason, orjson.loads(orjson.dumps(step.facts))


def _texts(connection: Connection, row: CampaignRow, role: str) -> tuple[dict[str, int], dict[str, ShownText]]:
    ids: dict[str, int] = {}
    texts: dict[str, ShownText] = {}
    for found in connection.execute(
        select(unit.c.id, unit.c.name, unit.c.shown)
        .where(unit.c.campaign_id == row.id, unit.c.counts)
        .order_by(unit.c.name)
    ):
        shown = ShownUnit.from_json(orjson.loads(found.shown), id=found.name).texts.get(role)
        if shown is not None:
            ids[shown.text.id] = found.id
            texts[shown.text.id] = shown
    return ids, texts


def _problems(mistakes: Iterable[GoldMistake], rules: CurationRules, source: str) -> Iterable[Problem]:
    """What the campaign's protocol would refuse of the list."""
    labels = ("",) if rules.labels is None else rules.labels
    for one in mistakes:
        where = f"{source}, {one.text_id} tokens {one.span.start + 1}-{one.span.end}"
        if one.label not in labels:
            known = ", ".join(filter(None, labels)) or "none"
            yield Problem(where, f"the category {one.label!r} is not one of this campaign", f"there are {known}")
        if one.span.start < rules.first:
            yield Problem(where, "this part of the text is not judged")
        for name, _ in one.attributes:
            if name not in rules.attributes:
                yield Problem(where, f"marks have no {name!r} in this campaign")
        for role, _ in one.links:
            if role not in rules.roles:
                yield Problem(where, f"marks have no linked passages {role!r} in this campaign")


def _entries(mistakes: Sequence[GoldMistake], workspace: CurationWorkspace, number: int) -> list[CuratedError]:
    """The list's mistakes, accepted, with whoever marked some of their words; everybody's other marks are left out."""
    marks = [mark for some in workspace.marks.values() for mark in some]
    entries = []
    used: set[tuple[str, str, Span]] = set()
    for place, one in enumerate(sorted(mistakes, key=lambda one: one.span), start=1):
        own = [_source(mark) for mark in marks if mark.span.overlaps(one.span)]
        sources = one.sources or tuple(sorted(own))
        used |= {(source.annotator, source.id, source.span) for source in sources}
        entry = CuratedError(
            f"{number}.{place}",
            one.span,
            one.label,
            "accepted",
            one.correction,
            one.comment,
            one.note,
            group=one.group,
            attributes=one.attributes,
            links=one.links,
        ).with_sources(sources)
        told = {name: getattr(one, name) for name in ("found_by", "label_agreed_by", "span_agreed_by")}
        entries.append(replace(entry, **{name: count for name, count in told.items() if count is not None}))
    rest: dict[Span, list[Mistake]] = {}
    for mark in marks:
        if (mark.annotator or "", mark.id, mark.span) not in used:
            rest.setdefault(mark.span, []).append(mark)
    for place, (span, said) in enumerate(sorted(rest.items()), start=len(entries) + 1):
        first = said[0]
        left = CuratedError(f"{number}.{place}", span, first.label, "left out", first.correction, first.comment)
        more = replace(left, attributes=first.attributes, links=first.links)
        entries.append(more.with_sources(map(_source, said)))
    return entries


def _source(mark: Mistake) -> AnnotatorReport:
    said = (mark.label, mark.correction, mark.comment, mark.id)
    return AnnotatorReport(mark.annotator or "", mark.span, *said, attributes=mark.attributes, links=mark.links)


def summary(found: Sequence[Imported]) -> Mapping[str, int]:
    """How many texts and mistakes there are, and how far they are from the proposal."""
    changes = [change for one in found for change in one.changes]
    return {
        "texts": len(found),
        "mistakes": sum(one.mistakes for one in found),
        **{kind: sum(change.kind == kind for change in changes) for kind in ("added", "removed", "changed")},
        "already_there": sum(one.already_there for one in found),
    }
