"""Prolific: one study for a posting, whose places grow; submissions, completion codes, bonuses in bulk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache, cached_property
from math import ceil, sqrt
from typing import Any

from goldmark.connectors.keys import key, maybe
from goldmark.connectors.prolific import PERSON, SESSION, STUDY
from goldmark.connectors.prolific.api import Api
from goldmark.connectors.prolific.options import ProlificOptions
from goldmark.connectors.prolific.tokens import TokenNotValid, claims
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
    PlatformOrder,
    PlatformRefused,
    SessionReport,
    SessionState,
    Snapshot,
    Statement,
    waits,
)

ADDRESS = "https://api.prolific.com"
PEOPLE = "https://app.prolific.com"
ENDPOINT = "GOLDMARK_PROLIFIC_ENDPOINT"  # another server that speaks the same, such as a rehearsal's
PAYS_WITHIN = timedelta(hours=1)  # bonuses are paid some minutes later; before that, what is not there may still come
STATES: dict[str, SessionState] = {
    "RESERVED": "open",
    "ACTIVE": "open",
    "AWAITING REVIEW": "submitted",
    "APPROVED": "approved",
    "PARTIALLY APPROVED": "approved",
    "REJECTED": "rejected",
    "RETURNED": "returned",
    "TIMED-OUT": "timed out",
    "SCREENED OUT": "screened out",
}
REJECTIONS = {
    "TOO_QUICKLY": "done too quickly",
    "TOO_SLOWLY": "done too slowly",
    "FAILED_INSTRUCTIONS": "the instructions were not followed",
    "INCOMP_LONGITUDINAL": "not all parts were done",
    "FAILED_CHECK": "attention checks were failed",
    "LOW_EFFORT": "little effort",
    "MALINGERING": "the answers were made up",
    "NO_CODE": "no completion code",
    "BAD_CODE": "a wrong completion code",
    "NO_DATA": "there are no answers",
    "UNSUPP_DEVICE": "a device that does not work",
    "OTHER": "another reason",
}
SHORTEST_REJECTION = 100  # characters that a participant is owed
TYPES = {"completed": "COMPLETED", "failed": "FAILED_ATTENTION_CHECK", "screened": "SCREENED_OUT"}


def open_prolific(live: bool) -> Prolific:
    """One account. There is no sandbox; unless `live`, studies stay drafts."""
    return _opened(maybe(ENDPOINT) or ADDRESS, key("PROLIFIC_TOKEN"), maybe("PROLIFIC_WORKSPACE"))


@cache  # one account for each process, as a rule
def _opened(address: str, token: str, workspace: str) -> Prolific:
    people = PEOPLE if address == ADDRESS else address
    return Prolific(Api(address, token), workspace=workspace, people=people)


class Prolific(Platform):
    name = "prolific"
    starts = True
    longest_bonus_list = 200

    def __init__(self, api: Api, *, workspace: str, people: str) -> None:
        self._api, self._given, self._people = api, workspace, people

    def close_connections(self) -> None:
        self._api.close()
        _opened.cache_clear()

    @cached_property
    def workspace(self) -> str:
        """The workspace that was named, or the account's first."""
        if self._given:
            return self._given
        found = self._api.get("/api/v1/workspaces/").get("results", [])
        if not found:
            raise PlatformRefused(platform="Prolific", why="this account has no workspace")
        return str(found[0]["id"])

    @cached_property
    def currency(self) -> str:  # type: ignore[override]
        return str(self._balance()["currency_code"])

    def _balance(self) -> Any:
        return self._api.get(f"/api/v1/workspaces/{self.workspace}/balance/")

    # What it would cost.

    def balance(self) -> int | None:
        return int(self._balance()["available_balance"])

    def estimate(self, offer: Offer, places: int) -> Cost:
        fee = ceil((self._total(offer.reward, places) - offer.reward * places) / places)
        out = ProlificOptions.model_validate(offer.options).screen_out
        extra = self._total(out.reward, out.slots) if out else 0
        return Cost(offer.reward, fee, places, self.currency, extra)

    def _total(self, reward: int, places: int) -> int:
        """What so many places cost with fees and tax."""
        asked = {"reward": reward, "total_available_places": places}
        return ceil(float(self._api.post("/api/v1/study-cost-calculator/", asked)["total_cost"]))

    def bonus_fee(self, amount: int) -> int:
        return max(0, self._total(amount, 1) - amount)

    # Orders.

    def publish(self, order: PlatformOrder) -> str:
        """A draft; or, of a study that there is already, more places."""
        if order.parts:
            self._api.patch(f"/api/v1/studies/{order.parts[0]}/", {"total_available_places": order.total})
            return order.parts[0]
        return str(self._api.post("/api/v1/studies/", self._study(order))["id"])

    def _study(self, order: PlatformOrder) -> dict[str, Any]:
        offer = order.offer
        given = ProlificOptions.model_validate(offer.options)
        parameters = "&".join(f"{one}={{{{%{one}%}}}}" for one in (PERSON, STUDY, SESSION))
        made: dict[str, Any] = {
            "name": offer.title,
            "internal_name": f"{offer.name} {order.token}",
            "description": offer.description,
            "external_study_url": f"{offer.address}?{parameters}",
            "prolific_id_option": "url_parameters",
            "completion_codes": _codes(offer, given),
            "total_available_places": order.places,
            "estimated_completion_time": max(1, round(offer.minutes)),
            "maximum_allowed_time": max(offer.minutes_allowed, _least_allowed(max(1, round(offer.minutes)))),
            "reward": offer.reward,
            "device_compatibility": list(given.devices),
            "peripheral_requirements": [],
            "filters": _filters(offer, given),
            "study_labels": list(given.labels),
            "submissions_config": {"max_submissions_per_participant": 1},
        }
        if given.project:
            made["project"] = given.project
        if given.secure:
            made["is_external_study_url_secure"] = True
        return made

    def start(self, order: PlatformOrder) -> str:
        return self._transition(order, "PUBLISH")

    def pause(self, order: PlatformOrder) -> str:
        return self._transition(order, "PAUSE")

    def resume(self, order: PlatformOrder) -> str:
        return self._transition(order, "START")

    def close(self, order: PlatformOrder) -> str:
        """Nobody else begins. A study that is full has ended by itself, and a draft is thrown away."""
        for part in order.parts:
            status = self._api.get(f"/api/v1/studies/{part}/")["status"]
            if status == "UNPUBLISHED":
                self._api.ask("DELETE", f"/api/v1/studies/{part}/")
            elif status in ("ACTIVE", "PAUSED"):
                self._api.post(f"/api/v1/studies/{part}/transition/", {"action": "STOP"})
        return ",".join(order.parts)

    def _transition(self, order: PlatformOrder, action: str) -> str:
        if not order.parts:
            raise PlatformRefused(platform="Prolific", why="there is no study yet")
        for part in order.parts:
            self._api.post(f"/api/v1/studies/{part}/transition/", {"action": action})
        return ",".join(order.parts)

    def approve(self, order: PlatformOrder) -> str:
        self._api.post(f"/api/v1/submissions/{order.session}/transition/", {"action": "APPROVE"})
        return order.session

    def reject(self, order: PlatformOrder) -> str:
        if len(order.words) < SHORTEST_REJECTION:
            why = f"a rejection must be explained in at least {SHORTEST_REJECTION} characters"
            raise PlatformRefused(platform="Prolific", why=why)
        asked = {"action": "REJECT", "message": order.words, "rejection_category": order.category}
        self._api.post(f"/api/v1/submissions/{order.session}/transition/", asked)
        return order.session

    def ask_return(self, order: PlatformOrder) -> str:
        asked = {"request_return_reasons": [order.words]}
        self._api.post(f"/api/v1/submissions/{order.session}/request-return/", asked)
        return order.session

    def bonus(self, order: PlatformOrder) -> str:
        """Set up, then paid. Only the second moves money, and it must never be asked twice."""
        lines = "\n".join(f"{session},{amount // 100}.{amount % 100:02d}" for session, amount in order.lines)
        asked = {"study_id": order.parts[0], "csv_bonuses": lines}
        made = self._api.post("/api/v1/submissions/bonus-payments/", asked)
        self._api.post(f"/api/v1/bulk-bonus-payments/{made['id']}/pay/", {})
        return str(made["id"])

    def message(self, order: PlatformOrder) -> str:
        person = order.person or self._submission(order.session)["participant"]
        asked = {"recipient_id": person, "body": order.words, "study_id": order.parts[0]}
        self._api.post("/api/v1/messages/", asked)
        return ""

    def enlist(self, order: PlatformOrder) -> str:
        person = order.person or self._submission(order.session)["participant"]
        self._api.post(f"/api/v1/participant-groups/{order.list}/participants/", {"participant_ids": [person]})
        return order.list

    def rejections(self) -> Mapping[str, str]:
        return REJECTIONS

    def _submission(self, session: str) -> Any:
        found = self._api.get(f"/api/v1/submissions/{session}/")
        return {**found, "participant": found.get("participant") or found.get("participant_id") or ""}

    # What became of an order.

    def look_up(self, order: PlatformOrder) -> LookedUp:
        find = getattr(self, f"_find_{order.verb}", None)
        if find is not None:
            found: LookedUp = find(order)
            return found
        return LookedUp("absent")  # given twice, it comes to the same

    def _find_publish(self, order: PlatformOrder) -> LookedUp:
        if order.parts:
            places = self._api.get(f"/api/v1/studies/{order.parts[0]}/")["total_available_places"]
            return LookedUp("done", order.parts[0]) if places >= order.total else LookedUp("absent")
        for one in self._api.get("/api/v1/studies/").get("results", []):
            if str(one.get("internal_name") or "").endswith(order.token):
                return LookedUp("done", str(one["id"]))
        return LookedUp("absent")

    def _find_start(self, order: PlatformOrder) -> LookedUp:
        return self._by_status(order, lambda status: status != "UNPUBLISHED")

    def _find_pause(self, order: PlatformOrder) -> LookedUp:
        return self._by_status(order, lambda status: status == "PAUSED")

    def _find_resume(self, order: PlatformOrder) -> LookedUp:
        return self._by_status(order, lambda status: status != "PAUSED")

    def _by_status(self, order: PlatformOrder, is_so: Any) -> LookedUp:
        now = all(is_so(self._api.get(f"/api/v1/studies/{part}/")["status"]) for part in order.parts)
        return LookedUp("done", ",".join(order.parts)) if now else LookedUp("absent")

    def _find_approve(self, order: PlatformOrder) -> LookedUp:
        return self._by_decision(order, "APPROVED")

    def _find_reject(self, order: PlatformOrder) -> LookedUp:
        return self._by_decision(order, "REJECTED")

    def _by_decision(self, order: PlatformOrder, wanted: str) -> LookedUp:
        found = self._submission(order.session)["status"] == wanted
        return LookedUp("done", order.session) if found else LookedUp("absent")

    def _find_ask_return(self, order: PlatformOrder) -> LookedUp:
        found = self._submission(order.session).get("return_requested")
        return LookedUp("done", order.session) if found else LookedUp("absent")

    def _find_bonus(self, order: PlatformOrder) -> LookedUp:
        """A bonus is there if the submission shows it beside those it had before."""
        there = 0
        for session, amount in order.lines:
            new = Counter(self._bonuses(session)) - Counter(order.paid.get(session, ()))
            there += new[amount] > 0
        if there == len(order.lines):
            return LookedUp("done", order.token)
        late = datetime.now(UTC) - order.sent_at > waits(PAYS_WITHIN)
        return LookedUp("absent" if late and not there else "unknown")

    def _bonuses(self, session: str) -> tuple[int, ...]:
        return tuple(round(one) for one in self._submission(session).get("bonus_payments") or ())

    def _find_message(self, order: PlatformOrder) -> LookedUp:
        person = order.person or self._submission(order.session)["participant"]
        sent = self._api.get("/api/v1/messages/", user_id=person).get("results", [])
        since = order.sent_at - timedelta(minutes=5)
        found = any(one.get("body") == order.words and _moment(one.get("sent_at"), since) >= since for one in sent)
        return LookedUp("done") if found else LookedUp("absent")

    # What there is.

    def list_of(self, name: str, about: str) -> str:
        groups = self._api.get("/api/v1/participant-groups/", workspace_id=self.workspace).get("results", [])
        for one in groups:
            if one.get("name") == name and not one.get("is_deleted"):
                return str(one["id"])
        asked = {"workspace_id": self.workspace, "name": name, "description": about}
        return str(self._api.post("/api/v1/participant-groups/", asked)["id"])

    def sync(self, parts: Sequence[str]) -> Snapshot:
        reports, sessions = [], []
        for part in parts:
            study = self._api.get(f"/api/v1/studies/{part}/")
            rows = list(self._api.pages("/api/v1/submissions/", study=part))
            found = [one for row in rows if (one := self._report(part, row, study)) is not None]
            taken = sum(one.state not in ("returned", "timed out", "rejected", "screened out") for one in found)
            places = int(study["total_available_places"])
            on_offer = study["status"] in ("ACTIVE", "PUBLISHING", "SCHEDULED", "PAUSED")
            reports.append(PartReport(part, places, max(0, places - taken) if on_offer else 0, None, on_offer))
            sessions += found
        return Snapshot(tuple(reports), tuple(sessions))

    def _report(self, part: str, row: Any, study: Any) -> SessionReport | None:
        state = STATES.get(row["status"])
        if state is None:  # unknown to Prolific itself, or to us: nothing is concluded from it
            return None
        at = row.get("completed_at") or row.get("started_at")
        paid = _screened(study) if state == "screened out" else None
        moment = _moment(at, None) if state != "open" else None
        person = row.get("participant_id") or row.get("participant") or ""
        return SessionReport(row["id"], part, person, state, moment, row.get("study_code") or "", paid)

    def fees(self, parts: Sequence[str]) -> int | None:
        return sum(_fees(self._api.get(f"/api/v1/studies/{part}/cost/")) for part in parts)

    def statement(self, parts: Sequence[str]) -> Statement:
        paid = []
        for part in parts:
            study = self._api.get(f"/api/v1/studies/{part}/")
            for row in self._api.pages("/api/v1/submissions/", study=part):
                reward = {"APPROVED": int(study["reward"]), "SCREENED OUT": _screened(study) or 0}.get(row["status"], 0)
                bonuses = self._bonuses(row["id"]) if row["status"] in ("APPROVED", "PARTIALLY APPROVED") else ()
                paid.append(PaidSession(row["id"], reward, bonuses))
        return Statement(tuple(paid), self.fees(parts))

    def subscribe(self, address: str) -> str:
        """A new secret of the workspace, and subscriptions to what changes studies and submissions."""
        secret = self._api.post("/api/v1/hooks/secrets/", {"workspace_id": self.workspace})["value"]
        for kind in ("submission.status.change", "study.status.change"):
            asked = {"workspace_id": self.workspace, "event_type": kind, "target_url": address}
            made = self._api.raw("POST", "/api/v1/hooks/subscriptions/", body=asked)
            proof = {"secret": made.headers.get("X-Hook-Secret", "")}
            self._api.post(f"/api/v1/hooks/subscriptions/{made.json()['id']}/", proof)
        return str(secret)

    # People.

    def confirm(self, arriving: Arriving, offer: Offer) -> Confirmation:
        """The signed parameters, if this study has them; and what the submission is, in any case."""
        try:
            if ProlificOptions.model_validate(offer.options).secure:
                said = claims(arriving.proof, self._api.public_keys(), address=offer.address)
                wanted = {PERSON: arriving.person, STUDY: arriving.part, SESSION: arriving.session}
                if any(said.get(name) != value for name, value in wanted.items()):
                    return Confirmation("denied", "the address was changed on the way")
            found = self._submission(arriving.session)
        except TokenNotValid as error:
            return Confirmation("denied", f"the address is not signed by Prolific: {error}")
        except PlatformRefused:
            return Confirmation("denied", "Prolific knows no such submission")
        except GoldmarkError as error:
            return Confirmation("not yet", str(error))
        if (found["participant"], found["study_id"]) != (arriving.person, arriving.part):
            return Confirmation("denied", "this submission is somebody else's")
        if found["status"] in ("RETURNED", "TIMED-OUT"):
            word = "returned" if found["status"] == "RETURNED" else "timed out"
            return Confirmation("denied", f"Prolific says that your submission was {word}")
        return Confirmation("proven")

    def farewell(self, session: str, outcome: Outcome, code: str, offer: Offer) -> Farewell | None:
        words = {
            "completed": later(
                "Your answers are saved. One more step: go back to Prolific, so that your work is counted."
            ),
            "failed": later("Thank you. Please go back to Prolific; a person will look at your work."),
            "screened": later("Thank you for trying. Please go back to Prolific, which tells you how this ends."),
        }[outcome]
        return Farewell(
            f"{self._people}/submissions/complete?cc={offer.codes[outcome]}", later("Back to Prolific"), words
        )


