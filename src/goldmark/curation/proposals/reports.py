"""What annotators reported, as curation needs it: the marks, and who saw which text; from files or from a campaign."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
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

    @classmethod
    def together(cls, parts: Iterable[Reports]) -> Reports:
        """Those of several texts as one."""
        found = list(parts)
        return cls(
            {name: text for one in found for name, text in one.texts.items()},
            tuple(mark for one in found for mark in one.marks),
            tuple(pair for one in found for pair in one.seen),
        )


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


def reports_by_text(record: CampaignRecord, question: str | None = None) -> Iterator[Reports]:
    """The final marks of a campaign, those of one text after the other; a unit's id is its text's id here.

    Marks on errors that were introduced on purpose are left out: they are no mistakes of whoever wrote the text.
    """
    asked = spans_question(record, question)
    for name, answers in groupby(marked(record, asked), key=lambda one: one.unit.id):
        marks: list[Mistake] = []
        seen: list[tuple[str, str]] = []
        texts: dict[str, Text] = {}
        for one in answers:
            texts[name] = one.text
            seen.append((name, one.annotator))
            introduced = introduced_in(one.unit.hidden)
            marks += (mark for mark in one.mistakes(name) if not touches(mark.span, introduced))
        yield Reports(texts, tuple(marks), tuple(seen))
