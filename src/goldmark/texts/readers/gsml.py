"""Gold mistake lists: the accuracy shared task's CSV in and out, with the texts its token ids count in.

In the file, tokens and sentences count from 1 and a span's end is its last token. A row has ids within the document,
within its sentence, or both; a file keeps to one of these. A span that runs over the end of its sentence is counted
on from the start of that sentence, which only a row with document ids may do. Inside Goldmark, positions count from 0.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from sys import intern
from typing import Literal

from goldmark.errors import GoldmarkError, Missing, Problem, ProblemList, ProblemsFound
from goldmark.records.mistakes import Mistake
from goldmark.records.spans import Span, shared_span
from goldmark.records.texts import Text
from goldmark.records.tidy.columns import Columns, Frame
from goldmark.texts.readers.spreadsheet import csv_line, lines_of, restore
from goldmark.texts.readers.text_ids import find_id, id_of_file

COLUMNS = (
    "TEXT_ID",
    "SENTENCE_ID",
    "ANNOTATION_ID",
    "TOKENS",
    "SENT_TOKEN_START",
    "SENT_TOKEN_END",
    "DOC_TOKEN_START",
    "DOC_TOKEN_END",
    "TYPE",
    "CORRECTION",
    "COMMENT",
)
NEEDED = ("TEXT_ID", "TOKENS", "TYPE")  # by every list; ids of tokens in one of two ways
ANNOTATOR = "ANNOTATOR"  # a twelfth column, for lists of several people
PROBABILITY = "PROBABILITY"  # a further column, where a checker says how sure it is of each mistake
CATEGORIES = ("NAME", "NUMBER", "WORD", "CONTEXT", "NOT_CHECKABLE", "OTHER")  # the shared task's own

Ids = Literal["document", "sentence", "both"]
Row = Mapping[str, str]


class NoTextsForList(Missing):
    code = "GSML-01"
    message = "{folder} {trouble}; give the folder that holds one .txt file per text, tokens separated by spaces"


class UnreadableMistakeList(GoldmarkError):
    code = "GSML-02"
    message = "{path} cannot be read: {reason}"


def sentences_at_full_stops(words: Sequence[str]) -> tuple[Span, ...]:
    """A sentence ends at a token that is a full stop and nothing else; what follows the last one is a sentence too."""
    ends = [position + 1 for position, word in enumerate(words) if word == "."]
    if words and (not ends or ends[-1] != len(words)):
        ends.append(len(words))
    return tuple(Span(start, end) for start, end in zip([0, *ends], ends, strict=False))


def spaced_text(text_id: str, characters: str) -> Text:
    """A text whose tokens are what stands between white space, as the shared task's texts are written."""
    tokens = tuple(Span(found.start(), found.end()) for found in re.finditer(r"\S+", characters))
    sentences = sentences_at_full_stops(characters.split())
    return Text(text_id, characters, tokens, sentences, tokeniser="whitespace")


def read_spaced_texts(folder: Path | Mapping[str, str]) -> dict[str, Text]:
    """Every `NAME.txt` of a folder by its NAME, see `text_ids`; or texts that are at hand by their ids."""
    if isinstance(folder, Mapping):
        return {text_id: spaced_text(text_id, characters) for text_id, characters in folder.items()}
    if not folder.is_dir():
        raise NoTextsForList(folder=folder, trouble="is not a folder")
    paths = {path.name: path for path in sorted(folder.glob("*.txt"))}
    if not paths:
        raise NoTextsForList(folder=folder, trouble="holds no .txt file")
    ids = {id_of_file(name, paths): path for name, path in paths.items()}
    return {text_id: spaced_text(text_id, _decoded(path)) for text_id, path in ids.items()}


def read_mistakes(
    data: Path | Frame,
    texts: Mapping[str, Text],
    *,
    categories: Collection[str] | None = CATEGORIES,
    overlap: bool = False,
    annotators: bool = False,
) -> tuple[Mistake, ...]:
    """The mistakes of a list in a file, or in a table at hand; see `parse_mistakes`."""
    if isinstance(data, Frame):
        content, name = _as_list(data, annotators=annotators), data.source
    else:
        content, name = _decoded(data), data.name
    return parse_mistakes(content, texts, name=name, categories=categories, overlap=overlap, annotators=annotators)


