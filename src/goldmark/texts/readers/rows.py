"""One row of a file becomes one unit. What the row does not call by a known key is hidden from annotators."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from goldmark.errors import GoldmarkError, Problem
from goldmark.records.spans import Span
from goldmark.records.units import (
    ContextItem,
    ContextLink,
    ContextText,
    GivenMark,
    ShownText,
    ShownUnit,
    Suggested,
    Unit,
    context_from_json,
    text_id,
)
from goldmark.texts.segmentation.text import check_characters, check_characters_in, check_length, make_text

KNOWN = frozenset(
    ("id", "text", "a", "b", "tokens", "sentences", "prompt", "focus", "given", "suggested", "language", "context")
)
ROLES = ("text", "a", "b")
SEVERAL = "texts"  # three texts or more, by role; beside one or two texts it is a hidden fact like any other
LETTERS = "abcde"

_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
_ADDRESS = re.compile(r"https?://\S+")


class BadRow(GoldmarkError):
    code = "ROW-01"
    message = "{reason}"


class PromptDoesNotFit(GoldmarkError):
    code = "ROW-02"
    message = "{reason}"


@dataclass(frozen=True)
class Row:
    """A row as it was read, and where it stood."""

    where: str  # file:line
    values: Mapping[str, Any]


@dataclass(frozen=True)
class SegmentationRules:
    """How texts without given tokens or sentences are read."""

    tokeniser: str = "rules"
    sentences: str = "rules"


def unit_from_row(row: Row, rules: SegmentationRules, problems: list[Problem]) -> Unit | None:
    """The unit of a row, or None and everything that is wrong with the row in `problems`."""
    before = len(problems)

    def noting(part: str) -> _Noting:
        return _Noting(part, row.where, problems, before)

    values = {key: value for key, value in row.values.items() if value is not None or key not in KNOWN}
    several: Mapping[str, Any] = {}
    with noting(SEVERAL):
        several = _several(values)
    if several:
        values = {**{key: value for key, value in values.items() if key != SEVERAL}, **several}
    roles = tuple(several) or _roles(values, row.where, problems)
    identity = ""
    texts: dict[str, ShownText] = {}
    context: tuple[ContextItem, ...] = ()
    with noting("id"):
        identity = _id(values)
    for role in roles:
        with noting(role):
            texts[role] = _shown(values, role, identity, rules, roles)
    with noting("context"):
        context = context_from(values.get("context"))
    hidden = {key: value for key, value in values.items() if key not in KNOWN and key not in several}
    for key, value in hidden.items():
        with noting(key):
            check_length(value, f'"{key}"')
            check_characters_in(value, f'"{key}"')
            check_characters(key, "a key")
    if len(problems) > before:
        return None
    return Unit(identity, ShownUnit(texts, context), hidden)


class _Noting:
    """Takes down what is wrong inside of it, each thing once: texts that are compared share some keys.

    A class, since there are several of them for every row of a million.
    """

    __slots__ = ("_before", "_part", "_problems", "_where")

    def __init__(self, part: str, where: str, problems: list[Problem], before: int) -> None:
        self._part, self._where, self._problems, self._before = part, where, problems, before

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if not isinstance(error, GoldmarkError):
            return False
        if all(str(error) != known.what for known in self._problems[self._before :]):
            self._problems.append(Problem(self._where, str(error), part=self._part))
        return True


def context_from(value: object) -> tuple[ContextItem, ...]:
    """Context as a list of items with kind and title, or as a mapping from title to text, address or table."""
    if value is None:
        return ()
    check_length(value, "the context")
    check_characters_in(value, "the context")
    if isinstance(value, list):
        return tuple(context_from_json(item) for item in value)
    if isinstance(value, dict):
        return tuple(context_item(title, content) for title, content in value.items())
    raise BadRow(reason=f'"context" is {_kind(value)}; it must be a list of items, or a mapping from title to content')


def context_item(title: str, content: object) -> ContextItem:
    """An item by its content: an address becomes a link, other text a text, columns and rows a table."""
    if isinstance(content, str):
        return ContextLink(title, content) if _ADDRESS.fullmatch(content) else ContextText(title, content)
    if isinstance(content, dict) and {"columns", "rows"} <= set(content):
        return context_from_json({"kind": "table", "title": title, **content})
    raise BadRow(reason=f'the context "{title}" is {_kind(content)}; it must be text, an address, or columns and rows')


def _id(values: Mapping[str, Any]) -> str:
    value = values.get("id")
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if value is None or value == "":
        raise BadRow(reason='the row has no "id"; give every row an id of its own')
    if not isinstance(value, str):
        raise BadRow(reason=f'"id" is {_kind(value)}; it must be text or a whole number')
    check_length(value, "the id")
    check_characters(value, "the id")
    control = not value.isprintable() and any(unicodedata.category(mark) == "Cc" for mark in value)
    if control or value != value.strip() or len(value) > 200:
        raise BadRow(reason=f'the id "{value[:60]}" has spaces around it, control characters or more than 200 letters')
    return value


def _several(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Three texts or more: a list, which is then called a, b, c and so on, or a mapping from such letters."""
    if SEVERAL not in values or any(role in values for role in ROLES) or isinstance(values.get("tokens"), list):
        return {}
    given = values[SEVERAL]
    if isinstance(given, list):
        given = dict(zip(LETTERS, given, strict=False)) if len(given) <= len(LETTERS) else {}
    if not isinstance(given, dict) or not 3 <= len(given) <= len(LETTERS) or list(given) != list(LETTERS[: len(given)]):
        raise BadRow(reason='"texts" must be a list of three to five texts, or a mapping from a, b, c and so on')
    twice = [role for role in given if role in values]
    if twice:
        raise BadRow(reason=f'"{twice[0]}" is one of the texts and stands beside them as well')
    return given


