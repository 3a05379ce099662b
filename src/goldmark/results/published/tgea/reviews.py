"""What reviewers found: accuracy of first versions by question, by annotator, and how far reviewers agree (TGEA 3.4).

A first version is the first revision of a response that a reviewer judged. Amended versions are never mixed with it:
they only say how often work had to come back. A reviewer's last word on a revision is the one that counts. Where an
annotator answered a return with a reason, it is counted who was right in the end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from goldmark.records.figures import counted
from goldmark.records.tables import Cell, Table
from goldmark.results.options import AnalysisOptions
from goldmark.results.published.tgea.judged_responses import DISPUTED, AskedQuestion, CampaignReviews, JudgedResponse
from goldmark.results.published.tgea.stage_reviews import (
    WHOLE,
    accuracy_by_stage,
    agreement_by_stage,
    ordered,
    share_cells,
)
from goldmark.reviews.disputes import MEANING

Hit = tuple[bool, str, str]  # whether it is one, and the text and the annotator of the response


def reviews(said: CampaignReviews, settings: AnalysisOptions) -> list[Table]:
    """How responses stand, accuracy of first versions by question and annotator, and reviewers side by side."""
    found = said.judged
    signature = settings.signature(figure="reviews", interval="wilson-clustered")
    tables = [_table_of_verdicts(said, signature)]
    if found:
        order = ordered(said.protocols)
        versions = [one.version for one in found]
        note = "first versions only; a stage is right if no reviewer remarked on it"
        tables += [
            _by_question(found, settings, signature),
            accuracy_by_stage("Accuracy of first versions by stage", order, versions, settings, notes=(note,)),
            _by_annotator(found, settings, signature),
            _reviewers(found, settings, signature),
        ]
        consistency = agreement_by_stage(order, versions, settings)
        tables += [consistency] if consistency else []
        tables += [_disputes(found, signature)] if any(one.disputes for one in found) else []
    return [table.noting(*said.notes) for table in tables]


def _disputes(found: Sequence[JudgedResponse], signature: str) -> Table:
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


def _table_of_verdicts(said: CampaignReviews, signature: str) -> Table:
    counts = Counter(one.outcome for one in said.judged)
    order = (
        "approved at once",
        "approved after an amendment",
        "returned, being amended",
        "returned, and given to others",
        *(f"disputed, {words}" for words in DISPUTED.values()),
        "amended, waiting for review",
        "waiting for a second reviewer",
    )
    rows: list[dict[str, Cell]] = [{"responses": name, "count": counts[name]} for name in order if counts[name]]
    rows.append({"responses": "not reviewed", "count": said.unseen})
    return Table.of("Responses by what reviewers said", rows, signature=signature)


def _by_question(found: Sequence[JudgedResponse], settings: AnalysisOptions, signature: str) -> Table:
    right: dict[AskedQuestion, list[Hit]] = {}
    loose = 0
    for one in found:
        remarked = frozenset[str]().union(*(judgement.remarked for judgement in one.first))
        for key in one.questions:
            right.setdefault(key, []).append((key[1] not in remarked, one.unit, one.annotator))
        loose += not remarked and not one.at_once
    rows: list[dict[str, Cell]] = []
    right["", WHOLE, ""] = [(one.at_once, one.unit, one.annotator) for one in found]
    for (step, question, kind), each in right.items():
        rows.append(
            {
                "step": step,
                "question": question,
                "kind": kind,
                "reviewed": len(each),
                "right": sum(hit for hit, _, _ in each),
                **share_cells(each, settings),
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


def _by_annotator(found: Sequence[JudgedResponse], settings: AnalysisOptions, signature: str) -> Table:
    people: dict[str, list[JudgedResponse]] = {}
    for one in found:
        people.setdefault(one.annotator, []).append(one)
    rows: list[dict[str, Cell]] = []
    for name, mine in sorted(people.items()):
        at_once = [(one.at_once, one.unit, one.annotator) for one in mine]
        returned = sum(not all(word.approved for word in said) for one in mine for said in one.words.values())
        rows.append(
            {
                "annotator": name,
                "reviewed": len(mine),
                "approved": sum(hit for hit, _, _ in at_once),
                **share_cells(at_once, settings),
                "times_returned": returned,
            }
        )
    labels = {"approved": "approved at once", "percent": "% at once", "times_returned": "times returned"}
    return Table.of("First versions by annotator", rows, signature=signature, labels=labels)


def _reviewers(found: Sequence[JudgedResponse], settings: AnalysisOptions, signature: str) -> Table:
    said: dict[str, list[Hit]] = {}
    for one in found:
        for judgement in one.first:
            said.setdefault(judgement.reviewer, []).append((not judgement.approved, one.unit, one.annotator))
    rows: list[dict[str, Cell]] = [
        {
            "reviewer": name,
            "reviewed": len(returned),
            "returned": sum(hit for hit, _, _ in returned),
            **share_cells(returned, settings),
        }
        for name, returned in sorted(said.items())
    ]
    return Table.of("Reviewers, on first versions", rows, signature=signature, labels={"percent": "% returned"})
