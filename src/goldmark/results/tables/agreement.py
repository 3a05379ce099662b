"""How far annotators agree, for every question of every kind, and every two of them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from goldmark.records.figures import Figure, Signature
from goldmark.records.tables import Cell, Table
from goldmark.records.tidy.coded import Coded
from goldmark.records.tidy.columns import Frame, MissingColumn
from goldmark.results.inputs.groups import Rows, questions, rows_of
from goldmark.results.inputs.table_inputs import TableInputs
from goldmark.results.label_agreement import NOMINAL, Measure, kappas_of_pairs, label_agreement
from goldmark.results.options import AnalysisOptions, of_figure, with_interval
from goldmark.results.result_table import ANSWERS, ResultTable
from goldmark.results.tables.preferences.best_worst import of_several, picks
from goldmark.results.tables.ratings import numbers, takes_several
from goldmark.stats.agreement_measures.alpha import Level
from goldmark.stats.agreement_measures.mark_columns import MarkColumns
from goldmark.stats.agreement_measures.spans import SpanAgreement, span_agreement, span_pairs
from goldmark.stats.agreement_measures.unit_labels import UnitLabels, pairs_within

# Of labels in an order; plain kappas take every difference for the same.
ORDERED: tuple[Measure, ...] = ("alpha", "percent", "cohen_quadratic", "ac2_quadratic")
GAMMA_AT_ONCE = 300  # texts that are aligned in a few seconds
GAMMA_SECONDS = 60.0  # unless somebody marked what takes hours


class AgreementMeasure(NamedTuple):
    """One question's agreement: which measure at which level, of what."""

    question: str
    label: str  # the option, where every option is judged by itself
    measure: str
    level: str
    figure: Figure


def labels_of(rows: Rows, values: Sequence[Hashable] | NDArray[np.float64]) -> UnitLabels:
    return UnitLabels.of(rows.unit, rows.annotator, values)


