"""What a curator can do to a text's marks: each kind of step checks its facts and says what they change.

Steps are appended and never changed. What is curated is all of them, one after the other, without those that were taken
back. The page folds them in the same way (static/js/curation/fold.js), which tests/curation/test_steps.py checks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import combinations
from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from goldmark.curation.desk_state import DeskState, Entry, best_label, merged
from goldmark.errors import GoldmarkError, Kind
from goldmark.records.spans import Span


class UnknownStep(GoldmarkError):
    code = "CURATE-02"
    message = "there is no step {kind!r}; a step is one of: {known}"


class FactsNotUnderstood(GoldmarkError):
    code = "CURATE-03"
    message = "the step {kind!r} is not complete: {what}"


class NotInText(GoldmarkError):
    code = "CURATE-04"
    message = "tokens {start}-{end} cannot be marked: the judged part of the text is {first}-{last}"


class MarksOverlap(GoldmarkError):
    code = "CURATE-05"
    kind = Kind.CONFLICT
    message = (
        "marks may not overlap here, and tokens {start}-{end} would overlap the mark on {other_start}-{other_end}; "
        "change, merge or drop that one first"
    )


class LabelNotKnown(GoldmarkError):
    code = "CURATE-06"
    message = "{label!r} cannot be chosen here; the labels are: {known}"


class NotPossible(GoldmarkError):
    code = "CURATE-07"
    kind = Kind.CONFLICT
    message = "{why}"


class AlreadyFinished(GoldmarkError):
    code = "CURATE-08"
    kind = Kind.CONFLICT
    message = "this text is finished; reopen it to change its list"


class StillUndecided(GoldmarkError):
    code = "CURATE-09"
    kind = Kind.CONFLICT
    message = "{count} of the proposed marks are undecided; accept or drop each of them first"


@dataclass(frozen=True, slots=True)
class Rules:
    """What the protocol and the text allow."""

    first: int  # the judged part, in tokens
    last: int
    overlap: bool = False
    labels: tuple[str, ...] | None = None  # None: marks have no label here
    priority: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
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


MarkId = Annotated[str, Field(pattern=r"^[0-9]{1,9}\.[0-9]{1,9}$")]
Position = Annotated[int, Field(ge=0, le=10_000_000)]
Words = Annotated[str, Field(max_length=2_000, pattern=r"^[^\x00]*$")]
Label = Annotated[str, Field(max_length=200, pattern=r"^[^\x00]*$")]


class Facts(BaseModel):
    """The facts of one kind of step; unknown ones are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    takes_back: ClassVar[bool] = True  # may it be undone?
    when_finished: ClassVar[bool] = False  # may it be done to a finished text?

    def apply(self, state: DeskState, number: int) -> DeskState:
        raise NotImplementedError

    def completed(self, state: DeskState, rules: Rules) -> Facts:
        """With what the sender may leave out, so that the step means the same for ever."""
        return self

    def touched(self) -> set[str]:
        """The marks that it is about."""
        named = [getattr(self, "mark", None), getattr(self, "other", None), *getattr(self, "marks", ())]
        return {one for one in named if one}


KINDS: dict[str, type[Facts]] = {}
Kept = TypeVar("Kept", bound=type[Facts])


def kind_of_step(name: str) -> Callable[[Kept], Kept]:
    def keep(cls: Kept) -> Kept:
        KINDS[name] = cls
        return cls

    return keep


@kind_of_step("begin")
class Begin(Facts):
    """Take the proposal made from these answers; also again, when more people have answered."""

    responses: tuple[str, ...]
    annotators: tuple[str, ...]
    entries: tuple[dict[str, Any], ...]

    def apply(self, state: DeskState, number: int) -> DeskState:
        entries = [Entry.from_json(one) for one in self.entries]
        return DeskState((), self.annotators, self.responses, state.note).put(*entries)


@kind_of_step("accept")
class Accept(Facts):
    """Keep a proposed mark, bring back a dropped one, or take in one that the proposal left out."""

    mark: MarkId

    def apply(self, state: DeskState, number: int) -> DeskState:
        return state.put(replace(state.entry(self.mark), status="accepted"))


@kind_of_step("drop")
class Drop(Facts):
    """It is no error, or not one of its own."""

    mark: MarkId

    def apply(self, state: DeskState, number: int) -> DeskState:
        return state.put(replace(state.entry(self.mark), status="dropped"))


class _Settles(Facts):
    """A mark that a curator has changed is one that they keep."""

    mark: MarkId

    def apply(self, state: DeskState, number: int) -> DeskState:
        return state.put(replace(self.change(state.entry(self.mark)), status="accepted"))

    def change(self, entry: Entry) -> Entry:
        raise NotImplementedError


@kind_of_step("change_span")
class ChangeSpan(_Settles):
    start: Position
    end: Position

    def change(self, entry: Entry) -> Entry:
        return entry.moved(Span(self.start, self.end))


@kind_of_step("change_label")
class ChangeLabel(_Settles):
    label: Label

    def change(self, entry: Entry) -> Entry:
        return entry.relabelled(self.label)


@kind_of_step("change_correction")
class ChangeCorrection(Facts):
    """What should have stood there; whether the mark stays is another question."""

    mark: MarkId
    correction: Words

    def apply(self, state: DeskState, number: int) -> DeskState:
        return state.put(replace(state.entry(self.mark), correction=self.correction))


@kind_of_step("change_comment")
class ChangeComment(Facts):
    mark: MarkId
    comment: Words

    def apply(self, state: DeskState, number: int) -> DeskState:
        return state.put(replace(state.entry(self.mark), comment=self.comment))


