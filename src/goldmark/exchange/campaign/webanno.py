"""WebAnno TSV 3, which INCEpTION reads too: the final spans of one question, one file per text and annotator.

The folder looks like WebAnno's own export: `annotation/TEXT/ANNOTATOR.tsv`, and `source/TEXT` for the text itself,
because the TSV alone cannot record what lies between two sentences. Spans are whole tokens.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, unquote

from goldmark.errors import GoldmarkError, Problem, ProblemList
from goldmark.exchange.campaign.archive import Files, safe_names
from goldmark.exchange.campaign.marks import MarkedSpans, campaign_of_layers, features_of, marked, spans_question
from goldmark.exchange.campaign.rows import write_json
from goldmark.exchange.campaign.webanno_syntax import (
    CHAIN,
    FORMAT,
    NO_VALUE,
    NOTHING,
    RELATION,
    SPANS,
    TEXT,
    Offsets,
    escape_text,
    escape_value,
    stacked,
    unescape,
)
from goldmark.exchange.format import Format
from goldmark.exchange.left_out import ONE_QUESTION
from goldmark.records.answers import Mark
from goldmark.records.campaigns import CampaignRecord
from goldmark.records.spans import Span
from goldmark.records.texts import Text
from goldmark.texts.readers.formats import decode
from goldmark.texts.readers.spreadsheet import csv_line, csv_lines
from goldmark.texts.segmentation.text import TextTooLong, check_text, longest_text, make_text

LAYER = "webanno.custom."
NAMES = "names.csv"
CURATOR = "CURATION_USER"  # what WebAnno and INCEpTION call the curator's file
UNTOUCHED = "INITIAL_CAS"  # and the text without anybody's marks
OWN = ("span_id", "label", "links")  # our first features; attributes follow
_BOM = b"\xef\xbb\xbf"


class NotWebAnno(GoldmarkError):
    code = "EXCHANGE-41"
    message = "{reason}"


def write(record: CampaignRecord, question: str | None = None) -> Iterator[tuple[str, bytes]]:
    asked = spans_question(record, question)
    work = list(marked(record, asked))
    tests = record.test_units()  # not what was evaluated, so not among the texts
    shown = (unit.id for unit in record.units if asked.role in unit.shown.texts and unit.id not in tests)
    folders = safe_names(shown)
    people = safe_names({one.annotator for one in work}, ".tsv")
    used = {key for one in work for mark in one.marks for key, value in features_of(mark).items() if _value(value)}
    features = sorted(used)
    header = f"{FORMAT}\n{SPANS}{LAYER}{quote(asked.id)}|{'|'.join((*OWN, *map(quote, features)))}\n\n"
    for one in sorted(work, key=lambda one: (folders[one.unit.id], people[one.annotator])):
        yield f"annotation/{folders[one.unit.id]}/{people[one.annotator]}", _document(one, header, features).encode()
    strange = sorted(("TEXT", name, unit) for unit, name in folders.items() if name != unit)
    strange += sorted(("ANNOTATOR", name, person) for person, name in people.items() if name != f"{person}.tsv")
    if strange:
        yield NAMES, "".join(map(csv_line, [("KIND", "FILE", "NAME"), *strange])).encode()
    for unit in sorted((unit for unit in record.units if unit.id in folders), key=lambda unit: folders[unit.id]):
        yield f"source/{folders[unit.id]}", _source(unit.shown.texts[asked.role].text.characters)


def _source(characters: str) -> bytes:
    content = characters.encode()
    return _BOM + content if content.startswith(_BOM) else content


def _document(one: MarkedSpans, header: str, features: Sequence[str]) -> str:
    text = one.text
    marks = sorted(one.marks, key=lambda mark: mark.tokens)
    on: list[list[int]] = [[] for _ in text.tokens]
    for position, mark in enumerate(marks):
        for token in mark.tokens.positions():
            on[token].append(position)
    shared = {position for stack in on if len(stack) > 1 for position in stack}
    ambiguous = [place for place, mark in enumerate(marks) if len(mark.tokens) > 1 or place in shared]
    numbers = {place: f"[{number}]" for number, place in enumerate(ambiguous, start=1)}
    names = _token_names(text)
    cells = [[escape_value(value) if value else NO_VALUE for value in _values(mark, features, names)] for mark in marks]
    offsets = Offsets(text.characters)
    columns = range(len(OWN) + len(features))
    lines = [header]
    for sentence in text.sentences:
        lines.append("\n")
        lines += (f"{TEXT}{escape_text(line)}\n" for line in text.slice(sentence).split("\n"))
        for token in sentence.positions():
            place = text.tokens[token]
            units = f"{offsets.to_units(place.start)}-{offsets.to_units(place.end)}"
            row = [names[token], units, escape_text(text.token(token))]
            stack = on[token]
            row += (
                ["|".join(cells[mark][column] + numbers.get(mark, "") for mark in stack) for column in columns]
                if stack
                else [NOTHING] * len(columns)
            )
            lines.append("\t".join(row) + "\t\n")
    return "".join(lines)


def _token_names(text: Text) -> list[str]:
    """Every token as WebAnno calls it: number of the sentence, number in the sentence, both from 1."""
    return [
        f"{number}-{token - sentence.start + 1}"
        for number, sentence in enumerate(text.sentences, start=1)
        for token in sentence.positions()
    ]


def _values(mark: Mark, features: Sequence[str], names: Sequence[str]) -> Iterator[str]:
    yield mark.id
    yield mark.label
    yield " ".join(f"{quote(role)}={names[span.start]}..{names[span.end - 1]}" for role, span in mark.links)
    for feature in features:
        yield _value(features_of(mark).get(feature))


def _value(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else write_json(value)


def read(files: Files) -> CampaignRecord:
    """A folder that Goldmark wrote, or files as WebAnno and INCEpTION export them: TEXT/ANNOTATOR.tsv."""
    problems: list[Problem] = ProblemList()
    names = _names(files, problems)
    sources = {
        path.removeprefix("source/"): decode(content.removeprefix(_BOM), path, problems)
        for path, content in files.items()
        if path.startswith("source/")
    }
    texts: dict[str, Text] = {}
    answers: dict[tuple[str, str], list[dict[str, Any]]] = {}
    questions: set[str] = set()
    for path, content in sorted(files.items()):
        written = decode(content.removeprefix(_BOM), path, problems) if _is_annotation(path) else None
        if written is None:
            continue
        folder, _, file = path.removesuffix(".tsv").rpartition("/")
        folder = folder.rpartition("/")[2] or file
        unit = names.get(("TEXT", folder), folder)
        try:
            document = _Document.read(written)
            text = document.text(unit, sources.pop(folder, None) if unit not in texts else texts[unit].characters)
            if texts.setdefault(unit, text) != text:
                raise NotWebAnno(reason="it has other tokens than another annotator's file of the same text")
            answers[unit, names.get(("ANNOTATOR", f"{file}.tsv"), file)] = document.spans()
            questions.add(document.question)
        except (GoldmarkError, ValueError, LookupError) as error:
            problems.append(Problem(path, f"the file is not WebAnno TSV 3: {error}"))
    for name, source in sources.items():  # texts that nobody has annotated
        if source is not None:
            unit = names.get(("TEXT", name), name)
            texts[unit] = make_text(unit, source)
    none = "there is no .tsv file" if files else ""
    return campaign_of_layers(texts, answers, sorted(questions), problems, none=none)


def _is_annotation(path: str) -> bool:
    """Somebody's work, and not the text as it was before anybody began."""
    return path.endswith(".tsv") and not path.startswith("source/") and not path.endswith(f"{UNTOUCHED}.tsv")


