"""Mechanical Turk: what its hits ask for, what the sandbox is, and a stand-in that is as strict as the service."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from goldmark.connectors.mturk.fees import fee
from goldmark.connectors.mturk.platform import ENDPOINT, PRODUCTION, SANDBOX, open_mturk
from goldmark.people.platform import Offer
from goldmark.recruiting.offering.availability import Change, set_state
from goldmark.recruiting.ordering import decisions
from goldmark.simulate.platforms.mturk import MTurkStandIn
from goldmark.store import Store
from tests.recruiting.ground import Ground

OFFER = Offer("goldmark games #1", "Games", "", (), "https://goldmark.example.org", 150, "USD", 10, 60, 7, 8)


@pytest.mark.parametrize(
    ("live", "endpoint", "workers"),
    [(False, SANDBOX, "https://workersandbox.mturk.com"), (True, PRODUCTION, "https://www.mturk.com")],
)
def test_the_sandbox_unless_told_otherwise(
    live: bool, endpoint: str, workers: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(ENDPOINT, raising=False)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIATEST")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    platform: Any = open_mturk(live)
    assert platform._client.meta.endpoint_url == endpoint
    farewell = platform.farewell("3ASSIGNMENT", "completed", "CODE", OFFER)
    assert (farewell.host, farewell.address) == (workers, f"{workers}/mturk/externalSubmit")
    assert farewell.fields == {"assignmentId": "3ASSIGNMENT", "code": "CODE"}
    platform.close_connections()


def test_fees_of_the_price_list() -> None:
    assert [fee(one) for one in (0, 1, 5, 12, 13, 150)] == [0, 1, 1, 2, 3, 30]
    assert fee(150, masters=True) == 38  # 37.5 cents


def test_hits_of_nine_with_whom_they_are_for(lite: Store, mturk: MTurkStandIn) -> None:
    options = {"locales": ["US", "US-CA", "GB"], "approved_percent": 98, "approved_hits": 500}
    terms = {"options": options, "only": ["good readers"], "keywords": ["games", "errors"]}
    ground = Ground.build(lite, mturk, 30, recruit=terms)  # 60 labels in batches of 3: 20 places
    assert sorted(one.places for one in mturk.hits.values()) == [2, 9, 9]
    assert ground.confirmed == 20 * (150 + 30)
    (kind,) = mturk.types.values()
    assert (kind["Reward"], kind["Keywords"]) == ("1.50", "games, errors")
    asked = {one["QualificationTypeId"]: one for one in kind["QualificationRequirements"]}
    assert {one["ActionsGuarded"] for one in asked.values()} == {"DiscoverPreviewAndAccept"}
    lists = {one["Name"]: asked.pop(number)["Comparator"] for number, one in mturk.lists.items()}
    assert lists == {
        "goldmark crowded: took part": "DoesNotExist",
        "goldmark crowded: excluded": "DoesNotExist",
        "goldmark: good readers": "Exists",
    }
    assert asked["00000000000000000071"]["LocaleValues"] == [
        {"Country": "US"},
        {"Country": "US", "Subdivision": "CA"},
        {"Country": "GB"},
    ]
    assert asked["000000000000000000L0"]["IntegerValues"] == [98]
    assert asked["00000000000000000040"]["IntegerValues"] == [500]
    assert not ground.person(1).has_place, "who is not on the list does not find it"


def test_pages_of_lists_are_read_to_their_end(lite: Store, mturk: MTurkStandIn) -> None:
    mturk.largest_page = 2
    ground = Ground.build(lite, mturk, 6, labels_per_unit=3)
    for number in range(5):
        ground.person(number).whole()
    ground.look()
    assert ground.states() == ["approved"] * 5
    assert ground.books().agrees


def test_expire_extend_and_repost(lite: Store, mturk: MTurkStandIn) -> None:
    ground = Ground.build(lite, mturk)

    def ask(verb: Change, days: int = 0) -> None:
        set_state(lite, ground.name, verb, author="test", days=days)
        ground.look()

    ask("pause")
    assert not ground.person(1).has_place
    ask("resume")
    assert ground.person(1).has_place
    ask("extend", days=30)
    (hit,) = mturk.hits.values()
    assert timedelta(days=29) < hit.expires - datetime.now(UTC) < timedelta(days=31)
    hit.expires = datetime.now(UTC) - timedelta(minutes=1)  # nobody extended it in time
    mturk.pass_time(hours=2)  # and whoever was at work is gone
    for _ in range(3):
        ground.look(minutes=10)
    assert sum(one.places for one in mturk.hits.values() if one.expires > mturk.now()) == 4, "put on offer again"
    assert ground.person(2).has_place
    ask("close")
    assert not ground.person(3).has_place


def test_what_amazon_approves_by_itself_is_in_the_books(lite: Store, mturk: MTurkStandIn) -> None:
    ground = Ground.build(lite, mturk, recruit={"approve": {"rule": "by hand"}})
    ground.person(1).whole()
    ground.look()
    assert ground.states() == ["submitted"]
    mturk.pass_time(days=31)
    ground.look()
    assert ground.states() == ["approved"]
    assert ground.books().agrees


def test_people_are_told_and_blocked(lite: Store, mturk: MTurkStandIn) -> None:
    ground = Ground.build(lite, mturk)
    ground.person(1).whole()
    ground.look()
    (who,) = [one.annotator or "" for one in ground.sessions()]
    decisions.tell(lite, ground.name, [who], subject="Thanks", words="It helped.", author="test")
    decisions.block(lite, ground.name, who, words="Threats.", author="test")
    ground.look()
    assert mturk.mails == [("A1WORKER", "Thanks", "It helped.")]
    assert mturk.blocks == {"A1WORKER": "Threats."}
    decisions.block(lite, ground.name, who, words="", author="test", undo=True)
    ground.look()
    assert mturk.blocks == {}


@pytest.fixture
def careless(mturk: MTurkStandIn) -> Any:
    """A client that checks nothing itself."""
    made = boto3.client(
        "mturk",
        region_name="us-east-1",
        endpoint_url=mturk.address,
        aws_access_key_id="AKIATEST",
        aws_secret_access_key="secret",
        config=Config(parameter_validation=False, retries={"total_max_attempts": 1}),
    )
    yield made
    made.close()


TYPE = {"Title": "T", "Description": "D", "Reward": "0.50", "AssignmentDurationInSeconds": 600}


@pytest.mark.parametrize(
    ("operation", "given"),
    [
        ("create_hit_type", {**TYPE, "Reward": 0.5}),
        ("create_hit_type", {**TYPE, "Description": "D" * 2001}),
        ("create_hit_type", {**TYPE, "AssignmentDurationInSeconds": 10}),
        ("create_hit_type", {name: value for name, value in TYPE.items() if name != "Title"}),
        ("get_hit", {"HITId": "not an id!"}),
        ("list_hits", {"MaxResults": 101}),
        ("list_hits", {"NextToken": "A" * 40}),
        ("list_bonus_payments", {}),
        ("approve_assignment", {"AssignmentId": "3NOSUCHASSIGNMENT"}),
        ("update_hit_review_status", {"HITId": "3NOSUCHHIT", "Revert": "yes"}),
    ],
)
def test_the_stand_in_refuses_what_the_service_model_and_the_reference_refuse(
    operation: str, given: dict[str, Any], careless: Any
) -> None:
    with pytest.raises(ClientError) as refused:
        getattr(careless, operation)(**given)
    assert refused.value.response["Error"]["Code"] == "RequestError"
