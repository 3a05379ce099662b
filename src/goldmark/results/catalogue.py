"""Every table by name, in the order in which people read them.

Most tables are functions of observations, so that they are the same to the last digit whether the observations came
from the database, from exported files or from a notebook. Some need more of a campaign, such as its reviews; and those
of the papers can also be made of files with columns of their own (`analysis.catalogue`). The results of a campaign, the
command `goldmark table` and the documentation all read this list: adding a table means a module with its function and
its `ResultTable`, a line here and its page.
"""

from __future__ import annotations

from goldmark.analysis.settings import Settings
from goldmark.errors import GoldmarkError, Kind
from goldmark.plugins import Group
from goldmark.records.tables import Table
from goldmark.results.given import Given
from goldmark.results.result_table import ResultTable

RESULTS: Group[ResultTable] = Group(
    "tables",
    "table",
    ResultTable,
    {
        "coverage": "goldmark.results.people:COVERAGE_TABLE",
        "ratings": "goldmark.results.ratings:RATINGS_TABLE",
        "distribution": "goldmark.results.ratings:DISTRIBUTION_TABLE",
        "differences": "goldmark.results.ratings:DIFFERENCES_TABLE",
        "choices": "goldmark.results.ratings:CHOICES_TABLE",
        "errors": "goldmark.results.errors:ERRORS_TABLE",
        "errors-per-text": "goldmark.results.error_files:ERRORS_PER_TEXT_TABLE",
        "severities": "goldmark.results.errors:SEVERITIES_TABLE",
        "weighted-errors": "goldmark.results.errors:WEIGHTED_ERRORS_TABLE",
        "texts-with-errors": "goldmark.results.errors:TEXTS_WITH_ERRORS_TABLE",
        "error-differences": "goldmark.results.errors:ERROR_DIFFERENCES_TABLE",
        "win-rates": "goldmark.results.comparisons:WIN_RATES_TABLE",
        "comparison-pairs": "goldmark.results.comparisons:COMPARISON_PAIRS_TABLE",
        "order-effect": "goldmark.results.comparisons:ORDER_EFFECT_TABLE",
        "study": "goldmark.results.methods:STUDY_TABLE",
        "coding": "goldmark.results.methods:CODING_TABLE",
        "stages": "goldmark.results.methods:STAGES_TABLE",
        "set-aside": "goldmark.results.methods:SET_ASIDE_TABLE",
        "dataset": "goldmark.results.of_campaigns:DATASET_TABLE",
        "verification": "goldmark.results.of_campaigns:VERIFICATION_TABLE",
        "combinations": "goldmark.results.of_campaigns:COMBINATIONS_TABLE",
        "agreement": "goldmark.results.agreement:AGREEMENT_TABLE",
        "agreement-pairs": "goldmark.results.agreement:AGREEMENT_PAIRS_TABLE",
        "introduced": "goldmark.results.of_campaigns:INTRODUCED_TABLE",
        "reviews": "goldmark.results.of_campaigns:REVIEWS_TABLE",
        "suggestions": "goldmark.results.of_campaigns:SUGGESTIONS_TABLE",
        "people": "goldmark.results.people:PEOPLE_TABLE",
        "progress": "goldmark.results.people:PROGRESS_TABLE",
        "exclusions": "goldmark.results.people:EXCLUSIONS_TABLE",
        "design": "goldmark.results.methods:DESIGN_TABLE",
    },
)


class NoSuchTable(GoldmarkError):
    code = "RESULTS-03"
    kind = Kind.CONFLICT
    message = "{what} has no table {name!r}: {why}; it has {known}"


def allowed(given: Given) -> list[str]:
    """The tables that can be made of what is given."""
    return [name for name, one in RESULTS.usable().items() if not one.same_as and not one.missing(given)]


def tables_of(one: ResultTable, given: Given, settings: Settings, what: str = "it") -> list[Table]:
    """A table of what is given, or why there is none and which there are."""
    why = one.missing(given)
    if why or one.make is None:
        known = ", ".join(allowed(given)) or "none yet"
        raise NoSuchTable(what=what, name=one.name, why=why, known=known)
    return one.make(given, settings)
