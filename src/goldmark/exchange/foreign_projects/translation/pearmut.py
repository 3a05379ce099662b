"""pearmut: what its dashboard downloads, or the lines that its server keeps, with what was shown and what people said.

A line is one page (a document) of one user, with what they said of every model's output on it. Tutorials, attention
checks, forms and what a user skipped are no results and are left out, and so is all that came before a user was reset.
If a user did a page again, the last time counts. `campaigns.json` beside it says what was asked.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from goldmark.errors import GoldmarkError, Problem, ProblemList
from goldmark.exchange.campaign.archive import Files
from goldmark.exchange.foreign_projects.project import Project, answers_of, is_whole_words, moment, utf16_places
from goldmark.exchange.foreign_projects.translation.esa import EsaQuestions, SegmentJudgement, judgements_in, project_of
from goldmark.exchange.format import Format
from goldmark.records.campaigns import CampaignRecord
from goldmark.records.units import ContextText
from goldmark.texts.readers.formats import decode
from goldmark.texts.readers.json_objects import OTHER_SHAPE, json_objects, unreadable

RESET = "__RESET__"  # the annotation of a user who was reset: what they did before does not count
WITH_MARKS = ("ESA", "cESA", "MQM")
SHOWN = {"src", "ref", "tgt", "instructions"}
BY_THE_WAY = {"item_id", "error_spans", "validation", "skippable", "checks"}
ONE_BY_ONE = (
    "import them one by one: download-annotations?campaign_id=NAME of the server, or its data/annotations/NAME.jsonl"
)

Rows = list[tuple[str, Mapping[str, Any]]]


class NotPearmut(GoldmarkError):
    code = "EXCHANGE-93"
    message = "{reason}"


def read(files: Files) -> CampaignRecord:
    return project(files).record()


def project(files: Files) -> Project:
    problems: list[Problem] = ProblemList()
    lines: dict[str, Rows] = {}
    asked: dict[str, EsaQuestions] = {}
    for name, content in sorted(files.items()):
        if name.endswith(".jsonl"):
            lines.setdefault(PurePosixPath(name).stem, []).extend(json_objects(name, content, problems))
        elif name.endswith(".json"):
            _take_download(name, content, lines, asked, problems)
    found = {name: judged for name, rows in lines.items() if (judged := _judged(rows, problems))}
    if len(found) > 1:
        several = f"it holds several campaigns: {', '.join(map(repr, found))}"
        problems.append(Problem("the import", several, ONE_BY_ONE))
    told = [one for judged in found.values() for one in judged]
    return project_of(told, "pearmut", problems, next((asked[name] for name in found if name in asked), None))


def _take_download(
    name: str, content: bytes, lines: dict[str, Rows], asked: dict[str, EsaQuestions], problems: list[Problem]
) -> None:
    """The annotations of several campaigns by their names, or what these campaigns are."""
    try:
        written = json.loads(decode(content.removeprefix(b"\xef\xbb\xbf"), name, problems) or "null")
        for one in written if isinstance(written, list) else [written]:
            if isinstance(one, dict) and "campaign_id" in one:
                asked[str(one["campaign_id"])] = _asked(one.get("info") or {})
            elif isinstance(one, dict):
                for campaign, rows in one.items():
                    if isinstance(rows, list) and all(isinstance(row, dict) for row in rows):  # and no progress
                        places = (f"{name}, {campaign}, entry {number}" for number in range(1, len(rows) + 1))
                        lines.setdefault(campaign, []).extend(zip(places, rows, strict=True))
    except OTHER_SHAPE as error:
        problems.append(unreadable(name, error))


def _asked(info: Mapping[str, Any]) -> EsaQuestions:
    categories = info.get("mqm_categories")
    sliders = info.get("sliders") or []
    return EsaQuestions(
        marks=info.get("protocol") in WITH_MARKS,
        categories=[
            (str(head), str(part)) if part else (str(head),)
            for head, parts in (categories.items() if isinstance(categories, dict) else ())
            for part in parts or [""]
            if head
        ],
        severities=[str(one) for one in info.get("mqm_severities") or ()],
        bounds={str(one["name"]): (one["min"], one["max"]) for one in sliders},
        tokens=[str(one) for one in info.get("special_tokens") or ()],
        instructions=_plain(str(info.get("instructions") or "")),
    )


def _plain(shown: str) -> str:
    """What a page shows of markup."""
    return html.unescape(re.sub(r"<[^<>]*>", "", shown)).strip()


def _judged(rows: Rows, problems: list[Problem]) -> list[SegmentJudgement]:
    last_reset = {
        row["user_id"]: number
        for number, (_, row) in enumerate(rows)
        if isinstance(row, Mapping) and row.get("annotation") == RESET and "user_id" in row
    }
    counting = (
        (where, row)
        for number, (where, row) in enumerate(rows)
        if not isinstance(row, Mapping) or number > last_reset.get(row.get("user_id"), -1)
    )
    found = judgements_in(counting, _judgements, problems)
    breaks_count = _breaks_count(found)
    return [replace(one, breaks_count=breaks_count) for one in found]


def _judgements(where: str, line: Mapping[str, Any]) -> Iterator[SegmentJudgement]:
    if not isinstance(line["item_i"], int):  # welcome_0, random_3: a tutorial, an attention check
        return
    if "item" not in line:
        raise NotPearmut(reason="it does not hold what was shown (item); export the annotations with a newer pearmut")
    items = line["item"] if isinstance(line["item"], list) else [line["item"]]
    said = line["annotation"] if isinstance(line["annotation"], list) else [line["annotation"]]
    times = [float(action["time"]) for action in line.get("actions") or [] if "time" in action]
    time = moment(times[-1]) if times else None
    judged = [
        (item, model, answer)
        for item, of in zip(items, said, strict=True)
        if "form" not in item and of is not None
        for model, answer in of.items()
        if _is_answered(answer)
    ]
    seconds = (times[-1] - times[0]) / len(judged) if times and judged else None  # shared by all that was shown
    for item, model, answer in judged:
        yield SegmentJudgement(
            where=where,
            item=_item(item),
            system=str(model),
            annotator=str(line["user_id"]),
            source=str(item.get("src") or ""),
            target=str(item["tgt"][model]),
            marks=answer.get("error_spans") or [],
            score=answer.get("score"),
            comment=str(answer.get("textfield") or ""),
            seconds=seconds,
            time=time,
            context=_context(item),
            facts=_facts(item),
            numbers={name: value for name, value in (answer.get("sliders") or {}).items() if value is not None},
            remark=str(line.get("comment") or ""),
        )


def _is_answered(answer: Mapping[str, Any]) -> bool:
    """Not skipped: a score, a mark or a slider, or nothing where nothing but marks was asked."""
    sliders = answer.get("sliders")
    moved = sliders == {} or any(value is not None for value in (sliders or {}).values())
    return answer.get("score") is not None or bool(answer.get("error_spans")) or moved


def _item(item: Mapping[str, Any]) -> str:
    """Its name, or one made of what was shown: the number of its page is another for each user."""
    if item.get("item_id") not in (None, ""):
        return str(item["item_id"])
    shown = json.dumps({**item, "tgt": None}, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(shown.encode()).hexdigest()[:8]


def _context(item: Mapping[str, Any]) -> tuple[ContextText, ...]:
    told = (("Reference", str(item.get("ref") or "")), ("Instructions", _plain(str(item.get("instructions") or ""))))
    return tuple(ContextText(title, words) for title, words in told if words)


def _facts(item: Mapping[str, Any]) -> dict[str, Any]:
    """What else stands with an item; its page shows none of it."""
    return {
        key: value
        for key, value in item.items()
        if key not in SHOWN | BY_THE_WAY and isinstance(value, str | int | float)
    }


def _breaks_count(judged: Sequence[SegmentJudgement]) -> bool:
    """Whether places count the ends of lines: those of pearmut 1.1.5 and later do, and files do not name the version.

    Nobody can mark the end of a line, nor beyond the text; where that leaves both, words are marked rather than parts.
    """
    behind = False
    better = 0  # how many more marks are whole words if ends of lines count
    for one in judged:
        if "\n" not in one.target:
            continue
        text, new, old = one.target, utf16_places(one.target), utf16_places(one.target, breaks_count=False)
        for mark in one.marks:
            start, end = mark.get("start_i"), mark.get("end_i")
            if not isinstance(start, int) or not isinstance(end, int) or not 0 <= start <= end:
                continue  # told with the mark's line, when it is read
            if start < len(new) and "\n" in (text[new[start]], text[new[min(end, len(new) - 1)]]):
                return False
            behind |= end > len(old)  # what is missing is the first place behind the text
            if end < len(old):
                better += is_whole_words(text, new[start], new[end] + 1)
                better -= is_whole_words(text, old[start], old[end] + 1)
    return behind or better >= 0


PEARMUT = Format(
    "pearmut",
    "pearmut's annotations, and its campaigns",
    read=read,
    answers=answers_of(project),
    keys=("user_id", "item_i", "annotation"),
)
