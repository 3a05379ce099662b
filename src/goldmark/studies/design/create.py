"""From a checked study to its campaign: every text in its stratum, every cell a condition."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, insert, select

from goldmark.accounts.links import SignedLinks
from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.campaigns.definition.file import CampaignPlan
from goldmark.campaigns.definition.settings import Batch, ConditionPart, Join, Order, Settings
from goldmark.campaigns.definition.units.needed_context import MissingContext
from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.errors import Conflict
from goldmark.people.invitations import OpenedCampaign, open_campaign
from goldmark.protocols.responses import protocol_of
from goldmark.records.campaigns import CampaignRecord, EventRecord
from goldmark.records.units import Unit
from goldmark.store import Store, events
from goldmark.store.tables import event, study_plan
from goldmark.studies.design.cells import Cell, cells_of, facts_of, filled_in, shares, stratum_of
from goldmark.studies.design.checks import homes_of
from goldmark.studies.design.file import Study, StudyWithTexts, parse_study
from goldmark.studies.design.language import StudyFile
from goldmark.studies.design.plan import digest_of
from goldmark.studies.design.recruit import pay_of, recruit_of

CREATED = "study created"
CHANGED = "study changed"  # before anybody took part
WRITTEN = (CREATED, CHANGED)  # events that hold the study; the last of them counts


class NotAStudy(Conflict):
    code = "STUDY-04"
    message = "campaign {name!r} was not made by a study; make one with: goldmark study create study.yaml"


@dataclass(frozen=True, slots=True)
class PlanRecord:
    """When which analysis plan was written down."""

    digest: str
    author: str
    at: datetime
    created: bool  # with the campaign; otherwise only planned


def create_study(store: Store, links: SignedLinks, made: StudyWithTexts, *, author: str) -> OpenedCampaign:
    """The study's campaign. It still has to be started."""
    study = made.study
    units = in_strata(made)
    missing = MissingContext(study.protocol, units).warnings()
    plan = CampaignPlan(study.name, study.title, study.protocol, settings_of(study, made.units), units, missing)
    digest = digest_of(study.file, study.protocol)

    def note(connection: Connection, row: CampaignRow) -> None:
        write_down(connection, row, study, digest, CREATED, author=author)

    return open_campaign(store, links, plan, author=author, noting=note)


def write_down(
    connection: Connection, row: CampaignRow, study: Study, digest: str, kind: str, *, author: str, reason: str = ""
) -> None:
    """The study in its campaign's history, with which it travels in every export; and its plan among all plans."""
    _keep(connection, study, digest, author, row.id)
    facts = {"study": study.name, "digest": digest, "source": study.source}
    events.record(connection, row.id, author=author, kind=kind, subject=study.name, reason=reason, facts=facts)


def keep_plan(store: Store, study: Study, *, author: str) -> str:
    """Write the plan down, now; returns its digest. The same plan is written down once."""
    digest = digest_of(study.file, study.protocol)

    def keep(connection: Connection) -> None:
        known = connection.execute(
            select(study_plan.c.id).where(study_plan.c.study == study.name, study_plan.c.digest == digest)
        ).first()
        if known is None:
            _keep(connection, study, digest, author, None)

    store.write(keep)
    return digest


def _keep(connection: Connection, study: Study, digest: str, author: str, campaign_id: int | None) -> None:
    connection.execute(
        insert(study_plan).values(
            study=study.name,
            campaign_id=campaign_id,
            digest=digest,
            source=study.source,
            author=author,
            at=datetime.now(UTC),
        )
    )


def plans_of(connection: Connection, study: str) -> list[PlanRecord]:
    """Every time that this study was planned or made, the oldest first."""
    rows = connection.execute(select(study_plan).where(study_plan.c.study == study).order_by(study_plan.c.id))
    return [PlanRecord(row.digest, row.author, row.at, row.campaign_id is not None) for row in rows]


def is_study(connection: Connection, row: CampaignRow) -> bool:
    return _told(connection, row) is not None