def _as_list(frame: Frame, *, annotators: bool) -> str:
    """A table as the file would be; what nobody needs to say may be left out of a table at hand."""
    Columns(*NEEDED, *([ANNOTATOR] if annotators else [])).check(frame)
    names = (*COLUMNS, ANNOTATOR) if annotators else COLUMNS
    names = (*names, PROBABILITY) if PROBABILITY in frame.cells else names
    columns = [frame.cells.get(name, [""] * len(frame)) for name in names]
    return "".join(map(csv_line, [names, *zip(*columns, strict=True)]))


def parse_mistakes(
    content: str,
    texts: Mapping[str, Text],
    *,
    name: str = "gsml.csv",
    categories: Collection[str] | None = CATEGORIES,
    overlap: bool = False,
    annotators: bool = False,
) -> tuple[Mistake, ...]:
    """The mistakes of a list in the order of its rows, or every problem with its line; nothing is guessed.

    `name` is what messages call the list. `categories` None allows any name. Spans of one list (of one annotator, if
    `annotators` asks for their column) must not overlap unless `overlap` says that they may.
    """
    columns = (*COLUMNS, ANNOTATOR) if annotators else COLUMNS
    scheme = _scheme(row for _, row in _rows(content, name, columns))
    problems: list[Problem] = ProblemList()
    mistakes: list[Mistake] = []
    taken: dict[tuple[str, str | None], dict[int, int]] = {}
    for line, row in _rows(content, name, columns):  # again, since there may be too many to hold
        try:
            text, span = _place(row, texts, scheme)
        except _Wrong as wrong:
            problems.append(wrong.at(name, line))
            continue
        annotator = row[ANNOTATOR].strip() if annotators else None
        wrongs = [*_words(row, text, span), *_label(row, categories)]
        if annotators and not annotator:
            wrongs.append(_Wrong("ANNOTATOR is empty", "say who reported the mistake", ANNOTATOR))
        try:
            probability = _probability(row)
        except _Wrong as wrong:
            wrongs.append(wrong)
            probability = None
        if not overlap:
            wrongs += _take(span, text, line, taken.setdefault((text.id, annotator), {}))
        problems += (wrong.at(name, line) for wrong in wrongs)
        label, correction, comment = intern(row["TYPE"].strip()), row["CORRECTION"], row["COMMENT"]
        mistake = Mistake(text.id, span, label, correction, comment, row["ANNOTATION_ID"], annotator)
        mistakes.append(replace(mistake, probability=probability) if probability is not None else mistake)
    if problems:
        raise ProblemsFound(problems, consequence="nothing was read")
    return tuple(mistakes)


def _probability(row: Row) -> float | None:
    said = row.get(PROBABILITY, "").strip()
    try:
        probability = float(said) if said else None
    except ValueError:
        probability = -1.0
    if probability is None or 0 <= probability <= 1:
        return probability
    raise _Wrong(f"{PROBABILITY} is {said!r}", "give a number from 0 to 1, or leave the cell empty", PROBABILITY)


def write_mistakes(
    mistakes: Iterable[Mistake],
    texts: Mapping[str, Text],
    *,
    ids: Ids = "both",
    suffix: str = "",
    annotators: bool = False,
) -> str:
    """A mistake list as CSV in the shared task's columns.

    `suffix` is what follows the ids: `.txt` where the texts are files of a folder, as the shared task has it. How sure
    a checker is of its mistakes is a further column.
    """
    listed = tuple(mistakes)
    sure = any(mistake.probability is not None for mistake in listed)
    about = ((mistake, texts[mistake.text_id]) for mistake in listed)
    return "".join(mistake_lines(about, ids=ids, suffix=suffix, annotators=annotators, sure=sure))


def mistake_lines(
    mistakes: Iterable[tuple[Mistake, Text]],
    *,
    ids: Ids = "both",
    suffix: str = "",
    annotators: bool = False,
    sure: bool = False,
) -> Iterator[str]:
    """The same line by line, of any number of mistakes, each with its text; `sure`: with how sure a checker is."""
    further = (*([ANNOTATOR] if annotators else []), *([PROBABILITY] if sure else []))
    yield csv_line((*COLUMNS, *further))
    for mistake, text in mistakes:
        start, last = mistake.span.start, mistake.span.end - 1
        sentence = text.sentence_of(start)
        before = text.sentences[sentence].start
        yield csv_line(
            (
                f"{mistake.text_id}{suffix}",
                "" if ids == "document" else sentence + 1,
                mistake.id,
                words_of(text, mistake.span),
                *(("", "") if ids == "document" else (start - before + 1, last - before + 1)),
                *(("", "") if ids == "sentence" else (start + 1, last + 1)),
                mistake.label,
                mistake.correction,
                mistake.comment,
                *((mistake.annotator or "",) if annotators else ()),
                *(("" if mistake.probability is None else mistake.probability,) if sure else ()),
            )
        )


