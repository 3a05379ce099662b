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
    from goldmark.analysis.agreement import agreement_on_spans

    names = None if categories is None else [part.strip() for part in categories.split(",") if part.strip()]
    found = agreement_on_spans(
        mistakes,
        texts=texts,
        seen=seen,
        categories=names,
        keep=named_values(keep),
        resamples=resamples,
        seed=seed,
    )
    if not json:
        show(*found.tables(), form=format)
        return
    left_out = [one.to_json() for one in found.marked.left_out]
    note = " ".join(found.marked.notes) or None
    print_json({**_figures(found.found), "left_out": left_out, "note": note, "signature": found.signature})


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
