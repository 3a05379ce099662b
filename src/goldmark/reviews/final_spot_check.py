"""The final spot check: so many finished answers, randomly drawn, judged once more to say how accurate the whole is.

It measures and changes nothing: what is found wrong here is not returned. The draw and every word are decisions with
author and time, kept with the campaign's others, so they are exported with it. A new draw begins a new check.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from heapq import nsmallest
from typing import Any

from sqlalchemy import Connection, select

from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.campaigns.definition.units.unit_order import rank
from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.errors import Conflict, GoldmarkError, Missing
from goldmark.reviews.responses import ResponseFile, find_response
from goldmark.reviews.review import CannotReviewOwnWork, ReviewRemark, check_remarks
from goldmark.store import Store
from goldmark.store.events import CHECKED, DRAWN, mark, newest, record
from goldmark.store.tables import account, annotator, assignment, event, unit

MOST = 10_000  # more than anybody judges


class NothingToSample(Conflict):
    code = "SPOTCHECK-01"
    message = "campaign {campaign!r} has no finished answer to draw from; wait until some are done"


class NoSpotCheck(Missing):
    code = "SPOTCHECK-02"
    message = "response {id} is not in the spot check of {campaign!r}; draw one first, or judge one that was drawn"


class SayWhatIsWrong(GoldmarkError):
    code = "SPOTCHECK-03"
    message = "say at which stage it is wrong: a remark on a question, a mark or a part of a mark"


class DrawNotPossible(GoldmarkError):
    code = "SPOTCHECK-04"
    message = "say how many answers to draw, from 1 to {most}, and a seed, both as whole numbers"


class CheckUnderWay(Conflict):
    code = "SPOTCHECK-05"
    message = (
        "a spot check is under way: {judged} of {size} answers that {author} drew are judged; a new draw sets it "
        "aside. Say `replace` (on the command line: --replace) if that is what you want"
    )


@dataclass(frozen=True)
class SampledChecks:
    """One answer in the check, as it was when it was drawn, and the last word on it."""

    unit: str
    annotator: str
    revision: int
    word: Mapping[str, Any] | None = None  # right, remarks, comment, checker


@dataclass(frozen=True)
class FinalCheck:
    """A draw with what was said so far."""

    size: int
    of: int  # how many finished answers there were
    seed: int
    author: str
    at: datetime
    answers: tuple[SampledChecks, ...] = field(default=())

    @property
    def judged(self) -> int:
        return sum(one.word is not None for one in self.answers)


def draw(store: Store, name: str, *, size: int, seed: int = 0, author: str, replace: bool = False) -> FinalCheck:
    """Draw `size` finished answers, or all if there are fewer; the same seed draws the same of the same.

    A check that somebody has begun to judge is set aside only if it is to be replaced; its words stay in the history.
    """
    if not 1 <= size <= MOST:
        raise DrawNotPossible(most=MOST)

    def finished(connection: Connection) -> Sequence[Any]:
        row = _free_to_draw(connection, name, replace)
        return connection.execute(
            select(unit.c.name, annotator.c.name, assignment.c.revision)
            .select_from(assignment)
            .join(unit, unit.c.id == assignment.c.unit_id)
            .join(annotator, annotator.c.id == assignment.c.annotator_id)
            .where(assignment.c.campaign_id == row.id, assignment.c.state == "done", unit.c.counts)
            .where(annotator.c.state != "excluded")
        ).all()

    # Before anything is written: nobody else could write while many are ordered, or decisions are walked over.
    since = store.read(mark)
    found = store.read(finished)
    if not found:
        raise NothingToSample(campaign=name)
    chosen = nsmallest(size, found, key=lambda one: rank(seed, "spot check", f"{one[0]}\x1f{one[1]}"))
    facts = {"size": len(chosen), "of": len(found), "seed": seed, "answers": [list(one) for one in chosen]}

    def keep(connection: Connection) -> datetime:
        row = _free_to_draw(connection, name, replace, since)
        at = datetime.now(UTC)
        record(connection, row.id, author=author, kind=DRAWN, subject=name, facts=facts)
        return at

    at = store.write(keep)
    return FinalCheck(len(chosen), len(found), seed, author, at, tuple(SampledChecks(*one) for one in chosen))


def _free_to_draw(connection: Connection, name: str, replace: bool, since: int = 0) -> CampaignRow:
    row = find_campaign(connection, name)
    # Whether anything was said since the last draw, without reading thousands of answers that it may have drawn.
    last = newest(connection, row.id, DRAWN, CHECKED, since=since)
    if last is not None and last.kind == CHECKED and not replace and (before := final_check(connection, row)):
        raise CheckUnderWay(judged=before.judged, size=before.size, author=before.author)
    return row


def final_check(connection: Connection, row: CampaignRow) -> FinalCheck | None:
    """The newest draw with everybody's words on it."""
    drawn = newest(connection, row.id, DRAWN)
    if drawn is None:
        return None
    said = connection.execute(
        select(event.c.author, event.c.facts)
        .where(event.c.campaign_id == row.id, event.c.kind == CHECKED, event.c.id > drawn.id)
        .order_by(event.c.id)
    )
    words = {(one.facts["unit"], one.facts["annotator"]): {**one.facts, "checker": one.author} for one in said}
    facts = drawn.facts
    return FinalCheck(
        facts["size"],
        facts["of"],
        facts["seed"],
        drawn.author,
        drawn.at,
        tuple(SampledChecks(name, who, number, words.get((name, who))) for name, who, number in facts["answers"]),
    )


