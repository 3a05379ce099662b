"""A released text as one row; every row has the same keys, so that any tool reads them without being told."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from goldmark.datasets.release.selection import SelectedReading
from goldmark.datasets.sources.readings import MarkedError, Reading, ReadText
from goldmark.texts.segmentation.tokens import TOKENISERS, find_tokeniser

# What every column means: written into the data card, and checked by `goldmark dataset check`.
COLUMNS: dict[str, tuple[str, str]] = {
    "id": ("text", "the text's id, unique in the dataset"),
    "text": ("text", "the text as it was judged"),
    "language": ("text", "its language as a BCP 47 tag, or empty"),
    "system": ("text", "which system wrote it, or empty"),
    "item": ("text", "what it is about, or empty; texts about the same item are in the same split"),
    "tokens": ("list of text", "its tokens"),
    "starts": ("list of numbers", "the character at which each token begins"),
    "tokeniser": ("text", "how the tokens were made"),
    "prompt": ("number", "how many leading tokens the system was given"),
    "erroneous": ("truth", "whether it has an error"),
    "errors": ("list", "its errors, from left to right"),
    "corrected": ("text or null", "the text with every error corrected; null where a correction is missing"),
    "context": ("list", "what was shown beside it: title, text"),
    "annotators": ("list of text", "pseudonyms of the people whose answers it rests on"),
    "readings": ("number", "how many people read it"),
    "basis": ("text", "why this answer was chosen: gold, approved, only, vote, first or all"),
}
ERROR: dict[str, tuple[str, str]] = {
    "id": ("text", "unique within its text"),
    "start": ("number", "its first token, counted from 0"),
    "end": ("number", "the token after its last"),
    "text": ("text", "its characters"),
    "label": ("text", "the whole label, such as missing.object"),
    "type": ("text", "the first level of the label"),
    "subtype": ("text", "what follows it, or empty"),
    "correction": ("text or null", "what should stand there; empty to delete it, null where nobody said"),
    "rationale": ("text", "why it is wrong, or empty"),
    "associated": ("list", "passages that belong to it: role, start, end, text"),
    "attributes": ("list", "whatever else was asked of it: name, value"),
}
READING: dict[str, tuple[str, str]] = {
    "id": ("text", "the text's id"),
    "annotator": ("text", "the pseudonym of the person"),
    "discarded": ("text", "the answer that set the text aside, or empty"),
    "erroneous": ("truth", "whether they found an error"),
    "errors": ("list", "the errors they marked"),
}
Words = Callable[[str], list[str]]


def row_of(text: ReadText, chosen: SelectedReading, id: str) -> dict[str, Any]:  # noqa: A002
    """A text and the reading that counts, with people's own names still in it."""
    errors = sorted(chosen.reading.errors, key=lambda one: (one.start, one.end))
    return {
        "id": id,
        "text": text.characters,
        "language": text.language,
        "system": text.system,
        "item": text.item,
        "tokens": [text.characters[start:end] for start, end in text.tokens],
        "starts": [start for start, _ in text.tokens],
        "tokeniser": text.tokeniser,
        "prompt": text.prompt,
        "erroneous": bool(errors),
        "errors": [_error(one, text) for one in errors],
        "corrected": corrected(text.characters, text.tokens, errors),
        "context": [{"title": title, "text": content} for title, content in text.context],
        "annotators": list(chosen.annotators),
        "readings": len(text.readings),
        "basis": chosen.basis,
    }


def reading_row(text: ReadText, reading: Reading) -> dict[str, Any]:
    """One person's own answer to a text that several people read."""
    errors = sorted(reading.errors, key=lambda one: (one.start, one.end))
    return {
        "id": text.id,
        "annotator": reading.annotator,
        "discarded": reading.discarded,
        "erroneous": bool(errors),
        "errors": [_error(one, text) for one in errors],
    }


def _error(one: MarkedError, text: ReadText) -> dict[str, Any]:
    return {
        "id": one.id,
        "start": one.start,
        "end": one.end,
        "text": text.slice(one.start, one.end),
        "label": one.label,
        "type": one.type,
        "subtype": one.subtype,
        "correction": one.correction,
        "rationale": one.rationale,
        "associated": [
            {"role": two.role, "start": two.start, "end": two.end, "text": text.slice(two.start, two.end)}
            for two in one.associated
        ],
        "attributes": [{"name": name, "value": value} for name, value in one.attributes],
    }


def corrected(characters: str, tokens: Sequence[Sequence[int]], errors: Iterable[MarkedError]) -> str | None:
    """The text with all its corrections; None if one is missing or two errors overlap, so that nobody can say how."""
    pieces: list[str] = []
    place, last = 0, 0
    for error in sorted(errors, key=lambda one: (one.start, one.end)):
        if error.correction is None or error.start < last:
            return None
        start, end = tokens[error.start][0], tokens[error.end - 1][1]
        if not error.correction:
            # With a word goes the space before it, so that none is left double; at the beginning, the one after it.
            while start > place and characters[start - 1].isspace():
                start -= 1
            while start == 0 and end < len(characters) and characters[end].isspace():
                end += 1
        pieces += (characters[place:start], error.correction)
        place, last = end, error.end
    return "".join(pieces) + characters[place:]


def words_with(tokeniser: str) -> Words:
    """How to cut new text (a correction, a rationale) in the manner of a dataset whose tokens were made so."""
    cut = find_tokeniser(tokeniser if tokeniser in TOKENISERS and tokeniser != "given" else "rules")
    return lambda text: [text[span.start : span.end] for span in cut(text)]


def corrected_tokens(row: Mapping[str, Any], words: Words) -> list[str]:
    """A row's tokens with its corrections cut into words and put in their places."""
    tokens: list[str] = list(row["tokens"])
    for error in sorted(row["errors"], key=lambda one: -int(one["start"])):
        tokens[error["start"] : error["end"]] = words(error["correction"] or "")
    return tokens


def arrow_schema() -> dict[str, Any]:
    """The types of the columns, so that a file without any error still has them."""
    import polars

    span: dict[str, Any] = {"role": polars.String, "start": polars.Int64, "end": polars.Int64, "text": polars.String}
    error: dict[str, Any] = {
        **dict.fromkeys(ERROR, polars.String),
        "start": polars.Int64,
        "end": polars.Int64,
        "associated": polars.List(polars.Struct(span)),
        "attributes": polars.List(polars.Struct({"name": polars.String, "value": polars.String})),
    }
    of_kind: dict[str, Any] = {
        "text": polars.String,
        "text or null": polars.String,
        "number": polars.Int64,
        "truth": polars.Boolean,
        "list of text": polars.List(polars.String),
        "list of numbers": polars.List(polars.Int64),
    }
    return {
        name: of_kind[kind]
        if kind != "list"
        else polars.List(polars.Struct(error))
        if name == "errors"
        else polars.List(polars.Struct({"title": polars.String, "text": polars.String}))
        for name, (kind, _) in COLUMNS.items()
    }
