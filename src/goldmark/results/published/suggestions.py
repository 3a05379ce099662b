"""Did suggestions help? What became of them, and time and quality of answers with and without.

A suggestion is accepted if the mark made of it has its extent, label and words, changed if the mark differs, and
dismissed otherwise. Answers are compared by unit: units of one item, some with suggestions and some without, or
campaigns in which each person got one kind. Intervals are over units, because answers to one unit are alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import Connection

from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.campaigns.lifecycle import find_campaign
from goldmark.curation.gold_lists.versions import lists_by_unit
from goldmark.curation.question import spans_question
from goldmark.errors import Conflict
from goldmark.protocols import Protocol
from goldmark.protocols.answers import read
from goldmark.protocols.responses import ReadResponse, protocol_of, read_responses
from goldmark.records.answers import Mark
from goldmark.records.campaigns import CampaignRecord
from goldmark.records.figures import Figure, Interval, counted
from goldmark.records.mistakes import Mistake
from goldmark.records.spooled.units import SpooledUnits, UnitTexts, hidden_facts
from goldmark.records.tables import Cell, Table
from goldmark.records.units import Suggested, Unit
from goldmark.results.options import AnalysisOptions, percent, with_interval
from goldmark.stats.inference.bootstrap import ratio
from goldmark.stats.inference.proportions import difference_of_intervals
from goldmark.stats.inference.sums import sums_figure
from goldmark.stats.mistake_matching import count
from goldmark.store import Store
from goldmark.texts.readers.gsml import read_mistakes

DECISIONS = ("accepted", "changed", "dismissed")
ALL = "all"


class NothingSuggested(Conflict):
    code = "SUGGESTIONS-01"
    message = "no unit of {campaign} has suggestions; `goldmark campaign suggest` and the page Suggestions give some"


@dataclass(frozen=True, slots=True)
class Decided:
    """One person's decision on one suggestion; `right` is whether the gold list knows such a mistake."""

    unit: str
    annotator: str
    label: str
    decision: str
    right: bool | None


@dataclass(frozen=True, slots=True)
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
    decided: list[Decided] = []
    answered: list[MeasuredAnswer] = []
    for one in () if question is None else read_responses(record):
        decided += _decisions(one, protocol, question or "", gold)
        answered.append(_answered(one, question or "", gold))
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
        found = lists_by_unit(connection, row, asked.id)
        return {name: [Mistake(name, one.span, one.label) for one in text.mistakes] for name, text in found}

    return store.snapshot(look)


def gold_in_file(path: Path, record: CampaignRecord) -> dict[str, list[Mistake]]:
    """The gold mistakes of every unit of a campaign, from a list of them that covers it."""
    units = SpooledUnits.of(record.units)
    known: dict[str, list[Mistake]] = {name: [] for name, _ in hidden_facts(units)}
    for mistake in read_mistakes(path, UnitTexts(units), categories=None, overlap=True):
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
            one.unit.id,
            one.annotator,
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
            row |= _percent(decision, mine, lambda one, said=decision: one.decision == said, settings)  # type: ignore[misc]
        judged = [one for one in mine if one.right is not None]
        wrong = [one for one in judged if not one.right]
        right = [one for one in judged if one.right]
        row |= _percent("wrong_taken", wrong, lambda one: one.decision != "dismissed", settings)
        row |= _percent("right_dismissed", right, lambda one: one.decision == "dismissed", settings)
        rows.append(row)
    return Table.of(
        "What became of suggestions",
        rows,
        notes=(
            "in per cent of the decisions, with intervals over units and people, where there are several",
            "wrong taken: of the suggestions that the gold list does not know, how many were accepted or changed; "
            "right dismissed: of those it knows, how many were dismissed; empty without a gold list",
        ),
        signature=settings.signature(figure="suggestions", interval="wilson-clustered"),
    )


