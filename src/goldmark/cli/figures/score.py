"""`goldmark score`: a submitted mistake list against a gold list."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Parameter

from goldmark.cli.options import Flag, ManyResamples, Seed, TableOutput, TextsBeside, split
from goldmark.cli.output import emit, talk
from goldmark.records.figures import counted

if TYPE_CHECKING:
    from goldmark.results.scoring.comparison import ScoreComparison
    from goldmark.results.scoring.lists import ScoredList
    from goldmark.results.scoring.scores import ScoreSheet

app = App(name="score", help="Score a mistake list against a gold list.")

Gold = Annotated[Path, Parameter(help="Gold mistake list (CSV).")]
Categories = Annotated[
    str | None, Parameter(help="Categories that may occur, with commas between; the shared task's six if not given.")
]


@app.default
def run(
    gold: Gold,
    submitted: Annotated[Path, Parameter(help="Mistake list to score (CSV).")],
    /,
    *,
    texts: TextsBeside = None,
    categories: Categories = None,
    list_: Annotated[Flag, Parameter(name="--list", help="List what was missed and invented.")] = False,
    missed: Annotated[Path | None, Parameter(help="Write the gold mistakes that were not found to this CSV.")] = None,
    invented: Annotated[
        Path | None, Parameter(help="Write the submitted mistakes that match none to this CSV.")
    ] = None,
    output: TableOutput = TableOutput(),
) -> None:
    """Recall and precision by mistake and by token, overall and per category, with intervals over texts."""
    from goldmark.exchange.campaign.archive import write_file
    from goldmark.results.scoring.lists import score_lists
    from goldmark.texts.readers.gsml import write_mistakes
    from goldmark.texts.readers.text_ids import ENDING

    scored = score_lists(gold, submitted, texts=texts, categories=split(categories))
    matches = scored.sheet.matches
    for path, mistakes in ((missed, matches.missed), (invented, matches.invented)):
        if path is not None:
            write_file(path, write_mistakes(mistakes, scored.texts, suffix=ENDING).encode(), over=True)
            talk(f"{counted(len(mistakes), 'mistake')} written to {path}")
    listed = _listed(scored) if list_ else {}
    tables = [scored.table(), scored.listed()] if list_ else [scored.table()]
    emit(output, {"rows": _score_rows(scored.sheet), **listed, "signature": scored.signature}, tables=tables)


@app.command
def compare(
    gold: Gold,
    first: Annotated[Path, Parameter(help="One mistake list (CSV).")],
    second: Annotated[Path, Parameter(help="Another mistake list on the same texts (CSV).")],
    /,
    *,
    texts: TextsBeside = None,
    categories: Categories = None,
    resamples: ManyResamples = 10_000,
    seed: Seed = 1,
    output: TableOutput = TableOutput(),
) -> None:
    """Is one list better than another? First minus second, its interval over texts, paired randomisation test."""
    from goldmark.results.scoring.lists import compare_lists

    compared = compare_lists(
        gold, first, second, texts=texts, categories=split(categories), resamples=resamples, seed=seed
    )
    facts = {"rows": _comparison_rows(compared.comparison), "signature": compared.signature}
    emit(output, facts, tables=[compared.table()])


def _score_rows(sheet: ScoreSheet) -> dict[str, Any]:
    from goldmark.results.scoring.scores import MEASURES

    rows = {}
    for name, row in sheet.rows.items():
        figures = {measure: getattr(row, measure) for measure in MEASURES}
        rows[name] = {
            **{measure: figure.value for measure, figure in figures.items()},
            **row.counts._asdict(),
            "intervals": {measure: figure.interval for measure, figure in figures.items()},
            "reason": next((figure.reason for figure in figures.values() if figure.value is None), None),
            "reasons": {measure: figure.reason for measure, figure in figures.items() if figure.reason},
        }
    return rows


def _comparison_rows(comparison: ScoreComparison) -> dict[str, Any]:
    return {
        name: {
            measure: {
                "first": pair.first.value,
                "second": pair.second.value,
                "difference": pair.difference.value,
                "interval": pair.difference.interval,
                "p": pair.p,
                "reason": pair.difference.reason or None,
            }
            for measure, pair in measures.items()
        }
        for name, measures in comparison.rows.items()
    }


def _listed(scored: ScoredList) -> dict[str, Any]:
    matches = scored.sheet.matches
    renamed = [(gold, reported) for gold, reported in matches.found if gold.label != reported.label]
    return {
        "missed": [scored.described(mistake) for mistake in matches.missed],
        "invented": [scored.described(mistake) for mistake in matches.invented],
        "found_as_other_category": [
            {**scored.described(gold), "submitted_as": reported.label} for gold, reported in renamed
        ],
    }
