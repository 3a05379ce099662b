"""How commands speak: data on standard output, talk on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from goldmark.cli.options import Output, PlotOutput, TableOutput
from goldmark.errors import Failed, GoldmarkError, Problem, ProblemsFound, condensed
from goldmark.records.figures import Figure, Interval

if TYPE_CHECKING:
    from cyclopts import CycloptsError

    from goldmark.records.tables import Table


class RefusedBySystem(Failed):
    """A file or folder that the operating system does not let us use, where nothing better is known to say."""

    code = "SYSTEM-01"
    message = "{path}: {reason}"


def emit(
    output: Output,
    data: object = None,
    *said: str,
    tables: Sequence[Table] = (),
    lines: Iterable[str] = (),
    picture: tuple[str, Sequence[str]] | None = None,
) -> None:
    """Give what a command found: for machines `data`, or else the tables; for people tables, lines, and what is said.

    `picture` names the column of the first table that is drawn, if somebody asks for that, and those that label it.
    """
    if picture and tables and isinstance(output, PlotOutput):
        draw(output, tables[0], *picture)
    if output.json:
        print_json({"tables": tables_json(tables)} if data is None else data)
        return
    if tables:
        _show(tables, output)
    for line in lines:
        print(line)
    for sentence in said:
        talk(sentence)


def draw(output: PlotOutput, table: Table, value: str, labels: Sequence[str]) -> None:
    """Draw a column of a table with its intervals to a file, if one is asked for."""
    if output.plot is not None:
        from goldmark.results.pictures.files.to_file import draw_column

        draw_column(table, value, labels, output.plot)


def emit_check(output: Output, look: Callable[[], tuple[Any, ...]]) -> int:
    """What a check found that changes nothing: facts, a sentence, perhaps lines; or every problem and exit code 1."""
    try:
        facts, sentence, *lines = look()
    except ProblemsFound as error:
        if not output.json:
            raise
        print_json({"ok": False, "problems": error.problems})
        talk(str(error))
        return 1
    emit(output, {"ok": True, "problems": [], **facts}, sentence, lines=lines)
    return 0


def tables_json(tables: Iterable[Table]) -> list[dict[str, object]]:
    from goldmark.results.output.tables import to_json

    return [to_json(table) for table in tables]


def _show(tables: Sequence[Table], output: Output) -> None:
    """Print tables; beside CSV, what a reader must know goes to standard error."""
    from goldmark.results.output import tables as written

    form = output.format if isinstance(output, TableOutput) else "table"
    for position, table in enumerate(tables):
        if position:
            sys.stdout.write("\n")
        if form == "table":
            sys.stdout.write(written.to_text(table, width=_width()))
        elif form == "latex":
            sys.stdout.write(written.to_latex(table))
        else:
            sys.stdout.write(written.to_csv(table))
            for remark in (*table.notes, table.signature):
                talk(remark)


def _width() -> int | None:
    """A terminal folds long cells; a pipe gets whole lines."""
    if not sys.stdout.isatty():
        return None
    import shutil

    return shutil.get_terminal_size().columns


def talk(message: str) -> None:
    """Tell the person something that is not data."""
    print(message, file=sys.stderr)


def print_json(data: object) -> None:
    """Write data for machines: keys in the order given, numbers exact, text as it is."""
    import json

    json.dump(plain(data), sys.stdout, ensure_ascii=False, indent=2, allow_nan=False)
    sys.stdout.write("\n")


def plain(value: Any) -> Any:
    """A record as JSON has it: its parts by name, times and paths as text, a figure with its interval."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, Figure):
        return {key: plain(getattr(value, key)) for key in ("value", "interval", "reason", "used")}
    if isinstance(value, Interval):
        return [value.low, value.high]
    if hasattr(value, "_asdict"):
        return plain(value._asdict())
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if isinstance(value, Mapping):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value)


def parts(record: object, *names: str) -> dict[str, Any]:
    """Some parts of a record by their names."""
    return {name: getattr(record, name) for name in names}


def figure_json(figure: Figure, counted: str = "") -> dict[str, Any]:
    """A figure whose observations have a name: `units_used` and `units_skipped`, say."""
    counts = {f"{counted}_used": figure.used, f"{counted}_skipped": figure.skipped} if counted else {}
    return {"value": figure.value, "interval": figure.interval, **counts, "reason": figure.reason or None}


def wrong_usage(error: CycloptsError) -> object:
    """What was wrong with a call; of what is missing, what it is for and where to read on."""
    from cyclopts import CycloptsPanel, MissingArgumentError

    if not isinstance(error, MissingArgumentError) or error.argument is None:
        return CycloptsPanel(error)
    missing, command = error.argument, " ".join(("goldmark", *(error.command_chain or ())))
    if missing.tokens or not missing.required:
        return CycloptsPanel(f"{error.keyword or missing.name} needs a value. See {command} --help.")
    name = missing.name.lstrip("-").upper() if missing.index is not None else missing.name
    purpose = f": {missing.parameter.help}" if missing.parameter.help else "."
    return CycloptsPanel(f"{command} needs {name}{purpose} See {command} --help.")


def explain(error: GoldmarkError) -> None:
    """Say what was wrong and how to mend it."""
    problems: Sequence[Problem] = getattr(error, "problems", ())  # our own, or those that a server told
    for problem in condensed(problems):
        talk(str(problem))
    talk(f"{error} [{error.code}]")
