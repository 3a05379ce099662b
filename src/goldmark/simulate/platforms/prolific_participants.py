"""The participants' side of the stand-in for Prolific: who finds a study, takes a place, hands in, runs out of time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from goldmark.connectors.prolific import PERSON, PROOF, SESSION, STUDY
from goldmark.simulate.platforms.prolific_checks import GROUP_FILTERS, ProlificRefusal
from goldmark.simulate.platforms.prolific_contacts import Contacts
from goldmark.simulate.platforms.prolific_records import (
    HEX,
    TAKEN,
    Payment,
    ProlificStudy,
    ProlificSubmission,
    with_fees,
)
from goldmark.simulate.platforms.server import Asked, StandInAnswer, new_id

Sign = Callable[[dict[str, Any]], str]


@dataclass
class Participants(Contacts):
    """Studies and the people in them."""

    studies: dict[str, ProlificStudy] = field(default_factory=dict)
    submissions: dict[str, ProlificSubmission] = field(default_factory=dict)
    payments: list[Payment] = field(default_factory=list)
    balance: int = 1_000_000
    currency: str = "USD"
    sign: Sign | None = None  # addresses of studies that ask for it

    def open_studies(self, person: str) -> list[str]:
        with self.lock:
            self._timers()
            return [one.id for one in self.studies.values() if self._may(person, one)]

    def _may(self, person: str, study: ProlificStudy) -> bool:
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

    def take(self, person: str, study: str | None = None) -> ProlificSubmission | None:
        """Take a place; None if there is none for this person."""
        with self.lock:
            possible = self.open_studies(person)
            chosen = study if study in possible else possible[0] if possible and study is None else None
            if chosen is None:
                return None
            minutes = float(self.studies[chosen].given.get("maximum_allowed_time", 60))
            one = ProlificSubmission(
                new_id(24, HEX), chosen, person, self.now(), self.now() + timedelta(minutes=minutes)
            )
            self.submissions[one.id] = one
            self._moves(one, "ACTIVE")
            return one

    def url(self, one: ProlificSubmission) -> str:
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

    def _screen_out(self, study: ProlificStudy) -> int:
        actions = [action for entry in study.given["completion_codes"] for action in entry["actions"]]
        return next((int(one["fixed_screen_out_reward"]) for one in actions if "fixed_screen_out_reward" in one), 0)

    def give_back(self, number: str) -> None:
        with self.lock:
            one = self.submissions[number]
            if one.status in ("ACTIVE", "AWAITING REVIEW"):
                self._moves(one, "RETURNED")

    def _complete_page(self, asked: Asked) -> StandInAnswer:
        return StandInAnswer(200, b"<p id=thanks>Back at Prolific.</p>", "text/html; charset=utf-8")

    def _timers(self) -> None:
        for one in list(self.submissions.values()):
            if one.status == "ACTIVE" and self.now() > one.deadline:
                self._moves(one, "TIMED-OUT")
        due = [one for one in self.payments if one.due <= self.now()]
        self.payments = [one for one in self.payments if one.due > self.now()]
        for payment in due:
            for number, cents in payment.bulk.lines:
                self.balance -= with_fees(cents)
                self.submissions[number].bonuses.append(cents)

    def _of(self, study: str) -> list[ProlificSubmission]:
        return [one for one in self.submissions.values() if one.study == study]

    def _moves(self, one: ProlificSubmission, status: str) -> None:
        one.status = status
        study = self.studies[one.study]
        places, own = int(study.given["total_available_places"]), self._of(study.id)
        full = sum(other.status in TAKEN for other in own) >= places
        if study.status == "ACTIVE" and full and not any(other.status in ("ACTIVE", "RESERVED") for other in own):
            study.status = "AWAITING REVIEW"
        if study.status == "AWAITING REVIEW":
            if sum(other.status == "APPROVED" for other in own) >= places:
                study.status = "COMPLETED"
            elif not full:
                study.status = "ACTIVE"

    def _charge(self, study: ProlificStudy, amount: int) -> None:
        cost = with_fees(amount)
        if cost > self.balance:
            raise ProlificRefusal("You do not have enough funds.")
        self.balance -= cost