def _names(files: Files, problems: list[Problem]) -> dict[tuple[str, str], str]:
    text = decode(files[NAMES].removeprefix(_BOM), NAMES, problems) if NAMES in files else None
    try:
        return {(cells[0], cells[1]): cells[2] for _, cells in csv_lines(text or "") if len(cells) == 3}
    except csv.Error as error:
        problems.append(Problem(NAMES, f"the file is not CSV: {error}"))
        return {}


@dataclass
class _Document:
    """One TSV file while it is read."""

    layers: list[tuple[str, list[str], int]] = field(default_factory=list)  # name, features, first column
    sentences: list[list[str]] = field(default_factory=list)  # their lines of text
    rows: list[tuple[int, int, int, list[str]]] = field(default_factory=list)  # sentence, start, end, cells

    @classmethod
    def read(cls, written: str) -> _Document:
        document = cls()
        columns = 0
        lines = written.split("\n")
        if not lines[0].startswith("#FORMAT=WebAnno TSV 3"):
            raise NotWebAnno(reason="its first line does not say #FORMAT=WebAnno TSV 3")
        in_header_of_sentence = False
        for line in (one.removesuffix("\r") for one in lines[1:]):
            if line.startswith((SPANS, CHAIN, RELATION)):
                name, *features = line.partition("=")[2].split("|")
                if line.startswith(SPANS):
                    document.layers.append((name, features, columns))
                columns += len(features)
            elif line.startswith(TEXT):
                if not in_header_of_sentence:
                    document.sentences.append([])
                document.sentences[-1].append(unescape(line.removeprefix(TEXT)))
                in_header_of_sentence = True
            elif line and not line.startswith("#"):
                in_header_of_sentence = False
                document._row(line, columns)
        return document

    def _row(self, line: str, columns: int) -> None:
        name, place, _, *cells = line.split("\t")
        if "." in name:  # part of a token: what is said of it counts for the whole
            whole = self.rows[-1][3]
            whole[:] = [_joined(old, new) for old, new in zip(whole, cells, strict=False)]
            return
        start, _, end = place.partition("-")
        self.rows.append((len(self.sentences) - 1, int(start), int(end), cells[:columns]))

    def text(self, unit: str, source: str | None) -> Text:
        """The text of `source` if its tokens are where the file says, and otherwise the text put together again."""
        starts: dict[int, int] = {}
        for sentence, start, _, _ in self.rows:
            starts.setdefault(sentence, start)
        if source is None:
            source = self._put_together(starts)
        offsets = Offsets(source)
        tokens = tuple(Span(offsets.to_characters(start), offsets.to_characters(end)) for _, start, end, _ in self.rows)
        counts = [0] * len(self.sentences)
        for sentence, *_ in self.rows:
            counts[sentence] += 1
        sentences, start = [], 0
        for count in counts:
            if count:
                sentences.append(Span(start, start + count))
            start += count
        text = Text(unit, source, tokens, tuple(sentences), "given")
        check_text(text)
        return text

    def _put_together(self, starts: Mapping[int, int]) -> str:
        """The sentences where they begin, by units of 16 bits. It may not become longer than a text may be: one number
        in a small file would fill the memory."""
        pieces: list[str] = []
        units = characters = 0
        for number, lines in enumerate(self.sentences):
            words, gap = "\n".join(lines), max(0, starts.get(number, 0) - units)
            units += gap + len(words.encode("utf-16-le")) // 2
            characters += gap + len(words)
            if characters > (most := longest_text()):
                raise TextTooLong(what="the text", length=characters, most=most)
            pieces.append(" " * gap + words)
        return "".join(pieces)

    @property
    def _layer(self) -> tuple[str, list[str], int]:
        custom = [layer for layer in self.layers if layer[0].startswith(LAYER)]
        if not self.layers:
            raise NotWebAnno(reason="it has no layer of spans (#T_SP=)")
        return (custom or self.layers)[0]

    @property
    def question(self) -> str:
        return unquote(self._layer[0].removeprefix(LAYER))

    def spans(self) -> list[dict[str, Any]]:
        """The annotations of the layer, in the order in which they begin."""
        _, features, first = self._layer
        found: dict[object, dict[str, Any]] = {}
        for token, (_, _, _, cells) in enumerate(self.rows):
            own = cells[first : first + len(features)]
            if all(cell == NOTHING for cell in own):  # as in most rows
                continue
            values = [stacked(cell) for cell in own]
            fullest = max(values, key=len)
            for place, (_, number) in enumerate(fullest):
                key = ("number", number) if number is not None else ("token", token, place)
                said = [one[place][0] if place < len(one) else None for one in values]
                span = found.setdefault(key, {"start": token, "end": token + 1, "values": said})
                span["end"] = token + 1
        names = _token_positions(self.rows)
        return [_span(span, features, names, number) for number, span in enumerate(found.values(), start=1)]


