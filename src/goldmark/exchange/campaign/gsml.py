"""GSML: the final spans of one question as a mistake list in the shared task's columns, with its texts.

Its token ids count what stands between white space, and a sentence ends at a token that is a full stop. So a text whose
own tokens are others is written with a space between its tokens. A list has no row for somebody who marked nothing, so
a table beside it says who saw which text.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from typing import Any

from goldmark.errors import GoldmarkError, Problem, ProblemList, ProblemsFound
from goldmark.exchange.campaign.archive import Files, safe_names
from goldmark.exchange.campaign.marks import QUESTION, MarkedSpans, campaign_of, marked, spans_question
from goldmark.records.campaigns import CampaignRecord
from goldmark.records.mistakes import Mistake
from goldmark.records.texts import Text
from goldmark.texts.readers.formats import decode
from goldmark.texts.readers.gsml import ANNOTATOR, parse_mistakes, write_mistakes
from goldmark.texts.readers.seen import SEEN_FILE, Seen, parse_seen, write_seen
from goldmark.texts.readers.spreadsheet import csv_line, csv_lines
from goldmark.texts.segmentation.text import make_text

LIST, NAMES, FOLDER = "gsml.csv", "units.csv", "texts/"
_ONE = "gold"  # the annotator of a list that names none; they saw every text
_BOM = b"\xef\xbb\xbf"


class NotAWhitespaceText(GoldmarkError):
    code = "EXCHANGE-31"
    message = 'token "{token}" of "{unit}" has white space in it, which the token ids of GSML cannot express'


class LabelMissing(GoldmarkError):
    code = "EXCHANGE-32"
    message = 'a mistake of "{annotator}" in "{unit}" has no label, but every row of GSML needs a TYPE'


def write(record: CampaignRecord, question: str | None = None) -> Iterator[tuple[str, bytes]]:
    asked = spans_question(record, question)
    tests = record.test_units()  # not what was evaluated, so not among the texts
    shown = (unit.id for unit in record.units if asked.role in unit.shown.texts and unit.id not in tests)
    names = safe_names(shown, ".txt")
    units = sorted((unit for unit in record.units if unit.id in names), key=lambda unit: names[unit.id])
    texts = {unit.id: _spaced(unit.id, unit.shown.texts[asked.role].text) for unit in units}
    work = sorted(marked(record, asked), key=lambda one: (names[one.unit.id], one.annotator))
    several = len({one.annotator for one in work}) > 1
    mistakes = [mistake for one in work for mistake in _mistakes(one, names[one.unit.id])]
    by_name = {names[unit]: text for unit, text in texts.items()}
    yield LIST, write_mistakes(mistakes, by_name, annotators=several).encode()
    seen = [(names[one.unit.id], one.annotator) for one in work]
    if seen != [(name, _ONE) for name in by_name]:  # which a list without names says by itself
        yield SEEN_FILE, write_seen(seen).encode()
    for unit, text in texts.items():
        content = text.characters.encode()
        yield FOLDER + names[unit], _BOM + content if content.startswith(_BOM) else content
    if any(name != unit for unit, name in names.items()):
        pairs = sorted((name, unit) for unit, name in names.items())
        yield NAMES, "".join(map(csv_line, [("FILE", "UNIT"), *pairs])).encode()


def _spaced(unit: str, text: Text) -> Text:
    """The text in the tokens and sentences that readers of GSML will find in it."""
    spaced = make_text(unit, text.characters, tokeniser="whitespace", sentences="full_stop")
    if spaced.tokens == text.tokens:
        return spaced
    for word in text.words():
        if any(mark.isspace() for mark in word):
            raise NotAWhitespaceText(token=word, unit=unit)
    return make_text(unit, " ".join(text.words()), tokeniser="whitespace", sentences="full_stop")


def _mistakes(one: MarkedSpans, name: str) -> Iterator[Mistake]:
    for mark in one.marks:
        if not mark.label.strip():
            raise LabelMissing(annotator=one.annotator, unit=one.unit.id)
    yield from one.mistakes(name)


def read(files: Files) -> CampaignRecord:
    problems: list[Problem] = ProblemList()
    units = _units(files, problems)
    texts: dict[str, Text] = {}
    for path, content in sorted(files.items()):
        name = path.removeprefix(FOLDER)
        if not path.startswith(FOLDER) or not name.endswith(".txt"):
            continue
        characters = decode(content.removeprefix(_BOM), path, problems)
        if characters is None:
            continue
        try:
            texts[name] = make_text(units.get(name, name), characters, tokeniser="whitespace", sentences="full_stop")
        except GoldmarkError as error:
            problems.append(Problem(path, str(error)))
    listed = None
    if LIST in files:
        listed = decode(files[LIST].removeprefix(_BOM), LIST, problems)
    else:
        problems.append(Problem(LIST, "the file is missing", f"give a folder with {LIST} and {FOLDER}"))
    if problems or listed is None:
        raise ProblemsFound(problems, "nothing was imported")
    several = ANNOTATOR in listed.partition("\n")[0].strip().split(",")
    mistakes = parse_mistakes(listed, texts, name=LIST, categories=None, overlap=True, annotators=several)
    by_unit = {text.id: text for text in texts.values()}
    looked = _seen(files, texts)
    if looked is None:
        looked = () if several else tuple((unit, _ONE) for unit in by_unit)
    people = {annotator for _, annotator in looked}
    if len(people) > 1 and not several:
        what = f"{SEEN_FILE} names {len(people)} people, but {LIST} does not say whose mistakes it holds"
        raise ProblemsFound(
            [Problem(LIST, what, f"add the column {ANNOTATOR}, or remove {SEEN_FILE}")], "nothing was imported"
        )
    one = next(iter(people), _ONE)
    answers: dict[tuple[str, str], list[dict[str, Any]]] = {key: [] for key in looked}
    for mistake in mistakes:
        spans = answers.setdefault((mistake.text_id, mistake.annotator or one), [])
        spans.append(_span(mistake, number=len(spans) + 1))
    order = {unit: position for position, unit in enumerate(by_unit)}
    return campaign_of(
        by_unit, dict(sorted(answers.items(), key=lambda one: (order[one[0][0]], one[0][1]))), question=QUESTION
    )


def _seen(files: Files, texts: Mapping[str, Text]) -> Seen | None:
    """Which unit who saw; None if the folder does not say."""
    problems: list[Problem] = ProblemList()
    text = decode(files[SEEN_FILE].removeprefix(_BOM), SEEN_FILE, problems) if SEEN_FILE in files else None
    if problems:
        raise ProblemsFound(problems, "nothing was imported")
    return None if text is None else tuple((texts[name].id, who) for name, who in parse_seen(text, texts))


def _units(files: Files, problems: list[Problem]) -> dict[str, str]:
    """Which unit every text file is, where that is not its name."""
    text = decode(files[NAMES].removeprefix(_BOM), NAMES, problems) if NAMES in files else None
    try:
        return dict(cells for _, cells in csv_lines(text or "") if len(cells) == 2)
    except csv.Error as error:
        problems.append(Problem(NAMES, f"the file is not CSV: {error}"))
        return {}


def _span(mistake: Mistake, *, number: int) -> dict[str, Any]:
    span: dict[str, Any] = {
        "id": mistake.id or f"m{number}",
        "start": mistake.span.start,
        "end": mistake.span.end,
        "label": mistake.label,
    }
    extra = {"correction": mistake.correction, "comment": mistake.comment}
    return {**span, **{key: value for key, value in extra.items() if value}}
