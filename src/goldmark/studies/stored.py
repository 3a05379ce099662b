"""A study and the database: its files uploaded and planned or made, its report, the campaigns that code it.

The statistics are loaded when they are first asked for: a server should not wait for them before its first page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from goldmark.accounts.links import SignedLinks
from goldmark.campaigns.definition.uploads import Uploaded, put_in_folder, read_upload
from goldmark.campaigns.definition.yaml_file import source_of
from goldmark.campaigns.lifecycle import CampaignRow, look_into
from goldmark.campaigns.transfer.export import record_of
from goldmark.errors import GoldmarkError
from goldmark.records.tables import Table
from goldmark.store import Store
from goldmark.studies.design.create import create_study, keep_plan, refuse_other, study_in
from goldmark.studies.design.file import StudyFileMissing, StudyWithTexts, read_study

if TYPE_CHECKING:
    from goldmark.studies.design.plan import StudyPlan
    from goldmark.studies.evaluation.report import StudyReport

STUDY_FILE = "study.yaml"
RESAMPLES = 1000  # a page is read while the study runs; the command line resamples as often as one likes


class NoStudyFile(GoldmarkError):
    code = "STUDY-08"
    message = "among the files ({names}) there is no study file; it is called study.yaml, or it is the only .yaml"


@contextmanager
def _uploaded(files: Sequence[Uploaded]) -> Iterator[StudyWithTexts]:
    with put_in_folder(files) as (folder, names):
        yield read_upload(read_study, folder / _study_file(names))


def _study_file(names: Sequence[str]) -> str:
    written = [name for name in names if Path(name).suffix in (".yaml", ".yml")]
    named = [name for name in written if Path(name).stem == Path(STUDY_FILE).stem]
    chosen = named or written
    if len(chosen) != 1:
        raise NoStudyFile(names=", ".join(names) or "none")
    return chosen[0]


def uploaded_source(files: Sequence[Uploaded]) -> str:
    """The text of the study file among uploaded ones, whatever else is there or missing."""
    with put_in_folder(files) as (folder, names):
        return source_of(folder / _study_file(names), StudyFileMissing)


def plan_uploaded(store: Store, files: Sequence[Uploaded], *, author: str) -> StudyPlan:
    """Check a study and write its plan down."""
    from goldmark.studies.design.checks import doubts
    from goldmark.studies.design.plan import plan_of

    with _uploaded(files) as made:
        keep_plan(store, made.study, author=author)
        warnings = tuple(doubts(made.study.file, made.study.protocol, made.units))
        return replace(plan_of(made.study), warnings=warnings)


def create_uploaded(
    store: Store, links: SignedLinks, files: Sequence[Uploaded], *, author: str
) -> tuple[CampaignRow, str]:
    """The campaign of an uploaded study, and its plan's digest."""
    from goldmark.studies.design.plan import digest_of

    with _uploaded(files) as made:
        opened = create_study(store, links, made, author=author)
        return opened.campaign, digest_of(made.study.file, made.study.protocol)


def stored_report(store: Store, name: str, *, with_excluded: bool = False) -> StudyReport:
    from goldmark.studies.evaluation.report import report_of

    look_into(store, name, refuse_other)
    record = replace(record_of(store, name), counts_excluded=with_excluded)
    return report_of(study_in(record), record, resamples=RESAMPLES)


def coded_in(store: Store, name: str, coding_name: str, by: str) -> list[Table]:
    """What a coding campaign found, by the levels of a factor; the last one, if none is named."""
    from goldmark.results.options import AnalysisOptions
    from goldmark.studies.evaluation.explanation_coding import coding_tables

    look_into(store, name, refuse_other)
    record, codes = record_of(store, name), record_of(store, coding_name)
    study = study_in(record)
    factor = by or list(study.file.factors)[-1]
    return coding_tables(study, record, codes, factor, AnalysisOptions(resamples=RESAMPLES))
