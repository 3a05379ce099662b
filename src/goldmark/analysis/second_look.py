"""The tables of a verification campaign: agreement, opinion, categories, annotator combinations (ACCURACY 4-8)."""

from __future__ import annotations

from goldmark.analysis import catalogue
from goldmark.analysis.settings import Settings
from goldmark.curation.derivations import SecondLook
from goldmark.curation.verdicts import report_rows, verdict_rows
from goldmark.records.columns import Frame
from goldmark.records.tables import Table


def verification_tables(look: SecondLook, settings: Settings) -> list[Table]:
    """Tables 4, 7 and 8 from the verifiers' answers, then 5 and 6 against the verified list."""
    basis = look.basis
    rows = {
        "verification": verdict_rows(basis.gold, look.verdicts, look.shown),
        "combinations": report_rows(look.result.kept, basis.reports.marks, look.verdicts, seen=basis.reports.seen),
    }
    return [
        table.noting(*look.notes)
        for name, records in rows.items()
        if records
        for table in catalogue.run(name, [Frame.of(records, source=name)], settings)
    ]
