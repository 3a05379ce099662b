"""A format: final answers as a document to read."""

from __future__ import annotations

from collections.abc import Iterator

from goldmark.exchange.format import Format
from goldmark.records.campaigns import CampaignRecord


def write(record: CampaignRecord, question: str | None) -> Iterator[tuple[str, bytes]]:
    """One file: every text, and what people answered under it."""
    lines: list[str] = []
    for unit in record.units:
        lines.append(f"## {unit.id}\n")
        lines += [f"> {one.text.characters}\n" for one in unit.shown.texts.values()]
        for response in record.final_responses():
            if response.unit == unit.id:
                said = "; ".join(f"{name}: {answer}" for name, answer in response.answers.items())
                lines.append(f"- **{response.annotator}** {said}")
    yield "answers.md", "\n".join([*lines, ""]).encode()


MARKDOWN = Format("markdown", "final answers as a document to read", write, single=True)
