"""How many of the errors that were introduced into texts people find.

An error counts as found if somebody marked at least one of its tokens, whatever they called it. Whether an answer is a
result or a test question makes no difference here, nor whether its annotator was excluded.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import orjson
from sqlalchemy import Connection, Text, select, type_coerce

from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.protocols import Protocol
from goldmark.protocols.answers import marking, read
from goldmark.records.figures import Figure, Signature
from goldmark.records.introduced import Introduced, introduced_errors, touches
from goldmark.records.spans import Span
from goldmark.records.units import Surface
from goldmark.stats.ranks.clustered_shares import share_of
from goldmark.store.tables import annotator, assignment, response, unit, unit_secret


class IntroducedCase(NamedTuple):
    """What somebody marked in a text with introduced errors."""

    annotator: str
    unit: str
    introduced: tuple[Introduced, ...]
    marks: tuple[Span, ...]


class Recall(NamedTuple):
    """How many introduced errors somebody found, in all and by kind."""

    annotator: str  # empty: everybody together
    texts: int
    introduced: int
    found: int
    share: Figure
    by_label: dict[str, tuple[int, int]]  # found, introduced
    share_by_label: dict[str, Figure]


SIGNATURE = Signature.of(figure="introduced-error-recall", match="token-overlap", interval="wilson-clustered")


def recalls(cases: Iterable[IntroducedCase]) -> list[Recall]:
    """Everybody together, then each annotator in the order of their names.

    Errors of one text hang together, and so does what one person finds: intervals are over texts, and over people where
    there are several.
    """
    cases = list(cases)
    people = sorted({case.annotator for case in cases})
    return [_recall("", cases), *(_recall(name, [one for one in cases if one.annotator == name]) for name in people)]


def _recall(name: str, cases: list[IntroducedCase]) -> Recall:
    each = [
        (error.label, touches(error.span, case.marks), case.unit, case.annotator)
        for case in cases
        for error in case.introduced
    ]
    labels = sorted({label for label, _, _, _ in each})
    own = {wanted: [one for one in each if one[0] == wanted] for wanted in labels}
    nothing = Figure(None, reason="nobody has answered a text with introduced errors")
    return Recall(
        name,
        len({case.unit for case in cases}),
        len(each),
        sum(found for _, found, _, _ in each),
        _share(each) if each else nothing,
        {label: (sum(found for _, found, _, _ in some), len(some)) for label, some in own.items()},
        {label: _share(some) for label, some in own.items()},
    )


def _share(each: Sequence[tuple[str, bool, str, str]]) -> Figure:
    _, found, texts, people = zip(*each, strict=True)
    return share_of(found, texts, people if len(set(people)) > 1 else None)


def recalls_in(connection: Connection, row: CampaignRow, protocol: Protocol) -> list[Recall]:
    """The recall of a campaign's annotators; empty if none of its texts has introduced errors."""
    asked = marking(protocol)
    if not asked or not _has_introduced(connection, row):
        return []
    return recalls(_cases(connection, row, protocol, asked[0].text_of(protocol.texts)))


def _mentions(row: CampaignRow) -> Any:
    return (unit.c.campaign_id == row.id) & type_coerce(unit_secret.c.facts, Text).contains('"introduced"')


def _has_introduced(connection: Connection, row: CampaignRow) -> bool:
    query = select(unit_secret.c.facts).join(unit, unit.c.id == unit_secret.c.unit_id).where(_mentions(row))
    return any(introduced_errors(facts) for facts in connection.execute(query).scalars())


def _cases(connection: Connection, row: CampaignRow, protocol: Protocol, role: str) -> list[IntroducedCase]:
    newest = (response.c.assignment_id == assignment.c.id) & (response.c.revision == assignment.c.revision)
    rows = connection.execute(
        select(unit.c.name, unit.c.shown, unit_secret.c.facts, annotator.c.name.label("annotator"), response.c.answers)
        .join(unit_secret, unit_secret.c.unit_id == unit.c.id)
        .join(assignment, assignment.c.unit_id == unit.c.id)
        .join(annotator, annotator.c.id == assignment.c.annotator_id)
        .join(response, newest)
        .where(_mentions(row))
        .order_by(assignment.c.id)
    )
    found = []
    for one in rows:
        errors = introduced_errors(one.facts)
        if not errors:
            continue
        said = read(protocol, one.answers, Surface.from_json(orjson.loads(one.shown)))
        marked = [marks for marks in said.marks if marks.role == role]
        if marked:
            places = tuple(mark.tokens for marks in marked for mark in marks.marks)
            found.append(IntroducedCase(one.annotator, one.name, errors, places))
    return found
