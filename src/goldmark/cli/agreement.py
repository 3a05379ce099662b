"""`goldmark agreement`: how far annotators agree, on labels or on marked spans."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Parameter, validators

from goldmark.cli.choices import NamesAndValues, named_values
from goldmark.cli.output import print_json
from goldmark.cli.show import Format, show

if TYPE_CHECKING:
    from goldmark.records.figures import Figure
    from goldmark.stats.agreement import Tally
    from goldmark.stats.agreement_kappa import Cohen

app = App(name="agreement", help="How far annotators agree, with intervals.")
app.command("goldmark.cli.agreement_spans:spans", name="spans", help="How far annotators agree on marked spans.")

Resamples = Annotated[
    int, Parameter(help="How often to resample.", validator=validators.Number(gte=100, lte=1_000_000))
]
Seed = Annotated[int, Parameter(help="Seed of the resampling.")]
Json = Annotated[bool, Parameter(negative="", help="Print JSON for machines.")]


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
    keep: Annotated[
        NamesAndValues, Parameter(help="Only rows whose column has one of these values: `--keep question=overall`.")
    ] = (),
    level: Annotated[
        Literal["nominal", "ordinal", "interval", "ratio"], Parameter(help="What may be said of two labels.")
    ] = "nominal",
    order: Annotated[
        str | None, Parameter(help="For the ordinal level: the labels from lowest to highest, with commas between.")
    ] = None,
    resamples: Resamples = 1000,
    seed: Seed = 17,
    format: Annotated[Format, Parameter(help="How to print.")] = "table",  # noqa: A002
    json: Json = False,
) -> None:
    """Krippendorff's alpha, percent agreement, Cohen's and Fleiss' kappa, and what was left out."""
    from goldmark.analysis.agreement import label_agreement
    from goldmark.analysis.labels import read_labels
    from goldmark.records.figures import Signature
    from goldmark.stats.agreement import Tally, resamples_for
    from goldmark.stats.agreement_kappa import cohen_pairs

    names = {"unit": unit, "annotator": annotator, **({"value": value} if value else {})}
    kept = named_values(keep)
    labels, missing, rows = read_labels(file, names, level=level, order=_split(order) if order else (), keep=kept)
    tally = Tally.of(labels)
    drawn = resamples_for(tally, level, resamples)
    figures = label_agreement(labels, level, resamples=resamples, seed=seed)
    cohen = cohen_pairs(labels)
    left_out = [*_left_out(tally, missing), *(one.to_json() for one in rows)]
    signature = str(
        Signature.of(
            data=file.name,
            **{f"keep-{column}": "+".join(wanted) for column, wanted in kept.items()},
            level=level,
            labels=len(labels),
            units=len(labels.unit_names),
            annotators=len(labels.annotator_names),
            interval="percentile-95-units",
            resamples=drawn,
            seed=seed,
        )
    )
    if json:
        print_json(
            {
                "alpha": _figure(figures["alpha"]),
                "percent": _figure(figures["percent"]),
                "cohen": _cohen(cohen),
                "fleiss": _figure(figures["fleiss"]),
                "labels": len(labels),
                "annotators": len(labels.annotator_names),
                "left_out": left_out,
                "signature": signature,
            }
        )
    else:
        _show(figures, cohen, left_out, signature, level=level, form=format)


def _split(names: str) -> list[str]:
    return list(dict.fromkeys(name for part in names.split(",") if (name := part.strip())))


def _left_out(tally: Tally, missing: int) -> list[dict[str, object]]:
    reasons = [
        (tally.skipped, "units", "fewer than two labels, so nothing to compare"),
        (missing, "labels", "the cell is empty"),
    ]
    return [{"count": count, "what": what, "why": why} for count, what, why in reasons if count]


def _figure(figure: Figure) -> dict[str, object]:
    return {
        "value": figure.value,
        "interval": None if figure.interval is None else [figure.interval.low, figure.interval.high],
        "units_used": figure.used,
        "units_skipped": figure.skipped,
        "reason": figure.reason or None,
    }


def _cohen(cohen: Cohen) -> dict[str, object]:
    return {
        "value": cohen.mean.value,
        "pairs_used": cohen.mean.used,
        "pairs_skipped": cohen.mean.skipped,
        "reason": cohen.mean.reason or None,
        "pairs": [
            {
                "annotators": [str(pair.first), str(pair.second)],
                "value": pair.kappa.value,
                "percent": pair.percent.value,
                "units_used": pair.kappa.used,
                "reason": pair.kappa.reason or None,
            }
            for pair in cohen.pairs
        ],
    }


def _show(
    figures: dict[str, Figure],
    cohen: Cohen,
    left_out: list[dict[str, object]],
    signature: str,
    *,
    level: str,
    form: Format,
) -> None:
    from goldmark.records.tables import Table

    named = {
        f"Krippendorff's alpha ({level})": figures["alpha"],
        "percent agreement": figures["percent"],
        "Fleiss' kappa": figures["fleiss"],
    }
    rows: list[dict[str, str | int | float | None]] = []
    for name, figure in named.items():
        low, high = (figure.interval.low, figure.interval.high) if figure.interval else (None, None)
        rows.append(
            {
                "statistic": name,
                "value": figure.value,
                "value_low": low,
                "value_high": high,
                "units_used": figure.used,
                "reason": figure.reason,
            }
        )
    mean = cohen.mean
    rows.append(
        {
            "statistic": f"Cohen's kappa, mean of {mean.used} pairs" if mean.used else "Cohen's kappa, mean of pairs",
            "value": mean.value,
            "value_low": None,
            "value_high": None,
            "units_used": None,
            "reason": mean.reason,
        }
    )
    notes = tuple(f"left out: {entry['count']} {entry['what']}, {entry['why']}" for entry in left_out)
    tables = [Table.of("Agreement, with 95 % intervals over units", rows, notes=notes, signature=signature)]
    if len(cohen.pairs) > 1:
        pairs = [
            {
                "first": str(pair.first),
                "second": str(pair.second),
                "kappa": pair.kappa.value,
                "percent": pair.percent.value,
                "units": pair.kappa.used,
                "reason": pair.kappa.reason,
            }
            for pair in cohen.pairs
        ]
        tables.append(Table.of("Cohen's kappa by pair", pairs, signature=signature))
    show(*tables, form=form)