def _percent(
    name: str, decided: Sequence[Decided], hit: Callable[[Decided], bool], settings: AnalysisOptions
) -> dict[str, Cell]:
    units, people = [one.unit for one in decided], [one.annotator for one in decided]
    return percent(name, [hit(one) for one in decided], units, settings.level, people)


# Columns of sums by unit: answers, seconds, answers with seconds, marks, found, gold, reported where gold is known.
# Of each measure what is divided by what, and where it ends.
_MEASURES: Mapping[str, tuple[int, int, float | None]] = {
    "seconds": (1, 2, None),
    "marks": (3, 0, None),
    "recall": (4, 5, 1.0),
    "precision": (4, 6, 1.0),
}


def _sums(answered: Sequence[MeasuredAnswer]) -> np.ndarray[Any, np.dtype[np.float64]]:
    by_unit: dict[str, np.ndarray[Any, np.dtype[np.float64]]] = {}
    for one in answered:
        seconds = one.seconds or 0.0
        known = one.gold is not None
        row = [1, seconds, one.seconds is not None, one.marks, one.found or 0, one.gold or 0, one.marks if known else 0]
        by_unit[one.unit] = by_unit.get(one.unit, np.zeros(len(row))) + np.array(row, dtype=np.float64)
    return np.array(list(by_unit.values())).reshape(len(by_unit), 7)


def _compared(answered: Sequence[MeasuredAnswer], settings: AnalysisOptions, *, known: bool) -> Table:
    rows: list[dict[str, Cell]] = []
    made: list[dict[str, Figure]] = []
    for name, helped in (("with suggestions", True), ("without", False)):
        mine = [one for one in answered if one.helped == helped]
        sums = _sums(mine)
        figures = {measure: _figure(sums, *parts, settings.level) for measure, parts in _MEASURES.items()}
        made.append(figures)
        rows.append({"answers": name, "units": len(sums), "responses": len(mine), **_cells(figures)})
    apart = {measure: _difference(made[0][measure], made[1][measure]) for measure in _MEASURES}
    rows.append({"answers": "difference", "units": None, "responses": None, **_cells(apart)})
    notes = [
        f"seconds are means of active time; {counted(len(answered), 'answer')} of "
        f"{counted(len({one.unit for one in answered}), 'unit')}; intervals are over units, with people as they are",
        *dict.fromkeys(one.reason for figures in made for one in figures.values() if one.interval and one.reason),
    ]
    if not known:
        notes.append(
            "recall and precision need a gold list: curate the campaign, or name one on the command line (--gold)"
        )
    if not all(row["responses"] for row in rows[:2]):
        notes.append("there is nothing to compare with: the campaign has units of one kind only")
    notes.append(
        "units are compared as they are; only if chance decided which had suggestions is the difference theirs"
    )
    return Table.of(
        "Answers with and without suggestions",
        rows,
        notes=tuple(notes),
        signature=settings.signature(figure="suggestions", interval="jackknife-units"),
    )


def _figure(
    sums: np.ndarray[Any, np.dtype[np.float64]], above: int, below: int, top: float | None, level: float
) -> Figure:
    counts = sums[:, [above, below]]
    most = float(counts[:, 1].sum()) if top else None
    found = sums_figure(
        counts, lambda sums: ratio(sums[:, 0], sums[:, 1]), top=top, most=most, level=level, what="unit"
    )
    if found.interval is None or found.interval.low >= 0:
        return found
    return replace(found, interval=Interval(0.0, found.interval.high, level))  # neither times nor counts go below


def _difference(first: Figure, second: Figure) -> Figure:
    if first.value is None or second.value is None:
        return Figure(None, reason="there is nothing to compare with")
    interval = None
    if first.interval is not None and second.interval is not None:
        interval = difference_of_intervals((first.value, first.interval), (second.value, second.interval))
    return Figure(first.value - second.value, interval)


def _cells(figures: Mapping[str, Figure]) -> dict[str, Cell]:
    cells: dict[str, Cell] = {}
    for measure, figure in figures.items():
        cells |= with_interval(measure, figure.value, figure.interval)
    return cells
