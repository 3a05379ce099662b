"""The errors of finished gold lists in the columns of `spans`, to be counted instead of everybody's marks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from sqlalchemy import Connection, func, select

from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.curation.gold_lists.versions import lists_by_unit
from goldmark.errors import Conflict
from goldmark.observations.filter import Filter
from goldmark.observations.frames import Observations
from goldmark.protocols import Protocol
from goldmark.protocols.answers import marking
from goldmark.protocols.kinds.marks import weight_of
from goldmark.protocols.kinds.spans import SpansQuestion
from goldmark.records.figures import counted
from goldmark.records.gold import GoldMistake, GoldText, by_name
from goldmark.records.tables import Cell
from goldmark.records.tidy.columns import Frame, written
from goldmark.store.tables import gold_version


class NoFrozenGold(Conflict):
    code = "RESULTS-04"
    message = "campaign {campaign!r} has no finished gold list; curate its texts first, or leave out --marks gold"


class NobodysList(Conflict):
    code = "RESULTS-05"
    message = "a gold list is nobody's and of no day: it cannot be narrowed by {what}"


def gold_texts(connection: Connection, row: CampaignRow) -> int:
    """How many texts have a finished list."""
    query = select(func.count(gold_version.c.unit_id.distinct())).where(gold_version.c.campaign_id == row.id)
    return connection.execute(query).scalar_one()


def any_list(connection: Connection, row: CampaignRow, protocol: Protocol) -> bool:
    """Whether any question has a finished list."""
    named = gold_version.c.question.in_([question.id for question in marking(protocol)])
    query = select(gold_version.c.id).where(gold_version.c.campaign_id == row.id, named).limit(1)
    return connection.execute(query).first() is not None


def lists_of(connection: Connection, row: CampaignRow, protocol: Protocol) -> dict[str, list[GoldText]]:
    """By question its finished lists, the last version of each; only questions that have any."""
    lists = {}
    for question in marking(protocol):
        own = [one for _, one in lists_by_unit(connection, row, question.id)]
        if own:
            lists[question.id] = own
    return lists


def with_gold(connection: Connection, row: CampaignRow, found: Observations) -> tuple[Observations, str]:
    """The same observations with gold errors to count, and on how many texts they rest.

    Only texts whose list is finished are in it; a finished list without an error is a text without errors.
    """
    _refuse_narrowing(found.wanted)
    lists = lists_of(connection, row, found.protocol)
    if not lists:
        raise NoFrozenGold(campaign=row.name)
    cells: dict[str, list[str]] = {name: [] for name in found["spans"].cells}
    texts = _texts(found)
    finished = set()
    for question in marking(found.protocol):
        role = question.text_of(found.protocol.texts)
        for one in lists.get(question.id, ()):
            unit = unit_of(one.text_id, role)
            shared = texts.get((unit, role))
            if shared is None:
                continue
            finished.add(unit)
            for row_of_one in _rows(question, one):
                full: Mapping[str, Cell] = {**shared, "question": question.id, "annotator": "", **row_of_one}
                for name, column in cells.items():
                    column.append(written(full.get(name)))
    read = {unit for unit, count in zip(*_columns(found, "unit", "responses"), strict=True) if int(count)}
    frame = Frame(f"{row.name}: gold lists", cells)
    note = f"errors are those of the gold lists of {counted(len(finished), 'text')}"
    waiting = len(read - finished)
    more = f"; left out: {counted(waiting, 'text')} without a finished list" if waiting else ""
    return replace(found, gold=frame), note + more


def unit_of(text: str, role: str) -> str:
    """The unit of which this is the id of a text."""
    return text if role == "text" else text.removesuffix(f"/{role}")


def _refuse_narrowing(wanted: Filter) -> None:
    narrowed = {
        "annotators": wanted.annotators,
        "conditions": wanted.conditions,
        "days": wanted.since or wanted.until,
    }
    what = [name for name, chosen in narrowed.items() if chosen]
    if what:
        raise NobodysList(what=" and ".join(what))


def _columns(found: Observations, *names: str) -> list[list[str]]:
    return [list(found["texts"].cells[name]) for name in names]


def _texts(found: Observations) -> dict[tuple[str, str], dict[str, Cell]]:
    """By unit and role what every row of a text says of it; only texts that count."""
    cells, wanted = found["texts"].cells, found.wanted
    texts: dict[tuple[str, str], dict[str, Cell]] = {}
    for place, unit in enumerate(cells["unit"]):
        own: dict[str, Cell] = {name: column[place] for name, column in cells.items()}
        if own["test"] == "true" and not wanted.tests:
            continue
        if wanted.systems and own["system"] not in wanted.systems:
            continue
        texts[unit, str(own["role"])] = own
    return texts


def _rows(question: SpansQuestion, text: GoldText) -> Iterator[dict[str, Cell]]:
    if not text.mistakes:
        yield {"start": None, "end": None, "introduced": False}
    for number, one in enumerate(text.mistakes, start=1):
        yield {
            "id": one.id or f"g{number}",
            "start": one.span.start,
            "end": one.span.end,
            "label": one.label,
            "correction": one.correction,
            "introduced": False,
            "links": ";".join(f"{role}:{place.start}-{place.end}" for role, place in one.links),
            **_attributes(question, one),
        }


def _attributes(question: SpansQuestion, one: GoldMistake) -> dict[str, Cell]:
    said = {name: ";".join(values) for name, values in by_name(one.attributes).items()}
    return {
        **said,
        "severity": said.get(question.ranks or "", ""),
        "error_weight": weight_of(question, one.label, said),
    }
