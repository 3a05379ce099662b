"""Test questions: which there are and what is right in them, how people answer them, how often they come, and more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter
from pydantic import Field
from sqlalchemy import Connection

from goldmark.campaigns.lifecycle import CampaignRow, find_campaign
from goldmark.campaigns.settings import TestQuestions
from goldmark.campaigns.uploads import units_from_rows
from goldmark.curation.testing import Wanted, add_test_questions, set_rates
from goldmark.quality.test_questions import PersonsTests, TestQuestion, people_tested, questions_of
from goldmark.records.units import Sign
from goldmark.web.api import shapes
from goldmark.web.api.campaigns import MOST_ROWS
from goldmark.web.api.inputs import CampaignName, In, Out, Words
from goldmark.web.services import Services, ServicesDep
from goldmark.web.signing_in import CallsAsCurator, CallsAsManager

if TYPE_CHECKING:
    from goldmark.quality.introduced import Recall

router = APIRouter(prefix="/api/v1/campaigns/{name}/test-questions", tags=["test questions"], responses=shapes.FAILURES)

ShortName = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00]*$")]


class TallyOut(Out):
    asked: int
    right: int


class QuestionOut(Out):
    id: int
    name: str
    sign: Sign
    preview: str
    expected: dict[str, Any]
    answered: TallyOut


class PersonOut(Out):
    annotator_id: int
    annotator: str
    positive: TallyOut
    negative: TallyOut


class RecallOut(Out):
    """How many of the errors that were introduced into texts somebody found; `annotator` is empty for everybody."""

    annotator: str
    texts: int
    introduced: int
    found: int
    recall: float | None
    low: float | None
    high: float | None
    by_label: dict[str, tuple[int, int]] = Field(description="Found and introduced, by kind of error.")


class TestsOut(Out):
    rates: TestQuestions
    questions: list[QuestionOut]
    people: list[PersonOut]
    introduced: list[RecallOut] = Field(description="Empty unless texts of the campaign have introduced errors.")


class TestsIn(In):
    """What test questions are to be made of, and how often they come from then on."""

    rates: TestQuestions
    gold: ShortName | None = Field(default=None, description="The column of the texts that holds a gold output.")
    rows: list[dict[str, Any]] = Field(
        default=[], max_length=MOST_ROWS, description="Gold outputs by item, or rows with `test` and `expected`."
    )
    curated: ShortName | None = Field(
        default=None, description="A campaign with finished gold lists; its texts become test questions."
    )
    expected: dict[Sign, dict[str, Any]] = Field(default={}, description="What is right in those that do not say.")
    tokeniser: str = Field(default="rules", max_length=40)
    sentences: str = Field(default="rules", max_length=40)


class RatesIn(In):
    rates: TestQuestions
    reason: Words = ""


class TestsAdded(Out):
    added: int


@router.get("")
def look(name: CampaignName, who: CallsAsCurator, services: ServicesDep) -> TestsOut:
    """All test questions of a campaign, and how everybody answered them. Annotators are told of none of this."""

    def find(connection: Connection) -> tuple[CampaignRow, list[TestQuestion], list[PersonsTests]]:
        row = find_campaign(connection, name)
        return row, questions_of(connection, row), people_tested(connection, row)

    row, questions, people = services.store.read(find)
    found = recalls_found(services, row)
    return TestsOut(
        rates=row.settings.test_questions,
        questions=[QuestionOut.model_validate(one) for one in questions],
        people=[PersonOut.model_validate(one) for one in people],
        introduced=[
            RecallOut(
                **{key: value for key, value in one._asdict().items() if key != "share"},
                recall=one.share.value,
                low=one.share.interval.low if one.share.interval else None,
                high=one.share.interval.high if one.share.interval else None,
            )
            for one in found
        ],
    )


def recalls_found(services: Services, row: CampaignRow) -> list[Recall]:
    """Who found how many of the errors that were introduced into texts of this campaign."""
    from goldmark.quality.introduced import recalls_in

    protocol = services.library.protocol(row.protocol_id)
    return services.store.read(lambda connection: recalls_in(connection, row, protocol))


@router.post("", status_code=201)
def add(name: CampaignName, body: TestsIn, who: CallsAsManager, services: ServicesDep) -> TestsAdded:
    """Add test questions, also while the campaign runs: all of them or, if anything is wrong, none."""
    rows = units_from_rows(body.rows, tokeniser=body.tokeniser, sentences=body.sentences) if body.rows else []
    wanted = Wanted(body.gold, rows, body.curated, body.expected)
    return TestsAdded(added=add_test_questions(services.store, name, wanted, body.rates, author=who.name))


@router.put("/rates")
def change_rates(name: CampaignName, body: RatesIn, who: CallsAsManager, services: ServicesDep) -> TestQuestions:
    """How often test questions come from now on; at 0 none comes any more."""
    set_rates(services.store, name, body.rates, author=who.name, reason=body.reason)
    return body.rates
