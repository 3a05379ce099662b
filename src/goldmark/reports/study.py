"""A study's report for programs, terminals and pictures: its flow of participants, its histograms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from goldmark.records.tables import Table
from goldmark.reports.plots import ACCENT, FORMATS, INK, NoMatplotlib, NothingToDraw, UnknownPicture
from goldmark.reports.tables import to_json
from goldmark.studies.outcomes import Flow
from goldmark.studies.report import Registration, StudyReport


def registration_line(registration: Registration) -> str:
    """When the plan was written down, in one line."""
    said = f"analysis plan {registration.digest}"
    if registration.at is None:
        return f"{said}; it is not known when it was written down"
    when = registration.at.strftime("%Y-%m-%d %H:%M UTC")
    order = {True: ", before the first answer", False: ", after the first answer", None: ""}[registration.before]
    changed = "" if registration.kept else "; it differs from the plan that was written down then"
    return f"{said}, written down {when}{order}{changed}"


def flow_lines(flow: Flow) -> list[str]:
    """The flow of participants as text."""
    lines = [f"joined and drawn for a cell by lot: {flow.joined:,}"]
    lines.append(f"  never answered: {flow.not_begun:,}")
    lines.append(f"  did not finish: {flow.not_finished:,}")
    lines.append(f"  excluded: {sum(flow.excluded.values()):,}")
    lines += [f"    {reason}: {count:,}" for reason, count in flow.excluded.items()]
    lines.append(f"analysed: {flow.analysed:,}")
    return lines


def report_json(found: StudyReport) -> dict[str, Any]:
    """The whole report for programs."""
    registration = found.registration
    return {
        "study": found.study,
        "title": found.title,
        "outcome": found.outcome,
        "plan": {
            "digest": registration.digest,
            "written_down": registration.at and registration.at.isoformat(),
            "first_answer": registration.first_answer and registration.first_answer.isoformat(),
            "before_first_answer": registration.before,
            "unchanged": registration.kept,
        },
        "flow": {
            "joined": found.flow.joined,
            "not_begun": found.flow.not_begun,
            "not_finished": found.flow.not_finished,
            "excluded": dict(found.flow.excluded),
            "analysed": found.flow.analysed,
            "cells": {name: dict(counts) for name, counts in found.flow.cells.items()},
        },
        "conclusions": list(found.conclusions),
        "limits": list(found.limits),
        "tables": [to_json(table) for table in found.tables],
    }


def histogram_groups(table: Table) -> list[tuple[str, list[tuple[str, int, float | None]]]]:
    """The bars of a histogram's table by its groups: score, people, share."""
    names = [column for column in table.columns if column not in ("score", "participants", "percent")]
    groups: dict[str, list[tuple[str, int, float | None]]] = {}
    for row in table.records():
        label = " · ".join(str(row[name]) for name in names)
        share = row["percent"]
        bar = (str(row["score"]), int(row["participants"] or 0), float(share) if isinstance(share, float) else None)
        groups.setdefault(label, []).append(bar)
    return list(groups.items())


def draw_histograms(found: StudyReport, path: Path) -> None:
    """One small histogram for each cell of the first table of results."""
    if path.suffix.lower() not in FORMATS:
        raise UnknownPicture(path=path, formats=", ".join(FORMATS))
    groups = [group for table in found.histograms for group in histogram_groups(table)]
    if not found.flow.analysed:
        raise NothingToDraw(title=found.title, column="participants")
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise NoMatplotlib() from None

    columns = min(3, len(groups))
    rows = -(-len(groups) // columns)
    figure = Figure(figsize=(2.6 * columns, 1.7 * rows + 0.4), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(rows, columns, squeeze=False, sharey=True)
    for place, (name, bars) in enumerate(groups):
        one = axes[place // columns][place % columns]
        one.bar([score for score, _, _ in bars], [people for _, people, _ in bars], color=ACCENT, width=0.8)
        one.set_title(name.replace("$", r"\$"), loc="left", color=INK, fontsize=8)
        one.tick_params(length=0, colors=INK, labelsize=7)
        for side in ("top", "right", "left"):
            one.spines[side].set_visible(False)
    for place in range(len(groups), rows * columns):
        axes[place // columns][place % columns].set_visible(False)
    figure.suptitle(f"{found.title}: participants by score", x=0.01, ha="left", color=INK, fontsize=10)
    metadata = {"Creator": None} if path.suffix.lower() == ".pdf" else None
    figure.savefig(path, dpi=150, metadata=metadata)
