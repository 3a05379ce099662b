"""The tables of a verification campaign: agreement, opinion, categories, annotator combinations (ACCURACY 4-8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from goldmark.analysis import catalogue
from goldmark.analysis.settings import Settings
from goldmark.curation.derivations import SecondLook
from goldmark.curation.verdicts import report_rows, verdict_rows
from goldmark.records.columns import Frame
from goldmark.records.tables import Table


def verification_tables(look: SecondLook, settings: Settings) -> list[Table]:
    """Tables 4, 7 and 8 from the verifiers' answers, then 5 and 6 against the verified list."""
    return [*verified_errors(look, settings), *verified_combinations(look, settings)]


def verified_errors(look: SecondLook, settings: Settings) -> list[Table]:
    """What verifiers say of reported errors: agreement, opinion, categories (tables 4, 7 and 8)."""
    return _tables("verification", verdict_rows(look.basis.gold, look.verdicts, look.shown), look, settings)


def verified_combinations(look: SecondLook, settings: Settings) -> list[Table]:
    """How much of the verified list every set of annotators found, and how much of theirs stood (tables 5 and 6)."""
    reports = look.basis.reports
    rows = report_rows(look.result.kept, reports.marks, look.verdicts, seen=reports.seen)
    return _tables("combinations", rows, look, settings)


def _tables(name: str, rows: Sequence[Mapping[str, object]], look: SecondLook, settings: Settings) -> list[Table]:
    made = catalogue.run(name, [Frame.of(rows, source=name)], settings) if rows else []
    return [table.noting(*look.notes) for table in made]
