"""From a campaign's plan to an offer: how many places it needs, what one should pay, and what is wrong with it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from math import ceil
from typing import Any, NamedTuple

from pydantic import ValidationError
from sqlalchemy import Connection, select

from goldmark.campaigns.definition import conditions
from goldmark.campaigns.definition.settings import Recruit, Settings
from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.errors import GoldmarkError, Problem, ProblemsFound
from goldmark.people.connector import CONNECTORS, Connector
from goldmark.people.pay import labels_left, median_seconds
from goldmark.people.platform import Offer
from goldmark.protocols import Protocol, parse
from goldmark.protocols.loading.messages import in_words
from goldmark.store.tables import campaign, protocol

TOOK_PART, EXCLUDED = "took part", "excluded"  # lists of ours that every posting keeps
CENT = Decimal("0.01")
MOST_APPROVE_DAYS = 30


class NotRecruiting(GoldmarkError):
    code = "CROWD-50"
    message = "campaign {name!r} does not say `recruit`: on which platform, for which reward; see the documentation"


class AddressMissing(GoldmarkError):
    code = "CROWD-51"
    message = (
        "people on {platform} must be told where this server is: start it with --public https://..., set "
        "GOLDMARK_PUBLIC, or say `address` under `recruit`"
    )


class Plan(NamedTuple):
    """An offer that can be published, and for how many people."""

    offer: Offer
    places: int
    lists: Mapping[str, str]  # by what they are to us: their names on the platform
    only: tuple[str, ...]  # of these lists
    never: tuple[str, ...]
    hourly: Decimal | None  # what an hour earns, if it takes as long as it should


def connector_of(settings: Recruit) -> Connector:
    return CONNECTORS.find(settings.platform)


class RecruitMistake(NamedTuple):
    """What is wrong with what a file says of recruiting, at one of its keys."""

    key: tuple[str | int, ...]
    what: str
    remedy: str = ""


def mistakes_of(settings: Settings) -> list[RecruitMistake]:
    """Everything that is wrong, without asking the platform."""
    given = settings.recruit
    if given is None:
        return []
    platform = ("recruit", "platform")
    try:
        connector = connector_of(given)
    except GoldmarkError as error:
        return [RecruitMistake(platform, str(error))]
    if not connector.recruits:
        what = f"{given.platform} only says who people are"
        return [RecruitMistake(platform, what, "publish by hand there, and leave out `recruit`")]
    found = _option_mistakes(connector, given.options)
    if settings.batch.size is None or settings.batch.per_person != 1:
        remedy = "say batch: {size: ..., per_person: 1}"
        found.append(RecruitMistake(("batch",), "a place on a platform is one batch of one person, paid once", remedy))
    if given.start == "with the campaign" and given.budget is None:
        remedy = "say `budget`, fees included, or start: by hand"
        found.append(RecruitMistake(("recruit", "budget"), "what is published by itself needs a budget", remedy))
    if given.reward is not None and given.reward != given.reward.quantize(CENT):
        what = f"a reward of {given.reward} is no whole number of cents"
        found.append(RecruitMistake(("recruit", "reward"), what))
    if given.reward is None and settings.pay.per_unit is None and settings.pay.target_hourly is None:
        remedy = "say `reward`, or pay: {per_unit: ...}, or pay: {target_hourly: ...}"
        found.append(RecruitMistake(("recruit", "reward"), "it does not say what a place pays", remedy))
    return found


def _option_mistakes(connector: Connector, options: Mapping[str, Any]) -> list[RecruitMistake]:
    if connector.options is None:
        return []
    try:
        connector.options.model_validate(options)
    except ValidationError as error:
        return [
            RecruitMistake(("recruit", "options", *one.key), one.what, one.remedy)
            for one in in_words(error, connector.options)
        ]
    return []


def refuse_wrong(settings: Settings) -> None:
    """For what does not come from a file: each problem names the field that it is about."""
    problems = [
        Problem("recruit", one.what, one.remedy, ".".join(map(str, one.key[1:] or one.key)))
        for one in mistakes_of(settings)
    ]
    if problems:
        raise ProblemsFound(problems, consequence="nothing was published")


def plan_of(connection: Connection, name: str) -> Plan:
    """The offer that a campaign's settings and measured times make; its address and its lists are still to come."""
    row = find_campaign(connection, name)
    source = connection.execute(select(protocol.c.source).where(protocol.c.id == row.protocol_id)).scalar_one()
    asked = parse(source)
    given, minutes, offer = _offer(connection, row.name, row.title, row.settings, asked)
    hourly = None if not minutes else (Decimal(offer.reward) / 100 * 60 / Decimal(str(minutes))).quantize(CENT)
    wanted = asked.file.qualification.name if asked.file.qualification and row.settings.qualification else ""
    own = {
        TOOK_PART: f"goldmark {row.settings.join.pool or row.name}: took part",
        EXCLUDED: f"goldmark {row.settings.quality.crowd or row.name}: excluded",
        **({wanted: f"goldmark: passed {wanted}"} if wanted else {}),
    }
    named = {one: own.get(one, f"goldmark: {one}") for one in (*given.only, *given.never)}
    never = tuple(dict.fromkeys((TOOK_PART, EXCLUDED, *given.never)))
    return Plan(offer, given.places or places_needed(connection, row), own | named, given.only, never, hourly)


