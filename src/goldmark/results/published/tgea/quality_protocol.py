"""The figures of a campaign's quality protocol (TGEA 3.4), read straight from the database for a page that is quick.

Reviewers' calibration looks only at answers that two of them judged, the spot check at those that were drawn, and
candidates at first versions of a campaign that says it tries candidates out; nothing else is loaded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, func, select

from goldmark.campaigns.assignments.content_cache import ContentCache
from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.protocols.stages import Stage, stages
from goldmark.records.tables import Table
from goldmark.results.options import AnalysisOptions
from goldmark.results.published.tgea.stage_reviews import (
    Candidate,
    Version,
    accuracy_by_stage,
    agreement_by_stage,
    candidates,
    candidates_table,
    ordered,
    version_of,
)
from goldmark.reviews.final_spot_check import FinalCheck, final_check
from goldmark.store.tables import annotator, assignment, response, review, unit


def first_versions(
    connection: Connection, row: CampaignRow, content: ContentCache, *, shared: bool = False
) -> Iterator[Version]:
    """What reviewers said of every first version; with `shared`, only of those that two or more judged."""
    found = connection.execute(_words(row, shared=shared))
    known: dict[int, tuple[Stage, ...]] = {}
    for _, words in groupby(found, key=lambda one: one.id):
        listed = list(words)
        last = {one.reviewer: (one.reviewer, one.verdict == "approved", one.remarks) for one in listed}
        one = listed[0]
        if one.protocol_id not in known:
            known[one.protocol_id] = stages(content.protocol(one.protocol_id))
        yield version_of(known[one.protocol_id], one.unit, one.annotator, one.answers, last.values())


def _words(row: CampaignRow, *, shared: bool) -> Select[Any]:
    """Every word on the first revision of an answer that was judged, in order."""
    first = (
        select(review.c.assignment_id, func.min(review.c.revision).label("revision"))
        .where(review.c.campaign_id == row.id)
        .group_by(review.c.assignment_id)
        .subquery()
    )
    on_first: ColumnElement[bool] = (review.c.assignment_id == first.c.assignment_id) & (
        review.c.revision == first.c.revision
    )
    query = (
        select(
            assignment.c.id,
            unit.c.name.label("unit"),
            annotator.c.name.label("annotator"),
            response.c.answers,
            response.c.protocol_id,
            review.c.reviewer,
            review.c.verdict,
            review.c.remarks,
        )
        .select_from(review)
        .join(first, on_first)
        .join(assignment, assignment.c.id == review.c.assignment_id)
        .join(unit, unit.c.id == assignment.c.unit_id)
        .join(annotator, annotator.c.id == assignment.c.annotator_id)
        .join(
            response, (response.c.assignment_id == review.c.assignment_id) & (response.c.revision == review.c.revision)
        )
        .where(annotator.c.state != "excluded")
        .order_by(assignment.c.id, review.c.id)
    )
    if not shared:
        return query
    several = (
        select(review.c.assignment_id)
        .join(first, on_first)
        .group_by(review.c.assignment_id)
        .having(func.count(review.c.reviewer.distinct()) > 1)
    )
    return query.where(assignment.c.id.in_(several))


def order_of(row: CampaignRow, content: ContentCache) -> tuple[Stage, ...]:
    """The stages of what the campaign asks now."""
    return ordered([content.protocol(row.protocol_id)])


def calibration(
    connection: Connection, row: CampaignRow, content: ContentCache, settings: AnalysisOptions
) -> Table | None:
    """How far reviewers agree, by stage; None while no two have judged the same answer."""
    versions = list(first_versions(connection, row, content, shared=True))
    return agreement_by_stage(order_of(row, content), versions, settings)


def candidates_of(connection: Connection, row: CampaignRow, content: ContentCache) -> tuple[Candidate, ...] | None:
    """Everybody with reviewed work against the campaign's rule; None if it has none."""
    rule = row.settings.candidates
    if rule is None:
        return None
    versions = first_versions(connection, row, content)
    return candidates(order_of(row, content), versions, above=rule.above, after=rule.after)


def table_of_candidates(
    row: CampaignRow, content: ContentCache, found: Iterable[Candidate], settings: AnalysisOptions
) -> Table | None:
    rule = row.settings.candidates
    if rule is None:
        return None
    order = order_of(row, content)
    return candidates_table(order, tuple(found), settings, above=rule.above, after=rule.after)


def spot_check(
    connection: Connection, row: CampaignRow, content: ContentCache, settings: AnalysisOptions
) -> tuple[FinalCheck, Table] | None:
    """The newest spot check with the accuracy it found, by stage; None if none was drawn."""
    check = final_check(connection, row)
    if check is None:
        return None
    words = {(one.unit, one.annotator): one for one in check.answers if one.word is not None}
    rows = connection.execute(
        select(unit.c.name.label("unit"), annotator.c.name.label("annotator"), response)
        .select_from(response)
        .join(assignment, assignment.c.id == response.c.assignment_id)
        .join(unit, unit.c.id == assignment.c.unit_id)
        .join(annotator, annotator.c.id == assignment.c.annotator_id)
        .where(assignment.c.campaign_id == row.id, unit.c.name.in_({name for name, _ in words}))
    )
    versions = []
    for found in rows:
        one = words.get((found.unit, found.annotator))
        if one is not None and one.word is not None and one.revision == found.revision:
            said = [(one.word["checker"], one.word["right"], one.word["remarks"])]
            known = stages(content.protocol(found.protocol_id))
            versions.append(version_of(known, found.unit, found.annotator, found.answers, said))
    note = (
        f"{check.judged} of {check.size} judged, randomly drawn from {check.of} finished answers with seed {check.seed}"
    )
    table = accuracy_by_stage("Spot check", order_of(row, content), versions, settings, notes=(note,))
    return check, table
