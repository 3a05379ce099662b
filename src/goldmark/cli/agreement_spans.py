"""`goldmark agreement spans`: how far annotators agree on marked spans."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter, validators

from goldmark.cli.choices import NamesAndValues, named_values
from goldmark.cli.output import print_json
from goldmark.cli.show import Format, show

if TYPE_CHECKING:
    from goldmark.records.figures import Figure
    from goldmark.stats.agreement_spans import SpanAgreement


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
    keep: Annotated[
        NamesAndValues, Parameter(help="Only rows of a table whose column has one of these values: question=mistakes.")
    ] = (),
    categories: Annotated[
        str | None,
        Parameter(
            help="Categories that may occur, with commas between; if not given, the shared task's six in a mistake "
            "list, and any in an export."
        ),
    ] = None,
    resamples: Annotated[
        int, Parameter(help="How often to resample.", validator=validators.Number(gte=100, lte=1_000_000))
    ] = 1000,
    seed: Annotated[int, Parameter(help="Seed of the resampling.")] = 17,
    format: Annotated[Format, Parameter(help="How to print.")] = "table",  # noqa: A002
    json: Annotated[bool, Parameter(negative="", help="Print JSON for machines.")] = False,
) -> None:
    """Token-level alpha, pairwise token F1, category agreement on matched spans, and gamma."""
    import numpy as np

    from goldmark.analysis.marked import read_marked
    from goldmark.records.figures import Signature
    from goldmark.stats.agreement_spans import span_agreement

    names = None if categories is None else [part.strip() for part in categories.split(",") if part.strip()]
    kept = named_values(keep)
    marked = read_marked(mistakes, texts=texts, seen=seen, categories=names, keep=kept)
    result = span_agreement(marked.texts, rng=np.random.default_rng(seed), resamples=resamples)
    signature = str(
        Signature.of(
            data=marked.data,
            **{f"keep-{column}": "+".join(wanted) for column, wanted in kept.items()},
            seen=marked.seen,
            texts=len(marked.texts),
            annotators=len({name for text in marked.texts for name in text.marks}),
            spans=marked.spans,
            match="token-overlap-once",
            **({"overlap": "jaccard-sets-best-cover"} if marked.overlap else {}),
            gamma=f"combined-1-1-empty-1-samples-{result.gamma.samples}",
            interval="percentile-95-texts",
            resamples=resamples,
            seed=seed,
        )
    )
    if json:
        left_out = [one.to_json() for one in marked.left_out]
        note = " ".join(marked.notes) or None
        print_json({**_figures(result), "left_out": left_out, "note": note, "signature": signature})
    else:
        _show(result, (*marked.notes, *(one.note() for one in marked.left_out)), signature, form=format)


def _plain(figure: Figure, counted: str) -> dict[str, object]:
    return {
        "value": figure.value,
        "interval": None if figure.interval is None else [figure.interval.low, figure.interval.high],
        f"{counted}_used": figure.used,
        f"{counted}_skipped": figure.skipped,
        "reason": figure.reason or None,
    }


def _figures(result: SpanAgreement) -> dict[str, object]:
    return {
        "token_alpha": _plain(result.token_alpha, "texts"),
        "marked_alpha": _plain(result.marked_alpha, "texts"),
        "token_f1": _plain(result.token_f1, "pairs"),
        "category_percent": _plain(result.category_percent, "matches"),
        "category_alpha": _plain(result.category_alpha, "matches"),
        "gamma": {
            **_plain(result.gamma.figure, "texts"),
            "observed_disorder": result.gamma.observed,
            "expected_disorder": result.gamma.expected,
            "samples": result.gamma.samples,
        },
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


def _show(result: SpanAgreement, notes: tuple[str, ...], signature: str, *, form: Format) -> None:
    from goldmark.records.tables import Table

    named = {
        "gamma (spans and categories)": (result.gamma.figure, "texts"),
        "alpha of each token's category": (result.token_alpha, "texts"),
        "alpha of marked or not, by token": (result.marked_alpha, "texts"),
        "token F1, mean of pairs": (result.token_f1, "pairs"),
        "same category on matched spans": (result.category_percent, "matches"),
        "alpha of categories on matched spans": (result.category_alpha, "matches"),
    }
    rows: list[dict[str, str | int | float | None]] = []
    for name, (figure, counted) in named.items():
        low, high = (figure.interval.low, figure.interval.high) if figure.interval else (None, None)
        rows.append(
            {
                "statistic": name,
                "value": figure.value,
                "value_low": low,
                "value_high": high,
                "from": f"{figure.used} {counted}",
                "reason": figure.reason,
            }
        )
    tables = [Table.of("Agreement on spans, with 95 % intervals over texts", rows, notes=notes, signature=signature)]
    if result.pairs:
        pairs = [
            {
                "first": pair.first,
                "second": pair.second,
                "token_f1": pair.f1.value,
                "texts": pair.f1.used,
                "matched_spans": pair.matched,
                "same_category": pair.same_category.value,
            }
            for pair in result.pairs
        ]
        tables.append(Table.of("Pairs of annotators", pairs, signature=signature))
    show(*tables, form=form)
