"""Mistake lists as people have them, scored and compared: from files or tables to tables of figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from goldmark.records.figures import Figure
from goldmark.records.mistakes import Mistake
from goldmark.records.tables import Cell, Table
from goldmark.records.texts import Text
from goldmark.records.tidy.columns import Frame
from goldmark.results.scoring.comparison import ScoreComparison, compare
from goldmark.results.scoring.scores import MEASURES, ScoreSheet, score
from goldmark.texts.readers.gsml import CATEGORIES, NoTextsForList, read_mistakes, read_spaced_texts, words_of

Texts = Path | Mapping[str, str]  # a folder with one .txt file per text, or texts by their id


@dataclass(frozen=True)
class ScoredList:
    """A mistake list against a gold list, and the texts that their positions count in."""

    sheet: ScoreSheet
    texts: Mapping[str, Text]
    signature: str

    def table(self) -> Table:
        rows = []
        reasons: dict[str, list[str]] = {}
        for name, row in self.sheet.rows.items():
            cells: dict[str, Cell] = {"mistakes": name}
            for measure in MEASURES:
                figure: Figure = getattr(row, measure)
                cells |= _cells(measure, figure)
                _explain(reasons, figure, f"{name} {measure.replace('_', ' ')}")
            counts = row.counts
            rows.append(cells | {"found": counts.found, "gold": counts.gold, "submitted": counts.submitted})
        title = "Recall and precision by mistake and by token, with 95 % intervals over texts"
        return Table.of(title, rows, notes=_notes(reasons), signature=self.signature)

    def listed(self) -> Table:
        """What was missed, what was invented, and what was found as something else."""

        def rows(verdict: str, mistakes: Iterable[Mistake]) -> list[dict[str, Cell]]:
            return [{"verdict": verdict, **self.described(mistake)} for mistake in mistakes]

        matches = self.sheet.matches
        every = [*rows("missed", matches.missed), *rows("invented", matches.invented)]
        for gold, reported in matches.found:
            if gold.label != reported.label:
                every += rows(f"found as {reported.label}", [gold])
        every.sort(key=lambda row: (str(row["text"]), int(str(row["start"]))))
        return Table.of("What was missed, invented, or found under another category", every, name="mistakes")

    def described(self, mistake: Mistake) -> dict[str, Cell]:
        """A mistake for people, who count from 1 and name the last token."""
        text = self.texts[mistake.text_id]
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


@dataclass(frozen=True)
class ComparedLists:
    """Two mistake lists against one gold list."""

    comparison: ScoreComparison
    signature: str

    def table(self) -> Table:
        rows: list[dict[str, Cell]] = []
        reasons: dict[str, list[str]] = {}
        for name, measures in self.comparison.rows.items():
            for measure, pair in measures.items():
                said = measure.replace("_", " ")
                rows.append(
                    {
                        "mistakes": name,
                        "measure": said,
                        "first": pair.first.value,
                        "second": pair.second.value,
                        **_cells("difference", pair.difference),
                        "p": pair.p,
                    }
                )
                _explain(reasons, pair.difference, f"{name} {said}")
        title = "First list minus second, with 95 % intervals over texts and a paired randomisation test"
        return Table.of(title, rows, notes=_notes(reasons), signature=self.signature)


def score_lists(
    gold: Path | Frame,
    submitted: Path | Frame,
    *,
    texts: Texts | None = None,
    categories: Sequence[str] | None = None,
) -> ScoredList:
    """A mistake list against a gold list, on all texts; the shared task's six categories unless others are named.

    Without `texts`, they are in the folder `texts` beside the gold list, where the shared task has them.
    """
    known, names = _texts(texts, gold), CATEGORIES if categories is None else tuple(categories)
    sheet = score(
        read_mistakes(gold, known, categories=names),
        read_mistakes(submitted, known, categories=names),
        texts=known,
        categories=names,
    )
    return ScoredList(sheet, known, f"gold:{_name(gold)}|submitted:{_name(submitted)}|{sheet.signature}")


def compare_lists(
    gold: Path | Frame,
    first: Path | Frame,
    second: Path | Frame,
    *,
    texts: Texts | None = None,
    categories: Sequence[str] | None = None,
    resamples: int = 10_000,
    seed: int = 1,
) -> ComparedLists:
    """Is one list better than another on the same texts?"""
    known, names = _texts(texts, gold), CATEGORIES if categories is None else tuple(categories)
    golds, firsts, seconds = (read_mistakes(one, known, categories=names) for one in (gold, first, second))
    found = compare(
        golds,
        firsts,
        seconds,
        texts=known,
        categories=names,
        rng=np.random.default_rng(seed),
        resamples=resamples,
        seed=seed,
    )
    return ComparedLists(found, f"gold:{_name(gold)}|first:{_name(first)}|second:{_name(second)}|{found.signature}")


def _texts(texts: Texts | None, gold: Path | Frame) -> Mapping[str, Text]:
    if texts is not None:
        return read_spaced_texts(texts)
    if isinstance(gold, Frame):
        raise NoTextsForList(folder="a list that is no file", trouble="has no texts beside it")
    return read_spaced_texts(gold.parent / "texts")


def _name(data: Path | Frame) -> str:
    return data.source if isinstance(data, Frame) else data.name


def _cells(name: str, figure: Figure) -> dict[str, Cell]:
    low, high = (figure.interval.low, figure.interval.high) if figure.interval else (None, None)
    return {name: figure.value, f"{name}_low": low, f"{name}_high": high}


def _explain(reasons: dict[str, list[str]], figure: Figure, what: str) -> None:
    if figure.reason:
        reasons.setdefault(figure.reason, []).append(what)


def _notes(reasons: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Every reason once, with all the figures it holds for."""
    return tuple(f"{', '.join(figures)}: {reason}" for reason, figures in reasons.items())
