"""Every table by name, in the order in which people read them.

Most tables are functions of observations, so that they are the same to the last digit whether the observations came
from the database, from exported files or from a notebook. Some need more of a campaign, such as its reviews; and those
of the papers can also be made of files with columns of their own (`results.published.catalogue`). The results of a
campaign, the command `goldmark table` and the documentation all read this list: adding a table means a module with its
function and its `ResultTable`, a line here and its page.
"""

from __future__ import annotations

from goldmark.errors import Conflict
from goldmark.plugins import Group
from goldmark.records.tables import Table
from goldmark.results.inputs.table_inputs import TableInputs
from goldmark.results.options import AnalysisOptions
from goldmark.results.result_table import ResultTable

RESULTS: Group[ResultTable] = Group(
    "tables",
    "table",
    ResultTable,
    {
        "coverage": "goldmark.results.tables.people:COVERAGE_TABLE",
        "ratings": "goldmark.results.tables.ratings:RATINGS_TABLE",
        "distribution": "goldmark.results.tables.ratings:DISTRIBUTION_TABLE",
        "differences": "goldmark.results.tables.ratings:DIFFERENCES_TABLE",
        "mixed-model": "goldmark.results.tables.rating_models:MIXED_MODEL_TABLE",
        "ordinal-model": "goldmark.results.tables.rating_models:ORDINAL_MODEL_TABLE",
        "reliability": "goldmark.results.tables.rating_models:RELIABILITY_TABLE",
        "choices": "goldmark.results.tables.ratings:CHOICES_TABLE",
        "errors": "goldmark.results.tables.errors:ERRORS_TABLE",
        "errors-per-text": "goldmark.results.inputs.files.error_files:ERRORS_PER_TEXT_TABLE",
        "severities": "goldmark.results.tables.errors:SEVERITIES_TABLE",
        "weighted-errors": "goldmark.results.tables.errors:WEIGHTED_ERRORS_TABLE",
        "texts-with-errors": "goldmark.results.tables.errors:TEXTS_WITH_ERRORS_TABLE",
        "error-differences": "goldmark.results.tables.errors:ERROR_DIFFERENCES_TABLE",
        "win-rates": "goldmark.results.tables.preferences.comparisons:WIN_RATES_TABLE",
        "comparison-pairs": "goldmark.results.tables.preferences.comparisons:COMPARISON_PAIRS_TABLE",
        "bradley-terry": "goldmark.results.tables.preferences.comparison_models:BRADLEY_TERRY_TABLE",
        "best-worst": "goldmark.results.tables.preferences.best_worst:BEST_WORST_TABLE",
        "order-effect": "goldmark.results.tables.preferences.comparisons:ORDER_EFFECT_TABLE",
        "study": "goldmark.results.tables.methods:STUDY_TABLE",
        "coding": "goldmark.results.tables.methods:CODING_TABLE",
        "stages": "goldmark.results.tables.methods:STAGES_TABLE",
        "set-aside": "goldmark.results.tables.methods:SET_ASIDE_TABLE",
        "dataset": "goldmark.datasets.result_table:DATASET_TABLE",
        "verification": "goldmark.results.tables.campaigns:VERIFICATION_TABLE",
        "combinations": "goldmark.results.tables.campaigns:COMBINATIONS_TABLE",
        "agreement": "goldmark.results.tables.agreement:AGREEMENT_TABLE",
        "agreement-pairs": "goldmark.results.tables.agreement:AGREEMENT_PAIRS_TABLE",
        "soft-labels": "goldmark.results.tables.soft_labels:SOFT_LABELS_TABLE",
        "consistency": "goldmark.results.tables.consistency:CONSISTENCY_TABLE",
        "introduced": "goldmark.results.tables.campaigns:INTRODUCED_TABLE",
        "reviews": "goldmark.results.tables.campaigns:REVIEWS_TABLE",
        "suggestions": "goldmark.results.tables.campaigns:SUGGESTIONS_TABLE",
        "people": "goldmark.results.tables.people:PEOPLE_TABLE",
        "progress": "goldmark.results.tables.people:PROGRESS_TABLE",
        "exclusions": "goldmark.results.tables.people:EXCLUSIONS_TABLE",
        "design": "goldmark.results.tables.methods:DESIGN_TABLE",
    },
)


class TableNotPossible(Conflict):
    code = "RESULTS-03"
    message = "{what} has no table {name!r}: {why}; it has {known}"


def allowed(given: TableInputs) -> list[str]:
    """The tables that can be made of what is given."""
    return [name for name, one in RESULTS.usable().items() if not one.same_as and not one.missing(given)]


def tables_of(one: ResultTable, given: TableInputs, settings: AnalysisOptions, what: str = "it") -> list[Table]:
    """A table of what is given, or why there is none and which there are."""
    why = one.missing(given)
    if why or one.make is None:
        known = ", ".join(allowed(given)) or "none yet"
        raise TableNotPossible(what=what, name=one.name, why=why, known=known)
    return one.make(given, settings)
