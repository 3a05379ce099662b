"""The order in which people read results: what was found, question by question, then how far to trust it."""

from __future__ import annotations

from typing import NamedTuple

from goldmark.results.all_tables import NamedTable, Results

AGREEMENT = ("agreement", "agreement-pairs", "consistency", "soft-labels")
PEOPLE = ("coverage", "people", "exclusions", "progress")


class Section(NamedTuple):
    id: str
    title: str
    tables: tuple[NamedTable, ...]


def sections(results: Results) -> tuple[Section, ...]:
    """All tables, each in one section; a section without tables is left out."""
    found = [one for one in results.tables if one.name not in (*AGREEMENT, *PEOPLE)]
    parts = (
        Section("found", "What people found", tuple(sorted(found, key=lambda one: _first_question(one, results)))),
        Section("agreement", "How far people agree", _named(results, AGREEMENT)),
        Section("people", "Who did it, and on what", _named(results, PEOPLE)),
    )
    return tuple(part for part in parts if part.tables)


def answered(results: Results) -> bool:
    """Whether there is anything that people said; who was invited to what is there before."""
    return any(part.id == "found" for part in sections(results)) or bool(_named(results, AGREEMENT))


def _named(results: Results, names: tuple[str, ...]) -> tuple[NamedTable, ...]:
    return tuple(sorted((one for one in results.tables if one.name in names), key=lambda one: names.index(one.name)))


def _first_question(one: NamedTable, results: Results) -> int:
    """The place of the first question that a table is about; what is about none comes last."""
    order = {question.id: place for place, question in enumerate(results.questions)}
    asked = one.table.column("question") if "question" in one.table.columns else ()
    return min((order.get(str(name), len(order)) for name in asked), default=len(order))
