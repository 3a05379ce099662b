"""The automatic proposal: errors that a majority found in any form, in the form that most of them chose.

For each text: marks become pieces, pieces become clusters (`align`), and in a cluster the tokens that enough people
marked say where the errors are (`settle`). What is left over may still be the same error in another form: one
annotator changes the name, another all its figures (`forms`). Nothing here depends on the order of marks or people.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from goldmark.curation.proposals.align import Piece, clusters, ordered, pieces_of
from goldmark.curation.proposals.forms import Clauses, ProposedError, other_forms, single_for_several
from goldmark.curation.proposals.settle import settle
from goldmark.errors import GoldmarkError
from goldmark.records.gold import AnnotatorReport, GoldMistake, GoldText, Reported
from goldmark.records.mistakes import Mistake
from goldmark.records.spans import Span
from goldmark.records.texts import Text

Method = Literal["meaning", "token-majority"]
Figures = Literal["apart", "whole"]


class NobodyNamed(GoldmarkError):
    code = "CURATION-01"
    message = "a mistake in text {text} does not say who reported it; a proposal needs to know who said what"


class UnknownText(GoldmarkError):
    code = "CURATION-02"
    message = "text {text} is not among the {known} texts; give the folder that holds it"


class LeastTooMany(GoldmarkError):
    code = "CURATION-03"
    message = "{least} people must have found an error, but text {text} was seen by {count}; ask for fewer"


def propose(
    mistakes: Iterable[Mistake],
    texts: Mapping[str, Text],
    *,
    seen: Iterable[tuple[str, str]] = (),
    priority: Sequence[str] = (),
    least: int | None = None,
    method: Method = "meaning",
    figures: Figures = "apart",
) -> list[GoldText]:
    """A proposal for every text that somebody marked or saw, by text id.

    `seen` names (text, annotator) also where nothing was marked: whoever saw a text and marked nothing votes against
    every error in it. `priority` says which label wins a tie. `least` is how many must have found an error; more than
    half of those who saw the text, if it is not given. `figures` says whether "64 - 52" is one error or two.
    """
    marks: dict[str, list[Mistake]] = {}
    people: dict[str, set[str]] = {}
    for mistake in mistakes:
        if not mistake.annotator:
            raise NobodyNamed(text=mistake.text_id)
        marks.setdefault(mistake.text_id, []).append(mistake)
        people.setdefault(mistake.text_id, set()).add(mistake.annotator)
    for text_id, annotator in seen:
        people.setdefault(text_id, set()).add(annotator)
    unknown = next((text_id for text_id in sorted(people) if text_id not in texts), None)
    if unknown is not None:
        raise UnknownText(text=unknown, known=len(texts))
    return [
        propose_text(
            texts[text_id],
            marks.get(text_id, ()),
            people[text_id],
            priority=priority,
            least=least,
            method=method,
            figures=figures,
        )
        for text_id in sorted(people)
    ]


def propose_text(
    text: Text,
    marks: Iterable[Mistake],
    annotators: Iterable[str],
    *,
    priority: Sequence[str] = (),
    least: int | None = None,
    method: Method = "meaning",
    figures: Figures = "apart",
) -> GoldText:
    """The proposal for one text and everything that it leaves out; `annotators` are all who saw the text."""
    every = ordered(marks)
    people = tuple(sorted({*annotators, *(mark.annotator or "" for mark in every)}))
    needed = len(people) // 2 + 1 if least is None else least
    if needed > max(len(people), 1):
        raise LeastTooMany(least=needed, text=text.id, count=len(people))
    if method == "token-majority":
        errors = _by_token(every, needed)
    else:
        errors = _by_meaning(text, every, people, needed, priority, figures)
    groups = _groups(errors)
    mistakes = tuple(
        _gold(text, error, number, groups[number - 1], len(people), priority)
        for number, error in enumerate(errors, start=1)
    )
    used = {id(piece.mark) for error in errors for piece in (*error.members, *error.others)}
    left_out = _left_out(text, [mark for mark in every if id(mark) not in used])
    return GoldText(text.id, mistakes, left_out, people, version=0)


def _by_meaning(
    text: Text,
    marks: Sequence[Mistake],
    people: Sequence[str],
    least: int,
    priority: Sequence[str],
    figures: Figures,
) -> list[ProposedError]:
    whole = {mark.span for mark in marks} if figures == "whole" else _unanimous(marks, people)
    pieces = pieces_of(marks, text, whole=whole)
    errors = [error for cluster in clusters(pieces) for error in settle(cluster, least)]
    place = Clauses(text)
    errors += single_for_several(place, _spare(pieces, errors), least, priority)
    other_forms(place, _spare(pieces, errors), errors)
    return sorted(errors, key=lambda error: error.span)


def _unanimous(marks: Sequence[Mistake], people: Sequence[str]) -> set[Span]:
    """Spans that everybody marked exactly once; nobody's second thoughts may change those."""
    said = Counter((mark.span, mark.annotator) for mark in marks)
    once = Counter(span for (span, _), count in said.items() if count == 1)
    return {span for span, count in once.items() if count == len(people)}


