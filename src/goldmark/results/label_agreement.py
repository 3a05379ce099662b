"""Agreement on labels and on marked spans, computed in one way for the commands, the results and the notebook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from goldmark.records.columns import Frame
from goldmark.records.figures import Figure, Signature
from goldmark.records.kept import Keep
from goldmark.records.tables import Cell, Table
from goldmark.results.inputs.labels import read_labels
from goldmark.results.inputs.marked_texts import MarkedTexts, read_marked
from goldmark.results.options import counted, of_figure
from goldmark.stats.agreement_measures.alpha import (
    Level,
    UnitCounts,
    UnitLabels,
    krippendorff,
    percent_agreement,
    resamples_for,
)
from goldmark.stats.agreement_measures.kappa import Cohen, cohen_pairs, fleiss
from goldmark.stats.agreement_measures.spans import SpanAgreement, span_agreement

RESAMPLES = 1000
SEED = 17


MEASURES = ("alpha", "percent", "fleiss")


def label_agreement(
    labels: UnitLabels,
    level: Level,
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    measures: Sequence[str] = MEASURES,
) -> dict[str, Figure]:
    """Alpha at a level, percent agreement and Fleiss' kappa, or only some of these `measures`.

    Each draws from a generator of its own, so that a figure does not depend on which others are computed with it.
    """

    def figure(measure: str) -> Figure:
        rng = np.random.default_rng(seed)
        if measure == "alpha":
            return krippendorff(labels, level, rng=rng, resamples=resamples)
        return (percent_agreement if measure == "percent" else fleiss)(labels, rng=rng, resamples=resamples)

    return {measure: figure(measure) for measure in measures}


@dataclass(frozen=True)
class AgreementOnLabels:
    """How far annotators agree on labels, every two of them, and what was left out."""

    level: Level
    figures: Mapping[str, Figure]
    cohen: Cohen
    labels: int
    annotators: int
    left_out: tuple[Mapping[str, object], ...]
    signature: str

    def tables(self) -> list[Table]:
        """The figures, and every two annotators."""
        mean = self.cohen.mean
        pairs = f"Cohen's kappa, mean of {counted(mean.used, 'pair') if mean.used else 'pairs'}"
        named = {
            f"Krippendorff's alpha ({self.level})": ("alpha", self.figures["alpha"]),
            "percent agreement": ("percent", self.figures["percent"]),
            "Fleiss' kappa": ("fleiss", self.figures["fleiss"]),
            pairs: ("cohen", Figure(mean.value, reason=mean.reason)),
        }
        rows = [
            {"measure": measure, "statistic": name, **of_figure(figure)} for name, (measure, figure) in named.items()
        ]
        notes = tuple(f"left out: {one['count']} {one['what']}, {one['why']}" for one in self.left_out)
        title = "Agreement, with 95 % intervals over units"
        tables = [Table.of(title, rows, notes=notes, signature=self.signature, labels={"n": "units used"})]
        if self.cohen.pairs:
            each: list[dict[str, Cell]] = [
                {
                    "first": str(pair.first),
                    "second": str(pair.second),
                    "kappa": pair.kappa.value,
                    "percent": pair.percent.value,
                    "units": pair.kappa.used,
                    "reason": pair.kappa.reason,
                }
                for pair in self.cohen.pairs
            ]
            tables.append(Table.of("Cohen's kappa by pair", each, signature=self.signature, name="pairs"))
        return tables


def agreement_on_labels(
    data: Path | Frame,
    names: Mapping[str, str],
    *,
    level: Level = "nominal",
    order: Sequence[str] = (),
    keep: Keep | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> AgreementOnLabels:
    """Of a table with one label per row; see `read_labels` for `names`, `order` and `keep`."""
    labels, missing, rows = read_labels(data, names, level=level, order=order, keep=keep)
    tally = UnitCounts.of(labels)
    reasons = [
        (tally.skipped, "units", "fewer than two labels, so nothing to compare"),
        (missing, "labels", "the cell is empty"),
    ]
    signature = Signature.of(
        data=data.source if isinstance(data, Frame) else data.name,
        **_kept_parts(keep),
        level=level,
        labels=len(labels),
        units=len(labels.unit_names),
        annotators=len(labels.annotator_names),
        interval="percentile-95-units",
        resamples=resamples_for(tally, level, resamples),
        seed=seed,
    )
    return AgreementOnLabels(
        level,
        label_agreement(labels, level, resamples=resamples, seed=seed),
        cohen_pairs(labels),
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
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> AgreementOnSpans:
    """Of a mistake list with its texts, a folder with both, or a table of spans; see `read_marked`."""
    marked = read_marked(data, texts=texts, seen=seen, categories=categories, keep=keep)
    found = span_agreement(marked.texts, rng=np.random.default_rng(seed), resamples=resamples)
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
        interval="percentile-95-texts",
        resamples=resamples,
        seed=seed,
    )
    return AgreementOnSpans(found, marked, str(signature))


def _kept_parts(keep: Keep | None) -> dict[str, str]:
    return {f"keep-{column}": "+".join(wanted) for column, wanted in (keep or {}).items()}
