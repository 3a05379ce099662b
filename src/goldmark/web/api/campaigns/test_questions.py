"""Test questions: which there are and what is right in them, how people answer them, how often they come, and more."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from pydantic import Field

from goldmark.campaigns.definition.settings import TestQuestions
from goldmark.campaigns.definition.uploads import units_from_rows
from goldmark.campaigns.pages import Page
from goldmark.curation.test_questions import QuestionRequest, add_test_questions, set_rates
from goldmark.quality.introduced_errors import Recall
from goldmark.quality.test_questions import CampaignTests, PersonsTests, TestQuestion
from goldmark.records.units import Sign, Unit
from goldmark.web.api.calls import Calls
from goldmark.web.api.campaigns.campaigns import MOST_ROWS
from goldmark.web.api.figures import AsOf, FigureOut
from goldmark.web.api.inputs import CampaignName, In, Out, PageOut, Words, page_of
from goldmark.web.api.listing import Listed, Listing
from goldmark.web.computing import computed
from goldmark.web.computing.computing import Computed
from goldmark.web.sign_in import CallsAsCurator, CallsAsManager
from goldmark.web.visits import Visit

router = Calls("/api/v1/campaigns/{name}/test-questions", "test questions")

ShortName = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00]*$")]


class RecallOut(Out):
    """How many of the errors that were introduced into texts somebody found; `annotator` is empty for everybody."""

    annotator: str
    texts: int
    introduced: int
    found: int
    share: FigureOut
    by_label: dict[str, tuple[int, int]] = Field(description="Found and introduced, by kind of error.")


class TestsOut(PageOut):
    """The page is one of each list; `total` is how long the longest is."""

    rates: TestQuestions
    questions: list[TestQuestion]
    people: list[PersonsTests]
    introduced: list[RecallOut] = Field(description="Empty unless texts of the campaign have introduced errors.")
    as_of: AsOf


class TestLists(NamedTuple):
    """The same page of every list."""

    questions: Page[TestQuestion]
    people: Page[PersonsTests]
    introduced: Page[Recall]

    @classmethod
    def of(cls, found: CampaignTests, listed: Listing) -> TestLists:
        return cls(
            listed.of(found.questions, lambda one: one.name),
            listed.of(found.people, lambda one: one.annotator),
            listed.of(found.introduced, lambda one: one.annotator),
        )

    @property
    def longest(self) -> Page[Any]:
        return max(self, key=lambda one: one.total)


class RatesIn(In):
    rates: TestQuestions
    reason: Words = ""


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


class TestsAdded(Out):
    added: int


@router.get("", response_model=TestsOut)
def look(visit: CallsAsCurator, name: CampaignName, listed: Listed) -> dict[str, Any]:
    """All test questions of a campaign, and how everybody answered them. Annotators are told of none of this."""
    made = counted(visit, name)
    some = TestLists.of(made.found, listed)
    lists = {key: part.items for key, part in some._asdict().items()}
    return {"rates": made.found.rates, **page_of(some.longest), **lists, "as_of": made.as_of}


def counted(visit: Visit, name: str) -> Computed[CampaignTests]:
    return visit.services.computing.of(name, computed.tests)


@router.post("", status_code=201)
def add(visit: CallsAsManager, name: CampaignName, body: TestsIn) -> TestsAdded:
    """Add test questions, also while the campaign runs: all of them or, if anything is wrong, none."""
    rows = units_from_rows(body.rows, tokeniser=body.tokeniser, sentences=body.sentences) if body.rows else []
    return added(visit, name, body, rows)


def added(visit: Visit, name: str, body: TestsIn, rows: list[Unit]) -> TestsAdded:
    wanted = QuestionRequest(body.gold, rows, body.curated, body.expected)
    return TestsAdded(added=add_test_questions(visit.store, name, wanted, body.rates, author=visit.name))


@router.put("/rates")
def change_rates(visit: CallsAsManager, name: CampaignName, body: RatesIn) -> TestQuestions:
    """How often test questions come from now on; at 0 none comes any more."""
    set_rates(visit.store, name, body.rates, author=visit.name, reason=body.reason)
    return body.rates
