"""What pages and API compute of whole campaigns: functions that `Computing` can ask another process for."""

from __future__ import annotations

import pickle
from collections.abc import Hashable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from goldmark.campaigns.lifecycle import CampaignRow, look_into
from goldmark.campaigns.progress import CampaignProgress, progress_of
from goldmark.observations.filter import Filter
from goldmark.records.figures import Signature
from goldmark.records.tables import Table
from goldmark.web.computing.computing import Opened

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from goldmark.accounts.links import SignedLinks
    from goldmark.campaigns.pages import Page
    from goldmark.curation.workspace.at_once import CurationOverview, FinishedTogether, Order
    from goldmark.curation.workspace.worklist import CurationProgress
    from goldmark.datasets.of_campaign import DatasetRequest
    from goldmark.people.pay import PayReport
    from goldmark.quality.evidence import Evidence
    from goldmark.quality.test_questions import CampaignTests
    from goldmark.records.campaigns import ExclusionRecord
    from goldmark.results.campaign_tables import QualityProtocol
    from goldmark.reviews.final_spot_check import FinalCheck
    from goldmark.reviews.unit_status import TextLine, UnitStatus
    from goldmark.studies.evaluation.exclusion_decisions import ExclusionCases
    from goldmark.studies.evaluation.report import StudyReport


class Evidences(NamedTuple):
    """The evidence on everybody in a campaign in the order in which they joined, and who is excluded.

    Each person's is packed by itself, and opened for whoever looks at it: a page shows fifty of thousands.
    """

    people: tuple[tuple[int, str], ...]  # numbers and names
    packed: tuple[bytes, ...]
    doubtful: tuple[int, ...]  # places of these, the most doubtful first
    model: str | None  # None: nobody has answered a test question
    signature: Signature | None
    excluded: tuple[ExclusionRecord, ...]

    def at(self, place: int) -> Evidence:
        found: Evidence = pickle.loads(self.packed[place])  # noqa: S301 - packed below
        return found

    def of(self, annotator_id: int) -> Evidence | None:
        return next((self.at(place) for place, one in enumerate(self.people) if one[0] == annotator_id), None)


def _doubt(one: Evidence) -> tuple[bool, float]:
    return one.noisy is None, -(one.noisy or 0)


def progress(opened: Opened, name: str) -> CampaignProgress:
    return look_into(opened.store, name, progress_of)


def quality(opened: Opened, name: str) -> Evidences:
    from goldmark.people.exclusions import excluded_people
    from goldmark.quality.evidence import crowd

    def look(connection: Connection, row: CampaignRow) -> Evidences:
        people, model = crowd(connection, row, opened.content, opened.watching())
        return Evidences(
            tuple((one.person.id, one.person.name) for one in people),
            tuple(map(pickle.dumps, people)),
            tuple(sorted(range(len(people)), key=lambda place: _doubt(people[place]))),
            model.model.name if model else None,
            model.signature if model else None,
            tuple(excluded_people(connection, row)),
        )

    return look_into(opened.store, name, look)


def agreement(
    opened: Opened, name: str, groups: tuple[str, ...] | None, first: bool, with_excluded: bool
) -> list[Table]:
    from goldmark.results.campaign_tables import agreement_tables

    return agreement_tables(opened.store, name, groups=groups, first=first, with_excluded=with_excluded)


def review_figures(opened: Opened, name: str, with_excluded: bool) -> list[Table]:
    from goldmark.results.campaign_tables import review_tables

    return review_tables(opened.store, name, with_excluded=with_excluded)


def any_suggestion(opened: Opened, name: str) -> bool:
    """Whether any text of a campaign has suggestions; to know that there is none, all are looked at."""
    from goldmark.campaigns.lifecycle import look_into
    from goldmark.campaigns.suggestion_changes import any_suggestion

    return look_into(opened.store, name, any_suggestion)


def suggestion_list(opened: Opened, name: str, path: Path) -> None:
    """The suggestions of a campaign, written to this path."""
    from goldmark.campaigns.suggestion_changes import suggestion_list

    def write(connection: Connection, row: CampaignRow) -> None:
        with path.open("w", encoding="utf-8", newline="") as file:
            file.writelines(suggestion_list(connection, row, opened.content.protocol(row.protocol_id)))

    look_into(opened.store, name, write)


def suggestions(opened: Opened, name: str) -> list[Table]:
    from goldmark.results.campaign_tables import suggestion_tables

    return suggestion_tables(opened.store, opened.content, name)


def coded(opened: Opened, name: str) -> list[Table]:
    from goldmark.campaigns.transfer.export import record_of
    from goldmark.results.campaign_tables import coded_tables
    from goldmark.results.published.humanlike.coded import question_of_codes

    row = look_into(opened.store, name, lambda _, row: row)
    question_of_codes(opened.content.protocol(row.protocol_id), name)
    return coded_tables(record_of(opened.store, name))


def pay(opened: Opened, name: str, payments: Hashable) -> PayReport:
    """What the work costs. `payments` is what changes when somebody is paid: such figures are of one state of them."""
    from goldmark.recruiting.paying.wages import pay_of

    return pay_of(opened.store, name)[1]


def tests(opened: Opened, name: str) -> CampaignTests:
    from goldmark.quality.test_questions import tests_of

    return tests_of(opened.store, opened.content, name)


def export(
    opened: Opened, name: str, path: Path, format_name: str, question: str | None, wanted: Filter, pseudonyms: bool
) -> str:
    """A campaign in this format, written to this path; returns what the file should be called."""
    from goldmark.campaigns.transfer.export_files import write_download

    return write_download(opened.store, name, format_name, path, question, wanted, pseudonyms=pseudonyms)


