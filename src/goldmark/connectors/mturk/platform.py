"""Amazon Mechanical Turk, through boto3: hits with an external question, of at most nine assignments each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any
from xml.sax.saxutils import escape

from goldmark.connectors.keys import key, maybe
from goldmark.connectors.mturk import ASSIGNMENT
from goldmark.connectors.mturk.fees import LARGEST_HIT, fee
from goldmark.connectors.mturk.options import TurkOptions
from goldmark.errors import GoldmarkError
from goldmark.languages import later
from goldmark.people.platform import (
    Arriving,
    Confirmation,
    Cost,
    Farewell,
    LookedUp,
    Offer,
    Outcome,
    PaidSession,
    PartReport,
    Platform,
    PlatformBusy,
    PlatformOrder,
    PlatformRefused,
    PlatformSilent,
    SessionReport,
    SessionState,
    Snapshot,
    Statement,
    waits,
)

SANDBOX = "https://mturk-requester-sandbox.us-east-1.amazonaws.com"
PRODUCTION = "https://mturk-requester.us-east-1.amazonaws.com"
WORKERS_SANDBOX = "https://workersandbox.mturk.com"
WORKERS = "https://www.mturk.com"
ENDPOINT = "GOLDMARK_MTURK_ENDPOINT"  # another server that speaks the same, such as a rehearsal's
SECONDS = 30  # that a request may take
SETTLES = timedelta(minutes=2)  # before what is not listed is believed not to be there
LONG_AGO = datetime(2015, 1, 1, tzinfo=UTC)  # to which a hit is set that nobody may accept any more
SCHEMA = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/ExternalQuestion.xsd"
LOCALE, APPROVED_PERCENT, APPROVED_HITS, ADULT = (
    "00000000000000000071",
    "000000000000000000L0",
    "00000000000000000040",
    "00000000000000000060",
)
MASTERS = {True: "2F1QJWKUDD8XADTFD2Q0G6UTO95ALH", False: "2ARFPLSP75KLA8M8DH1HTEQVJT3SY6"}  # live, sandbox
BUSY = {"ThrottlingException", "Throttling", "TooManyRequestsException", "RequestLimitExceeded", "SlowDown"}
STATES: dict[str, SessionState] = {"Submitted": "submitted", "Approved": "approved", "Rejected": "rejected"}


class MTurkNotInstalled(GoldmarkError):
    code = "MTURK-01"
    message = "Mechanical Turk needs boto3; install it with: pip install 'goldmark[mturk]'"


def open_mturk(live: bool) -> MTurk:
    """The sandbox unless `live`, with the keys of an AWS account."""
    endpoint = maybe(ENDPOINT)
    secrets = key("AWS_ACCESS_KEY_ID"), key("AWS_SECRET_ACCESS_KEY"), maybe("AWS_SESSION_TOKEN")
    client = _client(endpoint or (PRODUCTION if live else SANDBOX), *secrets)
    return MTurk(client, live=live, workers=endpoint or (WORKERS if live else WORKERS_SANDBOX))


@cache  # one account for each process, as a rule
def _client(endpoint: str, *secrets: str) -> Any:
    """Made once: it takes a fifth of a second. It never repeats a request by itself; that is decided by the journal."""
    try:
        import boto3
        from botocore.config import Config
    except ImportError as error:
        raise MTurkNotInstalled from error
    config = Config(retries={"total_max_attempts": 1}, connect_timeout=10, read_timeout=SECONDS)
    return boto3.client(
        "mturk",
        region_name="us-east-1",
        endpoint_url=endpoint,
        aws_access_key_id=secrets[0],
        aws_secret_access_key=secrets[1],
        aws_session_token=secrets[2] or None,
        config=config,
    )


class MTurk(Platform):
    name = "mturk"
    currency = "USD"

    def __init__(self, client: Any, *, live: bool, workers: str) -> None:
        self._client, self._live, self._workers = client, live, workers

    def close_connections(self) -> None:
        self._client.close()
        _client.cache_clear()

    def _call(self, operation: str, **given: Any) -> Any:
        """One request; what went wrong says whether it may have been carried out."""
        from botocore.exceptions import BotoCoreError, ClientError, ConnectTimeoutError, EndpointConnectionError

        try:
            return getattr(self._client, operation)(**given)
        except ClientError as error:
            said, status = (
                error.response.get("Error", {}),
                error.response.get("ResponseMetadata", {}).get("HTTPStatusCode"),
            )
            why = f"{said.get('Message') or said.get('Code')}"
            if said.get("Code") in BUSY or status in (429, 503):
                raise PlatformBusy(platform="Mechanical Turk", why=why) from error
            if status is not None and status >= 500:
                raise PlatformSilent(platform="Mechanical Turk", why=why) from error
            raise PlatformRefused(platform="Mechanical Turk", why=why) from error
        except (EndpointConnectionError, ConnectTimeoutError) as error:
            raise PlatformBusy(platform="Mechanical Turk", why="it cannot be reached") from error
        except BotoCoreError as error:
            raise PlatformSilent(platform="Mechanical Turk", why=type(error).__name__) from error

    def _pages(self, operation: str, rows: str, **given: Any) -> Iterator[Any]:
        more: dict[str, Any] = {}
        while True:
            page = self._call(operation, **given, **more, MaxResults=100)
            yield from page.get(rows, ())
            if not page.get("NextToken"):
                return
            more = {"NextToken": page["NextToken"]}

    # What it would cost.

    def balance(self) -> int | None:
        return _cents(self._call("get_account_balance")["AvailableBalance"])

    def estimate(self, offer: Offer, places: int) -> Cost:
        return Cost(offer.reward, self.fee_of_place(offer.reward, offer), places, self.currency)

    def fee_of_place(self, reward: int, offer: Offer) -> int:
        return fee(reward, masters=TurkOptions.model_validate(offer.options).masters)

    def fee_of_bonus(self, amount: int) -> int:
        return fee(amount)

    def bonus_fee(self, amount: int) -> int:
        return fee(amount)

    def sizes(self, places: int) -> Sequence[int]:
        """Nines: ten assignments or more of one hit cost twice the fee."""
        full, rest = divmod(places, LARGEST_HIT)
        return [LARGEST_HIT] * full + ([rest] if rest else [])

    # Orders.

    def publish(self, order: PlatformOrder) -> str:
        offer = order.offer
        kind = self._call(
            "create_hit_type",
            Title=offer.title,
            Description=offer.description,
            Reward=_dollars(offer.reward),
            Keywords=", ".join(offer.keywords),
            AssignmentDurationInSeconds=offer.minutes_allowed * 60,
            AutoApprovalDelayInSeconds=offer.approve_days * 24 * 60 * 60,
            QualificationRequirements=self._requirements(offer),
        )["HITTypeId"]
        try:
            made = self._call(
                "create_hit_with_hit_type",
                HITTypeId=kind,
                MaxAssignments=order.places,
                LifetimeInSeconds=offer.days * 24 * 60 * 60,
                Question=question(offer),
                RequesterAnnotation=order.token,
                UniqueRequestToken=order.token,
            )
        except PlatformRefused as refusal:
            return self._unless_there(order, refusal, self._find_hit)
        return str(made["HIT"]["HITId"])

    def _unless_there(
        self, order: PlatformOrder, refusal: PlatformRefused, find: Callable[[PlatformOrder], str | None]
    ) -> str:
        """A token is taken once. What was refused because it was carried out before was carried out."""
        found = find(order)
        if found is None:
            raise refusal
        return found

    def _requirements(self, offer: Offer) -> list[dict[str, Any]]:
        given = TurkOptions.model_validate(offer.options)
        guarded = {"ActionsGuarded": "DiscoverPreviewAndAccept"}
        found: list[dict[str, Any]] = [
            {"QualificationTypeId": one, "Comparator": "DoesNotExist", **guarded} for one in offer.never
        ]
        found += [{"QualificationTypeId": one, "Comparator": "Exists", **guarded} for one in offer.only]
        if given.locales:
            places = [dict(zip(("Country", "Subdivision"), one.split("-"), strict=False)) for one in given.locales]
            found.append({"QualificationTypeId": LOCALE, "Comparator": "In", "LocaleValues": places, **guarded})
        for number, least in ((APPROVED_PERCENT, given.approved_percent), (APPROVED_HITS, given.approved_hits)):
            if least is not None:
                asked = {"Comparator": "GreaterThanOrEqualTo", "IntegerValues": [least]}
                found.append({"QualificationTypeId": number, **asked, **guarded})
        if given.masters:
            found.append({"QualificationTypeId": MASTERS[self._live], "Comparator": "Exists", **guarded})
        if given.adult:
            found.append({"QualificationTypeId": ADULT, "Comparator": "EqualTo", "IntegerValues": [1], **guarded})
        return found

    def close(self, order: PlatformOrder) -> str:
        return self._expire(order, LONG_AGO)

    def pause(self, order: PlatformOrder) -> str:
        return self._expire(order, LONG_AGO)

    def resume(self, order: PlatformOrder) -> str:
        return self._expire(order, order.sent_at + timedelta(days=order.days or order.offer.days))

    def extend(self, order: PlatformOrder) -> str:
        return self._expire(order, order.sent_at + timedelta(days=order.days or order.offer.days))

    def _expire(self, order: PlatformOrder, at: datetime) -> str:
        for part in order.parts:
            self._call("update_expiration_for_hit", HITId=part, ExpireAt=at)
        return ",".join(order.parts)

    def approve(self, order: PlatformOrder) -> str:
        feedback = {"RequesterFeedback": order.words[:1000]} if order.words else {}
        return self._decide(
            order, "Approved", lambda: self._call("approve_assignment", AssignmentId=order.session, **feedback)
        )

    def reject(self, order: PlatformOrder) -> str:
        said = order.words[:1000]
        return self._decide(
            order,
            "Rejected",
            lambda: self._call("reject_assignment", AssignmentId=order.session, RequesterFeedback=said),
        )

    def _decide(self, order: PlatformOrder, wanted: str, ask: Callable[[], Any]) -> str:
        try:
            ask()
        except PlatformRefused:
            if self._assignment(order.session).get("AssignmentStatus") != wanted:  # said before, by whomever
                raise
        return order.session

    def bonus(self, order: PlatformOrder) -> str:
        ((session, amount),) = order.lines
        worker = self._assignment(session)["WorkerId"]
        try:
            self._call(
                "send_bonus",
                WorkerId=worker,
                AssignmentId=session,
                BonusAmount=_dollars(amount),
                Reason=_with_reference(order),
                UniqueRequestToken=order.token,
            )
        except PlatformRefused as refusal:
            return self._unless_there(order, refusal, self._find_bonus)
        return order.token

    def message(self, order: PlatformOrder) -> str:
        subject = order.subject[:200] or order.offer.title[:200]
        sent = self._call(
            "notify_workers", Subject=subject, MessageText=order.words[:4096], WorkerIds=[self._worker(order)]
        )
        failed = sent.get("NotifyWorkersFailureStatuses") or []
        if failed:
            raise PlatformRefused(platform="Mechanical Turk", why=str(failed[0].get("NotifyWorkersFailureMessage")))
        return ""

    def block(self, order: PlatformOrder) -> str:
        self._call("create_worker_block", WorkerId=self._worker(order), Reason=order.words)
        return ""

    def unblock(self, order: PlatformOrder) -> str:
        self._call("delete_worker_block", WorkerId=self._worker(order), Reason=order.words)
        return ""

    def enlist(self, order: PlatformOrder) -> str:
        self._call(
            "associate_qualification_with_worker",
            QualificationTypeId=order.list,
            WorkerId=self._worker(order),
            IntegerValue=1,
            SendNotification=False,
        )
        return order.list

    def _assignment(self, session: str) -> Any:
        return self._call("get_assignment", AssignmentId=session)["Assignment"]

    def _worker(self, order: PlatformOrder) -> str:
        """Whom an order is about: as we know them, or, if that was erased, as the platform does."""
        return order.person or str(self._assignment(order.session)["WorkerId"])

    # What became of an order.

    def look_up(self, order: PlatformOrder) -> LookedUp:
        find = {
            "publish": self._find_hit,
            "approve": self._find_decision,
            "reject": self._find_decision,
            "bonus": self._find_bonus,
        }
        if order.verb in find:
            reference = find[order.verb](order)
            if reference is not None:
                return LookedUp("done", reference)
            return LookedUp("absent" if datetime.now(UTC) - order.sent_at > waits(SETTLES) else "unknown")
        # A message cannot be looked up; all other orders come to the same if they are given twice.
        return LookedUp("unknown" if order.verb == "message" else "absent")

    def _find_hit(self, order: PlatformOrder) -> str | None:
        hits = self._pages("list_hits", "HITs")
        return next((str(one["HITId"]) for one in hits if one.get("RequesterAnnotation") == order.token), None)

    def _find_decision(self, order: PlatformOrder) -> str | None:
        wanted = "Approved" if order.verb == "approve" else "Rejected"
        return order.session if self._assignment(order.session)["AssignmentStatus"] == wanted else None

    def _find_bonus(self, order: PlatformOrder) -> str | None:
        ((session, _),) = order.lines
        paid = self._pages("list_bonus_payments", "BonusPayments", AssignmentId=session)
        return next((order.token for one in paid if one.get("Reason") == _with_reference(order)), None)

    # What there is.

    def list_of(self, name: str, about: str) -> str:
        found = self._find_list(name)
        if found is None:
            try:
                made = self._call(
                    "create_qualification_type", Name=name, Description=about, QualificationTypeStatus="Active"
                )
                return str(made["QualificationType"]["QualificationTypeId"])
            except PlatformRefused:  # somebody else made it at the same moment
                found = self._find_list(name)
                if found is None:
                    raise
        return found

    def _find_list(self, name: str) -> str | None:
        lists = self._pages(
            "list_qualification_types",
            "QualificationTypes",
            Query=name,
            MustBeRequestable=False,
            MustBeOwnedByCaller=True,
        )
        return next((str(one["QualificationTypeId"]) for one in lists if one.get("Name") == name), None)

    def sync(self, parts: Sequence[str]) -> Snapshot:
        reports, sessions = [], []
        for part in parts:
            hit = self._call("get_hit", HITId=part)["HIT"]
            on_offer = hit["HITStatus"] in ("Assignable", "Unassignable") and hit["Expiration"] > datetime.now(UTC)
            reports.append(
                PartReport(
                    part,
                    hit["MaxAssignments"],
                    hit["NumberOfAssignmentsAvailable"] if on_offer else 0,
                    hit["NumberOfAssignmentsPending"],
                    on_offer,
                )
            )
            sessions += [_report(one) for one in self._assignments(part)]
        return Snapshot(tuple(reports), tuple(sessions))

    def _assignments(self, part: str) -> Iterator[Any]:
        return self._pages("list_assignments_for_hit", "Assignments", HITId=part, AssignmentStatuses=list(STATES))

    def statement(self, parts: Sequence[str]) -> Statement:
        paid = []
        for part in parts:
            reward = _cents(self._call("get_hit", HITId=part)["HIT"]["Reward"])
            bonuses: dict[str, list[int]] = {}
            for one in self._pages("list_bonus_payments", "BonusPayments", HITId=part):
                bonuses.setdefault(one["AssignmentId"], []).append(_cents(one["BonusAmount"]))
            for one in self._assignments(part):
                got = reward if one["AssignmentStatus"] == "Approved" else 0
                paid.append(PaidSession(one["AssignmentId"], got, tuple(bonuses.get(one["AssignmentId"], ()))))
        return Statement(tuple(paid), None)

    # People.

    def confirm(self, arriving: Arriving, offer: Offer) -> Confirmation:
        """Before an assignment is handed in, the platform says only how many people are at work on its hit."""
        try:
            hit = self._call("get_hit", HITId=arriving.part)["HIT"]
            known = self._handed_in(arriving.session)
        except PlatformRefused:
            return Confirmation("denied", "Mechanical Turk knows no such hit of ours")
        except GoldmarkError as error:
            return Confirmation("not yet", str(error))
        if known is None:
            return Confirmation("plausible", at_work=hit["NumberOfAssignmentsPending"])
        if (known["WorkerId"], known["HITId"]) != (arriving.person, arriving.part):
            return Confirmation("denied", "this assignment is somebody else's")
        return Confirmation("proven")

    def _handed_in(self, session: str) -> Any:
        if not re.fullmatch(r"[A-Z0-9]{1,64}", session):
            raise PlatformRefused(platform="Mechanical Turk", why="no assignment is called so")
        try:
            return self._assignment(session)
        except PlatformRefused:  # it is not handed in, or there is none
            return None

    def farewell(self, session: str, outcome: Outcome, code: str, offer: Offer) -> Farewell | None:
        words = later("Your answers are saved. One more step: hand in the HIT, so that you are paid.")
        address, form = f"{self._workers}/mturk/externalSubmit", {ASSIGNMENT: session, "code": code or "done"}
        return None if outcome == "screened" else Farewell(address, later("Submit the HIT"), words, form)


def question(offer: Offer) -> str:
    """The page that Mechanical Turk shows in its frame."""
    height = TurkOptions.model_validate(offer.options).frame_height
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><ExternalQuestion xmlns="{SCHEMA}">'
        f"<ExternalURL>{escape(offer.address)}</ExternalURL><FrameHeight>{height}</FrameHeight></ExternalQuestion>"
    )


def _report(one: Any) -> SessionReport:
    state = STATES[one["AssignmentStatus"]]
    at = one.get({"submitted": "SubmitTime", "approved": "ApprovalTime", "rejected": "RejectionTime"}[state])
    return SessionReport(one["AssignmentId"], one["HITId"], one["WorkerId"], state, at or one.get("SubmitTime"))


def _with_reference(order: PlatformOrder) -> str:
    """The words of a bonus, with what it is found again by."""
    return f"{order.words} (ref. {order.token[-10:]})"


def _dollars(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02d}"


def _cents(dollars: str) -> int:
    whole, _, part = dollars.partition(".")
    return int(whole) * 100 + int(f"{part:0<2.2}")