def _codes(offer: Offer, given: ProlificOptions) -> list[dict[str, Any]]:
    """What each completion code does. Nothing rejects or approves by itself: that is decided here."""
    review = {"action": "MANUALLY_REVIEW"}
    back = {"action": "REQUEST_RETURN", "return_reason": "Withdrew consent or could not take part"}
    screened: dict[str, Any] = back
    if given.screen_out:
        paid = {"fixed_screen_out_reward": given.screen_out.reward, "slots": given.screen_out.slots}
        screened = {"action": "FIXED_SCREEN_OUT_PAYMENT", **paid}
    actions = {"completed": review, "failed": review if given.failed == "review" else back, "screened": screened}
    return [
        {"code": code, "code_type": TYPES[outcome], "actions": [actions[outcome]], "actor": "participant"}
        for outcome, code in offer.codes.items()
    ]


def _filters(offer: Offer, given: ProlificOptions) -> list[dict[str, Any]]:
    """Prolific's own filters, and our lists as participant groups."""
    lists = {
        "participant_group_allowlist": (*offer.only, *given.allow_groups),
        "participant_group_blocklist": (*offer.never, *given.block_groups),
        "previous_studies_blocklist": given.block_studies,
    }
    own = [one.model_dump(mode="json", exclude_none=True) for one in given.filters]
    return own + [{"filter_id": name, "selected_values": list(ids)} for name, ids in lists.items() if ids]


def _least_allowed(minutes: int) -> int:
    """Prolific gives people at least two minutes plus twice the time plus twice its square root."""
    return ceil(2 + 2 * minutes + 2 * sqrt(minutes))


def _screened(study: Any) -> int | None:
    for code in study.get("completion_codes") or ():
        for action in code.get("actions") or ():
            if "fixed_screen_out_reward" in action:
                return int(action["fixed_screen_out_reward"])
    return None


def _fees(cost: Any) -> int:
    """Fees and tax, of rewards and of bonuses."""
    parts = [cost.get(kind) or {} for kind in ("rewards", "bonuses")]
    amounts = [(one.get(name) or {}).get("amount") or 0 for one in parts for name in ("fees", "tax")]
    return sum(round(float(one)) for one in amounts)


def _moment(said: Any, otherwise: Any) -> Any:
    try:
        found = datetime.fromisoformat(str(said))
    except ValueError:
        return otherwise
    return found if found.tzinfo else found.replace(tzinfo=UTC)
