"""`goldmark plugin`: what can be added to Goldmark, what is there, and what cannot be used."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import App, Parameter

from goldmark.cli.options import Output
from goldmark.cli.output import emit

app = App(name="plugin", help="What is built in and what installed packages add: formats, tables, metrics and more.")


@app.command(name="list")
def list_plugins(
    *groups: Annotated[str, Parameter(help="Only these groups, such as formats or metrics; all if none is named.")],
    output: Output = Output(),
) -> None:
    """Show every plug-in by group: its name, what it is for, whose it is, and why it cannot be used if it cannot."""
    from goldmark.plugins import GROUPS, attribute_at, unknown

    for name in groups:
        if name not in GROUPS:
            raise unknown("group of plug-ins", name, GROUPS)
    rows = [row for name in groups or GROUPS for row in _rows(attribute_at(GROUPS[name]))]
    lines, shown = [], ""
    for row in rows:
        if row["group"] != shown:
            shown = row["group"]
            lines.append(f"goldmark.{shown}")
        whose = "" if row["distribution"] == "goldmark" else f"  ({row['distribution']} {row['version']})"
        lines.append(f"    {row['name']:<22}{row['purpose'] or '-'}{whose}")
    broken = (
        f"{row['group']} {row['name']} ({row['place']}) cannot be used: {row['why_not']}"
        for row in rows
        if row["why_not"]
    )
    emit(output, {"plugins": rows}, *broken, lines=lines)


def _rows(group: Any) -> list[dict[str, Any]]:
    rows = []
    for one in group.offered():
        why = group.why_not(one)
        rows.append(
            {
                "group": one.group,
                "name": one.name,
                "purpose": "" if why else group.purpose(one.name),
                "place": one.place,
                "distribution": one.distribution,
                "version": one.version,
                "usable": not why,
                "why_not": why,
            }
        )
    return rows
