"""Appraise: its export of document tasks as JSON lines, one segment of one system by one annotator on each.

Only what was to be judged is read: items of the types TGT and REF, not those that check annotators. If an annotator
judged a segment again, the last line counts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from goldmark.errors import GoldmarkError, Problem, ProblemList
from goldmark.exchange.campaign.archive import Files
from goldmark.exchange.foreign_projects.project import Project, answers_of, moment
from goldmark.exchange.foreign_projects.translation.esa import SegmentJudgement, judgements_of, project_of
from goldmark.exchange.format import Format
from goldmark.records.campaigns import CampaignRecord

TO_JUDGE = ("TGT", "REF")


class NotAppraise(GoldmarkError):
    code = "EXCHANGE-94"
    message = "{reason}"


def read(files: Files) -> CampaignRecord:
    return project(files).record()


def project(files: Files) -> Project:
    problems: list[Problem] = ProblemList()
    found = [
        one for name, content in sorted(files.items()) for one in judgements_of(name, content, _judgements, problems)
    ]
    return project_of(found, "appraise", problems)


def _judgements(where: str, line: Mapping[str, Any]) -> Iterator[SegmentJudgement]:
    if line.get("item_type", "TGT") not in TO_JUDGE:
        return
    if "target_text" not in line:
        raise NotAppraise(reason="it is no line of a document task: it has no target_text")
    ended = line.get("end_time")
    score = line.get("score")
    yield SegmentJudgement(
        where=where,
        item=":".join(str(line[key]) for key in ("document_id", "item_id") if line.get(key) not in (None, "")),
        system=str(line["target_id"]),
        annotator=str(line["annotator"]),
        source=str(line.get("source_text") or ""),
        target=str(line["target_text"]).strip(),  # as the page showed it, and counted
        marks=_marks(line.get("mqm_annotations")),
        score=None if score is None else float(score),
        seconds=line.get("duration"),
        time=moment(float(ended)) if ended else None,
    )


def _marks(written: Any) -> list[Mapping[str, Any]]:
    """The marks, which Appraise keeps as JSON in text, those of a tutorial inside an object."""
    given = json.loads(written) if isinstance(written, str) and written.strip() else written
    given = json.loads(given) if isinstance(given, str) else given
    if isinstance(given, Mapping):
        given = given.get("payload")
    return [one for one in given or [] if one.get("severity") != "undecided"]


APPRAISE = Format(
    "appraise",
    "Appraise's document tasks as JSON lines",
    read=read,
    answers=answers_of(project),
    keys=("target_text", "annotator", "score"),
)