def _spare(pieces: Sequence[Piece], errors: Sequence[ProposedError]) -> list[Piece]:
    """Pieces of marks that belong to no error."""
    used = {id(piece.mark) for error in errors for piece in (*error.members, *error.others)}
    return [piece for piece in pieces if id(piece.mark) not in used]


def _by_token(marks: Sequence[Mistake], least: int) -> list[ProposedError]:
    """The plain method: runs of tokens that enough people marked, wherever one error ends and another begins."""
    votes: dict[int, set[str]] = {}
    for mark in marks:
        for position in mark.span.positions():
            votes.setdefault(position, set()).add(mark.annotator or "")
    kept = sorted(position for position, people in votes.items() if len(people) >= least)
    pieces = [Piece(mark.span, mark, mark.correction) for mark in marks]
    errors = []
    start = 0
    for place, position in enumerate(kept):
        if place + 1 == len(kept) or kept[place + 1] != position + 1:
            span = Span(kept[start], position + 1)
            errors.append(ProposedError(span, [piece for piece in pieces if piece.span.overlaps(span)]))
            start = place + 1
    return errors


def _groups(errors: Sequence[ProposedError]) -> list[str]:
    """A name for each error's group: errors that share a mark are forms or parts of one report."""
    of_mark: dict[int, int] = {}
    group = list(range(len(errors)))
    for number, error in enumerate(errors):
        for piece in (*error.members, *error.others):
            first = group[of_mark.setdefault(id(piece.mark), number)]
            if first != group[number]:
                old = group[number]
                group = [first if one == old else one for one in group]
    names = {old: f"g{new}" for new, old in enumerate(dict.fromkeys(group), start=1)}
    return [names[one] for one in group]


def _gold(
    text: Text, error: ProposedError, number: int, group: str, people: int, priority: Sequence[str]
) -> GoldMistake:
    label = chosen_label(error, priority)
    corrections = _gathered(error, lambda piece: piece.correction)
    comments = _gathered(error, lambda piece: piece.mark.comment)
    finders = {piece.annotator for piece in (*error.members, *error.others)}
    return GoldMistake(
        text_id=text.id,
        span=error.span,
        label=label,
        correction=corrections[0] if corrections else "",
        comment=comments[0] if comments else "",
        found_by=len(finders),
        label_agreed_by=len({piece.annotator for piece in error.members if piece.label == label}),
        span_agreed_by=len({piece.annotator for piece in error.members if piece.span == error.span}),
        annotators=people,
        sources=_sources(error),
        corrections=corrections,
        comments=comments,
        id=str(number),
        group=group,
        attributes=_chosen(error, lambda mark: mark.attributes),
        links=_chosen(error, lambda mark: mark.links),
    )


