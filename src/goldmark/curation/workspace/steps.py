"""Steps in order: what all of them lead to, and whether one more may follow.

Steps are appended and never changed. What is curated is all of them, one after the other, without those that were taken
back. The page folds them in the same way (static/js/curation/fold.js), which tests/curation/test_steps.py checks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import combinations
from typing import Any

from goldmark.curation.workspace.state import CuratedError, WorkspaceState
from goldmark.curation.workspace.step_kinds import (
    KINDS,
    CurationRules,
    Finish,
    NotInText,
    NotPossible,
    Undo,
    read_facts,
)
from goldmark.errors import Conflict, GoldmarkError


class MarksOverlap(Conflict):
    code = "CURATE-05"
    message = (
        "marks may not overlap here, and tokens {start}-{end} would overlap the mark on {other_start}-{other_end}; "
        "change, merge or drop that one first"
    )


class LabelNotKnown(GoldmarkError):
    code = "CURATE-06"
    message = "{label!r} cannot be chosen here; the labels are: {known}"


class AlreadyFinished(Conflict):
    code = "CURATE-08"
    message = "this text is finished; reopen it to change its list"


class StillUndecided(Conflict):
    code = "CURATE-09"
    message = "undecided among the proposed marks: {count}; accept or drop each of them first"


@dataclass(frozen=True, slots=True)
class CurationStep:
    """Something a curator did, when and why."""

    number: int  # from 1, in the order in which they count
    kind: str
    facts: Mapping[str, Any]
    reason: str = ""
    author: str = ""
    at: datetime | None = None  # None: the proposal that nobody has touched yet

    def to_json(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "kind": self.kind,
            "facts": dict(self.facts),
            "reason": self.reason,
            "author": self.author,
            "at": None if self.at is None else self.at.isoformat(),
        }


def in_force(steps: Sequence[CurationStep]) -> list[CurationStep]:
    """The steps that were not taken back. From the last to the first, for an undo may be undone itself."""
    undone: set[int] = set()
    kept = []
    for step in reversed(steps):
        if step.number not in undone:
            kept.append(step)
            if step.kind == "undo":
                undone.add(step.facts["step"])
    return kept[::-1]


def fold(steps: Sequence[CurationStep]) -> WorkspaceState:
    """What all steps together lead to."""
    state = WorkspaceState()
    for step in in_force(steps):
        state = read_facts(step.kind, step.facts).apply(state, step.number)
    return state


def apply(
    steps: Sequence[CurationStep], step: CurationStep, rules: CurationRules
) -> tuple[CurationStep, WorkspaceState]:
    """One more step, completed and checked against what the protocol and the text allow, and what it leads to."""
    before = fold(steps)
    facts = read_facts(step.kind, step.facts)
    if before.finished and not facts.when_finished:
        raise AlreadyFinished
    if isinstance(facts, Finish) and before.undecided():
        raise StillUndecided(count=len(before.undecided()))
    facts = facts.completed(before, rules)
    step = replace(step, facts=facts.model_dump(mode="json", exclude_none=True))
    after = _without(steps, step, facts) if isinstance(facts, Undo) else facts.apply(before, step.number)
    check(before, after, rules)
    return step, after


def _without(steps: Sequence[CurationStep], step: CurationStep, undo: Undo) -> WorkspaceState:
    meant = next((one for one in in_force(steps) if one.number == undo.step), None)
    if meant is None:
        raise NotPossible(why=f"there is no step {undo.step} that could be taken back")
    if not KINDS[meant.kind].takes_back:
        raise NotPossible(
            why=f"step {undo.step} was {meant.kind!r}, which cannot be taken back; reopen the text instead"
        )
    try:
        return fold([*steps, step])
    except GoldmarkError as error:
        raise NotPossible(why=f"later steps build on step {undo.step}; take those back first ({error})") from error


def check(before: WorkspaceState, after: WorkspaceState, rules: CurationRules) -> None:
    """Every mark that changed must be one that the protocol allows. What was there before is not judged again."""
    known = set(before.entries)
    changed = [one for one in after.entries if one.live and one not in known]
    for one in changed:
        if one.span.start < rules.first or one.span.end > rules.last:
            raise NotInText(start=one.span.start, end=one.span.end, first=rules.first, last=rules.last)
        labels = rules.labels if rules.labels is not None else ("",)
        if one.label not in labels:
            raise LabelNotKnown(label=one.label, known=", ".join(labels) or "none")
    if not rules.overlap:
        _apart([one for one in after.entries if one.live], {one.id for one in changed})


def _apart(live: Iterable[CuratedError], changed: set[str]) -> None:
    for one, other in combinations(live, 2):
        if one.span.overlaps(other.span) and changed & {one.id, other.id}:
            mine, theirs = (one, other) if one.id in changed else (other, one)
            raise MarksOverlap(
                start=mine.span.start, end=mine.span.end, other_start=theirs.span.start, other_end=theirs.span.end
            )
