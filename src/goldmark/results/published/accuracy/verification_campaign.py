"""The tables of a verification campaign: agreement, opinion, categories, annotator combinations (ACCURACY 4-8)."""

from __future__ import annotations

from goldmark.curation.verification.followup import VerifiedGold
from goldmark.curation.verification.verdicts import report_rows, verdict_rows
from goldmark.records.tables import Table
from goldmark.records.tidy.columns import Frame
from goldmark.results.options import AnalysisOptions
from goldmark.results.published import catalogue


def verification_tables(look: VerifiedGold, settings: AnalysisOptions) -> list[Table]:
    """Tables 4, 7 and 8 from the verifiers' answers, then 5 and 6 against the verified list."""
    return [*verified_errors(look, settings), *verified_combinations(look, settings)]


def tidy_rows(look: VerifiedGold) -> dict[str, list[dict[str, object]]]:
    """What both kinds of table are made of, by the name under which `goldmark table` makes them."""
    reports = look.basis.reports
    return {
        "verification": verdict_rows(look.basis.gold, look.verdicts, look.shown),
        "combinations": report_rows(look.result.kept, reports.marks, look.verdicts, seen=reports.seen),
    }


def verified_errors(look: VerifiedGold, settings: AnalysisOptions) -> list[Table]:
    """What verifiers say of reported errors: agreement, opinion, categories (tables 4, 7 and 8)."""
    return _tables("verification", look, settings)


def verified_combinations(look: VerifiedGold, settings: AnalysisOptions) -> list[Table]:
    """How much of the verified list every set of annotators found, and how much of theirs stood (tables 5 and 6)."""
    return _tables("combinations", look, settings)


def _tables(name: str, look: VerifiedGold, settings: AnalysisOptions) -> list[Table]:
    rows = tidy_rows(look)[name]
    made = catalogue.run(name, [Frame.of(rows, source=name)], settings) if rows else []
    return [table.noting(*look.notes) for table in made]
