"""Test questions for managers: which there are, how people answer them, how often they come, and making more."""

from __future__ import annotations

from typing import Any

from fastapi.responses import Response

from goldmark.campaigns.definition.settings import TestQuestions
from goldmark.campaigns.definition.uploads import units_from_files
from goldmark.campaigns.lifecycle import list_campaigns
from goldmark.quality.test_questions import PersonsTests, SignTally
from goldmark.records.figures import Figure
from goldmark.web.api.campaigns import test_questions as calls
from goldmark.web.api.listing import FROM_THE_START, Listed
from goldmark.web.pages.forms import checked, refusable, share
from goldmark.web.pages.frame import NOT_FAILED, Wrong, go, page
from goldmark.web.pages.router import Pages
from goldmark.web.sign_in import ReadsAsCurator, SendsAsManager
from goldmark.web.visits import Visit

router = Pages("/campaigns/{name}/test-questions")


@router.get("")
def look(visit: ReadsAsCurator, name: str, listed: Listed = FROM_THE_START, *, wrong: Wrong = NOT_FAILED) -> Response:
    made = calls.counted(visit, name)
    row, found = made.campaign, made.found
    some = calls.TestLists.of(found, listed)
    others = [one.name for one in visit.read(list_campaigns) if one.name != name]
    rates = found.rates
    blank = {
        "gold": "",
        "curated": "",
        "positive": f"{100 * rates.positive:g}",
        "negative": f"{100 * rates.negative:g}",
    }
    return page(
        visit,
        "test_questions.html",
        wrong=wrong,
        campaign=row,
        as_of=made.as_of,
        search=listed.search,
        questions=some.questions,
        longest=some.longest,
        signs={sign: sum(one.sign == sign for one in found.questions) for sign in ("positive", "negative")},
        people=[_told(one) for one in some.people.items],
        introduced=[(one, _share(one.found, one.introduced, one.share)) for one in some.introduced.items],
        others=others,
        given={**blank, **wrong.given},
    )


@router.post("")
@refusable("add", look)
def add(visit: SendsAsManager, name: str) -> Response:
    made_of = {key: visit.given.get(key, "").strip() or None for key in ("gold", "curated")}
    body = checked(calls.TestsIn, {"rates": _rates(visit, name), **made_of})
    calls.added(visit, name, body, units_from_files(visit.uploads) if visit.uploads else [])
    return go(f"/campaigns/{name}/test-questions", "tests-added")


@router.post("/rates")
@refusable("rates", look)
def change_rates(visit: SendsAsManager, name: str) -> Response:
    reason = visit.given.get("reason", "").strip()
    calls.change_rates(visit, name, checked(calls.RatesIn, {"rates": _rates(visit, name), "reason": reason}))
    return go(f"/campaigns/{name}/test-questions", "test-rates")


def _rates(visit: Visit, name: str) -> TestQuestions:
    """Rates as a form gives them, in per cent; a field that is empty changes nothing."""
    before = visit.campaign(name).settings.test_questions.model_dump()
    given = {sign: visit.given.get(sign, "") for sign in ("positive", "negative")}
    return checked(TestQuestions, before | {sign: share(rate) for sign, rate in given.items() if rate.strip()})


def _told(one: PersonsTests) -> dict[str, Any]:
    return {
        "name": one.annotator,
        "id": one.annotator_id,
        "positive": _in_words(one.positive),
        "negative": _in_words(one.negative),
    }


def _in_words(tally: SignTally) -> dict[str, str]:
    """One person's share of separate questions with its interval: a few say little, and it shows how little."""
    from goldmark.stats.inference.proportions import exact_interval

    if not tally.asked:
        return {"count": "none yet", "interval": ""}
    share = Figure(tally.right / tally.asked, exact_interval(tally.right, tally.asked))
    return _share(tally.right, tally.asked, share)


def _share(hits: int, of: int, share: Figure) -> dict[str, str]:
    said = "" if share.value is None else f"{share.value:.0%}"
    if share.interval is not None:
        low, high, level = share.interval
        said += f" ({level:.0%} interval {low:.0%} to {high:.0%})"
    return {"count": f"{hits} of {of}", "interval": said}