def level_of(labels: Coded, values: Coded) -> Level:
    """Options in an order are ordinal; numbers that people gave themselves lie on an interval scale."""
    both = np.unique(labels.codes * np.int64(len(values.names)) + values.codes).tolist()
    told = [(labels.names[code // len(values.names)], values.names[code % len(values.names)]) for code in both]
    return "interval" if all(float(value) == _number(label) for label, value in told) else "ordinal"


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def agreement(
    frames: Mapping[str, Frame],
    settings: AnalysisOptions,
    order: Sequence[str] = (),
    compared: Mapping[str, SpanAgreement] | None = None,
) -> Table:
    """One row for every question and measure. `compared` are marks, by question, if that was done before."""
    measured = list(_measured(frames, settings, of_spans(frames, settings) if compared is None else compared))
    asked = list(dict.fromkeys([*order, *(one.question for one in measured)]))
    rows: list[dict[str, Cell]] = [
        {
            "question": one.question,
            "label": one.label,
            "measure": one.measure,
            "level": one.level,
            **of_figure(one.figure),
        }
        for one in sorted(measured, key=lambda one: asked.index(one.question))
    ]
    signature = Signature.of(
        figure="agreement",
        interval="jackknife-units",
        spans="jackknife-texts",
        level=settings.level,
        seed=settings.seed,
    )
    return Table.of("Agreement", rows, signature=str(signature), labels={"n": "units"})


def _measured(
    frames: Mapping[str, Frame], settings: AnalysisOptions, compared: Mapping[str, SpanAgreement]
) -> Iterator[AgreementMeasure]:
    for question, label, level, labels in labelled(frames):
        measures = NOMINAL if level == "nominal" else ORDERED
        for measure, figure in label_agreement(labels, level, seed=settings.seed, measures=measures).items():
            yield AgreementMeasure(question, label, measure, level if measure == "alpha" else "", figure)
    for question, found in compared.items():
        for name, figure in span_measures(found).items():
            yield AgreementMeasure(question, "", name, "", figure)
    for question in questions(frames["words"]):
        why = "answers in people's own words are not compared; code them first (Follow-up: explanation coding)"
        yield AgreementMeasure(question, "", "alpha", "", Figure(None, reason=why, used=0))


def labelled(frames: Mapping[str, Frame]) -> Iterator[tuple[str, str, Level, UnitLabels]]:
    """The labels of every question that has labels; of questions that take several, of every option."""
    for question in questions(frames["ratings"]):
        rows = rows_of(frames["ratings"], question)
        level = level_of(rows.frame.coded("label"), rows.frame.coded("value"))
        yield question, "", level, labels_of(rows, numbers(rows))
    for question in questions(frames["choices"]):
        rows = rows_of(frames["choices"], question)
        labels = rows.frame.coded("label")
        if not takes_several(rows):
            yield question, "", "nominal", labels_of(rows, labels)
            continue
        for option in labels.used()[1]:
            own = rows.take(np.flatnonzero(labels.equal(option)))
            yield question, option, "nominal", labels_of(own, own.frame.cells["chosen"])
    for question in questions(frames["comparisons"]):
        rows = rows_of(frames["comparisons"], question)
        if not of_several(rows):
            yield question, "", "nominal", labels_of(rows, rows.frame.cells["preferred"])
            continue
        for word, own, roles in picks(rows):
            yield question, word, "nominal", labels_of(own, roles)


def of_spans(frames: Mapping[str, Frame], settings: AnalysisOptions) -> dict[str, SpanAgreement]:
    """Agreement on marks, by question."""
    return {one: spans_agreement(frames["spans"], one, settings) for one in questions(frames["spans"])}


def spans_agreement(frame: Frame, question: str, settings: AnalysisOptions) -> SpanAgreement:
    """Agreement on marks, of everybody who read a text, whether or not they marked anything."""
    marks = marks_of(rows_of(frame, question))
    shared = int((marks.readers > 1).sum())
    why = (
        f"gamma of {shared:,} texts takes minutes; `goldmark table agreement` of this campaign or its files computes it"
        if shared > GAMMA_AT_ONCE and not settings.patient
        else ""
    )
    patience = None if settings.patient else GAMMA_SECONDS
    return span_agreement(marks, rng=settings.rng(), no_gamma=why, patience=patience)


def marks_of(rows: Rows) -> MarkColumns:
    """Every text that was marked, as long as it is, with what everybody who read it marked."""
    frame = rows.frame
    if "" in frame.coded("tokens"):
        remedy = "; agreement on passages needs the length of every text"
        present = ", ".join(frame.cells)
        raise MissingColumn(needed="'tokens'", source=frame.source, present=present, remedy=remedy)
    role = frame.coded("role")
    texts = rows.unit
    if role.used()[1] != ["text"]:
        both = rows.unit.codes * np.int64(len(role.names)) + role.codes
        codes, seen = np.unique(both, return_inverse=True)
        named = (divmod(code, len(role.names)) for code in codes.tolist())
        names = [(rows.unit.names[unit], role.names[part]) for unit, part in named]
        texts = Coded.merged(seen, [unit if part == "text" else f"{unit}/{part}" for unit, part in names])
    length, start, end = (frame.coded(name).whole() for name in ("tokens", "start", "end"))
    marked = ~frame.coded("start").equal("")
    return MarkColumns.of_rows(texts, length, rows.annotator, marked, start, end, frame.coded("label"))


def span_measures(found: SpanAgreement) -> dict[str, Figure]:
    return {
        "gamma": found.gamma.figure,
        "token_alpha": found.token_alpha,
        "marked_alpha": found.marked_alpha,
        "token_f1": found.token_f1,
        "category_percent": found.category_percent,
        "category_alpha": found.category_alpha,
    }


def agreement_pairs(
    frames: Mapping[str, Frame],
    settings: AnalysisOptions,
    order: Sequence[str] = (),
    compared: Mapping[str, SpanAgreement] | None = None,
) -> Table:
    """Every two annotators on what both answered: equal labels and kappa, or F1 of the marked tokens."""
    rows: list[dict[str, Cell]] = []
    for question, label, level, given in labelled(frames):
        rows += (
            {
                "question": question,
                "label": label,
                "first": str(pair.first),
                "second": str(pair.second),
                "measure": "percent",
                **with_interval("value", pair.percent.value, pair.percent.interval),
                **with_interval("kappa", pair.kappa.value, pair.kappa.interval),
                "weights": "" if level == "nominal" else "quadratic",
                "n": pair.percent.used,
                "reason": pair.percent.reason or pair.kappa.reason,
            }
            for pair in kappas_of_pairs(given, level).pairs
        )
    for question in questions(frames["spans"]):
        known = (compared or {}).get(question)
        pairs = known.pairs if known else span_pairs(marks_of(rows_of(frames["spans"], question)))
        rows += (
            {
                "question": question,
                "label": "",
                "first": one.first,
                "second": one.second,
                "measure": "token_f1",
                **with_interval("value", one.f1.value, one.f1.interval),
                **with_interval("kappa", None, None),
                "weights": "",
                "n": one.f1.used,
                "reason": one.f1.reason,
            }
            for one in pairs
        )
    signature = Signature.of(figure="agreement-of-pairs", interval="jackknife-95-units")
    labels = {"n": "units", "weights": "kappa's weights"}
    return Table.of("Pairs of annotators", rows, signature=str(signature), labels=labels)


def agreement_of_people(frames: Mapping[str, Frame], pairs: Table) -> dict[str, float]:
    """Each annotator's mean agreement with the others they shared units with, over questions.

    `pairs` are those of `agreement_pairs`. It lists no pairs of very many people, so labels are compared here.
    """
    found: dict[str, list[float]] = {}

    def add(first: str, second: str, value: float) -> None:
        found.setdefault(first, []).append(value)
        found.setdefault(second, []).append(value)

    for _, _, _, labels in labelled(frames):
        for (first, second), (equal, shared) in _equal(labels).items():
            add(str(labels.annotator_names[first]), str(labels.annotator_names[second]), equal / shared)
    for row in pairs.records():
        if row["measure"] == "token_f1" and isinstance(row["value"], float):
            add(str(row["first"]), str(row["second"]), row["value"])
    return {name: float(np.mean(values)) for name, values in found.items()}


def _equal(labels: UnitLabels) -> dict[tuple[int, int], tuple[int, int]]:
    """By two annotators, on how many units they said the same, and how many both labelled."""
    order = np.lexsort((labels.annotators, labels.units))
    unit, who, value = labels.units[order], labels.annotators[order], labels.values[order]
    some = list(pairs_within(unit))
    if not some:
        return {}
    first, second = (np.concatenate(side) for side in zip(*some, strict=True))
    in_turn = np.lexsort((second, first))  # means are taken in the order in which pairs first meet
    first, second = first[in_turn], second[in_turn]
    people = len(labels.annotator_names)
    pairs, met, code = np.unique(who[first] * people + who[second], return_index=True, return_inverse=True)
    shared, equal = np.bincount(code), np.bincount(code, weights=value[first] == value[second])
    return {
        divmod(int(pairs[place]), people): (int(equal[place]), int(shared[place])) for place in np.argsort(met).tolist()
    }


def pairs_of(given: TableInputs, settings: AnalysisOptions) -> Table:
    """The table of pairs, made once: that of people builds on it."""
    if "pairs" not in given.made:
        given.made["pairs"] = agreement_pairs(given.frames, settings, given.order, given.compared)
    return given.made["pairs"]


def _agreement(given: TableInputs, settings: AnalysisOptions) -> list[Table]:
    given.compared.update(of_spans(given.frames, settings))
    return [agreement(given.frames, settings, given.order, given.compared)]


AGREEMENT_TABLE = ResultTable(
    "agreement",
    "How far annotators agree, for every question.",
    "agreement",
    ANSWERS,
    _agreement,
    "dots",
)
AGREEMENT_PAIRS_TABLE = ResultTable(
    "agreement-pairs",
    "How far every two annotators agree.",
    "agreement",
    ANSWERS,
    lambda given, settings: [pairs_of(given, settings)],
    "matrix",
)
