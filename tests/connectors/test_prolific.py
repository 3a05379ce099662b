"""Prolific: drafts, hours, codes, groups, signed addresses; and answers with things that nobody knows yet."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache
from math import gcd, prod
from typing import Any

import httpx
import pytest

from goldmark.connectors.prolific import api
from goldmark.connectors.prolific.tokens import PREFIX, TokenNotValid, claims
from goldmark.recruiting.offering.availability import set_state
from goldmark.recruiting.ordering import decisions
from goldmark.recruiting.visiting.arrivals import ArrivalDenied
from goldmark.simulate.platforms.prolific import ProlificStandIn
from goldmark.store import Store
from tests.recruiting.ground import BASE, Ground


def test_a_draft_until_it_is_told_to_be_live(lite: Store, prolific: ProlificStandIn) -> None:
    ground = Ground.build(lite, prolific, publish_now=False)
    ground.publish(live=False)
    (study,) = prolific.studies.values()
    assert study.status == "UNPUBLISHED"
    assert not ground.person(1).has_place
    ground.publish(live=True)
    assert list(prolific.studies.values()) == [study], "the same study"
    assert study.status == "ACTIVE"


def test_published_at_its_hour(lite: Store, prolific: ProlificStandIn) -> None:
    ground = Ground.build(lite, prolific, publish_now=False)
    ground.publish(at=datetime.now(UTC) + timedelta(hours=2))
    assert prolific.studies == {}
    ground.look(hours=3)
    assert [one.status for one in prolific.studies.values()] == ["ACTIVE"]


def test_what_a_study_says(lite: Store, prolific: ProlificStandIn) -> None:
    filters = [{"filter_id": "fluent-languages", "selected_values": ["19"]}]
    options = {"filters": filters, "devices": ["desktop"], "failed": "return", "screen_out": {"reward": 20, "slots": 5}}
    ground = Ground.build(lite, prolific, recruit={"options": options, "title": "Games"})
    (study,) = prolific.studies.values()
    assert (study.given["name"], study.given["reward"], study.given["total_available_places"]) == ("Games", 150, 4)
    actions = {one["code_type"]: one["actions"][0]["action"] for one in study.given["completion_codes"]}
    assert actions == {
        "COMPLETED": "MANUALLY_REVIEW",
        "FAILED_ATTENTION_CHECK": "REQUEST_RETURN",
        "SCREENED_OUT": "FIXED_SCREEN_OUT_PAYMENT",
    }
    barred = next(one for one in study.given["filters"] if one["filter_id"] == "participant_group_blocklist")
    names = [prolific.groups[one]["name"] for one in barred["selected_values"]]
    assert names == ["goldmark crowded: took part", "goldmark crowded: excluded"]
    assert filters[0] in study.given["filters"]

    screened = ground.person(1)
    assert prolific.complete(screened.place.id, ground.posting.offer.codes["screened"]) == "SCREENED OUT"
    ground.look()
    assert ground.states() == ["screened out"]
    assert ground.spent().rewards == 20
    assert ground.books().agrees


def test_pause_more_places_asking_back_and_messages(lite: Store, prolific: ProlificStandIn) -> None:
    ground = Ground.build(lite, prolific, recruit={"approve": {"rule": "by hand"}})
    one = ground.person(1)
    one.whole()
    set_state(lite, ground.name, "pause", author="test")
    ground.look()
    assert not ground.person(2).has_place
    set_state(lite, ground.name, "resume", author="test")
    ground.look()
    (who,) = [session.annotator or "" for session in ground.sessions()]
    decisions.tell(lite, ground.name, [who], subject="", words="Please look at your answers again.", author="test")
    decisions.ask_return(lite, ground.name, who, words="Half of it is missing.", author="test")
    ground.look()
    assert [mail["body"] for mail in prolific.mails] == ["Please look at your answers again."]
    assert one.place.return_requested is not None
    prolific.give_back(one.place.id)
    ground.look()
    assert ground.states() == ["returned"]
    took_part = next(group for group in prolific.groups.values() if group["name"].endswith("took part"))
    assert took_part["members"] == {one.name}


def test_pages_and_words_that_nobody_knows_yet(
    lite: Store, prolific: ProlificStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "PAGE", 2)
    ground = Ground.build(lite, prolific, 6, labels_per_unit=3)
    people = [ground.person(number) for number in range(5)]
    for one in people:
        one.come()
    ground.work(people[4].token)
    people[0].place.status = "SOMETHING NEW"
    people[4].hand_in()
    ground.look()
    assert ground.states() == ["open"] * 4 + ["approved"], "nothing is concluded from a state that is not known"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/v1/studies/", {"name": "x"}),
        ("/api/v1/studies/", {"name": "x", "unheard_of": 1}),
        ("/api/v1/submissions/" + "a" * 24 + "/transition/", {"action": "APPROVE"}),
        ("/api/v1/submissions/bonus-payments/", {"study_id": "a" * 24, "csv_bonuses": "b,1"}),
        ("/api/v1/messages/", {"body": "to nobody"}),
        ("/api/v1/participant-groups/", {"name": "nowhere"}),
    ],
)
def test_the_stand_in_refuses_what_the_reference_refuses(
    path: str, body: dict[str, Any], prolific: ProlificStandIn
) -> None:
    headers = {"Authorization": f"Token {prolific.token}"}
    assert httpx.post(prolific.address + path, json=body, headers=headers).status_code in (400, 404)
    assert httpx.post(prolific.address + path, json=body).status_code == 401
    assert httpx.post(prolific.address + path[:-1], json=body, headers=headers).status_code == 404


# Signed addresses.

Numbers = tuple[int, int]  # of a key: its modulus and its secret exponent
OURS, ANOTHER = 7, 70  # seeds that soon meet two primes
SMALL = prod(range(3, 2000, 2))  # what shares a factor with it is no prime


@cache
def key_pair(seed: int) -> Numbers:
    """An RSA key of 2048 bits, made as textbooks do; it signs nothing but what is tested here."""
    rng = random.Random(seed)

    def prime() -> int:
        while True:
            tried = rng.getrandbits(1024) | (3 << 1022) | 1
            if gcd(tried, SMALL) == 1 and all(pow(a, tried - 1, tried) == 1 for a in (2, 3)):
                return tried

    one, other = prime(), prime()
    return one * other, pow(65537, -1, (one - 1) * (other - 1))


def encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def published(numbers: Numbers, name: str = "k1") -> dict[str, str]:
    return {"kid": name, "kty": "RSA", "n": encoded(numbers[0].to_bytes(256)), "e": encoded((65537).to_bytes(3))}


def signed(payload: dict[str, Any], numbers: Numbers, **header: str) -> str:
    head = encoded(json.dumps({"alg": "RS256", "kid": "k1", **header}).encode())
    message = f"{head}.{encoded(json.dumps(payload).encode())}"
    wanted = PREFIX + hashlib.sha256(message.encode()).digest()
    padded = b"\x00\x01" + b"\xff" * (256 - len(wanted) - 3) + b"\x00" + wanted
    return f"{message}.{encoded(pow(int.from_bytes(padded), numbers[1], numbers[0]).to_bytes(256))}"


def payload(**changes: Any) -> dict[str, Any]:
    now = int(time.time())
    made = {"iss": "https://www.prolific.com", "aud": f"{BASE}/crowd/x", "iat": now, "exp": now + 60}
    return {**made, "prolific": {"PROLIFIC_PID": "a"}, **changes}


Forge = Callable[[], str]


@pytest.mark.parametrize(
    ("forge", "why"),
    [
        (lambda: "no token", "cannot be read"),
        (lambda: signed(payload(), key_pair(ANOTHER)), "signature"),
        (lambda: signed(payload(), key_pair(OURS), alg="none"), "not signed"),
        (lambda: signed(payload(), key_pair(OURS), kid="k2"), "key"),
        (lambda: signed(payload(exp=int(time.time()) - 60), key_pair(OURS)), "expired"),
        (lambda: signed(payload(exp=None), key_pair(OURS)), "expired"),
        (lambda: signed(payload(aud="https://elsewhere.example/"), key_pair(OURS)), "somewhere else"),
        (lambda: signed(payload(iss="https://elsewhere.example"), key_pair(OURS)), "somewhere else"),
        (lambda: signed(payload(), key_pair(OURS)).replace(".", ".e30", 1), "cannot be read|signature"),
    ],
)
def test_a_forged_or_stale_signature_is_not_believed(forge: Forge, why: str) -> None:
    with pytest.raises(TokenNotValid, match=why):
        claims(forge(), [published(key_pair(OURS))], address=BASE)


def test_a_signed_address_proves_who_comes(lite: Store, prolific: ProlificStandIn) -> None:
    assert claims(signed(payload(), key_pair(OURS)), [published(key_pair(OURS))], address=BASE) == {"PROLIFIC_PID": "a"}
    prolific.keys = [published(key_pair(OURS))]
    prolific.sign = lambda said: signed(said, key_pair(OURS))
    ground = Ground.build(lite, prolific, recruit={"options": {"secure": True}})
    one = ground.person(1)
    address = one.url  # signed anew whenever it is asked for
    unsigned, _, proof = address.partition("&prolific_token=")
    assert proof
    for wrong in (unsigned, address.replace(one.name, "f" * 24)):
        with pytest.raises(ArrivalDenied, match=r"not signed|changed on the way"):
            ground.come(wrong)
    one.come()
    assert [session.proven for session in ground.sessions()] == [True]
