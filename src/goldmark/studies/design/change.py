"""A study that nobody has begun can still be another: its texts and its protocol stay, everything else is written anew.

From the first person on, the plan is what they took part in. Then only what is no part of the plan can change, as the
settings of its campaign.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, bindparam, exists, select, update

from goldmark.campaigns.definition.settings import Settings
from goldmark.campaigns.lifecycle import CampaignRow, find_campaign, places
from goldmark.campaigns.transfer.export import record_of
from goldmark.errors import Conflict
from goldmark.protocols.responses import protocol_of
from goldmark.records.units import Unit, sign_of
from goldmark.store import Store
from goldmark.store.tables import annotator, campaign, unit, unit_secret
from goldmark.studies.design.create import CHANGED, in_strata, settings_of, study_in, write_down
from goldmark.studies.design.file import Study, reread_study
from goldmark.studies.design.plan import digest_of

# What a study decides of its campaign's settings; anything else is as somebody set it there.
DECIDED = ("labels_per_unit", "batch", "order", "lease_minutes", "language", "consent", "conditions", "pay", "recruit")


class StudyHasBegun(Conflict):
    code = "STUDY-09"
    message = (
        "somebody has joined {name!r}, so its plan stays as it is; title, consent, language and pay can still be "
        "changed with the settings of its campaign"
    )


def has_begun(connection: Connection, name: str) -> bool:
    """Whether anybody was drawn for a cell already."""
    row = find_campaign(connection, name)
    return bool(connection.execute(select(exists().where(annotator.c.campaign_id == row.id))).scalar())


def hidden_facts(connection: Connection, row: CampaignRow) -> list[Mapping[str, Any]]:
    """What every text of a study says of itself."""
    of_texts = select(unit_secret.c.facts).join(unit).where(unit.c.campaign_id == row.id).order_by(unit.c.position)
    return list(connection.execute(of_texts).scalars())


def change_study(store: Store, name: str, source: str, *, author: str, reason: str = "") -> Study:
    """Another text for a study that nobody has begun; all that is wrong is named, and then nothing is changed."""
    record = record_of(store, name)
    before = study_in(record)
    texts = [one for one in record.units if sign_of(one.hidden) is None]  # without test questions
    made = reread_study(source, protocol_of(record), texts, name=name, seed=before.file.seed)
    study, digest = made.study, digest_of(made.study.file, made.study.protocol)
    placed = {one.id: one for one in in_strata(made)}

    def change(connection: Connection) -> None:
        row = find_campaign(connection, name, hold=True)
        if has_begun(connection, name):
            raise StudyHasBegun(name=name)
        settings = _settings(row.settings, settings_of(study, made.units))
        values = {"title": study.title, "settings": settings.model_dump_json()}
        connection.execute(update(campaign).where(campaign.c.id == row.id).values(**values))
        _place(connection, row.id, settings, placed)
        write_down(connection, row, study, digest, CHANGED, author=author, reason=reason)

    store.write(change)
    return study


def _settings(kept: Settings, decided: Settings) -> Settings:
    join = kept.join.model_copy(update={"pool": decided.join.pool, "identified": decided.join.identified})
    return kept.model_copy(update={"join": join, **{key: getattr(decided, key) for key in DECIDED}})


def _place(connection: Connection, campaign_id: int, settings: Settings, placed: Mapping[str, Unit]) -> None:
    """Every text into the stratum, and with the number of labels, that it now has."""
    ids = connection.execute(select(unit.c.id, unit.c.name).where(unit.c.campaign_id == campaign_id, unit.c.counts))
    found = [(number, placed[name]) for number, name in ids]
    rows = [{"here": number, "in": one.hidden["stratum"], "labels": places(one, settings)} for number, one in found]
    placing = update(unit).values(stratum=bindparam("in"), wanted=bindparam("labels"))
    connection.execute(placing.where(unit.c.id == bindparam("here")), rows)
    facts = [{"here": number, "said": dict(one.hidden)} for number, one in found]
    saying = update(unit_secret).values(facts=bindparam("said"))
    connection.execute(saying.where(unit_secret.c.unit_id == bindparam("here")), facts)
