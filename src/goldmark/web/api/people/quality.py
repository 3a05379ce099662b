"""How annotators do: evidence on everybody, and what is decided about it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator, Field

from goldmark.people import exclusions, undo_exclusion
from goldmark.people.exclusions import Excluded
from goldmark.people.undo_exclusion import Restored
from goldmark.records.campaigns import ExclusionRecord, exclusion_notes
from goldmark.web.api import shapes
from goldmark.web.api.calls import Calls
from goldmark.web.api.inputs import CampaignName, In, Out, PageOut, ReasonIn, Words, page_of, part
from goldmark.web.api.listing import Listed
from goldmark.web.api.people.annotators import numbered
from goldmark.web.computing import computed
from goldmark.web.computing.computed import Evidences
from goldmark.web.computing.computing import Computed
from goldmark.web.sign_in import CallsAsCurator, CallsAsManager
from goldmark.web.visits import Visit

if TYPE_CHECKING:
    from goldmark.quality.evidence import PersonFile

router = Calls("/api/v1/campaigns/{name}", "annotators of a campaign")


class ShareOut(Out):
    found: int
    of: int
    value: float | None


class SignOut(Out):
    """Test questions of one sign."""

    sign: str
    right: int
    asked: int
    interval: Annotated[
        list[float],
        BeforeValidator(lambda given: given[:2]),
        Field(description="The exact 95 % interval of the share right."),
    ]
    noisy: float


class MomentOut(Out):
    asked: int
    right: int
    noisy: float
    at: datetime


class EvidenceOut(Out):
    """All about one annotator."""

    id: int = part("person.id")
    name: str = part("person.name")
    state: str = part("person.state")
    answers: int
    noisy: float | None = Field(description="The probability of being noisy; null before any test question.")
    flagged: bool
    test_questions: list[SignOut] = part("by_sign")
    course: list[MomentOut] = Field(description="How the probability went, test question by test question.")
    seconds_median: float | None = part("signals.pace.median")
    seconds_usual: float | None = part("signals.pace.usual")
    too_fast: ShareOut = part("signals.pace.fast")
    longest_run: int = part("signals.sameness.longest_run")
    entropy: float | None = part("signals.sameness.entropy")
    same_answer: ShareOut = part("signals.sameness.commonest")
    explanations: int = part("signals.explanations.written")
    copied: ShareOut = part("signals.explanations.copied")
    too_short: ShareOut = part("signals.explanations.short")
    repeated: ShareOut = part("signals.explanations.repeated")
    off_topic: ShareOut = part("signals.explanations.off_topic")
    agreement: float | None = part("signals.agreement.value")
    agreement_pairs: int = part("signals.agreement.of")
    agreement_usual: float | None = part("signals.usual_agreement")
    errors_found: ShareOut = part("signals.errors_found")
    errors_found_usual: float | None = part("signals.usual_errors_found")
    cost_labels: int = part("cost.labels", "Labels that excluding this person would take from the results.")
    cost_reopened: int = part("cost.reopened", "Units that would want another label again.")
    cost_money: float | None = part("money", "What these labels cost at the campaign's price.")


class QualityOut(PageOut):
    model: str | None
    signature: str | None
    flag_at: float
    annotators: list[EvidenceOut]
    exclusions: list[ExclusionRecord] = Field(description="Of these people.")
    notes: list[str]
    as_of: datetime = Field(description="Of large campaigns, figures may be some minutes older than the newest answer.")


class TestAnswerOut(Out):
    response: int = part("assignment_id")
    unit: str
    sign: str
    right: bool
    at: datetime
    sentences: list[str] = part("grade.sentences", "Why, in words.")


class ToldOut(Out):
    kind: str
    message: str
    at: datetime
    read_at: datetime | None


class PersonOut(Out):
    evidence: EvidenceOut
    test_answers: list[TestAnswerOut]
    told: list[ToldOut]


class WarnIn(In):
    message: Words = Field(default="", description="What they are told; our own words if empty.")
    reason: Words = ""


class ExcludeIn(In):
    reason: Words = ""
    rule: Words = Field(default="", description="The rule that was followed, if any; figures name it.")


class KeptOut(Out):
    annotator: str
    kept: bool


class WarnedOut(Out):
    annotator: str
    warned: bool


def gathered(visit: Visit, name: str) -> Computed[Evidences]:
    """The evidence on everybody in a campaign, and who is excluded."""
    return visit.services.computing.of(name, computed.quality)


def person_file(visit: Visit, name: str, annotator_id: int) -> tuple[Computed[Evidences], PersonFile]:
    from goldmark.quality import evidence

    made = gathered(visit, name)
    return made, visit.look_into(name, evidence.person_file, annotator_id, made.found.of)


@router.get("/quality", response_model=QualityOut)
def quality(visit: CallsAsCurator, name: CampaignName, listed: Listed) -> dict[str, Any]:
    """Everybody's test questions, signs of careless work and the cost of excluding them; who is excluded and why."""
    made = gathered(visit, name)
    found = made.found
    some = listed.of(range(len(found.people)), lambda place: found.people[place][1])
    people = [found.at(place) for place in some.items]
    names = {one.person.name for one in people}
    return {
        **page_of(some),
        "model": found.model,
        "signature": None if found.signature is None else str(found.signature),
        "flag_at": made.campaign.settings.quality.flag_at,
        "annotators": people,
        "exclusions": [one for one in found.excluded if one.annotator in names],
        "notes": exclusion_notes(found.excluded),
        "as_of": made.at,
    }


