"""Every response that a reviewer judged, out of the database, with little of the campaign in memory at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import ColumnElement, Connection, exists, func, select

from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.campaigns.transfer.export import replies_of, reviews_of
from goldmark.campaigns.transfer.observe import first_judged, protocols_asked
from goldmark.people.exclusions import excluded_people
from goldmark.protocols import Protocol
from goldmark.protocols.stages import stages
from goldmark.records.campaigns import exclusion_notes
from goldmark.results.published.tgea.stage_reviews import Version, version_of
from goldmark.reviews.disputes import Dispute, stand_of
from goldmark.store.bulk import streamed_parts
from goldmark.store.tables import annotator, assignment, response, review, unit

ROWS_AT_ONCE = 500
DISPUTED = {"raised": "the reviewer has not answered", "undecided": "waiting for somebody else to decide"}
AskedQuestion = tuple[str, str, str]  # step, id and kind
Same = TypeVar("Same")


class ReviewJudgement(NamedTuple):
    """One reviewer's last word on one revision."""

    reviewer: str
    approved: bool
    remarks: tuple[Mapping[str, str], ...]

    @property
    def remarked(self) -> frozenset[str]:
        """The questions with a remark."""
        return frozenset(remark["where"] for remark in self.remarks)


class JudgedResponse(NamedTuple):
    """One response with all that was said of it, revision by revision."""

    state: str
    newest: int  # its last revision
    words: Mapping[int, tuple[ReviewJudgement, ...]]  # by revision
    questions: Sequence[AskedQuestion]  # that its first version answered
    version: Version  # the first one, stage by stage
    disputes: tuple[Dispute, ...] = ()  # how each reason that its annotator gave was answered

    @property
    def unit(self) -> str:
        return self.version.unit

    @property
    def annotator(self) -> str:
        return self.version.annotator

    @property
    def first(self) -> tuple[ReviewJudgement, ...]:
        return self.words[min(self.words)]

    @property
    def at_once(self) -> bool:
        """Whether nobody returned the first version."""
        return all(judgement.approved for judgement in self.first)

    @property
    def outcome(self) -> str:
        """How the response stands now."""
        last = max(self.words)
        if self.state == "waiting" and self.disputes and self.disputes[-1] in ("raised", "undecided"):
            return f"disputed, {DISPUTED[self.disputes[-1]]}"
        if self.state == "returned":
            return "returned, being amended"
        if self.state == "released":
            return "returned, and given to others"
        if self.newest > last:
            return "amended, waiting for review"
        if self.state == "waiting" or not all(one.approved for one in self.words[last]):
            return "waiting for a second reviewer"
        return "approved at once" if len(self.words) == 1 else "approved after an amendment"


class CampaignReviews(NamedTuple):
    """What reviewers said in a campaign."""

    judged: Sequence[JudgedResponse]
    unseen: int = 0  # answers of which nobody has said anything
    protocols: Sequence[Protocol] = ()  # that were asked
    notes: tuple[str, ...] = ()


class _Word(NamedTuple):
    revision: int
    reviewer: str
    verdict: str