def _joined(old: str, new: str) -> str:
    return new if old == NOTHING else old if new == NOTHING else f"{old}|{new}"


def _token_positions(rows: Sequence[tuple[int, int, int, list[str]]]) -> dict[str, int]:
    positions: dict[str, int] = {}
    counts: dict[int, int] = {}
    for position, (sentence, *_) in enumerate(rows):
        counts[sentence] = counts.get(sentence, 0) + 1
        positions[f"{sentence + 1}-{counts[sentence]}"] = position
    return positions


def _span(found: Mapping[str, Any], features: Sequence[str], names: Mapping[str, int], number: int) -> dict[str, Any]:
    span: dict[str, Any] = {"id": f"m{number}", "start": found["start"], "end": found["end"]}
    if tuple(features[: len(OWN)]) == OWN:
        own, label, links = found["values"][: len(OWN)]
        values = dict(zip(map(unquote, features[len(OWN) :]), found["values"][len(OWN) :], strict=True))
        span["id"] = own or ""
        if links:
            span["links"] = _links(links, names)
    else:
        values = dict(zip(features, found["values"], strict=True))
        label = values.pop(next((name for name in ("label", "value") if name in values), features[0]))
    if label:
        span["label"] = label
    return {**span, **{name: value for name, value in values.items() if value}}


def _links(written: str, names: Mapping[str, int]) -> dict[str, list[dict[str, int]]]:
    links: dict[str, list[dict[str, int]]] = {}
    for one in written.split(" "):
        role, _, place = one.partition("=")
        first, _, last = place.partition("..")
        links.setdefault(unquote(role), []).append({"start": names[first], "end": names[last] + 1})
    return links


WEBANNO = Format(
    "webanno-tsv",
    "final spans for WebAnno and INCEpTION",
    write,
    read,
    no_place=ONE_QUESTION,
    curator=CURATOR,
    only_marks=True,
    begins="#FORMAT=WebAnno",
)
