"""A unit: what one annotator judges at once, parted into what is shown and what stays hidden.

Annotators receive only what `ShownUnit.to_json` makes. `ShownUnit` has no hidden field, and its JSON holds neither the
id of a text nor anything else that might reveal which system wrote it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import starmap
from typing import Any, Literal, cast, get_args
from urllib.parse import urlsplit

from goldmark.errors import GoldmarkError
from goldmark.records.spans import Span, shared_span
from goldmark.records.tables import Cell
from goldmark.records.texts import Text


class UnsafeLink(GoldmarkError):
    code = "UNIT-01"
    message = 'the link "{url}" is not a web address; it must begin with http:// or https:// and name a host'


class SpanOutsideText(GoldmarkError):
    code = "UNIT-02"
    message = "{what} {start}-{end} runs past the text, which has {tokens} tokens"


class PromptNotLeading(GoldmarkError):
    code = "UNIT-03"
    message = "the prompt starts at token {start}; a prompt is the beginning of its text, so it must start at token 0"


class UnevenRow(GoldmarkError):
    code = "UNIT-04"
    message = 'row {row} of the table "{title}" has {cells} cells, but the table has {columns} columns'


class NotAUnit(GoldmarkError):
    code = "UNIT-05"
    message = "this is not a unit as Goldmark stores it: {reason}"


@dataclass(frozen=True, slots=True)
class ContextText:
    """A text to read beside the one that is judged: a source, a reference, a question."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class ContextTable:
    """Data to check the text against, such as a box score."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def __post_init__(self) -> None:
        for number, row in enumerate(self.rows, start=1):
            if len(row) != len(self.columns):
                raise UnevenRow(row=number, title=self.title, cells=len(row), columns=len(self.columns))


@dataclass(frozen=True, slots=True)
class ContextLink:
    """A page that the annotator may open; only http and https, because a link can otherwise run a script."""

    title: str
    url: str

    def __post_init__(self) -> None:
        try:
            parts = urlsplit(self.url)
        except ValueError:
            raise UnsafeLink(url=self.url) from None
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise UnsafeLink(url=self.url)


ContextItem = ContextText | ContextTable | ContextLink


@dataclass(frozen=True, slots=True)
class GivenMark:
    """A mark drawn on the text before the annotator starts, such as the error to verify; it cannot be changed."""

    start: int
    end: int
    label: str = ""

    def __post_init__(self) -> None:
        Span(self.start, self.end)

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)


@dataclass(frozen=True, slots=True)
class Suggested:
    """A mark that somebody else proposes, such as a checker: the annotator accepts, changes or dismisses it.

    `attributes` are what it says of the passage, under the names that the protocol gives them: correction, comment.
    """

    id: str
    start: int
    end: int
    label: str = ""
    attributes: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        Span(self.start, self.end)

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)

    def to_json(self) -> dict[str, Any]:
        """The mark as it would stand in an answer, but for its own id."""
        return {"id": self.id, "start": self.start, "end": self.end, "label": self.label, **self.attributes}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Suggested:
        rest = {key: value for key, value in data.items() if key not in ("id", "start", "end", "label")}
        return cls(_string(data["id"]), data["start"], data["end"], _string(data.get("label", "")), rest)


@dataclass(frozen=True, slots=True)
class ShownText:
    """A text as an annotator sees it; all spans are of tokens."""

    text: Text
    prompt: Span | None = None  # leading tokens, shown bold and not judged
    focus: Span | None = None  # tokens shown at first, the rest on request
    given: tuple[GivenMark, ...] = ()
    language: str = ""  # a BCP 47 tag such as "ar", or nothing
    suggested: tuple[Suggested, ...] = ()

    def __post_init__(self) -> None:
        if self.prompt is not None and self.prompt.start != 0:
            raise PromptNotLeading(start=self.prompt.start)
        marks: list[tuple[str, Span | GivenMark | Suggested | None]] = [
            ("the prompt", self.prompt),
            ("the focus", self.focus),
            *(("the given mark", mark) for mark in self.given),
            *(("the suggestion", mark) for mark in self.suggested),
        ]
        for what, span in marks:
            if span is not None and span.end > len(self.text.tokens):
                raise SpanOutsideText(what=what, start=span.start, end=span.end, tokens=len(self.text.tokens))

    def to_json(self) -> dict[str, Any]:
        """What a page receives and the store keeps: without the text's id, which may reveal its system."""
        return {
            "characters": self.text.characters,
            "tokens": [[token.start, token.end] for token in self.text.tokens],
            "sentences": [[sentence.start, sentence.end] for sentence in self.text.sentences],
            "prompt": None if self.prompt is None else [self.prompt.start, self.prompt.end],
            "focus": None if self.focus is None else [self.focus.start, self.focus.end],
            "given": [{"start": mark.start, "end": mark.end, "label": mark.label} for mark in self.given],
            "language": self.language,
            # Only where there are any, so that units without them are stored and sent as they always were.
            **({"suggested": [mark.to_json() for mark in self.suggested]} if self.suggested else {}),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any], *, id: str, tokeniser: str = "given") -> ShownText:  # noqa: A002
        try:
            text = Text(id, _string(data["characters"]), _spans(data["tokens"]), _spans(data["sentences"]), tokeniser)
            return cls(
                text,
                prompt=_span(data.get("prompt")),
                focus=_span(data.get("focus")),
                given=tuple(
                    GivenMark(mark["start"], mark["end"], mark.get("label", "")) for mark in data.get("given", [])
                ),
                language=_string(data.get("language", "")),
                suggested=tuple(Suggested.from_json(mark) for mark in data.get("suggested", [])),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise NotAUnit(reason=f"its text cannot be read ({error!r})") from error


@dataclass(frozen=True, slots=True)
class TextSurface:
    """How long a text is and where its judged part begins."""

    characters: str
    tokens: int
    prompt_tokens: int
    prompt_characters: int
    suggested: tuple[str, ...] = ()  # ids of the suggestions on it
    places: Sequence[Sequence[int]] = ()  # of every token its first character and the one after its last


@dataclass(frozen=True, slots=True)
class Surface:
    """What an answer can refer to in a unit. To check an answer no token is needed, only how many there are."""

    texts: Mapping[str, TextSurface]
    context: tuple[str, ...]  # the texts beside it

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Surface:
        """From what `ShownUnit.to_json` wrote, without making an object for every token."""
        texts = {}
        for role, text in data["texts"].items():
            tokens, prompt = text["tokens"], text.get("prompt")
            ends = prompt[1] if prompt else 0
            suggested = tuple(mark["id"] for mark in text.get("suggested", ()))
            judged_from = tokens[ends - 1][1] if ends else 0
            texts[role] = TextSurface(text["characters"], len(tokens), ends, judged_from, suggested, tokens)
        return cls(texts, tuple(item["text"] for item in data.get("context", ()) if item["kind"] == "text"))


@dataclass(frozen=True, slots=True)
class ShownUnit:
    """All that an annotator may receive of a unit. It has no hidden field, and must never get one.

    `texts` maps a role to its text: "text" alone, or "a" and "b" for a comparison.
    """

    texts: Mapping[str, ShownText]
    context: tuple[ContextItem, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The exact JSON that an annotator's page receives and the store keeps."""
        return {
            "texts": {role: shown.to_json() for role, shown in self.texts.items()},
            "context": [context_to_json(item) for item in self.context],
        }

    def surface(self) -> Surface:
        """What an answer can refer to."""
        return Surface(
            {
                role: TextSurface(
                    shown.text.characters,
                    len(shown.text.tokens),
                    shown.prompt.end if shown.prompt else 0,
                    shown.text.tokens[shown.prompt.end - 1].end if shown.prompt else 0,
                    tuple(mark.id for mark in shown.suggested),
                    shown.text.places,
                )
                for role, shown in self.texts.items()
            },
            tuple(item.text for item in self.context if isinstance(item, ContextText)),
        )

    @classmethod
    def from_json(
        cls,
        data: Mapping[str, Any],
        *,
        id: str = "",  # noqa: A002
        tokenisers: Mapping[str, str] | None = None,
    ) -> ShownUnit:
        """Read back what `to_json` wrote; `id` is the unit's, from which the texts' ids follow."""
        known = tokenisers or {}
        try:
            texts, context = dict(data["texts"]), list(data.get("context", []))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise NotAUnit(reason=f"its texts or its context are missing ({error!r})") from error
        return cls(
            {
                role: ShownText.from_json(text, id=text_id(id, role), tokeniser=known.get(role, "given"))
                for role, text in texts.items()
            },
            tuple(context_from_json(item) for item in context),
        )


Sign = Literal["positive", "negative"]
SIGNS: tuple[Sign, ...] = get_args(Sign)


def sign_of(hidden: Mapping[str, Any]) -> Sign | None:
    """Whether a unit with these hidden facts is a test question: one with a good output, or one with a bad output.

    Answers to test questions are never results.
    """
    said = hidden.get("test")
    if said in ("introduced", "negative"):
        return "negative"
    return "positive" if said == "positive" else None


@dataclass(frozen=True, slots=True)
class Unit:
    """What one annotator judges at once, and what only managers know of it: the system, expected answers, notes."""

    id: str
    shown: ShownUnit
    hidden: Mapping[str, object] = field(default_factory=dict)


def shown_and_hidden(units: Iterable[Unit]) -> tuple[list[str], list[str]]:
    """What people see beside the texts of these units, and what is hidden from them, by name."""
    shown: set[str] = set()
    hidden: set[str] = set()
    for unit in units:
        shown.update(item.title for item in unit.shown.context)
        hidden.update(unit.hidden)
    return sorted(shown), sorted(hidden)


def text_id(unit: str, role: str) -> str:
    """The id of a unit's text: the unit's own for its only text, and unit/role where there are two."""
    return unit if role == "text" else f"{unit}/{role}"


def context_to_json(item: ContextItem) -> dict[str, Any]:
    match item:
        case ContextText(title, text):
            return {"kind": "text", "title": title, "text": text}
        case ContextTable(title, columns, rows):
            return {"kind": "table", "title": title, "columns": list(columns), "rows": [list(row) for row in rows]}
        case ContextLink(title, url):
            return {"kind": "link", "title": title, "url": url}


def context_from_json(data: Mapping[str, Any]) -> ContextItem:
    """Read one item of context; the kind says which, and anything else than text, table or link is refused."""
    try:
        kind, title = data["kind"], _string(data.get("title", ""))
        if kind == "text":
            return ContextText(title, _string(data["text"]))
        if kind == "table":
            columns, rows = data["columns"], data["rows"]
            if not isinstance(columns, list) or not all(isinstance(row, list) for row in rows):
                raise TypeError("columns and rows must be lists")
            return ContextTable(title, tuple(_string(name) for name in columns), tuple(_cells(row) for row in rows))
        if kind == "link":
            return ContextLink(title, _string(data["url"]))
    except (KeyError, TypeError, AttributeError) as error:
        raise NotAUnit(reason=f"an item of its context cannot be read ({error!r})") from error
    raise NotAUnit(reason=f'its context has an item of kind "{kind}"; the kinds are text, table and link')


def _cells(row: Sequence[object]) -> tuple[Cell, ...]:
    for cell in row:
        if cell is not None and not isinstance(cell, str | int | float | bool):
            raise TypeError("a cell is text, a number, true, false or empty")
    return tuple(cast(Sequence[Cell], row))


def _string(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not text")
    return value


def _spans(pairs: Sequence[Sequence[int]]) -> tuple[Span, ...]:
    return tuple(starmap(shared_span, pairs))


def _span(pair: Sequence[int] | None) -> Span | None:
    return None if pair is None else Span(*pair)
