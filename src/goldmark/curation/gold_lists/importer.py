"""A gold list that was made elsewhere, taken to the curator's workspace: a version of every text that it is about.

The list becomes a step like any other, with an author and a reason, on the marks that people made here; then the text
is finished. So it can be compared with the automatic proposal, reopened and changed, and nothing before it is lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import orjson
from sqlalchemy import Connection, select

from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.curation.gold_lists.files import Change, diff
from goldmark.curation.gold_lists.formats import read_gold_list
from goldmark.curation.question import role_of, spans_question
from goldmark.curation.workspace.service import CurationWorkspace, append, open_workspace
from goldmark.curation.workspace.state import CuratedError
from goldmark.curation.workspace.steps import CurationStep
from goldmark.errors import GoldmarkError, Problem, ProblemsFound
from goldmark.protocols.kinds.spans import SpansQuestion
from goldmark.records.gold import AnnotatorReport, GoldMistake
from goldmark.records.mistakes import Mistake
from goldmark.records.spans import Span
from goldmark.records.texts import Text
from goldmark.records.units import ShownUnit
from goldmark.store import Store
from goldmark.store.tables import unit


class NothingInTheList(GoldmarkError):
    code = "CURATE-16"
    message = "{source} holds no mistake, and it was not said that it covers every text; nothing was imported"


@dataclass(frozen=True)
class Imported:
    """What became of one text."""

    unit_id: int
    unit: str
    version: int
    mistakes: int
    changes: tuple[Change, ...]  # against the automatic proposal


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
    """Take in a list, all or nothing: if no format is named, in the one that the ending of the path tells.

    A text that has no row in it is left alone, unless `whole` says that the list covers every text of the campaign.
    """

    def look(connection: Connection) -> tuple[SpansQuestion, dict[str, int], dict[str, Text]]:
        row = find_campaign(connection, name)
        protocol = content.protocol(row.protocol_id)
        asked = spans_question(protocol, row, question)
        return asked, *_texts(connection, row, role_of(protocol, asked))

    # Before anything is written: texts never change, and nobody else could write while a long list is read.
    asked, ids, texts = store.read(look)
    listed = read_gold_list(path, texts, format_name)
    by_text: dict[str, list[GoldMistake]] = {key: [] for key in texts} if whole else {}
    for one in listed:
        by_text.setdefault(one.text_id, []).append(one)
    if not by_text:
        raise NothingInTheList(source=path.name)

    def work(connection: Connection) -> list[Imported]:
        row = find_campaign(connection, name)
        workspaces = {key: open_workspace(connection, content, row, ids[key], asked.id) for key in by_text}
        problems = [
            found for key, workspace in workspaces.items() for found in _problems(by_text[key], workspace, path.name)
        ]
        if problems:
            raise ProblemsFound(problems, consequence="nothing was imported")
        return [
            _take_in(connection, workspaces[key], by_text[key], path.name, author, reason) for key in sorted(by_text)
        ]

    return store.write(work)


def _texts(connection: Connection, row: CampaignRow, role: str) -> tuple[dict[str, int], dict[str, Text]]:
    ids: dict[str, int] = {}
    texts: dict[str, Text] = {}
    for found in connection.execute(
        select(unit.c.id, unit.c.name, unit.c.shown)
        .where(unit.c.campaign_id == row.id, unit.c.counts)
        .order_by(unit.c.name)
    ):
        shown = ShownUnit.from_json(orjson.loads(found.shown), id=found.name).texts.get(role)
        if shown is not None:
            ids[shown.text.id] = found.id
            texts[shown.text.id] = shown.text
    return ids, texts


def _problems(mistakes: Iterable[GoldMistake], workspace: CurationWorkspace, source: str) -> Iterable[Problem]:
    """What the campaign's protocol would refuse of the list."""
    rules = workspace.rules
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


def _take_in(
    connection: Connection,
    workspace: CurationWorkspace,
    mistakes: Sequence[GoldMistake],
    source: str,
    author: str,
    reason: str,
) -> Imported:
    proposed = workspace.version((), 0)
    number = len(workspace.steps)
    steps = [CurationStep(number + 1, "reopen", {})] if workspace.state().finished else []
    entries = [one.to_json() for one in _entries(mistakes, workspace, number + len(steps) + 1)]
    steps.append(CurationStep(number + len(steps) + 1, "import", {"source": source, "entries": entries}))
    steps.append(CurationStep(number + len(steps) + 1, "finish", {}))
    for step in steps:
        written = append(connection, workspace, replace(step, author=author, reason=reason))
        workspace = replace(workspace, steps=(*workspace.steps, *written), begun=True)
    taken = workspace.state().gold(workspace.text.id)
    return Imported(
        workspace.unit.line.id,
        workspace.unit.line.name,
        sum(step.kind == "finish" for step in workspace.steps),
        len(taken.mistakes),
        tuple(diff(proposed.mistakes, taken.mistakes)),
    )


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
    }
