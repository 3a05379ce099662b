"""Test questions for managers: which there are, how people answer them, how often they come, and making more."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, File, Request, UploadFile
from fastapi.responses import Response
from pydantic import ValidationError
from sqlalchemy import Connection

from goldmark.campaigns.lifecycle import CampaignRow, find_campaign, list_campaigns
from goldmark.campaigns.settings import TestQuestions
from goldmark.campaigns.uploads import units_from_files
from goldmark.curation.testing import Wanted, add_test_questions, set_rates
from goldmark.errors import GoldmarkError, Problem, ProblemsFound
from goldmark.protocols.wording import in_words
from goldmark.quality.test_questions import PersonsTests, Tally, TestQuestion, people_tested, questions_of
from goldmark.web.api.campaigns import received
from goldmark.web.api.test_questions import recalls_found
from goldmark.web.pages.frame import NOT_FAILED, Failed, Word, failed, go, number, page
from goldmark.web.services import Services, ServicesDep
from goldmark.web.signing_in import ReadsAsCurator, SendsAsManager, Visitor

router = APIRouter(include_in_schema=False, prefix="/campaigns/{name}/test-questions")


@router.get("")
def look(name: str, request: Request, who: ReadsAsCurator, services: ServicesDep) -> Response:
    return _page(name, request, who, services)


@router.post("")
def add(
    name: str,
    request: Request,
    who: SendsAsManager,
    services: ServicesDep,
    positive: Word = "",
    negative: Word = "",
    gold: Word = "",
    curated: Word = "",
    files: Annotated[list[UploadFile] | None, File()] = None,
) -> Response:
    given = {"positive": positive, "negative": negative, "gold": gold, "curated": curated}
    try:
        rates = _rates(name, services, positive, negative)
        uploaded = received([one for one in files or () if one.filename])
        rows = units_from_files(uploaded) if uploaded else []
        wanted = Wanted(gold.strip() or None, rows, curated or None)
        add_test_questions(services.store, name, wanted, rates, author=who.name)
    except GoldmarkError as error:
        return _page(name, request, who, services, wrong=failed("add", error), given=given)
    return go(f"/campaigns/{name}/test-questions", "tests-added")


@router.post("/rates")
def change_rates(
    name: str,
    request: Request,
    who: SendsAsManager,
    services: ServicesDep,
    positive: Word = "",
    negative: Word = "",
    reason: Word = "",
) -> Response:
    try:
        rates = _rates(name, services, positive, negative)
        set_rates(services.store, name, rates, author=who.name, reason=reason.strip())
    except GoldmarkError as error:
        given = {"positive": positive, "negative": negative}
        return _page(name, request, who, services, wrong=failed("rates", error), given=given)
    return go(f"/campaigns/{name}/test-questions", "test-rates")


def _rates(name: str, services: Services, positive: str, negative: str) -> TestQuestions:
    """Rates as a form gives them, in per cent."""
    row = services.store.read(lambda connection: find_campaign(connection, name))
    before = row.settings.test_questions
    try:
        given = {"positive": _share(positive, before.positive), "negative": _share(negative, before.negative)}
        return TestQuestions.model_validate({"seed": before.seed, **given})
    except ValidationError as error:
        problems = [
            Problem(".".join(map(str, one.key)) or "rates", one.what, one.remedy, ".".join(map(str, one.key)))
            for one in in_words(error, TestQuestions)
        ]
        raise ProblemsFound(problems) from error


def _share(given: str, before: float) -> float | str:
    found = number(given) if given.strip() else before * 100
    return found if isinstance(found, str) else found / 100


def _page(
    name: str,
    request: Request,
    who: Visitor,
    services: Services,
    *,
    wrong: Failed = NOT_FAILED,
    given: dict[str, str] | None = None,
) -> Response:
    def find(connection: Connection) -> tuple[CampaignRow, list[TestQuestion], list[PersonsTests], list[str]]:
        row = find_campaign(connection, name)
        others = [one.name for one in list_campaigns(connection) if one.name != name]
        return row, questions_of(connection, row), people_tested(connection, row), others

    row, questions, people, others = services.store.read(find)
    rates = row.settings.test_questions
    shown = {"positive": f"{rates.positive:.4%}", "negative": f"{rates.negative:.4%}"}
    plain = {sign: rate.rstrip("%").rstrip("0").rstrip(".") for sign, rate in shown.items()}
    return page(
        request,
        "test_questions.html",
        who,
        wrong=wrong,
        campaign=row,
        questions=questions,
        signs={sign: sum(one.sign == sign for one in questions) for sign in ("positive", "negative")},
        people=[_told(one) for one in people],
        introduced=[(one, _in_words(Tally(one.introduced, one.found))) for one in recalls_found(services, row)],
        others=others,
        given={"gold": "", "curated": "", **plain, **(given or {})},
    )


def _told(one: PersonsTests) -> dict[str, Any]:
    return {
        "name": one.annotator,
        "id": one.annotator_id,
        "positive": _in_words(one.positive),
        "negative": _in_words(one.negative),
    }


def _in_words(tally: Tally) -> dict[str, str]:
    """A share with its interval, in words: a few questions say little, and the interval shows how little."""
    from goldmark.stats.shares import exact_interval

    if not tally.asked:
        return {"count": "none yet", "interval": ""}
    low, high, level = exact_interval(tally.right, tally.asked)
    return {
        "count": f"{tally.right} of {tally.asked}",
        "interval": f"{tally.right / tally.asked:.0%} ({level:.0%} interval {low:.0%} to {high:.0%})",
    }
