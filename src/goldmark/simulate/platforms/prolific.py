"""A stand-in for Prolific: the requests of its reference that we use, strict about every field of them.

Bonuses are paid some minutes after they were asked for, and asking twice pays twice, as the reference warns. Web hooks
are signed; they can be held back, repeated and forged.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from goldmark.simulate.platforms.prolific_checks import (
    AFTER_PUBLISHING,
    CREATE_STUDY,
    GROUP_FILTERS,
    LIST,
    NUMBER,
    OBJECT,
    REJECTIONS,
    TEXT,
    ProlificRefusal,
    check_study,
    fields,
    one_of,
)
from goldmark.simulate.platforms.prolific_participants import Participants
from goldmark.simulate.platforms.prolific_records import (
    HEX,
    TAKEN,
    Bulk,
    Payment,
    ProlificStudy,
    ProlificSubmission,
    fees_of,
    with_fees,
)
from goldmark.simulate.platforms.server import Asked, StandInAnswer, new_id

TRANSITIONS = {
    ("UNPUBLISHED", "PUBLISH"): "ACTIVE",
    ("UNPUBLISHED", "SCHEDULE_PUBLISH"): "SCHEDULED",
    ("SCHEDULED", "CANCEL_PUBLISH"): "UNPUBLISHED",
    ("ACTIVE", "PAUSE"): "PAUSED",
    ("ACTIVE", "STOP"): "COMPLETED",
    ("PAUSED", "START"): "ACTIVE",
    ("PAUSED", "STOP"): "COMPLETED",
}


@dataclass
class ProlificStandIn(Participants):
    """One researcher's account with one workspace."""

    token: str = "a-token-of-the-rehearsal"  # noqa: S105 - opens nothing
    bulks: dict[str, Bulk] = field(default_factory=dict)
    keys: list[dict[str, Any]] = field(default_factory=list)  # that are published

    def operation(self, asked: Asked) -> str:
        return f"{asked.method} {re.sub(r'/[0-9a-f]{24}(?=/)', '/ID', asked.path.removeprefix('/api/v1'))}"

    def busy(self) -> StandInAnswer:
        return _error(429, "Too many requests", "Request was throttled.")

    def broken(self) -> StandInAnswer:
        return _error(502, "Bad gateway", "The server is not available.")

    def answer(self, asked: Asked) -> StandInAnswer:
        self._timers()
        if asked.path == "/submissions/complete":
            return self._complete_page(asked)
        if (asked.method, asked.path) == ("GET", "/.well-known/study/jwks.json"):
            return StandInAnswer.of({"keys": self.keys})
        if asked.headers.get("authorization") != f"Token {self.token}":
            return _error(401, "Unauthorized", "Authentication credentials were not provided.")
        if not asked.path.endswith("/"):
            return _error(404, "Not found", "The address must end with a slash.")
        for method, pattern, handler in ROUTES:
            found = re.fullmatch(pattern, asked.path)
            if method == asked.method and found:
                try:
                    status, data, *more = handler(self, asked, *found.groups())
                except ProlificRefusal as error:
                    return _error(error.status, "Error", error.detail)
                except json.JSONDecodeError:
                    return _error(400, "Error", "the body is no JSON")
                # References grow: whoever reads an answer must not mind a field that is new.
                answer = StandInAnswer.of({**data, "_links": {}} if isinstance(data, dict) else data, status)
                return answer._replace(headers=more[0]) if more else answer
        return _error(404, "Not found", f"there is no {asked.method} {asked.path}")

    # Account.

    def get_workspaces(self, asked: Asked) -> tuple[int, Any]:
        return 200, {"results": [{"id": self.workspace, "title": "Rehearsal"}]}

    def get_balance(self, asked: Asked, workspace: str) -> tuple[int, Any]:
        if workspace != self.workspace:
            raise ProlificRefusal("No such workspace.", 404)
        held = sum(self._held(one) for one in self.studies.values())
        return 200, {
            "currency_code": self.currency,
            "total_balance": self.balance,
            "available_balance": self.balance - held,
        }

    def _held(self, study: ProlificStudy) -> int:
        """What an active study may still cost."""
        if study.status not in ("ACTIVE", "PAUSED", "AWAITING REVIEW"):
            return 0
        own = self._of(study.id)
        free = int(study.given["total_available_places"]) - sum(one.status in TAKEN for one in own)
        waiting = sum(one.status in ("ACTIVE", "RESERVED", "AWAITING REVIEW") for one in own)
        return (max(0, free) + waiting) * with_fees(int(study.given["reward"]))

    def calculate(self, asked: Asked) -> tuple[int, Any]:
        given = fields(
            asked.json(), {"reward": NUMBER, "total_available_places": NUMBER}, ("reward", "total_available_places")
        )
        return 200, {"total_cost": given["total_available_places"] * with_fees(int(given["reward"]))}

    # Studies.

    def create_study(self, asked: Asked) -> tuple[int, Any]:
        given = asked.json()
        check_study(given)
        for one in given.get("filters") or []:
            unknown = [group for group in one.get("selected_values", []) if group not in self.groups]
            if one["filter_id"] in GROUP_FILTERS and unknown:
                raise ProlificRefusal({"filters": [f"There is no participant group {unknown[0]}."]})
        study = ProlificStudy(new_id(24, HEX), given)
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
            raise ProlificRefusal({name: ["It cannot be changed any more."] for name in set(given) - AFTER_PUBLISHING})
        places = given.get("total_available_places", study.given["total_available_places"])
        if study.status != "UNPUBLISHED" and places < study.given["total_available_places"]:
            raise ProlificRefusal({"total_available_places": ["Only increasing is allowed."]})
        more = (places - study.given["total_available_places"]) * with_fees(int(study.given["reward"]))
        if study.status != "UNPUBLISHED" and more > self.get_balance(asked, self.workspace)[1]["available_balance"]:
            raise ProlificRefusal("You do not have enough funds.")
        study.given = {**study.given, **given}
        if study.status in ("COMPLETED", "AWAITING REVIEW"):
            study.status = "ACTIVE"
        return 200, self._study(study)

    def delete_study(self, asked: Asked, number: str) -> tuple[int, Any]:
        if self._known(number).status != "UNPUBLISHED":
            raise ProlificRefusal("Published studies cannot be deleted.")
        del self.studies[number]
        return 204, None

    def transition_study(self, asked: Asked, number: str) -> tuple[int, Any]:
        study = self._known(number)
        given = fields(asked.json(), {"action": TEXT, "publish_at": TEXT}, ("action",))
        after = TRANSITIONS.get((study.status, given["action"]))
        if after is None:
            raise ProlificRefusal(f"A study that is {study.status} cannot {given['action']}.")
        if given["action"] == "PUBLISH":
            cost = int(study.given["total_available_places"]) * with_fees(int(study.given["reward"]))
            if cost > self.get_balance(asked, self.workspace)[1]["available_balance"]:
                raise ProlificRefusal("You do not have enough funds.")
        study.status = after
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

    def _charges(self, study: ProlificStudy) -> list[tuple[str, int]]:
        own = self._of(study.id)
        rewards = [("reward", int(study.given["reward"])) for one in own if one.status == "APPROVED"]
        screened = [("reward", self._screen_out(study)) for one in own if one.status == "SCREENED OUT"]
        return rewards + screened + [("bonus", bonus) for one in own for bonus in one.bonuses]

    def _known(self, number: str) -> ProlificStudy:
        if number not in self.studies:
            raise ProlificRefusal("No Study matches the given query.", 404)
        return self.studies[number]

    def _study(self, study: ProlificStudy) -> dict[str, Any]:
        taken = sum(one.status in TAKEN for one in self._of(study.id))
        return {
            **study.given,
            "id": study.id,
            "status": study.status,
            "places_taken": taken,
            "is_ready_to_publish": True,
        }

    # Submissions.

    def list_submissions(self, asked: Asked) -> tuple[int, Any]:
        query = asked.query
        unknown = set(query) - {"study", "status", "page", "page_size", "ordering"}
        if unknown or "study" not in query:
            raise ProlificRefusal(
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

    def _detail(self, one: ProlificSubmission) -> dict[str, Any]:
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
            raise ProlificRefusal(f"A submission that is {one.status} cannot be {after}.")
        if after == "REJECTED":
            one_of("rejection_category", given.get("rejection_category"), REJECTIONS)
            if len(given.get("message", "")) < 100:
                raise ProlificRefusal({"message": ["It must be at least 100 chars long."]})
            one.rejection = (given["rejection_category"], given["message"])
        else:
            self._charge(self.studies[one.study], int(self.studies[one.study].given["reward"]))
        self._moves(one, after)
        return 200, self._detail(one)

    def request_return(self, asked: Asked, number: str) -> tuple[int, Any]:
        one = self._submission(number)
        given = fields(asked.json(), {"request_return_reasons": LIST}, ("request_return_reasons",))
        if not given["request_return_reasons"] or one.status not in ("ACTIVE", "AWAITING REVIEW"):
            raise ProlificRefusal("A return cannot be requested.")
        one.return_requested = self.now()
        return 200, {
            "id": one.id,
            "status": one.status,
            "participant": one.person,
            "return_requested": self.now().isoformat(),
        }

    def _submission(self, number: str) -> ProlificSubmission:
        if number not in self.submissions:
            raise ProlificRefusal("No Submission matches the given query.", 404)
        return self.submissions[number]

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
                raise ProlificRefusal({"csv_bonuses": [f"{line!r} is not somebody who took part, and an amount."]})
            lines.append((one.id, round(float(match.group(2)) * 100)))
        bulk = Bulk(new_id(24, HEX), given["study_id"], lines)
        self.bulks[bulk.id] = bulk
        amount = sum(cents for _, cents in lines)
        total = sum(with_fees(cents) for _, cents in lines)
        return 201, {
            "id": bulk.id,
            "study": bulk.study,
            "amount": amount,
            "fees": total - amount,
            "total_amount": total,
        }

    def pay_bonuses(self, asked: Asked, number: str) -> tuple[int, Any]:
        if number not in self.bulks:
            raise ProlificRefusal("No such payment.", 404)
        self.payments.append(Payment(self.bulks[number], self.now() + timedelta(minutes=3)))
        return 202, f"Bulk bonus payment with ID {number} is being processed asynchronously."


def _error(status: int, title: str, detail: Any) -> StandInAnswer:
    return StandInAnswer.of(
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
