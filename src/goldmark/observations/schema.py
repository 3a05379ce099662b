"""The tables: what each holds, a row for what, and the columns that all of them share.

Files that are exported, commands that read them, results and the documentation all take their columns from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

# Beside these, a table has its own columns, then the short hidden facts of the units, such as `domain`.
SHARED: Mapping[str, str] = {
    "unit": "what was judged at once",
    "item": "what the unit is about: outputs of several systems for one input share it",
    "system": "whose output it is",
    "condition": "the condition that the annotator was randomised to",
    "annotator": "who answered",
    "kind": "whether the annotator is a person, a model or a checker",
    "question": "to which question",
    "test": "whether the unit is a test question",
    "excluded": "whether the annotator was excluded",
    "weight": "the hidden fact `weight`, else 1: for analyses of your own, since our figures count units alike",
}
RESPONSE: Mapping[str, str] = {
    "at": "when it was submitted, in UTC",
    "seconds": "how long it took",
    "shown_in": "the language in which the page was shown, such as de; empty: nobody said",
}


@dataclass(frozen=True)
class TableSchema:
    """One table: what a row is, and the columns of its own with what they mean."""

    name: str
    row: str
    columns: Mapping[str, str]

    @property
    def all_columns(self) -> tuple[str, ...]:
        return (*SHARED, *self.columns)


TEXTS = TableSchema(
    "texts",
    "a text of a unit, whether or not anybody has answered",
    {
        "role": "which text of the unit: `text`, or `a`, `b` and so on in comparisons",
        "language": "its language, where it was said",
        "characters": "its length",
        "tokens": "its length in tokens",
        "sentences": "its length in sentences",
        "introduced": "how many errors were introduced into it on purpose",
        "responses": "how many answers count",
        "text": "the text itself",
    },
)
RATINGS = TableSchema(
    "ratings",
    "an answer that is a number, or an option with a number",
    {
        "label": "the option, or the number as it was written",
        "value": "the number",
        "scale_low": "the smallest number that the question takes, where it has one",
        "scale_high": "the largest",
        **RESPONSE,
    },
)
CHOICES = TableSchema(
    "choices",
    "an option that was chosen; for questions that take several, each option with whether it was chosen",
    {"label": "the option", "chosen": "whether it was chosen", **RESPONSE},
)
SPANS = TableSchema(
    "spans",
    "a marked passage; where somebody looked and marked nothing, one row with an empty start",
    {
        "role": "which text of the unit",
        "id": "the mark's own name within the answer",
        "start": "its first token, counted from 0",
        "end": "the token after its last",
        "start_character": "its first character",
        "end_character": "the character after its last",
        "marked": "the marked words",
        "label": "its category; finer ones after a dot",
        "severity": "how bad it is, where the protocol asks",
        "error_weight": "how much it counts among errors, where the protocol says",
        "correction": "what should stand there",
        "deletes": "whether the correction is to delete the words",
        "explanation": "why it was marked",
        "links": "passages that belong to it, as role:start-end",
        "introduced": "whether it lies on an error that was introduced on purpose",
        "suggested": "the suggestion that it came from",
        "tokens": "how many tokens the text has",
        **RESPONSE,
    },
)
COMPARISONS = TableSchema(
    "comparisons",
    "two texts of which one was preferred; the best and the worst of four are five such rows",
    {
        "a": "the system of the first of the two roles",
        "b": "the system of the second",
        "first": "which of the two was shown first: a or b; empty: nobody knows",
        "preferred": "which was preferred: a, b or tie",
        "winner": "the system that was preferred; empty for a tie",
        "role_a": "which text of the unit the first of the two is",
        "role_b": "which text the second is",
        **RESPONSE,
    },
)
WORDS = TableSchema("words", "a free-text answer", {"words": "what was written", **RESPONSE})
PEOPLE = TableSchema(
    "people",
    "an annotator, with all that they answered",
    {
        "state": "invited, active, paused or excluded",
        "joined": "when they joined",
        "responses": "how many answers of theirs count",
        "test_questions": "how many test questions they answered",
        "seconds_median": "median time of an answer, test questions included",
        "seconds_total": "time of all answers, test questions included",
        "first_at": "when they first answered",
        "last_at": "when they last answered",
    },
)
TABLES: Mapping[str, TableSchema] = {
    one.name: one for one in (TEXTS, RATINGS, CHOICES, SPANS, COMPARISONS, WORDS, PEOPLE)
}
LONGEST_FACT = 100  # characters; a longer hidden fact, such as a reference, stands in `texts` only
