"""The samples' answers as tidy tables, one file per kind of figure, so that every statistic can be tried at once.

They hold what an export gives after a little selecting and joining; nobody needs a server to try a command on them.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from goldmark.records.mistakes import Mistake
from goldmark.records.spans import Span
from goldmark.records.texts import Text
from goldmark.texts.gsml import write_mistakes
from goldmark.texts.making import make_text
from goldmark.texts.text_ids import ENDING

Rows = Sequence[Mapping[str, Any]]
AGREEMENT = ("strongly_disagree", "disagree", "neutral", "agree", "strongly_agree")


def tables(sample: str, texts: Rows, answers: Rows) -> Iterator[tuple[str, str]]:
    """The tables of one sample: the name of each file, and what stands in it."""
    make = _TABLES.get(sample)
    if make is not None:
        yield from make({row["id"]: row for row in texts}, answers)


Texts = Mapping[str, Mapping[str, Any]]


def _accuracy(texts: Texts, answers: Rows) -> Iterator[tuple[str, str]]:
    made = _made(texts)
    planted = [_mistake(text_id, mark) for text_id, row in texts.items() for mark in row["planted"]]
    reported = [
        _mistake(answer["unit"], mark, answer["annotator"])
        for answer in answers
        for mark in answer["answers"]["mistakes"]
    ]
    names = sorted({answer["annotator"] for answer in answers})
    done = Counter(answer["unit"] for answer in answers)
    finished = {text_id for text_id in texts if done[text_id] == len(names)}
    yield "gold.csv", write_mistakes(_numbered(planted), made, suffix=ENDING)
    yield "reported.csv", write_mistakes(_numbered(reported), made, suffix=ENDING, annotators=True)
    # People are compared on texts that all of them have read: what somebody has not read is not what they missed.
    compared = [("gold", planted), *((name, [one for one in reported if one.annotator == name]) for name in names)]
    for name, mistakes in compared:
        kept = (mistake for mistake in mistakes if mistake.text_id in finished)
        yield f"finished/{name.lower()}.csv", write_mistakes(_numbered(kept), made, suffix=ENDING)
    yield "seen.csv", _csv(("TEXT_ID", "ANNOTATOR"), ((answer["unit"], answer["annotator"]) for answer in answers))
    yield "errors.csv", _csv(("text", "category"), ((mistake.text_id, mistake.label) for mistake in planted))
    yield "systems.csv", _csv(("text", "system"), ((text_id, row["system"]) for text_id, row in texts.items()))
    for text_id, text in made.items():
        yield f"tokenised/{text_id}{ENDING}", " ".join(text.words()) + "\n"


def _made(texts: Texts) -> dict[str, Text]:
    return {
        text_id: make_text(text_id, row["text"], tokeniser="rules", sentences="rules") for text_id, row in texts.items()
    }


def _mistake(text_id: str, mark: Mapping[str, Any], annotator: str | None = None) -> Mistake:
    span = Span(mark["start"], mark["end"])
    correction, comment = mark.get("correction", ""), mark.get("comment", "")
    return Mistake(text_id, span, mark["label"], correction, comment, annotator=annotator)


def _numbered(mistakes: Iterable[Mistake]) -> Iterator[Mistake]:
    for number, one in enumerate(mistakes, start=1):
        yield Mistake(one.text_id, one.span, one.label, one.correction, one.comment, str(number), one.annotator)


def _ratings(question: str) -> Callable[[Texts, Rows], Iterator[tuple[str, str]]]:
    def table(texts: Texts, answers: Rows) -> Iterator[tuple[str, str]]:
        rows = []
        for answer in answers:
            unit, value = answer["unit"], answer["answers"][question]
            score = AGREEMENT.index(value) / (len(AGREEMENT) - 1)
            rows.append((unit, unit.partition("-")[0], texts[unit]["system"], answer["annotator"], value, score))
        yield "ratings.csv", _csv(("unit", "item", "system", "annotator", "value", "score"), rows)

    return table


def _humanlike(texts: Texts, answers: Rows) -> Iterator[tuple[str, str]]:
    rows = []
    for answer in answers:
        text = texts[answer["unit"]]
        rows.append((answer["annotator"], text["id"], text["source"], answer["answers"]["source"], text["genre"]))
    yield "judgements.csv", _csv(("evaluator", "text", "truth", "answer", "domain"), rows)


def _tgea(texts: Texts, answers: Rows) -> Iterator[tuple[str, str]]:
    stages: list[tuple[str, str, str, str]] = []
    for answer in answers:
        unit, who, given = answer["unit"], answer["annotator"], answer["answers"]
        stages.append(("detection", unit, who, given["verdict"]))
        if given.get("errors"):
            first = given["errors"][0]["label"]
            stages.append(("type", unit, who, first.partition(".")[0]))
            stages.append(("subtype", unit, who, first))
    yield "stages.csv", _csv(("task", "unit", "annotator", "label"), sorted(stages))


def _csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return out.getvalue()


_TABLES: dict[str, Callable[[Texts, Rows], Iterator[tuple[str, str]]]] = {
    "accuracy": _accuracy,
    "rating-qa": _ratings("correct"),
    "rating-summary": _ratings("overall"),
    "humanlike": _humanlike,
    "tgea": _tgea,
}
