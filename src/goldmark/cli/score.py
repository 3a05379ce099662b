"""`goldmark score`: a submitted mistake list against a gold list."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter, validators

from goldmark.cli.output import print_json, talk
from goldmark.cli.show import Format, show
from goldmark.errors import GoldmarkError, Kind

if TYPE_CHECKING:
    from goldmark.records.figures import Figure
    from goldmark.scoring.comparison import Comparison
    from goldmark.scoring.lists import ScoredList
    from goldmark.scoring.scores import ScoreSheet

app = App(name="score", help="Score a mistake list against a gold list.")

Texts = Annotated[Path, Parameter(help="Folder with one .txt file per text, tokens separated by spaces.")]
Categories = Annotated[
    str | None, Parameter(help="Categories that may occur, with commas between; the shared task's six if not given.")
]
Seed = Annotated[int, Parameter(help="Seed of the resampling.")]
Resamples = Annotated[
    int, Parameter(help="How often to resample.", validator=validators.Number(gte=100, lte=1_000_000))
]


class CannotWrite(GoldmarkError):
    code = "WRITE-01"
    kind = Kind.FAILED
    message = "{path} cannot be written: {reason}"


@app.default
def run(
    gold: Annotated[Path, Parameter(help="Gold mistake list (CSV).")],
    submitted: Annotated[Path, Parameter(help="Mistake list to score (CSV).")],
    /,
    *,
    texts: Texts,
    categories: Categories = None,
    list_: Annotated[bool, Parameter(name="--list", negative="", help="List what was missed and invented.")] = False,
    missed: Annotated[Path | None, Parameter(help="Write the gold mistakes that were not found to this CSV.")] = None,
    invented: Annotated[
        Path | None, Parameter(help="Write the submitted mistakes that match none to this CSV.")
    ] = None,
    resamples: Resamples = 2000,
    seed: Seed = 1,
    format: Annotated[Format, Parameter(help="How to print.")] = "table",  # noqa: A002
    json: Annotated[bool, Parameter(negative="", help="Print JSON for machines.")] = False,
) -> None:
    """Recall and precision by mistake and by token, overall and per category, with intervals over texts."""
    from goldmark.scoring.lists import score_lists
    from goldmark.texts.gsml import write_mistakes
    from goldmark.texts.text_ids import ENDING

    scored = score_lists(gold, submitted, texts=texts, categories=_names(categories), resamples=resamples, seed=seed)
    matches = scored.sheet.matches
    for path, mistakes in ((missed, matches.missed), (invented, matches.invented)):
        if path is not None:
            try:
                path.write_text(write_mistakes(mistakes, scored.texts, suffix=ENDING), encoding="utf-8")
            except OSError as error:
                raise CannotWrite(path=path, reason=error.strerror or str(error)) from None
            talk(f"{len(mistakes)} mistakes written to {path}")
    if json:
        listed = _listed(scored) if list_ else {}
        print_json({"rows": _score_rows(scored.sheet), **listed, "signature": scored.signature})
        return
    show(scored.table(), form=format)
    if list_:
        show(scored.listed(), form=format)


@app.command
def compare(
    gold: Annotated[Path, Parameter(help="Gold mistake list (CSV).")],
    first: Annotated[Path, Parameter(help="One mistake list (CSV).")],
    second: Annotated[Path, Parameter(help="Another mistake list on the same texts (CSV).")],
    /,
    *,
    texts: Texts,
    categories: Categories = None,
    resamples: Resamples = 10_000,
    seed: Seed = 1,
    format: Annotated[Format, Parameter(help="How to print.")] = "table",  # noqa: A002
    json: Annotated[bool, Parameter(negative="", help="Print JSON for machines.")] = False,
) -> None:
    """Is one list better than another? First minus second, its interval over texts, paired randomisation test."""
    from goldmark.scoring.lists import compare_lists

    compared = compare_lists(
        gold, first, second, texts=texts, categories=_names(categories), resamples=resamples, seed=seed
    )
    if json:
        print_json({"rows": _comparison_rows(compared.comparison), "signature": compared.signature})
    else:
        show(compared.table(), form=format)


def _names(categories: str | None) -> tuple[str, ...] | None:
    if categories is None:
        return None
    return tuple(dict.fromkeys(name for part in categories.split(",") if (name := part.strip())))


def _bounds(figure: Figure) -> list[float] | None:
    return None if figure.interval is None else [figure.interval.low, figure.interval.high]


def _score_rows(sheet: ScoreSheet) -> dict[str, dict[str, object]]:
    from goldmark.scoring.scores import MEASURES

    rows: dict[str, dict[str, object]] = {}
    for name, row in sheet.rows.items():
        figures: dict[str, Figure] = {measure: getattr(row, measure) for measure in MEASURES}
        rows[name] = {
            **{measure: figure.value for measure, figure in figures.items()},
            **row.counts._asdict(),
            "intervals": {measure: _bounds(figure) for measure, figure in figures.items()},
            "reason": next((figure.reason for figure in figures.values() if figure.value is None), None),
            "reasons": {measure: figure.reason for measure, figure in figures.items() if figure.reason},
        }
    return rows


def _comparison_rows(comparison: Comparison) -> dict[str, dict[str, object]]:
    return {
        name: {
            measure: {
                "first": pair.first.value,
                "second": pair.second.value,
                "difference": pair.difference.value,
                "interval": _bounds(pair.difference),
                "p": pair.p,
                "reason": pair.difference.reason or None,
            }
            for measure, pair in measures.items()
        }
        for name, measures in comparison.rows.items()
    }


def _listed(scored: ScoredList) -> dict[str, object]:
    matches = scored.sheet.matches
    renamed = [(gold, reported) for gold, reported in matches.found if gold.label != reported.label]
    return {
        "missed": [scored.described(mistake) for mistake in matches.missed],
        "invented": [scored.described(mistake) for mistake in matches.invented],
        "found_as_other_category": [
            {**scored.described(gold), "submitted_as": reported.label} for gold, reported in renamed
        ],
    }
