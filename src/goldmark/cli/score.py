"""`goldmark score`: a submitted mistake list against a gold list."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter, validators

from goldmark.cli.output import print_json, talk
from goldmark.cli.show import Format, show

if TYPE_CHECKING:
    from goldmark.records.figures import Figure
    from goldmark.records.mistakes import Mistake
    from goldmark.records.texts import Text
    from goldmark.scoring.comparison import Comparison
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
    import numpy as np

    from goldmark.exchange.packing import write_file
    from goldmark.scoring.scores import score
    from goldmark.texts.gsml import read_mistakes, read_spaced_texts, write_mistakes
    from goldmark.texts.text_ids import ENDING

    known = read_spaced_texts(texts)
    names = _names(categories)
    sheet = score(
        read_mistakes(gold, known, categories=names),
        read_mistakes(submitted, known, categories=names),
        texts=known,
        categories=names,
        rng=np.random.default_rng(seed),
        resamples=resamples,
        seed=seed,
    )
    for path, mistakes in ((missed, sheet.matches.missed), (invented, sheet.matches.invented)):
        if path is not None:
            write_file(path, write_mistakes(mistakes, known, suffix=ENDING).encode(), over=True)
            talk(f"{len(mistakes)} mistakes written to {path}")
    signature = f"gold:{gold.name}|submitted:{submitted.name}|{sheet.signature}"
    if json:
        listed = _listed(sheet, known) if list_ else {}
        print_json({"rows": _score_rows(sheet), **listed, "signature": signature})
        return
    _show_scores(sheet, signature, form=format)
    if list_:
        _show_lists(sheet, known, form=format)


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
    import numpy as np

    from goldmark.scoring.comparison import compare as compared
    from goldmark.texts.gsml import read_mistakes, read_spaced_texts

    known = read_spaced_texts(texts)
    names = _names(categories)
    gold_list, first_list, second_list = (
        read_mistakes(path, known, categories=names) for path in (gold, first, second)
    )
    comparison = compared(
        gold_list,
        first_list,
        second_list,
        texts=known,
        categories=names,
        rng=np.random.default_rng(seed),
        resamples=resamples,
        seed=seed,
    )
    signature = f"gold:{gold.name}|first:{first.name}|second:{second.name}|{comparison.signature}"
    if json:
        print_json({"rows": _comparison_rows(comparison), "signature": signature})
    else:
        _show_comparison(comparison, signature, form=format)


def _names(categories: str | None) -> tuple[str, ...]:
    from goldmark.texts.gsml import CATEGORIES

    if categories is None:
        return CATEGORIES
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


def _described(mistake: Mistake, known: dict[str, Text]) -> dict[str, str | int]:
    from goldmark.texts.gsml import words_of

    text = known[mistake.text_id]
    return {
        "text": mistake.text_id,
        "sentence": text.sentence_of(mistake.span.start) + 1,
        "start": mistake.span.start + 1,
        "end": mistake.span.end,
        "tokens": words_of(text, mistake.span),
        "category": mistake.label,
        "correction": mistake.correction,
        "comment": mistake.comment,
    }


def _listed(sheet: ScoreSheet, known: dict[str, Text]) -> dict[str, object]:
    renamed = [(gold, reported) for gold, reported in sheet.matches.found if gold.label != reported.label]
    return {
        "missed": [_described(mistake, known) for mistake in sheet.matches.missed],
        "invented": [_described(mistake, known) for mistake in sheet.matches.invented],
        "found_as_other_category": [
            {**_described(gold, known), "submitted_as": reported.label} for gold, reported in renamed
        ],
    }


def _show_scores(sheet: ScoreSheet, signature: str, *, form: Format) -> None:
    from goldmark.records.tables import Table
    from goldmark.scoring.scores import MEASURES

    rows = []
    reasons: dict[str, list[str]] = {}
    for name, row in sheet.rows.items():
        cells: dict[str, str | int | float | None] = {"mistakes": name}
        for measure in MEASURES:
            figure: Figure = getattr(row, measure)
            low, high = _bounds(figure) or (None, None)
            cells |= {measure: figure.value, f"{measure}_low": low, f"{measure}_high": high}
            if figure.reason:
                reasons.setdefault(figure.reason, []).append(f"{name} {measure.replace('_', ' ')}")
        counts = row.counts
        rows.append(cells | {"found": counts.found, "gold": counts.gold, "submitted": counts.submitted})
    title = "Recall and precision by mistake and by token, with 95 % intervals over texts"
    show(Table.of(title, rows, notes=_notes(reasons), signature=signature), form=form)


def _show_comparison(comparison: Comparison, signature: str, *, form: Format) -> None:
    from goldmark.records.tables import Table

    rows = []
    reasons: dict[str, list[str]] = {}
    for name, measures in comparison.rows.items():
        for measure, pair in measures.items():
            low, high = _bounds(pair.difference) or (None, None)
            rows.append(
                {
                    "mistakes": name,
                    "measure": measure.replace("_", " "),
                    "first": pair.first.value,
                    "second": pair.second.value,
                    "difference": pair.difference.value,
                    "difference_low": low,
                    "difference_high": high,
                    "p": pair.p,
                }
            )
            if pair.difference.reason:
                reasons.setdefault(pair.difference.reason, []).append(f"{name} {measure.replace('_', ' ')}")
    title = "First list minus second, with 95 % intervals over texts and a paired randomisation test"
    show(Table.of(title, rows, notes=_notes(reasons), signature=signature), form=form)


def _notes(reasons: dict[str, list[str]]) -> tuple[str, ...]:
    """Every reason once, with all the figures it holds for."""
    return tuple(f"{', '.join(figures)}: {reason}" for reason, figures in reasons.items())


def _show_lists(sheet: ScoreSheet, known: dict[str, Text], *, form: Format) -> None:
    from goldmark.records.tables import Table

    def rows(verdict: str, mistakes: Sequence[Mistake]) -> list[dict[str, str | int]]:
        return [{"verdict": verdict, **_described(mistake, known)} for mistake in mistakes]

    renamed = [
        {"verdict": f"found as {reported.label}", **_described(gold, known)}
        for gold, reported in sheet.matches.found
        if gold.label != reported.label
    ]
    every = [*rows("missed", sheet.matches.missed), *rows("invented", sheet.matches.invented), *renamed]
    every.sort(key=lambda row: (row["text"], row["start"]))
    show(Table.of("What was missed, invented, or found under another category", every), form=form)
