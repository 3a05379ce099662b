"""Excel's .xlsx: the first sheet as rows of text, read from its XML; no formula is run and nothing is fetched."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from datetime import datetime, timedelta
from xml.etree import ElementTree

from goldmark.errors import GoldmarkError
from goldmark.texts.readers.archives import open_zip

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_DATES = {*range(14, 23), *range(45, 48)}  # Excel's own formats for days and times
_EPOCH = datetime(1899, 12, 30)  # noqa: DTZ001 - a spreadsheet's days have no zone
MOST_COLUMNS = 16_384
MOST_PARTS = 10_000  # sheets, pictures and what else a workbook is packed of
MOST_BYTES = 50_000_000  # of its XML, unpacked: what a server can hold for a moment


class NotExcel(GoldmarkError):
    code = "FILE-05"
    message = "the file is not an Excel workbook that can be read: {reason}; save it as .xlsx or .csv"


def xlsx_cells(content: bytes) -> Iterator[tuple[int, list[str]]]:
    """The rows of the first sheet with their numbers, every cell as text; empty rows are left out."""
    try:
        with open_zip(io.BytesIO(content), most=MOST_PARTS) as book:
            if sum(one.file_size for one in book.infolist()) > MOST_BYTES:
                raise NotExcel(reason=f"unpacked it would have more than {MOST_BYTES:,} bytes")
            shared = _shared(book)
            dates = _date_styles(book)
            yield from _rows(_tree(book, _first_sheet(book)), shared, dates)
    except (
        zipfile.BadZipFile,
        LookupError,
        OverflowError,  # a day that no calendar has
        ElementTree.ParseError,
        NotImplementedError,
        RuntimeError,
        ValueError,
    ) as error:
        raise NotExcel(reason=str(error).strip("'\"") or type(error).__name__) from error


def _tree(book: zipfile.ZipFile, name: str) -> ElementTree.Element:
    content = book.read(name)
    # A workbook is UTF-8 and declares nothing; entities, also those hidden in UTF-16, could blow it up.
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content or b"\x00" in content:
        raise NotExcel(reason="it declares entities")
    return ElementTree.fromstring(content)  # noqa: S314 - see above


def _first_sheet(book: zipfile.ZipFile) -> str:
    sheets = _tree(book, "xl/workbook.xml").iter(f"{_MAIN}sheet")
    sheet = next((one for one in sheets if one.get("state", "visible") == "visible"), None)
    if sheet is None:
        raise NotExcel(reason="it has no sheet")
    for relation in _tree(book, "xl/_rels/workbook.xml.rels"):
        if relation.get("Id") == sheet.get(_RELATION):
            target = relation.get("Target", "")
            return target.lstrip("/") if target.startswith("/") else f"xl/{target}"
    raise NotExcel(reason="its first sheet is missing")


def _shared(book: zipfile.ZipFile) -> list[str]:
    if "xl/sharedStrings.xml" not in book.namelist():
        return []
    return [_words(item) for item in _tree(book, "xl/sharedStrings.xml").iter(f"{_MAIN}si")]


def _words(item: ElementTree.Element) -> str:
    """All runs of a cell's text, without the readings that Japanese cells carry."""
    runs = [item, *item.findall(f"{_MAIN}r")]
    text = "".join(run.findtext(f"{_MAIN}t") or "" for run in runs)
    return re.sub(r"_x([0-9A-Fa-f]{4})_", lambda found: chr(int(found[1], 16)), text)


def _date_styles(book: zipfile.ZipFile) -> set[int]:
    """The styles that make a number a day."""
    if "xl/styles.xml" not in book.namelist():
        return set()
    styles = _tree(book, "xl/styles.xml")
    own = {
        int(one.get("numFmtId", "0"))
        for one in styles.iter(f"{_MAIN}numFmt")
        if re.search(r"[ymdhs]", re.sub(r'"[^"]*"|\[[^\]]*\]', "", one.get("formatCode", "")), re.IGNORECASE)
    }
    formats = styles.find(f"{_MAIN}cellXfs")
    found = [int(one.get("numFmtId", "0")) for one in formats] if formats is not None else []
    return {place for place, number in enumerate(found) if number in _DATES | own}


def _rows(sheet: ElementTree.Element, shared: list[str], dates: set[int]) -> Iterator[tuple[int, list[str]]]:
    for number, row in enumerate(sheet.iter(f"{_MAIN}row"), start=1):
        cells: list[str] = []
        for cell in row.iter(f"{_MAIN}c"):
            column = _column(cell.get("r", "")) or len(cells)
            cells += [""] * (column + 1 - len(cells))
            cells[column] = _cell(cell, shared, dates)
        if any(cells):
            yield int(row.get("r", number)), cells


def _column(place: str) -> int:
    """B7 is in column 1; nothing said: 0, and whoever asks takes the next."""
    number = 0
    for letter in re.match(r"[A-Z]*", place).group():  # type: ignore[union-attr]
        number = number * 26 + ord(letter) - 64
    if number > MOST_COLUMNS:
        raise NotExcel(reason="it has too many columns")
    return max(number - 1, 0)


def _cell(cell: ElementTree.Element, shared: list[str], dates: set[int]) -> str:
    kind, value = cell.get("t", "n"), cell.findtext(f"{_MAIN}v") or ""
    if kind == "s":
        return shared[int(value)]
    if kind == "inlineStr":
        item = cell.find(f"{_MAIN}is")
        return "" if item is None else _words(item)
    if kind == "b":
        return "true" if value == "1" else "false"
    if kind == "e":
        return ""  # such as #REF!: nothing that anybody wrote
    if kind == "n" and value and int(cell.get("s", "0")) in dates:
        moment = _EPOCH + timedelta(days=float(value))
        return moment.date().isoformat() if float(value).is_integer() else moment.isoformat(timespec="seconds")
    if kind == "n" and re.fullmatch(r"-?\d+\.\d{10,}", value):
        return f"{float(value):.15g}"  # what Excel shows of 0.30000000000000004
    return value
