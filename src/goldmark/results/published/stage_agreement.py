"""How far people agree at each stage of a campaign whose texts several of them read (TGEA table 3).

Detection, spans, types and corrections are compared pair by pair: every two people who read the same text, or, with
groups, everybody of one group with everybody of the other. A text weighs the same however many pairs it has. Types and
corrections are compared on errors that both found, which are those whose marked words meet.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import NamedTuple, TypeVar

import numpy as np

from goldmark.errors import GoldmarkError, Kind
from goldmark.protocols import Protocol
from goldmark.protocols.answers import deciding, marking
from goldmark.protocols.kinds.spans import SpansQuestion
from goldmark.protocols.responses import protocol_of, read_responses
from goldmark.records.answers import ReadAnswer
from goldmark.records.campaigns import CampaignRecord
from goldmark.records.figures import Figure
from goldmark.records.spans import Span
from goldmark.records.tables import Cell, Table
from goldmark.results.options import AnalysisOptions, counted, with_interval
from goldmark.stats.agreement_measures.coefficients import coefficient_figure
from goldmark.stats.agreement_measures.span_matching import from_left, overlapping
from goldmark.stats.inference.bootstrap import Floats, ratio
from goldmark.stats.inference.sums import sums_figure
from goldmark.stats.ranks.judgements import by_name
from goldmark.stats.token_overlap import token_overlap

FINE, ERRONEOUS = "fine", "erroneous"
Part = TypeVar("Part")


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

    @property
    def type(self) -> str:
        """The first level of the label."""
        return self.label.partition(".")[0]


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

    def spans(self) -> frozenset[tuple[int, int]]:
        return frozenset((error.span.start, error.span.end) for error in self.errors)

    def both(self) -> frozenset[tuple[int, int, frozenset[int]]]:
        return frozenset((error.span.start, error.span.end, error.linked) for error in self.errors)


class Text(NamedTuple):
    """Everybody who read a text, and which of them are compared."""

    reads: Sequence[Read]
    pairs: Sequence[tuple[int, int]]  # places among them

    def compared(self, part: Callable[[Read], Part]) -> list[tuple[Part, Part]]:
        """A part of what they said, pair by pair."""
        parts = [part(read) for read in self.reads]
        return [(parts[first], parts[second]) for first, second in self.pairs]

    def met(self) -> Iterator[tuple[StageError, StageError]]:
        """Errors that both of a pair marked: those whose words meet."""
        placed = [from_left([error.span for error in read.errors]) for read in self.reads]
        for first, second in self.pairs:
            mine, theirs = self.reads[first].errors, self.reads[second].errors
            for one, other in overlapping(placed[first], placed[second]):
                yield mine[one], theirs[other]

    def both_marked(self) -> Text:
        """The same with only pairs of people who both marked something."""
        return Text(self.reads, [pair for pair in self.pairs if all(self.reads[one].errors for one in pair)])


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
    """Pairs of values that two people gave at one stage: of each its text, what it weighs, and the two values."""

    text: list[int] = field(default_factory=list)
    weight: list[float] = field(default_factory=list)
    first: list[str] = field(default_factory=list)
    second: list[str] = field(default_factory=list)

    def add(self, pairs: Sequence[tuple[str, str]], weight: float) -> None:
        """Those of one text more."""
        self.text += [self.text[-1] + 1 if self.text else 0] * len(pairs)
        self.weight += [weight] * len(pairs)
        self.first += (one for one, _ in pairs)
        self.second += (other for _, other in pairs)

    def __len__(self) -> int:
        return len(self.text)

    def counts(self, *, both_ways: bool) -> tuple[Floats, int]:
        """Of each text pairs, equal pairs, and how often each value was given by the first and by the second.

        With how many values there are. `both_ways`: each of the two is the first for half of the weight.
        """
        names, code = by_name([*self.first, *self.second])
        first, second = code[: len(self)], code[len(self) :]
        text, weight = np.array(self.text, dtype=np.int64), np.array(self.weight)
        texts, wide = int(text.max(initial=-1)) + 1, len(names)
        given, taken = text * wide + first, text * wide + second
        share = weight
        if both_ways:
            given, taken = (np.stack(sides, axis=1).ravel() for sides in ((given, taken), (taken, given)))
            share = np.repeat(weight / 2, 2)
        columns = [
            np.bincount(text, weights=weight, minlength=texts)[:, None],
            np.bincount(text, weights=weight * (first == second), minlength=texts)[:, None],
            np.bincount(given, weights=share, minlength=texts * wide).reshape(texts, wide),
            np.bincount(taken, weights=share, minlength=texts * wide).reshape(texts, wide),
        ]
        return np.hstack(columns).astype(np.float64), wide


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
    read: list[Text] = []
    skipped = 0
    for _, people in sorted(texts.items()):
        text = _paired(dict(sorted(people.items())), named)
        skipped += not text.pairs
        if text.pairs:
            read.append(text)
    return Table.of(
        "Agreement by stage",
        list(_rows(asked, read, settings, both_ways=named is None)),
        notes=tuple(_notes(skipped, named)),
        signature=settings.signature(
            figure="stage-agreement",
            kappa="cohen" if named else "cohen, every pair both ways",
            interval="jackknife-texts",
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


def _paired(people: Mapping[str, Read], groups: Groups | None) -> Text:
    if groups is None:
        return Text(list(people.values()), list(combinations(range(len(people)), 2)))
    of = [groups.of.get(name) for name in people]
    first, second = ([place for place, group in enumerate(of) if group == name] for name in groups.names)
    return Text(list(people.values()), list(product(first, second)))


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
    asked: StageQuestions, texts: Sequence[Text], settings: AnalysisOptions, *, both_ways: bool
) -> Iterator[dict[str, Cell]]:
    def values(name: str, said: Iterable[Sequence[tuple[str, str]]], noun: str) -> dict[str, Cell]:
        found = Pairs()
        for text, pairs in zip(texts, said, strict=True):
            found.add(pairs, 1 / len(text.pairs))
        return compared_categories(name, found, settings, noun, both_ways=both_ways)

    yield values("erroneous or fine", (text.compared(lambda read: read.verdict) for text in texts), "texts")
    if asked.decides:
        name = f"{asked.decides}, every answer"
        yield values(name, (text.compared(lambda read: read.said) for text in texts), "texts")
    marked = [text for text in map(Text.both_marked, texts) if text.pairs]
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
    met = [list(text.met()) for text in texts]
    if asked.marks.labels:
        types = ([(one.type, other.type) for one, other in errors] for errors in met)
        yield values("type", types, "errors")
        labels = ([(one.label, other.label) for one, other in errors] for errors in met)
        yield values("type and subtype", labels, "errors")
    if asked.marks.corrected_by:
        # Only whether corrections are equal: there are about as many different ones as errors.
        alike = ([EQUAL if one.correction == other.correction else UNEQUAL for one, other in errors] for errors in met)
        row = values("correction, exact", alike, "errors")
        # Chance plays no part in equal words, so there is no kappa to be missing.
        yield {**row, **with_interval("kappa", None, None), "reason": row["reason"] if row["agreement"] is None else ""}


EQUAL, UNEQUAL = ("equal", "equal"), ("one", "other")


def compared_categories(
    name: str, found: Pairs, settings: AnalysisOptions, noun: str, *, both_ways: bool
) -> dict[str, Cell]:
    counts, wide = found.counts(both_ways=both_ways)

    def by_chance(sums: Floats) -> Floats:
        return ratio((sums[:, 2 : 2 + wide] * sums[:, 2 + wide :]).sum(axis=1), sums[:, 0] ** 2)

    def lost_of(sums: Floats) -> Floats:
        """What kappa loses to disagreement."""
        chance = by_chance(sums)
        return ratio(1 - ratio(sums[:, 1], sums[:, 0]), np.where(chance > 1 - 1e-12, 0.0, 1 - chance))

    equal = _agreed(counts, len(found), settings)
    kappa = coefficient_figure(
        counts,
        lost_of,
        1 - float(by_chance(counts.sum(axis=0, keepdims=True))[0]) if len(found) else 0.0,
        len(found),
        settings.level,
    )
    why = equal.reason or kappa.reason
    if equal.value is not None and kappa.value is None:
        why = "without variation, agreement cannot be told from chance"
    return {
        "stage": name,
        **with_interval("agreement", equal.value, equal.interval),
        **with_interval("kappa", kappa.value, kappa.interval),
        "pairs": len(found),
        "reason": why if len(found) else f"no {noun} to compare",
    }


def _agreed(counts: Floats, pairs: int, settings: AnalysisOptions) -> Figure:
    """The second of the first two columns in percent of the first."""
    return sums_figure(
        counts, lambda sums: 100 * ratio(sums[:, 1], sums[:, 0]), top=100.0, most=pairs, level=settings.level
    )


def _exact(
    name: str, texts: Sequence[Text], part: Callable[[Read], Hashable], settings: AnalysisOptions
) -> dict[str, Cell]:
    rows = [(1.0, sum(mine == theirs for mine, theirs in text.compared(part)) / len(text.pairs)) for text in texts]
    return _without_kappa(name, rows, texts, settings)


def _tokens(
    name: str, texts: Sequence[Text], part: Callable[[Read], frozenset[int]], settings: AnalysisOptions
) -> dict[str, Cell]:
    """2 x tokens that both marked / tokens that the one and the other marked, over all texts."""
    rows = []
    for text in texts:
        pairs = text.compared(part)
        counts = [token_overlap(mine, theirs) for mine, theirs in pairs]
        rows.append((sum(one.either for one in counts) / len(pairs), sum(one.both for one in counts) / len(pairs)))
    return _without_kappa(name, rows, texts, settings)


def _without_kappa(
    name: str, rows: Sequence[tuple[float, float]], texts: Sequence[Text], settings: AnalysisOptions
) -> dict[str, Cell]:
    """The second of two columns in percent of the first."""
    pairs = sum(len(text.pairs) for text in texts)
    found = _agreed(np.array(rows, dtype=np.float64).reshape(len(rows), 2), pairs, settings)
    return {
        "stage": name,
        **with_interval("agreement", found.value, found.interval),
        **with_interval("kappa", None, None),
        "pairs": pairs,
        "reason": found.reason if rows else "no text in which both marked something",
    }
