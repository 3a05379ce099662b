"""What participants' explanations are about: a sample of them coded by two people, compared between cells.

The codes' groups (form, content, machine capabilities) are the `group` of the options in the coding protocol, so
another codebook is another protocol and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from goldmark.accounts.links import SignedLinks
from goldmark.errors import GoldmarkError
from goldmark.followups.create import (
    EXPLANATION_CODING,
    FollowUpKind,
    FollowUpUnits,
    SourceCampaign,
    create_follow_up,
)
from goldmark.followups.create import explanations as all_explanations
from goldmark.people.invitations import OpenedCampaign
from goldmark.protocols import Protocol
from goldmark.protocols.answers import choosing_several
from goldmark.protocols.kinds.choice import WithOptions
from goldmark.protocols.responses import protocol_of, read_responses
from goldmark.records.campaigns import CampaignRecord
from goldmark.records.tables import Table
from goldmark.records.tidy.columns import Frame
from goldmark.records.units import Unit
from goldmark.results.options import AnalysisOptions
from goldmark.results.published.humanlike.coded import agreement_on_codes
from goldmark.results.published.humanlike.coding import CODES, coding
from goldmark.store import Store
from goldmark.studies.design.cells import cells_of
from goldmark.studies.design.file import Study


class NotACoding(GoldmarkError):
    code = "STUDY-05"
    message = "campaign {name!r} does not code explanations of {source!r}: {why}"


class NoSuchFactor(GoldmarkError):
    code = "STUDY-06"
    message = "the study has no factor {name!r}; it has {known}"


def start_coding(
    store: Store,
    links: SignedLinks,
    source: str,
    *,
    name: str,
    people: int | None,
    seed: int,
    protocol: str | None = None,
    author: str,
) -> OpenedCampaign:
    """A campaign in which two people code one explanation each of so many participants a cell, or of all of them."""

    def sampled(origin: SourceCampaign, asked: Protocol) -> FollowUpUnits:
        made = all_explanations(origin, asked)
        units = made.units if people is None else sample(made.units, origin.record, people, seed)
        return replace(made, units=units, facts={"people a cell": people, "seed": seed})

    way = FollowUpKind(
        EXPLANATION_CODING.name,
        EXPLANATION_CODING.about,
        EXPLANATION_CODING.protocol,
        EXPLANATION_CODING.labels,
        sampled,
    )
    return create_follow_up(store, links, way, source, name=name, protocol=protocol, seed=seed, author=author)


def sample(units: Iterable[Unit], record: CampaignRecord, people: int, seed: int) -> list[Unit]:
    """One random explanation each of so many random participants of every condition."""
    rng = np.random.default_rng(seed)
    conditions = {one.id: str(one.facts.get("condition", "")) for one in record.annotators}
    written: dict[str, dict[str, list[Unit]]] = {}
    for unit in units:
        author = str(_origin(unit)["annotator"])
        written.setdefault(conditions.get(author, ""), {}).setdefault(author, []).append(unit)
    chosen: list[Unit] = []
    for condition in sorted(written):
        authors = sorted(written[condition])
        drawn = rng.permutation(len(authors))[:people]
        for place in drawn:
            own = written[condition][authors[place]]
            chosen.append(own[int(rng.integers(len(own)))])
    return chosen


def _origin(unit: Unit) -> Mapping[str, Any]:
    found = unit.hidden.get("source")
    return found if isinstance(found, Mapping) else {}


def coding_tables(
    study: Study, record: CampaignRecord, coded: CampaignRecord, factor: str, settings: AnalysisOptions
) -> list[Table]:
    """The share of codes in each group by a factor's levels, and how far the two coders agree on each code."""
    question = _question(coded, study)
    group_of = {option.id: "" if option.alone else option.group for option in question.options}
    if factor not in study.file.factors:
        raise NoSuchFactor(name=factor, known=", ".join(study.file.factors))
    # Named with its factor, so that a level called "none" is not taken for an empty cell.
    levels = {cell.name: f"{factor}: {cell.levels[factor]}" for cell in cells_of(study.file)}
    conditions = {one.id: levels.get(str(one.facts.get("condition", "")), "") for one in record.annotators}
    authors = {unit.id: str(_origin(unit).get("annotator", "")) for unit in coded.units}
    rows = [
        {"comment": one.unit.id, "group": group_of.get(code, "")}
        | {"condition": conditions.get(authors[one.unit.id], "")}
        for one in read_responses(coded)
        for code in one.said.labels(question.id)
    ]
    tables = coding(CODES.check(Frame.of(rows, "coded explanations")), settings) if rows else []
    return [*tables, agreement_on_codes(coded, question, settings)]


def _question(coded: CampaignRecord, study: Study) -> WithOptions:
    found = choosing_several(protocol_of(coded))
    name = coded.settings.get("campaign", "")
    if found is None:
        raise NotACoding(name=name, source=study.name, why="its protocol asks for no choice of several codes")
    if any(_origin(unit).get("campaign") != study.name for unit in coded.units):
        raise NotACoding(name=name, source=study.name, why="its units come from somewhere else")
    return found
