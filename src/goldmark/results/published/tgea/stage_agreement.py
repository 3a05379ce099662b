"""How far people agree at each stage of a campaign whose texts several of them read (TGEA table 3).

Detection, spans, types and corrections are compared pair by pair: every two people who read the same text, or, with
groups, everybody of one group with everybody of the other. A text weighs the same however many pairs it has. Types and
corrections are compared on errors that both found, which are those whose marked words meet.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from goldmark.errors import Conflict
from goldmark.observations.filter import Filter
from goldmark.observations.frames import collect
from goldmark.observations.schema import TABLES
from goldmark.observations.source import ObservationSource
from goldmark.records.figures import Figure, counted
from goldmark.records.tables import Cell, Table
from goldmark.records.tidy.coded import Coded
from goldmark.records.tidy.columns import Frame
from goldmark.results.options import AnalysisOptions, with_interval
from goldmark.results.published.tgea.stage_readings import ComparedReadings, Groups, StageQuestions, StageReadings
from goldmark.stats.agreement_measures.coefficients import coefficient_figure
from goldmark.stats.agreement_measures.mark_columns import MarkColumns, Whole
from goldmark.stats.inference.bootstrap import Floats, ratio
from goldmark.stats.inference.sums import sums_figure
from goldmark.stats.ranks.judgements import by_name

COMPARED = {"unit", "annotator", "question", "label", "start", "end", "correction", "links"}
NOT_COMPARED = frozenset(column for table in TABLES.values() for column in table.all_columns) - COMPARED


class NotTwoGroups(Conflict):
    code = "STAGES-02"
    message = "two groups are compared, but people with answers belong to {count}: {names}; name two of them"


@dataclass(frozen=True)
class ValuePairs:
    """Pairs of values that two people gave at one stage: of each its text, what it weighs, and the two values."""

    text: Whole
    weight: Floats
    first: Coded
    second: Coded

    def __len__(self) -> int:
        return len(self.text)

    def counts(self, *, both_ways: bool) -> tuple[Floats, int]:
        """Of each text pairs, equal pairs, and how often each value was given by the first and by the second.

        With how many values there are. `both_ways`: each of the two is the first for half of the weight.
        """
        names, code = by_name(Coded(np.concatenate([self.first.codes, self.second.codes]), self.first.names))
        first, second = code[: len(self)], code[len(self) :]
        known, text = np.unique(self.text, return_inverse=True)
        texts, wide, weight = len(known), len(names), self.weight
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
    source: ObservationSource, wanted: Filter, settings: AnalysisOptions, *, groups: Sequence[str] | None = None
) -> Table:
    """Percent agreement and kappa by stage. `groups`: compare people of two conditions; empty: of the only two."""
    asked = StageQuestions.of(source.protocol)
    frames = collect(source, wanted, NOT_COMPARED).frames
    named = _groups(source, frames, groups) if groups is not None else None
    return agreement_by_stage(asked, frames, settings, named)


def agreement_by_stage(
    asked: StageQuestions, frames: Mapping[str, Frame], settings: AnalysisOptions, named: Groups | None = None
) -> Table:
    """What everybody said of each text, compared. Their order changes no figure."""
    readings = StageReadings.of(frames, asked)
    pairs = readings.compared(named)
    skipped = len(readings.marks.texts) - len(np.unique(pairs.text))
    return Table.of(
        "Agreement by stage",
        list(_rows(asked, readings, pairs, settings, both_ways=named is None)),
        notes=tuple(_notes(skipped, named)),
        signature=settings.signature(
            figure="stage-agreement",
            kappa="cohen" if named else "cohen, every pair both ways",
            interval="jackknife-texts",
            groups="/".join(named.names) if named else "none",
        ),
        labels={"agreement": "% agreed"},
    )


def _groups(source: ObservationSource, frames: Mapping[str, Frame], wanted: Sequence[str]) -> Groups:
    of = {one.name: one.condition for one in source.people() if one.condition}
    working = {name for table in ("spans", "choices", "ratings") for name in frames[table].coded("annotator").used()[1]}
    names = sorted(set(wanted) or {of[name] for name in working if name in of})
    if len(names) != 2 or not set(names) <= set(of.values()):
        known = sorted(set(of.values()))
        raise NotTwoGroups(count=len(known), names=", ".join(known) or "nobody has a condition")
    return Groups((names[0], names[1]), of)


def _notes(skipped: int, groups: Groups | None) -> Iterator[str]:
    yield "spans: texts in which both marked something; types and corrections: errors of both, on words that meet"
    if groups:
        yield f"everybody of {groups.names[0]} with everybody of {groups.names[1]}"
    if skipped:
        yield f"left out: {counted(skipped, 'text')} without two people to compare"


def _rows(
    asked: StageQuestions,
    readings: StageReadings,
    pairs: ComparedReadings,
    settings: AnalysisOptions,
    *,
    both_ways: bool,
) -> Iterator[dict[str, Cell]]:
    weight = pairs.weight()

    def values(
        name: str, of: Coded, first: Whole, second: Whole, noun: str, pair: Whole | None = None
    ) -> dict[str, Cell]:
        text, weighs = (pairs.text, weight) if pair is None else (pairs.text[pair], weight[pair])
        found = ValuePairs(text, weighs, of.take(first), of.take(second))
        return compared_categories(name, found, settings, noun, both_ways=both_ways)

    yield values("erroneous or fine", readings.verdict, pairs.first, pairs.second, "texts")
    if asked.decides:
        yield values(f"{asked.decides}, every answer", readings.said, pairs.first, pairs.second, "texts")
    marked = readings.both_marked(pairs)
    yield _exact("erroneous spans, exact", marked, readings.places(), settings)
    if asked.marks.links:
        yield _exact("associated spans, exact", marked, readings.linked_places(), settings)
        yield _exact("both spans, exact", marked, readings.all_places(), settings)
    yield _tokens("erroneous tokens, F1", marked, readings.marks, settings)
    if asked.marks.links:
        yield _tokens("associated tokens, F1", marked, readings.linked, settings)
    pair, first, second = readings.met(pairs)
    if asked.marks.labels:
        types = readings.label.mapped(lambda label: label.partition(".")[0])
        yield values("type", types, first, second, "errors", pair)
        yield values("type and subtype", readings.label, first, second, "errors", pair)
    if asked.marks.corrected_by:
        # Only whether corrections are equal: there are about as many different ones as errors.
        equal = readings.correction.codes[first] == readings.correction.codes[second]
        same = Coded(np.array([0, 1, 2]), ["equal", "one", "other"])
        row = values("correction, exact", same, np.where(equal, 0, 1), np.where(equal, 0, 2), "errors", pair)
        # Chance plays no part in equal words, so there is no kappa to be missing.
        yield {**row, **with_interval("kappa", None, None), "reason": row["reason"] if row["agreement"] is None else ""}


def compared_categories(
    name: str, found: ValuePairs, settings: AnalysisOptions, noun: str, *, both_ways: bool
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


def _exact(name: str, pairs: ComparedReadings, of: Whole, settings: AnalysisOptions) -> dict[str, Cell]:
    equal = of[pairs.first] == of[pairs.second]
    return _without_kappa(name, pairs, np.ones(len(equal)), equal.astype(np.float64), settings)


def _tokens(name: str, pairs: ComparedReadings, marks: MarkColumns, settings: AnalysisOptions) -> dict[str, Cell]:
    """2 x tokens that both marked / tokens that the one and the other marked, over all texts."""
    either = marks.tokens[pairs.first] + marks.tokens[pairs.second]
    return _without_kappa(name, pairs, either, 2 * marks.shared_tokens()[pairs.number], settings)


def _without_kappa(
    name: str, pairs: ComparedReadings, whole: Floats | Whole, part: Floats | Whole, settings: AnalysisOptions
) -> dict[str, Cell]:
    """A part in percent of the whole, both of each text the mean of its pairs."""
    text = np.unique(pairs.text, return_inverse=True)[1]
    counts = np.stack([np.bincount(text, weights=one) / np.bincount(text) for one in (whole, part)], axis=1)
    found = _agreed(counts, len(text), settings)
    return {
        "stage": name,
        **with_interval("agreement", found.value, found.interval),
        **with_interval("kappa", None, None),
        "pairs": len(text),
        "reason": found.reason if len(counts) else "no text in which both marked something",
    }
