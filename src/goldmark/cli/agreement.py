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
    from goldmark.analysis.agreement import agreement_on_labels

    names = {"unit": unit, "annotator": annotator, **({"value": value} if value else {})}
    found = agreement_on_labels(
        file,
        names,
        level=level,
        order=_split(order) if order else (),
        keep=named_values(keep),
        resamples=resamples,
        seed=seed,
    )
    if not json:
        show(*found.tables(), form=format)
        return
    print_json(
        {
            "alpha": _figure(found.figures["alpha"]),
            "percent": _figure(found.figures["percent"]),
            "cohen": _cohen(found.cohen),
            "fleiss": _figure(found.figures["fleiss"]),
            "labels": found.labels,
            "annotators": found.annotators,
            "left_out": list(found.left_out),
            "signature": found.signature,
        }
    )


def _split(names: str) -> list[str]:
    return list(dict.fromkeys(name for part in names.split(",") if (name := part.strip())))


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
