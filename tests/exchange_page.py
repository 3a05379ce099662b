"""What of a campaign survives in each format, in docs/reference/exchange.md: `python -m tests.exchange_page` renews it.

Nothing in the table is written by hand: a campaign that is hard to carry is written in each format, read again and
compared with what it was, part by part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from goldmark.exchange.campaign.archive import read_files
from goldmark.exchange.campaign.marks import spans_questions
from goldmark.exchange.format import Format
from goldmark.exchange.formats import FORMATS
from goldmark.exchange.responses.same import same
from goldmark.records.campaigns import CampaignRecord, ResponseRecord
from tests.exchange.every_protocol import SILENT, hard_campaign
from tests.exchange.peer_files import PEERS

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "exchange.md"
BEGIN, END = "<!-- made by python -m tests.exchange_page -->\n", "<!-- until here -->\n"
MADE_ELSEWHERE = Path(__file__).parent / "exchange" / "made_elsewhere"
RUN = {  # projects that the programs themselves exported, beside those of our own making
    "doccano": ("marks.zip", "categories.zip"),
    "factgenie": ("words", "chars"),
    "label-studio": ("",),
    "pearmut": ("categories", "marks", "sliders"),
    "potato": ("",),
    "thresh": ("page", "edits", "mqm"),
}
YES, NO = "yes", "–"
# Marks with labels and attributes; marks with links; marks, and a score of the whole; two texts, and three.
MARKED, LINKED, SCORED, COMPARED, BEST = "accuracy/1", "tgea/1", "span-severity/1", "pairwise/1", "best-worst/1"
Check = Callable[[CampaignRecord, CampaignRecord], bool]


def _finals(record: CampaignRecord) -> dict[tuple[str, str], ResponseRecord]:
    """By unit, as it is called without the ending of a file, and annotator."""
    return {(one.unit.removesuffix(".txt"), one.annotator): one for one in record.final_responses()}


def _texts(record: CampaignRecord) -> dict[str, Any]:
    return {unit.id.removesuffix(".txt"): unit for unit in record.units}


def _marks(record: CampaignRecord, key: tuple[str, str]) -> list[Mapping[str, Any]]:
    question = next(spans_questions(record), None)
    return [] if question is None else list(_finals(record)[key].answers.get(question.id) or [])


def _same_marks(*keys: str) -> Check:
    def check(there: CampaignRecord, back: CampaignRecord) -> bool:
        def of(record: CampaignRecord, key: tuple[str, str]) -> list[Any]:
            marks = sorted(_marks(record, key), key=lambda mark: (mark["start"], mark["end"]))
            return [{name: mark.get(name) for name in keys} for mark in marks]

        marked = [key for key in _finals(there) if _marks(there, key)]
        return bool(marked) and all(key in _finals(back) and of(there, key) == of(back, key) for key in marked)

    return check


def _by_unit(part: Callable[[Any], Any]) -> Check:
    def check(there: CampaignRecord, back: CampaignRecord) -> bool:
        found = _texts(back)
        return all(name in found and part(found[name]) == part(unit) for name, unit in _texts(there).items())

    return check


def _answers(there: CampaignRecord, back: CampaignRecord) -> bool:
    found = _finals(back)
    return all(key in found and same(found[key].answers, one.answers) for key, one in _finals(there).items())


def _times(there: CampaignRecord, back: CampaignRecord) -> bool:
    found = _finals(back)
    return all(
        key in found and (found[key].server_time, found[key].seconds_active) == (one.server_time, one.seconds_active)
        for key, one in _finals(there).items()
    )


def _people(there: CampaignRecord, back: CampaignRecord) -> bool:
    return _finals(back).keys() == _finals(there).keys()


def _silent(there: CampaignRecord, back: CampaignRecord) -> bool:
    keys = [key for key in _finals(there) if key[1] == SILENT]
    return bool(keys) and all(key in _finals(back) and not _marks(back, key) for key in keys)


PARTS: dict[str, tuple[str, Check]] = {
    "texts": (MARKED, _by_unit(lambda unit: unit.shown.texts["text"].text.characters)),
    "context": (MARKED, _by_unit(lambda unit: unit.shown.context)),
    "hidden facts": (MARKED, _by_unit(lambda unit: dict(unit.hidden))),
    "people": (MARKED, _people),
    "who marked nothing": (MARKED, _silent),
    "marks, labels": (MARKED, _same_marks("start", "end", "label")),
    "attributes": (MARKED, _same_marks("start", "end", "correction", "comment")),
    "links": (LINKED, _same_marks("links")),
    "all questions": (SCORED, _answers),
    "comparisons": (COMPARED, _answers),
    "best and worst": (BEST, _answers),
    "times": (MARKED, _times),
    "protocol": (MARKED, lambda there, back: back.protocols == there.protocols),
    "revisions": (MARKED, lambda there, back: len(back.responses) == len(there.responses)),
}


def _with_revision(record: CampaignRecord) -> CampaignRecord:
    """The campaign with an earlier answer of the first person."""
    first, *others = record.responses
    earlier = replace(first, final=False, client_key="earlier")
    return replace(record, responses=(earlier, replace(first, revision=2), *others))


def survives(form: Format, part: str) -> bool:
    name, check = PARTS[part]
    there = hard_campaign(name)
    if part == "revisions":
        there = _with_revision(there)
    try:
        back = form.read(dict(form.write(there, None)))
    except Exception:
        return False
    return check(there, back)


def listed() -> str:
    both = [one for one in FORMATS.values() if one.exports and one.imports and one.tables is None]
    head = ["out and in again", *PARTS]
    lines = [_row(head), _row(["---"] * len(head))]
    lines += [_row([f"`{form.name}`", *(YES if survives(form, part) else NO for part in PARTS)]) for form in both]
    return "\n".join(lines) + "\n\n" + lost() + "\n" + peers()


IN_PARTS: dict[str, Callable[[CampaignRecord], bool]] = {
    "texts": lambda record: bool(record.units),
    "context": lambda record: any(unit.shown.context or len(unit.shown.texts) > 1 for unit in record.units),
    "system": lambda record: any("system" in unit.hidden for unit in record.units),
    "people": lambda record: len({one.annotator for one in record.responses}) > 1,
    "marks": lambda record: any(map(_marked, record.responses)),
    "attributes of marks": lambda record: any(
        mark.keys() - {"id", "start", "end", "label", "links"} for one in record.responses for mark in _marked(one)
    ),
    "who marked nothing": lambda record: any([] in one.answers.values() for one in record.responses),
    "links": lambda record: any("links" in mark for one in record.responses for mark in _marked(one)),
    "options": lambda record: any(isinstance(said, str) for one in record.responses for said in one.answers.values()),
    "numbers": lambda record: any(
        isinstance(said, int | float) for one in record.responses for said in one.answers.values()
    ),
    "what was asked": lambda record: bool(record.protocols),
}


def _marked(response: ResponseRecord) -> list[Mapping[str, Any]]:
    return [
        mark
        for said in response.answers.values()
        if isinstance(said, list)
        for mark in said
        if isinstance(mark, Mapping)
    ]


def peers() -> str:
    head = ["made in the other tool, in", *IN_PARTS]
    lines = [_row(head), _row(["---"] * len(head))]
    for name, files in PEERS.items():
        there = [files, *(read_files(MADE_ELSEWHERE / name / path) for path in RUN.get(name, ()))]
        records = [FORMATS[name].read(one) for one in there]
        lines.append(_row([f"`{name}`", *(YES if any(map(check, records)) else NO for check in IN_PARTS.values())]))
    return "\n".join(lines) + "\n"


def lost() -> str:
    """What `goldmark campaign export` counts and tells where a format has no place for it."""
    told = {form.name: form.no_place for form in FORMATS.values() if form.exports and form.imports and form.no_place}
    lines = [_row(["format", "what is told as left out, with how much it is"]), _row(["---", "---"])]
    return "\n".join([*lines, *(_row([f"`{name}`", ", ".join(kinds)]) for name, kinds in told.items())]) + "\n"


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def page() -> str:
    """The page as it should be."""
    before, begin, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"{PAGE.name} has no place for the table: put {BEGIN!r} and {END!r} into it")
    return f"{before}{begin}{listed()}{end}{after}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
