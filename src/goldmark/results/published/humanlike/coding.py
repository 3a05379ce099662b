"""What people's explanations are about, by condition (HUMANLIKE table 3)."""

from __future__ import annotations

import numpy as np

from goldmark.records.columns import CheckedColumns, Column, Columns
from goldmark.records.tables import Cell, Table
from goldmark.results.options import AnalysisOptions, counted, with_interval
from goldmark.stats.inference.bootstrap import percentile_interval, ratio, resampled_sums
from goldmark.stats.ranks.judgements import by_name

NULL = "null"
CODES = Columns(
    Column("comment", about="which comment was coded"),
    Column("group", about="what it is about: form, content...; empty or null if nothing", empty=True),
    Column("condition", about="under which condition it was written", optional=True),
)


def coding(checked: CheckedColumns, settings: AnalysisOptions) -> list[Table]:
    """The share of labels in each group, by condition; comments are resampled. A row is one label of one comment.

    Comments are resampled in the order of their names, so that the order of the rows changes no figure.
    """
    groups = checked.texts("group")
    comments = checked.texts("comment")
    conditions = checked.texts("condition") if "condition" in checked else ["all"] * len(checked)
    used = [row for row, group in enumerate(groups) if group and group.lower() != NULL]
    names, group = by_name([groups[row] for row in used])
    order = np.argsort(-np.bincount(group, minlength=len(names)), kind="stable")
    rows: list[dict[str, Cell]] = []
    for condition in dict.fromkeys(conditions):
        own = [place for place, row in enumerate(used) if conditions[row] == condition]
        _, comment = by_name([comments[used[place]] for place in own])
        counts = np.zeros((int(comment.max()) + 1 if len(comment) else 0, len(names)))
        np.add.at(counts, (comment, group[own] if own else comment), 1)
        total = counts.sum()
        sums = resampled_sums(counts, resamples=settings.resamples, rng=settings.rng()) if len(counts) > 1 else None
        for place in order:
            interval = (
                None
                if sums is None
                else percentile_interval(100 * ratio(sums[:, place], sums.sum(axis=1)), level=settings.level)
            )
            count = counts[:, place].sum()
            rows.append(
                {
                    "condition": condition,
                    "group": names[place],
                    "comments": len(counts),
                    "labels": int(count),
                    **with_interval("percent", float(100 * count / total) if total else None, interval),
                }
            )
    silent = len(checked) - len(used)
    notes = (f"left out: {counted(silent, 'label')} without a group (or null)",) if silent else ()
    return [
        Table.of(
            "What explanations are about",
            rows,
            notes=notes,
            signature=settings.signature(figure="coding", resampled="comments"),
            labels={"percent": "% of labels"},
        )
    ]
