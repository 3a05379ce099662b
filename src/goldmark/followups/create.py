"""One campaign's answers as the units of another.

A follow-up reads a campaign's record and makes units of it: what somebody wrote becomes a text to be coded, what
somebody marked becomes a given mark on the text. Where a unit comes from is a hidden fact: whoever judges it, also
somebody who took part in the source, never learns who said it before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Connection, select

from goldmark.accounts.links import SignedLinks
from goldmark.campaigns.definition.file import CampaignPlan
from goldmark.campaigns.definition.settings import Name, Order, Settings
from goldmark.campaigns.definition.units.unit_intake import checked_units
from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.campaigns.transfer.export import record_of
from goldmark.errors import Conflict, GoldmarkError, Missing
from goldmark.people.invitations import OpenedCampaign, open_campaign
from goldmark.protocols import Protocol, load
from goldmark.protocols.answers import giving
from goldmark.protocols.responses import ReadResponse, protocol_of, read_responses
from goldmark.records.answers import Words
from goldmark.records.campaigns import CampaignRecord, ResponseRecord
from goldmark.records.units import ContextText, GivenMark, ShownText, ShownUnit, Unit
from goldmark.store import Store, events
from goldmark.store.tables import event
from goldmark.texts.segmentation.text import make_text

DERIVED = "campaign derived"  # a decision in the history of both campaigns
KEPT_FACTS = ("system", "condition")  # hidden facts of a source unit by which results are compared later


class NothingToFollowUp(Conflict):
    code = "DERIVE-01"
    message = "campaign {source!r} has nothing for a follow-up: {why}"


class NoFreeText(GoldmarkError):
    code = "DERIVE-02"
    message = "campaign {source!r} has no free-text question {question}; there are: {known}"


class NameNotPossible(GoldmarkError):
    code = "DERIVE-03"
    message = "{name!r} cannot be a campaign's name: small letters, digits and hyphens, at most 63, and not 'new'"


class UnknownFollowUp(Missing):
    code = "DERIVE-04"
    message = "there is no follow-up {name!r}; there are {known}"


@dataclass(frozen=True)
class SourceCampaign:
    """The campaign that units are made of."""

    store: Store
    name: str
    record: CampaignRecord
    question: str | None = None  # whose answers, where there are several

    def protocol(self) -> Protocol:
        return protocol_of(self.record)


@dataclass(frozen=True)
class FollowUpUnits:
    """Units, each made when it is asked for, and what the new campaign's history should say of where they come from."""

    units: Iterable[Unit]
    facts: Mapping[str, Any] = field(default_factory=dict)
    without: str = "no response is final yet"  # why there is none, if there is none


@dataclass(frozen=True)
class FollowUpKind:
    """A way to make units of answers. Without a protocol of its own, the source's questions are asked again."""

    name: str
    about: str
    protocol: str | None
    labels: int
    make: Callable[[SourceCampaign, Protocol], FollowUpUnits]
    fitted: Callable[[SourceCampaign, Protocol], Protocol] | None = None  # its own protocol, made to fit this source


def create_follow_up(
    store: Store,
    links: SignedLinks,
    kind: FollowUpKind,
    source: str,
    *,
    name: str,
    title: str = "",
    labels: int | None = None,
    question: str | None = None,
    protocol: str | None = None,
    seed: int = 0,
    author: str,
) -> OpenedCampaign:
    """A new campaign made of another one's answers, as they stand at this moment. It still has to be started."""
    try:
        TypeAdapter(Name).validate_python(name)
    except ValidationError as error:
        raise NameNotPossible(name=name) from error
    origin = SourceCampaign(store, source, record_of(store, source), question)
    wanted = protocol or kind.protocol
    asked = load(wanted) if wanted else origin.protocol()
    if kind.fitted is not None and protocol is None:
        asked = kind.fitted(origin, asked)
    made = kind.make(origin, asked)
    units = checked_units(asked, made.units, source)
    if not units:
        raise NothingToFollowUp(source=source, why=made.without)
    settings = Settings(labels_per_unit=labels or kind.labels, order=Order(seed=seed))
    # People read the title, so it does not name the source.
    plan = CampaignPlan(name, title or asked.title, asked, settings, units)
    of_both = {"as": kind.name, "units": len(units)}

    def note(connection: Connection, new: CampaignRow) -> None:
        """In the history of both, with the last piece of the new one: whatever is there says where it comes from."""
        own = {"source": source, **of_both, **made.facts}
        for row, told in ((new, own), (find_campaign(connection, source), of_both)):
            events.record(connection, row.id, author=author, kind=DERIVED, subject=name, facts=told)

    return open_campaign(store, links, plan, author=author, noting=note)