def refuse_other(connection: Connection, row: CampaignRow) -> None:
    """Whoever wants a study's figures is refused here, before anything is read of a campaign that is none."""
    if not is_study(connection, row):
        raise NotAStudy(name=row.name)


def _told(connection: Connection, row: CampaignRow) -> dict[str, Any] | None:
    """What a campaign's history says of its study; it does so in an imported campaign too."""
    query = select(event.c.facts).where(event.c.campaign_id == row.id, event.c.kind.in_(WRITTEN))
    found: dict[str, Any] | None = connection.execute(query.order_by(event.c.id.desc())).scalar()
    return found


def source_of_study(connection: Connection, row: CampaignRow) -> str:
    """The file of a campaign's study as it holds now; empty where there is none."""
    told = _told(connection, row)
    return "" if told is None else str(told["source"])


def written_in(record: CampaignRecord) -> EventRecord | None:
    """Where a campaign's history says what its study is: as it was created, or changed before it began."""
    return next((event for event in reversed(record.events) if event.kind in WRITTEN), None)


def study_of(connection: Connection, row: CampaignRow, content: ContentCache) -> Study:
    """The study of a campaign as it holds now; none of its answers is read."""
    told = _told(connection, row)
    if told is None:
        raise NotAStudy(name=row.name)
    return parse_study(str(told["source"]), content.protocol(row.protocol_id))


def study_in(record: CampaignRecord) -> Study:
    """The study in an exported campaign, from its own history."""
    told = written_in(record)
    if told is None:
        raise NotAStudy(name=record.settings.get("campaign", ""))
    return parse_study(str(told.facts["source"]), protocol_of(record))


def settings_of(study: Study, units: tuple[Unit, ...]) -> Settings:
    """The campaign's settings: one batch a person, answers that stay, places by condition."""
    file = study.file
    return Settings(
        labels_per_unit=max(labels_needed(file, units).values()),
        batch=Batch(size=file.per_participant.texts, per_person=1),
        order=Order(seed=file.seed, one_version_per_item=True),
        lease_minutes=file.lease_minutes,
        language=file.language,
        consent=file.consent,
        join=Join(pool=file.family, identified=file.identified),
        editing=False,
        conditions=tuple(condition_of(file, cell) for cell in cells_of(file)),
        pay=pay_of(file),
        recruit=recruit_of(file),
    )


def condition_of(file: StudyFile, cell: Cell) -> ConditionPart:
    mix = {stratum_of(file, group, cell.levels): weight for group, weight in file.per_participant.mix.items()}
    training = file.training
    kit = filled_in(training.kits[cell.levels[training.factor]], cell.levels) if training else None
    return ConditionPart(name=cell.name, factors=dict(cell.levels), training=kit, places=file.participants, mix=mix)


def labels_needed(file: StudyFile, units: tuple[Unit, ...]) -> dict[str, int]:
    """Labels that each stratum's texts need, and one to spare: who reads at the end must still find new texts.

    Every cell deals its texts out evenly by itself, so what does not come out even is rounded up for each.
    """
    strata = _strata(file)
    texts = dict.fromkeys(strata, 0)
    for unit in units:
        for stratum in homes_of(unit, strata):
            texts[stratum] += 1
    labels = dict.fromkeys(strata, 1)
    for cell in cells_of(file):
        for group, share in shares(file).items():
            stratum = stratum_of(file, group, cell.levels)
            labels[stratum] += math.ceil(file.participants * share / texts[stratum])
    return labels


def in_strata(made: StudyWithTexts) -> tuple[Unit, ...]:
    """The texts, each with its stratum and how many labels it needs among its hidden facts."""
    strata, wanted = _strata(made.study.file), labels_needed(made.study.file, made.units)
    placed = ((unit, homes_of(unit, strata)[0]) for unit in made.units)
    return tuple(
        replace(unit, hidden={**unit.hidden, "stratum": stratum, "labels_wanted": wanted[stratum]})
        for unit, stratum in placed
    )


def _strata(file: StudyFile) -> dict[str, dict[str, str]]:
    return {
        stratum_of(file, group, cell.levels): facts_of(file, group, cell.levels)
        for cell in cells_of(file)
        for group in file.groups
    }