class VerificationFigures(NamedTuple):
    """How a gold list stands after verification: how many mistakes, and the tables."""

    source: str
    gold: int
    kept: int
    removed: int
    assumed: int
    waiting: int
    tables: list[Table]


def verified(opened: Opened, name: str, with_excluded: bool) -> VerificationFigures:
    from goldmark.curation.verification.followup import verified_gold
    from goldmark.results.campaign_tables import verification_tables

    look = verified_gold(opened.store, name, with_excluded=with_excluded)
    kept, removed = len(look.result.kept), len(look.result.removed)
    counts = (len(look.basis.gold), kept, removed, look.result.assumed, look.result.waiting)
    return VerificationFigures(look.source, *counts, verification_tables(look))


def verified_list(opened: Opened, name: str) -> str:
    """The verified gold list as a file."""
    from goldmark.curation.gold_lists.files import write_gold
    from goldmark.curation.verification.followup import verified_gold

    look = verified_gold(opened.store, name)
    return write_gold(look.result.kept, look.basis.reports.texts)


def follow_up(opened: Opened, name: str, kind: str, links: SignedLinks, how: dict[str, Any]) -> CampaignRow:
    """A new campaign of this one's answers."""
    from goldmark.curation.verification.followup import find_follow_up
    from goldmark.followups.create import create_follow_up

    return create_follow_up(opened.store, links, find_follow_up(kind), name, **how).campaign


def texts_with(opened: Opened, name: str, status: UnitStatus, page: int) -> Page[TextLine]:
    from goldmark.reviews.unit_status import texts_with as texts

    return look_into(
        opened.store,
        name,
        lambda connection, row: texts(connection, row, opened.content.protocol(row.protocol_id), status, page=page),
    )


def curation_list(
    opened: Opened, name: str, newest: int | None, question: str, order: Order, search: str, state: str, page: int
) -> CurationOverview:
    """One page of what is to be curated, after the step with the number `newest`."""
    from goldmark.curation.workspace.at_once import curation_list

    return curation_list(
        opened.store, opened.content, name, question, order=order, search=search, state=state, page=page
    )


def curation_progress(opened: Opened, name: str, question: str) -> CurationProgress:
    from goldmark.curation.workspace.worklist import curation_progress

    return look_into(opened.store, name, lambda connection, row: curation_progress(connection, row, question))


def next_to_decide(opened: Opened, name: str, newest: int | None, question: str, after: int) -> int | None:
    """The text on which there is most to decide, after the step with the number `newest`."""
    from goldmark.curation.workspace.at_once import next_to_decide

    return next_to_decide(opened.store, opened.content, name, question, after)


def finish_unanimous(opened: Opened, name: str, author: str, question: str | None) -> FinishedTogether:
    from goldmark.curation.workspace.at_once import finish_unanimous

    return finish_unanimous(opened.store, opened.content, name, author=author, question=question)


def take_back_unanimous(opened: Opened, name: str, author: str, question: str | None) -> FinishedTogether:
    from goldmark.curation.workspace.at_once import take_back

    return take_back(opened.store, opened.content, name, author=author, question=question)


def gold(opened: Opened, name: str, question: str | None, format_name: str) -> tuple[str, bytes]:
    """A campaign's gold list as a file: how its name ends, and the file."""
    from goldmark.curation.gold_lists import versions
    from goldmark.curation.gold_lists.formats import GOLD_FORMATS, downloaded

    found, texts = versions.finished_gold(opened.store, opened.content, name, question)
    mistakes = [mistake for one in found for mistake in one.mistakes]
    return downloaded(GOLD_FORMATS.find(format_name), mistakes, texts)


def status(opened: Opened, name: str) -> QualityProtocol:
    from goldmark.results.campaign_tables import quality_protocol

    return quality_protocol(opened.store, opened.content, name)


def draw(opened: Opened, name: str, how: dict[str, Any]) -> FinalCheck:
    """A new spot check."""
    from goldmark.reviews import final_spot_check

    return final_spot_check.draw(opened.store, name, **how)


def study_report(opened: Opened, name: str, with_excluded: bool) -> StudyReport:
    from goldmark.studies.stored import stored_report

    return stored_report(opened.store, name, with_excluded=with_excluded)


def study_cases(opened: Opened, name: str, links: SignedLinks) -> ExclusionCases:
    from goldmark.studies.evaluation.exclusion_decisions import cases

    return cases(opened.store, links, name)


def study_decide(opened: Opened, name: str, links: SignedLinks, case: str, how: dict[str, Any]) -> None:
    """A decision on somebody whom the study's rules suggest to exclude."""
    from goldmark.studies.evaluation.exclusion_decisions import decide

    decide(opened.store, links, name, case, **how)


def study_coding(opened: Opened, name: str, links: SignedLinks, how: dict[str, Any]) -> CampaignRow:
    """A new campaign in which explanations are coded."""
    from goldmark.studies.evaluation.explanation_coding import start_coding

    return start_coding(opened.store, links, name, **how).campaign


def study_coded(opened: Opened, name: str, coding: str, by: str) -> list[Table]:
    from goldmark.studies.stored import coded_in

    return coded_in(opened.store, name, coding, by)


def dataset_facts(opened: Opened, name: str, wanted: DatasetRequest) -> tuple[dict[str, Any], list[Table]]:
    from goldmark.datasets import of_campaign

    return of_campaign.dataset_facts(opened.store, name, wanted)


def dataset(opened: Opened, name: str, wanted: DatasetRequest, path: Path) -> None:
    """A campaign as a dataset, packed at this path."""
    from goldmark.datasets.of_campaign import pack_dataset

    pack_dataset(opened.store, name, wanted, path)
