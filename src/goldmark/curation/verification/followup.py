"""Every follow-up by name, and the one that curation adds: reported errors as units of a verification campaign."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from sqlalchemy import Connection, select

from goldmark.campaigns.lifecycle import find_campaign
from goldmark.campaigns.transfer.export import record_of
from goldmark.curation.gold_lists.versions import lists_by_unit
from goldmark.curation.proposals.propose import propose
from goldmark.curation.proposals.reports import Reports, label_rules, reports_by_text
from goldmark.curation.verification.protocol import check_labels, fitted_to
from goldmark.curation.verification.units import NothingToVerify, Place, VerificationUnit, verification_units
from goldmark.curation.verification.verdicts import NotAVerification, Verdict, Verified, verdicts_of, verified
from goldmark.exchange.campaign.marks import ExportedQuestion, spans_question, spans_questions
from goldmark.followups.create import (
    EXPLANATION_CODING,
    RESPONSES,
    FollowUpKind,
    FollowUpOrigin,
    FollowUpUnits,
    NothingToFollowUp,
    SourceCampaign,
    UnknownFollowUp,
    origin_of,
    source_facts,
)
from goldmark.protocols import Protocol
from goldmark.protocols.responses import protocol_of
from goldmark.records.campaigns import CampaignRecord
from goldmark.records.gold import GoldMistake, GoldText
from goldmark.records.spans import Span
from goldmark.records.spooled.records import Spooled
from goldmark.records.spooled.units import finder
from goldmark.records.units import GivenMark, ShownText, ShownUnit, Unit
from goldmark.store import Store
from goldmark.store.tables import unit as unit_table

PROPOSED = 0  # the version of a list that no curator has finished


class CuratedText(NamedTuple):
    """One text's gold list, and the reports behind it: none where the answers to it do not count any more."""

    reports: Reports
    gold: GoldText


@dataclass(frozen=True)
class GoldBasis:
    """A source campaign's gold list and the reports behind it, of the texts that it covers."""

    reports: Reports
    gold: tuple[GoldMistake, ...]
    versions: Mapping[str, int]  # by unit; 0 is the automatic proposal


def gold_basis(
    store: Store,
    name: str,
    record: CampaignRecord,
    *,
    question: str | None = None,
    versions: Mapping[str, int] | None = None,
) -> GoldBasis:
    """All of `curated_texts`; `question` is the first about passages if left out."""
    found = list(curated_texts(store, name, record, _asked(record, question), versions))
    lists = sorted((one.gold for one in found), key=lambda one: one.text_id)
    gold = tuple(mistake for one in lists for mistake in one.mistakes)
    return GoldBasis(Reports.together(one.reports for one in found), gold, {one.text_id: one.version for one in lists})


def curated_texts(
    store: Store,
    name: str,
    record: CampaignRecord,
    asked: ExportedQuestion,
    versions: Mapping[str, int] | None = None,
) -> Iterator[CuratedText]:
    """What curators finished so far; if they finished nothing, the automatic proposal for every text. A unit's id is
    its text's id here.

    `versions` asks for the lists as they once were, by unit.
    """
    curated = _curated(store, name, asked, versions)
    if curated or (versions and set(versions.values()) != {PROPOSED}):
        return _with_reports(curated, record, asked)
    return _proposed(record, asked, label_rules(protocol_of(record), asked.id).priority, versions)


def _with_reports(curated: Spooled[GoldText], record: CampaignRecord, asked: ExportedQuestion) -> Iterator[CuratedText]:
    reported = set()
    for reports in reports_by_text(record, asked.id):
        (name,) = reports.texts
        gold = curated.named(name)
        if gold is not None:
            reported.add(name)
            yield CuratedText(reports, gold)
    yield from (CuratedText(Reports({}, (), ()), gold) for gold in curated if gold.text_id not in reported)


def _proposed(
    record: CampaignRecord, asked: ExportedQuestion, priority: Sequence[str], versions: Mapping[str, int] | None
) -> Iterator[CuratedText]:
    for reports in reports_by_text(record, asked.id):
        (unit,) = reports.texts
        if versions is None or unit in versions:
            for gold in propose(reports.marks, reports.texts, seen=reports.seen, priority=priority):
                yield CuratedText(reports, _called(unit, gold))


def _asked(record: CampaignRecord, question: str | None) -> ExportedQuestion:
    first = next((one.id for one in spans_questions(record)), None)
    return spans_question(record, question or first)


def _curated(store: Store, name: str, asked: ExportedQuestion, versions: Mapping[str, int] | None) -> Spooled[GoldText]:
    def look(connection: Connection) -> Spooled[GoldText]:
        lists = lists_by_unit(connection, find_campaign(connection, name), asked.id, versions)
        return Spooled((unit, _called(unit, gold)) for unit, gold in lists)

    return store.read(look)


def _called(unit: str, gold: GoldText) -> GoldText:
    """The list with the unit's id as that of its text."""
    return replace(gold, text_id=unit, mistakes=tuple(replace(one, text_id=unit) for one in gold.mistakes))


