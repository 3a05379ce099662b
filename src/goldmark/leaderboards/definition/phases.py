"""Phases of a board: one to practise in, with data of its own, and the test, with limits."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from goldmark.errors import Conflict, GoldmarkError, Missing
from goldmark.leaderboards.definition.settings import BoardSettings, PhaseName, moment

if TYPE_CHECKING:
    from goldmark.leaderboards.definition.boards import BoardRow


class PhaseNotOpen(Conflict):
    code = "PHASE-01"
    message = "the phase {phase!r} of {board!r} takes no submissions now: {why}"


class SayWhichPhase(GoldmarkError):
    code = "PHASE-02"
    message = "{board!r} takes submissions in two phases now; say which: development or test"


class UnknownPhase(Missing):
    code = "PHASE-03"
    message = "{board!r} has no phase {phase!r}; it has {known}"


@dataclass(frozen=True)
class Phase:
    """When submissions are taken, and how many of a team within so many days."""

    name: PhaseName
    opens: datetime | None
    closes: datetime | None
    at_most: int | None
    days: int

    def why_not(self, now: datetime) -> str:
        """Why nothing is taken at this moment; nothing if it is."""
        if self.opens is not None and now < self.opens:
            return f"it opens {_said(self.opens)}"
        if self.closes is not None and now >= self.closes:
            return f"it closed {_said(self.closes)}"
        return ""

    def state(self, now: datetime) -> str:
        return "open" if not self.why_not(now) else "planned" if self.opens and now < self.opens else "over"


def _said(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"


def phases_of(settings: BoardSettings) -> list[Phase]:
    """The phases of a board in their order."""
    rules, practice = settings.submit, settings.development
    test = Phase(
        "test",
        moment(rules.opens, rules.zone),
        moment(rules.closes, rules.zone, end=True),
        rules.at_most,
        rules.days,
    )
    if practice is None:
        return [test]
    opens, closes = moment(practice.opens, rules.zone), moment(practice.closes, rules.zone, end=True)
    return [Phase("development", opens, closes, practice.at_most, practice.days), test]


def phase_named(row: BoardRow, name: str) -> Phase:
    known = phases_of(row.settings)
    for one in known:
        if one.name == name:
            return one
    raise UnknownPhase(board=row.name, phase=name, known=" and ".join(one.name for one in known))


def phase_for(row: BoardRow, wanted: str, now: datetime) -> Phase:
    """The phase in which a submission is meant: the one that is named, else the only one that is open."""
    known = phases_of(row.settings)
    if wanted:
        found = phase_named(row, wanted)
    else:
        open_now = [one for one in known if not one.why_not(now)]
        if len(open_now) > 1:
            raise SayWhichPhase(board=row.name)
        found = open_now[0] if open_now else known[-1]
    if why := found.why_not(now):
        raise PhaseNotOpen(phase=found.name, board=row.name, why=why)
    return found


def withheld(row: BoardRow, now: datetime) -> bool:
    """Whether results of the test wait for its end."""
    if row.settings.submit.feedback == "at once" or row.closed_at is not None:
        return False
    closes = phase_named(row, "test").closes
    return closes is None or now < closes
