"""pearmut: a line of JSON for each document and user, with what was shown and what they said of every model's output.

Lines of tutorials and attention checks are no results and are left out, and so is what a user skipped. If a user did a
document again, the last line counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from goldmark.errors import GoldmarkError
from goldmark.exchange.campaign.archive import Files
from goldmark.exchange.foreign_projects.esa import SegmentJudgement, project_of
from goldmark.exchange.foreign_projects.project import Project, answers_of
from goldmark.exchange.format import Format
from goldmark.records.campaigns import CampaignRecord


class NotPearmut(GoldmarkError):
    code = "EXCHANGE-93"
    message = "{reason}"


def read(files: Files) -> CampaignRecord:
    return project(files).record()


def project(files: Files) -> Project:
    lines = {name: content for name, content in files.items() if name.endswith(".jsonl")}
    return project_of(lines, "pearmut", _judgements)


def _judgements(where: str, line: Mapping[str, Any]) -> Iterator[SegmentJudgement]:
    if not isinstance(line["item_i"], int):  # welcome_0, random_3: a tutorial, an attention check
        return
    if "item" not in line:
        raise NotPearmut(reason="it does not hold what was shown (item); export the annotations with a newer pearmut")
    items = line["item"] if isinstance(line["item"], list) else [line["item"]]
    said = line["annotation"] if isinstance(line["annotation"], list) else [line["annotation"]]
    times = [float(action["time"]) for action in line.get("actions") or [] if "time" in action]
    time = datetime.fromtimestamp(times[-1], UTC) if times else None
    judged = [(item, model, answer) for item, of in zip(items, said, strict=True) for model, answer in of.items()]
    seconds = (times[-1] - times[0]) / len(judged) if times and judged else None  # shared by all that was shown
    for number, (item, model, answer) in enumerate(judged, start=1):
        score, marks = answer.get("score"), answer.get("error_spans") or []
        if score is None and not marks:
            continue
        yield SegmentJudgement(
            where=where,
            item=str(item.get("item_id", f"{line['item_i']}:{number}")),
            system=str(model),
            annotator=str(line["user_id"]),
            source=str(item.get("src") or ""),
            target=str(item["tgt"][model]),
            marks=marks,
            score=score,
            comment=str(answer.get("textfield") or ""),
            seconds=seconds,
            time=time,
            breaks_count=False,  # pearmut's page counts the characters that it shows in a line
        )


PEARMUT = Format("pearmut", "pearmut's lines of annotations", read=read, answers=answers_of(project))