def _roles(values: Mapping[str, Any], where: str, problems: list[Problem]) -> tuple[str, ...]:
    present = tuple(role for role in ROLES if role in values)
    if present == ("a", "b") or present == ("text",):
        return present
    if not present and "tokens" in values:
        return ("a", "b") if isinstance(values["tokens"], dict) else ("text",)
    found = " and ".join(f'"{role}"' for role in present) or "no text"
    remedy = 'give "text", both "a" and "b" for a comparison, or three and more as "texts"'
    problems.append(Problem(where, f"the row has {found}", remedy, "text"))
    return ()


def _shown(
    values: Mapping[str, Any], role: str, identity: str, rules: SegmentationRules, roles: Sequence[str]
) -> ShownText:
    characters = _text(values.get(role), role)
    words = _words(_for_role(values, "tokens", role, roles))
    sentences = _for_role(values, "sentences", role, roles)
    spans = None if sentences is None else tuple(_span(pair, "sentences") for pair in _list(sentences, "sentences"))
    text = make_text(
        text_id(identity, role),
        characters,
        tokeniser=rules.tokeniser,
        sentences=rules.sentences,
        tokens=words,
        sentence_spans=spans,
    )
    focus = _for_role(values, "focus", role, roles)
    return ShownText(
        text,
        prompt=_prompt(_for_role(values, "prompt", role, roles, shared=True), text.characters, text.tokens),
        focus=None if focus is None else _span(focus, "focus"),
        given=tuple(_given(mark) for mark in _list(_for_role(values, "given", role, roles) or [], "given")),
        language=_language(_for_role(values, "language", role, roles, shared=True)),
        suggested=_suggested(_list(_for_role(values, "suggested", role, roles) or [], "suggested")),
    )


def _for_role(values: Mapping[str, Any], key: str, role: str, roles: Sequence[str], *, shared: bool = False) -> Any:
    """The value for one text; in a comparison it is a mapping from roles, or one value for all if `shared`."""
    value = values.get(key)
    if role == "text" or value is None:
        return value
    if isinstance(value, dict):
        unknown = set(value) - set(roles)
        if unknown:
            known = " and ".join((", ".join(roles[:-1]), roles[-1]))
            raise BadRow(reason=f'"{key}" is given for {", ".join(sorted(unknown))}; the texts are called {known}')
        return value.get(role)
    if shared:
        return value
    raise BadRow(reason=f'"{key}" must say which text it means: {{"a": ..., "b": ...}}')


