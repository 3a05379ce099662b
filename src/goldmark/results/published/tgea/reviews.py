"""What reviewers found: accuracy of first versions by question, by annotator, and how far reviewers agree (TGEA 3.4).

A first version is the first revision of a response that a reviewer judged. Amended versions are never mixed with it:
they only say how often work had to come back. A reviewer's last word on a revision is the one that counts. Where an
annotator answered a return with a reason, it is counted who was right in the end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from goldmark.protocols import Protocol
from goldmark.protocols.responses import protocols_of
from goldmark.protocols.stages import stages
from goldmark.records.campaigns import AssignmentRecord, CampaignRecord
from goldmark.records.figures import counted
from goldmark.records.tables import Cell, Table
from goldmark.results.options import AnalysisOptions
from goldmark.results.published.tgea.stage_reviews import (
    WHOLE,
    Version,
    accuracy_by_stage,
    agreement_by_stage,
    ordered,
    share_cells,
    version_of,
)
from goldmark.reviews.disputes import MEANING, Dispute, stand_of

DISPUTED = {"raised": "the reviewer has not answered", "undecided": "waiting for somebody else to decide"}
__all__ = ["WHOLE", "ReviewJudgement", "Reviewed", "reviewed_responses", "reviews"]


@dataclass(frozen=True)
class ReviewJudgement:
    """One reviewer's last word on one revision."""

    reviewer: str
    approved: bool
    remarks: tuple[Mapping[str, str], ...]

    @property
    def remarked(self) -> frozenset[str]:
        """The questions with a remark."""
        return frozenset(remark["where"] for remark in self.remarks)


@dataclass(frozen=True, eq=False)
class Reviewed:
    """One response with all that was said of it, revision by revision."""

    unit: str
    annotator: str
    state: str
    newest: int  # its last revision
    words: Mapping[int, tuple[ReviewJudgement, ...]]  # by revision
    disputes: tuple[Dispute, ...] = ()  # how each reason that its annotator gave was answered

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


def reviewed_responses(record: CampaignRecord) -> list[Reviewed]:
    """Every response that a reviewer judged, from a campaign's record."""
    newest = {(one.unit, one.annotator): one.revision for one in sorted(record.responses, key=lambda one: one.revision)}
    return [
        _reviewed(one, newest[one.unit, one.annotator])
        for one in record.assignments
        if one.facts.get("reviews") and (one.state != "excluded" or record.counts_excluded)
    ]


def _reviewed(held: AssignmentRecord, newest: int) -> Reviewed:
    last: dict[tuple[int, str], ReviewJudgement] = {}
    for said in held.facts["reviews"]:
        key = (said["revision"], said["reviewer"])
        last[key] = ReviewJudgement(said["reviewer"], said["verdict"] == "approved", tuple(said["remarks"]))
    words: dict[int, tuple[ReviewJudgement, ...]] = {}
    for (revision, _), judgement in last.items():
        words[revision] = (*words.get(revision, ()), judgement)
    said = [_Word(one["revision"], one["reviewer"], one["verdict"]) for one in held.facts["reviews"]]
    # A revision that was changed again before anybody looked was never in dispute.
    seen = (*words, newest)
    replies = [one for one in held.facts.get("replies", ()) if one["revision"] in seen]
    found = [stand_of(one["reply"], one["revision"], said) for one in replies]
    disputes = tuple(one for one in found if one is not None)
    return Reviewed(held.unit, held.annotator, held.facts.get("before", held.state), newest, words, disputes)


class _Word(NamedTuple):
    revision: int
    reviewer: str
    verdict: str


def reviews(record: CampaignRecord, settings: AnalysisOptions) -> list[Table]:
    """How responses stand, accuracy of first versions by question and annotator, and reviewers side by side."""
    found = reviewed_responses(record)
    signature = settings.signature(figure="reviews", interval="wilson-clustered")
    tables = [_table_of_verdicts(record, found, signature)]
    if found:
        protocols = protocols_of(record)
        order = ordered(protocols.values())
        versions = _versions(record, found, protocols)
        note = "first versions only; a stage is right if no reviewer remarked on it"
        tables += [
            _by_question(record, found, protocols, settings, signature),
            accuracy_by_stage("Accuracy of first versions by stage", order, versions, settings, notes=(note,)),
            _by_annotator(found, settings, signature),
            _reviewers(found, settings, signature),
        ]
        consistency = agreement_by_stage(order, versions, settings)
        tables += [consistency] if consistency else []
        tables += [_disputes(found, signature)] if any(one.disputes for one in found) else []
    return [table.noting(*record.exclusion_notes()) for table in tables]


def _disputes(found: Sequence[Reviewed], signature: str) -> Table:
    """What annotators answered with a reason instead of amending it, and who was right in the end."""
    people: dict[str, Counter[str]] = {}
    for one in found:
        if one.disputes:
            people.setdefault(one.annotator, Counter()).update(one.disputes)
    rows: list[dict[str, Cell]] = [
        {"annotator": name, "disputes": sum(counts.values()), **{stand: counts[stand] for stand in MEANING}}
        for name, counts in sorted(people.items())
    ]
    if len(rows) > 1:
        together = sum(people.values(), Counter())
        rows.append({"annotator": "all", "disputes": sum(together.values()), **{one: together[one] for one in MEANING}})
    notes = ("a dispute is a return that the annotator answered with a reason; amended or not, it is counted once",)
    labels = {str(stand): words for stand, words in MEANING.items()}
    return Table.of("Disputes", rows, notes=notes, signature=signature, labels=labels)


