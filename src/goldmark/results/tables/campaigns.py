"""Tables that need more of a campaign than its observations: verification, gold lists, reviews, suggestions.

Each comes with a function that says why a campaign does not have it; nothing means that it has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.quality.introduced_errors import SIGNATURE, Recall
from goldmark.records.figures import counted
from goldmark.records.gold import GoldText
from goldmark.records.spans import Span
from goldmark.records.tables import Cell, Table
from goldmark.records.tidy.columns import Frame
from goldmark.records.units import text_id
from goldmark.results.inputs.stored import Stored
from goldmark.results.inputs.table_inputs import TableInputs
from goldmark.results.options import AnalysisOptions, of_figure
from goldmark.results.published.accuracy.combinations import MOST_ANNOTATORS, REPORTS, combinations
from goldmark.results.published.accuracy.verification_campaign import verified_combinations, verified_errors
from goldmark.results.published.suggestions import curated_gold
from goldmark.results.published.suggestions import suggestions as suggestion_tables
from goldmark.results.published.tgea.judged_responses import reviews_in
from goldmark.results.published.tgea.reviews import reviews as review_tables
from goldmark.results.result_table import Needs, ResultTable, published

EVERYBODY = "everybody"
NO_DATABASE = "it is made of a single campaign in a database"


def why_no_verification(given: TableInputs) -> str:
    if given.stored is None:
        return NO_DATABASE
    if not given.stored.verifies:
        return "it was not made by `goldmark campaign follow-up --as verification`"
    return ""


def verification(given: TableInputs, settings: AnalysisOptions) -> list[Table]:
    """Reported errors by what their verifiers say."""
    return verified_errors(given.stored.verification, settings) if given.stored else []


def why_no_combinations(given: TableInputs) -> str:
    if given.stored is None:
        return NO_DATABASE
    if given.stored.verifies:
        return ""
    if not given.stored.any_gold:
        return "it has no finished gold list, and is no verification of another campaign's errors"
    people = len(_people(given))
    if people > MOST_ANNOTATORS:
        return f"it has {people} annotators, and sets of more than {MOST_ANNOTATORS} are too many to list"
    return ""


def found_by_sets(given: TableInputs, settings: AnalysisOptions) -> list[Table]:
    """What every set of annotators found of the gold list, and how much of what they reported is in it."""
    if given.stored is None:
        return []
    if given.stored.verifies:
        return verified_combinations(given.stored.verification, settings)
    question, lists = next(iter(given.stored.gold.items()))
    rows = list(_reports(given, question, lists))
    if not rows:
        return []
    note = (
        f"{question}: the gold lists of {counted(len(lists), 'text')}; who marked an error in any form that curators "
        "put together found it, and a report is right if it came into the list"
    )
    made = combinations(REPORTS.check(Frame.of(rows, "gold lists")), settings)
    return [table.noting(note) for table in made]


def _people(given: TableInputs) -> set[str]:
    return set(given.frames["spans"].coded("annotator").used()[1])


def _reports(given: TableInputs, question: str, lists: Sequence[GoldText]) -> Iterator[dict[str, object]]:
    """Every gold mistake with everybody who found it, and every report that is in no list."""
    marks = _marks(given, question, {one.text_id for one in lists})
    people = _people(given)
    for one in lists:
        own = marks.get(one.text_id, {})
        for number, mistake in enumerate(one.mistakes, start=1):
            found = {(source.annotator, source.span) for source in mistake.sources if source.annotator in people}
            found |= {(who, mistake.span) for who in own.get(mistake.span, ())}
            for who, span in found:
                own.get(span, set()).discard(who)
            for who in sorted({who for who, _ in found}) or [""]:
                yield {"error": f"{one.text_id} g{number}", "text": one.text_id, "gold": True, "annotator": who}
        for span, left in sorted(own.items()):
            for who in sorted(left):
                error = f"{one.text_id} {span.start}-{span.end}"
                yield {"error": error, "text": one.text_id, "gold": False, "annotator": who}


def _marks(given: TableInputs, question: str, texts: set[str]) -> dict[str, dict[Span, set[str]]]:
    """By text and place who marked it; not where an error was introduced on purpose."""
    cells = given.frames["spans"].cells
    columns = ("question", "unit", "role", "annotator", "start", "end", "introduced")
    found: dict[str, dict[Span, set[str]]] = {}
    for asked, unit, role, who, start, end, introduced in zip(*(cells[name] for name in columns), strict=True):
        text = text_id(unit, role)
        if asked == question and start and introduced != "true" and text in texts:
            found.setdefault(text, {}).setdefault(Span(int(start), int(end)), set()).add(who)
    return found


def _why_not(has: Callable[[Stored], object], reason: str) -> Callable[[TableInputs], str]:
    """Why a table that is made of the database is not there: no database, or nothing in it."""
    return lambda given: NO_DATABASE if given.stored is None else "" if has(given.stored) else reason


why_no_reviews = _why_not(lambda stored: stored.reviews, "nobody has reviewed an answer of it")
why_no_suggestions = _why_not(lambda stored: stored.suggestions, "no unit of it came with suggestions")
why_none_introduced = _why_not(lambda stored: stored.introduced, "no error was introduced into its texts on purpose")


REVIEWS = ("", "questions", "stages", "annotators", "reviewers", "agreement")


def reviews(given: TableInputs, settings: AnalysisOptions) -> list[Table]:
    """What reviewers found: by question, stage, annotator and reviewer, and how far they agree."""
    stored = given.stored
    if stored is None:
        return []
    said = stored.store.snapshot(lambda connection: reviews_in(connection, stored.row, stored.with_excluded))
    made = review_tables(said, settings)
    return [replace(table, name=name) for table, name in zip(made, REVIEWS, strict=False)]


def suggestions(given: TableInputs, settings: AnalysisOptions) -> list[Table]:
    """What became of suggestions, and answers with and without them."""
    if given.stored is None:
        return []
    store, name = given.stored.store, given.stored.name
    made = suggestion_tables(given.stored.record, curated_gold(store, ContentCache(store), name), settings)
    return [replace(table, name=name) for table, name in zip(made, ("", "comparison"), strict=True)]


def introduced(given: TableInputs, settings: AnalysisOptions) -> list[Table]:
    """How many of the errors that were introduced on purpose people found, in all and by kind."""
    if given.stored is None:
        return []
    rows: list[dict[str, Cell]] = []
    for one in given.stored.introduced:
        rows += _found(one)
    notes = ("found: a mark touches it, whatever it is called; test questions and excluded people are counted too",)
    labels = {"value": "share found", "n": "introduced", "texts": "texts read"}
    title = "Introduced errors found"
    return [Table.of(title, rows, notes=notes, signature=str(SIGNATURE), labels=labels)]


def _found(one: Recall) -> Iterator[dict[str, Cell]]:
    who = one.annotator or EVERYBODY
    yield {"annotator": who, "label": "", **of_figure(one.share), "count": one.found, "texts": one.texts}
    if not one.annotator:  # single people have found too few of each kind to say anything
        for label, share in one.share_by_label.items():
            found, _ = one.by_label[label]
            yield {"annotator": who, "label": label, **of_figure(share), "count": found, "texts": one.texts}


VERIFICATION_TABLE = published(
    "verification",
    verification,
    Needs(why_no_verification, "made by `goldmark campaign follow-up --as verification`"),
)
COMBINATIONS_TABLE = published(
    "combinations",
    found_by_sets,
    Needs(why_no_combinations, "with finished gold lists, or that verifies another's errors"),
)
INTRODUCED_TABLE = ResultTable(
    "introduced",
    "How many of the errors that were introduced on purpose people found.",
    "people",
    make=introduced,
    needs=Needs(why_none_introduced, "with errors that were introduced on purpose"),
    stored=True,
)
REVIEWS_TABLE = ResultTable(
    "reviews",
    "What reviewers found: by question, stage, annotator and reviewer.",
    "reviews",
    make=reviews,
    source="TGEA section 3.4",
    needs=Needs(why_no_reviews, "with reviews"),
    stored=True,
)
SUGGESTIONS_TABLE = ResultTable(
    "suggestions",
    "What became of suggestions, and answers with and without.",
    "suggestions",
    make=suggestions,
    needs=Needs(why_no_suggestions, "with suggestions"),
    stored=True,
)
