"""Many texts at once: how far people differ on each, and finishing all that they marked alike, with a way back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, func, select
from sqlalchemy.exc import IntegrityError

from goldmark.campaigns.assignments.content_cache import BoundedCache, ContentCache
from goldmark.campaigns.lifecycle import CampaignRow, look_into
from goldmark.campaigns.pages import PAGE_SIZE, Page
from goldmark.campaigns.unit_overview import find_units
from goldmark.curation.proposals.text_agreement import mean_f1
from goldmark.curation.question import spans_question
from goldmark.curation.workspace.service import CurationWorkspace, append, steps_of, unit_keys, workspace_of
from goldmark.curation.workspace.steps import CurationStep
from goldmark.curation.workspace.worklist import (
    CURATION_STATES,
    CurationLine,
    CurationProgress,
    curation_progress,
    list_curation,
    next_to_curate,
    units_that_are,
)
from goldmark.errors import Conflict
from goldmark.protocols.kinds.spans import SpansQuestion
from goldmark.store import Store, events
from goldmark.store.pieces import InPieces, in_parts
from goldmark.store.tables import curation_step, event, unit

Order = Literal["given", "disagreement"]
AT_ONCE = 200  # texts that are looked at together
LOOKED_AT = 5_000  # texts of which one request asks how far people differ; the rest when these are finished
KEPT = 100_000  # texts whose figures are remembered
FINISHED, TAKEN_BACK = "unanimous texts finished", "unanimous texts reopened"
UNTOUCHED = frozenset({"begin", "finish", "reopen"})  # nobody has decided anything
ALIKE = "everybody marked the same"


class NothingToTakeBack(Conflict):
    code = "CURATE-17"
    message = "no text was finished together that could be taken back; reopen texts one by one"


class Disagreement(NamedTuple):
    """How far the people who finished a text differ, and what that leaves to a curator."""

    undecided: int  # proposed marks that nobody has decided on
    left_out: int  # reported by fewer than a majority
    people: int
    agreement: float | None  # mean F1 of marked tokens over pairs; None: fewer than two people, or no marks
    untouched: bool  # the list rests on all answers there are and on no decision of a curator

    @property
    def unanimous(self) -> bool:
        """Two people or more, every mark exactly as everybody made it or none at all, and nothing decided yet."""
        return self.untouched and self.people > 1 and not self.undecided and not self.left_out


@dataclass(frozen=True)
class FinishedTogether:
    """Texts that one curator finished at once."""

    author: str
    at: datetime
    texts: int


_known: WeakKeyDictionary[ContentCache, BoundedCache[tuple[Any, ...], Disagreement]] = WeakKeyDictionary()


def disagreements(
    connection: Connection, content: ContentCache, row: CampaignRow, question: SpansQuestion, ids: Sequence[int]
) -> dict[int, Disagreement]:
    """How far people differ on each of these units; computed again only where answers or steps have come."""
    known = _known.setdefault(content, BoundedCache(KEPT))
    keys = {unit_id: (row.protocol_id, question.id, *key) for unit_id, key in unit_keys(connection, question, ids)}
    found = {unit_id: one for unit_id in ids if (one := known.find(keys[unit_id])) is not None}
    missing = [unit_id for unit_id in ids if unit_id not in found]
    for workspace in workspaces(connection, content, row, question, missing):
        unit_id = workspace.unit.line.id
        found[unit_id] = _disagreement(workspace)
        known.put(keys[unit_id], found[unit_id])
    return found


def workspaces(
    connection: Connection, content: ContentCache, row: CampaignRow, question: SpansQuestion, ids: Sequence[int]
) -> Iterator[CurationWorkspace]:
    for some in in_parts(ids, AT_ONCE):
        steps = steps_of(connection, some, question.id)
        for found in find_units(connection, row, some):
            yield workspace_of(content, row, question, found, steps.get(found.line.id, ()))


def _disagreement(workspace: CurationWorkspace) -> Disagreement:
    state = workspace.state()
    left_out = sum(one.status == "left out" for one in state.entries)
    same = tuple(workspace.steps[0].facts["responses"]) == workspace.basis
    untouched = same and all(step.kind in UNTOUCHED for step in workspace.steps)
    return Disagreement(len(state.undecided()), left_out, len(workspace.marks), mean_f1(workspace.marks), untouched)


def list_by(
    connection: Connection,
    content: ContentCache,
    row: CampaignRow,
    question: SpansQuestion,
    *,
    order: Order = "given",
    search: str = "",
    state: str = "",
    page: int = 1,
) -> Page[CurationLine]:
    """One page of units with how far people differ on them, on request those first on which they differ most."""
    if order == "given":
        found = list_curation(connection, row, question.id, search=search, state=state, page=page)
        differ = disagreements(connection, content, row, question, [one.id for one in found.items])
        return replace(found, items=tuple(_with(one, differ[one.id]) for one in found.items))
    ids = units_that_are(connection, row, question.id, (state,) if state else CURATION_STATES, search)
    looked = ids[:LOOKED_AT]
    differ = disagreements(connection, content, row, question, looked)
    ids = sorted(looked, key=lambda one: _most_first(differ[one])) + ids[LOOKED_AT:]  # those alike stay as handed out
    shown = ids[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]
    differ |= disagreements(connection, content, row, question, [one for one in shown if one not in differ])
    lines = {one.id: one for one in list_curation(connection, row, question.id, ids=shown).items}
    return Page(tuple(_with(lines[one], differ[one]) for one in shown), page, PAGE_SIZE, len(ids))


def _with(line: CurationLine, differ: Disagreement) -> CurationLine:
    return replace(line, undecided=differ.undecided if differ.people else None, agreement=differ.agreement)


def _most_first(differ: Disagreement) -> tuple[bool, int, float]:
    """What costs a curator most comes first: many marks to decide, and of equally many the least agreement."""
    return not differ.people, -differ.undecided, 1.0 if differ.agreement is None else differ.agreement


class CurationOverview(NamedTuple):
    """One page of the texts of a campaign, and what a curator can do with all of them."""

    found: Page[CurationLine]
    progress: CurationProgress
    following: int | None  # the text that a curator should get now
    alike: int  # texts that could be finished together
    together: FinishedTogether | None  # texts that were, and can be taken back


def curation_list(
    store: Store, content: ContentCache, name: str, question: str, *, order: Order, search: str, state: str, page: int
) -> CurationOverview:
    def look(connection: Connection, row: CampaignRow) -> CurationOverview:
        asked = spans_question(content.protocol(row.protocol_id), row, question)
        found = list_by(connection, content, row, asked, order=order, search=search, state=state, page=page)
        return CurationOverview(
            found,
            curation_progress(connection, row, asked.id),
            next_to_curate(connection, row, asked.id, 0)
            if order == "given"
            else _most_to_decide(connection, content, row, asked, 0),
            count_unanimous(connection, content, row, asked),
            last_finished(connection, row, asked.id),
        )

    return look_into(store, name, look)


def next_to_decide(store: Store, content: ContentCache, name: str, question: str, after: int) -> int | None:
    """The text that a curator should get after this one if those on which people differ most come first."""
    return look_into(
        store,
        name,
        lambda connection, row: _most_to_decide(
            connection, content, row, spans_question(content.protocol(row.protocol_id), row, question), after
        ),
    )


def _most_to_decide(
    connection: Connection, content: ContentCache, row: CampaignRow, question: SpansQuestion, after: int
) -> int | None:
    ids = [one for one in open_units(connection, row, question) if one != after]
    differ = disagreements(connection, content, row, question, ids)
    return min(ids, key=lambda one: _most_first(differ[one]), default=None)


def newest_step(connection: Connection, row: CampaignRow) -> int | None:
    """The number of the last step that any curator took in a campaign."""
    query = select(func.max(curation_step.c.id)).where(curation_step.c.campaign_id == row.id)
    return connection.execute(query).scalar()


def count_unanimous(connection: Connection, content: ContentCache, row: CampaignRow, question: SpansQuestion) -> int:
    """How many texts could be finished together now."""
    waiting = open_units(connection, row, question)
    return sum(one.unanimous for one in disagreements(connection, content, row, question, waiting).values())


def open_units(connection: Connection, row: CampaignRow, question: SpansQuestion) -> list[int]:
    """Units that have all their answers and are not finished, in the order in which they are handed out."""
    return units_that_are(connection, row, question.id, ("ready", "begun"))[:LOOKED_AT]


def finish_unanimous(
    store: Store, content: ContentCache, name: str, *, author: str, question: str | None = None
) -> FinishedTogether:
    """Freeze the gold list of every text that everybody marked alike and that no curator has touched.

    A few texts at a time: nobody waits for all of them. It is noted before the first, so that what was finished can be
    taken back together even if the rest never is.
    """
    now = datetime.now(UTC)

    def look(connection: Connection, row: CampaignRow) -> tuple[CampaignRow, SpansQuestion, list[int]]:
        asked = spans_question(content.protocol(row.protocol_id), row, question)
        waiting = open_units(connection, row, asked)
        differ = disagreements(connection, content, row, asked, waiting)
        return row, asked, [unit_id for unit_id in waiting if differ[unit_id].unanimous]

    row, asked, alike = look_into(store, name, look)
    if alike:
        facts = {"question": asked.id, "texts": len(alike), "at": now.isoformat()}
        store.write(
            lambda connection: events.record(
                connection, row.id, author=author, kind=FINISHED, subject=row.name, facts=facts
            )
        )
        step = CurationStep(0, "finish", {}, ALIKE, author, now)
        _take_on_each(store, content, row, asked, alike, step, lambda one: _disagreement(one).unanimous)
    done = store.read(lambda connection: _still_finished(connection, row, asked.id, now))
    return FinishedTogether(author, now, len(done))


def _take_on_each(
    store: Store,
    content: ContentCache,
    row: CampaignRow,
    question: SpansQuestion,
    ids: Sequence[int],
    step: CurationStep,
    still: Callable[[CurationWorkspace], bool],
) -> None:
    """One step more on each of these texts; left alone is what somebody answered or decided on meanwhile.

    What a step rests on is worked out before it is written, so that the writer is held for the rows alone.
    """

    def look(connection: Connection, some: Sequence[int]) -> list[tuple[tuple[int, ...], CurationWorkspace]]:
        keys = dict(unit_keys(connection, question, some))
        found = workspaces(connection, content, row, question, some)
        return [(keys[one.unit.line.id], one) for one in found if still(one) and not _ended_by(one, step.kind)]

    def write(connection: Connection, some: Sequence[tuple[tuple[int, ...], CurationWorkspace]]) -> None:
        keys = dict(unit_keys(connection, question, [one.unit.line.id for _, one in some]))
        for key, workspace in some:
            if keys[workspace.unit.line.id] == key:
                append(connection, workspace, replace(step, number=len(workspace.steps) + 1), at=step.at)

    pieces = InPieces(store)
    for some in in_parts(ids, AT_ONCE):
        found = store.snapshot(lambda connection, some=some: look(connection, some))  # type: ignore[misc]
        try:
            pieces.each(found, write)
        except IntegrityError:  # another curator in the same instant: theirs is seen now
            pieces.each(found, write)


def _ended_by(workspace: CurationWorkspace, kind: str) -> bool:
    return workspace.steps[-1].kind == kind


def last_finished(connection: Connection, row: CampaignRow, question: str) -> FinishedTogether | None:
    """The texts that were last finished together, as far as they still are; None if that can no longer be undone."""
    found, _ = _last_finished(connection, row, question)
    return found


def _last_finished(
    connection: Connection, row: CampaignRow, question: str
) -> tuple[FinishedTogether | None, list[int]]:
    """The same with the ids of the texts. Who finishes what somebody else is just finishing may finish none."""
    for author, at in _not_taken_back(connection, row, question):
        ids = _still_finished(connection, row, question, at)
        if ids:
            return FinishedTogether(author, at, len(ids)), ids
    return None, []


def _not_taken_back(connection: Connection, row: CampaignRow, question: str) -> Iterator[tuple[str, datetime]]:
    """By whom and when texts were finished together, the newest first."""
    rows = connection.execute(
        select(event.c.author, event.c.facts)
        .where(event.c.campaign_id == row.id, event.c.kind.in_((FINISHED, TAKEN_BACK)))
        .order_by(event.c.id.desc())
        .limit(20)
    ).all()
    taken_back: set[str] = set()
    for author, facts in rows:
        if facts.get("question") != question:
            continue
        if "of" in facts:
            taken_back.add(facts["of"])
        elif facts["at"] not in taken_back:
            yield str(author), datetime.fromisoformat(facts["at"])


def _still_finished(connection: Connection, row: CampaignRow, question: str, at: datetime) -> list[int]:
    last = (
        select(curation_step.c.unit_id, func.max(curation_step.c.number).label("number"))
        .where(curation_step.c.campaign_id == row.id, curation_step.c.question == question)
        .group_by(curation_step.c.unit_id)
        .subquery()
    )
    query = (
        select(curation_step.c.unit_id)
        .join(last, (last.c.unit_id == curation_step.c.unit_id) & (last.c.number == curation_step.c.number))
        .join(unit, unit.c.id == curation_step.c.unit_id)
        .where(curation_step.c.question == question, curation_step.c.kind == "finish", curation_step.c.at == at)
        .order_by(unit.c.position)
    )
    return [int(one) for one in connection.execute(query).scalars()]


def take_back(
    store: Store, content: ContentCache, name: str, *, author: str, question: str | None = None
) -> FinishedTogether:
    """Reopen the texts that were last finished together; those that somebody has reopened since stay as they are."""
    now = datetime.now(UTC)

    def look(
        connection: Connection, row: CampaignRow
    ) -> tuple[CampaignRow, SpansQuestion, FinishedTogether | None, list[int]]:
        asked = spans_question(content.protocol(row.protocol_id), row, question)
        return row, asked, *_last_finished(connection, row, asked.id)

    row, asked, last, ids = look_into(store, name, look)
    if last is None:
        raise NothingToTakeBack
    step = CurationStep(0, "reopen", {}, "", author, now)
    _take_on_each(store, content, row, asked, ids, step, lambda one: _ended_by(one, "finish"))
    # Noted after the last: as long as it is not, the rest can still be taken back.
    facts = {"question": asked.id, "texts": last.texts, "of": last.at.isoformat()}
    store.write(
        lambda connection: events.record(
            connection, row.id, author=author, kind=TAKEN_BACK, subject=row.name, facts=facts
        )
    )
    return last
