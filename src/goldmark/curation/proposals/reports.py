"""What annotators reported, as curation needs it: the marks, and who saw which text; from files or from a campaign."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from goldmark.errors import GoldmarkError
from goldmark.exchange.campaign.marks import marked, spans_question
from goldmark.protocols import Protocol
from goldmark.protocols.answers import marking
from goldmark.records.campaigns import CampaignRecord
from goldmark.records.introduced import introduced_in, touches
from goldmark.records.mistakes import Mistake
from goldmark.records.texts import Text
from goldmark.texts.readers.gsml import read_mistakes
from goldmark.texts.readers.seen import read_seen


class NothingReported(GoldmarkError):
    code = "CURATION-04"
    message = "protocol {protocol} has no question about spans with labels, so there is nothing to curate by"


@dataclass(frozen=True)
class Reports:
    """Everybody's marks, the texts they are in, and who saw which text, also where they marked nothing."""

    texts: Mapping[str, Text]
    marks: tuple[Mistake, ...]
    seen: tuple[tuple[str, str], ...]  # text, annotator


@dataclass(frozen=True)
class LabelRules:
    """Which labels a protocol knows, and which of several wins a tie."""

    labels: tuple[str, ...]
    priority: tuple[str, ...]


def label_rules(protocol: Protocol, wanted: str | None = None) -> LabelRules:
    """Of one question about labelled spans, or of the first. Labels outside of the priority follow in their order."""
    for question in marking(protocol):
        if question.labels is not None and wanted in (None, question.id):
            labels = tuple(protocol.taxonomies[question.labels.tree].paths)
            first = question.labels.priority
            return LabelRules(labels, (*first, *(one for one in labels if one not in first)) if first else ())
    raise NothingReported(protocol=protocol.id)


def read_reports(
    mistakes: Path, texts: Mapping[str, Text], seen: Path | None, *, labels: Collection[str] | None = None
) -> Reports:
    """A list of everybody's mistakes and, if there is one, the table of who saw which text."""
    marks = read_mistakes(mistakes, texts, categories=labels, overlap=True, annotators=True)
    return Reports(texts, marks, () if seen is None else read_seen(seen, texts))


def reports_of(record: CampaignRecord, question: str | None = None) -> Reports:
    """The final marks of a campaign; a unit's id is its text's id here.

    Marks on errors that were introduced on purpose are left out: they are no mistakes of whoever wrote the text.
    """
    asked = spans_question(record, question)
    marks: list[Mistake] = []
    seen: list[tuple[str, str]] = []
    texts: dict[str, Text] = {}
    for one in marked(record, asked):
        texts[one.unit.id] = one.text
        seen.append((one.unit.id, one.annotator))
        introduced = introduced_in(one.unit.hidden)
        marks += (mark for mark in one.mistakes(one.unit.id) if not touches(mark.span, introduced))
    return Reports(texts, tuple(marks), tuple(seen))