def reported_errors(source: SourceCampaign, protocol: Protocol) -> FollowUpUnits:
    """Every gold mistake without full exact agreement and every report that is not in the list, each as a unit."""
    if not list(spans_questions(source.record)):
        raise NothingToFollowUp(source=source.name, why="nobody was asked to mark passages")
    if not source.record.final_responses():
        raise NothingToFollowUp(source=source.name, why="no response is final yet")
    asked = _asked(source.record, source.question)
    priority = label_rules(source.protocol(), asked.id).priority
    errors: Spooled[list[VerificationUnit]] = Spooled()  # by text
    labels: set[str] = set()
    versions: dict[str, int] = {}
    mistakes = 0
    for reports, gold in curated_texts(source.store, source.name, source.record, asked):
        versions[gold.text_id] = gold.version
        mistakes += len(gold.mistakes)
        if found := verification_units(gold.mistakes, reports.marks, seen=reports.seen, priority=priority):
            labels.update(one.label for one in found)
            errors.add(gold.text_id, found)
    if not errors:
        raise NothingToVerify(gold=mistakes)
    check_labels(labels, protocol)
    unit_of = finder(source.record.units)
    units = (
        _reported(source.name, unit_of(one.text_id), asked.role, one) for found in errors.by_key() for one in found
    )
    return FollowUpUnits(units, {"question": asked.id, "gold": dict(sorted(versions.items()))})


def with_labels_of(source: SourceCampaign, protocol: Protocol) -> Protocol:
    """The protocol of verifiers with the source's labels as the categories that they can name."""
    if not list(spans_questions(source.record)):
        return protocol
    return fitted_to(protocol, source.protocol(), _asked(source.record, source.question).id)


def _reported(source: str, unit: Unit, role: str, error: VerificationUnit) -> Unit:
    shown = unit.shown.texts[role]
    span, sentences = error.span, shown.text.sentences
    first, last = shown.text.sentence_of(span.start), shown.text.sentence_of(span.end - 1)
    focus = Span(sentences[first].start, sentences[last].end)
    given = (GivenMark(span.start, span.end, error.label),)
    text = ShownText(replace(shown.text, id=error.id), shown.prompt, focus, given, shown.language)
    facts = {
        **source_facts(source, unit),
        "reported": {
            "text": error.text_id,
            "start": span.start,
            "end": span.end,
            "label": error.label,
            "in_gold": error.in_gold,
        },
        "reported_by": list(error.reported_by),
    }
    return Unit(error.id, ShownUnit({"text": text}, unit.shown.context), facts)


VERIFICATION = FollowUpKind(
    "verification",
    "Reported errors on which people did not agree exactly, or which curation left out, are judged by four verifiers.",
    "verification",
    4,
    reported_errors,
    with_labels_of,
)
FOLLOW_UPS: Mapping[str, FollowUpKind] = {one.name: one for one in (VERIFICATION, EXPLANATION_CODING, RESPONSES)}


def find_follow_up(name: str) -> FollowUpKind:
    if name not in FOLLOW_UPS:
        raise UnknownFollowUp(name=name, known=", ".join(FOLLOW_UPS))
    return FOLLOW_UPS[name]


@dataclass(frozen=True)
class VerifiedGold:
    """A verification campaign beside the campaign whose errors it looks at."""

    source: str
    basis: GoldBasis
    verdicts: Sequence[Verdict]
    shown: set[Place]
    result: Verified
    notes: tuple[str, ...] = ()  # what a reader must know of excluded verifiers and annotators


def look_at(record: CampaignRecord, basis: GoldBasis, source: str = "", notes: tuple[str, ...] = ()) -> VerifiedGold:
    """What the verifiers of a campaign said of a gold list and of the reports behind it."""
    verdicts, shown = verdicts_of(record)
    return VerifiedGold(source, basis, verdicts, shown, verified(basis.gold, verdicts, shown), notes)


def verified_gold(store: Store, name: str, *, with_excluded: bool = False) -> VerifiedGold:
    """What verifiers said, joined with the source: its gold list as it was when the campaign was made."""

    def look(connection: Connection) -> FollowUpOrigin:
        row = find_campaign(connection, name)
        told = origin_of(connection, row)
        if told is None or told.kind != VERIFICATION.name:
            first = select(unit_table.c.name).where(unit_table.c.campaign_id == row.id).order_by(unit_table.c.position)
            raise NotAVerification(unit=connection.scalar(first.limit(1)) or name)
        return told

    _, source, told = store.read(look)  # before everything is read
    record = record_of(store, name, with_excluded=with_excluded)
    origin = record_of(store, source, with_excluded=with_excluded)
    basis = gold_basis(store, source, origin, question=told.get("question"), versions=told["gold"])
    notes = (*record.exclusion_notes(), *(f"of {source}: {note}" for note in origin.exclusion_notes()))
    return look_at(record, basis, source, notes)
