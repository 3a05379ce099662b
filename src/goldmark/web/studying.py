"""What pages and API do with studies. The statistics are loaded when they are first asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection

from goldmark.campaigns.export import record_of
from goldmark.campaigns.lifecycle import CampaignRow
from goldmark.campaigns.uploads import Uploaded, put_in_folder
from goldmark.errors import GoldmarkError
from goldmark.records.tables import Table
from goldmark.store.events import history
from goldmark.web.services import Services

if TYPE_CHECKING:
    from goldmark.studies.create import PlanRecord
    from goldmark.studies.decisions import Docket
    from goldmark.studies.file import StudyWithTexts
    from goldmark.studies.plan import StudyPlan
    from goldmark.studies.report import StudyReport

CODING = "explanation-coding"
RESAMPLES = 1000  # a page is read while the study runs; the command line resamples as often as one likes


class NoStudyFile(GoldmarkError):
    code = "STUDY-08"
    message = "among the files ({names}) there is no study file; it is called study.yaml, or it is the only .yaml"


@contextmanager
def _uploaded(files: Sequence[Uploaded]) -> Iterator[StudyWithTexts]:
    from goldmark.studies.file import read_study

    with put_in_folder(files) as (folder, names):
        yield read_study(folder / _study_file(names))


def _study_file(names: Sequence[str]) -> str:
    written = [name for name in names if Path(name).suffix in (".yaml", ".yml")]
    named = [name for name in written if Path(name).stem == "study"]
    chosen = named or written
    if len(chosen) != 1:
        raise NoStudyFile(names=", ".join(names) or "none")
    return chosen[0]


def plan(services: Services, files: Sequence[Uploaded], *, author: str) -> StudyPlan:
    """Check a study and write its plan down."""
    from goldmark.studies.create import keep_plan
    from goldmark.studies.plan import plan_of

    with _uploaded(files) as made:
        keep_plan(services.store, made.study, author=author)
        return plan_of(made.study)


def planned(services: Services, files: Sequence[Uploaded], *, author: str, as_json: bool) -> dict[str, Any]:
    from goldmark.reports.tables import to_json

    found = plan(services, files, author=author)
    return {
        "study": found.study,
        "digest": found.digest,
        "participants": found.participants,
        "answers": found.answers,
        "cost": found.cost,
        "currency": found.currency,
        "tables": [to_json(table) for table in found.tables] if as_json else found.tables,
    }


def created(services: Services, files: Sequence[Uploaded], *, author: str) -> tuple[CampaignRow, str]:
    """The campaign of an uploaded study, and its plan's digest."""
    from goldmark.studies.create import create_study
    from goldmark.studies.plan import digest_of

    with _uploaded(files) as made:
        opened = create_study(services.store, services.links, made, author=author)
        return opened.campaign, digest_of(made.study.file, made.study.protocol)


def is_study(connection: Connection, row: CampaignRow) -> bool:
    """Whether a study made this campaign; one can have conditions without."""
    from goldmark.studies.create import is_study as made_by_a_study

    return made_by_a_study(connection, row)


def report(services: Services, name: str, *, with_excluded: bool = False) -> StudyReport:
    from goldmark.studies.create import study_in
    from goldmark.studies.report import report_of

    record = replace(record_of(services.store, name), counts_excluded=with_excluded)
    return report_of(study_in(record), record, resamples=RESAMPLES)


def report_json(services: Services, name: str, *, with_excluded: bool) -> dict[str, Any]:
    from goldmark.reports.study import report_json

    return report_json(report(services, name, with_excluded=with_excluded))


def plans(services: Services, name: str) -> list[PlanRecord]:
    from goldmark.studies.create import plans_of

    return services.store.read(lambda connection: plans_of(connection, name))


def docket(services: Services, name: str) -> Docket:
    from goldmark.studies import decisions

    return decisions.docket(services.store, name)


def decide(services: Services, name: str, case: str, *, leave_out: bool, reason: str, author: str) -> None:
    from goldmark.studies import decisions

    decisions.decide(services.store, name, case, leave_out=leave_out, reason=reason, author=author)


def coding(
    services: Services, name: str, coding_name: str, *, people: int | None, protocol: str | None, seed: int, author: str
) -> CampaignRow:
    from goldmark.studies.coding import start_coding

    opened = start_coding(
        services.store,
        services.links,
        name,
        name=coding_name,
        people=people,
        seed=seed,
        protocol=protocol,
        author=author,
    )
    return opened.campaign


def codings(services: Services, row: CampaignRow) -> list[str]:
    """The coding campaigns that were made of a study's explanations."""

    def look(connection: Connection) -> list[str]:
        decisions = history(connection, row.id, most=1_000)
        made = [one.subject for one in decisions if one.kind == "campaign derived" and one.facts.get("as") == CODING]
        return sorted(set(made) - {row.name})

    return services.store.read(look)


def coded(services: Services, name: str, coding_name: str, by: str) -> list[Table]:
    from goldmark.analysis.settings import Settings
    from goldmark.studies.coding import coding_tables
    from goldmark.studies.create import study_in

    record, codes = record_of(services.store, name), record_of(services.store, coding_name)
    study = study_in(record)
    factor = by or list(study.file.factors)[-1]
    return coding_tables(study, record, codes, factor, Settings(resamples=RESAMPLES))


def coded_json(services: Services, name: str, coding_name: str, by: str) -> list[dict[str, Any]]:
    from goldmark.reports.tables import to_json

    return [to_json(table) for table in coded(services, name, coding_name, by)]
