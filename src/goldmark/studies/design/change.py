"""A study that nobody has begun can still be another: its texts and its protocol stay, everything else is written anew.

From the first person on, the plan is what they took part in. Then only what is no part of the plan can change, as the
settings of its campaign.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, exists, select, update

from goldmark.campaigns.definition.settings import Settings
from goldmark.campaigns.lifecycle import CampaignRow, find_campaign, places
from goldmark.campaigns.transfer.export import record_of
from goldmark.errors import Conflict
from goldmark.jobs import Running, owed, register
from goldmark.people.annotators import PLACING
from goldmark.protocols.responses import protocol_of
from goldmark.records.campaigns import CampaignRecord
from goldmark.records.units import sign_of
from goldmark.store import Store
from goldmark.store.pieces import InPieces
from goldmark.store.tables import annotator, campaign, unit, unit_secret
from goldmark.studies.design.create import (
    CHANGED,
    in_strata,
    settings_of,
    source_of_study,
    study_in,
    write_down,
    written_in,
)
from goldmark.studies.design.file import Study, StudyWithTexts, reread_study
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
    """Another text for a study that nobody has begun; all that is wrong is named, and then nothing is changed.

    The plan is another at once. Its texts come into their strata some at a time, and until all have nobody can join. If
    the server is killed meanwhile, a worker goes on with it.
    """
    record = record_of(store, name)
    made = _reread(record, name, source)
    study, digest = made.study, digest_of(made.study.file, made.study.protocol)
    decided = settings_of(study, made.units)  # which looks through all texts

    def change(connection: Connection) -> int:
        row = find_campaign(connection, name, hold=True)
        if has_begun(connection, name):
            raise StudyHasBegun(name=name)
        settings = _settings(row.settings, decided)
        values = {"title": study.title, "settings": settings.model_dump_json()}
        connection.execute(update(campaign).where(campaign.c.id == row.id).values(**values))
        write_down(connection, row, study, digest, CHANGED, author=author, reason=reason)
        return owed.owe(connection, PLACING, {"study": name}, author=author, subject=name, campaign_id=row.id)

    owing = store.write(change)
    _place(store, name, made)
    store.write(lambda connection: owed.done(connection, owing))
    return study


@register(PLACING)
def _go_on_placing(running: Running) -> None:
    name = running.arguments["study"]
    record = record_of(running.store, name)
    told = written_in(record)
    if told is not None:  # it is owed with what is told
        _place(running.store, name, _reread(record, name, str(told.facts["source"])))


def _reread(record: CampaignRecord, name: str, source: str) -> StudyWithTexts:
    """What a text makes of a study's protocol and texts, which stay."""
    texts = [one for one in record.units if sign_of(one.hidden) is None]  # without test questions
    return reread_study(source, protocol_of(record), texts, name=name, seed=study_in(record).file.seed)


def _settings(kept: Settings, decided: Settings) -> Settings:
    join = kept.join.model_copy(update={"pool": decided.join.pool, "identified": decided.join.identified})
    return kept.model_copy(update={"join": join, **{key: getattr(decided, key) for key in DECIDED}})


class _Placed(NamedTuple):
    """A text where it is to be."""

    number: int
    stratum: str
    labels: int
    facts: dict[str, Any]


def _place(store: Store, name: str, made: StudyWithTexts) -> None:
    """Every text into the stratum, and with the number of labels, that it now has: those that are elsewhere."""
    row = store.read(lambda connection: find_campaign(connection, name))
    settings = _settings(row.settings, settings_of(made.study, made.units))
    placed = {one.id: one for one in in_strata(made)}

    def elsewhere(connection: Connection) -> list[_Placed]:
        there = (
            select(unit.c.id, unit.c.name, unit.c.stratum, unit.c.wanted, unit_secret.c.facts)
            .join(unit_secret, unit_secret.c.unit_id == unit.c.id)
            .where(unit.c.campaign_id == row.id, unit.c.counts)
        )
        wanted = []
        for number, text, *is_now in connection.execute(there):
            one = placed[text]
            to_be = _Placed(number, str(one.hidden["stratum"]), places(one, settings), dict(one.hidden))
            if is_now != list(to_be[1:]):
                wanted.append(to_be)
        return wanted

    def move(connection: Connection, some: Sequence[_Placed]) -> None:
        find_campaign(connection, name, hold=True)  # whoever changes the study waits, and then sees these moved
        if source_of_study(connection, row) != made.study.source:
            raise _ChangedAgain
        rows = [{"here": one.number, "in": one.stratum, "labels": one.labels} for one in some]
        placing = update(unit).values(stratum=bindparam("in"), wanted=bindparam("labels"))
        connection.execute(placing.where(unit.c.id == bindparam("here")), rows)
        facts = [{"here": one.number, "said": one.facts} for one in some]
        saying = update(unit_secret).values(facts=bindparam("said"))
        connection.execute(saying.where(unit_secret.c.unit_id == bindparam("here")), facts)

    with suppress(_ChangedAgain):  # whoever did so places all of them
        InPieces(store).each(store.read(elsewhere), move)


class _ChangedAgain(Exception):
    """The study is another one by now."""