@kind_of_step("merge")
class Merge(Facts):
    """Several marks are one error; the new mark covers them all."""

    marks: Annotated[tuple[MarkId, ...], Field(min_length=2, max_length=50)]
    label: Label | None = None

    def completed(self, state: DeskState, rules: Rules) -> Facts:
        if self.label is not None:
            return self
        labels = [state.entry(one).label for one in self.marks]
        return self.model_copy(update={"label": best_label(labels, rules.priority)})

    def apply(self, state: DeskState, number: int) -> DeskState:
        some = [state.entry(one) for one in dict.fromkeys(self.marks)]
        if len(some) < 2:
            raise NotPossible(why="a mark cannot be merged with itself; name two")
        return state.put(merged(some, f"{number}.1", self.label or some[0].label), instead_of=self.marks)


@kind_of_step("split")
class Split(Facts):
    """One mark is two errors; the second begins at a token inside it."""

    mark: MarkId
    at: Position

    def apply(self, state: DeskState, number: int) -> DeskState:
        whole = state.entry(self.mark)
        if not whole.span.start < self.at < whole.span.end:
            span = f"{whole.span.start}-{whole.span.end}"
            raise NotPossible(why=f"the mark {span} cannot be split at {self.at}; split it at a token inside it")
        parts = []
        for place, part in enumerate((Span(whole.span.start, self.at), Span(self.at, whole.span.end)), start=1):
            entry = replace(whole, id=f"{number}.{place}", span=part, status="accepted")
            sources = [one for one in whole.sources if one.other_form or one.span.overlaps(part)]
            parts.append(entry.with_sources(sources))
        return state.put(*parts, instead_of=[whole.id])


@kind_of_step("add")
class Add(Facts):
    """An error that nobody marked."""

    start: Position
    end: Position
    label: Label = ""
    correction: Words = ""
    comment: Words = ""

    def apply(self, state: DeskState, number: int) -> DeskState:
        span = Span(self.start, self.end)
        entry = Entry(f"{number}.1", span, self.label, "accepted", self.correction, self.comment)
        return state.put(entry)


@kind_of_step("same_meaning")
class SameMeaning(Facts):
    """Whoever marked the other meant this one: they count as its finders, and the other is gone."""

    mark: MarkId
    other: MarkId

    def apply(self, state: DeskState, number: int) -> DeskState:
        if self.mark == self.other:
            raise NotPossible(why="a mark means the same as itself already; name another one")
        other = state.entry(self.other)
        return state.put(state.entry(self.mark).also_said(other.sources), instead_of=[other.id])


@kind_of_step("note")
class Note(Facts):
    """A curator's note on one mark, or on the whole text."""

    mark: MarkId | None = None
    note: Words

    def apply(self, state: DeskState, number: int) -> DeskState:
        if self.mark is None:
            return replace(state, note=self.note)
        return state.put(replace(state.entry(self.mark), note=self.note))


@kind_of_step("undo")
class Undo(Facts):
    """Take an earlier step back; an undo can be taken back like any other step."""

    step: Annotated[int, Field(ge=2, le=1_000_000_000)]

    def apply(self, state: DeskState, number: int) -> DeskState:
        return state  # the fold leaves the other step out


@kind_of_step("finish")
class Finish(Facts):
    """The list is settled: freeze a version of it."""

    takes_back = False

    def apply(self, state: DeskState, number: int) -> DeskState:
        return replace(state, finished=True)


@kind_of_step("reopen")
class Reopen(Facts):
    """Change a finished list after all; its version stays as it was frozen."""

    takes_back = False
    when_finished = True

    def apply(self, state: DeskState, number: int) -> DeskState:
        if not state.finished:
            raise NotPossible(why="this text is not finished, so it cannot be reopened")
        return replace(state, finished=False)


def read_facts(kind: str, facts: Mapping[str, Any]) -> Facts:
    """The facts of a step, checked."""
    known = KINDS.get(kind)
    if known is None:
        raise UnknownStep(kind=kind, known=", ".join(KINDS))
    try:
        return known.model_validate(facts)
    except ValidationError as error:
        wrong = [f"{'.'.join(str(part) for part in one['loc'])}: {one['msg']}" for one in error.errors()]
        raise FactsNotUnderstood(kind=kind, what="; ".join(wrong)) from None


def in_force(steps: Sequence[Step]) -> list[Step]:
    """The steps that were not taken back. From the last to the first, for an undo may be undone itself."""
    undone: set[int] = set()
    kept = []
    for step in reversed(steps):
        if step.number not in undone:
            kept.append(step)
            if step.kind == "undo":
                undone.add(step.facts["step"])
    return kept[::-1]


def fold(steps: Sequence[Step]) -> DeskState:
    """What all steps together lead to."""
    state = DeskState()
    for step in in_force(steps):
        state = read_facts(step.kind, step.facts).apply(state, step.number)
    return state


def apply(steps: Sequence[Step], step: Step, rules: Rules) -> tuple[Step, DeskState]:
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


def _without(steps: Sequence[Step], step: Step, undo: Undo) -> DeskState:
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


def check(before: DeskState, after: DeskState, rules: Rules) -> None:
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


def _apart(live: Iterable[Entry], changed: set[str]) -> None:
    for one, other in combinations(live, 2):
        if one.span.overlaps(other.span) and changed & {one.id, other.id}:
            mine, theirs = (one, other) if one.id in changed else (other, one)
            raise MarksOverlap(
                start=mine.span.start, end=mine.span.end, other_start=theirs.span.start, other_end=theirs.span.end
            )
