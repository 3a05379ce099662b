"""What an annotator's page receives of a protocol: everything it needs to draw and to check, as plain data."""

from __future__ import annotations

from typing import Any

from goldmark.protocols.language import Protocol


def present(protocol: Protocol) -> dict[str, Any]:
    """The protocol for the page. Ready to be written as JSON, and safe to be shown."""
    return {
        "protocol": protocol.id,
        "title": protocol.title,
        "summary": protocol.summary,
        "instructions_html": to_html(protocol.instructions),
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
