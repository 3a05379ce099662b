"""A table: how much people wrote about each system."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from goldmark.records.tables import Cell, Table
from goldmark.records.tidy.columns import Frame
from goldmark.results.options import AnalysisOptions
from goldmark.results.result_table import NOTHING, from_observations


def answer_length(frame: Frame, settings: AnalysisOptions, by: str, order: Sequence[str]) -> Table:
    """The mean number of words in a written answer."""
    counts: dict[str, list[int]] = defaultdict(list)
    for group, words in zip(frame.cells[by], frame.cells["words"], strict=True):
        counts[group].append(len(words.split()))
    rows: list[dict[str, Cell]] = [
        {by: group, "words": sum(some) / len(some), "n": len(some)} for group, some in sorted(counts.items())
    ]
    return Table.of("Words in an answer", rows, signature="mean|words:whitespace|version:1", labels={"n": "answers"})


ANSWER_LENGTH = from_observations(
    "answer-length", "How many words written answers have.", "", "words", answer_length, NOTHING
)
