"""Agreement on labels and on marked spans, computed in one way for the commands, the results and the notebook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np

from goldmark.errors import GoldmarkError
from goldmark.records.figures import Figure, Signature, counted
from goldmark.records.tables import Cell, Table
from goldmark.records.tidy.columns import Frame
from goldmark.records.tidy.kept import Keep
from goldmark.results.inputs.files.labels import read_labels
from goldmark.results.inputs.files.marked_texts import MarkedTexts, read_marked
from goldmark.results.options import of_figure, with_interval
from goldmark.stats.agreement_measures.alpha import Level, Method, krippendorff, percent_agreement, resamples_for
from goldmark.stats.agreement_measures.coefficients import Draw
from goldmark.stats.agreement_measures.gwet import gwet
from goldmark.stats.agreement_measures.kappa import Cohen, Weights, cohen_pairs, fleiss
from goldmark.stats.agreement_measures.spans import SpanAgreement, span_agreement
from goldmark.stats.agreement_measures.unit_labels import UnitCounts, UnitLabels

RESAMPLES = 1000
SEED = 17

Measure = Literal[
    "alpha", "percent", "fleiss", "cohen", "cohen_linear", "cohen_quadratic", "ac1", "ac2_linear", "ac2_quadratic"
]
NOMINAL: tuple[Measure, ...] = ("alpha", "percent", "fleiss", "cohen", "ac1")
# Labels in an order: kappa and AC as they are and with weights, by which a near miss counts less than a far one.
ORDERED: tuple[Measure, ...] = (
    *("alpha", "percent", "fleiss", "cohen", "cohen_linear", "cohen_quadratic"),
    *("ac2_linear", "ac2_quadratic"),
)
NAMES: Mapping[Measure, str] = {
    "percent": "percent agreement",
    "fleiss": "Fleiss' kappa",
    "cohen": "Cohen's kappa",
    "cohen_linear": "Cohen's kappa, linear weights",
    "cohen_quadratic": "Cohen's kappa, quadratic weights",
    "ac1": "Gwet's AC1",
    "ac2_linear": "Gwet's AC2, linear weights",
    "ac2_quadratic": "Gwet's AC2, quadratic weights",
}


class MeasureNotPossible(GoldmarkError):
    code = "AGREEMENT-06"
    message = "there is no measure {measure!r} at the {level} level; choose among {known}"


def measures_of(level: Level, wanted: Sequence[str] = ()) -> tuple[Measure, ...]:
    """The measures that suit a level, or those of them that somebody asked for."""
    known = NOMINAL if level == "nominal" else ORDERED
    for one in wanted:
        if one not in known:
            raise MeasureNotPossible(measure=one, level=level, known=", ".join(known))
    return tuple(one for one in known if one in wanted) if wanted else known


def label_agreement(
    labels: UnitLabels,
    level: Level,
    *,
    measures: Sequence[Measure] | None = None,
    draw: Draw = "units",
    method: Method = "jackknife",
    resamples: int = RESAMPLES,
    seed: int = SEED,
    pairs: Cohen | None = None,
) -> dict[Measure, Figure]:
    """Alpha at a level, percent agreement, the kappas and Gwet's AC, or only some of these `measures`.

    Each draws from a generator of its own, so that a figure does not depend on which others are computed with it.
    `method` is how alpha's interval over units is made; all others are jackknifed. `pairs` are what `kappas_of_pairs`
    found of the same labels, if that is known already.
    """
    ranked = level == "ordinal"

    def figure(measure: Measure) -> Figure:
        rng = np.random.default_rng(seed)
        kind, _, weights = measure.partition("_")
        weighted = cast("Weights", weights or "none")
        if kind == "alpha":
            return krippendorff(labels, level, rng=rng, resamples=resamples, draw=draw, method=method)
        if kind == "percent":
            return percent_agreement(labels, rng=rng, draw=draw)
        if kind == "fleiss":
            return fleiss(labels, rng=rng, draw=draw)
        if kind == "cohen" and pairs is not None and weighted == _weights(level):
            return pairs.mean
        if kind == "cohen":
            return cohen_pairs(labels, weighted, ranked=ranked, rng=rng, draw=draw).mean
        return gwet(labels, weighted, ranked=ranked, rng=rng, draw=draw)

    return {measure: figure(measure) for measure in (measures_of(level) if measures is None else measures)}


def kappas_of_pairs(labels: UnitLabels, level: Level, *, draw: Draw = "units", seed: int = SEED) -> Cohen:
    """Kappa of every two annotators; on a scale, answers that lie close are closer than others (quadratic weights)."""
    rng = np.random.default_rng(seed)
    return cohen_pairs(labels, _weights(level), ranked=level == "ordinal", draw=draw, rng=rng)


def _weights(level: Level) -> Weights:
    return "none" if level == "nominal" else "quadratic"


@dataclass(frozen=True)
class AgreementOnLabels:
    """How far annotators agree on labels, every two of them, and what was left out."""

    level: Level
    draw: Draw
    figures: Mapping[Measure, Figure]
    cohen: Cohen
    labels: int
    annotators: int
    left_out: tuple[Mapping[str, Any], ...]
    signature: str

    def tables(self) -> list[Table]:
        """The figures, and every two annotators."""
        rows = [
            {"measure": measure, "statistic": self._name(measure), **of_figure(figure)}
            for measure, figure in self.figures.items()
        ]
        notes = tuple(
            f"left out: {counted(one['count'], one['what'].removesuffix('s'))}, {one['why']}" for one in self.left_out
        )
        over = "units, for these annotators" if self.draw == "units" else "units and annotators"
        title = f"Agreement, with 95 % intervals over {over}"
        tables = [Table.of(title, rows, notes=notes, signature=self.signature, labels={"n": "units used"})]
        if self.cohen.pairs:
            each: list[dict[str, Cell]] = [
                {
                    "first": str(pair.first),
                    "second": str(pair.second),
                    **with_interval("kappa", pair.kappa.value, pair.kappa.interval),
                    **with_interval("percent", pair.percent.value, pair.percent.interval),
                    "units": pair.kappa.used,
                    "reason": pair.kappa.reason,
                }
                for pair in self.cohen.pairs
            ]
            weighted = "" if self.level == "nominal" else ", quadratic weights"
            tables.append(Table.of(f"Cohen's kappa by pair{weighted}", each, signature=self.signature, name="pairs"))
        return tables

    def _name(self, measure: Measure) -> str:
        if measure == "alpha":
            return f"Krippendorff's alpha ({self.level})"
        if measure.startswith("cohen"):
            return f"{NAMES[measure]}, mean of {counted(pairs, 'pair') if (pairs := self.cohen.counted) else 'pairs'}"
        return NAMES[measure]


def agreement_on_labels(
    data: Path | Frame,
    names: Mapping[str, str],
    *,
    level: Level = "nominal",
    order: Sequence[str] = (),
    measures: Sequence[str] = (),
    draw: Draw = "units",
    method: Method = "jackknife",
    keep: Keep | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> AgreementOnLabels:
    """Of a table with one label per row; see `read_labels` for `names`, `order` and `keep`."""
    wanted = measures_of(level, measures)
    labels, missing, rows = read_labels(data, names, level=level, order=order, keep=keep)
    tally = UnitCounts.of(labels)
    reasons = [
        (tally.skipped, "units", "fewer than two labels, so nothing to compare"),
        (missing, "labels", "the cell is empty or says NA"),
    ]
    drawn = {} if method == "jackknife" else {"resamples": resamples_for(tally, level, resamples)}
    signature = Signature.of(
        data=data.source if isinstance(data, Frame) else data.name,
        **_kept_parts(keep),
        level=level,
        labels=len(labels),
        units=len(labels.unit_names),
        annotators=len(labels.annotator_names),
        interval=f"{method}-95-{draw}",
        **drawn,
        seed=seed,
    )
    pairs = kappas_of_pairs(labels, level, draw=draw, seed=seed)
    return AgreementOnLabels(
        level,
        draw,
        label_agreement(
            labels, level, measures=wanted, draw=draw, method=method, resamples=resamples, seed=seed, pairs=pairs
        ),
        pairs,
        len(labels),
        len(labels.annotator_names),
        (
            *({"count": count, "what": what, "why": why} for count, what, why in reasons if count),
            *(one.to_json() for one in rows),
        ),
        str(signature),
    )


@dataclass(frozen=True)
class AgreementOnSpans:
    """How far annotators agree on marked spans, and from which texts that is known."""

    found: SpanAgreement
    marked: MarkedTexts
    signature: str

    def tables(self) -> list[Table]:
        """The figures, and every two annotators."""
        found = self.found
        named = {
            "gamma (spans and categories)": ("gamma", found.gamma.figure, "texts"),
            "alpha of each token's category": ("token_alpha", found.token_alpha, "texts"),
            "alpha of marked or not, by token": ("marked_alpha", found.marked_alpha, "texts"),
            "token F1, mean of pairs": ("token_f1", found.token_f1, "pairs"),
            "same category on matched spans": ("category_percent", found.category_percent, "matches"),
            "alpha of categories on matched spans": ("category_alpha", found.category_alpha, "matches"),
        }
        rows = [
            {"measure": measure, "statistic": name, **of_figure(figure), "of": of}
            for name, (measure, figure, of) in named.items()
        ]
        notes = (*self.marked.notes, *(one.note() for one in self.marked.left_out))
        title = "Agreement on spans, with 95 % intervals over texts"
        tables = [Table.of(title, rows, notes=notes, signature=self.signature)]
        if found.pairs:
            pairs: list[dict[str, Cell]] = [
                {
                    "first": pair.first,
                    "second": pair.second,
                    "token_f1": pair.f1.value,
                    "texts": pair.f1.used,
                    "matched_spans": pair.matched,
                    "same_category": pair.same_category.value,
                }
                for pair in found.pairs
            ]
            tables.append(Table.of("Pairs of annotators", pairs, signature=self.signature, name="pairs"))
        return tables


def agreement_on_spans(
    data: Path | Frame,
    *,
    texts: Path | None = None,
    seen: Path | None = None,
    categories: Sequence[str] | None = None,
    keep: Keep | None = None,
    seed: int = SEED,
) -> AgreementOnSpans:
    """Of a mistake list with its texts, a folder with both, or a table of spans; see `read_marked`."""
    marked = read_marked(data, texts=texts, seen=seen, categories=categories, keep=keep)
    found = span_agreement(marked.texts, rng=np.random.default_rng(seed))
    signature = Signature.of(
        data=marked.data,
        **_kept_parts(keep),
        seen=marked.seen,
        texts=len(marked.texts),
        annotators=len({name for text in marked.texts for name in text.marks}),
        spans=marked.spans,
        match="token-overlap-once",
        **({"overlap": "jaccard-sets-best-cover"} if marked.overlap else {}),
        gamma=f"combined-1-1-empty-1-samples-{found.gamma.samples}",
        interval="jackknife-95-texts",
        seed=seed,
    )
    return AgreementOnSpans(found, marked, str(signature))


def _kept_parts(keep: Keep | None) -> dict[str, str]:
    return {f"keep-{column}": "+".join(wanted) for column, wanted in (keep or {}).items()}
