"""The workers' side of the stand-in for Mechanical Turk: accepting, returning, running out of time, handing in."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode
from xml.etree import ElementTree

from goldmark.connectors.mturk import ASSIGNMENT, HIT, PREVIEW, WORKER
from goldmark.simulate.platforms.mturk_checks import EXTERNAL, LETTERS, LOCALE, MASTERS, TurkRefusal
from goldmark.simulate.platforms.mturk_records import Hit, TurkAssignment, commission, money
from goldmark.simulate.platforms.server import Asked, StandIn, StandInAnswer, new_id


@dataclass
class TurkWorkers(StandIn):
    """Hits and the people who do them."""

    balance: Decimal = Decimal("10000.00")
    types: dict[str, dict[str, Any]] = field(default_factory=dict)  # of hits
    hits: dict[str, Hit] = field(default_factory=dict)
    assignments: dict[str, TurkAssignment] = field(default_factory=dict)
    lists: dict[str, dict[str, Any]] = field(default_factory=dict)  # qualification types
    held: dict[str, set[str]] = field(default_factory=dict)  # of each, who has it
    blocks: dict[str, str] = field(default_factory=dict)
    locales: dict[str, str] = field(default_factory=dict)  # where workers live; elsewhere US

    def open_hits(self, worker: str) -> list[str]:
        """Hits that this worker may accept."""
        with self.lock:
            self._timers()
            return [one.id for one in self.hits.values() if self._may(worker, one)]

    def _may(self, worker: str, hit: Hit) -> bool:
        mine = any(one.worker == worker and one.state not in ("Returned", "Abandoned") for one in self._of_hit(hit.id))
        if mine or worker in self.blocks or not self._free(hit) or hit.expires <= self.now():
            return False
        return all(self._meets(worker, one) for one in self.types[hit.kind].get("QualificationRequirements", []))

    def _meets(self, worker: str, asked: dict[str, Any]) -> bool:
        number = asked["QualificationTypeId"]
        if number in self.lists:
            return (worker in self.held[number]) is (asked["Comparator"] == "Exists")
        if number == LOCALE:
            return any(one["Country"] == self.locales.get(worker, "US") for one in asked["LocaleValues"])
        return True

    def take(self, worker: str, hit: str | None = None) -> TurkAssignment | None:
        """Accept a hit; None if there is none for this worker."""
        with self.lock:
            possible = self.open_hits(worker)
            chosen = hit if hit in possible else possible[0] if possible and hit is None else None
            if chosen is None:
                return None
            seconds = self.types[self.hits[chosen].kind]["AssignmentDurationInSeconds"]
            deadline = self.now() + timedelta(seconds=seconds)
            one = TurkAssignment(new_id(30, LETTERS), chosen, worker, self.now(), deadline)
            self.assignments[one.id] = one
            return one

    def give_back(self, assignment: str) -> None:
        with self.lock:
            one = self.assignments[assignment]
            if one.state == "Accepted":
                one.state = "Returned"

    def url(self, one: TurkAssignment | None, hit: str = "") -> str:
        """The address that stands in the frame; without an assignment, as a preview."""
        with self.lock:
            root = ElementTree.fromstring(self.hits[one.hit if one else hit].question)  # noqa: S314 - checked before
            place = root.findtext(f"{EXTERNAL}ExternalURL") or ""
            given = {ASSIGNMENT: one.id if one else PREVIEW, HIT: one.hit if one else hit}
            if one:
                given |= {WORKER: one.worker, "turkSubmitTo": self.address}
            return f"{place}{'&' if '?' in place else '?'}{urlencode(given)}"

    def _external_submit(self, asked: Asked) -> StandInAnswer:
        """What the worker's form sends. It must carry its assignment and at least one answer."""
        given = asked.form() if asked.method == "POST" else dict(asked.query)
        one = self.assignments.get(given.pop(ASSIGNMENT, ""))
        if one is None or not given or one.state != "Accepted":
            words = b"<p>There was a problem submitting your results for this HIT.</p>"
            return StandInAnswer(400, words, "text/html; charset=utf-8")
        one.state, one.submitted, one.answer = "Submitted", self.now(), given
        return StandInAnswer(200, b"<p id=thanks>The HIT has been submitted.</p>", "text/html; charset=utf-8")

    def _frame(self, number: str) -> StandInAnswer:
        """The workers' page: the task in a frame of another site."""
        one = self.assignments.get(number)
        address = self.url(one, "" if one else number).replace("&", "&amp;").replace('"', "&quot;")
        page = (
            f'<!doctype html><title>Worker</title><h1>A HIT</h1><iframe src="{address}" width=1100 height=800></iframe>'
        )
        return StandInAnswer(200, page.encode(), "text/html; charset=utf-8")

    def _of_hit(self, number: str) -> list[TurkAssignment]:
        return [one for one in self.assignments.values() if one.hit == number]

    def _free(self, hit: Hit) -> int:
        taken = sum(one.state not in ("Returned", "Abandoned") for one in self._of_hit(hit.id))
        return max(0, hit.places - taken)

    def _pay_reward(self, one: TurkAssignment) -> None:
        kind = self.types[self.hits[one.hit].kind]
        reward = money(kind["Reward"])
        masters = any(asked["QualificationTypeId"] in MASTERS for asked in kind.get("QualificationRequirements", []))
        self._charge(reward + commission(reward, masters=masters, many=self.hits[one.hit].places >= 10))

    def _charge(self, amount: Decimal) -> None:
        if amount > self.balance:
            raise TurkRefusal(
                "AWS.MechanicalTurk.InsufficientFunds", "This Requester has insufficient funds in their account"
            )
        self.balance -= amount

    def _timers(self) -> None:
        """Time that has passed: assignments are abandoned, and what was handed in is approved by itself."""
        for one in self.assignments.values():
            delay = self.types[self.hits[one.hit].kind].get("AutoApprovalDelayInSeconds", 2_592_000)
            if one.state == "Accepted" and self.now() > one.deadline:
                one.state = "Abandoned"
            elif one.state == "Submitted" and one.submitted and self.now() > one.submitted + timedelta(seconds=delay):
                self._pay_reward(one)
                one.state, one.decided = "Approved", self.now()
