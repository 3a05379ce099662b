"""`goldmark agreement spans`: how far annotators agree on marked spans."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter, validators

from goldmark.cli.output import print_json
from goldmark.cli.show import Format, show
from goldmark.errors import Problem, ProblemsFound

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from goldmark.records.figures import Figure
    from goldmark.records.mistakes import Mistake
    from goldmark.records.texts import Text
    from goldmark.stats.agreement_spans import Mark, SeenText, SpanAgreement


def spans(
    mistakes: Annotated[Path, Parameter(help="Mistake lists of all annotators (CSV with the column ANNOTATOR).")],
    /,
    *,
    texts: Annotated[Path, Parameter(help="Folder with one .txt file per text, tokens separated by spaces.")],
    seen: Annotated[
        Path | None,
        Parameter(help="Who saw which text (columns TEXT_ID and ANNOTATOR), so that finding nothing counts too."),
    ] = None,
    categories: Annotated[
        str | None,
        Parameter(help="Categories that may occur, with commas between; the shared task's six if not given."),
    ] = None,
    resamples: Annotated[
        int, Parameter(help="How often to resample.", validator=validators.Number(gte=100, lte=1_000_000))
    ] = 1000,
    seed: Annotated[int, Parameter(help="Seed of the resampling.")] = 1,
    format: Annotated[Format, Parameter(help="How to print.")] = "table",  # noqa: A002
    json: Annotated[bool, Parameter(negative="", help="Print JSON for machines.")] = False,
) -> None:
    """Token-level alpha, pairwise token F1, category agreement on matched spans, and gamma."""
    import numpy as np

    from goldmark.records.figures import Signature
    from goldmark.stats.agreement_spans import span_agreement
    from goldmark.texts.gsml import CATEGORIES, read_mistakes, read_spaced_texts

    known = read_spaced_texts(texts)
    names = CATEGORIES if categories is None else tuple(part.strip() for part in categories.split(",") if part.strip())
    listed = read_mistakes(mistakes, known, categories=names, annotators=True)
    looked = _seen(seen, known, listed, mistakes) if seen else _seen_where_marked(listed)
    marked = _marked(known, listed, looked)
    result = span_agreement(marked, rng=np.random.default_rng(seed), resamples=resamples)
    signature = str(
        Signature.of(
            data=mistakes.name,
            seen=seen.name if seen else "where-marked",
            texts=len(marked),
            annotators=len({name for text in marked for name in text.marks}),
            spans=len(listed),
            match="token-overlap-once",
            gamma=f"combined-1-1-empty-1-samples-{result.gamma.samples}",
            interval="percentile-95-texts",
            resamples=resamples,
            seed=seed,
        )
    )
    note = (
        ""
        if seen
        else "An annotator is taken to have seen the texts in which he or she marked something. "
        "If some saw texts and found nothing, name who saw what with --seen."
    )
    if json:
        print_json({**_figures(result), "note": note or None, "signature": signature})
    else:
        _show(result, note, signature, form=format)


def _seen_where_marked(listed: Sequence[Mistake]) -> dict[str, set[str]]:
    looked: dict[str, set[str]] = {}
    for mistake in listed:
        looked.setdefault(mistake.text_id, set()).add(str(mistake.annotator))
    return looked


def _seen(path: Path, known: Mapping[str, Text], listed: Sequence[Mistake], source: Path) -> dict[str, set[str]]:
    """Who saw which text, checked against the texts and against who marked something."""
    from goldmark.records.columns import Columns
    from goldmark.texts.tidy import read_tidy

    checked = Columns("TEXT_ID", "ANNOTATOR").check(read_tidy(path))
    looked: dict[str, set[str]] = {}
    problems = []
    for row, (cell, annotator) in enumerate(zip(checked.texts("TEXT_ID"), checked.texts("ANNOTATOR"), strict=True)):
        text = cell.strip().removesuffix(".txt")
        if text not in known:
            problems.append(Problem(checked.frame.where(row), f"text {cell!r} is not known", "use the texts' names"))
        looked.setdefault(text, set()).add(annotator.strip())
    for text, annotator in dict.fromkeys((mistake.text_id, str(mistake.annotator)) for mistake in listed):
        if annotator not in looked.get(text, set()):
            what = f"{annotator} marked something in text {text}, but {path.name} does not say that {annotator} saw it"
            problems.append(Problem(source.name, what, f"add the row {text},{annotator} to {path.name}"))
    if problems:
        raise ProblemsFound(problems, consequence="nothing was computed")
    return looked


def _marked(known: Mapping[str, Text], listed: Sequence[Mistake], looked: Mapping[str, set[str]]) -> list[SeenText]:
    from goldmark.stats.agreement_spans import SeenText

    marks: dict[str, dict[str, list[Mark]]] = {
        text: {annotator: [] for annotator in sorted(looked[text])} for text in sorted(looked)
    }
    for mistake in listed:
        marks[mistake.text_id][str(mistake.annotator)].append((mistake.span, mistake.label))
    return [SeenText(text, len(known[text].tokens), everyone) for text, everyone in marks.items()]


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


def _show(result: SpanAgreement, note: str, signature: str, *, form: Format) -> None:
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
    notes = (note,) if note else ()
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
