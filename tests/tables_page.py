"""The list of tables in docs/reference/tables.md, made from the catalogue: `python -m tests.tables_page` renews it."""

from __future__ import annotations

from pathlib import Path

from goldmark.results.catalogue import RESULTS
from goldmark.results.result_table import ResultTable

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "tables.md"
BEGIN, END = "<!-- made by python -m tests.tables_page -->\n", "<!-- until here -->\n"


def listed() -> str:
    """Every table with what it says, from what it can be made, and who published it."""
    lines = ["| name | says | made of | source |", "|---|---|---|---|"]
    return "\n".join([*lines, *map(_line, RESULTS.values())]) + "\n"


def _line(one: ResultTable) -> str:
    about = one.about.rstrip(".")
    name = f"[`{one.name}`](../statistics/{one.page}.md)"
    return f"| {name} | {about[:1].lower()}{about[1:]} | {_ways(one)} | {one.source} |"


def _ways(one: ResultTable) -> str:
    ways = [f"a {one.campaigns}"] if one.make else []
    if one.make and one.reads:
        ways.append("tidy tables: " + ", ".join(f"`{name}`" for name in one.reads))
    if one.analysis:
        ways.append("files of its own: " + ", ".join(file.name for file in one.analysis.files))
    return "; ".join(ways)


def page() -> str:
    """The page as it should be."""
    before, begin, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"{PAGE.name} has no place for the list: put {BEGIN!r} and {END!r} into it")
    return f"{before}{begin}\n{listed()}\n{end}{after}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
