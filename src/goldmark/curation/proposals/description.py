"""A proposal as plain data, with words beside positions: what `--json` prints and what a curator's page draws."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from goldmark.curation.gold_lists.files import Change
from goldmark.records.gold import AnnotatorReport, GoldMistake, GoldText, by_name
from goldmark.records.mistakes import Mistake
from goldmark.records.spans import Span
from goldmark.records.tables import Cell, Table
from goldmark.records.texts import Text
from goldmark.texts.readers.gsml import words_of


def described_text(gold: GoldText, text: Text) -> dict[str, object]:
    """One text's gold mistakes with everybody's marks under them, and the reports that are in none of them."""
    return {
        "text": gold.text_id,
        "version": gold.version,
        "annotators": list(gold.annotators),
        "mistakes": [described_mistake(one, text) for one in gold.mistakes],
        "left_out": [
            {
                "start": one.span.start,
                "end": one.span.end,
                "tokens": words_of(text, one.span),
                "labels": list(one.labels),
                "sources": [_source(source, text) for source in one.sources],
            }
            for one in gold.left_out
        ],
    }


def described_mistake(one: GoldMistake, text: Text) -> dict[str, object]:
    return {
        "text": one.text_id,
        "id": one.id,
        "start": one.span.start,
        "end": one.span.end,
        "sentence": text.sentence_of(one.span.start),
        "tokens": words_of(text, one.span),
        "label": one.label,
        "correction": one.correction,
        "comment": one.comment,
        "found_by": one.found_by,
        "label_agreed_by": one.label_agreed_by,
        "span_agreed_by": one.span_agreed_by,
        "annotators": one.annotators,
        "unanimous": one.unanimous,
        "group": one.group,
        "note": one.note,
        "corrections": list(one.corrections),
        "comments": list(one.comments),
        **_more(one.attributes, one.links, text),
        "sources": [_source(source, text) for source in one.sources],
    }


def _more(pairs: Sequence[tuple[str, str]], links: Sequence[tuple[str, Span]], text: Text) -> dict[str, object]:
    linked = [
        {"role": role, "start": place.start, "end": place.end, "tokens": words_of(text, place)} for role, place in links
    ]
    return {"attributes": by_name(pairs), "links": linked}


def _source(source: AnnotatorReport, text: Text) -> dict[str, object]:
    return {
        "annotator": source.annotator,
        "start": source.span.start,
        "end": source.span.end,
        "tokens": words_of(text, source.span),
        "label": source.label,
        "correction": source.correction,
        "comment": source.comment,
        "id": source.id,
        "other_form": source.other_form,
        **_more(source.attributes, source.links, text),
    }


def in_short(one: GoldMistake, text: Text) -> str:
    """A mistake in one line, its tokens counted from 1 as in the file."""
    right = f" -> {one.correction}" if one.correction else ""
    return f"{one.span.start + 1}-{one.span.end} {words_of(text, one.span)} [{one.label}]{right}"


def described_change(one: Change, text: Text) -> dict[str, object]:
    """A difference between two versions of a list, for machines."""
    old, new = (None if which is None else described_mistake(which, text) for which in (one.old, one.new))
    return {"kind": one.kind, "text": one.text_id, "what": list(one.what), "old": old, "new": new}


def diff_table(title: str, changes: Iterable[Change], texts: Mapping[str, Text]) -> Table:
    """The same for people."""
    rows: list[dict[str, Cell]] = [
        {
            "text": one.text_id,
            "change": one.kind,
            "what": ", ".join(one.what),
            "old": "" if one.old is None else in_short(one.old, texts[one.text_id]),
            "new": "" if one.new is None else in_short(one.new, texts[one.text_id]),
        }
        for one in changes
    ]
    return Table.of(title, rows)


def proposal_table(made: Iterable[GoldText], signature: str) -> Table:
    """How many mistakes each text has, and how far people agree on them."""
    rows: list[dict[str, Cell]] = [
        {
            "text": text.text_id,
            "annotators": len(text.annotators),
            "mistakes": len(text.mistakes),
            "unanimous": sum(one.unanimous for one in text.mistakes),
            "other_forms": sum(any(source.other_form for source in one.sources) for one in text.mistakes),
            "left_out": len(text.left_out),
        }
        for text in made
    ]
    labels = {"other_forms": "in other forms too", "left_out": "reports left out"}
    return Table.of("Proposed gold mistakes", rows, labels=labels, signature=signature)


def left_out_marks(texts: Iterable[GoldText]) -> list[Mistake]:
    """Everybody's marks that no gold mistake rests on, as a list that can be written."""
    return [
        Mistake(one.text_id, source.span, source.label, source.correction, source.comment, source.id, source.annotator)
        for text in texts
        for one in text.left_out
        for source in one.sources
    ]
