"""What an annotator's page receives of a protocol: everything it needs to draw and to check, as plain data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from goldmark.protocols.language import Protocol

SHOWN = frozenset({"ask", "help", "otherwise", "summary", "title"})  # keys whose words people read


def present(protocol: Protocol, language: str = "") -> dict[str, Any]:
    """The protocol for the page. Ready to be written as JSON, and safe to be shown."""
    words = protocol.words_in(language)
    shown: dict[str, Any] = _presented(protocol)
    if words:
        shown = _translated(shown, words)
    instructions = words.get(protocol.instructions, protocol.instructions)
    return {**shown, "instructions_html": to_html(instructions)}


def _translated(value: Any, words: Mapping[str, str], key: str = "") -> Any:
    """The same with what people read in other words; nothing that an answer names changes."""
    if isinstance(value, Mapping):
        return {name: _translated(one, words, name) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_translated(one, words) for one in value]
    return words.get(value, value) if key in SHOWN and isinstance(value, str) else value


def words_of(protocol: Protocol) -> Iterator[str]:
    """Everything that people read of it at work, in its order, but for the instructions."""
    yield from _words(_presented(protocol))


def taught_words(protocol: Protocol) -> Iterator[str]:
    """What they read in training and qualification, but for the texts that they judge."""
    for part in (one for parts in protocol.file.training.values() for one in parts):
        yield from (one for one in (part.title, part.instructions or "") if one.strip())
        explained = [one.explanation for one in (*(part.examples or ()), *(part.practice or ()))]
        explained += [one.explanation for one in (part.comparison.pairs if part.comparison else ())]
        yield from (one for one in explained if one.strip())
    test = protocol.file.qualification
    if test is not None:
        yield from (one for one in (test.instructions, test.thanks) if one.strip())


def _words(value: Any, key: str = "") -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, one in value.items():
            yield from _words(one, name)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _words(one)
    elif key in SHOWN and isinstance(value, str) and value.strip():
        yield value


def _presented(protocol: Protocol) -> dict[str, Any]:
    return {
        "protocol": protocol.id,
        "title": protocol.title,
        "summary": protocol.summary,
        "texts": list(protocol.texts),
        "steps": [
            {
                "id": step.id or f"step{number}",
                "title": step.title,
                "when": None if step.when is None else step.when.tree,
                "locks": step.locks,
                "questions": [question.present(protocol.around) for question in step.questions],
            }
            for number, step in enumerate(protocol.steps, start=1)
        ],
    }


def to_html(markdown: str) -> str:
    """Markdown as HTML without anything that could run, load or leave the page unasked."""
    import nh3
    from markdown_it import MarkdownIt

    html = MarkdownIt("commonmark", {"html": False}).enable("table").render(markdown)
    # No images: a protocol from elsewhere must not make annotators' browsers call home.
    return nh3.clean(html, tags=nh3.ALLOWED_TAGS - {"img", "map", "area"}, url_schemes={"http", "https", "mailto"})