def source_facts(source: str, unit: Unit, **more: Any) -> dict[str, Any]:
    """The hidden facts of a unit of a follow-up: where it comes from, and by what its source is compared."""
    kept = {key: unit.hidden[key] for key in KEPT_FACTS if key in unit.hidden}
    return {**kept, "source": {"campaign": source, "unit": unit.id, **more}}


def explanations(source: SourceCampaign, protocol: Protocol) -> FollowUpUnits:
    """Everything that people wrote in answer to a free-text question, or to any, as texts to be coded."""
    known = [question.id for question in giving(source.protocol(), Words)]
    chosen = known if source.question is None else [one for one in known if one == source.question]
    if not chosen:
        wanted = repr(source.question) if source.question else "at all"
        raise NoFreeText(source=source.name, question=wanted, known=", ".join(known) or "none")
    made = (
        _explanation(source.name, unit, response, one)
        for unit, response, said in read_responses(source.record)
        for one in said.words
        if one.question in chosen
    )
    return FollowUpUnits(made, without=f"nobody has written anything in {', '.join(chosen)}")


def _explanation(source: str, unit: Unit, response: ResponseRecord, said: Words) -> Unit:
    name = f"{unit.id}:{response.annotator}:{said.question}"
    language = next((text.language for text in unit.shown.texts.values()), "")
    shown = ShownText(make_text(name, said.words), language=language)
    facts = source_facts(source, unit, annotator=response.annotator, revision=response.revision, question=said.question)
    return Unit(name, ShownUnit({"text": shown}), facts)


def responses(source: SourceCampaign, protocol: Protocol) -> FollowUpUnits:
    """Every final response as a unit: the text with what was marked on it, and the other answers beside it."""
    return FollowUpUnits(_response(source, one) for one in read_responses(source.record))


def _response(source: SourceCampaign, one: ReadResponse) -> Unit:
    unit, response, said = one
    given = {
        role: [
            GivenMark(mark.tokens.start, mark.tokens.end, mark.label)
            for found in said.marks
            if found.role == role
            for mark in found.marks
        ]
        for role in unit.shown.texts
    }
    texts = {
        role: ShownText(shown.text, shown.prompt, shown.focus, (*shown.given, *given[role]), shown.language)
        for role, shown in unit.shown.texts.items()
    }
    told = "\n".join(
        f"{question.ask} {answer}" for question in source.protocol().questions() if (answer := said.told(question.id))
    )
    context = (*unit.shown.context, ContextText("What somebody answered", told)) if told else unit.shown.context
    facts = source_facts(source.name, unit, annotator=response.annotator, revision=response.revision)
    return Unit(f"{unit.id}:{response.annotator}", ShownUnit(texts, context), facts)


EXPLANATION_CODING = FollowUpKind(
    "explanation-coding",
    "What people wrote becomes texts to be coded, two coders each.",
    "explanation-coding",
    2,
    explanations,
)
RESPONSES = FollowUpKind(
    "responses",
    "Every final response becomes a unit with its marks on the text, to be judged or done again by others.",
    None,
    1,
    responses,
)


def follow_ups(connection: Connection, row: CampaignRow, kind: str | None = None) -> list[str]:
    """Campaigns that were made of this one's answers; with a kind, those of that kind."""
    made = connection.execute(
        select(event.c.subject, event.c.facts).where(event.c.campaign_id == row.id, event.c.kind == DERIVED)
    )
    return sorted({one.subject for one in made if kind in (None, one.facts.get("as"))} - {row.name})


class FollowUpOrigin(NamedTuple):
    """What a follow-up was made of, as its history tells."""

    kind: str
    source: str
    facts: Mapping[str, Any]


def origin_of(connection: Connection, row: CampaignRow) -> FollowUpOrigin | None:
    """What a campaign was made of; None if it is no follow-up."""
    told = connection.execute(
        select(event.c.facts).where(event.c.campaign_id == row.id, event.c.kind == DERIVED).order_by(event.c.id)
    ).scalars()
    facts = next((one for one in told if "source" in one), None)
    return facts and FollowUpOrigin(str(facts.get("as", "")), str(facts["source"]), facts)