class ResponseReader:
    """Reads what was said of responses. What many of them have in common is kept once."""

    def __init__(self) -> None:
        self._known: dict[Any, Any] = {}
        self._words: dict[Any, dict[int, tuple[ReviewJudgement, ...]]] = {}
        self._stages: dict[str, Any] = {}
        self._questions: dict[tuple[str, tuple[str, ...]], tuple[AskedQuestion, ...]] = {}

    def judged(
        self,
        unit: str,
        annotator: str,
        state: str,
        newest: int,
        said: Sequence[Mapping[str, Any]],
        replies: Sequence[Mapping[str, Any]],
        protocol: Protocol,
        answers: Mapping[str, Any],
    ) -> JudgedResponse:
        """From every word and reply in their order, and the answers of the revision that was judged first."""
        last: dict[tuple[int, str], ReviewJudgement] = {}
        for one in said:
            judgement = ReviewJudgement(one["reviewer"], one["verdict"] == "approved", tuple(one["remarks"]))
            last[one["revision"], one["reviewer"]] = judgement
        words: dict[int, tuple[ReviewJudgement, ...]] = {}
        for (revision, _), judgement in last.items():
            words[revision] = (*words.get(revision, ()), judgement)
        heard = [_Word(one["revision"], one["reviewer"], one["verdict"]) for one in said]
        # A revision that was changed again before anybody looked was never in dispute.
        seen = (*words, newest)
        found = [stand_of(one["reply"], one["revision"], heard) for one in replies if one["revision"] in seen]
        known = self._stages.get(protocol.id) or self._stages.setdefault(protocol.id, stages(protocol))
        first = version_of(known, unit, annotator, answers, words[min(words)])
        version = Version(unit, self._once(annotator), self._once(first.asked), self._once(first.words))
        disputes = self._once(tuple(one for one in found if one is not None))
        if not any(judgement.remarks for some in words.values() for judgement in some):
            words = self._words.setdefault(tuple(words.items()), words)
        return JudgedResponse(self._once(state), newest, words, self._asked(protocol, answers), version, disputes)

    def _once(self, value: Same) -> Same:
        """An equal value that is kept already, or this one."""
        found: Same = self._known.setdefault(value, value)
        return found

    def _asked(self, protocol: Protocol, answers: Mapping[str, Any]) -> tuple[AskedQuestion, ...]:
        key = (protocol.id, tuple(answers))
        if key not in self._questions:
            self._questions[key] = tuple(
                (step.id or str(number), question.id, question.kind)
                for number, step in enumerate(protocol.steps, start=1)
                for question in step.questions
                if question.id in answers
            )
        return self._questions[key]


def reviews_in(connection: Connection, row: CampaignRow, with_excluded: bool = False) -> CampaignReviews:
    """All that reviewers said; of excluded people too if they are to count."""
    protocols = protocols_asked(connection, row)
    unseen = _count(connection, row, assignment.c.state.in_(("waiting", "done")), ~_is_judged())
    return CampaignReviews(
        list(_judged(connection, row, protocols, with_excluded)),
        unseen,
        tuple(protocols.values()),
        exclusion_notes(excluded_people(connection, row), counted=with_excluded),
    )


def not_approved_yet(connection: Connection, row: CampaignRow, *, judged: bool) -> int:
    """How many answers wait for a reviewer, or are back with their annotator; with those that were judged, or not."""
    also = () if judged else (~_is_judged(),)
    return _count(connection, row, assignment.c.state.in_(("waiting", "returned")), *also)


def _is_judged() -> ColumnElement[bool]:
    return exists(select(review.c.id).where(review.c.assignment_id == assignment.c.id).correlate(assignment))


def _count(connection: Connection, row: CampaignRow, *which: ColumnElement[bool]) -> int:
    held = assignment.join(annotator, annotator.c.id == assignment.c.annotator_id)
    here = (assignment.c.campaign_id == row.id, annotator.c.state != "excluded")
    query = select(func.count()).select_from(held).where(*here, *which)
    return int(connection.execute(query).scalar_one())


def _judged(
    connection: Connection, row: CampaignRow, protocols: Mapping[int, Protocol], with_excluded: bool
) -> Iterator[JudgedResponse]:
    judged = select(review.c.assignment_id).where(review.c.campaign_id == row.id)
    query = (
        select(
            assignment.c.id,
            func.coalesce(assignment.c.state_before, assignment.c.state).label("state"),
            assignment.c.revision,
            unit.c.name.label("unit"),
            annotator.c.name.label("annotator"),
            response.c.answers,
            response.c.protocol_id,
        )
        .join(unit, unit.c.id == assignment.c.unit_id)
        .join(annotator, annotator.c.id == assignment.c.annotator_id)
        .join(response, (response.c.assignment_id == assignment.c.id) & (response.c.revision == first_judged()))
        .where(assignment.c.id.in_(judged))
        .order_by(assignment.c.id)
    )
    if not with_excluded:
        query = query.where(annotator.c.state != "excluded")
    reader = ResponseReader()
    for some in streamed_parts(connection, query, ROWS_AT_ONCE):
        ids = [one.id for one in some]
        said, replies = reviews_of(connection, ids), replies_of(connection, ids)
        for one in some:
            yield reader.judged(
                one.unit,
                one.annotator,
                one.state,
                one.revision,
                said[one.id],
                replies.get(one.id, ()),
                protocols[one.protocol_id],
                one.answers,
            )
