"""Did suggestions help? What became of them, and time and quality of answers with and without.

A suggestion is accepted if the mark made of it has its extent, label and words, changed if the mark differs, and
dismissed otherwise. Answers are compared by unit: units of one item, some with suggestions and some without, or
campaigns in which each person got one kind. Intervals resample units, because answers to one unit are alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import Connection

from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.campaigns.lifecycle import find_campaign
from goldmark.curation.gold_lists.versions import gold_of
from goldmark.curation.question import role_of, spans_question
from goldmark.errors import GoldmarkError, Kind
from goldmark.protocols import Protocol
from goldmark.protocols.answers import read
from goldmark.protocols.responses import ReadResponse, protocol_of, read_responses
from goldmark.records.answers import Mark
from goldmark.records.campaigns import CampaignRecord
from goldmark.records.figures import Interval, Undefined
from goldmark.records.mistakes import Mistake
from goldmark.records.tables import Cell, Table
from goldmark.records.units import Suggested, Unit
from goldmark.results.options import AnalysisOptions, counted, percent, with_interval
from goldmark.stats.inference.bootstrap import percentile_interval, ratio, resampled_weights
from goldmark.stats.mistake_matching import count
from goldmark.store import Store
from goldmark.texts.readers.gsml import read_mistakes

DECISIONS = ("accepted", "changed", "dismissed")
ALL = "all"


class NothingSuggested(GoldmarkError):
    code = "SUGGESTIONS-01"
    kind = Kind.CONFLICT
    message = "no unit of {campaign} has suggestions; name a list under `suggestions` in the campaign file"


@dataclass(frozen=True)
class Decided:
    """One person's decision on one suggestion; `right` is whether the gold list knows such a mistake."""

    label: str
    decision: str
    right: bool | None


@dataclass(frozen=True)
class MeasuredAnswer:
    """One answer to one unit: how long it took, what was marked, and how that compares with the gold list."""

    unit: str
    helped: bool
    seconds: float | None
    marks: int
    found: int | None  # gold mistakes that a mark overlaps; None without a gold list for this unit
    gold: int | None


def suggestions(
    record: CampaignRecord, gold: Mapping[str, Sequence[Mistake]], settings: AnalysisOptions
) -> list[Table]:
    """What became of the suggestions, and answers with and without; `gold` has the gold mistakes of finished texts."""
    if not any(_offered(unit) for unit in record.units):
        raise NothingSuggested(campaign=record.settings.get("campaign", "this campaign"))
    protocol = protocol_of(record)
    question = _question(protocol)
    answers = [] if question is None else list(read_responses(record))
    decided = [each for one in answers for each in _decisions(one, protocol, question or "", gold)]
    answered = [_answered(one, question or "", gold) for one in answers]
    tables = [_decided(decided, settings), _compared(answered, settings, known=bool(gold))]
    return [table.noting(*record.exclusion_notes()) for table in tables]


def curated_gold(store: Store, content: ContentCache, name: str) -> dict[str, list[Mistake]]:
    """The gold mistakes of every unit of a campaign that curators have finished; none where nothing is marked."""

    def look(connection: Connection) -> dict[str, list[Mistake]]:
        row = find_campaign(connection, name)
        protocol = content.protocol(row.protocol_id)
        question = _question(protocol)
        if question is None:
            return {}
        asked = spans_question(protocol, row, question)
        found, _ = gold_of(connection, row, asked.id, role=role_of(protocol, asked))
        return {text.text_id: [Mistake(text.text_id, one.span, one.label) for one in text.mistakes] for text in found}

    return store.snapshot(look)


def gold_in_file(path: Path, record: CampaignRecord) -> dict[str, list[Mistake]]:
    """The gold mistakes of every unit of a campaign, from a list of them that covers it."""
    texts = {unit.id: shown.text for unit in record.units for shown in unit.shown.texts.values()}
    known: dict[str, list[Mistake]] = {unit.id: [] for unit in record.units}
    for mistake in read_mistakes(path, texts, categories=None, overlap=True):
        known[mistake.text_id].append(mistake)
    return known


def _question(protocol: Protocol) -> str | None:
    return protocol.around.suggestions_to.get(protocol.texts[0])


def _offered(unit: Unit) -> tuple[Suggested, ...]:
    return next(iter(unit.shown.texts.values())).suggested


def decision_on(suggestion: Mark, marks: Iterable[Mark]) -> str:
    """What an answer with these marks made of a suggestion, which is read as if it were a mark."""
    for mark in marks:
        if mark.suggested == suggestion.id:
            return "accepted" if mark._replace(id=suggestion.id, suggested="") == suggestion else "changed"
    return "dismissed"


def _decisions(
    one: ReadResponse, protocol: Protocol, question: str, gold: Mapping[str, Sequence[Mistake]]
) -> list[Decided]:
    known = gold.get(one.unit.id)
    offered = {question: [suggestion.to_json() for suggestion in _offered(one.unit)]}
    return [
        Decided(
            suggestion.label or "(no label)",
            decision_on(suggestion, one.said.marks_of(question)),
            None if known is None else any(suggestion.tokens.overlaps(mistake.span) for mistake in known),
        )
        for suggestion in read(protocol, offered, one.unit.shown).marks_of(question)
    ]


