"""A study on a crowd platform: a place is one participant, who gets what the study pays."""

from __future__ import annotations

import re
from decimal import Decimal

from goldmark.campaigns.definition.settings import Batch, Pay, Recruit, Settings
from goldmark.recruiting.offering import offers
from goldmark.recruiting.offering.offers import RecruitMistake
from goldmark.studies.design.language import StudyFile


def pay_of(file: StudyFile) -> Pay:
    """The wage that the study pays if it takes as long as planned; who takes longer is owed the rest."""
    given = file.pay
    if given is None or not re.fullmatch("[A-Z]{3}", given.currency):  # points and vouchers are the study's own
        return Pay()
    hourly = given.each * 60 / given.minutes if given.minutes and given.each else None
    return Pay(currency=given.currency, target_hourly=hourly)


def recruit_of(file: StudyFile) -> Recruit | None:
    """How the study is put on a crowd platform: a place is one participant, who gets what the study pays."""
    given = file.recruit
    if given is None or file.pay is None:
        return given
    own = {"reward": given.reward or Decimal(str(file.pay.each)), "minutes": given.minutes or file.pay.minutes}
    return given.model_copy(update=own)


def recruit_mistakes(file: StudyFile) -> list[RecruitMistake]:
    """What is wrong with `recruit` in a study's file."""
    batch = Batch(size=file.per_participant.texts, per_person=1)
    return offers.mistakes_of(Settings(batch=batch, pay=pay_of(file), recruit=recruit_of(file)))
