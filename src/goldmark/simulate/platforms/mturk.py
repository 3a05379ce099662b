"""A stand-in for Amazon Mechanical Turk: every request is checked against botocore's own model of the service.

On top of it stand the rules that the documentation tells in words, and the workers' side: accepting, returning, running
out of time, handing in. It charges what the price list says, so that books can be compared to the cent.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from functools import cache
from typing import Any

from goldmark.simulate.platforms.mturk_checks import (
    LETTERS,
    TurkRefusal,
    at_most,
    between,
    check_question,
    check_requirement,
    within_limits,
)
from goldmark.simulate.platforms.mturk_records import Bonus, Hit, TurkAssignment, commission, money
from goldmark.simulate.platforms.mturk_workers import TurkWorkers
from goldmark.simulate.platforms.server import Asked, StandInAnswer, new_id

TARGET = "MTurkRequesterServiceV20170117."


@cache
def _model() -> Any:
    import botocore.session

    return botocore.session.get_session().get_service_model("mturk")


@dataclass
class MTurkStandIn(TurkWorkers):
    """The sandbox of one requester."""

    bonuses: list[Bonus] = field(default_factory=list)
    mails: list[tuple[str, str, str]] = field(default_factory=list)  # worker, subject, text
    paging: dict[str, tuple[str, int]] = field(default_factory=dict)
    largest_page: int = 100

    # The requester's side.

    def operation(self, asked: Asked) -> str:
        target = asked.headers.get("x-amz-target", "")
        return target.removeprefix(TARGET) if target.startswith(TARGET) else asked.path

    def answer(self, asked: Asked) -> StandInAnswer:
        self._timers()
        if asked.path == "/mturk/externalSubmit":
            return self._external_submit(asked)
        if asked.path.startswith("/frame/"):
            return self._frame(asked.path.removeprefix("/frame/"))
        from botocore import xform_name

        name = self.operation(asked)
        try:
            if asked.method != "POST" or asked.path != "/":
                raise TurkRefusal("AWS.MechanicalTurk.UnknownOperation", "requests go to / by POST")
            self._check_signature(asked)
            given = self._checked(name, asked.json())
            made = getattr(self, f"_{xform_name(name)}")(given)
        except TurkRefusal as error:
            refused = {"__type": "RequestError", "Message": str(error), "TurkErrorCode": error.code}
            return StandInAnswer(400, json.dumps(refused).encode(), "application/x-amz-json-1.1")
        # Services grow: whoever reads an answer must not mind a field that is new.
        said = {**made, "SomethingNew": {"Since": "2031"}}
        return StandInAnswer(200, json.dumps(said, default=_wire).encode(), "application/x-amz-json-1.1")

    def busy(self) -> StandInAnswer:
        said = {"__type": "ThrottlingException", "message": "Rate exceeded"}
        return StandInAnswer(400, json.dumps(said).encode(), "application/x-amz-json-1.1")

    def broken(self) -> StandInAnswer:
        said = {"__type": "ServiceFault", "Message": "Amazon Mechanical Turk is temporarily unable to process it"}
        return StandInAnswer(500, json.dumps(said).encode(), "application/x-amz-json-1.1")

    def _check_signature(self, asked: Asked) -> None:
        """As far as one can without the secret: version 4, for this service, over what it must cover."""
        said = asked.headers.get("authorization", "")
        wanted = r"AWS4-HMAC-SHA256 Credential=[A-Z0-9]+/\d{8}/us-east-1/mturk-requester/aws4_request, SignedHeaders="
        covered = re.search(r"SignedHeaders=([^,]+)", said)
        if not re.match(wanted, said) or not covered or "x-amz-target" not in covered.group(1):
            raise TurkRefusal("AWS.NotAuthorized", "the request is not signed")

    def _checked(self, name: str, given: Any) -> dict[str, Any]:
        """What the service model says of this operation's input: types, required and unknown members, limits."""
        from botocore.validate import ParamValidator

        if name not in _model().operation_names:
            raise TurkRefusal("AWS.MechanicalTurk.UnknownOperation", f"there is no operation {name}")
        shape = _model().operation_model(name).input_shape
        report = ParamValidator().validate(given, shape)
        if report.has_errors():
            raise TurkRefusal("AWS.ParameterValidation", report.generate_report())
        within_limits(given, shape, name)
        checked: dict[str, Any] = given
        return checked

    def _get_account_balance(self, given: dict[str, Any]) -> dict[str, Any]:
        return {"AvailableBalance": str(self.balance)}

    def _create_hit_type(self, given: dict[str, Any]) -> dict[str, Any]:
        between(given, "AssignmentDurationInSeconds", 30, 31_536_000)
        between(given, "AutoApprovalDelayInSeconds", 0, 2_592_000)
        at_most(given, Title=128, Description=2_000, Keywords=1_000)
        if not given["Title"].strip() or not given["Description"].strip():
            raise TurkRefusal("AWS.MechanicalTurk.InvalidParameterValue", "a title and a description must be given")
        asked = given.get("QualificationRequirements", [])
        if len(asked) > 10:
            raise TurkRefusal("AWS.MechanicalTurk.InvalidParameterValue", "at most ten qualification requirements")
        for one in asked:
            check_requirement(one, self.lists)
        for number, known in self.types.items():
            if known == given:
                return {"HITTypeId": number}
        number = new_id(30, LETTERS)
        self.types[number] = given
        return {"HITTypeId": number}

    def _create_hit_with_hit_type(self, given: dict[str, Any]) -> dict[str, Any]:
        kind = self.types.get(given["HITTypeId"])
        if kind is None:
            raise TurkRefusal("AWS.MechanicalTurk.HITTypeDoesNotExist", "no such hit type")
        between(given, "LifetimeInSeconds", 30, 31_536_000)
        at_most(given, RequesterAnnotation=255)
        places = given.get("MaxAssignments", 1)
        if not 1 <= places <= 1_000_000_000:
            raise TurkRefusal("AWS.MechanicalTurk.InvalidParameterValue", "MaxAssignments")
        check_question(given.get("Question", ""))
        token = given.get("UniqueRequestToken", "")
        for one in self.hits.values():
            if token and one.token == token and self.now() - one.made < timedelta(hours=24):
                raise TurkRefusal("AWS.MechanicalTurk.HitAlreadyExists", f"the hit exists already: {one.id}")
        hit = Hit(
            new_id(30, LETTERS),
            given["HITTypeId"],
            places,
            self.now() + timedelta(seconds=given["LifetimeInSeconds"]),
            given["Question"],
            given.get("RequesterAnnotation", ""),
            token,
            self.now(),
        )
        self.hits[hit.id] = hit
        return {"HIT": self._hit(hit)}

    def _get_hit(self, given: dict[str, Any]) -> dict[str, Any]:
        return {"HIT": self._hit(self._known_hit(given["HITId"]))}

    def _list_hits(self, given: dict[str, Any]) -> dict[str, Any]:
        return self._page(given, "HITs", [self._hit(one) for one in self.hits.values()])

    def _update_expiration_for_hit(self, given: dict[str, Any]) -> dict[str, Any]:
        from botocore.utils import parse_to_aware_datetime

        self._known_hit(given["HITId"]).expires = parse_to_aware_datetime(given["ExpireAt"])
        return {}

    def _list_assignments_for_hit(self, given: dict[str, Any]) -> dict[str, Any]:
        hit = self._known_hit(given["HITId"])
        wanted = given.get("AssignmentStatuses") or ["Submitted", "Approved", "Rejected"]
        rows = [_shown(one) for one in self._of_hit(hit.id) if one.state in wanted]
        return self._page(given, "Assignments", rows)

    def _get_assignment(self, given: dict[str, Any]) -> dict[str, Any]:
        one = self._handed_in(given["AssignmentId"])
        return {"Assignment": _shown(one), "HIT": self._hit(self.hits[one.hit])}

    def _approve_assignment(self, given: dict[str, Any]) -> dict[str, Any]:
        at_most(given, RequesterFeedback=1_024)
        one = self._handed_in(given["AssignmentId"])
        allowed = ("Submitted", "Rejected") if given.get("OverrideRejection") else ("Submitted",)
        if one.state not in allowed:
            raise TurkRefusal("AWS.MechanicalTurk.InvalidAssignmentState", f"this assignment is {one.state}")
        self._pay_reward(one)
        one.state, one.decided, one.feedback = "Approved", self.now(), given.get("RequesterFeedback", "")
        return {}

    def _reject_assignment(self, given: dict[str, Any]) -> dict[str, Any]:
        at_most(given, RequesterFeedback=1_024)
        one = self._handed_in(given["AssignmentId"])
        if one.state != "Submitted":
            raise TurkRefusal("AWS.MechanicalTurk.InvalidAssignmentState", f"this assignment is {one.state}")
        one.state, one.decided, one.feedback = "Rejected", self.now(), given["RequesterFeedback"]
        return {}

    def _send_bonus(self, given: dict[str, Any]) -> dict[str, Any]:
        amount = money(given["BonusAmount"])
        one = self._handed_in(given["AssignmentId"])
        if one.worker != given["WorkerId"]:
            raise TurkRefusal("AWS.MechanicalTurk.InvalidParameterValue", "the worker did not do this assignment")
        if amount < Decimal("0.01") or not given["Reason"].strip():
            raise TurkRefusal("AWS.MechanicalTurk.InvalidParameterValue", "a bonus is a cent or more, with a reason")
        token = given.get("UniqueRequestToken", "")
        if token and any(paid.token == token and self.now() - paid.at < timedelta(hours=24) for paid in self.bonuses):
            raise TurkRefusal("AWS.MechanicalTurk.DuplicateRequest", f"this bonus was granted before: {token}")
        self._charge(amount + commission(amount, masters=False, many=False))
        self.bonuses.append(Bonus(one.worker, one.id, amount, given["Reason"], token, self.now()))
        return {}

    def _list_bonus_payments(self, given: dict[str, Any]) -> dict[str, Any]:
        if ("HITId" in given) == ("AssignmentId" in given):
            raise TurkRefusal("AWS.MechanicalTurk.InvalidParameterValue", "either HITId or AssignmentId")
        rows = [
            {"WorkerId": one.worker, "AssignmentId": one.assignment, "BonusAmount": str(one.amount)}
            | {"Reason": one.reason, "GrantTime": one.at}
            for one in self.bonuses
            if one.assignment == given.get("AssignmentId") or self.assignments[one.assignment].hit == given.get("HITId")
        ]
        return self._page(given, "BonusPayments", rows)

    def _notify_workers(self, given: dict[str, Any]) -> dict[str, Any]:
        at_most(given, Subject=200, MessageText=4_096)
        if not 1 <= len(given["WorkerIds"]) <= 100:
            raise TurkRefusal("AWS.MechanicalTurk.InvalidParameterValue", "1 to 100 workers")
        decided = {one.worker for one in self.assignments.values() if one.state in ("Approved", "Rejected")}
        failed = [one for one in given["WorkerIds"] if one not in decided]
        self.mails += [(one, given["Subject"], given["MessageText"]) for one in given["WorkerIds"] if one in decided]
        said = {
            "NotifyWorkersFailureCode": "HardFailure",
            "NotifyWorkersFailureMessage": "no approved or rejected work",
        }
        return {"NotifyWorkersFailureStatuses": [{**said, "WorkerId": one} for one in failed]}

    def _create_worker_block(self, given: dict[str, Any]) -> dict[str, Any]:
        self.blocks[given["WorkerId"]] = given["Reason"]
        return {}

    def _delete_worker_block(self, given: dict[str, Any]) -> dict[str, Any]:
        self.blocks.pop(given["WorkerId"], None)
        return {}

    def _create_qualification_type(self, given: dict[str, Any]) -> dict[str, Any]:
        at_most(given, Name=200, Description=2_000)
        if any(one["Name"] == given["Name"] for one in self.lists.values()):
            raise TurkRefusal("AWS.MechanicalTurk.QualificationTypeAlreadyExists", "you have one of this name already")
        number = new_id(30, LETTERS)
        self.lists[number] = {
            **given,
            "QualificationTypeId": number,
            "CreationTime": self.now(),
            "IsRequestable": True,
        }
        self.held[number] = set()
        return {"QualificationType": self.lists[number]}

    def _list_qualification_types(self, given: dict[str, Any]) -> dict[str, Any]:
        words = given.get("Query", "").lower()
        rows = [one for one in self.lists.values() if words in one["Name"].lower()]
        return self._page(given, "QualificationTypes", rows)

    def _associate_qualification_with_worker(self, given: dict[str, Any]) -> dict[str, Any]:
        if given["QualificationTypeId"] not in self.lists:
            raise TurkRefusal("AWS.MechanicalTurk.QualificationTypeDoesNotExist", "you have made no such type")
        self.held[given["QualificationTypeId"]].add(given["WorkerId"])
        return {}

    # What the operations share.

    def _known_hit(self, number: str) -> Hit:
        if number not in self.hits:
            raise TurkRefusal("AWS.MechanicalTurk.HITDoesNotExist", f"Hit {number} does not exist.")
        return self.hits[number]

    def _handed_in(self, number: str) -> TurkAssignment:
        """Of an assignment that was only accepted the service tells nothing."""
        one = self.assignments.get(number)
        if one is None:
            raise TurkRefusal("AWS.MechanicalTurk.AssignmentDoesNotExist", f"Assignment {number} does not exist.")
        if one.state not in ("Submitted", "Approved", "Rejected"):
            raise TurkRefusal("AWS.MechanicalTurk.InvalidAssignmentState", "it was not submitted")
        return one

    def _hit(self, hit: Hit) -> dict[str, Any]:
        own = self._of_hit(hit.id)
        kind = self.types[hit.kind]
        pending = sum(one.state == "Accepted" for one in own)
        over = hit.expires <= self.now()
        free = self._free(hit)
        open_ = "Assignable" if free and not over else "Unassignable" if pending else "Reviewable"
        return {
            "HITId": hit.id,
            "HITTypeId": hit.kind,
            "HITGroupId": hit.kind,
            "CreationTime": hit.made,
            "Title": kind["Title"],
            "Description": kind["Description"],
            "Question": hit.question,
            "HITStatus": open_,
            "MaxAssignments": hit.places,
            "Reward": f"{money(kind['Reward'])}",
            "AutoApprovalDelayInSeconds": kind.get("AutoApprovalDelayInSeconds", 2_592_000),
            "Expiration": hit.expires,
            "AssignmentDurationInSeconds": kind["AssignmentDurationInSeconds"],
            "RequesterAnnotation": hit.annotation,
            "HITReviewStatus": "NotReviewed",
            "NumberOfAssignmentsPending": pending,
            "NumberOfAssignmentsAvailable": free,
            "NumberOfAssignmentsCompleted": sum(one.state in ("Approved", "Rejected") for one in own),
        }

    def _page(self, given: dict[str, Any], rows: str, found: Sequence[Any]) -> dict[str, Any]:
        """Results in pages, each with a token that leads to the next and works for this list only."""
        size = min(given.get("MaxResults", 10), self.largest_page)
        start = 0
        if "NextToken" in given:
            kind, start = self.paging.get(given["NextToken"], ("", 0))
            if kind != rows:
                raise TurkRefusal("AWS.MechanicalTurk.InvalidPageToken", "the token is not one of this list")
        page = found[start : start + size]
        answer: dict[str, Any] = {rows: page, "NumResults": len(page)}
        if start + size < len(found):
            token = new_id(40, LETTERS)
            self.paging[token] = (rows, start + size)
            answer["NextToken"] = token
        return answer


def _wire(value: Any) -> Any:
    if isinstance(value, datetime):
        return math.floor(value.timestamp() * 1000) / 1000
    raise TypeError(type(value))


def _shown(one: TurkAssignment) -> dict[str, Any]:
    told: dict[str, Any] = {
        "AssignmentId": one.id,
        "WorkerId": one.worker,
        "HITId": one.hit,
        "AssignmentStatus": one.state,
        "AcceptTime": one.accepted,
        "SubmitTime": one.submitted,
        "Deadline": one.deadline,
        "Answer": "".join(f"<Answer>{value}</Answer>" for value in one.answer.values()),
    }
    if one.state != "Submitted":
        told[{"Approved": "ApprovalTime", "Rejected": "RejectionTime"}[one.state]] = one.decided
    return told
