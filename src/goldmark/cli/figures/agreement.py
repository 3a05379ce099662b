"""`goldmark agreement`: how far annotators agree, on labels or on marked spans."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import App, Parameter

from goldmark.cli.options import Keep, ManyResamples, Seed, TableOutput, split
from goldmark.cli.output import emit, figure_json

if TYPE_CHECKING:
    from goldmark.stats.agreement_measures.kappa import Cohen
    from goldmark.stats.agreement_measures.spans import SpanAgreement

app = App(name="agreement", help="How far annotators agree, with intervals.")


@app.default
def run(
    file: Annotated[Path, Parameter(help="Table with one label per row: CSV, TSV or JSON lines.")],
    /,
    *,
    unit: Annotated[str, Parameter(help="Column that says what was labelled.")] = "unit",
    annotator: Annotated[str, Parameter(help="Column that says who labelled it.")] = "annotator",
    value: Annotated[
        str | None,
        Parameter(help="Column that holds the label, `value` or else `label`; empty cells are missing labels."),
    ] = None,
    keep: Keep = (),
    level: Annotated[
        Literal["nominal", "ordinal", "interval", "ratio"], Parameter(help="What may be said of two labels.")
    ] = "nominal",
    order: Annotated[
        str | None, Parameter(help="For the ordinal level: the labels from lowest to highest, with commas between.")
    ] = None,
    measure: Annotated[
        str | None,
        Parameter(
            help="Only these measures, with commas between: alpha, percent, fleiss, cohen, ac1; or cohen_linear, "
            "cohen_quadratic, ac2_linear, ac2_quadratic for labels in an order."
        ),
    ] = None,
    draw: Annotated[
        Literal["units", "units-and-annotators"],
        Parameter(help="What intervals take to be drawn by chance: units, for these very annotators, or both."),
    ] = "units",
    interval: Annotated[
        Literal["jackknife", "bca", "percentile"],
        Parameter(help="How alpha's interval over units is made; bca and percentile are bootstraps."),
    ] = "jackknife",
    resamples: ManyResamples = 1000,
    seed: Seed = 17,
    output: TableOutput = TableOutput(),
) -> None:
    """Krippendorff's alpha, percent agreement, Cohen's and Fleiss' kappa, Gwet's AC, and what was left out."""
    from goldmark.records.tidy.kept import named_values
    from goldmark.results.label_agreement import agreement_on_labels

    names = {"unit": unit, "annotator": annotator, **({"value": value} if value else {})}
    found = agreement_on_labels(
        file,
        names,
        level=level,
        order=split(order) or (),
        measures=split(measure) or (),
        draw=draw,
        method=interval,
        keep=named_values(keep),
        resamples=resamples,
        seed=seed,
    )
    facts: dict[str, Any] = {
        **{str(name): figure_json(figure, "units") for name, figure in found.figures.items()},
        "labels": found.labels,
        "annotators": found.annotators,
        "left_out": found.left_out,
        "signature": found.signature,
    }
    if "cohen" in facts:
        facts["cohen"]["pairs"] = _pairs(found.cohen)
    emit(output, facts, tables=found.tables())


def _pairs(cohen: Cohen) -> list[dict[str, Any]]:
    return [
        {
            "annotators": [str(pair.first), str(pair.second)],
            "value": pair.kappa.value,
            "interval": pair.kappa.interval,
            "percent": pair.percent.value,
            "percent_interval": pair.percent.interval,
            "units_used": pair.kappa.used,
            "reason": pair.kappa.reason or None,
        }
        for pair in cohen.pairs
    ]


@app.command
def spans(
    mistakes: Annotated[
        Path,
        Parameter(
            help="An exported folder (gsml or tidy), a table spans.csv, or the mistake lists of all annotators (CSV "
            "with the column ANNOTATOR)."
        ),
    ],
    /,
    *,
    texts: Annotated[
        Path | None,
        Parameter(
            help="For a mistake list: the folder with one .txt file per text, tokens separated by spaces; a folder "
            "texts beside the list is found by itself."
        ),
    ] = None,
    seen: Annotated[
        Path | None,
        Parameter(
            help="Who saw which text (columns TEXT_ID and ANNOTATOR), so that finding nothing counts too; a seen.csv "
            "beside the list is found by itself."
        ),
    ] = None,
    keep: Keep = (),
    categories: Annotated[
        str | None,
        Parameter(
            help="Categories that may occur, with commas between; if not given, the shared task's six in a mistake "
            "list, and any in an export."
        ),
    ] = None,
    seed: Seed = 17,
    output: TableOutput = TableOutput(),
) -> None:
    """Token-level alpha, pairwise token F1, category agreement on matched spans, and gamma."""
    from goldmark.records.tidy.kept import named_values
    from goldmark.results.label_agreement import agreement_on_spans

    found = agreement_on_spans(
        mistakes,
        texts=texts,
        seen=seen,
        categories=split(categories),
        keep=named_values(keep),
        seed=seed,
    )
    left_out = [one.to_json() for one in found.marked.left_out]
    note = " ".join(found.marked.notes) or None
    facts = {**_figures(found.found), "left_out": left_out, "note": note, "signature": found.signature}
    emit(output, facts, tables=found.tables())


def _figures(result: SpanAgreement) -> dict[str, Any]:
    gamma = result.gamma
    return {
        "token_alpha": figure_json(result.token_alpha, "texts"),
        "marked_alpha": figure_json(result.marked_alpha, "texts"),
        "token_f1": figure_json(result.token_f1, "pairs"),
        "category_percent": figure_json(result.category_percent, "matches"),
        "category_alpha": figure_json(result.category_alpha, "matches"),
        "gamma": figure_json(gamma.figure, "texts")
        | {"observed_disorder": gamma.observed, "expected_disorder": gamma.expected, "samples": gamma.samples},
        "pairs": [
            {
                "annotators": [pair.first, pair.second],
                "token_f1": pair.f1.value,
                "texts": pair.f1.used,
                "matched_spans": pair.matched,
                "same_category": pair.same_category.value,
                "reason": pair.f1.reason or pair.same_category.reason or None,
            }
            for pair in result.pairs
        ],
    }