def next_to_check(connection: Connection, row: CampaignRow, checker: str, *, after: int = 0) -> int | None:
    """The response that this checker judges next; nobody is given their own. Past the end it begins again."""
    check = final_check(connection, row)
    if check is None:
        return None
    missing = [(one.unit, one.annotator) for one in check.answers if one.word is None]
    ids = sorted(_ids(connection, row, checker, missing))
    return next((one for one in ids if one > after), ids[0] if ids else None)


def _ids(connection: Connection, row: CampaignRow, checker: str, wanted: Sequence[tuple[str, str]]) -> Iterable[int]:
    names = set(wanted)
    rows = connection.execute(
        select(assignment.c.id, unit.c.name, annotator.c.name, account.c.name)
        .select_from(assignment)
        .join(unit, unit.c.id == assignment.c.unit_id)
        .join(annotator, annotator.c.id == assignment.c.annotator_id)
        .outerjoin(account, account.c.id == annotator.c.account_id)
        .where(assignment.c.campaign_id == row.id, unit.c.name.in_({one for one, _ in names}))
    )
    return [one[0] for one in rows if (one[1], one[2]) in names and one[3] != checker]


def drawn_response(connection: Connection, row: CampaignRow, response_id: int) -> tuple[ResponseFile, SampledChecks]:
    """A response of the check, with the revision that was drawn first among its revisions."""
    found = find_response(connection, row, response_id)
    check = final_check(connection, row)
    for one in check.answers if check else ():
        if (one.unit, one.annotator) == (found.unit, found.annotator):
            revisions = [revision for revision in found.revisions if revision.number <= one.revision]
            return found._replace(revisions=tuple(revisions)), one
    raise NoSpotCheck(id=response_id, campaign=row.name)


def say(
    store: Store,
    content: ContentCache,
    name: str,
    response_id: int,
    *,
    right: bool,
    remarks: Iterable[ReviewRemark] = (),
    comment: str = "",
    checker: str,
) -> None:
    """One checker's word on one answer of the check; the last word holds, and all are kept."""
    told = [remark._replace(comment=remark.comment.strip()) for remark in remarks if remark.comment.strip()]
    if not right and not told:
        raise SayWhatIsWrong
    told = [] if right else told

    def look(connection: Connection) -> ResponseFile:
        row = find_campaign(connection, name)
        own = connection.execute(
            select(account.c.name)
            .join(annotator, annotator.c.account_id == account.c.id)
            .join(assignment, assignment.c.annotator_id == annotator.c.id)
            .where(assignment.c.id == response_id, assignment.c.campaign_id == row.id)
        ).scalar()
        if own == checker:
            raise CannotReviewOwnWork
        return drawn_response(connection, row, response_id)[0]

    found = store.read(look)
    judged = found.revisions[0]
    check_remarks(content.protocol(judged.protocol_id), judged, found.shown, told)
    facts = {
        "unit": found.unit,
        "annotator": found.annotator,
        "revision": judged.number,
        "right": right,
        "remarks": [remark._asdict() for remark in told],
        "comment": comment.strip(),
    }

    def keep(connection: Connection) -> None:
        row = find_campaign(connection, name)
        record(connection, row.id, author=checker, kind=CHECKED, subject=found.unit, facts=facts)

    store.write(keep)
