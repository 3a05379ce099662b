"""A campaign on a crowd platform: the cost before anything is published, how it stands, decisions, bonuses, books."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import yaml
from fastapi.responses import Response

from goldmark.campaigns.definition.settings import Recruit
from goldmark.errors import GoldmarkError, Problem, ProblemsFound
from goldmark.people.connector import CONNECTORS
from goldmark.people.platform import Verb
from goldmark.protocols.loading.yaml_reader import YamlNotReadable
from goldmark.protocols.loading.yaml_reader import read as read_yaml
from goldmark.recruiting.offering import publish
from goldmark.recruiting.offering.offers import refuse_wrong
from goldmark.recruiting.offering.overview import Overview, overview
from goldmark.recruiting.offering.postings import open_platform
from goldmark.recruiting.paying import ledger
from goldmark.recruiting.paying.reconcile import reconcile
from goldmark.recruiting.visiting.sessions import of_posting
from goldmark.web.api.people import crowd as calls
from goldmark.web.api.people.crowd_shapes import in_money
from goldmark.web.pages.campaigns.settings import keep
from goldmark.web.pages.forms import checked, fields_of, filled, posts, refusable
from goldmark.web.pages.frame import NOT_FAILED, FailedForm, Wrong, failed, go, page
from goldmark.web.pages.router import Pages
from goldmark.web.sign_in import ReadsAsManager, SendsAsManager
from goldmark.web.visits import Visit

router = Pages("/campaigns/{name}/crowd")

HERE = "/campaigns/{name}/crowd"
MOST_ENTRIES = 100
BLANK = Recruit(platform="mturk")


def _page(visit: Visit, name: str, order: object = None, *, wrong: FailedForm = NOT_FAILED) -> Response:
    row = visit.campaign(name)
    found = visit.look_into(name, overview)
    given = row.settings.recruit
    fields = fields_of(given or BLANK)
    options = yaml.safe_dump(given.options, sort_keys=False, allow_unicode=True) if given and given.options else ""
    entries, people = [], []
    if found is not None:
        entries = visit.read(lambda open_: ledger.entries(open_, found.posting.id, most=MOST_ENTRIES))
        people = visit.read(lambda open_: of_posting(open_, found.posting.id))
    return page(
        visit,
        "crowd.html",
        wrong=wrong,
        campaign=row,
        found=found,
        entries=entries,
        people=people,
        given=wrong.fields("recruit", {**fields, "options": options}),
        platforms=[one for one in CONNECTORS.usable().values() if one.recruits],
        **_possible(found),
        money=in_money,
        names=_names(),
    )


def _names() -> dict[str, str]:
    """Platforms as people call them."""
    return {name: one.purpose for name, one in CONNECTORS.usable().items()}


def _possible(found: Overview | None) -> dict[str, Any]:
    """What the platform lets one decide; nothing if it cannot be opened, which the page says elsewhere."""
    try:
        if found is not None:
            platform = open_platform(found.posting.platform, live=found.posting.live)
            offered: dict[str, Verb] = {"returns": "ask_return", "blocks": "block", "extends": "extend"}
            return {"rejections": platform.rejections(), **{key: platform.offers(one) for key, one in offered.items()}}
    except GoldmarkError:
        pass
    return {"rejections": {}, "returns": False, "blocks": False, "extends": False}


@router.get("")
def crowd(visit: ReadsAsManager, name: str) -> Response:
    return _page(visit, name)


@router.post("")
@refusable("recruit", _page)
def change(visit: SendsAsManager, name: str) -> Response:
    """New terms, for what is published from now on."""
    row = visit.campaign(name)
    given = dict(visit.given)
    try:
        options = read_yaml(given.pop("options", "").strip() or "{}", "options")
    except YamlNotReadable as error:
        what = "this is no YAML"
        raise ProblemsFound([Problem("options", what, "write NAME: value on each line", "options")]) from error
    terms = filled(Recruit, given, onto=row.settings.recruit or BLANK).model_dump(mode="json")
    changed = checked(Recruit, {**terms, "options": options})
    settings = row.settings.model_copy(update={"recruit": changed})
    refuse_wrong(settings)
    keep(visit, name, settings, title=row.title)
    return go(HERE.format(name=name), "recruit")


@router.get("/publish")
def publishing(visit: ReadsAsManager, name: str, *, wrong: Wrong = NOT_FAILED) -> Response:
    """What it would cost and what there is to spend, to be confirmed."""
    return _looked(visit, name, "publish", wrong, lambda: publish.estimate(visit.store, name), names=_names())


@router.get("/bonus")
def bonuses(visit: ReadsAsManager, name: str, *, wrong: Wrong = NOT_FAILED) -> Response:
    """Who is owed what, to be confirmed."""
    return _looked(visit, name, "bonus", wrong, lambda: calls.owed(visit, name))


@router.get("/books")
def books(visit: ReadsAsManager, name: str, *, wrong: Wrong = NOT_FAILED) -> Response:
    """Ledger, platform and plan beside each other."""
    return _looked(visit, name, "books", wrong, lambda: reconcile(visit.store, name))


def _looked(visit: Visit, name: str, form: str, wrong: FailedForm, look: Callable[[], object], **more: Any) -> Response:
    """A page of what is looked up on the platform; where it cannot be, the page says why."""
    row, found = visit.campaign(name), None
    try:
        found = look()
    except GoldmarkError as error:
        wrong = wrong if wrong.form else failed(form, error)
    return page(visit, f"crowd_{form}.html", wrong=wrong, campaign=row, found=found, money=in_money, **more)


posts(router, "/publish", calls.publish_now, to=HERE, done="crowd-published", again=publishing, form="publish")
posts(router, "/bonus", calls.pay_bonus, to=HERE, done="crowd-bonus", again=bonuses, form="bonus")
posts(router, "/books/adopt", calls.adopt, to=HERE + "/books", done="crowd-adopted", again=books, form="books")
posts(router, "/places", calls.add_places, to=HERE, done="crowd-asked", again=_page, form="places")
posts(router, "/pause", calls.pause, to=HERE, done="crowd-asked", again=_page, form="state")
posts(router, "/resume", calls.resume, to=HERE, done="crowd-asked", again=_page, form="state")
posts(router, "/extend", calls.extend, to=HERE, done="crowd-asked", again=_page, form="state")
posts(router, "/close", calls.close, to=HERE, done="crowd-asked", again=_page, form="state")
posts(router, "/look", calls.look, to=HERE, done="crowd-asked", again=_page, form="state")
posts(router, "/approve", calls.approve, to=HERE, done="crowd-asked", again=_page, form="decide")
posts(router, "/reject", calls.reject, to=HERE, done="crowd-asked", again=_page, form="decide")
posts(router, "/ask-return", calls.ask_return, to=HERE, done="crowd-asked", again=_page, form="decide")
posts(router, "/message", calls.message, to=HERE, done="crowd-asked", again=_page, form="message")
posts(router, "/block", calls.block, to=HERE, done="crowd-asked", again=_page, form="decide")
posts(router, "/orders/{order}/settle", calls.settle, to=HERE, done="crowd-settled", again=_page, form="settle")
