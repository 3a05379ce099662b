"""The page of the tidy tables, made from their schema: `python -m tests.observations.page` writes it."""

from __future__ import annotations

from pathlib import Path

from goldmark.observations.schema import SHARED, TABLES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "tidy-tables.md"
BEFORE = """# Tidy tables

`goldmark campaign export NAME FOLDER --format tidy` (or `tidy-parquet`, or *Export* on the campaign's page) writes
a campaign's answers as a few flat tables. Everything that [results](../how-to/results.md) show is computed from
these very cells, and every command of Goldmark reads the files as they are:

```console
$ goldmark campaign export summaries tidy --format tidy
$ goldmark rank tidy/ratings.csv --keep question=overall
$ goldmark agreement tidy/ratings.csv --keep question=overall --level ordinal
$ goldmark agreement spans tidy/spans.csv
```

`protocol.json` in the folder says what was asked, so that every [table](tables.md) that is made of answers can be
made of the folder: `goldmark table agreement tidy`.

Answers to test questions, of excluded annotators, and of models and checkers are left out; `--with-tests`,
`--with-excluded` and `--with-models` put them in, marked as such, and commands then leave them out by themselves unless
they are told to keep them. Only final answers are in the tables: the [complete formats](export-formats.md) hold every
revision.

In CSV a cell that a spreadsheet would take for a formula has an apostrophe in front; our commands take it away
again. An empty cell is no value. Times are UTC.

## Columns of every table

"""
AFTER_SHARED = """
After its own columns a table has the short hidden facts of the units (`domain`, say) under their own names, or with
`unit_` in front where a column has that name already. Longer ones, such as references, are in `texts` only.
Attributes of marks that have no role in the protocol are columns of `spans`.
"""


def rows(columns: dict[str, str]) -> str:
    return "\n".join(["| column | what |", "|---|---|", *(f"| `{name}` | {what} |" for name, what in columns.items())])


def page() -> str:
    parts = [BEFORE + rows(dict(SHARED)) + "\n" + AFTER_SHARED]
    parts += (
        f"## `{table.name}`\n\nA row is {table.row}.\n\n{rows(dict(table.columns))}\n" for table in TABLES.values()
    )
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
