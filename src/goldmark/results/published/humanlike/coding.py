"""What people's explanations are about, by condition (HUMANLIKE table 3)."""

from __future__ import annotations

import numpy as np

from goldmark.records.figures import counted
from goldmark.records.tables import Cell, Table
from goldmark.records.tidy.columns import CheckedColumns, Column, Columns
from goldmark.results.options import AnalysisOptions, with_interval
from goldmark.stats.inference.bootstrap import ratio
from goldmark.stats.inference.sums import sums_figure
from goldmark.stats.ranks.judgements import by_name

NULL = "null"
CODES = Columns(
    Column("comment", about="which comment was coded"),
    Column("group", about="what it is about: form, content...; empty or null if nothing", empty=True),
    Column("condition", about="under which condition it was written", optional=True),
)


def coding(checked: CheckedColumns, settings: AnalysisOptions) -> list[Table]:
    """The share of labels in each group, by condition, with intervals over comments. A row is a label of a comment."""
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
        for place in order.tolist():
            found = sums_figure(
                counts,
                lambda sums, place=place: 100 * ratio(sums[:, place], sums.sum(axis=1)),  # type: ignore[misc]
                top=100.0,
                most=total,
                level=settings.level,
                what="comment",
            )
            rows.append(
                {
                    "condition": condition,
                    "group": names[place],
                    "comments": len(counts),
                    "labels": int(counts[:, place].sum()),
                    **with_interval("percent", found.value, found.interval),
                    "reason": found.reason,
                }
            )
    silent = len(checked) - len(used)
    notes = (f"left out: {counted(silent, 'label')} without a group (or null)",) if silent else ()
    return [
        Table.of(
            "What explanations are about",
            rows,
            notes=notes,
            signature=settings.signature(figure="coding", interval="wilson-jackknife-comments"),
            labels={"percent": "% of labels"},
        )
    ]
