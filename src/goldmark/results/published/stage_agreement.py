"""How far people agree at each stage of a campaign whose texts several of them read (TGEA table 3).

Detection, spans, types and corrections are compared pair by pair: every two people who read the same text, or, with
groups, everybody of one group with everybody of the other. A text weighs the same however many pairs it has. Types and
corrections are compared on errors that both found, which are those whose marked words meet.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from goldmark.errors import GoldmarkError, Kind
from goldmark.protocols import Protocol
from goldmark.protocols.answers import deciding, marking
from goldmark.protocols.kinds.spans import SpansQuestion
from goldmark.protocols.responses import protocol_of, read_responses
from goldmark.records.answers import ReadAnswer
from goldmark.records.campaigns import CampaignRecord
from goldmark.records.figures import Interval, Undefined
from goldmark.records.spans import Span
from goldmark.records.tables import Cell, Table
from goldmark.results.options import AnalysisOptions, counted, with_interval
from goldmark.stats.agreement_measures.span_matching import overlapping_pairs
from goldmark.stats.inference.bootstrap import Floats, bootstrap_sums, ratio
from goldmark.stats.token_overlap import token_overlap

FINE, ERRONEOUS = "fine", "erroneous"


class NoStages(GoldmarkError):
    code = "STAGES-01"
    kind = Kind.CONFLICT
    message = "{protocol} asks nobody to mark passages, so it has no stages; see goldmark agreement for its questions"


class NotTwoGroups(GoldmarkError):
    code = "STAGES-02"
    kind = Kind.CONFLICT
    message = "two groups are compared, but people with answers belong to {count}: {names}; name two of them"


@dataclass(frozen=True, slots=True)
class StageError:
    """One marked error."""

    span: Span
    linked: frozenset[int]
    label: str
    correction: str


@dataclass(frozen=True, slots=True)
class Read:
    """What one person said of one text."""

    verdict: str
    said: str  # the answer to the question that decides whether anything is marked; nothing if there is none
    errors: tuple[StageError, ...]

    def tokens(self) -> frozenset[int]:
        return frozenset(place for error in self.errors for place in error.span.positions())

    def linked(self) -> frozenset[int]:
        return frozenset(place for error in self.errors for place in error.linked)

    def spans(self) -> frozenset[Span]:
        return frozenset(error.span for error in self.errors)

    def both(self) -> frozenset[tuple[Span, frozenset[int]]]:
        return frozenset((error.span, error.linked) for error in self.errors)


@dataclass(frozen=True)
class StageQuestions:
    """What a protocol asks, stage by stage: the marks, and the choice that decides whether there are any."""

    marks: SpansQuestion
    decides: str
    aside: Mapping[str, Collection[str]]  # answers that set a text aside, by question

    @classmethod
    def of(cls, protocol: Protocol) -> StageQuestions:
        known = marking(protocol)
        if not known:
            raise NoStages(protocol=protocol.id)
        decides = deciding(protocol, known[0])
        return cls(known[0], decides.id if decides else "", protocol.set_aside)

    def read(self, said: ReadAnswer) -> Read:
        errors = tuple(
            StageError(
                mark.tokens,
                frozenset(place for _, linked in mark.links for place in linked.positions()),
                mark.label,
                " ".join((mark.correction or "").split()),
            )
            for mark in said.marks_of(self.marks.id)
        )
        # A text that is set aside was found erroneous first (TGEA 3.3).
        set_aside = any(label in options for name, options in self.aside.items() for label in said.labels(name))
        return Read(ERRONEOUS if errors or set_aside else FINE, ", ".join(said.labels(self.decides)), errors)


@dataclass
class Pairs:
    """Pairs of answers at one stage: for each text, pairs of values with what they weigh."""

    texts: list[list[tuple[str, str, float]]] = field(default_factory=list)

    def add(self, pairs: Iterable[tuple[str, str, float]]) -> None:
        found = list(pairs)
        if found:
            self.texts.append(found)

    def __len__(self) -> int:
        return sum(len(text) for text in self.texts)


def stage_agreement(
    record: CampaignRecord, settings: AnalysisOptions, *, groups: Sequence[str] | None = None
) -> list[Table]:
    """Percent agreement and kappa by stage. `groups`: compare people of two conditions; empty: of the only two."""
    asked, texts = _texts(record)
    named = _groups(record, texts, groups) if groups is not None else None
    table = agreement_by_stage(asked, texts, settings, named)
    return [table.noting(*_waiting(record), *record.exclusion_notes())]


def agreement_by_stage(
    asked: StageQuestions,
    texts: Mapping[str, Mapping[str, Read]],
    settings: AnalysisOptions,
    named: Groups | None = None,
) -> Table:
    """What everybody said of each text, by text and person, compared. Their order changes no figure."""
    read: list[list[tuple[Read, Read]]] = []
    skipped = 0
    for _, people in sorted(texts.items()):
        pairs = list(_pairs(dict(sorted(people.items())), named))
        skipped += not pairs
        if pairs:
            read.append(pairs)
    return Table.of(
        "Agreement by stage",
        list(_rows(asked, read, settings, both_ways=named is None)),
        notes=tuple(_notes(skipped, named)),
        signature=settings.signature(
            figure="stage-agreement",
            kappa="cohen" if named else "cohen, every pair both ways",
            resampled="texts",
            groups="/".join(named.names) if named else "none",
        ),
        labels={"agreement": "% agreed"},
    )


@dataclass(frozen=True)
class Groups:
    names: tuple[str, str]
    of: Mapping[str, str]  # annotator: group


def _texts(record: CampaignRecord) -> tuple[StageQuestions, dict[str, dict[str, Read]]]:
    asked = StageQuestions.of(protocol_of(record))
    found: dict[str, dict[str, Read]] = {}
    for unit, response, said in read_responses(record):
        found.setdefault(unit.id, {})[response.annotator] = asked.read(said)
    return asked, found


def _groups(record: CampaignRecord, texts: Mapping[str, Mapping[str, Read]], wanted: Sequence[str]) -> Groups:
    of = {one.id: str(one.facts["condition"]) for one in record.annotators if one.facts.get("condition")}
    working = {name for people in texts.values() for name in people}
    names = sorted(set(wanted) or {of[name] for name in working if name in of})
    if len(names) != 2 or not set(names) <= set(of.values()):
        known = sorted(set(of.values()))
        raise NotTwoGroups(count=len(known), names=", ".join(known) or "nobody has a condition")
    return Groups((names[0], names[1]), of)


def _pairs(people: Mapping[str, Read], groups: Groups | None) -> Iterator[tuple[Read, Read]]:
    if groups is None:
        yield from combinations(people.values(), 2)
        return
    first, second = groups.names
    for one, mine in people.items():
        for other, theirs in people.items():
            if groups.of.get(one) == first and groups.of.get(other) == second:
                yield mine, theirs


def _notes(skipped: int, groups: Groups | None) -> Iterator[str]:
    yield "spans: texts in which both marked something; types and corrections: errors of both, on words that meet"
    if groups:
        yield f"everybody of {groups.names[0]} with everybody of {groups.names[1]}"
    if skipped:
        yield f"left out: {counted(skipped, 'text')} without two people to compare"


def _waiting(record: CampaignRecord) -> Iterator[str]:
    final = {(one.unit, one.annotator) for one in record.responses if one.final}
    waiting = sum(
        one.state in ("waiting", "returned") and (one.unit, one.annotator) not in final for one in record.assignments
    )
    if waiting:
        yield f"not counted: {counted(waiting, 'answer')} that no reviewer has approved yet"


def _rows(
    asked: StageQuestions, texts: Sequence[Sequence[tuple[Read, Read]]], settings: AnalysisOptions, *, both_ways: bool
) -> Iterator[dict[str, Cell]]:
    def values(name: str, of: Callable[[Read, Read], Iterable[tuple[str, str]]], noun: str) -> dict[str, Cell]:
        found = Pairs()
        for pairs in texts:
            found.add((one, other, 1 / len(pairs)) for mine, theirs in pairs for one, other in of(mine, theirs))
        return _categories(name, found, settings, noun, both_ways=both_ways)

    yield values("erroneous or fine", lambda mine, theirs: [(mine.verdict, theirs.verdict)], "texts")
    if asked.decides:
        yield values(f"{asked.decides}, every answer", lambda mine, theirs: [(mine.said, theirs.said)], "texts")
    found = [[(mine, theirs) for mine, theirs in pairs if mine.errors and theirs.errors] for pairs in texts]
    marked = [pairs for pairs in found if pairs]
    exact = (
        ("erroneous spans, exact", Read.spans, True),
        ("associated spans, exact", Read.linked, bool(asked.marks.links)),
        ("both spans, exact", Read.both, bool(asked.marks.links)),
    )
    for name, part, there in exact:
        if there:
            yield _exact(name, marked, part, settings)
    yield _tokens("erroneous tokens, F1", marked, Read.tokens, settings)
    if asked.marks.links:
        yield _tokens("associated tokens, F1", marked, Read.linked, settings)
    if asked.marks.labels:
        yield values("type", lambda mine, theirs: _met(mine, theirs, lambda one: one.label.partition(".")[0]), "errors")
        yield values("type and subtype", lambda mine, theirs: _met(mine, theirs, lambda one: one.label), "errors")
    if asked.marks.corrected_by:
        row = values("correction, exact", _corrected_alike, "errors")
        # Chance plays no part in equal words, so there is no kappa to be missing.
        yield {**row, **with_interval("kappa", None, None), "reason": row["reason"] if row["agreement"] is None else ""}


def _met(mine: Read, theirs: Read, value: Callable[[StageError], str]) -> Iterator[tuple[str, str]]:
    """What two people said of the errors that both marked."""
    pairs = overlapping_pairs([one.span for one in mine.errors], [one.span for one in theirs.errors])
    for first, second in pairs:
        yield value(mine.errors[first]), value(theirs.errors[second])


def _corrected_alike(mine: Read, theirs: Read) -> Iterator[tuple[str, str]]:
    """Only whether corrections are equal: there are about as many different ones as errors."""
    for one, other in _met(mine, theirs, lambda error: error.correction):
        yield ("equal", "equal") if one == other else ("one", "other")


def _categories(name: str, found: Pairs, settings: AnalysisOptions, noun: str, *, both_ways: bool) -> dict[str, Cell]:
    scale = sorted({value for text in found.texts for one, other, _ in text for value in (one, other)})
    place = {value: number for number, value in enumerate(scale)}
    wide = len(scale)
    # For each text: pairs, equal pairs, and how often each value was given by the first and by the second.
    counts = np.zeros((len(found.texts), 2 + 2 * wide))
    for row, text in enumerate(found.texts):
        for one, other, weight in text:
            counts[row, 0] += weight
            counts[row, 1] += weight * (one == other)
            ways = ((one, other), (other, one)) if both_ways else ((one, other),)
            for first, second in ways:
                counts[row, 2 + place[first]] += weight / len(ways)
                counts[row, 2 + wide + place[second]] += weight / len(ways)

    def percent_of(sums: Floats) -> Floats:
        return 100 * ratio(sums[:, 1], sums[:, 0])

    def kappa_of(sums: Floats) -> Floats:
        equal = ratio(sums[:, 1], sums[:, 0])
        chance = ratio((sums[:, 2 : 2 + wide] * sums[:, 2 + wide :]).sum(axis=1), sums[:, 0] ** 2)
        return ratio(equal - chance, np.where(chance > 1 - 1e-12, 0.0, 1 - chance))

    units = f"no {noun} to compare" if not len(found) else ""
    agreement, missing = _figure("agreement", counts, percent_of, settings)
    kappa, why = _figure("kappa", counts, kappa_of, settings)
    if kappa["kappa"] is None and not units:
        why = "without variation, agreement cannot be told from chance"
    return {"stage": name, **agreement, **kappa, "pairs": len(found), "reason": units or why or missing}


def _exact(
    name: str, texts: Sequence[Sequence[tuple[Read, Read]]], part: Callable[[Read], object], settings: AnalysisOptions
) -> dict[str, Cell]:
    rows = [[1.0, sum(part(mine) == part(theirs) for mine, theirs in pairs) / len(pairs)] for pairs in texts]
    return _without_kappa(name, rows, sum(map(len, texts)), lambda sums: 100 * ratio(sums[:, 1], sums[:, 0]), settings)


def _tokens(
    name: str,
    texts: Sequence[Sequence[tuple[Read, Read]]],
    part: Callable[[Read], frozenset[int]],
    settings: AnalysisOptions,
) -> dict[str, Cell]:
    """2 x tokens that both marked / tokens that the one and the other marked, over all texts."""
    rows = []
    for pairs in texts:
        counts = [token_overlap(part(mine), part(theirs)) for mine, theirs in pairs]
        rows.append([sum(one.either for one in counts) / len(pairs), sum(one.both for one in counts) / len(pairs)])
    return _without_kappa(name, rows, sum(map(len, texts)), lambda sums: 100 * ratio(sums[:, 1], sums[:, 0]), settings)


def _without_kappa(
    name: str,
    rows: Sequence[Sequence[float]],
    pairs: int,
    statistic: Callable[[Floats], Floats],
    settings: AnalysisOptions,
) -> dict[str, Cell]:
    counts = np.array(rows, dtype=np.float64).reshape(len(rows), 2)
    agreement, why = _figure("agreement", counts, statistic, settings)
    reason = why if rows else "no text in which both marked something"
    return {"stage": name, **agreement, **with_interval("kappa", None, None), "pairs": pairs, "reason": reason}


def _figure(
    name: str, counts: Floats, statistic: Callable[[Floats], Floats], settings: AnalysisOptions
) -> tuple[dict[str, Cell], str]:
    """The value from all texts, its interval from resampled ones, and why there is none."""
    if not len(counts):
        return with_interval(name, None, None), "nothing to compare"
    value = float(statistic(counts.sum(axis=0, keepdims=True))[0])
    if np.isnan(value):
        return with_interval(name, None, None), "there is nothing to divide by"
    interval: Interval | Undefined = bootstrap_sums(
        counts, statistic, rng=settings.rng(), resamples=settings.resamples, level=settings.level
    )
    why = f"no interval: {interval.reason}" if isinstance(interval, Undefined) else ""
    return with_interval(name, value, interval), why