def offer_of(connection: Connection, name: str, title: str, settings: Settings, asked: Protocol) -> Offer:
    """What a campaign that is so offers. It adds up what people of its crowd took: not in the writer."""
    return _offer(connection, name, title, settings, asked)[2]


def _offer(
    connection: Connection, name: str, title: str, settings: Settings, asked: Protocol
) -> tuple[Recruit, float | None, Offer]:
    given = settings.recruit
    if given is None:
        raise NotRecruiting(name=name)
    refuse_wrong(settings)
    minutes = _minutes(connection, name, settings, given)
    reward = _reward(settings, given, minutes)
    offer = Offer(
        name=f"goldmark {name}",
        title=given.title or title[:128],
        description=given.description or asked.summary or title,
        keywords=given.keywords,
        address="",
        reward=reward,
        currency=settings.pay.currency,
        minutes=minutes or _guessed(reward, settings),
        minutes_allowed=given.minutes_allowed,
        days=given.days,
        # The platform pays by itself a little after we would have, so that nobody is forgotten.
        approve_days=min(MOST_APPROVE_DAYS, ceil(timedelta(hours=given.approve.after_hours) / timedelta(days=1)) + 7),
        options=dict(given.options),
    )
    return given, minutes, offer


def places_needed(connection: Connection, row: CampaignRow) -> int:
    """How many people, a batch each, the rest of the plan takes."""
    if row.settings.conditions:
        filled = conditions.places(connection, row)
        if all(one.places is not None for one, _ in filled):
            return sum(max(0, (one.places or 0) - taken) for one, taken in filled)
    labels, tests = labels_left(connection, row)
    return ceil((labels + tests) / (row.settings.batch.size or 1))


def labels_of_a_place(settings: Settings) -> float:
    """How many labels somebody's batch brings; the rest of it are test questions."""
    tests = settings.test_questions.positive + settings.test_questions.negative
    return max(1.0, (settings.batch.size or 1) * (1 - tests))


def _minutes(connection: Connection, name: str, settings: Settings, given: Recruit) -> float | None:
    """What a batch takes: as the file says, or as people took so far, here or elsewhere in the crowd."""
    if given.minutes is not None:
        return given.minutes
    crowd = settings.quality.crowd
    family = select(campaign.c.id).where((campaign.c.name == name) | ((campaign.c.crowd == crowd) & (crowd != "")))
    median = median_seconds(connection, connection.execute(family).scalars().all())
    return None if median is None else median * (settings.batch.size or 1) / 60


def _reward(settings: Settings, given: Recruit, minutes: float | None) -> int:
    if given.reward is not None:
        return int(given.reward * 100)
    if settings.pay.per_unit is not None:
        return ceil(Decimal(str(settings.pay.per_unit)) * 100 * (settings.batch.size or 1))
    if minutes is None:
        remedy = "say `minutes`, or `reward`; later batches use what was measured"
        raise ProblemsFound([Problem("recruit", "nobody knows yet how long a batch takes", remedy, "minutes")])
    return ceil(Decimal(str(settings.pay.target_hourly)) * 100 * Decimal(str(minutes)) / 60)


def _guessed(reward: int, settings: Settings) -> float:
    """Where nothing was measured: the time for which the reward is what an hour should earn."""
    hourly = settings.pay.target_hourly or 12.0
    return max(1.0, round(reward / 100 / hourly * 60, 1))


def base_address(given: Recruit, base: str = "") -> str:
    """Where people reach this server."""
    found = given.address or base or os.environ.get("GOLDMARK_PUBLIC", "")
    if not found:
        raise AddressMissing(platform=given.platform)
    return found.rstrip("/")
