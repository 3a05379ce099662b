"""Errors per text from a list of errors, as people have it who count by hand (ACCURACY tables 9 and 10).

The list becomes rows of `spans`, and the figures are those of `results.tables.errors`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from goldmark.errors import Problem, ProblemsFound
from goldmark.observations.given_tables import given
from goldmark.records.tidy.columns import CheckedColumns, Column, Columns, Frame, MissingColumn
from goldmark.results.published.catalogue import Analysis, AnalysisPicture, FileNeeded, needed
from goldmark.results.tables.errors import ERRORS_TABLE, SOURCE, errors

ERRORS = Columns(
    Column("text", about="in which text the error is"),
    Column("system", about="who wrote the text; not needed if a list of texts is given", optional=True, empty=True),
    Column("category", about="the error's category; empty for a text without errors", empty=True),
    Column("annotator", about="who found it; the mean over a text's readers counts", optional=True, empty=True),
    Column("item", about="what the text is about, shared by texts of several systems", optional=True, empty=True),
    Column("introduced", "yes", about="introduced on purpose? such errors are left out", optional=True, empty=True),
)
TEXTS = Columns(
    Column("text", about="every text that was checked"),
    Column("system", about="who wrote it"),
    Column("item", about="what it is about", optional=True, empty=True),
)


def spans_of(listed: CheckedColumns, texts: CheckedColumns | None) -> Frame:
    """The rows of `spans` that say the same: an error each, and one for every reader of a text who found none."""
    known = _known(listed, texts)
    rows = list(_rows(listed, known))
    read = {row["unit"] for row in rows}
    rows += ({"unit": text, **about, "start": ""} for text, about in known.items() if text not in read)
    shared: dict[str, object] = {"question": "errors", "end": "", "annotator": "", "introduced": "", "label": ""}
    return given({"spans": Frame.of([{**shared, **row} for row in rows], listed.frame.source)}).frames["spans"]


def _rows(listed: CheckedColumns, known: dict[str, dict[str, str]]) -> Iterator[dict[str, object]]:
    people = listed.texts("annotator") if "annotator" in listed else [""] * len(listed)
    introduced = listed.yes("introduced") if "introduced" in listed else [None] * len(listed)
    columns = (listed.texts("text"), listed.texts("category"), people, introduced)
    for text, category, who, on_purpose in zip(*columns, strict=True):
        # Where an error stands is of no matter here, only that it stands somewhere.
        place = {"start": 0, "end": 1} if category else {"start": "", "end": ""}
        own = {"unit": text, "label": category, "annotator": who, "introduced": bool(on_purpose)}
        yield {**known[text], **own, **place}


def _known(listed: CheckedColumns, texts: CheckedColumns | None) -> dict[str, dict[str, str]]:
    """System and item of each text; every text must be known and have one author only."""
    source = texts if texts is not None else listed
    if "system" not in source:
        raise MissingColumn(
            needed="'system'",
            source=source.frame.source,
            present=", ".join(source.frame.cells),
            remedy="; add it, or give a second file with text and system",
        )
    items = source.texts("item") if "item" in source else source.texts("text")
    known: dict[str, dict[str, str]] = {}
    problems: list[Problem] = []
    for row, (text, system, item) in enumerate(zip(source.texts("text"), source.texts("system"), items, strict=True)):
        first = known.setdefault(text, {"system": system, "item": item or text})["system"]
        if first != system:
            problems.append(
                Problem(source.frame.where(row), f"text {text!r} is of {system!r} here and of {first!r} above")
            )
    if texts is not None:
        problems += [
            Problem(listed.frame.where(row), f"text {text!r} is not in {texts.frame.source}", "add it there")
            for row, text in enumerate(listed.texts("text"))
            if text not in known
        ]
    if problems:
        raise ProblemsFound(problems, consequence="nothing was computed")
    return known


ERROR_LIST = Analysis(
    "errors-per-text",
    "Mean number of errors in a text by system and category: the table `errors` from a list of errors.",
    SOURCE,
    (FileNeeded("errors", ERRORS), FileNeeded("texts", TEXTS, optional=True)),
    lambda files, settings: [errors(spans_of(needed(files[0]), files[1]), settings, "system")],
    AnalysisPicture(0, "value", ("system", "label")),
)


ERRORS_PER_TEXT_TABLE = replace(
    ERRORS_TABLE, name=ERROR_LIST.name, about=ERROR_LIST.about, analysis=ERROR_LIST, same_as="errors"
)
