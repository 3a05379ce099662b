"""The kinds of steps that a curator can take: each checks its facts and says what they change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from goldmark.curation.workspace.state import CuratedError, WorkspaceState, best_label, merged
from goldmark.errors import Conflict, GoldmarkError
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


class NotPossible(Conflict):
    code = "CURATE-07"
    message = "{why}"


@dataclass(frozen=True, slots=True)
class CurationRules:
    """What the protocol and the text allow."""

    first: int  # the judged part, in tokens
    last: int
    overlap: bool = False
    labels: tuple[str, ...] | None = None  # None: marks have no label here
    priority: tuple[str, ...] = ()
    attributes: Mapping[str, tuple[str, ...] | None] = field(default_factory=dict)  # options, or None: any words
    roles: tuple[str, ...] = ()  # of linked passages

    def to_json(self) -> dict[str, Any]:
        return {
            "first": self.first,
            "last": self.last,
            "overlaps": self.overlap,
            "labels": self.labels,
            "priority": self.priority,
            "attributes": dict(self.attributes),
            "roles": self.roles,
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
    by_hand: ClassVar[bool] = True  # may somebody send it, with facts of their own?

    def apply(self, state: WorkspaceState, number: int) -> WorkspaceState:
        raise NotImplementedError

    def completed(self, state: WorkspaceState, rules: CurationRules) -> Facts:
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

    def apply(self, state: WorkspaceState, number: int) -> WorkspaceState:
        entries = [CuratedError.from_json(one) for one in self.entries]
        return WorkspaceState((), self.annotators, self.responses, state.note).put(*entries)


@kind_of_step("import")
class Import(Facts):
    """Take in a list that was made elsewhere: its mistakes are accepted, all other marks are left out."""

    by_hand = False
    source: Words
    entries: tuple[dict[str, Any], ...]

    def apply(self, state: WorkspaceState, number: int) -> WorkspaceState:
        return replace(state, entries=()).put(*(CuratedError.from_json(one) for one in self.entries))


@kind_of_step("accept")
class Accept(Facts):
    """Keep a proposed mark, bring back a dropped one, or take in one that the proposal left out."""

    mark: MarkId

    def apply(self, state: WorkspaceState, number: int) -> WorkspaceState:
        return state.put(replace(state.entry(self.mark), status="accepted"))


@kind_of_step("drop")
class Drop(Facts):
    """It is no error, or not one of its own."""

    mark: MarkId

    def apply(self, state: WorkspaceState, number: int) -> WorkspaceState:
        return state.put(replace(state.entry(self.mark), status="dropped"))


class _Settles(Facts):
    """A mark that a curator has changed is one that they keep."""

    mark: MarkId

    def apply(self, state: WorkspaceState, number: int) -> WorkspaceState:
        return state.put(replace(self.change(state.entry(self.mark)), status="accepted"))

    def change(self, entry: CuratedError) -> CuratedError:
        raise NotImplementedError


@kind_of_step("change_span")
class ChangeSpan(_Settles):
    start: Position
    end: Position

    def change(self, entry: CuratedError) -> CuratedError:
        return entry.moved(Span(self.start, self.end))


@kind_of_step("change_label")
class ChangeLabel(_Settles):
    label: Label

    def change(self, entry: CuratedError) -> CuratedError:
        return entry.relabelled(self.label)


@kind_of_step("change_correction")
class ChangeCorrection(Facts):
    """What should have stood there; whether the mark stays is another question."""

    mark: MarkId
    correction: Words

    def apply(self, state: WorkspaceState, number: int) -> WorkspaceState:
        return state.put(replace(state.entry(self.mark), correction=self.correction))


@kind_of_step("change_comment")
class ChangeComment(Facts):
    mark: MarkId
    comment: Words

    def apply(self, state: WorkspaceState, number: int) -> WorkspaceState:
        return state.put(replace(state.entry(self.mark), comment=self.comment))


@kind_of_step("change_attribute")
class ChangeAttribute(Facts):
    """What else the protocol asks of a mark, such as its severity; no value takes it away."""

    mark: MarkId
    attribute: Label
    values: Annotated[tuple[Words, ...], Field(max_length=100)]

    def completed(self, state: WorkspaceState, rules: CurationRules) -> Facts:
        if self.attribute not in rules.attributes:
            known = ", ".join(rules.attributes) or "none"
            raise NotPossible(why=f"marks have no {self.attribute!r} here; what is asked of them: {known}")
        options = rules.attributes[self.attribute]
        wrong = [one for one in self.values if options is not None and one not in options]
        if wrong:
            raise NotPossible(why=f"{self.attribute} cannot be {wrong[0]!r}; it is one of: {', '.join(options or ())}")
        return self

    def apply(self, state: WorkspaceState, number: int) -> WorkspaceState:
        entry = state.entry(self.mark)
        kept = [pair for pair in entry.attributes if pair[0] != self.attribute]
        new = [(self.attribute, value) for value in self.values]
        return state.put(replace(entry, attributes=tuple(sorted([*kept, *new], key=lambda pair: pair[0]))))


class Passage(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    start: Position
    end: Position


@kind_of_step("change_links")
class ChangeLinks(Facts):
    """The passages that belong to a mark in one role, such as the words that show that it is wrong."""

    mark: MarkId
    role: Label
    passages: Annotated[tuple[Passage, ...], Field(max_length=100)]

    def completed(self, state: WorkspaceState, rules: CurationRules) -> Facts:
        if self.role not in rules.roles:
            known = ", ".join(rules.roles) or "none"
            raise NotPossible(why=f"marks have no linked passages {self.role!r} here; the roles are: {known}")
        for one in self.passages:
            if not one.start < one.end <= rules.last:
                raise NotInText(start=one.start, end=one.end, first=0, last=rules.last)
        return self

    def apply(self, state: WorkspaceState, number: int) -> WorkspaceState:
        entry = state.entry(self.mark)
        kept = [link for link in entry.links if link[0] != self.role]
        new = [(self.role, Span(one.start, one.end)) for one in self.passages]
        return state.put(replace(entry, links=tuple(sorted([*kept, *new], key=lambda link: link[0]))))


@kind_of_step("merge")
class Merge(Facts):
    """Several marks are one error; the new mark covers them all."""

    marks: Annotated[tuple[MarkId, ...], Field(min_length=2, max_length=50)]
    label: Label | None = None

    def completed(self, state: WorkspaceState, rules: CurationRules) -> Facts:
        if self.label is not None:
            return self
        labels = [state.entry(one).label for one in self.marks]
        return self.model_copy(update={"label": best_label(labels, rules.priority)})

    def apply(self, state: WorkspaceState, number: int) -> WorkspaceState:
        some = [state.entry(one) for one in dict.fromkeys(self.marks)]
        if len(some) < 2:
            raise NotPossible(why="a mark cannot be merged with itself; name two")
        return state.put(merged(some, f"{number}.1", self.label or some[0].label), instead_of=self.marks)


@kind_of_step("split")
class Split(Facts):
    """One mark is two errors; the second begins at a token inside it."""

    mark: MarkId
    at: Position

    def apply(self, state: WorkspaceState, number: int) -> WorkspaceState:
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

    def apply(self, state: WorkspaceState, number: int) -> WorkspaceState:
        span = Span(self.start, self.end)
        entry = CuratedError(f"{number}.1", span, self.label, "accepted", self.correction, self.comment)
        return state.put(entry)


@kind_of_step("same_meaning")
class SameMeaning(Facts):
    """Whoever marked the other meant this one: they count as its finders, and the other is gone."""

    mark: MarkId
    other: MarkId

    def apply(self, state: WorkspaceState, number: int) -> WorkspaceState:
        if self.mark == self.other:
            raise NotPossible(why="a mark means the same as itself already; name another one")
        other = state.entry(self.other)
        return state.put(state.entry(self.mark).also_said(other.sources), instead_of=[other.id])


@kind_of_step("note")
class Note(Facts):
    """A curator's note on one mark, or on the whole text."""

    mark: MarkId | None = None
    note: Words

    def apply(self, state: WorkspaceState, number: int) -> WorkspaceState:
        if self.mark is None:
            return replace(state, note=self.note)
        return state.put(replace(state.entry(self.mark), note=self.note))


@kind_of_step("undo")
class Undo(Facts):
    """Take an earlier step back; an undo can be taken back like any other step."""

    step: Annotated[int, Field(ge=2, le=1_000_000_000)]

    def apply(self, state: WorkspaceState, number: int) -> WorkspaceState:
        return state  # the fold leaves the other step out


@kind_of_step("finish")
class Finish(Facts):
    """The list is settled: freeze a version of it."""

    takes_back = False

    def apply(self, state: WorkspaceState, number: int) -> WorkspaceState:
        return replace(state, finished=True)


@kind_of_step("reopen")
class Reopen(Facts):
    """Change a finished list after all; its version stays as it was frozen."""

    takes_back = False
    when_finished = True

    def apply(self, state: WorkspaceState, number: int) -> WorkspaceState:
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
