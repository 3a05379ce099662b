"""A finished table as a person or a program wants it: terminal, notebook, CSV, LaTeX, JSON.

Columns `x`, `x_low` and `x_high` belong together, and so do `value`, `low` and `high`. For people they become one cell,
`0.713 [0.664, 0.758]`; for programs they stay three numbers at full precision. Reasons stand below a table that people
read, each once, as in a paper.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from string import ascii_lowercase
from typing import TYPE_CHECKING, Literal

from goldmark.records.tables import Cell, Table
from goldmark.texts.readers.sheets.parquet import need_polars
from goldmark.texts.readers.spreadsheet import neutralise, quoted

if TYPE_CHECKING:
    import polars
    from rich.table import Table as RichTable

MISSING = "–"
MONEY = ("cost", "hourly")  # columns that hold amounts of money, which have two digits
REASON = "reason"  # the column that says why a figure is missing, or how far to trust it
WIDE = 10  # columns that fit beside each other on a page
GAP = 3  # columns of a terminal between two columns of a table
LATEX_SPECIALS = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    MISSING: "--",
}


@dataclass(frozen=True)
class RoundedTable:
    """A table with its intervals folded in and its numbers rounded: what is printed."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[bool, ...]
    remarks: tuple[str, ...] = ()  # what stands below it: reasons, with the letters by which rows refer to them
    bare: bool = False  # no figure at all, for one reason: then the reason says more than rows of dashes

    @property
    def upright(self) -> bool:
        """Whether it reads better from top to bottom: one row that is wider than a page."""
        return len(self.rows) == 1 and len(self.heads) > WIDE


def reading(table: Table, digits: int = 3, most: int | None = None) -> RoundedTable:
    """Fold `x`, `x_low`, `x_high` into one cell and write every value the way people read it; `most` rows of it."""
    table, remarks = _reasons_below(table)
    ends_of = {column: bounds_of(table, column) or () for column in table.columns}
    bounds = {name for ends in ends_of.values() for name in ends}
    place = {column: position for position, column in enumerate(table.columns)}
    # A column in which nobody has anything to say, such as reasons where nothing went wrong, is left out.
    silent = {column for column in table.columns if table.rows and all(row[place[column]] == "" for row in table.rows)}
    shown = [column for column in table.columns if column not in bounds | silent]

    def cell(row: Sequence[Cell], column: str) -> str:
        value = _say(row[place[column]], column, digits)
        ends = [row[place[name]] for name in ends_of[column]]
        if not ends or None in ends:
            return value
        return f"{value} [{', '.join(_say(end, column, digits) for end in ends)}]"

    rows = tuple(tuple(cell(row, column) for column in shown) for row in table.rows[:most])
    numeric = tuple(
        all(isinstance(row[place[column]], int | float | None) for row in table.rows) and bool(table.rows)
        for column in shown
    )
    heads = tuple(table.labels.get(column, column.replace("_", " ")) for column in shown)
    figures = [place[column] for column, number in zip(shown, numeric, strict=True) if number]
    bare = len(remarks) == 1 and bool(figures) and all(row[one] is None for row in table.rows for one in figures)
    return RoundedTable(heads, rows, numeric, remarks, bare)


def _reasons_below(table: Table) -> tuple[Table, tuple[str, ...]]:
    """With a letter in place of each reason, or nothing where all rows have the same; and the reasons.

    A table that has a name of its own for the column is about the reasons themselves.
    """
    there = REASON in table.columns and REASON not in table.labels
    known = list(dict.fromkeys(str(one) for one in table.column(REASON) if one)) if there else []
    if not known or len(known) > len(ascii_lowercase):
        return table, ()
    place = table.columns.index(REASON)
    if len(known) == 1 and all(table.column(REASON)):
        letter = {known[0]: ""}
        remarks: tuple[str, ...] = (known[0][:1].upper() + known[0][1:],)
    else:
        letter = dict(zip(known, ascii_lowercase, strict=False))
        remarks = tuple(f"{letter[one]}: {one}" for one in known)
    rows = tuple((*row[:place], letter.get(str(row[place]), ""), *row[place + 1 :]) for row in table.rows)
    return replace(table, rows=rows, labels={**table.labels, REASON: "note"}), remarks


def bounds_of(table: Table, column: str) -> tuple[str, str] | None:
    """The columns that hold a figure's interval, if it has one."""
    named = (f"{column}_low", f"{column}_high")
    ends = ("low", "high") if column == "value" and named[0] not in table.columns else named
    return ends if set(ends) <= set(table.columns) else None


def _say(value: Cell, column: str, digits: int) -> str:
    if value is None:
        return MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, float):
        return str(value)
    smallest = 10.0**-digits
    if (column == "p" or column.startswith("p_")) and 0 <= value < smallest:
        return f"<{smallest:.{digits}f}"
    if column == "df" or column.startswith("freedom"):
        return f"{value:.1f}".removesuffix(".0")
    if column.startswith("percent"):
        digits = 2
    if column.startswith(MONEY):
        return f"{value:,.2f}"
    if 0 < abs(value) < smallest / 2:
        return f"{value:.2g}"  # a variance of 0.00004 is not 0.000
    return f"{value + 0.0:.{digits}f}"  # adding 0 turns -0.0 into 0.0