def words_of(text: Text, span: Span) -> str:
    """The tokens of a span with one space between them, as the column TOKENS has them."""
    return " ".join(text.token(position) for position in span.positions())


@dataclass
class _Wrong(Exception):
    """One thing wrong with one row."""

    what: str
    remedy: str
    column: str = ""

    def at(self, name: str, line: int) -> Problem:
        return Problem(f"{name}:{line}", self.what, self.remedy, self.column)


def _decoded(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise UnreadableMistakeList(path=path, reason="there is no such file") from None
    except UnicodeDecodeError as error:
        raise UnreadableMistakeList(path=path, reason=f"byte {error.start} is not UTF-8; save it as UTF-8") from None
    except OSError as error:
        raise UnreadableMistakeList(path=path, reason=error.strerror or str(error)) from None


def _rows(content: str, name: str, columns: Sequence[str]) -> Iterator[tuple[int, Row]]:
    reader = csv.reader(lines_of(content))
    problems: list[Problem] = ProblemList()
    try:
        header = [column.strip() for column in next(reader, [])]
        missing = [column for column in columns if column not in header]
        if missing:
            found = f"the file has {', '.join(header)}" if any(header) else "the file is empty"
            what = f"column{'s' if len(missing) > 1 else ''} {', '.join(missing)} missing; {found}"
            raise ProblemsFound(
                [Problem(f"{name}:1", what, f"the first line must name {','.join(columns)}")], "nothing was read"
            )
        line = reader.line_num + 1
        for cells in reader:
            if len(cells) == len(header):
                yield line, dict(zip(header, map(restore, cells), strict=True))
            elif cells:
                what = f"{len(cells)} cells for {len(header)} columns"
                problems.append(Problem(f"{name}:{line}", what, 'put cells that hold a comma in quotes ("...")'))
            line = reader.line_num + 1
    except csv.Error as error:
        raise UnreadableMistakeList(path=name, reason=f"line {reader.line_num}: {error}") from None
    if problems:
        raise ProblemsFound(problems, consequence="nothing was read")


def _row_scheme(row: Row) -> Ids | None:
    """Which ids a row has; half a pair counts as having them, so that the missing half is reported."""
    document = bool(row["DOC_TOKEN_START"].strip() or row["DOC_TOKEN_END"].strip())
    sentence = bool(row["SENT_TOKEN_START"].strip() or row["SENT_TOKEN_END"].strip())
    return "both" if document and sentence else "document" if document else "sentence" if sentence else None


def _scheme(rows: Iterable[Row]) -> Ids | None:
    """The scheme that most rows keep to, so that the rows reported are the fewest."""
    schemes = Counter(scheme for row in rows if (scheme := _row_scheme(row)))
    return schemes.most_common(1)[0][0] if schemes else None


def _place(row: Row, texts: Mapping[str, Text], scheme: Ids | None) -> tuple[Text, Span]:
    """Which tokens of which text a row means."""
    text_id = find_id(row["TEXT_ID"], texts)
    if text_id is None:
        raise _Wrong(f"text {row['TEXT_ID']!r} is not known", _nearest(row["TEXT_ID"], texts, "texts"), "TEXT_ID")
    text = texts[text_id]
    own = _row_scheme(row)
    if own is None:
        raise _Wrong(
            "the row has no token ids",
            "fill DOC_TOKEN_START and DOC_TOKEN_END, or SENTENCE_ID, SENT_TOKEN_START and SENT_TOKEN_END",
            "DOC_TOKEN_START",
        )
    if own != scheme:
        raise _Wrong(
            f"the row has {_named(own)}, but most rows of the file have {_named(scheme)}",
            "use the same ids on every row",
            "DOC_TOKEN_START",
        )
    span = _document_span(row, text) if own != "sentence" else _sentence_span(row, text)
    if own == "both":
        _agree(row, text, span)
    elif own == "document" and row["SENTENCE_ID"].strip():
        _in_sentence(row, text, span)
    return text, span


def _words(row: Row, text: Text, span: Span) -> Iterator[_Wrong]:
    words = words_of(text, span)
    if " ".join(row["TOKENS"].split()) != words:
        yield _Wrong(
            f"TOKENS says {row['TOKENS']!r}, but these ids are {words!r}",
            "token ids count from 1 and the end is the last token of the mistake",
            "TOKENS",
        )


def _label(row: Row, categories: Collection[str] | None) -> Iterator[_Wrong]:
    label = row["TYPE"].strip()
    if not label:
        yield _Wrong("TYPE is empty", f"known are {', '.join(categories)}" if categories else "name a category", "TYPE")
    elif categories is not None and label not in categories:
        yield _Wrong(f"category {label!r} is not known", _nearest(label, categories, "categories"), "TYPE")


def _document_span(row: Row, text: Text) -> Span:
    start, end = _number(row, "DOC_TOKEN_START"), _number(row, "DOC_TOKEN_END")
    length = len(text.tokens)
    if not 1 <= start <= end <= length:
        raise _Wrong(
            f"tokens {start} to {end} do not exist in text {text.id}, which has {length}"
            if start <= end
            else f"the mistake ends (token {end}) before it starts (token {start})",
            "token ids count from 1 and the end is the last token of the mistake",
            "DOC_TOKEN_START",
        )
    return shared_span(start - 1, end)


def _sentence_span(row: Row, text: Text, *, may_run_on: bool = False) -> Span:
    number = _number(row, "SENTENCE_ID")
    start, end = _number(row, "SENT_TOKEN_START"), _number(row, "SENT_TOKEN_END")
    if not 1 <= number <= len(text.sentences):
        raise _Wrong(
            f"text {text.id} has {len(text.sentences)} sentences, not a sentence {number}",
            "sentences count from 1 and end at a token that is a full stop",
            "SENTENCE_ID",
        )
    sentence = text.sentences[number - 1]
    last = len(text.tokens) - sentence.start if may_run_on else len(sentence)
    if not (1 <= start <= end <= last and start <= len(sentence)):
        raise _Wrong(
            f"tokens {start} to {end} do not exist in sentence {number} of text {text.id}, which has {len(sentence)}"
            if start <= end
            else f"the mistake ends (token {end}) before it starts (token {start})",
            "token ids count from 1 in each sentence and the end is the last token of the mistake",
            "SENT_TOKEN_START",
        )
    return shared_span(sentence.start + start - 1, sentence.start + end)


def _agree(row: Row, text: Text, span: Span) -> None:
    by_sentence = _sentence_span(row, text, may_run_on=True)
    if by_sentence != span:
        raise _Wrong(
            f"the document's ids are {words_of(text, span)!r}, the sentence's {words_of(text, by_sentence)!r} "
            f"(tokens {by_sentence.start + 1} to {by_sentence.end} of the document)",
            "correct one of the two, or leave one of them out on every row",
            "SENT_TOKEN_START",
        )


def _in_sentence(row: Row, text: Text, span: Span) -> None:
    number, actual = _number(row, "SENTENCE_ID"), text.sentence_of(span.start) + 1
    if number != actual:
        raise _Wrong(
            f"token {span.start + 1} is in sentence {actual}, not in sentence {number}",
            "correct SENTENCE_ID or leave it empty",
            "SENTENCE_ID",
        )


def _take(span: Span, text: Text, line: int, taken: dict[int, int]) -> Iterator[_Wrong]:
    for position in span.positions():
        if position in taken:
            yield _Wrong(
                f"the mistake overlaps another: token {position + 1} of text {text.id} is already part of the one on "
                f"line {taken[position]}",
                "mistakes of one list must not overlap: keep one of the two, or shorten one",
                "DOC_TOKEN_START",
            )
            return
    taken.update(dict.fromkeys(span.positions(), line))


def _number(row: Row, column: str) -> int:
    cell = row[column].strip()
    if not cell:
        raise _Wrong(f"{column} is empty", "fill it", column)
    if not (cell.isascii() and cell.isdigit() and len(cell) <= 12):
        raise _Wrong(f"{column} is {cell!r}, not a token id", "write a whole number from 1", column)
    return int(cell)


def _named(scheme: Ids | None) -> str:
    return {"both": "document and sentence ids", "document": "document ids", "sentence": "sentence ids"}[
        scheme or "both"
    ]


def _nearest(name: str, known: Collection[str], noun: str) -> str:
    from difflib import get_close_matches

    plain = {one.casefold(): one for one in known}
    close = [plain[one] for one in get_close_matches(name.casefold(), plain, n=1)]
    listed = ", ".join(known) if len(known) <= 20 else f"{len(known)} {noun} from {min(known)} to {max(known)}"
    return f"did you mean {close[0]!r}? known are {listed}" if close else f"known are {listed}"
