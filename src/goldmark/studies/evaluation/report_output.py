"""A study's report for programs, terminals and pictures: its flow of participants, the bars of its histograms."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from goldmark.records.tables import Table
from goldmark.results.output.tables import to_csv, to_json, to_latex
from goldmark.results.pictures.draw import picture_file
from goldmark.results.pictures.files.to_file import write_picture
from goldmark.results.pictures.kinds.histograms import histograms
from goldmark.results.pictures.shapes import Picture
from goldmark.results.pictures.sheet import Layout
from goldmark.studies.evaluation.outcomes import Flow
from goldmark.studies.evaluation.report import Registration, StudyReport


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
    lines = [f"joined and randomised to a cell: {flow.joined:,}"]
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


def report_files(found: StudyReport) -> Iterator[tuple[str, bytes]]:
    """The report to keep: its words, every table for programs and for a paper, everything as JSON, the histograms."""
    yield "report.md", "\n".join(_written(found)).encode()
    yield "report.json", (json.dumps(report_json(found), ensure_ascii=False, indent=2) + "\n").encode()
    for number, table in enumerate(found.tables, start=1):
        name = f"{number:02}-{re.sub(r'[^a-z0-9]+', '-', table.title.lower()).strip('-')[:60]}"
        yield f"tables/{name}.csv", to_csv(table).encode()
        yield f"tables/{name}.tex", to_latex(table).encode()
    drawn = _histograms(found)
    if drawn is not None:
        yield "histograms.svg", picture_file(drawn, "svg")


def _written(found: StudyReport) -> Iterator[str]:
    yield f"# {found.title}\n"
    yield f"{registration_line(found.registration)}\n"
    yield "## What became of everybody\n"
    yield from (f"    {line}" for line in flow_lines(found.flow))
    for title, sentences in (("What can be concluded", found.conclusions), ("What to keep in mind", found.limits)):
        yield f"\n## {title}\n"
        yield from (f"- {sentence}" for sentence in sentences)
    yield "\nTables are in `tables`, as CSV and LaTeX; everything is in `report.json`.\n"


def draw_histograms(found: StudyReport, path: Path) -> None:
    """One small histogram for each cell of a study's first table of results."""
    write_picture(_histograms(found), path, found.title, "participants")


def _histograms(found: StudyReport) -> Picture | None:
    groups = [group for table in found.histograms for group in histogram_groups(table)]
    title = f"{found.title}: participants by score"
    return histograms(title, groups, Layout(titled=True)) if found.flow.analysed else None
