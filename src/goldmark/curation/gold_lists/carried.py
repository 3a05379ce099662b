"""A whole campaign in again, after it is known that the curation which it carries can be read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.campaigns.told import Tell, told_to_nobody
from goldmark.campaigns.transfer.restore import read_record, restore
from goldmark.curation.gold_lists.formats import read_gold_list
from goldmark.curation.gold_lists.importer import import_gold
from goldmark.curation.gold_lists.versions import gold_from_json
from goldmark.curation.workspace.steps import CurationStep, fold
from goldmark.errors import GoldmarkError, Problem, ProblemsFound
from goldmark.exchange.formats import FORMATS
from goldmark.exchange.responses.renamed import SAME_NAMES, Renamed
from goldmark.protocols import load
from goldmark.protocols.answers import marking
from goldmark.protocols.responses import protocol_of
from goldmark.quality.test_questions import grade_again
from goldmark.records.campaigns import CampaignRecord
from goldmark.store import Store

UNREADABLE = (GoldmarkError, ValueError, TypeError, LookupError, AttributeError)


class ImportedCampaign(NamedTuple):
    row: CampaignRow
    responses: int
    gold_mistakes: int  # that a curator settled in another tool


def import_whole(
    store: Store,
    content: ContentCache,
    source: Path,
    format_name: str,
    *,
    name: str | None = None,
    protocol: str | None = None,
    text: str | None = None,
    names: Renamed = SAME_NAMES,
    keep_incomplete: bool = False,
    author: str,
    tell: Tell = told_to_nobody,
) -> ImportedCampaign:
    """A campaign that was exported here or made elsewhere: all of it or, if anything is wrong, nothing.

    What a curator did in another tool is no annotator's answer: it becomes the gold list.
    """
    asked = load(protocol) if protocol else None
    record = read_record(source, format_name, asked, name=name, text=text, names=names, spooled=True)
    if problems := list(curation_problems(record)):
        raise ProblemsFound(problems, consequence="nothing was imported")
    curator = FORMATS[format_name].curator
    curated = bool(curator) and any(one.annotator == curator for one in record.responses)
    if curated:
        record = _without(record, curator)
        _check_gold(source, format_name, record)
    row = restore(store, record, name=name, author=author, keep_incomplete=keep_incomplete, tell=tell)
    gold = 0
    if curated:
        taken = import_gold(
            store, content, row.name, source, format_name=format_name, author=author, reason=f"by {curator}"
        )
        gold = sum(one.mistakes for one in taken)
    grade_again(store, content, row.name)
    return ImportedCampaign(row, len(record.responses), gold)


def _without(record: CampaignRecord, person: str) -> CampaignRecord:
    return replace(
        record,
        annotators=tuple(one for one in record.annotators if one.id != person),
        assignments=tuple(one for one in record.assignments if one.annotator != person),
        responses=tuple(one for one in record.responses if one.annotator != person),
    )


def _check_gold(source: Path, format_name: str, record: CampaignRecord) -> None:
    """Refuse a gold list that the protocol has no labels for before anything is made of it."""
    protocol = protocol_of(record)
    texts = {unit.id: unit.shown.texts[protocol.texts[0]].text for unit in record.units}
    known = {path for one in marking(protocol) if one.labels for path in protocol.taxonomies[one.labels.tree].paths}
    strange = {one.label: one.text_id for one in read_gold_list(source, texts, format_name) if one.label not in known}
    if known and strange:
        raise ProblemsFound(
            [Problem(where, f"{label!r} is not a label of {protocol.id}") for label, where in sorted(strange.items())],
            consequence="nothing was imported",
        )


def curation_problems(record: CampaignRecord) -> Iterator[Problem]:
    """Steps that do not follow from one another, and gold lists that are none."""
    taken: dict[tuple[str, str], list[CurationStep]] = {}
    for one in sorted(record.curation, key=lambda one: (one.unit, one.question, one.number)):
        steps = taken.setdefault((one.unit, one.question), [])
        steps.append(CurationStep(one.number, one.kind, one.facts, one.reason, one.author, one.at))
    for (unit, question), steps in taken.items():
        where = f"curation of {unit}, question {question}"
        if [step.number for step in steps] != list(range(1, len(steps) + 1)) or steps[0].kind != "begin":
            yield Problem(where, "its steps are not numbered from 1, or the first is no proposal")
            continue
        try:
            fold(steps)
        except UNREADABLE as error:
            yield Problem(where, f"its steps cannot be read: {error}"[:300])
    versions: dict[tuple[str, str], set[int]] = {}
    for gold in record.gold_versions:
        versions.setdefault((gold.unit, gold.question), set()).add(gold.version)
        try:
            gold_from_json(gold.gold, version=gold.version, author=gold.author, at=gold.at)
        except UNREADABLE as error:
            yield Problem(f"gold list of {gold.unit}, version {gold.version}", f"it cannot be read: {error!r}"[:300])
    for (unit, _), numbers in versions.items():
        if numbers != set(range(1, len(numbers) + 1)):
            yield Problem(f"gold list of {unit}", "its versions are not numbered from 1 without a gap")