def _answered(one: ReadResponse, question: str, gold: Mapping[str, Sequence[Mistake]]) -> MeasuredAnswer:
    known = gold.get(one.unit.id)
    marks = one.said.marks_of(question)
    found = None
    if known is not None:
        found = count(list(known), [Mistake(one.unit.id, mark.tokens, mark.label) for mark in marks]).found
    return MeasuredAnswer(
        one.unit.id,
        bool(_offered(one.unit)),
        one.response.seconds_active,
        len(marks),
        found,
        None if known is None else len(known),
    )


def _decided(decided: Sequence[Decided], settings: AnalysisOptions) -> Table:
    rows: list[dict[str, Cell]] = []
    for label in [ALL, *sorted({one.label for one in decided})]:
        mine = [one for one in decided if label in (ALL, one.label)]
        row: dict[str, Cell] = {"label": label, "decisions": len(mine)}
        for decision in DECISIONS:
            row |= percent(decision, sum(one.decision == decision for one in mine), len(mine), settings.level)
        judged = [one for one in mine if one.right is not None]
        wrong = [one for one in judged if not one.right]
        right = [one for one in judged if one.right]
        row |= percent("wrong_taken", sum(one.decision != "dismissed" for one in wrong), len(wrong), settings.level)
        row |= percent("right_dismissed", sum(one.decision == "dismissed" for one in right), len(right), settings.level)
        rows.append(row)
    return Table.of(
        "What became of suggestions",
        rows,
        notes=(
            "in per cent of the decisions, with exact intervals that take decisions as independent",
            "wrong_taken: of the suggestions that the gold list does not know, how many were accepted or changed; "
            "right_dismissed: of those it knows, how many were dismissed; empty without a gold list",
        ),
        signature=settings.signature(figure="suggestions", interval="exact"),
    )


# Columns of sums by unit: answers, seconds, answers with seconds, marks, found, gold, reported where gold is known.
_MEASURES = {"seconds": (1, 2), "marks": (3, 0), "recall": (4, 5), "precision": (4, 6)}


def _sums(answered: Sequence[MeasuredAnswer]) -> np.ndarray[Any, np.dtype[np.float64]]:
    by_unit: dict[str, np.ndarray[Any, np.dtype[np.float64]]] = {}
    for one in answered:
        seconds = one.seconds or 0.0
        known = one.gold is not None
        row = [1, seconds, one.seconds is not None, one.marks, one.found or 0, one.gold or 0, one.marks if known else 0]
        by_unit[one.unit] = by_unit.get(one.unit, np.zeros(len(row))) + np.array(row, dtype=np.float64)
    return np.array(list(by_unit.values())).reshape(len(by_unit), 7)


def _compared(answered: Sequence[MeasuredAnswer], settings: AnalysisOptions, *, known: bool) -> Table:
    rng = settings.rng()
    rows: list[dict[str, Cell]] = []
    replicates: dict[str, dict[str, np.ndarray[Any, np.dtype[np.float64]]]] = {}
    for name, helped in (("with suggestions", True), ("without", False)):
        mine = [one for one in answered if one.helped == helped]
        sums = _sums(mine)
        row: dict[str, Cell] = {"answers": name, "units": len(sums), "responses": len(mine)}
        drawn = (
            np.concatenate(
                [weights @ sums for weights in resampled_weights(len(sums), resamples=settings.resamples, rng=rng)]
            )
            if len(sums) > 1
            else None
        )
        replicates[name] = {}
        for measure, (above, below) in _MEASURES.items():
            total = sums[:, below].sum()
            value = float(sums[:, above].sum() / total) if total else None
            interval: Interval | Undefined | None = None
            if drawn is not None and value is not None:
                replicates[name][measure] = ratio(drawn[:, above], drawn[:, below])
                interval = percentile_interval(replicates[name][measure], level=settings.level)
            row |= with_interval(measure, value, interval)
        rows.append(row)
    rows.append(_difference(rows, replicates, settings))
    notes = [
        f"seconds are means of active time; {counted(len(answered), 'answer')} of "
        f"{counted(len({one.unit for one in answered}), 'unit')}; intervals resample units",
    ]
    if not known:
        notes.append("recall and precision need a gold list: curate the campaign, or give one with --gold")
    if not all(row["responses"] for row in rows[:2]):
        notes.append("there is nothing to compare with: the campaign has units of one kind only")
    notes.append(
        "units are compared as they are; only if chance decided which had suggestions is the difference theirs"
    )
    return Table.of(
        "Answers with and without suggestions",
        rows,
        notes=tuple(notes),
        signature=settings.signature(figure="suggestions", resampled="units"),
    )


def _difference(
    rows: Sequence[Mapping[str, Cell]],
    replicates: Mapping[str, Mapping[str, np.ndarray[Any, np.dtype[np.float64]]]],
    settings: AnalysisOptions,
) -> dict[str, Cell]:
    row: dict[str, Cell] = {"answers": "difference", "units": None, "responses": None}
    for measure in _MEASURES:
        first, second = rows[0][measure], rows[1][measure]
        value = float(first) - float(second) if first is not None and second is not None else None
        both = [replicates[name].get(measure) for name in ("with suggestions", "without")]
        interval = (
            percentile_interval(both[0] - both[1], level=settings.level)
            if value is not None and both[0] is not None and both[1] is not None
            else None
        )
        row |= with_interval(measure, value, interval)
    return row