@router.get("/quality/{annotator_id}", response_model=PersonOut)
def person(visit: CallsAsCurator, name: CampaignName, annotator_id: shapes.RowId) -> dict[str, Any]:
    """One annotator: all evidence, their answers to test questions, and what they were told."""
    _, found = person_file(visit, name, annotator_id)
    told = [{**one._asdict(), "read_at": read} for one, read in found.told]
    return {"evidence": found.evidence, "test_answers": found.tests, "told": told}


@router.post("/annotators/{annotator_id}/warn")
def warn(visit: CallsAsManager, name: CampaignName, annotator_id: shapes.RowId, body: WarnIn) -> WarnedOut:
    """Tell someone about their work; they see it until they have read it."""
    from goldmark.quality import rules

    person = numbered(visit, name, annotator_id).name
    rules.warn(visit.store, name, person, message=body.message, author=visit.name, reason=body.reason)
    return WarnedOut(annotator=person, warned=True)


@router.post("/annotators/{annotator_id}/exclude")
def exclude(visit: CallsAsManager, name: CampaignName, annotator_id: shapes.RowId, body: ExcludeIn) -> Excluded:
    """Keep someone's work, count it nowhere, and free its places for others. It can be undone."""
    person = numbered(visit, name, annotator_id).name
    return exclusions.exclude(visit.store, name, person, author=visit.name, reason=body.reason, rule=body.rule)


@router.post("/annotators/{annotator_id}/keep")
def keep(visit: CallsAsManager, name: CampaignName, annotator_id: shapes.RowId, body: ReasonIn) -> KeptOut:
    """Decide that someone who is flagged is not excluded: a round of a leaderboard need not wait for them."""
    person = numbered(visit, name, annotator_id).name
    exclusions.keep(visit.store, name, person, author=visit.name, reason=body.reason)
    return KeptOut(annotator=person, kept=True)


@router.post("/annotators/{annotator_id}/restore")
def restore(visit: CallsAsManager, name: CampaignName, annotator_id: shapes.RowId, body: ReasonIn) -> Restored:
    """Undo an exclusion: work counts again where its place is still free, and the rest is kept as extra."""
    person = numbered(visit, name, annotator_id).name
    return undo_exclusion.undo(visit.store, name, person, author=visit.name, reason=body.reason)