def chosen_label(error: ProposedError, priority: Sequence[str]) -> str:
    """The label of most finders; between equals the protocol's priority, then the alphabet."""
    best: dict[str, tuple[float, tuple[int, str]]] = {}  # by annotator: how close, and which label
    for piece in error.members:
        mine = (-_closeness(piece, error.span), rank(piece.label, priority))
        best[piece.annotator] = min(mine, best.get(piece.annotator, mine))
    votes = Counter(label for _, (_, label) in best.values())
    return min(votes, key=lambda label: (-votes[label], rank(label, priority)))


def rank(label: str, priority: Sequence[str]) -> tuple[int, str]:
    """Where a label stands in the priority; those that are not in it come last, by the alphabet."""
    return (priority.index(label) if label in priority else len(priority)), label


def _closeness(piece: Piece, span: Span) -> float:
    shared = min(piece.span.end, span.end) - max(piece.span.start, span.start)
    return shared / (len(piece.span) + len(span) - shared)


def _gathered(error: ProposedError, said: Callable[[Piece], str]) -> tuple[str, ...]:
    """What people wrote, most common first; between equals what stands beside the closest span, then the shortest."""
    votes: Counter[str] = Counter()
    close: dict[str, float] = {}
    for piece in error.members:
        words = said(piece).strip()
        if words:
            votes[words] += 1
            close[words] = max(close.get(words, 0.0), _closeness(piece, error.span))
    return tuple(sorted(votes, key=lambda words: (-votes[words], -close[words], len(words), words)))


def _chosen(error: ProposedError, pairs: Callable[[Mistake], Sequence[tuple[str, Any]]]) -> tuple[tuple[str, Any], ...]:
    """Of each attribute or role what most said; between equals what stands beside the closest span, then in order."""
    votes: dict[str, Counter[tuple[Any, ...]]] = {}
    close: dict[tuple[str, tuple[Any, ...]], float] = {}
    for piece in error.members:
        said: dict[str, tuple[Any, ...]] = {}
        for name, value in pairs(piece.mark):
            said[name] = (*said.get(name, ()), value)
        for name, values in said.items():
            votes.setdefault(name, Counter())[values] += 1
            close[name, values] = max(close.get((name, values), 0.0), _closeness(piece, error.span))
    best = {
        name: min(counted, key=lambda values: (-counted[values], -close[name, values], values))
        for name, counted in votes.items()
    }
    return tuple((name, value) for name in sorted(best) for value in best[name])


def _sources(error: ProposedError) -> tuple[AnnotatorReport, ...]:
    marks = {id(piece.mark): (piece.mark, False) for piece in error.members}
    marks |= {id(piece.mark): (piece.mark, True) for piece in error.others if id(piece.mark) not in marks}
    return tuple(sorted(_source(mark, other_form=other) for mark, other in marks.values()))


def _source(mark: Mistake, *, other_form: bool = False) -> AnnotatorReport:
    said = (mark.label, mark.correction, mark.comment, mark.id)
    return AnnotatorReport(mark.annotator or "", mark.span, *said, other_form, mark.attributes, mark.links)


def _left_out(text: Text, marks: Sequence[Mistake]) -> tuple[Reported, ...]:
    """Marks that belong to no proposed mistake; those on exactly the same span are one reported error."""
    spans: dict[Span, list[AnnotatorReport]] = {}
    for mark in marks:
        spans.setdefault(mark.span, []).append(_source(mark))
    return tuple(
        Reported(text.id, span, _by_count(source.label for source in sources), tuple(sorted(sources)))
        for span, sources in sorted(spans.items())
    )


def _by_count(labels: Iterable[str]) -> tuple[str, ...]:
    votes = Counter(labels)
    return tuple(sorted(votes, key=lambda label: (-votes[label], label)))
