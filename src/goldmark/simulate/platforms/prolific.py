"""A stand-in for Prolific: the requests of its reference that we use, strict about every field of them.

Bonuses are paid some minutes after they were asked for, and asking twice pays twice, as the reference warns. Web hooks
are signed; they can be held back, repeated and forged.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import math
import re
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from goldmark.connectors.prolific import PERSON, PROOF, SESSION, STUDY
from goldmark.simulate.platforms.prolific_checks import (
    AFTER_PUBLISHING,
    CREATE_STUDY,
    GROUP_FILTERS,
    LIST,
    NUMBER,
    OBJECT,
    REJECTIONS,
    TEXT,
    Refusal,
    check_study,
    fields,
    one_of,
)
from goldmark.simulate.platforms.server import Answer, Asked, StandIn, new_id

HEX = "0123456789abcdef"
FEE, TAX = 0.333, 0.20  # of the reward; of the fee
TRANSITIONS = {
    ("UNPUBLISHED", "PUBLISH"): "ACTIVE",
    ("UNPUBLISHED", "SCHEDULE_PUBLISH"): "SCHEDULED",
    ("SCHEDULED", "CANCEL_PUBLISH"): "UNPUBLISHED",
    ("ACTIVE", "PAUSE"): "PAUSED",
    ("ACTIVE", "STOP"): "COMPLETED",
    ("PAUSED", "START"): "ACTIVE",
    ("PAUSED", "STOP"): "COMPLETED",
}
TAKEN = ("RESERVED", "ACTIVE", "AWAITING REVIEW", "APPROVED", "REJECTED")


@dataclass
class Study:
    id: str
    given: dict[str, Any]
    status: str = "UNPUBLISHED"
    rewards: int = 0  # charged so far, in cents
    bonuses: int = 0


@dataclass
class Submission:
    id: str
    study: str
    person: str
    started: datetime
    deadline: datetime
    status: str = "ACTIVE"
    completed: datetime | None = None
    code: str | None = None
    bonuses: list[int] = field(default_factory=list)
    return_requested: datetime | None = None
    rejection: tuple[str, str] = ("", "")


@dataclass
class Bulk:
    id: str
    study: str
    lines: list[tuple[str, int]]


@dataclass
class Payment:
    """A bonus payment that was asked for and is carried out a little later."""

    bulk: Bulk
    due: datetime


def fees_of(amount: int) -> tuple[int, int]:
    """The fee of a payment and the tax on it, in cents."""
    fee = math.floor(amount * FEE + 0.5)
    return fee, math.floor(fee * TAX + 0.5)


Sign = Callable[[dict[str, Any]], str]


@dataclass
class ProlificStandIn(StandIn):
    """One researcher's account with one workspace."""

    token: str = "a-token-of-the-rehearsal"  # noqa: S105 - opens nothing
    workspace: str = "644aaabfaf6bbc363b9d47c6"
    balance: int = 1_000_000
    currency: str = "USD"
    studies: dict[str, Study] = field(default_factory=dict)
    submissions: dict[str, Submission] = field(default_factory=dict)
    groups: dict[str, dict[str, Any]] = field(default_factory=dict)
    bulks: dict[str, Bulk] = field(default_factory=dict)
    payments: list[Payment] = field(default_factory=list)
    mails: list[dict[str, Any]] = field(default_factory=list)
    hook_secret: str = "a-secret-for-hooks"  # noqa: S105
    hooks: dict[str, dict[str, Any]] = field(default_factory=dict)
    undelivered: list[dict[str, Any]] = field(default_factory=list)
    keys: list[dict[str, Any]] = field(default_factory=list)  # that are published
    sign: Sign | None = None  # addresses of studies that ask for it

    def operation(self, asked: Asked) -> str:
        return f"{asked.method} {re.sub(r'/[0-9a-f]{24}(?=/)', '/ID', asked.path.removeprefix('/api/v1'))}"

    def busy(self) -> Answer:
        return _error(429, "Too many requests", "Request was throttled.")

    def broken(self) -> Answer:
        return _error(502, "Bad gateway", "The server is not available.")

    def answer(self, asked: Asked) -> Answer:
        self._timers()
        if asked.path == "/submissions/complete":
            return self._complete_page(asked)
        if (asked.method, asked.path) == ("GET", "/.well-known/study/jwks.json"):
            return Answer.of({"keys": self.keys})
        if asked.headers.get("authorization") != f"Token {self.token}":
            return _error(401, "Unauthorized", "Authentication credentials were not provided.")
        if not asked.path.endswith("/"):
            return _error(404, "Not found", "The address must end with a slash.")
        for method, pattern, handler in ROUTES:
            found = re.fullmatch(pattern, asked.path)
            if method == asked.method and found:
                try:
                    status, data, *more = handler(self, asked, *found.groups())
                except Refusal as error:
                    return _error(error.status, "Error", error.detail)
                except json.JSONDecodeError:
                    return _error(400, "Error", "the body is no JSON")
                # References grow: whoever reads an answer must not mind a field that is new.
                answer = Answer.of({**data, "_links": {}} if isinstance(data, dict) else data, status)
                return answer._replace(headers=more[0]) if more else answer
        return _error(404, "Not found", f"there is no {asked.method} {asked.path}")

    # Account.

    def get_workspaces(self, asked: Asked) -> tuple[int, Any]:
        return 200, {"results": [{"id": self.workspace, "title": "Rehearsal"}]}

    def get_balance(self, asked: Asked, workspace: str) -> tuple[int, Any]:
        if workspace != self.workspace:
            raise Refusal("No such workspace.", 404)
        held = sum(self._held(one) for one in self.studies.values())
        return 200, {
            "currency_code": self.currency,
            "total_balance": self.balance,
            "available_balance": self.balance - held,
        }

    def _held(self, study: Study) -> int:
        """What an active study may still cost."""
        if study.status not in ("ACTIVE", "PAUSED", "AWAITING REVIEW"):
            return 0
        own = self._of(study.id)
        free = int(study.given["total_available_places"]) - sum(one.status in TAKEN for one in own)
        waiting = sum(one.status in ("ACTIVE", "RESERVED", "AWAITING REVIEW") for one in own)
        return (max(0, free) + waiting) * _with_fees(int(study.given["reward"]))

    def calculate(self, asked: Asked) -> tuple[int, Any]:
        given = fields(
            asked.json(), {"reward": NUMBER, "total_available_places": NUMBER}, ("reward", "total_available_places")
        )
        return 200, {"total_cost": given["total_available_places"] * _with_fees(int(given["reward"]))}

    # Studies.

    def create_study(self, asked: Asked) -> tuple[int, Any]:
        given = asked.json()
        check_study(given)
        for one in given.get("filters") or []:
            unknown = [group for group in one.get("selected_values", []) if group not in self.groups]
            if one["filter_id"] in GROUP_FILTERS and unknown:
                raise Refusal({"filters": [f"There is no participant group {unknown[0]}."]})
        study = Study(new_id(24, HEX), given)
        self.studies[study.id] = study
        return 201, self._study(study)

    def list_studies(self, asked: Asked) -> tuple[int, Any]:
        short = ("id", "name", "internal_name", "status", "total_available_places", "reward")
        rows = [
            {name: value for name, value in self._study(one).items() if name in short} for one in self.studies.values()
        ]
        return 200, {"results": rows}

    def get_study(self, asked: Asked, number: str) -> tuple[int, Any]:
        return 200, self._study(self._known(number))

    def update_study(self, asked: Asked, number: str) -> tuple[int, Any]:
        study = self._known(number)
        given = fields(asked.json(), CREATE_STUDY)
        if study.status != "UNPUBLISHED" and set(given) - AFTER_PUBLISHING:
            raise Refusal({name: ["It cannot be changed any more."] for name in set(given) - AFTER_PUBLISHING})
        places = given.get("total_available_places", study.given["total_available_places"])
        if study.status != "UNPUBLISHED" and places < study.given["total_available_places"]:
            raise Refusal({"total_available_places": ["Only increasing is allowed."]})
        more = (places - study.given["total_available_places"]) * _with_fees(int(study.given["reward"]))
        if study.status != "UNPUBLISHED" and more > self.get_balance(asked, self.workspace)[1]["available_balance"]:
            raise Refusal("You do not have enough funds.")
        study.given = {**study.given, **given}
        if study.status in ("COMPLETED", "AWAITING REVIEW"):
            study.status = "ACTIVE"
        return 200, self._study(study)

    def delete_study(self, asked: Asked, number: str) -> tuple[int, Any]:
        if self._known(number).status != "UNPUBLISHED":
            raise Refusal("Published studies cannot be deleted.")
        del self.studies[number]
        return 204, None

    def transition_study(self, asked: Asked, number: str) -> tuple[int, Any]:
        study = self._known(number)
        given = fields(asked.json(), {"action": TEXT, "publish_at": TEXT}, ("action",))
        after = TRANSITIONS.get((study.status, given["action"]))
        if after is None:
            raise Refusal(f"A study that is {study.status} cannot {given['action']}.")
        if given["action"] == "PUBLISH":
            cost = int(study.given["total_available_places"]) * _with_fees(int(study.given["reward"]))
            if cost > self.get_balance(asked, self.workspace)[1]["available_balance"]:
                raise Refusal("You do not have enough funds.")
        self._becomes(study, after)
        return 200, self._study(study)

    def study_cost(self, asked: Asked, number: str) -> tuple[int, Any]:
        study = self._known(number)

        def parts(kind: str) -> dict[str, Any]:
            paid = [amount for of, amount in self._charges(study) if of == kind]
            fees = [fees_of(one) for one in paid]
            return {
                "rewards": self._amount(sum(paid)),
                "fees": self._amount(sum(one for one, _ in fees)),
                "tax": self._amount(sum(tax for _, tax in fees)),
            }

        return 200, {"rewards": parts("reward"), "bonuses": parts("bonus")}

    def _amount(self, cents: int) -> dict[str, Any]:
        return {"amount": cents, "currency": self.currency}

    def _charges(self, study: Study) -> list[tuple[str, int]]:
        own = self._of(study.id)
        rewards = [("reward", int(study.given["reward"])) for one in own if one.status == "APPROVED"]
        screened = [("reward", self._screen_out(study)) for one in own if one.status == "SCREENED OUT"]
        return rewards + screened + [("bonus", bonus) for one in own for bonus in one.bonuses]

    def _known(self, number: str) -> Study:
        if number not in self.studies:
            raise Refusal("No Study matches the given query.", 404)
        return self.studies[number]

    def _study(self, study: Study) -> dict[str, Any]:
        taken = sum(one.status in TAKEN for one in self._of(study.id))
        return {
            **study.given,
            "id": study.id,
            "status": study.status,
            "places_taken": taken,
            "is_ready_to_publish": True,
        }

    def _of(self, study: str) -> list[Submission]:
        return [one for one in self.submissions.values() if one.study == study]

    def _becomes(self, study: Study, status: str) -> None:
        if study.status != status:
            study.status = status
            self._tell("study.status.change", study.id, status=status)

    # Submissions.

    def list_submissions(self, asked: Asked) -> tuple[int, Any]:
        query = asked.query
        unknown = set(query) - {"study", "status", "page", "page_size", "ordering"}
        if unknown or "study" not in query:
            raise Refusal(
                {"study": ["This field is required."]} if "study" not in query else f"unknown: {sorted(unknown)}"
            )
        size, page = int(query.get("page_size", 20)), int(query.get("page", 1))
        rows = [
            {
                "id": one.id,
                "participant_id": one.person,
                "status": one.status,
                "started_at": one.started.isoformat(),
                "completed_at": one.completed.isoformat() if one.completed else None,
                "has_siblings": False,
                "study_code": one.code,
                "return_requested": one.return_requested.isoformat() if one.return_requested else None,
                "ip": "127.0.0.1",
            }
            for one in self._of(query["study"])
        ]
        return 200, {"results": rows[(page - 1) * size : page * size], "meta": {"count": len(rows)}}

    def get_submission(self, asked: Asked, number: str) -> tuple[int, Any]:
        return 200, self._detail(self._submission(number))

    def _detail(self, one: Submission) -> dict[str, Any]:
        return {
            "id": one.id,
            "study_id": one.study,
            "participant": one.person,
            "status": one.status,
            "started_at": one.started.isoformat(),
            "completed_at": one.completed.isoformat() if one.completed else None,
            "entered_code": one.code,
            "bonus_payments": [float(bonus) for bonus in one.bonuses],
            "return_requested": one.return_requested.isoformat() if one.return_requested else None,
        }

    def transition_submission(self, asked: Asked, number: str) -> tuple[int, Any]:
        one = self._submission(number)
        known = {"action": TEXT, "message": TEXT, "rejection_category": TEXT, "completion_code": TEXT}
        given = fields(asked.json(), {**known, "completion_code_data": OBJECT}, ("action",))
        one_of("action", given["action"], ("APPROVE", "REJECT"))
        after = {"APPROVE": "APPROVED", "REJECT": "REJECTED"}[given["action"]]
        if one.status == after:  # the same again is ignored
            return 200, self._detail(one)
        if one.status != "AWAITING REVIEW":
            raise Refusal(f"A submission that is {one.status} cannot be {after}.")
        if after == "REJECTED":
            one_of("rejection_category", given.get("rejection_category"), REJECTIONS)
            if len(given.get("message", "")) < 100:
                raise Refusal({"message": ["It must be at least 100 chars long."]})
            one.rejection = (given["rejection_category"], given["message"])
        else:
            self._charge(self.studies[one.study], int(self.studies[one.study].given["reward"]))
        self._moves(one, after)
        return 200, self._detail(one)

    def request_return(self, asked: Asked, number: str) -> tuple[int, Any]:
        one = self._submission(number)
        given = fields(asked.json(), {"request_return_reasons": LIST}, ("request_return_reasons",))
        if not given["request_return_reasons"] or one.status not in ("ACTIVE", "AWAITING REVIEW"):
            raise Refusal("A return cannot be requested.")
        one.return_requested = self.now()
        return 200, {
            "id": one.id,
            "status": one.status,
            "participant": one.person,
            "return_requested": self.now().isoformat(),
        }

    def _submission(self, number: str) -> Submission:
        if number not in self.submissions:
            raise Refusal("No Submission matches the given query.", 404)
        return self.submissions[number]

    def _moves(self, one: Submission, status: str) -> None:
        one.status = status
        self._tell("submission.status.change", one.id, study_id=one.study, participant_id=one.person, status=status)
        study = self.studies[one.study]
        places, own = int(study.given["total_available_places"]), self._of(study.id)
        full = sum(other.status in TAKEN for other in own) >= places
        if study.status == "ACTIVE" and full and not any(other.status in ("ACTIVE", "RESERVED") for other in own):
            self._becomes(study, "AWAITING REVIEW")
        if study.status == "AWAITING REVIEW":
            if sum(other.status == "APPROVED" for other in own) >= places:
                self._becomes(study, "COMPLETED")
            elif not full:
                self._becomes(study, "ACTIVE")

    def _charge(self, study: Study, amount: int) -> None:
        cost = _with_fees(amount)
        if cost > self.balance:
            raise Refusal("You do not have enough funds.")
        self.balance -= cost

    # Bonuses.

    def set_up_bonuses(self, asked: Asked) -> tuple[int, Any]:
        given = fields(asked.json(), {"study_id": TEXT, "csv_bonuses": TEXT}, ("study_id", "csv_bonuses"))
        self._known(given["study_id"])
        lines = []
        for line in given["csv_bonuses"].split("\n"):
            match = re.fullmatch(r"([0-9a-f]{24}),(\d+\.\d{2})", line)
            one = self.submissions.get(match.group(1)) if match else None
            if (
                match is None
                or one is None
                or one.study != given["study_id"]
                or one.status in ("RETURNED", "TIMED-OUT")
            ):
                raise Refusal({"csv_bonuses": [f"{line!r} is not somebody who took part, and an amount."]})
            lines.append((one.id, round(float(match.group(2)) * 100)))
        bulk = Bulk(new_id(24, HEX), given["study_id"], lines)
        self.bulks[bulk.id] = bulk
        amount = sum(cents for _, cents in lines)
        total = sum(_with_fees(cents) for _, cents in lines)
        return 201, {
            "id": bulk.id,
            "study": bulk.study,
            "amount": amount,
            "fees": total - amount,
            "total_amount": total,
        }

    def pay_bonuses(self, asked: Asked, number: str) -> tuple[int, Any]:
        if number not in self.bulks:
            raise Refusal("No such payment.", 404)
        self.payments.append(Payment(self.bulks[number], self.now() + timedelta(minutes=3)))
        return 202, f"Bulk bonus payment with ID {number} is being processed asynchronously."

    # Groups, messages, hooks.

    def list_groups(self, asked: Asked) -> tuple[int, Any]:
        if asked.query.get("workspace_id") != self.workspace:
            raise Refusal({"workspace_id": ["This field is required."]})
        return 200, {
            "results": [{name: one[name] for name in one if name != "members"} for one in self.groups.values()]
        }

    def create_group(self, asked: Asked) -> tuple[int, Any]:
        known = {
            "workspace_id": TEXT,
            "name": TEXT,
            "description": TEXT,
            "participant_ids": LIST,
            "organisation_id": TEXT,
        }
        given = fields(asked.json(), known, ("name",))
        if given.get("workspace_id") != self.workspace:
            raise Refusal({"workspace_id": ["Either a workspace or organisation ID must be specified."]})
        number = new_id(24, HEX)
        members = set(given.get("participant_ids", []))
        self.groups[number] = {"id": number, "name": given["name"], "is_deleted": False, "members": members}
        return 201, {"id": number, "name": given["name"], "is_deleted": False}

    def add_to_group(self, asked: Asked, number: str) -> tuple[int, Any]:
        given = fields(asked.json(), {"participant_ids": LIST}, ("participant_ids",))
        if number not in self.groups:
            raise Refusal("No such group.", 404)
        self.groups[number]["members"] |= set(given["participant_ids"])
        return 200, {"results": [{"participant_id": one} for one in sorted(self.groups[number]["members"])]}

    def send_message(self, asked: Asked) -> tuple[int, Any]:
        names = ("recipient_id", "body", "study_id")
        given = fields(asked.json(), dict.fromkeys(names, TEXT), names)
        self.mails.append(
            {**given, "id": new_id(24, HEX), "sent_at": self.now().isoformat(), "sender_id": "researcher"}
        )
        return 204, None

    def list_messages(self, asked: Asked) -> tuple[int, Any]:
        if not {"user_id", "created_after"} & set(asked.query):
            raise Refusal({"user_id": ["It must be provided if no created_after date is provided."]})
        return 200, {"results": [one for one in self.mails if one["recipient_id"] == asked.query.get("user_id")]}

    def create_secret(self, asked: Asked) -> tuple[int, Any]:
        fields(asked.json(), {"workspace_id": TEXT}, ("workspace_id",))
        self.hook_secret = new_id(32, HEX)
        return 201, {"id": new_id(24, HEX), "value": self.hook_secret, "workspace_id": self.workspace}

    def create_hook(self, asked: Asked) -> tuple[int, Any, dict[str, str]]:
        names = ("workspace_id", "event_type", "target_url")
        given = fields(asked.json(), dict.fromkeys(names, TEXT), names)
        if not given["target_url"].startswith(("https://", "http://127.0.0.1")):
            raise Refusal({"target_url": ["It must use https."]})
        number = new_id(24, HEX)
        self.hooks[number] = {**given, "id": number, "is_enabled": False, "secret": new_id(16, HEX)}
        told = {name: value for name, value in self.hooks[number].items() if name != "secret"}
        return 201, told, {"X-Hook-Secret": self.hooks[number]["secret"]}

    def confirm_hook(self, asked: Asked, number: str) -> tuple[int, Any]:
        given = fields(asked.json(), {"secret": TEXT}, ("secret",))
        if number not in self.hooks or given["secret"] != self.hooks[number]["secret"]:
            raise Refusal("The secret is wrong.")
        self.hooks[number]["is_enabled"] = True
        return 200, {"id": number, "is_enabled": True}

    def _tell(self, kind: str, number: str, **facts: Any) -> None:
        """An event for whoever subscribed to its kind. It is sent when the test says so."""
        for hook in self.hooks.values():
            if hook["is_enabled"] and hook["event_type"] == kind:
                self.undelivered.append({"url": hook["target_url"], "event_type": kind, "resource_id": number, **facts})

    def deliver(self, *, times: int = 1, secret: str | None = None) -> list[int]:
        """Send the events that wait, each so often; with another secret, as a forger would. Gives the statuses."""
        with self.lock:
            waiting, self.undelivered = self.undelivered, []
        statuses = []
        for event in waiting:
            url = event.pop("url")
            body = json.dumps(event).encode()
            for _ in range(times):
                sent = str(int(self.now().timestamp()))
                mark = hmac.new((secret or self.hook_secret).encode(), sent.encode() + body, hashlib.sha256).digest()
                headers = {
                    "content-type": "application/json",
                    "x-prolific-request-timestamp": sent,
                    "x-prolific-request-signature": base64.b64encode(mark).decode(),
                    "x-event-id": new_id(24, HEX),
                }
                request = urllib.request.Request(url, body, headers)  # noqa: S310 - an address of this machine
                try:
                    with urllib.request.urlopen(request, timeout=30) as reply:  # noqa: S310
                        statuses.append(reply.status)
                except urllib.error.HTTPError as error:
                    statuses.append(error.code)
                    error.close()
        return statuses

    # The participants' side.

    def open_studies(self, person: str) -> list[str]:
        with self.lock:
            self._timers()
            return [one.id for one in self.studies.values() if self._may(person, one)]

    def _may(self, person: str, study: Study) -> bool:
        own = self._of(study.id)
        full = sum(one.status in TAKEN for one in own) >= int(study.given["total_available_places"])
        if study.status != "ACTIVE" or full or any(one.person == person for one in own):
            return False
        for one in study.given.get("filters") or []:
            inside = any(
                person in self.groups[group]["members"]
                for group in one.get("selected_values", [])
                if group in self.groups
            )
            if (one["filter_id"], inside) in ((GROUP_FILTERS[0], False), (GROUP_FILTERS[1], True)):
                return False
        return True

    def take(self, person: str, study: str | None = None) -> Submission | None:
        """Take a place; None if there is none for this person."""
        with self.lock:
            possible = self.open_studies(person)
            chosen = study if study in possible else possible[0] if possible and study is None else None
            if chosen is None:
                return None
            minutes = float(self.studies[chosen].given.get("maximum_allowed_time", 60))
            one = Submission(new_id(24, HEX), chosen, person, self.now(), self.now() + timedelta(minutes=minutes))
            self.submissions[one.id] = one
            self._moves(one, "ACTIVE")
            return one

    def url(self, one: Submission) -> str:
        """The address to which somebody is sent, with what the study wants in it."""
        given = self.studies[one.study].given
        values = {PERSON: one.person, STUDY: one.study, SESSION: one.id}
        address = str(given["external_study_url"])
        for name, value in values.items():
            address = address.replace(f"{{{{%{name}%}}}}", value)
        if given.get("is_external_study_url_secure") and self.sign is not None:
            now = int(self.now().timestamp())
            said = {"iss": "https://www.prolific.com", "iat": now, "exp": now + 120, "aud": address, "sub": one.id}
            address += f"&{PROOF}={self.sign({**said, 'prolific': {**values, 'workspace_id': self.workspace}})}"
        return address

    def complete(self, number: str, code: str) -> str:
        """Somebody comes back with a completion code; gives what their submission then is."""
        with self.lock:
            self._timers()
            one = self.submissions[number]
            if one.status != "ACTIVE":
                return one.status
            study = self.studies[one.study]
            known = next((entry for entry in study.given["completion_codes"] if entry["code"] == code), None)
            one.code, one.completed = code, self.now()
            names = {action["action"] for action in known["actions"]} if known else set()
            if "FIXED_SCREEN_OUT_PAYMENT" in names:
                self._charge(study, self._screen_out(study))
                self._moves(one, "SCREENED OUT")
            else:
                if "REQUEST_RETURN" in names:
                    one.return_requested = self.now()
                self._moves(one, "AWAITING REVIEW")
            return one.status

    def _screen_out(self, study: Study) -> int:
        actions = [action for entry in study.given["completion_codes"] for action in entry["actions"]]
        return next((int(one["fixed_screen_out_reward"]) for one in actions if "fixed_screen_out_reward" in one), 0)

    def give_back(self, number: str) -> None:
        with self.lock:
            one = self.submissions[number]
            if one.status in ("ACTIVE", "AWAITING REVIEW"):
                self._moves(one, "RETURNED")

    def _complete_page(self, asked: Asked) -> Answer:
        return Answer(200, b"<p id=thanks>Back at Prolific.</p>", "text/html; charset=utf-8")

    def _timers(self) -> None:
        for one in list(self.submissions.values()):
            if one.status == "ACTIVE" and self.now() > one.deadline:
                self._moves(one, "TIMED-OUT")
        due = [one for one in self.payments if one.due <= self.now()]
        self.payments = [one for one in self.payments if one.due > self.now()]
        for payment in due:
            for number, cents in payment.bulk.lines:
                self.balance -= _with_fees(cents)
                self.submissions[number].bonuses.append(cents)


