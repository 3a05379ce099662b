"""A campaign that three people have finished, to be curated in a browser."""

from __future__ import annotations

from typing import Any

from goldmark.accounts.roles import Role
from goldmark.accounts.service import Account
from goldmark.campaigns.assignments.responses import Submission
from goldmark.campaigns.lifecycle import move
from goldmark.people.annotators import invite
from goldmark.people.invitations import open_campaign
from goldmark.web.services import Services
from tests.campaigns.plans import plan_from_parts
from tests.e2e.test_manage import Served, cookie

TEXT = (
    "The Foxes beat the Owls 98 - 90 on Friday at the Harbour Arena . "
    "Kim Lee had 30 points and 10 rebounds in a career night . "
    "The Owls shot poorly all evening . "
    "They have won six of their last seven games ."
)
WORDS = TEXT.split()
BOX = {"columns": ["Player", "Points", "Rebounds"], "rows": [["Kim Lee", 14, 4], ["Ada Ros", 30, 10]]}

Marks = list[tuple[str, str, str, str]]  # words, label, correction, comment
ANN: Marks = [
    ("Friday", "NAME", "Monday", ""),
    ("Kim Lee", "NAME", "Ada Ros", ""),
    ("career night", "CONTEXT", "", "she scored 41 in March"),
    ("seven", "NUMBER", "nine", ""),
]
BO: Marks = [
    ("Friday", "NAME", "Monday", ""),
    ("Kim Lee", "NAME", "Ada Ros", "the other forward"),
    ("poorly", "WORD", "well", ""),
    ("six of their last seven", "NUMBER", "six of nine", ""),
]
CY: Marks = [
    ("Friday", "NAME", "Monday", ""),
    ("30", "NUMBER", "14", ""),
    ("10", "NUMBER", "4", ""),
    ("career", "WORD", "", "not a record"),
]


def answer(marks: Marks, words: list[str] = WORDS) -> dict[str, Any]:
    found = []
    for number, (said, label, correction, comment) in enumerate(marks, start=1):
        wanted = said.split()
        start = next(at for at in range(len(words)) if words[at : at + len(wanted)] == wanted)
        more = {key: value for key, value in (("correction", correction), ("comment", comment)) if value}
        found.append({"id": f"e{number}", "start": start, "end": start + len(wanted), "label": label, **more})
    return {"mistakes": found}


class Studio:
    """A server with a campaign of `units` equal texts, and two curators."""

    def __init__(
        self,
        address: str,
        *,
        units: int = 2,
        rows: Any = None,
        answers: Any = None,
        protocol: str = "accuracy",
        **more: Any,
    ) -> None:
        self.services = Services.open(address)
        self.curators: dict[str, Account] = {
            name: self.services.accounts.create(name, Role.CURATOR, None, author="test") for name in ("Dee", "Eli")
        }
        rows = rows or [{"id": f"g{n}", "text": TEXT, "context": {"Box score": BOX}} for n in range(units)]
        settings = {"campaign": "games", "title": "Games", "protocol": protocol, "labels_per_unit": 3}
        settings |= {"texts": {"tokeniser": "whitespace"}, **more}
        plan = plan_from_parts(settings, rows=rows)
        self.invite = open_campaign(self.services.store, self.services.links, plan, author="test").invite
        move(self.services.store, "games", "started", author="test")
        people = {"Ann": answer(ANN), "Bo": answer(BO), "Cy": answer(CY)} if answers is None else answers
        for name, given in people.items():
            token = invite(self.services.store, self.services.links, "games", name, author="test")[1]
            for number in range(len(rows)):
                task = self.services.work.next(token).task
                assert task is not None
                self.services.responses.submit(token, task.id, Submission(given, f"{name}-key-{number}", None, 60.0))
        self.served = Served(self.services)

    def signed_in(self, name: str = "Dee") -> dict[str, Any]:
        secret = self.services.accounts.session_for(self.curators[name].id)
        return {"cookies": [cookie(secret, self.served.address)]}

    def address(self, unit: int = 1) -> str:
        return f"{self.served.address}/campaigns/games/curation/{unit}"

    def close(self) -> None:
        self.served.stop()
