"""Sample campaigns into a database, with the sample annotators' finished work already in them."""

from __future__ import annotations

from datetime import datetime, timedelta

from goldmark.campaigns.definition.file import CampaignPlan, read_campaign
from goldmark.campaigns.definition.units.unit_order import place_of
from goldmark.campaigns.lifecycle import CampaignRow, list_campaigns
from goldmark.campaigns.transfer.restore import restore
from goldmark.records.campaigns import (
    AnnotatorRecord,
    AssignmentRecord,
    CampaignRecord,
    EventRecord,
    ProtocolRecord,
    ResponseRecord,
)
from goldmark.samples import Sample, samples
from goldmark.store import Store

AUTHOR = "Goldmark samples"
PAUSE = timedelta(seconds=20)  # between one text and the next


def fill(store: Store, *, now: datetime) -> list[CampaignRow]:
    """Every sample that is not in the database yet; what is there stays as people left it."""
    known = {row.name for row in store.read(list_campaigns)}
    for sample in samples():
        plan = read_campaign(sample.campaign)
        if plan.name not in known:
            restore(store, record_of_sample(sample, plan, now), author=AUTHOR)
    return [row for row in store.read(list_campaigns) if row.name.startswith("sample-")]


def record_of_sample(sample: Sample, plan: CampaignPlan, now: datetime) -> CampaignRecord:
    """The sample as a campaign that started yesterday, its three annotators working one after the other."""
    started = now - timedelta(days=1)
    people: dict[str, datetime] = {}
    assignments, responses = [], []
    for number, one in enumerate(sample.annotations()):
        claimed = people.get(one.annotator, started + timedelta(hours=len(people))) + PAUSE
        finished = claimed + timedelta(seconds=one.seconds)
        people[one.annotator] = finished
        assignments.append(AssignmentRecord(one.unit, one.annotator, "done", claimed, finished))
        responses.append(
            ResponseRecord(
                unit=one.unit,
                annotator=one.annotator,
                revision=1,
                final=True,
                answers=one.answers,
                protocol=plan.protocol.id,
                client_key=f"sample-{number:08}",
                client_time=finished,
                server_time=finished,
                seconds_active=one.seconds,
            )
        )
    return CampaignRecord(
        settings={
            "campaign": plan.name,
            "title": plan.title,
            "state": "running",
            "created_at": started.isoformat(),
            **plan.settings.model_dump(mode="json"),
        },
        protocol=plan.protocol.id,
        protocols=(ProtocolRecord(plan.protocol.name, plan.protocol.version, plan.protocol.source),),
        units=tuple(sorted(plan.units, key=lambda unit: place_of(plan.settings.order.seed, unit.id))),
        annotators=tuple(
            AnnotatorRecord(name, "active", started, {"consented_at": started.isoformat()}) for name in people
        ),
        assignments=tuple(assignments),
        responses=tuple(responses),
        events=(EventRecord(started, AUTHOR, "campaign started", plan.name),),
    )