def _with_fees(amount: int) -> int:
    return amount + sum(fees_of(amount))


def _error(status: int, title: str, detail: Any) -> Answer:
    return Answer.of(
        {"error": {"status": status, "error_code": 140000 + status, "title": title, "detail": detail}}, status
    )


NUMBER_OF = r"([0-9a-f]{24})"
Handler = Callable[..., tuple[Any, ...]]
ROUTES: tuple[tuple[str, str, Handler], ...] = tuple(
    (method, f"/api/v1/{pattern}/", handler)
    for method, pattern, handler in (
        ("GET", "workspaces", ProlificStandIn.get_workspaces),
        ("GET", f"workspaces/{NUMBER_OF}/balance", ProlificStandIn.get_balance),
        ("POST", "study-cost-calculator", ProlificStandIn.calculate),
        ("POST", "studies", ProlificStandIn.create_study),
        ("GET", "studies", ProlificStandIn.list_studies),
        ("GET", f"studies/{NUMBER_OF}", ProlificStandIn.get_study),
        ("PATCH", f"studies/{NUMBER_OF}", ProlificStandIn.update_study),
        ("DELETE", f"studies/{NUMBER_OF}", ProlificStandIn.delete_study),
        ("POST", f"studies/{NUMBER_OF}/transition", ProlificStandIn.transition_study),
        ("GET", f"studies/{NUMBER_OF}/cost", ProlificStandIn.study_cost),
        ("GET", "submissions", ProlificStandIn.list_submissions),
        ("GET", f"submissions/{NUMBER_OF}", ProlificStandIn.get_submission),
        ("POST", f"submissions/{NUMBER_OF}/transition", ProlificStandIn.transition_submission),
        ("POST", f"submissions/{NUMBER_OF}/request-return", ProlificStandIn.request_return),
        ("POST", "submissions/bonus-payments", ProlificStandIn.set_up_bonuses),
        ("POST", f"bulk-bonus-payments/{NUMBER_OF}/pay", ProlificStandIn.pay_bonuses),
        ("GET", "participant-groups", ProlificStandIn.list_groups),
        ("POST", "participant-groups", ProlificStandIn.create_group),
        ("POST", f"participant-groups/{NUMBER_OF}/participants", ProlificStandIn.add_to_group),
        ("POST", "messages", ProlificStandIn.send_message),
        ("GET", "messages", ProlificStandIn.list_messages),
        ("POST", "hooks/secrets", ProlificStandIn.create_secret),
        ("POST", "hooks/subscriptions", ProlificStandIn.create_hook),
        ("POST", f"hooks/subscriptions/{NUMBER_OF}", ProlificStandIn.confirm_hook),
    )
)