def _table_of_verdicts(record: CampaignRecord, found: Sequence[Reviewed], signature: str) -> Table:
    counts = Counter(one.outcome for one in found)
    unseen = sum(one.state in ("waiting", "done") and not one.facts.get("reviews") for one in record.assignments)
    order = (
        "approved at once",
        "approved after an amendment",
        "returned, being amended",
        *(f"disputed, {words}" for words in DISPUTED.values()),
        "amended, waiting for review",
        "waiting for a second reviewer",
    )
    rows: list[dict[str, Cell]] = [{"responses": name, "count": counts[name]} for name in order if counts[name]]
    rows.append({"responses": "not reviewed", "count": unseen})
    return Table.of("Responses by what reviewers said", rows, signature=signature)


def _versions(record: CampaignRecord, found: Sequence[Reviewed], protocols: Mapping[str, Protocol]) -> list[Version]:
    given = {(one.unit, one.annotator, one.revision): one for one in record.responses}
    known = {name: stages(protocol) for name, protocol in protocols.items()}
    versions = []
    for one in found:
        response = given[one.unit, one.annotator, min(one.words)]
        said = [(word.reviewer, word.approved, word.remarks) for word in one.first]
        asked = known[response.protocol or record.protocol]
        versions.append(version_of(asked, one.unit, one.annotator, response.answers, said))
    return versions


def _by_question(
    record: CampaignRecord,
    found: Sequence[Reviewed],
    protocols: Mapping[str, Protocol],
    settings: AnalysisOptions,
    signature: str,
) -> Table:
    given = {(one.unit, one.annotator, one.revision): one for one in record.responses}
    right: dict[tuple[str, str, str], dict[Reviewed, bool]] = {}
    loose = 0
    for one in found:
        revision = min(one.words)
        response = given[one.unit, one.annotator, revision]
        protocol = protocols[response.protocol or record.protocol]
        remarked = frozenset[str]().union(*(judgement.remarked for judgement in one.first))
        for key in _questions(protocol, response.answers):
            right.setdefault(key, {})[one] = key[1] not in remarked
        loose += not remarked and not all(judgement.approved for judgement in one.first)
    rows: list[dict[str, Cell]] = []
    right["", WHOLE, ""] = {one: one.at_once for one in found}
    for (step, question, kind), each in right.items():
        rows.append(
            {
                "step": step,
                "question": question,
                "kind": kind,
                "reviewed": len(each),
                "right": sum(each.values()),
                **_percent(each, settings),
            }
        )
    notes = ["first versions only; an answer is right if no reviewer remarked on it"]
    if loose:
        notes.append(
            f"{counted(loose, 'response')} came back with a comment on the whole, so no question counts as wrong"
        )
    return Table.of(
        "Accuracy of first versions", rows, notes=tuple(notes), signature=signature, labels={"percent": "% right"}
    )


def _questions(protocol: Protocol, answers: Mapping[str, Any]) -> Iterable[tuple[str, str, str]]:
    """Step, id and kind of every question that was answered."""
    for number, step in enumerate(protocol.steps, start=1):
        for question in step.questions:
            if question.id in answers:
                yield step.id or str(number), question.id, question.kind


def _percent(hits: Mapping[Reviewed, bool], settings: AnalysisOptions) -> dict[str, Cell]:
    """A share of responses, with an interval over texts and annotators; over texts alone where there is one person."""
    return share_cells([(hit, one.unit, one.annotator) for one, hit in hits.items()], settings)


def _by_annotator(found: Sequence[Reviewed], settings: AnalysisOptions, signature: str) -> Table:
    people: dict[str, list[Reviewed]] = {}
    for one in found:
        people.setdefault(one.annotator, []).append(one)
    rows: list[dict[str, Cell]] = []
    for name, mine in sorted(people.items()):
        at_once = {one: one.at_once for one in mine}
        returned = sum(not all(word.approved for word in said) for one in mine for said in one.words.values())
        rows.append(
            {
                "annotator": name,
                "reviewed": len(mine),
                "approved": sum(at_once.values()),
                **_percent(at_once, settings),
                "times_returned": returned,
            }
        )
    labels = {"approved": "approved at once", "percent": "% at once", "times_returned": "times returned"}
    return Table.of("First versions by annotator", rows, signature=signature, labels=labels)


def _reviewers(found: Sequence[Reviewed], settings: AnalysisOptions, signature: str) -> Table:
    said: dict[str, dict[Reviewed, bool]] = {}
    for one in found:
        for judgement in one.first:
            said.setdefault(judgement.reviewer, {})[one] = not judgement.approved
    rows: list[dict[str, Cell]] = [
        {
            "reviewer": name,
            "reviewed": len(returned),
            "returned": sum(returned.values()),
            **_percent(returned, settings),
        }
        for name, returned in sorted(said.items())
    ]
    return Table.of("Reviewers, on first versions", rows, signature=signature, labels={"percent": "% returned"})
