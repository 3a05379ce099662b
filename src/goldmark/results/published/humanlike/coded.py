"""A coding campaign's tables: what the explanations are about, and how far coders agree on each code."""

from __future__ import annotations

from typing import Any

from goldmark.errors import GoldmarkError
from goldmark.protocols import Protocol
from goldmark.protocols.answers import choosing_several
from goldmark.protocols.kinds.choice import WithOptions
from goldmark.protocols.responses import protocol_of, read_responses
from goldmark.records.campaigns import CampaignRecord
from goldmark.records.spooled.units import hidden_facts
from goldmark.records.tables import Cell, Table
from goldmark.records.tidy.columns import Frame
from goldmark.results.options import AnalysisOptions, with_interval
from goldmark.results.published.humanlike.coding import CODES, coding
from goldmark.stats.agreement_measures.alpha import krippendorff
from goldmark.stats.agreement_measures.unit_labels import UnitLabels

BY = ("condition", "system")  # hidden facts of a unit by which codes are compared, the first that there is


class NothingCoded(GoldmarkError):
    code = "CODING-01"
    message = "campaign {name!r} codes nothing: {why}"


def coded_tables(record: CampaignRecord, settings: AnalysisOptions) -> list[Table]:
    """The share of codes in each group, by the condition or system of what was coded; and agreement on each code."""
    question = codes_question(record)
    rows = code_rows(record, question)
    if not rows:
        raise NothingCoded(name=record.settings.get("campaign", ""), why="no response is final yet")
    tables = coding(CODES.check(Frame.of(rows, "coded texts")), settings)
    tables.append(agreement_on_codes(record, question, settings))
    return [table.noting(*record.exclusion_notes()) for table in tables]


def codes_question(record: CampaignRecord) -> WithOptions:
    """The question in which coders choose codes."""
    return question_of_codes(protocol_of(record), record.settings.get("campaign", ""))


def question_of_codes(protocol: Protocol, name: str) -> WithOptions:
    """The same, or a refusal, before anything is read of the campaign of this name."""
    question = choosing_several(protocol)
    if question is None:
        raise NothingCoded(name=name, why="its protocol asks for no choice of several codes")
    return question


def code_rows(record: CampaignRecord, question: WithOptions) -> list[dict[str, Any]]:
    """A row for every code that somebody chose, as `goldmark table coding` reads them."""
    group_of = {option.id: "" if option.alone else option.group or option.name for option in question.options}
    compared = {
        name: next((str(hidden[key]) for key in BY if key in hidden), "all")
        for name, hidden in hidden_facts(record.units)
    }
    return [
        {"comment": one.unit.id, "coder": one.annotator, "code": code, "group": group_of.get(code, "")}
        | {"condition": compared[one.unit.id]}
        for one in read_responses(record)
        for code in one.said.labels(question.id)
    ]


def agreement_on_codes(record: CampaignRecord, question: WithOptions, settings: AnalysisOptions) -> Table:
    """Krippendorff's alpha of every code, chosen or not."""
    answers = [(one.unit.id, one.annotator, one.said.labels(question.id)) for one in read_responses(record)]
    rng = settings.rng()
    rows: list[dict[str, Cell]] = []
    for option in question.options:
        chosen = [option.id in codes for _, _, codes in answers]
        labels = UnitLabels.of(
            [unit for unit, _, _ in answers],
            [annotator for _, annotator, _ in answers],
            ["yes" if one else "no" for one in chosen],
        )
        found = krippendorff(labels, "nominal", rng=rng) if answers else None
        rows.append(
            {
                "code": option.name,
                "group": option.group,
                "chosen": sum(chosen),
                **with_interval("alpha", found.value if found else None, found.interval if found else None),
            }
        )
    return Table.of(
        "How far coders agree",
        rows,
        notes=("Krippendorff's alpha of whether a code was chosen, over explanations with two coders",),
        signature=settings.signature(figure="coding-agreement", resampled="explanations"),
        labels={"alpha": "Kripp. alpha"},
    )
