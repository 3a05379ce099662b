"""What a curator has before them: every proposed and every left-out mark of one text, and what was decided of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from goldmark.curation.proposals.propose import rank
from goldmark.errors import Conflict
from goldmark.records.gold import AnnotatorReport, GoldMistake, GoldText, Reported, by_name
from goldmark.records.mistakes import Mistake
from goldmark.records.spans import Span

Status = Literal["open", "accepted", "dropped", "left out"]
LIVE: tuple[Status, ...] = ("open", "accepted")


class UnknownMark(Conflict):
    code = "CURATE-01"
    message = "there is no mark {id} here any more; it was merged, split or taken back"


@dataclass(frozen=True, slots=True)
class CuratedError:
    """One error as the curator sees it: where, what, how many agreed, who said what, and whether it stays."""

    id: str  # the number of the step that made it, a dot, and its place in that step
    span: Span
    label: str
    status: Status
    correction: str = ""
    comment: str = ""
    note: str = ""
    found_by: int = 0
    label_agreed_by: int = 0
    span_agreed_by: int = 0
    sources: tuple[AnnotatorReport, ...] = ()
    group: str = ""
    attributes: tuple[tuple[str, str], ...] = ()
    links: tuple[tuple[str, Span], ...] = ()

    @property
    def live(self) -> bool:
        return self.status in LIVE

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "start": self.span.start,
            "end": self.span.end,
            "label": self.label,
            "status": self.status,
            "correction": self.correction,
            "comment": self.comment,
            "note": self.note,
            "found_by": self.found_by,
            "label_agreed_by": self.label_agreed_by,
            "span_agreed_by": self.span_agreed_by,
            "sources": [source_to_json(one) for one in self.sources],
            "group": self.group,
            **more_to_json(self),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> CuratedError:
        rest = {key: value for key, value in data.items() if key not in ("start", "end", "sources", *MORE)}
        sources = tuple(source_from_json(one) for one in data["sources"])
        return cls(span=Span(data["start"], data["end"]), sources=sources, **rest, **more_from_json(data))

    def relabelled(self, label: str) -> CuratedError:
        return replace(self, label=label, label_agreed_by=_agreeing(self.sources, lambda one: one.label == label))

    def moved(self, span: Span) -> CuratedError:
        return replace(self, span=span, span_agreed_by=_agreeing(self.sources, lambda one: one.span == span))

    def with_sources(self, sources: Iterable[AnnotatorReport]) -> CuratedError:
        """The same mark on other testimony, counted anew."""
        kept = tuple(sorted(set(sources)))
        found = len({one.annotator for one in kept})
        return replace(self, sources=kept, found_by=found).relabelled(self.label).moved(self.span)

    def also_said(self, sources: Iterable[AnnotatorReport]) -> CuratedError:
        """With more people who meant the same in other words; they count as finders, not for label or span."""
        mine = {(one.annotator, one.span, one.label, one.id) for one in self.sources}
        more = {
            replace(one, other_form=True) for one in sources if (one.annotator, one.span, one.label, one.id) not in mine
        }
        every = tuple(sorted({*self.sources, *more}))
        return replace(self, sources=every, found_by=len({one.annotator for one in every}))


def _agreeing(sources: Iterable[AnnotatorReport], agrees: Any) -> int:
    return len({one.annotator for one in sources if not one.other_form and agrees(one)})


@dataclass(frozen=True, slots=True)
class WorkspaceState:
    """All entries of a text by place, a note on the whole text, and whether its list is finished."""

    entries: tuple[CuratedError, ...] = ()
    annotators: tuple[str, ...] = ()
    responses: tuple[str, ...] = ()  # the answers that the proposal was made from, each with its revision
    note: str = ""
    finished: bool = False

    def entry(self, entry_id: str) -> CuratedError:
        for one in self.entries:
            if one.id == entry_id:
                return one
        raise UnknownMark(id=entry_id)

    def put(self, *entries: CuratedError, instead_of: Iterable[str] = ()) -> WorkspaceState:
        """With these entries in the place of those with their ids, and without some others."""
        gone = {one.id for one in entries} | set(instead_of)
        kept = [one for one in self.entries if one.id not in gone]
        return replace(self, entries=tuple(sorted([*kept, *entries], key=_place)))

    def undecided(self) -> tuple[CuratedError, ...]:
        return tuple(one for one in self.entries if one.status == "open")

    def to_json(self) -> dict[str, Any]:
        return {
            "entries": [one.to_json() for one in self.entries],
            "annotators": list(self.annotators),
            "responses": list(self.responses),
            "note": self.note,
            "finished": self.finished,
        }

    def proposed(self, text_id: str) -> GoldText:
        """The list as the proposal would have it, to compare others with."""
        entries = [replace(one, status="accepted") if one.status == "open" else one for one in self.entries]
        return replace(self, entries=tuple(entries)).gold(text_id)

    def gold(self, text_id: str) -> GoldText:
        """The list as it stands: what was accepted, and every reported error that was not."""
        accepted = [one for one in self.entries if one.status == "accepted"]
        rest = [one for one in self.entries if one.status in ("dropped", "left out") and one.sources]
        return GoldText(
            text_id,
            tuple(self._mistake(text_id, one, number) for number, one in enumerate(accepted, start=1)),
            tuple(_reported(text_id, one) for one in rest),
            self.annotators,
            reason=self.note,
        )

    def _mistake(self, text_id: str, entry: CuratedError, number: int) -> GoldMistake:
        return GoldMistake(
            text_id,
            entry.span,
            entry.label,
            entry.correction,
            entry.comment,
            entry.found_by,
            entry.label_agreed_by,
            entry.span_agreed_by,
            len(self.annotators),
            entry.sources,
            corrections=_distinct(one.correction for one in entry.sources),
            comments=_distinct(one.comment for one in entry.sources),
            note=entry.note,
            id=str(number),
            group=entry.group,
            attributes=entry.attributes,
            links=entry.links,
        )


def _place(entry: CuratedError) -> tuple[int, int, int, int]:
    step, _, place = entry.id.partition(".")
    return entry.span.start, entry.span.end, int(step), int(place)


def _distinct(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one for one in words if one))


def _reported(text_id: str, entry: CuratedError) -> Reported:
    labels = tuple(dict.fromkeys([entry.label, *(one.label for one in entry.sources)]))
    return Reported(text_id, entry.span, labels, entry.sources, entry.group)


def entries_of(proposal: GoldText, number: int) -> list[CuratedError]:
    """A proposal as entries of step `number`: what everybody marked alike is accepted, the rest is to be decided."""
    entries = [
        CuratedError(
            f"{number}.{place}",
            one.span,
            one.label,
            "accepted" if one.unanimous else "open",
            one.correction,
            one.comment,
            one.note,
            one.found_by or 0,
            one.label_agreed_by or 0,
            one.span_agreed_by or 0,
            one.sources,
            one.group,
            one.attributes,
            one.links,
        )
        for place, one in enumerate(proposal.mistakes, start=1)
    ]
    for place, left in enumerate(proposal.left_out, start=len(entries) + 1):
        first = left.sources[0]
        entry = CuratedError(
            f"{number}.{place}", left.span, left.labels[0], "left out", first.correction, first.comment
        )
        more = replace(entry, attributes=first.attributes, links=first.links)
        entries.append(more.with_sources(left.sources))
    return entries


def merged(entries: Iterable[CuratedError], entry_id: str, label: str) -> CuratedError:
    """Several marks as one that covers them all."""
    some = sorted(entries, key=_place)
    span = Span(min(one.span.start for one in some), max(one.span.end for one in some))
    words = {name: "; ".join(_distinct(getattr(one, name) for one in some)) for name in ("comment", "note")}
    correction = " ".join(_distinct(one.correction for one in some))
    whole = CuratedError(
        entry_id, span, label, "accepted", correction, words["comment"], words["note"], group=some[0].group
    )
    values: dict[str, list[str]] = {}
    for one in reversed(some):  # what the first mark says of itself counts
        values |= by_name(one.attributes)
    pairs = tuple((name, value) for name, said in sorted(values.items()) for value in said)
    links = tuple(dict.fromkeys(link for one in some for link in one.links))
    return replace(whole, attributes=pairs, links=links).with_sources(source for one in some for source in one.sources)


def best_label(labels: Iterable[str], priority: tuple[str, ...]) -> str:
    """The label that the protocol prefers."""
    return min(labels, key=lambda label: rank(label, priority))


MORE = ("attributes", "links")


def more_to_json(one: CuratedError | AnnotatorReport | GoldMistake | Mistake) -> dict[str, Any]:
    """Attributes by name, each with its values, and linked passages with their role."""
    links = [{"role": role, "start": place.start, "end": place.end} for role, place in one.links]
    return {"attributes": by_name(one.attributes), "links": links}


def mark_to_json(one: Mistake) -> dict[str, Any]:
    """What one annotator marked."""
    words = {"label": one.label, "correction": one.correction, "comment": one.comment}
    return {"start": one.span.start, "end": one.span.end, **words, **more_to_json(one)}


def more_from_json(data: Mapping[str, Any]) -> dict[str, Any]:
    values = data.get("attributes") or {}
    return {
        "attributes": tuple((name, str(value)) for name in sorted(values) for value in values[name]),
        "links": tuple((str(one["role"]), Span(one["start"], one["end"])) for one in data.get("links") or ()),
    }


def source_to_json(one: AnnotatorReport) -> dict[str, Any]:
    return {
        "annotator": one.annotator,
        "start": one.span.start,
        "end": one.span.end,
        "label": one.label,
        "correction": one.correction,
        "comment": one.comment,
        "id": one.id,
        "other_form": one.other_form,
        **more_to_json(one),
    }


def source_from_json(data: Mapping[str, Any]) -> AnnotatorReport:
    rest = {key: value for key, value in data.items() if key not in ("start", "end", *MORE)}
    return AnnotatorReport(span=Span(data["start"], data["end"]), **rest, **more_from_json(data))
