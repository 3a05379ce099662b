"""Results as files: everything as JSON, every table as CSV and LaTeX, every picture as SVG, PNG or PDF."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from goldmark.results.all_tables import NamedTable, Results, to_json
from goldmark.results.output.tables import to_csv, to_latex
from goldmark.results.pictures.draw import picture_file, picture_of
from goldmark.results.pictures.files.forms import PictureForm


def json_text(results: Results) -> str:
    """The same bytes as `goldmark campaign results --json`."""
    return _written(to_json(results))


def table_json(results: Results, one: NamedTable) -> str:
    """One table as it stands among the others."""
    tables: Any = to_json(replace(results, tables=(one,)))["tables"]
    return _written(tables[0])


def _written(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def picture_bytes(results: Results, one: NamedTable, form: PictureForm) -> bytes | None:
    """The picture of a table in a file of its own; None where there is none."""
    picture = picture_of(one.name, one.drawn, one.table, results.questions, titled=True)
    return None if picture is None else picture_file(picture, form)


def table_files(results: Results) -> Iterator[tuple[str, bytes]]:
    """Every table twice: for programs and for a paper."""
    for one in results.tables:
        yield f"{one.name}.csv", to_csv(one.table).encode()
        yield f"{one.name}.tex", to_latex(one.table).encode()


def picture_files(results: Results, form: PictureForm) -> Iterator[tuple[str, bytes]]:
    for one in results.tables:
        content = picture_bytes(results, one, form)
        if content is not None:
            yield f"{one.name}.{form}", content
