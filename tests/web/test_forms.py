"""A page's form is the request of an API call: read by its model, for its role, with every problem beside its field."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from fastapi.routing import APIRoute
from pydantic import BaseModel

from goldmark.campaigns.definition.settings import Settings
from goldmark.errors import ProblemsFound
from goldmark.web import routes
from goldmark.web.api.campaigns.follow_up import FollowUpIn
from goldmark.web.api.evaluations.studies import CodingIn
from goldmark.web.api.people.annotators import InviteIn
from goldmark.web.api.people.participants import EraseIn
from goldmark.web.api.server.accounts import AccountChange, TokenIn
from goldmark.web.pages.forms import fields_of, filled
from goldmark.web.sign_in import SENDS_LIKE
from tests.web.house import House


@pytest.mark.parametrize(
    ("model", "given", "said"),
    [
        (
            InviteIn,
            {"names": " Ann \n\nBo\nAnn", "accounts": "", "csrf": "x"},
            {"names": ["Ann", "Bo"], "accounts": []},
        ),
        (TokenIn, {"name": " laptop ", "days": "30"}, {"name": "laptop", "days": 30}),
        (TokenIn, {"name": "laptop", "days": ""}, {"name": "laptop", "days": None}),
        # Empty is "everybody" where nothing is a value of its own, and as usual where it is not.
        (CodingIn, {"campaign": "codes", "people": "", "seed": ""}, {"campaign": "codes", "people": None}),
        (CodingIn, {"campaign": "codes"}, {"campaign": "codes"}),
        (AccountChange, {"role": "", "disabled": "no"}, {"disabled": False}),
        (AccountChange, {"role": "curator"}, {"role": "curator"}),
        (EraseIn, {"annotators": "Ann", "forget": "yes"}, {"annotators": ["Ann"], "forget": True}),
    ],
)
def test_a_form_is_the_request_that_a_program_would_send(
    model: type[BaseModel], given: dict[str, str], said: dict[str, Any]
) -> None:
    assert filled(model, given) == model.model_validate(said)


def test_every_problem_names_its_field() -> None:
    with pytest.raises(ProblemsFound) as raised:
        filled(FollowUpIn, {"campaign": "Not a name", "labels_per_unit": "many", "seed": "-1"})
    assert {one.part for one in raised.value.problems} == {"kind", "campaign", "labels_per_unit", "seed"}
    with pytest.raises(ProblemsFound) as raised:
        filled(Settings, {"batch.size": "0", "review.share": "2"})
    assert {one.part for one in raised.value.problems} == {"batch.size", "review.share"}


def test_settings_go_through_their_form_unchanged_and_keep_what_it_does_not_ask() -> None:
    before = Settings.model_validate(
        {
            "labels_per_unit": 3,
            "lease_minutes": 90.5,
            "join": {"open": False, "invite": ["Ann", "Bo"]},
            "review": {"required": True, "share": 0.25},
            "conditions": [{"name": "a", "places": 2, "factors": {"kind": "x"}}],
        }
    )
    asked = {key: value for key, value in fields_of(before).items() if key != "conditions"}
    assert filled(Settings, asked, onto=before) == before
    changed = filled(Settings, {**asked, "review.share": "0.5", "join.open": "yes"}, onto=before)
    assert changed.review.share == 0.5
    assert changed.join.open
    assert changed.conditions == before.conditions


def test_a_form_that_does_what_a_call_does_takes_the_same_role() -> None:
    """Those made by `posts` take it from the call; that there are many shows that the way is used."""
    forms = [
        route
        for group in routes.PAGES
        for route in group.routes
        if isinstance(route, APIRoute) and hasattr(route.endpoint, "__signature__")
    ]
    assert len(forms) > 15
    for route in forms:
        assert inspect.signature(route.endpoint).parameters["visit"].annotation in SENDS_LIKE.values(), route.path


def test_a_field_that_cannot_be_stored_is_refused(house: House) -> None:
    browser = house.browser("manager")
    for value in ("a\x00b", "x" * 100_001):
        reply = browser.post("/campaigns/zoo/move", {"verb": "pause", "reason": value})
        assert reply.status_code == 422
        assert "FORM-02" in reply.text
    assert house.program("manager").get("/api/v1/campaigns/zoo").json()["state"] == "running"