def _prompt(value: object, characters: str, tokens: tuple[Span, ...]) -> Span | None:
    if value is None or value == "":
        return None
    if isinstance(value, int) and not isinstance(value, bool):
        if not 0 < value <= len(tokens):
            raise PromptDoesNotFit(reason=f"the prompt is {value} tokens long, and the text {len(tokens)}")
        return Span(0, value)
    prompt = _text(value, "prompt", "the beginning of the text, or a number of tokens") or ""
    if not characters.startswith(prompt):
        raise PromptDoesNotFit(
            reason=f'the text does not begin with its prompt: "{_short(prompt)}" is not "{_short(characters)}"; '
            "a prompt is the beginning of the text, letter by letter; what a text answers (a question, a request) "
            "is shown beside it when it stands in the context"
        )
    end = len(prompt.rstrip())
    count = sum(token.start < end for token in tokens)
    if not count:
        return None
    if tokens[count - 1].end != end:
        word = characters[tokens[count - 1].start : tokens[count - 1].end]
        raise PromptDoesNotFit(
            reason=f'the prompt ends inside the token "{_short(word)}"; end it between tokens, choose another '
            "tokeniser, or give the prompt as a number of tokens"
        )
    return Span(0, count)


def _given(value: object) -> GivenMark:
    if isinstance(value, dict) and set(value) <= {"start", "end", "label"} and {"start", "end"} <= set(value):
        span = _span([value["start"], value["end"]], "given")
        return GivenMark(span.start, span.end, _text(value.get("label"), "label") or "")
    raise BadRow(reason='"given" must be a list of {"start": token, "end": token after the last, "label": text}')


def _suggested(marks: list[Any]) -> tuple[Suggested, ...]:
    """Marks that the annotator will accept, change or dismiss; without ids of their own they are s1, s2, ..."""
    found = []
    for number, value in enumerate(marks, start=1):
        if not isinstance(value, dict) or not {"start", "end"} <= set(value):
            raise BadRow(
                reason='"suggested" must be a list of {"start": token, "end": token after the last, "label": text} '
                "and what else the protocol asks of a mark"
            )
        check_characters_in(value, '"suggested"')
        span = _span([value["start"], value["end"]], "suggested")
        rest = {key: inner for key, inner in value.items() if key not in ("id", "start", "end", "label")}
        name, label = _text(value.get("id"), "id") or f"s{number}", _text(value.get("label"), "label") or ""
        found.append(Suggested(name, span.start, span.end, label, rest))
    if len({mark.id for mark in found}) < len(found):
        raise BadRow(reason="two suggestions have the same id; give each its own, or none")
    return tuple(found)


def _language(value: object) -> str:
    if value is None or value == "":
        return ""
    if isinstance(value, str) and _LANGUAGE.fullmatch(value):
        return value
    raise BadRow(reason=f'the language is {_short(str(value))!r}; it must be a tag such as "en", "ar" or "zh-Hans"')


def _words(value: object) -> list[str] | None:
    if value is None:
        return None
    words = _list(value, "tokens")
    for word in words:
        if not isinstance(word, str):
            raise BadRow(reason=f'"tokens" holds {_kind(word)}; every token must be text')
    return words


def _list(value: object, key: str) -> list[Any]:
    if not isinstance(value, list):
        raise BadRow(reason=f'"{key}" is {_kind(value)}; it must be a list')
    return value


def _span(pair: object, key: str) -> Span:
    match pair:
        case [int() as start, int() as end] if not isinstance(start, bool) and not isinstance(end, bool):
            return Span(start, end)
    raise BadRow(reason=f'"{key}" must be given as [first token, token after the last]')


def _text(value: object, key: str, wanted: str = "text") -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise BadRow(reason=f'"{key}" is {_kind(value)}; it must be {wanted}')


_KINDS: tuple[tuple[type, str], ...] = (
    (bool, "true or false"),
    (str, "text"),
    (int, "a number"),
    (float, "a number"),
    (list, "a list"),
    (dict, "a mapping"),
    (type(None), "empty"),
)


def _kind(value: object) -> str:
    return next((name for kind, name in _KINDS if isinstance(value, kind)), type(value).__name__)


def _short(value: str) -> str:
    return value if len(value) <= 40 else f"{value[:40]}…"