def to_text(table: Table, width: int | None = None) -> str:
    """The table as it looks in a terminal: title, rows, notes, signature. No width means as wide as it needs.

    Where the width does not suffice, columns continue in a second block below, with the names of the rows repeated.
    """
    from rich.console import Console
    from rich.text import Text

    read = reading(table)
    out = io.StringIO()
    console = Console(file=out, width=width or 10_000, color_system=None, markup=False, highlight=False, emoji=False)
    console.print(Text(_harmless(table.title)))
    console.print()
    if table.rows:
        for position, block in enumerate(_blocks(read, width)):
            if position:
                console.print()
            console.print(_drawn(read, block))
    else:
        console.print("no rows")
    for note in (*read.remarks, *table.notes):
        console.print(Text(_harmless(note)))
    if table.signature:
        console.print(Text(_harmless(table.signature)), soft_wrap=True)
    return "\n".join(line.rstrip() for line in out.getvalue().split("\n"))


def _drawn(read: RoundedTable, columns: Sequence[int]) -> RichTable:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as RichTable
    from rich.text import Text

    drawn = RichTable(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in columns:
        justify: Literal["left", "right"] = "right" if read.numeric[column] else "left"
        drawn.add_column(Text(_harmless(read.heads[column])), justify=justify, overflow="fold")
    for row in read.rows:
        drawn.add_row(*(Text(_harmless(row[column])) for column in columns))
    return drawn


def _blocks(read: RoundedTable, width: int | None) -> list[list[int]]:
    """Which columns stand side by side: all, or as many at a time as fit beside the leading columns of text."""
    from rich.cells import cell_len

    every = list(range(len(read.heads)))
    if width is None:
        return [every]
    needed = [
        GAP + max(cell_len(_harmless(cell)) for cell in (read.heads[column], *(row[column] for row in read.rows)))
        for column in every
    ]
    if sum(needed) - GAP <= width:
        return [every]
    names = every[: read.numeric.index(True)] if True in read.numeric else every[:1]
    room = width + GAP - sum(needed[name] for name in names)
    blocks: list[list[int]] = []
    left = 0
    for column in every[len(names) :]:
        if not blocks or needed[column] > left:
            blocks.append([*names])
            left = room
        blocks[-1].append(column)
        left -= needed[column]
    return blocks or [every]


def _harmless(text: str) -> str:
    """Control characters of a generated text must not reach a terminal that would obey them."""
    return "".join(character if character.isprintable() else " " for character in text)


def to_html(table: Table) -> str:
    """For a notebook: nothing in a generated text is markup."""
    from html import escape

    read = reading(table)
    sides = ["right" if numeric else "left" for numeric in read.numeric]

    def line(tag: str, cells: Sequence[str]) -> str:
        looks = [f' style="text-align: {side}; padding: 0.2em 1em 0.2em 0"' for side in sides]
        return "".join(f"<{tag}{look}>{escape(cell)}</{tag}>" for cell, look in zip(cells, looks, strict=True))

    rows = "".join(f"<tr>{line('td', row)}</tr>" for row in read.rows)
    body = f"<thead><tr>{line('th', read.heads)}</tr></thead><tbody>{rows}</tbody>" if table.rows else ""
    below = (*read.remarks, *table.notes) or (() if table.rows else ("no rows",))
    notes = "".join(f"<div>{escape(note)}</div>" for note in below)
    signed = f"<div><small><code>{escape(table.signature)}</code></small></div>" if table.signature else ""
    head = f'<caption style="text-align: left; white-space: nowrap"><b>{escape(table.title)}</b></caption>'
    return f'<div style="margin-bottom: 1em"><table>{head}{body}</table>{notes}{signed}</div>'


def to_csv(table: Table) -> str:
    """Full precision, one header line, and no cell that a spreadsheet would run as a formula."""
    lines = [[neutralise(column) for column in table.columns], *([_plain(cell) for cell in row] for row in table.rows)]
    return "".join(",".join(map(quoted, line)) + "\n" for line in lines)


def _plain(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return repr(cell) if isinstance(cell, float) else str(cell) if isinstance(cell, int) else neutralise(cell)


def to_latex(table: Table) -> str:
    """A `table` environment in the manner of booktabs; needs `\\usepackage{booktabs}`."""
    read = reading(table)
    if not read.heads:
        return f"% {_harmless(table.title)}: no rows\n"
    lines = [
        r"% needs \usepackage{booktabs}",
        *([f"% {_harmless(table.signature)}"] if table.signature else []),
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{latex_escape(table.title)}}}",
        rf"\begin{{tabular}}{{{''.join('r' if numeric else 'l' for numeric in read.numeric)}}}",
        r"\toprule",
        " & ".join(_latex_cell(head, False) for head in read.heads) + r" \\",
        r"\midrule",
        *(" & ".join(map(_latex_cell, row, read.numeric)) + r" \\" for row in read.rows),
        r"\bottomrule",
        r"\end{tabular}",
        *(rf"\par\smallskip{{\footnotesize {latex_escape(note)}}}" for note in (*read.remarks, *table.notes)),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def latex_escape(text: str) -> str:
    return "".join(LATEX_SPECIALS.get(character, character) for character in _harmless(text))


def _latex_cell(cell: str, numeric: bool) -> str:
    escaped = latex_escape(cell)
    if numeric:
        return re.sub(r"-(?=[\d.])", "$-$", escaped)  # a minus, where a plain one would print as a hyphen
    # A row that starts with "[" or "*" would be read as an argument of the \\ or the rule before it.
    return f"{{}}{escaped}" if escaped.startswith(("[", "*")) else escaped


def to_json(table: Table) -> dict[str, object]:
    """For machines: rows as objects with full precision, null where there is no number."""
    return {
        "title": table.title,
        "rows": table.records(),
        "notes": list(table.notes),
        "signature": table.signature,
    }


def to_frame(table: Table) -> polars.DataFrame:
    """As a polars data frame (`.to_pandas()` makes a pandas one): full precision, null where there is no number."""
    need_polars("polars data frames need")
    import polars

    columns = {name: list(table.column(name)) for name in table.columns}
    return polars.DataFrame(columns, strict=False)
